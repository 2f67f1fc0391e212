//! Stages of an S3 workload that clean up by prefix, and the stage that probes an operation.

use std::sync::Arc;

use tenbin_plan::s3::Feature;
use tenbin_plan::{DataSet, sentence};

use crate::prepared::Stage;
use crate::s3::actions;
use crate::s3::cleanup::sweep::{Sweep, SweepScope};
use crate::s3::prepared::{CLEANUP_CONNECTIONS, Created, PreparedS3, SetUpStep};
use crate::s3::setup::check::Requirement;
use crate::s3::setup::probe::Probing;

impl PreparedS3 {
    /// Kinds of entries that must be deleted by prefix; `None` if objects are deleted by number.
    pub(crate) fn scope(&self) -> Option<SweepScope> {
        if self.work.data != DataSet::Fresh {
            return None;
        }
        match Requirement::of(&self.work) {
            Requirement::Locks => Some(SweepScope::Locked),
            Requirement::Versions => Some(SweepScope::Versions),
            Requirement::Objects => {
                let swept =
                    self.work.mix.any(Feature::Entries) || self.created == Created::Unnumbered;
                swept.then_some(SweepScope::Objects)
            }
        }
    }

    /// The stage that deletes everything of kind `scope` below the prefix, and then `buckets`.
    pub(crate) fn sweep(&mut self, scope: SweepScope, buckets: Vec<usize>) -> Stage {
        let sweep = Sweep::new(
            Arc::clone(&self.place),
            self.writer(),
            scope,
            buckets,
            Arc::clone(&self.remains),
        );
        Stage {
            what: sentence!(
                "deleting-under",
                "deleting everything under {prefix}",
                prefix = self.place.prefix
            ),
            total: None,
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        }
    }

    /// The stage that lists which of `objects` still exist after their deletion, deletes these
    /// objects again, and then deletes `buckets`.
    pub(crate) fn recheck(&mut self, objects: Vec<u64>, buckets: Vec<usize>) -> Stage {
        let only_buckets = objects.is_empty();
        let sweep = Sweep::new(
            Arc::clone(&self.place),
            self.writer(),
            SweepScope::Objects,
            buckets,
            Arc::clone(&self.remains),
        )
        .only(objects.into());
        Stage {
            what: if only_buckets {
                sentence!("deleting", "deleting {what}", what = self.buckets())
                    .with_part("what", [self.buckets()])
            } else {
                sentence!(
                    "listing-left",
                    "listing what is left under {prefix}",
                    prefix = self.place.prefix
                )
            },
            total: None,
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(sweep)],
            must_succeed: false,
            host: None,
        }
    }

    /// The stage that probes the next operation that the server may not support; `None` after the
    /// last operation.
    pub(crate) fn probe(&mut self) -> Option<Stage> {
        let SetUpStep::Probe(operations) = &mut self.set_up else {
            return None;
        };
        let (operation, probe) = operations.pop()?;
        self.created.add_own();
        let mut setting = self.setting(0, 1);
        setting.probing = true;
        let action = actions::action(operation, &mut setting);
        let worker = Probing::new(self.alone(action), probe);
        Some(Stage {
            what: sentence!(
                "checking-support",
                "checking support for {feature}",
                feature = probe.what
            ),
            total: Some(probe.requests.into()),
            connections: 1,
            workers: vec![Box::new(worker)],
            must_succeed: true,
            host: None,
        })
    }
}
