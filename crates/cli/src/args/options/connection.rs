//! Connection settings of the targets.

use tenbin_plan::{
    At, CONNECTIONS, Key, List, Place, Refusal, Scalar, Section as _, TargetDraft, TlsDraft,
    sentence,
};

use crate::args::options::per_target::{PerTarget, TargetGroup, Whose, name, named};
use crate::args::problem;

/// Connection settings of the targets.
pub(crate) type ConnectionArgs = PerTarget<Connections>;

/// The flags that control how connections are opened.
pub(crate) struct Connections;

impl TargetGroup for Connections {
    const HEADING: &'static str = CONNECTIONS;
    const SECTIONS: &'static [&'static [Key]] = &[TargetDraft::KEYS, TlsDraft::KEYS];
}

impl PerTarget<Connections> {
    /// Copies the options into the targets that they apply to.
    pub(crate) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.give_all(targets)?;
        let several = targets.len() > 1;
        let no_https = !targets.iter().any(|target| speaks_tls(&target.value));
        for target in targets {
            let own = name(target);
            let whose = Whose {
                own: own.as_deref(),
                names: &names,
            };
            let draft = &mut target.value;
            self.lead_with_url(draft, &names, several)?;
            // A value for all targets applies only to targets with an https URL, or to all targets
            // if no target has an https URL.
            let takes_general = speaks_tls(draft) || no_https;
            let mut tls = TlsDraft::default();
            if self.give(&mut tls, &whose, |_| takes_general)? {
                draft.tls = Some(At {
                    value: tls,
                    place: Place::Nowhere,
                });
            }
        }
        Ok(())
    }

    /// Adds the URL of the target before the hosts of `--host`.
    fn lead_with_url(
        &self,
        draft: &mut TargetDraft,
        names: &[String],
        several: bool,
    ) -> Result<(), Refusal> {
        let general = |value: &&String| named(value, names).is_none();
        if let (Some(host), true) = (self.of("--host").iter().find(general), several) {
            return Err(problem(sentence!(
                "host-name-first",
                "--host: write the name of the target and an equals sign before {host:?}",
                host
            )));
        }
        let Some(At {
            value: List::Many(hosts),
            ..
        }) = &mut draft.urls
        else {
            return Ok(());
        };
        match (draft.url.take(), &draft.command, &draft.builtin) {
            (Some(url), None, None) => hosts.insert(0, url),
            _ => {
                return Err(problem(sentence!(
                    "host-of-target",
                    "--host: only a target given with --target can have several hosts"
                )));
            }
        }
        Ok(())
    }
}

fn speaks_tls(draft: &TargetDraft) -> bool {
    let first = draft.urls.as_ref().and_then(|urls| match &urls.value {
        List::One(url) => Some(url),
        List::Many(urls) => urls.first().map(|url| &url.value),
    });
    let url = draft.url.as_ref().map(|url| &url.value).or(first);
    let is_https = |text: &str| text.trim_start().to_ascii_lowercase().starts_with("https:");
    matches!(url, Some(Scalar::Text(text)) if is_https(text))
}
