//! Implements [`Facts`] and [`Protocol`] for S3 workloads.

use super::{DataSet, Encryption, Feature, ListForm, Payload, S3Operation, S3Work, TRAITS};
use crate::choose::{ByteRange, Choose};
use crate::keys::page::Page;
use crate::plan::found::Found;
use crate::store::Store;
use crate::target::{Reach, Signature, Target};
use crate::units::digits::{grouped, size};
use crate::units::percent::percent;
use crate::units::size::Size;
use crate::units::sizes::{LARGEST_OBJECT, Sizes};
use crate::work::{
    Direction, Facts, LaidOut, Operation, Protocol, SentTo, Traits, Transfer, WhenRefused,
    WorkloadKind,
};
use crate::{Sentence, sentence};

impl Facts for S3Work {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let shares = self.mix.shares().iter();
        shares
            .map(|&(operation, share)| Operation {
                name: operation.name(),
                interface: interface(operation, self.list),
                share,
                stores: operation.stores(),
            })
            .collect()
    }

    fn describe(&self) -> String {
        let name = |operation: S3Operation| operation.name().to_uppercase();
        let operations = match self.mix.single() {
            Some(only) => name(only),
            None => {
                let all: f64 = self.mix.shares().iter().map(|(_, share)| share).sum();
                let shares = self.mix.shares().iter().map(|&(operation, share)| {
                    format!("{} {}", name(operation), percent(share / all))
                });
                shares.collect::<Vec<_>>().join(", ")
            }
        };
        let sizes = match self.sizes.only() {
            Some(only) => size(only),
            None => format!("sizes {}", self.sizes),
        };
        let verified = match (self.mix.operations().any(S3Operation::reads), self.verify) {
            (true, true) => ", every byte verified",
            (true, false) => ", content not verified",
            _ => "",
        };
        let objects = grouped(self.objects);
        let s = if self.objects == 1 { "" } else { "s" };
        format!("S3 {operations} of {sizes}, {objects} object{s}{verified}")
    }

    fn when_refused(&self) -> WhenRefused {
        WhenRefused::Bucket
    }

    fn sizes(&self) -> Option<&Sizes> {
        Some(&self.sizes)
    }

    fn objects(&self) -> Option<u64> {
        Some(self.objects)
    }

    fn part_bytes(&self) -> Option<u64> {
        self.mix.any(Feature::Parts).then_some(self.part_size)
    }

    fn objects_per_request(&self) -> u64 {
        let objects = match self.mix.single() {
            Some(operation) if operation.has(Feature::Batch) => self.batch,
            Some(operation) if operation.has(Feature::Entries) && operation.stores() => {
                self.entries
            }
            _ => 1,
        };
        objects.into()
    }

    fn transfer(&self) -> Option<Transfer> {
        if self.range.is_some() {
            return None;
        }
        let direction = match self.mix.single()? {
            S3Operation::Put => Direction::Write,
            S3Operation::Get => Direction::Read,
            _ => return None,
        };
        let bytes = self.sizes.only()?;
        Some(Transfer { direction, bytes })
    }

    /// With [`DataSet::Keep`], objects that an earlier run has stored are included.
    fn laid_out(&self) -> Option<LaidOut> {
        let single = self.mix.single();
        // In a mix, DELETE removes objects that PUT stored.
        let needs = |operation: S3Operation| {
            let takes_fresh = single.is_none() && operation == S3Operation::Delete;
            operation.needs_objects() && !takes_fresh
        };
        if self.data == DataSet::Existing || !self.mix.operations().any(needs) {
            return None;
        }
        let objects = self.objects.saturating_mul(self.versions.max(1).into());
        Some(LaidOut {
            objects,
            bytes: (objects as f64 * self.sizes.mean()) as u64,
            again: single.is_some_and(S3Operation::uses_up),
            shared: None,
        })
    }

    fn keeps_data(&self) -> bool {
        self.data != DataSet::Fresh
    }

    fn uses_up(&self) -> bool {
        self.mix.single().is_some_and(S3Operation::uses_up) || self.choose == Choose::Once
    }

    fn has_sequence(&self) -> bool {
        self.has_sequence()
    }

    fn retries(&self) -> u32 {
        self.retries
    }

    fn needs_s3(&self, _: Store) -> bool {
        true
    }
}

/// The name of the operation in the S3 API.
fn interface(operation: S3Operation, form: ListForm) -> &'static str {
    match form {
        ListForm::V1 if operation.has(Feature::Forms) => "ListObjects",
        ListForm::Versions if operation.has(Feature::Forms) => "ListObjectVersions",
        _ => operation.facts().interface,
    }
}

