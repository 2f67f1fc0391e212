//! What a workload leaves that the numbers of its objects do not tell, and the trial
//! requests before it.

use std::sync::Arc;

use tenbin_plan::{DataSet, S3Operation};

use crate::kind::Stage;
use crate::s3::action::kind_of;
use crate::s3::cleanup::sweep::{Sweep, SweepScope};
use crate::s3::prepared::{PreparedS3, TIDYING};
use crate::s3::setup::check::Keeping;
use crate::s3::setup::probe::Probing;

impl PreparedS3 {
    /// What has to be swept up by its prefix.
    pub(crate) fn scope(&self) -> Option<SweepScope> {
        if self.work.data != DataSet::Fresh {
            return None;
        }
        use S3Operation::{FanOut, Snowball, ZipGet, ZipList};
        let by_prefix = [Snowball, ZipGet, ZipList, FanOut];
        match Keeping::of(&self.work) {
            Keeping::Locks => Some(SweepScope::Locked),
            Keeping::Versions => Some(SweepScope::Versions),
            Keeping::Objects => {
                let mix = &self.work.mix;
                let swept = by_prefix.iter().any(|&operation| mix.has(operation));
                let swept = swept || self.inherited;
                swept.then_some(SweepScope::Objects)
            }
        }
    }

    /// Deletes all of it, and the buckets named.
    pub(crate) fn sweep(&mut self, scope: SweepScope, buckets: Vec<usize>) -> Stage {
        let sweep = Sweep::new(
            Arc::clone(&self.place),
            self.writer(),
            scope,
            buckets,
            Arc::clone(&self.remains),
            Arc::clone(&self.unknown),
        );
        Stage {
            what: format!("deleting everything under {}", self.place.prefix),
            total: None,
            connections: TIDYING,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        }
    }

    /// Lists what is left of these objects, whose deletion was tried, tries it once more, and
    /// deletes the buckets named.
    pub(crate) fn look_after(&mut self, objects: Vec<u64>, buckets: Vec<usize>) -> Stage {
        let only_buckets = objects.is_empty();
        let sweep = Sweep::new(
            Arc::clone(&self.place),
            self.writer(),
            SweepScope::Objects,
            buckets,
            Arc::clone(&self.remains),
            Arc::clone(&self.unknown),
        )
        .only(objects.into());
        Stage {
            what: match only_buckets {
                true => format!("deleting {}", self.buckets()),
                false => format!("listing what is left under {}", self.place.prefix),
            },
            total: None,
            connections: TIDYING,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        }
    }

    /// Tries the next operation that the server may lack.
    pub(crate) fn probe(&mut self) -> Option<Stage> {
        let (operation, probe) = self.probes.pop()?;
        let kind = kind_of(operation)?;
        self.touched = true;
        let mut setting = self.setting(0, 1);
        setting.probing = true;
        let action = (kind.make)(&mut setting);
        let worker = Probing::new(self.alone(action), probe);
        Some(Stage {
            what: format!("trying {}", probe.what),
            total: Some(probe.requests.into()),
            connections: 1,
            workers: vec![Box::new(worker)],
            must_succeed: true,
            host: None,
        })
    }
}
