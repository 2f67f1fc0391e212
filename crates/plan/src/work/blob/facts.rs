//! Implements [`Facts`] and [`Protocol`] for blob workloads.

use super::{BlobWork, LARGEST_PUT, Phase, TRAITS};
use crate::keys::page::Page;
use crate::plan::found::Found;
use crate::store::Store;
use crate::units::sizes::Sizes;
use crate::work::{Facts, Operation, Protocol, Traits, WhenRefused, WorkloadKind};

impl Facts for BlobWork {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        vec![Operation {
            name: self.phase.name(),
            interface: self.phase.name(),
            share: 1.0,
            stores: self.phase == Phase::Put,
        }]
    }

    fn describe(&self) -> String {
        let doing = match self.phase {
            Phase::Put => "blobs put",
            Phase::Get => "blobs read",
            Phase::Delete => "blobs deleted",
        };
        format!("{doing}, {}", self.sizes)
    }

    fn when_refused(&self) -> WhenRefused {
        WhenRefused::Store
    }

    fn sizes(&self) -> Option<&Sizes> {
        Some(&self.sizes)
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

    /// True for all phases: blobs that a phase stores or uses during a settling time would be
    /// missing from the figures.
    fn uses_up(&self) -> bool {
        true
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
        Some(self.phase.name())
    }

    fn needs_s3(&self, store: Store) -> bool {
        store == Store::S3
    }

    fn is_for_blob_stores(&self) -> bool {
        true
    }
}

impl Protocol for BlobWork {
    fn default_name(&self) -> String {
        let phase = self.phase.name();
        match self.sizes.in_name() {
            Some(name) => format!("{phase}-{name}"),
            None => phase.to_owned(),
        }
    }

    fn print(&self, page: &mut Page) {
        self.print_keys(page);
    }

    fn usual(&self) -> Option<WorkloadKind> {
        Some(WorkloadKind::Blob(Self {
            sizes: self.sizes.clone(),
            ..Self::new(self.phase, 0)
        }))
    }

    fn settle(&mut self, found: Found) -> bool {
        let can_be_said = found.most <= LARGEST_PUT;
        if can_be_said {
            self.sizes = found.sizes();
        }
        can_be_said
    }
}
