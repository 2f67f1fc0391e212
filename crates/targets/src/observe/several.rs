//! Source that sums several sources of one target, including pages of other machines.

use tenbin_plan::Observe;

use super::{EndedProcess, Kind, Lost, SOURCES, Source, Subject};
use crate::usage::{Detail, Scope, Usage};

pub(super) struct Several;

impl Kind for Several {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        let Some(Observe::Several(all)) = subject.observe else {
            return None;
        };
        // One source covers all local processes, so that no process counts twice.
        let (here, pages): (Vec<Observe>, Vec<Observe>) = all
            .iter()
            .cloned()
            .partition(|one| matches!(one, Observe::Processes(_)));
        if pages.is_empty() {
            return None;
        }
        let here = (!here.is_empty()).then_some(Observe::Several(here));
        let parts = here.into_iter().chain(pages).map(|part| {
            let subject = Subject {
                observe: Some(&part),
                ..*subject
            };
            let mut sources = SOURCES.iter();
            let opened = sources.find_map(|kind| kind.open(&subject));
            opened.unwrap_or_else(|| Err("no source has figures for it".to_owned()))
        });
        let parts: Result<Vec<_>, String> = parts.collect();
        Some(parts.map(|parts| Box::new(Sum(parts)) as Box<dyn Source>))
    }
}

#[derive(Debug)]
struct Sum(Vec<Box<dyn Source>>);

impl Source for Sum {
    fn read(&mut self, detail: Detail) -> Result<Usage, Lost> {
        let parts = self.0.iter_mut().map(|part| part.read(detail));
        let parts: Vec<Usage> = parts.collect::<Result<_, _>>()?;
        Ok(sum(&parts))
    }

    fn is_here(&self) -> bool {
        self.0.iter().all(|part| part.is_here())
    }

    fn members(&self) -> Vec<i32> {
        self.0.iter().flat_map(|part| part.members()).collect()
    }

    fn take_ended(&mut self) -> Vec<EndedProcess> {
        let parts = self.0.iter_mut();
        parts.flat_map(|part| part.take_ended()).collect()
    }
}

/// Combines all sources: the largest value for the busiest process and thread, the sum for all
/// other figures. A figure that one source lacks is unknown.
fn sum(parts: &[Usage]) -> Usage {
    let seconds = |of: fn(&Usage) -> Option<f64>| parts.iter().map(of).sum::<Option<f64>>();
    let count = |of: fn(&Usage) -> Option<u64>| parts.iter().map(of).sum::<Option<u64>>();
    let most = |of: fn(&Usage) -> Option<f64>| {
        let each: Option<Vec<f64>> = parts.iter().map(of).collect();
        each?.into_iter().reduce(f64::max)
    };
    let is_host = parts.iter().any(|part| part.scope == Scope::Host);
    Usage {
        // Sources have separate clocks. The difference of the means is the mean of the differences.
        at: parts.iter().map(|part| part.at).sum::<f64>() / parts.len().max(1) as f64,
        // Changes as soon as one source restarts from 0.
        epoch: parts.iter().fold(0, |all: u64, part| {
            all.wrapping_mul(31).wrapping_add(part.epoch)
        }),
        scope: if is_host {
            Scope::Host
        } else {
            Scope::Processes
        },
        cpu_seconds: seconds(|part| part.cpu_seconds),
        rss_bytes: count(|part| part.rss_bytes),
        read_bytes: count(|part| part.read_bytes),
        written_bytes: count(|part| part.written_bytes),
        voluntary_switches: count(|part| part.voluntary_switches),
        involuntary_switches: count(|part| part.involuntary_switches),
        busiest_process: most(|part| part.busiest_process),
        busiest_thread: most(|part| part.busiest_thread),
        waited_for_core: seconds(|part| part.waited_for_core),
        // The sources have separate control groups, which cannot be added.
        group: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Of(Vec<i32>);

    impl Source for Of {
        fn read(&mut self, _: Detail) -> Result<Usage, Lost> {
            Ok(Usage::default())
        }

        fn is_here(&self) -> bool {
            true
        }

        fn members(&self) -> Vec<i32> {
            self.0.clone()
        }
    }

    #[test]
    fn the_processes_of_all_sources_are_members() {
        let sum = Sum(vec![Box::new(Of(vec![7, 8])), Box::new(Of(vec![9]))]);
        assert_eq!(sum.members(), [7, 8, 9]);
    }

    #[test]
    fn a_figure_that_one_source_lacks_is_unknown() {
        let one = Usage {
            at: 10.0,
            epoch: 1,
            cpu_seconds: Some(1.5),
            rss_bytes: Some(100),
            ..Usage::default()
        };
        let other = Usage {
            at: 20.0,
            epoch: 2,
            cpu_seconds: Some(0.5),
            rss_bytes: None,
            ..Usage::default()
        };
        let both = sum(&[one, other]);
        assert_eq!((both.at, both.cpu_seconds), (15.0, Some(2.0)));
        assert_eq!(both.rss_bytes, None);
        let restarted = Usage { epoch: 3, ..other };
        assert_ne!(sum(&[one, restarted]).epoch, both.epoch);
        let host = Usage {
            scope: Scope::Host,
            ..other
        };
        assert_eq!(sum(&[one, host]).scope, Scope::Host);
    }
}
