//! A network link is full.

use tenbin_record::{LinkUse, MachineUse};
use tenbin_result::format::{bit_rate, percent};
use tenbin_result::{Blame, Finding, Severity};

use super::Rule;
use crate::evidence::Evidence;
use crate::machine::places_above;

/// Share of a link's speed.
const FULL: f64 = 0.85;

/// A network link is full.
pub(super) struct Bandwidth;

impl Rule for Bandwidth {
    fn name(&self) -> &'static str {
        "bandwidth"
    }

    fn summary(&self) -> &'static str {
        "a network link was nearly saturated"
    }

    fn severities(&self) -> &'static [Severity] {
        &[Severity::Suspect]
    }

    fn explanation(&self) -> &'static str {
        include_str!("bandwidth.md")
    }

    fn judge(&self, evidence: &Evidence<'_>) -> Vec<Finding> {
        let places = places_above(evidence, FULL, &|_, machine| Some(fullest(machine)?.share));
        let slices = evidence.slices.iter();
        let machines = slices.filter_map(|slice| slice.machine.as_ref());
        let worst = machines
            .filter_map(fullest)
            .reduce(|a, b| if b.share > a.share { b } else { a });
        let Some(worst) = worst else {
            return Vec::new();
        };
        let finding = places.into_iter().map(|place| {
            let told = format!(
                "network interface {} carried up to {} one way; the fullest link ran at {} of \
                 its {} ({})",
                worst.name,
                bit_rate(worst.carried),
                percent(place.value),
                bit_rate(worst.speed),
                place.basis()
            );
            place.finding(
                self.name(),
                Severity::Suspect,
                Blame::Network,
                told,
                "take the throughput as that of the network: use a faster link, smaller bodies, \
                 compression, or generator and target on one machine",
            )
        });
        finding.collect()
    }
}

/// What one way of a link carried, bits a second.
struct Carried<'a> {
    name: &'a str,
    carried: f64,
    speed: f64,
    share: f64,
}

/// The way that was nearest to what its link can carry; `None` where no link tells.
fn fullest(machine: &MachineUse) -> Option<Carried<'_>> {
    let known = machine
        .links
        .iter()
        .filter_map(|link| carried(link, machine));
    known.reduce(|a, b| if b.share > a.share { b } else { a })
}

fn carried<'a>(link: &'a LinkUse, machine: &MachineUse) -> Option<Carried<'a>> {
    let speed = link.bits_per_second? as f64;
    let bytes = link.received_bytes.max(link.sent_bytes) as f64;
    let carried = bytes * 8.0 / machine.seconds;
    (machine.seconds > 0.0 && speed > 0.0).then(|| Carried {
        name: &link.name,
        carried,
        speed,
        share: carried / speed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn receiving(bytes: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.machine().links[0].received_bytes = bytes);
        run.findings(&Bandwidth)
    }

    #[test]
    fn fires_when_a_link_is_full_one_way() {
        let findings = receiving(117_625_000);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        let expected = "network interface eth0 carried up to 941 Mbit/s one way; the fullest link \
                        ran at 94.1 % of its 1.00 Gbit/s (median of 16 slices)";
        assert_eq!(findings[0].evidence, expected);
    }

    #[test]
    fn silent_with_room_to_spare_or_a_link_that_does_not_tell_its_speed() {
        assert_eq!(receiving(100_000_000), []);
        let mut run = Run::pair(8);
        run.each(|slice| {
            let link = &mut slice.machine().links[0];
            link.received_bytes = 117_625_000;
            link.bits_per_second = None;
        });
        assert_eq!(run.findings(&Bandwidth), []);
    }
}
