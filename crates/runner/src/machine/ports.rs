//! Predicts whether local ports will run out. Each connection that the load generator closes keeps
//! its port in TIME_WAIT, and without keep-alive each request closes a connection.

use std::collections::BTreeSet;

use tenbin_plan::{Plan, Sentence, Turn, sentence};
use tenbin_targets::counters::{self, Ports};

use crate::target::live::LiveTarget;

/// A period of load on one target, in seconds after the start of the first period.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stretch {
    start: f64,
    length: f64,
    /// Number of connections closed in the period.
    closed: f64,
}

/// Returns a sentence for each target to which more connections are closed during one TIME_WAIT
/// period than local ports exist. Covers only loads with a known rate: the rate of a closed loop is
/// unknown before the run.
pub(crate) fn forecast(plan: &Plan, turns: &[Turn], live_targets: &[LiveTarget]) -> Vec<Sentence> {
    let waiting = counters::time_wait().unwrap_or(0);
    let of_target = |(at, live): (usize, &LiveTarget)| {
        let ports = Ports::to(live.running.is_here())?;
        let hosts = live.running.route.hosts.iter();
        let addresses: BTreeSet<String> = hosts
            .flat_map(|host| &host.addresses)
            .map(ToString::to_string)
            .collect();
        let taken = most_within(&stretches(plan, turns, at), ports.held.as_secs_f64());
        sentence(
            &live.running.name,
            taken,
            ports,
            addresses.len() as u64,
            waiting,
        )
    };
    live_targets
        .iter()
        .enumerate()
        .filter_map(of_target)
        .collect()
}

/// Returns the warning if local ports can run out. A port is occupied per server address: with
/// several addresses, each port can be used once for each address.
fn sentence(
    target: &str,
    taken: f64,
    ports: Ports,
    addresses: u64,
    waiting: u64,
) -> Option<Sentence> {
    let there = ports.count * addresses.max(1);
    let held = ports.held.as_secs();
    // A target whose connections stay open occupies no port in TIME_WAIT, even if other connections
    // hold ports.
    (taken >= 1.0 && taken + waiting as f64 > there as f64).then(|| {
        sentence!(
            "ports-may-run-out",
            "target \"{target}\": local ports may run out. Without keep-alive, up to {taken} \
             connections are closed within {held} s, and each keeps its port in TIME_WAIT for \
             that time unless the server closes it first; there are {ports} ports, and \
             {waiting} connections are already in TIME_WAIT. Use keep-alive, a lower rate, more \
             server addresses, or a wider net.ipv4.ip_local_port_range",
            target,
            taken = format!("{taken:.0}"),
            held,
            ports = there,
            waiting
        )
    })
}

/// The periods of load on one target in which connections are closed.
fn stretches(plan: &Plan, turns: &[Turn], target: usize) -> Vec<Stretch> {
    let (mut now, mut found) = (0.0, Vec::new());
    let window = plan.rounds.slice.as_secs_f64();
    for turn in turns {
        let work = &plan.workloads[turn.workload];
        let length = work.lead(&plan.rounds).as_secs_f64() + window;
        let due = work.load.pace.due_within(window);
        if let Some(due) = due.filter(|_| turn.target == target && !work.load.keep_alive) {
            let most = work.load.requests.map_or(f64::INFINITY, |most| most as f64);
            found.push(Stretch {
                start: now,
                length,
                closed: (due * length / window).min(most),
            });
        }
        now += length + plan.rounds.gap.as_secs_f64();
    }
    found
}

/// The largest number of connections closed within any `held` seconds.
fn most_within(stretches: &[Stretch], held: f64) -> f64 {
    let closed_between = |from: f64, to: f64| -> f64 {
        let shares = stretches.iter().map(|stretch| {
            let end = stretch.start + stretch.length;
            let common = (end.min(to) - stretch.start.max(from)).max(0.0);
            stretch.closed * common / stretch.length
        });
        shares.sum()
    };
    // The rate is constant within a period, so the interval with the most closed connections begins
    // or ends at the edge of a period.
    let edges = stretches.iter().flat_map(|stretch| {
        let end = stretch.start + stretch.length;
        [
            closed_between(stretch.start, stretch.start + held),
            closed_between(end - held, end),
        ]
    });
    edges.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use tenbin_plan::{Context, Draft, schedule};

    use super::*;

    const OUTSIDE: Ports = Ports {
        count: 28_232,
        held: Duration::from_secs(60),
    };

    #[test]
    fn slices_within_a_minute_are_summed_and_pauses_are_not() {
        let slice = |start, closed| Stretch {
            start,
            length: 10.0,
            closed,
        };
        assert_eq!(most_within(&[], 60.0), 0.0);
        assert_eq!(most_within(&[slice(0.0, 500.0)], 60.0), 500.0);
        assert_eq!(most_within(&[slice(0.0, 500.0)], 1.0), 50.0);
        let three = [slice(0.0, 500.0), slice(30.0, 700.0), slice(75.0, 100.0)];
        assert_eq!(most_within(&three, 60.0), 1_200.0);
        assert_eq!(most_within(&three, 20.0), 700.0);
    }

    #[test]
    fn the_sentence_has_the_figures() {
        let told = sentence("a", 28_000.0, OUTSIDE, 1, 233).unwrap();
        assert!(told.text().contains("up to 28000 connections"), "{told}");
        assert!(told.text().contains("28232 ports, and 233 "), "{told}");
        assert_eq!(sentence("a", 28_000.0, OUTSIDE, 1, 232), None);
        assert_eq!(
            sentence("a", 50_000.0, OUTSIDE, 2, 0),
            None,
            "two addresses"
        );
        assert_eq!(
            sentence("a", 0.0, OUTSIDE, 1, 44_935),
            None,
            "it closes none"
        );
    }

    fn plan(load: &str) -> Plan {
        let text = format!(
            "[rounds]\ncount = 2\nslice = \"10s\"\nlead = \"0s\"\ngap = \"1s\"\n[load]\n{load}\n\
             [[target]]\nname = \"a\"\nbuiltin = \"http\"\n\
             [[target]]\nname = \"b\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n"
        );
        let draft = Draft::from_toml(&text, Path::new("plan.toml")).unwrap();
        let mut world = Context::of_this_process().unwrap();
        draft.resolve(&mut world).unwrap()
    }

    #[test]
    fn only_a_known_rate_without_keep_alive_is_forecast() {
        let closed = |load| {
            let plan = plan(load);
            let found = stretches(&plan, &schedule(&plan), 0);
            found.iter().map(|stretch| stretch.closed).sum::<f64>()
        };
        assert_eq!(closed("rate = 800\nkeep_alive = false"), 16_000.0);
        assert_eq!(closed("rate = 800"), 0.0);
        assert_eq!(closed("keep_alive = false"), 0.0, "a closed loop");
    }
}
