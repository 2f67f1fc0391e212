//! Commands of tenbin that print and send no load.

use super::{Contender, Stable, read};

impl Stable<'_> {
    /// A command of tenbin that only prints.
    pub(crate) fn printing(&self, name: &'static str, arguments: &'static str) -> Contender {
        let tenbin = self.tenbin(move |_| Ok(arguments.to_owned()));
        Contender {
            read: read::text,
            ..tenbin.named(name)
        }
    }

    /// `tenbin show` or `tenbin report` of the run directory in [`Scene::url`], with these flags.
    pub(crate) fn show(
        &self,
        name: &'static str,
        command: &'static str,
        flags: &'static str,
    ) -> Contender {
        let tenbin = self.tenbin(move |scene| Ok(format!("{command} {} {flags}", scene.url)));
        Contender {
            // `tenbin show` uses all cores.
            cores: "0,1",
            read: read::text,
            ..tenbin.named(name)
        }
    }
}
