//! The limit of connections × depth × hosts.

use crate::plan::workload::Workload;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::target::Target;
use crate::{Sentence, sentence};

/// Maximum of connections × depth × hosts on a target. Each possible request in flight takes memory
/// even while it is unused; a larger number is taken for a typing error.
const MOST_OUT: usize = 100_000;

/// Reports each workload that could have too many requests in flight on a target: connections,
/// depth and hosts are each correct, and their product is too large.
pub(super) fn check(resolver: &mut Resolver<'_>, workloads: &[Workload], targets: &[Target]) {
    let Some((target, hosts)) = targets
        .iter()
        .map(|target| (target, target.host_count()))
        .max_by_key(|&(_, hosts)| hosts)
    else {
        return;
    };
    for Workload { name, load, .. } in workloads {
        let (connections, depth) = (load.connections, load.depth);
        let out = connections.saturating_mul(depth).saturating_mul(hosts);
        if out <= MOST_OUT {
            continue;
        }
        let of_hosts = match hosts {
            ..=1 => Sentence::default(),
            _ => sentence!(
                "connections-of-hosts",
                " to each of the {hosts} hosts of target {target:?}",
                hosts,
                target = target.name
            ),
        };
        let of_depth = match depth {
            ..=1 => Sentence::default(),
            _ => sentence!("connections-deep", ", {depth} requests deep,", depth),
        };
        let factors = sentence!(
            "connections-times",
            "{connections} connections{hosts}{depth}",
            connections,
            hosts = of_hosts,
            depth = of_depth
        );
        resolver.refuse(
            Place::Nowhere,
            sentence!(
                "too-many-in-flight",
                "workload {name:?}: {factors} could have {out} requests in flight, and the most \
                 is {most_out}; lower connections or depth",
                name,
                out,
                most_out = MOST_OUT,
                factors
            ),
        );
    }
}
