//! The tables of keys of all sections.

use crate::draft::{
    AgentsDraft, CompareDraft, CorpusDraft, Draft, GateDraft, LoadDraft, ObserveDraft, OutputDraft,
    RoundsDraft, WorkloadDraft,
};
use crate::keys::row::{Key, Section as _};
use crate::target::{ReadyDraft, TargetDraft, TlsDraft};
use crate::work::PROTOCOLS;

/// The tables at the top of a plan, except the lists of targets and workloads, with their keys.
pub(crate) const TABLES: &[(&str, &[Key])] = &[
    ("compare", CompareDraft::KEYS),
    ("rounds", RoundsDraft::KEYS),
    ("load", LoadDraft::KEYS),
    ("output", OutputDraft::KEYS),
    ("agents", AgentsDraft::KEYS),
    ("corpus", CorpusDraft::KEYS),
    ("gate", GateDraft::KEYS),
];

/// The tables in a target, with their keys.
pub(crate) const OF_TARGETS: &[(&str, &[Key])] = &[
    ("ready", ReadyDraft::KEYS),
    ("tls", TlsDraft::KEYS),
    ("observe", ObserveDraft::KEYS),
];

/// The keys of all sections.
pub fn all_keys() -> impl Iterator<Item = &'static Key> {
    let keys = |tables: &'static [(&str, &[Key])]| tables.iter().map(|(_, keys)| *keys);
    let protocols = PROTOCOLS.iter().map(|entry| entry.keys);
    [Draft::KEYS]
        .into_iter()
        .chain(keys(TABLES))
        .chain([TargetDraft::KEYS])
        .chain(keys(OF_TARGETS))
        .chain([WorkloadDraft::KEYS])
        .chain(protocols)
        .flatten()
}
