//! Evaluation of the responses in a sweep.

use tenbin_engine::Exchange;

use super::listed::{Entries, Item, entries};
use super::{HOPELESS, Job, ONE_BY_ONE, Pass, Sweep};
use crate::s3::cleanup::remaining::MadeBucket;
use crate::s3::messages::batch;
use crate::s3::messages::listing::Reader;

impl Sweep {
    /// Whether a key may be deleted. Keys outside the prefix are never deleted, whatever the server
    /// lists.
    fn is_ours(&self, bucket: usize, item: &Item) -> bool {
        let is_named = || match &self.only {
            Some(only) => {
                let object = self.place.object_of(bucket, &item.key);
                object.is_some_and(|object| only.binary_search(&object).is_ok())
            }
            None => true,
        };
        item.key.starts_with(&self.prefixes[bucket]) && is_named()
    }

    /// Reads a page of a listing; returns false if the response is not a listing.
    fn read(&mut self, bucket: usize, from: Option<&(String, String)>, response: &[u8]) -> bool {
        let mut reader = Reader::new(self.form());
        reader.read(response);
        let page = reader.finish();
        if !page.whole {
            return false;
        }
        let Entries {
            items: listed,
            unreadable,
        } = entries(response);
        if unreadable > 0 {
            self.listed = false;
            self.unlisted = Some(format!(
                "{unreadable} keys on a page of the listing cannot be parsed"
            ));
        }
        let items: Vec<Item> = listed
            .iter()
            .filter(|item| self.is_ours(bucket, item))
            .cloned()
            .collect();
        self.met[bucket] += items.len() as u64;
        self.met_bytes[bucket] += items.iter().map(|item| item.size).sum::<u64>();
        if page.more {
            let next = (page.marker, page.version);
            let names = listed.iter().map(|item| match &item.version {
                Some(version) => format!("{}\n{version}", item.key),
                None => item.key.clone(),
            });
            let names: Vec<String> = names.collect();
            let makes_progress =
                self.progress[bucket].makes_progress(names.iter().map(String::as_str));
            if next.0.is_empty() || from == Some(&next) || !makes_progress {
                return false;
            }
            self.jobs.push_back((Job::List(bucket, Some(next)), 0));
        }
        match self.pass {
            Pass::Release => {
                let held = items.into_iter().filter(|item| !item.marker);
                self.jobs
                    .extend(held.map(|item| (Job::Release(bucket, item), 0)));
            }
            Pass::Look => {}
            _ if items.is_empty() => {}
            // Single deletions give the server time, and each response says why an object is not
            // deleted.
            Pass::Delete(_) if self.is_gentle() && self.met[bucket] <= ONE_BY_ONE => {
                let each = items.into_iter().map(|item| (Job::One(bucket, item), 0));
                self.jobs.extend(each);
            }
            _ => self.jobs.push_back((Job::Batch(bucket, items), 0)),
        }
        true
    }

    pub(super) fn failed(&mut self, job: &Job, why: String) {
        match job {
            Job::List(..) => {
                self.listed = false;
                self.unlisted = Some(why);
            }
            Job::One(..) => *self.refused.entry(why).or_default() += 1,
            // The pass ends, so the objects of this batch are not deleted one by one.
            Job::Batch(..) if self.failures_in_a_row + 1 >= HOPELESS => {
                *self.refused.entry(why).or_default() += 1;
            }
            Job::IsEmpty(bucket) => {
                self.keep_bucket(*bucket, format!("it could not be listed: {why}"));
            }
            Job::Bucket(bucket) => {
                self.keep_bucket(*bucket, format!("DELETE failed: {why}"));
            }
            Job::Batch(..) | Job::Release(..) => {}
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= HOPELESS {
            self.jobs.clear();
        }
    }

    fn keep_bucket(&mut self, bucket: usize, why: String) {
        self.report[bucket].made = Some(MadeBucket::Left(why));
    }

    /// Evaluates a response; returns whether the job succeeded.
    pub(super) fn settle(&mut self, exchange: &Exchange, job: &Job, status: u16) -> bool {
        match job {
            Job::List(bucket, _) | Job::IsEmpty(bucket)
                if status == 404
                    && self.responses.code(exchange).as_deref() == Some("NoSuchBucket") =>
            {
                // The bucket does not exist, so nothing is left in it.
                self.buckets.retain(|own| own != bucket);
                if let Some(made) = &mut self.report[*bucket].made {
                    *made = MadeBucket::Gone;
                }
                true
            }
            Job::List(bucket, from) => {
                if status != 200 {
                    return false;
                }
                let response = self.responses.caught(exchange).to_vec();
                self.read(*bucket, from.as_ref(), &response)
            }
            Job::Batch(_, items) => {
                let gone =
                    status == 200 && batch::all_gone(self.responses.caught(exchange), items.len());
                self.acknowledged = gone.then_some(status).or(self.acknowledged);
                gone
            }
            // The release of an object without a hold fails without harm; the deletion shows
            // whether a hold is left.
            Job::Release(..) => true,
            // 404: another client has deleted the object.
            Job::One(..) => {
                let gone = matches!(status, 200 | 204 | 404);
                self.acknowledged = gone.then_some(status).or(self.acknowledged);
                gone
            }
            Job::IsEmpty(bucket) => self.read_is_empty(*bucket, exchange, status),
            Job::Bucket(bucket) => {
                let gone = matches!(status, 200 | 204 | 404);
                if gone {
                    self.report[*bucket].made = Some(match status {
                        404 => MadeBucket::Gone,
                        _ => MadeBucket::Deleted,
                    });
                }
                gone
            }
        }
    }

    /// Evaluates the listing of a bucket that should be empty, and schedules the deletion of an
    /// empty bucket; returns false if the response is not a listing.
    fn read_is_empty(&mut self, bucket: usize, exchange: &Exchange, status: u16) -> bool {
        let mut reader = Reader::new(self.form());
        reader.read(self.responses.caught(exchange));
        let page = reader.finish();
        if status != 200 || !page.whole {
            return false;
        }
        if page.keys == 0 && !page.more {
            self.jobs.push_back((Job::Bucket(bucket), 0))
        } else {
            self.keep_bucket(bucket, "it is not empty".to_owned())
        }
        true
    }
}
