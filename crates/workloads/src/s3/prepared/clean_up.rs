//! The cleanup after a run: deletes what the workload has created, and reports what is left.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tenbin_plan::s3::Feature;
use tenbin_plan::{DataSet, Sentence, sentence};

use super::{CLEANUP_CONNECTIONS, CleanUpStep, Created, PreparedS3, Sender};
use crate::prepared::{CleanUp, Leftover, Reading, Stage};
use crate::s3::cleanup::deletion::Deletion;
use crate::text::grouped;

impl CleanUp for PreparedS3 {
    fn read_back(&mut self) -> Reading {
        self.reading()
    }

    fn inherit(&mut self) {
        if self.work.data == DataSet::Fresh {
            self.created = Created::Unnumbered;
            self.find_uploads();
        }
    }

    fn inherit_buckets(&mut self, buckets: &mut Vec<String>) {
        if self.created != Created::Unnumbered {
            return;
        }
        let own = self.place.buckets.iter().zip(self.buckets_made.iter());
        for (bucket, made) in own {
            let before = buckets.len();
            buckets.retain(|name| *name != bucket.name);
            made.store(buckets.len() < before, Ordering::Release);
        }
    }

    fn after_run(&mut self) -> Option<Stage> {
        let by_agents = mem::replace(&mut self.sender, Sender::Here) != Sender::Here;
        if by_agents {
            // What agents have created is known only to them: find it by listing.
            if self.work.data == DataSet::Fresh {
                self.created = Created::Unnumbered;
            }
            self.find_uploads();
        }
        if let Some(finish) = self.finish_host_check() {
            return Some(finish);
        }
        if let Some(finish) = self.finish_checksum_check() {
            return Some(finish);
        }
        match mem::replace(&mut self.clean_up, CleanUpStep::Delete) {
            CleanUpStep::AbortUploads => {
                if let Some(abort_uploads) = self.abort_uploads() {
                    return Some(abort_uploads);
                }
            }
            CleanUpStep::Delete => {}
            CleanUpStep::List(objects, buckets) => return Some(self.recheck(objects, buckets)),
        }
        let mut objects = self.marks.take_made();
        if self.work.data == DataSet::Keep {
            self.stay += objects.len() as u64;
            if self.stay + self.right > 0 || by_agents {
                return None;
            }
            objects.clear();
        }
        let made = self.buckets_made.iter().enumerate();
        let buckets: Vec<usize> = made
            .filter(|(_, made)| made.swap(false, Ordering::AcqRel))
            .map(|(bucket, _)| bucket)
            .collect();
        let scope = self.scope();
        if mem::take(&mut self.created) != Created::Nothing
            && let Some(scope) = scope
        {
            return Some(self.sweep(scope, buckets));
        }
        if objects.is_empty() {
            return (!buckets.is_empty()).then(|| self.recheck(objects, buckets));
        }
        let many = objects.len() as u64;
        let what = sentence!(
            "deleting-objects",
            "deleting {objects} object{s}",
            objects = grouped(many),
            s = if many == 1 { "" } else { "s" }
        );
        let tidy = Deletion::new(
            Arc::clone(&self.place),
            self.writer(),
            &objects,
            Arc::clone(&self.remains),
        );
        self.clean_up = CleanUpStep::List(objects, buckets);
        Some(Stage {
            what,
            total: Some(tidy.requests()),
            connections: CLEANUP_CONNECTIONS,
            workers: vec![Box::new(tidy)],
            must_succeed: false,
            host: None,
        })
    }

    fn kept(&self) -> Option<Sentence> {
        self.staying()
    }

    fn leftovers(&self) -> Vec<Leftover> {
        let listed = self.remains.remaining.leftovers(&self.place);
        let mut left = listed.unwrap_or_else(|| self.undeleted().into_iter().collect());
        left.extend(self.unfinished().map(Leftover::from));
        left.extend(self.checksum_leftover());
        left
    }

    fn removed(&self) -> Vec<Sentence> {
        self.remains.remaining.removed(&self.place)
    }

    fn buckets_made(&self) -> Vec<String> {
        let made = self.buckets_made.iter().zip(&self.place.buckets);
        made.filter(|(made, _)| made.load(Ordering::Acquire))
            .map(|(_, bucket)| bucket.name.clone())
            .collect()
    }
}

impl PreparedS3 {
    /// Lists the uploads of every object at the end of the run, if the workload creates uploads.
    fn find_uploads(&mut self) {
        if self.work.mix.any(Feature::Parts) {
            (0..self.work.objects).for_each(|object| {
                self.unfinished.begin(object);
            });
        }
    }

    /// Objects that could not be deleted, according to the responses; a listing is more reliable.
    fn undeleted(&self) -> Option<Leftover> {
        let objects = self.remains.objects.load(Ordering::Acquire);
        (objects > 0).then(|| Leftover {
            what: format!(
                "up to {} objects under {} could not be deleted from {}",
                grouped(objects),
                self.place.prefix,
                self.buckets(),
            ),
            prefix: Some(self.place.prefix.clone()),
            ..Leftover::default()
        })
    }
}
