//! The tables of keys of all sections.

use crate::draft::{
    AgentsDraft, CompareDraft, CorpusDraft, Draft, GateDraft, LoadDraft, ObserveDraft, OutputDraft,
    RoundsDraft, WorkloadDraft,
};
use crate::keys::row::{Key, Section as _};
use crate::target::{ReadyDraft, TargetDraft, TlsDraft};
use crate::work::PROTOCOLS;

/// The keys of all sections.
pub fn all_keys() -> impl Iterator<Item = &'static Key> {
    let sections = [
        Draft::KEYS,
        CompareDraft::KEYS,
        RoundsDraft::KEYS,
        LoadDraft::KEYS,
        OutputDraft::KEYS,
        AgentsDraft::KEYS,
        CorpusDraft::KEYS,
        GateDraft::KEYS,
        TargetDraft::KEYS,
        ReadyDraft::KEYS,
        TlsDraft::KEYS,
        ObserveDraft::KEYS,
        WorkloadDraft::KEYS,
    ];
    let protocols = PROTOCOLS.iter().map(|entry| entry.keys);
    sections.into_iter().chain(protocols).flatten()
}
