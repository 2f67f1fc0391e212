//! Measures how far the clocks of the agents are from this machine's clock.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tenbin_plan::sentence;

use super::{Coordinator, check};
use crate::clock::{OtherClock, Probe};
use crate::error::ClusterError;
use crate::message::{Happened, What};

/// Probes of the clocks before each slice.
const PROBES: usize = 5;
/// Longest wait for the responses to a probe.
const PROBE_TIME: Duration = Duration::from_secs(1);

impl Coordinator {
    /// Measures how far the clocks of the agents are from this machine's clock.
    pub(super) fn probe(&mut self, stop: &AtomicBool) -> Result<(), ClusterError> {
        let clocks = self.clocks(stop, Self::heard)?;
        for (member, clock) in self.members.iter_mut().zip(clocks) {
            match clock {
                Some(clock) => member.clock = Some(clock),
                None => {
                    return Err(
                        member.lost(sentence!("agent-does-not-respond", "does not respond"))
                    );
                }
            }
        }
        Ok(())
    }

    /// The clocks of the agents, by five probes each; `None` for an agent that does not respond.
    /// `hear` returns the next event.
    pub(super) fn clocks(
        &mut self,
        stop: &AtomicBool,
        hear: impl Fn(&mut Self) -> Result<Option<(usize, Happened, Instant)>, ClusterError>,
    ) -> Result<Vec<Option<OtherClock>>, ClusterError> {
        let mut probes: Vec<Vec<Probe>> = vec![Vec::new(); self.members.len()];
        for _ in 0..PROBES {
            let start = Instant::now();
            let sent = self.now(start);
            for agent in 0..self.members.len() {
                self.order(agent, What::Probe { sent });
            }
            let mut missing = self.members.len();
            while missing > 0 && start.elapsed() < PROBE_TIME {
                check(stop)?;
                let Some((agent, happened, at)) = hear(self)? else {
                    continue;
                };
                if let Happened::Time {
                    sent: of,
                    received,
                    replied,
                } = happened
                    && of == sent
                {
                    missing -= 1;
                    let returned = self.now(at);
                    probes[agent].push(Probe {
                        sent,
                        received,
                        replied,
                        returned,
                    });
                }
            }
        }
        Ok(probes
            .iter()
            .map(|probes| OtherClock::estimate(probes))
            .collect())
    }
}
