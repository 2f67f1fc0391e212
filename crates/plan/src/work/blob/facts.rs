//! Implements [`Facts`] and [`Protocol`] for blob workloads.

use super::{BlobWork, LARGEST_PUT, Phase, TRAITS};
use crate::choose::{ByteRange, Choose};
use crate::keys::page::Page;
use crate::plan::found::Found;
use crate::store::Store;
use crate::target::{Builtin, Reach, Target};
use crate::units::percent::percent;
use crate::units::size::Size;
use crate::units::sizes::Sizes;
use crate::work::{Facts, LaidOut, Operation, Protocol, Traits, WhenRefused, WorkloadKind};
use crate::{Sentence, sentence};

impl Facts for BlobWork {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let operation = |phase: Phase, share: f64| Operation {
            name: phase.name(),
            interface: phase.name(),
            share,
            stores: phase == Phase::Put,
        };
        match self.phase {
            Phase::Mixed(shares) => {
                let each = shares.each();
                each.map(|(phase, share)| operation(phase, share.into()))
                    .collect()
            }
            phase => vec![operation(phase, 1.0)],
        }
    }

    fn describe(&self) -> String {
        let doing = match (self.phase, self.range) {
            (Phase::Put, _) => "blobs put".to_owned(),
            (Phase::Get, None) => "blobs read".to_owned(),
            (Phase::Get, Some(ByteRange::Random { length })) => {
                format!("{} of each blob read, at a random offset", Size(length))
            }
            (Phase::Get, Some(ByteRange::Fixed { first, last })) => {
                format!("bytes {first} to {last} of each blob read")
            }
            (Phase::Delete, _) => "blobs deleted".to_owned(),
            (Phase::Mixed(shares), range) => {
                let all: f64 = shares.each().map(|(_, share)| f64::from(share)).sum();
                let each = shares.each().map(|(phase, share)| {
                    let share = percent(f64::from(share) / all);
                    format!("{} {share}", phase.name())
                });
                let range = range.map_or_else(String::new, |range| format!(" of range {range}"));
                format!("blobs: {}{range}", each.collect::<Vec<_>>().join(", "))
            }
        };
        format!("{doing}, {}", self.sizes)
    }

    fn when_refused(&self) -> WhenRefused {
        WhenRefused::Store
    }

    fn sizes(&self) -> Option<&Sizes> {
        Some(&self.sizes)
    }

    fn allowed_failures(&self) -> Option<u64> {
        self.errors
    }

    fn objects(&self) -> Option<u64> {
        self.objects
    }

    fn objects_per_request(&self) -> u64 {
        self.batch.into()
    }

    fn keeps_data(&self) -> bool {
        self.locations.is_some()
    }

    fn laid_out(&self) -> Option<LaidOut> {
        let reads = self.phase.includes(Phase::Get);
        let objects = self.objects.filter(|_| self.is_mix() && reads)?;
        Some(LaidOut {
            objects,
            bytes: (objects as f64 * self.sizes.mean()) as u64,
            again: false,
            shared: Some(format!(
                "{:?}, {:?}: {objects} of {}",
                self.locations, self.prefix, self.sizes
            )),
        })
    }

    /// True for phases: blobs that a phase stores or uses during a settling time would be missing
    /// from the figures.
    fn uses_up(&self) -> bool {
        !self.is_mix()
    }

    fn has_sequence(&self) -> bool {
        self.phase == Phase::Get
    }

    fn observing_connections(&self) -> usize {
        if self.until_gone {
            self.poll_connections
        } else {
            0
        }
    }

    fn phase(&self) -> Option<&'static str> {
        (!self.is_mix()).then(|| self.phase.name())
    }

    fn stands_alone(&self) -> bool {
        match self.phase {
            Phase::Put | Phase::Mixed(_) => true,
            Phase::Get => self.choose == Choose::Sequential,
            Phase::Delete => false,
        }
    }

    fn needs_one_machine(&self) -> bool {
        self.is_mix()
    }

    fn needs_s3(&self, store: Store) -> bool {
        store == Store::S3
    }

    fn is_for_blob_stores(&self) -> bool {
        true
    }
}

impl BlobWork {
    /// Whether operations are sent at the same time, by shares.
    fn is_mix(&self) -> bool {
        matches!(self.phase, Phase::Mixed(_))
    }
}

impl Protocol for BlobWork {
    fn default_name(&self) -> String {
        let phase = match self.phase {
            Phase::Mixed(shares) => shares.in_name(),
            phase => phase.name().to_owned(),
        };
        match (self.range.map(ByteRange::in_name), self.sizes.in_name()) {
            (Some(range), Some(size)) => format!("{phase}-{range}-of-{size}"),
            (Some(part), None) | (None, Some(part)) => format!("{phase}-{part}"),
            (None, None) => phase,
        }
    }

    fn print(&self, page: &mut Page) {
        self.print_keys(page);
    }

    fn usual(&self) -> Option<WorkloadKind> {
        Some(WorkloadKind::Blob(Self {
            sizes: self.sizes.clone(),
            objects: self.objects.filter(|_| self.is_mix()),
            ..Self::new(self.phase, 0)
        }))
    }

    fn misfits(&self, workload: &str, targets: &[Target]) -> Vec<(&'static str, Sentence)> {
        let (least, _) = self.sizes.extremes();
        let refuses = |target: &&Target| {
            let stores = !matches!(
                target.reach,
                Reach::Files(_) | Reach::Builtin(Builtin::Dummy)
            );
            stores && target.reach.store(target.store) == Store::Blobstore
        };
        let refuses = targets.iter().find(refuses).filter(|_| least == 0);
        let empty = refuses.map(|target| {
            sentence!(
                "blob-empty",
                "workload {workload:?} has blobs of 0 bytes, and target {name:?} has the protocol \
                 of CubeFS's access layer, which refuses them; use a size of at least 1 byte",
                workload,
                name = target.name
            )
        });
        empty.map(|why| ("size", why)).into_iter().collect()
    }

    fn refuses(&self, found: Found) -> Option<Sentence> {
        let range = self.range.filter(|range| range.needs() > found.least)?;
        Some(sentence!(
            "range-beyond-stored",
            "range {range} extends beyond the end of the smallest stored blob ({size}); use a \
             shorter range (with blobstore-bench, a smaller -s)",
            range,
            size = Size(found.least)
        ))
    }

    fn settle(&mut self, found: Found) -> bool {
        // A plan with a range beyond the blobs cannot be read again.
        let can_be_said = found.most <= LARGEST_PUT && self.refuses(found).is_none();
        if can_be_said {
            self.sizes = found.sizes();
        }
        can_be_said
    }
}
