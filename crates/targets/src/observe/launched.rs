//! Source for launched targets: all descendants of the guards (parents of launched commands).

use super::processes::{Observer, Root};
use super::{Kind, Lost, Source, Subject};
use crate::usage::{Detail, Usage};

pub(super) struct Launched;

impl Kind for Launched {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        if subject.observe.is_some() || subject.guards.is_empty() {
            return None;
        }
        let guards = subject.guards.iter();
        let trees = guards.map(|guard| Observer::new(Root::Guard(*guard)));
        Some(Ok(Box::new(Trees(trees.collect()))))
    }
}

/// Observers of the process trees, one per node.
#[derive(Debug)]
struct Trees(Vec<Observer>);

impl Source for Trees {
    fn read(&mut self, detail: Detail) -> Result<Usage, Lost> {
        let mut each = self.0.iter_mut().map(|tree| tree.usage(detail));
        let first = each.next().flatten().ok_or(Lost::Ended)?;
        each.try_fold(first, |sum, usage| Some(sum_of_nodes(sum, usage?)))
            .ok_or(Lost::Ended)
    }

    fn is_here(&self) -> bool {
        true
    }

    fn members(&self) -> Vec<i32> {
        self.0.iter().flat_map(Observer::members).collect()
    }
}

/// Combines the figures of two nodes: the larger value for the busiest process and thread, the sum
/// for all other figures. A figure that is unknown for one node stays unknown. Control groups are
/// not added, because one group can contain the other.
fn sum_of_nodes(one: Usage, other: Usage) -> Usage {
    fn sum<T: std::ops::Add<Output = T>>(one: Option<T>, other: Option<T>) -> Option<T> {
        Some(one? + other?)
    }
    let most = |one: Option<f64>, other: Option<f64>| Some(one?.max(other?));
    Usage {
        at: other.at,
        epoch: one.epoch,
        scope: one.scope,
        cpu_seconds: sum(one.cpu_seconds, other.cpu_seconds),
        rss_bytes: sum(one.rss_bytes, other.rss_bytes),
        read_bytes: sum(one.read_bytes, other.read_bytes),
        written_bytes: sum(one.written_bytes, other.written_bytes),
        voluntary_switches: sum(one.voluntary_switches, other.voluntary_switches),
        involuntary_switches: sum(one.involuntary_switches, other.involuntary_switches),
        busiest_process: most(one.busiest_process, other.busiest_process),
        busiest_thread: most(one.busiest_thread, other.busiest_thread),
        waited_for_core: sum(one.waited_for_core, other.waited_for_core),
        group: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_of_nodes_is_summed_and_partial_sums_are_unknown() {
        let of = |cpu, rss_bytes| Usage {
            at: 5.0,
            cpu_seconds: Some(cpu),
            rss_bytes,
            ..Usage::default()
        };
        let sum = sum_of_nodes(of(1.5, Some(10)), of(0.25, None));
        assert_eq!((sum.cpu_seconds, sum.rss_bytes), (Some(1.75), None));
    }
}
