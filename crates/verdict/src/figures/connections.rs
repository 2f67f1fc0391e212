//! Statistics of connections, and the figures of each host of a target.

use std::collections::BTreeMap;

use tenbin_record::{HostFigures, Ledger, PackedHistogram, SetupFigures, Slice};
use tenbin_result::{Connections, HostResult, Resent, SetupStep};

use crate::cell::Cell;
use crate::figures::basis::Basis;

pub(crate) fn of_cell(cell: &Cell<'_>, basis: &Basis<'_>) -> Connections {
    let mut sum = Ledger::default();
    for slice in &cell.slices {
        sum += slice.ledger;
    }
    Connections {
        opened: sum.opened,
        reused: sum.reused,
        closed_by_client: sum.closed_by_client,
        closed_by_server: sum.closed_by_server,
        refused: sum.refused,
        reset: sum.reset,
        resent: Resent {
            refused_stream: sum.resent_refused,
            goaway: sum.resent_goaway,
            closed: sum.resent_closed,
        },
        streams_allowed: sum.streams_allowed,
        connect: step(cell, basis, |setup| &setup.connect),
        tls: step(cell, basis, |setup| &setup.tls),
        first_byte: step(cell, basis, |setup| &setup.first_byte),
    }
}

fn step(
    cell: &Cell<'_>,
    basis: &Basis<'_>,
    of: fn(&SetupFigures) -> &PackedHistogram,
) -> Option<SetupStep> {
    let [p50, p99] = basis.quantiles_over([0.50, 0.99], &|slice| vec![of(&slice.setup)]);
    let count = cell.slices.iter().map(|slice| of(&slice.setup).len()).sum();
    (count > 0).then_some(SetupStep { count, p50, p99 })
}

pub(crate) fn hosts_of_cell(cell: &Cell<'_>, basis: &Basis<'_>) -> Vec<HostResult> {
    let names = names_of_hosts(cell).into_iter();
    names.map(|name| of_host(cell, basis, name)).collect()
}

fn names_of_hosts<'a>(cell: &Cell<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for host in cell.slices.iter().flat_map(|slice| &slice.hosts) {
        if !names.contains(&host.name.as_str()) {
            names.push(&host.name);
        }
    }
    names
}

fn find_all<'a>(cell: &Cell<'a>, name: &str) -> impl Iterator<Item = &'a HostFigures> {
    let slices = cell.slices.iter();
    slices.filter_map(move |slice| find(slice, name))
}

/// The requests to one host of a target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostLoad<'a> {
    /// Name of the host.
    pub(crate) host: &'a str,
    /// Number of requests with any outcome, over all slices.
    pub(crate) requests: u64,
    /// Weight of the host: hosts receive requests in proportion to their weights.
    weight: u32,
}

impl<'a> HostLoad<'a> {
    /// Every host, in the order of the target; empty for a single host.
    pub(crate) fn of(cell: &Cell<'a>) -> Vec<Self> {
        let mut weights = cell.target.connect.hosts.iter().map(|host| host.weight);
        let names = names_of_hosts(cell).into_iter();
        names
            .map(|host| Self {
                host,
                requests: find_all(cell, host)
                    .map(|figures| figures.ok + figures.failed_count())
                    .sum(),
                weight: weights.next().unwrap_or(1),
            })
            .collect()
    }

    pub(crate) fn weight(&self) -> f64 {
        f64::from(self.weight)
    }

    /// Requests per unit of weight.
    pub(crate) fn by_weight(&self) -> f64 {
        self.requests as f64 / f64::from(self.weight)
    }
}

fn of_host(cell: &Cell<'_>, basis: &Basis<'_>, name: &str) -> HostResult {
    let mine = || find_all(cell, name);
    let mut errors = BTreeMap::new();
    for (class, count) in mine().flat_map(|host| &host.errors) {
        *errors.entry(class.name().to_owned()).or_default() += count;
    }
    let [p50, p99] = basis.quantiles_over([0.50, 0.99], &|slice| {
        let hosts = find(slice, name).into_iter();
        hosts.map(|host| &host.service).collect()
    });
    HostResult {
        host: name.to_owned(),
        ok: mine().map(|host| host.ok).sum(),
        failed: mine().map(HostFigures::failed_count).sum(),
        errors,
        p50,
        p99,
    }
}

fn find<'a>(slice: &'a Slice, name: &str) -> Option<&'a HostFigures> {
    slice.hosts.iter().find(|host| host.name == name)
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn steps_are_apart_and_an_absent_one_is_unknown() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.0.ledger.opened = 10;
            slice.0.ledger.reused = 990;
            slice.0.setup.connect.record_n(50_000, 10).unwrap();
            slice.0.setup.first_byte.record_n(3_000_000, 10).unwrap();
        });
        let connections = run.figures().remove(0).connections.unwrap();
        let connect = connections.connect.unwrap();
        assert_eq!((connections.opened, connections.reused), (160, 15_840));
        let p50 = connect.p50.unwrap().value;
        assert!((p50 - 0.000_05).abs() < 1e-7, "{p50}");
        assert_eq!(connect.count, 160);
        assert_eq!(connect.p99, None, "160 are too few");
        let p50 = connections.first_byte.unwrap().p50.unwrap().value;
        assert!((p50 - 0.003).abs() < 1e-5, "{p50}");
        assert_eq!(connections.tls, None);
    }

    #[test]
    fn hosts_are_told_apart_and_added_up_over_slices() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            for (name, ok, nanos) in [("one", 600, 1_000_000), ("two", 400, 4_000_000)] {
                let mut host = tenbin_record::HostFigures::new(name);
                host.ok = ok;
                host.service.record_n(nanos, ok).unwrap();
                slice.0.hosts.push(host);
            }
            slice.0.hosts[1].errors.insert(ErrorClass::Reset, 2);
        });
        let rows = run.figures();
        let [one, two] = rows[0].hosts.as_slice() else {
            panic!("two hosts");
        };
        assert_eq!((one.host.as_str(), one.ok, one.failed), ("one", 9_600, 0));
        assert_eq!((two.host.as_str(), two.ok, two.failed), ("two", 6_400, 32));
        assert_eq!(two.errors, BTreeMap::from([("reset".to_owned(), 32)]));
        let p50 = |host: &HostResult| host.p50.unwrap().value;
        assert!((p50(one) - 0.001).abs() < 1e-5);
        assert!((p50(two) - 0.004).abs() < 1e-5);
        assert!(rows[1].hosts.is_empty());
    }
}