impl Protocol for S3Work {
    fn default_name(&self) -> String {
        let operations: Vec<String> = match self.mix.single() {
            Some(only) => vec![only.name().to_owned()],
            None => {
                let shares = self.mix.shares().iter();
                shares
                    .map(|(operation, share)| format!("{}{share}", operation.name()))
                    .collect()
            }
        };
        let operations = operations.join("-");
        let sizes = &self.sizes;
        match (sizes.in_name(), sizes) {
            (Some(name), _) => format!("{operations}-{name}"),
            (None, Sizes::Ranges(_)) => format!("{operations}-sizes"),
            (None, Sizes::LogNormal { median, .. }) => {
                format!("{operations}-about-{}", Size(*median))
            }
            (None, Sizes::File { .. }) => format!("{operations}-real-sizes"),
        }
    }

    fn print(&self, page: &mut Page) {
        self.print_keys(page);
    }

    fn usual(&self) -> Option<WorkloadKind> {
        let first = self.mix.shares()[0].0;
        Some(WorkloadKind::S3(Self {
            mix: self.mix.clone(),
            sizes: self.sizes.clone(),
            verify: self.mix.operations().any(S3Operation::reads),
            ..Self::new(first, 0, self.objects)
        }))
    }

    fn settle(&mut self, found: Found) -> bool {
        self.objects = found.objects.unwrap_or(self.objects);
        let is_one_size = found.least == found.most;
        let is_beyond = self.range.is_some_and(|range| match range {
            ByteRange::Fixed { last, .. } => last >= found.least,
            // Of objects with several sizes, the smaller ones are read whole.
            ByteRange::Random { length } => is_one_size && length > found.least,
        });
        let can_be_said = found.most <= LARGEST_OBJECT && !is_beyond;
        if can_be_said {
            self.sizes = found.sizes();
        }
        can_be_said
    }

    fn sent_to(&self, target: &SentTo<'_>) -> Option<WorkloadKind> {
        let is_apart = target.is_same_server && self.data == DataSet::Fresh;
        is_apart.then(|| {
            let given = self.prefix.as_deref().unwrap_or_default();
            WorkloadKind::S3(Self {
                prefix: Some(format!("{given}twin/")),
                ..self.clone()
            })
        })
    }

    fn misfits(&self, workload: &str, targets: &[Target]) -> Vec<(&'static str, Sentence)> {
        let payload = self.payload_misfit(workload, targets);
        let key = self.key_misfit(workload, targets);
        let named = [("payload", payload), ("encryption", key)];
        let found = named.into_iter();
        found.filter_map(|(rule, why)| Some((rule, why?))).collect()
    }
}

impl S3Work {
    /// Reports chunked payloads on targets without Signature Version 4, which such payloads
    /// require.
    fn payload_misfit(&self, workload: &str, targets: &[Target]) -> Option<Sentence> {
        if !matches!(self.payload, Payload::Streaming | Payload::Trailer) {
            return None;
        }
        let mut targets = targets.iter();
        let older = targets.find(|target| target.signature != Signature::V4)?;
        Some(sentence!(
            "chunks-need-v4",
            "workload {workload:?} sends its payload in chunks, which requires signature \
                version 4, but target {name:?} has signature = {signature:?}; use payload = \
                \"signed\" or \"unsigned\"",
            workload,
            name = older.name,
            signature = older.signature.name()
        ))
    }

    /// Reports SSE-C on targets without TLS: SSE-C sends a key in every request, which S3 refuses
    /// without TLS (Amazon S3 user guide, "Using server-side encryption with customer-provided
    /// keys").
    fn key_misfit(&self, workload: &str, targets: &[Target]) -> Option<Sentence> {
        if self.encryption != Encryption::SseC {
            return None;
        }
        let in_the_clear = |target: &&Target| match &target.reach {
            Reach::Endpoint { url } => {
                let hosts = target.connect.hosts.iter().map(|host| &host.url);
                hosts.chain([url]).any(|url| url.scheme() == "http")
            }
            Reach::Launched(launch) => launch.url.starts_with("http:"),
            // Built-in servers accept the key without TLS.
            Reach::Builtin(_) | Reach::Files(_) => false,
        };
        let target = targets.iter().find(in_the_clear)?;
        Some(sentence!(
            "sse-c-needs-tls",
            "workload {workload:?} has encryption = \"sse-c\", which sends a key with every \
                request and requires TLS, but the URL of target {name:?} is http://; use an \
                https URL, or encryption = \"sse-s3\"",
            workload,
            name = target.name
        ))
    }
}
