//! Requests at a constant rate.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;

use super::{Contender, ONE_SETTLED_SLICE, Scene, Stable, host, read};
use crate::cost::bare;

/// Connections that saturate the server, and that every contender uses.
const CONNECTIONS: usize = 64;

/// Length of the measurement of the highest throughput of the server.
const TRIAL: Duration = Duration::from_secs(1);

impl Stable<'_> {
    /// The null workload at a constant rate, requests per second.
    pub(crate) fn null_at(&self, name: &'static str, rate: u64) -> Contender {
        let program = Ok(self.built.join("examples/null"));
        let arguments =
            move |scene: &Scene<'_>| Ok(format!("1 {CONNECTIONS} {} {rate}/s", scene.seconds));
        Contender::new(name, program, arguments, read::null)
    }

    /// GETs by tenbin at these shares, in per cent, of the throughput that the bare loop reaches on
    /// the same server before the first turn.
    pub(crate) fn at_shares_of_the_throughput(
        &self,
        shares: &[(&'static str, u64)],
    ) -> Vec<Contender> {
        let highest = Rc::new(Cell::new(None));
        let at = |&(name, share): &(&'static str, u64)| {
            let highest = Rc::clone(&highest);
            let tenbin = self.tenbin(move |scene| {
                let known = match highest.get() {
                    Some(known) => known,
                    None => throughput(scene.url)?,
                };
                highest.set(Some(known));
                Ok(at_rate(scene, CONNECTIONS, known * share / 100))
            });
            open(name, tenbin)
        };
        shares.iter().map(at).collect()
    }
}

/// Responses per second to the bare loop.
fn throughput(url: &str) -> Result<u64> {
    let responses = bare::run(host(url), CONNECTIONS, TRIAL)?;
    Ok(responses / TRIAL.as_secs())
}

/// Names tenbin, and reads the send lag of its run.
pub(super) fn open(name: &'static str, tenbin: Contender) -> Contender {
    Contender {
        read: read::tenbin_in_open_loop,
        ..tenbin.named(name)
    }
}

/// The arguments of tenbin for GETs at this rate, requests per second.
pub(super) fn at_rate(scene: &Scene<'_>, connections: usize, rate: u64) -> String {
    let Scene { url, seconds, .. } = scene;
    format!(
        "http --target s={url} --rate {rate}/s --connections {connections} --slice {seconds}s \
         {ONE_SETTLED_SLICE}"
    )
}
