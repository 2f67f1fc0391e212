//! Blobs whose load agents send: the coordinator owns the set of blobs, and the agents report what
//! they stored and deleted.

use std::io;
use std::sync::Arc;

use tenbin_plan::Phase;

use super::{PreparedBlob, Source};
use crate::blob::stored::batch::{Batch, Collected, Page};
use crate::blob::stored::journal::{Journal, UNKNOWN};
use crate::blob::stored::transfer::{BlobReport, BlobState, Counts, SentBatch, decoded, encoded};
use crate::prepared::{IMPOSSIBLE, Sequence as _};
use crate::remote::{SliceReport, SliceState, position_after};
use crate::shared::held;

/// What an agent knows of its next slice.
pub(super) struct Orders {
    /// Number of the agent, and number of agents.
    pub(super) part: (usize, usize),
    /// The blobs that the slice reads or deletes.
    pub(super) batch: Arc<Batch>,
    /// The counts before the slice.
    before: Counts,
    /// Digest of the reads before the slice.
    digest: u64,
}

/// On the coordinator.
impl PreparedBlob {
    pub(super) fn state(&mut self) -> SliceState {
        self.by_agents = true;
        let batch = match self.work.phase {
            Phase::Put => {
                // Blobs of this slice that are not reported cannot be found.
                let most = self.work.objects.unwrap_or(UNKNOWN);
                self.set.await_report(most);
                self.of_agents = self.set.journal(0, most);
                None
            }
            // A plan with agents has no mix.
            Phase::Mixed(_) => None,
            Phase::Get | Phase::Delete => Some(self.sent_batch()),
        };
        let sequence = match self.position() {
            Some(_) => SliceState::of(&held(&self.cursors)),
            None => SliceState::default(),
        };
        SliceState {
            blobs: Some(BlobState {
                seed: self.set.seed,
                next: self.set.next(),
                failures: self.set.failures(),
                things: self.things,
                batch,
            }),
            ..sequence
        }
    }

    fn sent_batch(&mut self) -> SentBatch {
        let (id, batch) = self.set.identified_batch(self.source, self.slices);
        if self.work.phase == Phase::Delete {
            self.of_agents = self.set.journal(0, 0).filter(|_| self.set.stays());
            if let Some(journal) = &mut self.of_agents {
                // If this write fails, a later run may request a deleted blob and report a failure.
                let left = (0..batch.len()).filter(|&at| !batch.is_gone(at));
                let _ = journal.deleting(left.map(|at| batch.entry(at).number));
            }
        }
        SentBatch {
            id,
            blobs: (!self.set.have_agents(id)).then(|| encoded(&batch)),
            gone: batch.outcomes().0,
            deleting: batch.deleting().to_vec(),
        }
    }

    pub(super) fn merge(&mut self, mut reports: Vec<SliceReport>) -> Result<(), String> {
        let impossible = || IMPOSSIBLE.to_owned();
        let before = self.position().map(|position| position.workers);
        let are_possible = reports
            .iter()
            .all(|report| report.is_possible(before.as_deref()));
        let blobs = reports.iter_mut().map(|report| report.blobs.take());
        let blobs: Option<Vec<BlobReport>> = blobs.collect();
        let blobs = blobs.filter(|_| are_possible).ok_or_else(impossible)?;
        match (self.work.phase, self.source) {
            (Phase::Put, Source::Phase(phase)) => {
                let collected = self.collected(&blobs).ok_or_else(impossible)?;
                self.record(|journal, stays| {
                    // Only complete blobs are kept after the run.
                    let doubtful = collected.doubtful.iter().filter(|_| !stays);
                    let pages = collected.pages.iter().chain(doubtful);
                    pages
                        .flat_map(Page::entries)
                        .try_for_each(|entry| journal.put(entry))
                });
                self.set.stored(phase, collected);
                self.set.take_unreported();
            }
            (Phase::Delete, _) => {
                // `slices` counts the slice whose reports these are.
                let slice = self.slices.saturating_sub(1);
                let batch = self.set.batch(self.source, slice);
                let known: Vec<bool> = (0..batch.len()).map(|at| batch.is_gone(at)).collect();
                batch.forget_requests();
                let mut outcomes = blobs.iter();
                if !outcomes.all(|agent| batch.add_outcomes(&agent.gone, &agent.unsure)) {
                    return Err(impossible());
                }
                self.record(|journal, stays| record_deletions(journal, stays, &batch, &known));
                self.set.settle();
            }
            _ => {}
        }
        for agent in &blobs {
            self.set.add_counts(agent.counts);
        }
        if let Some(before) = before {
            let digests = reports.iter().map(|report| report.digest);
            let digest = digests.fold(0, u64::wrapping_add);
            let after = position_after(&before, &reports);
            held(&self.cursors).advance(&after, digest);
        }
        Ok(())
    }

    /// The blobs that the agents have stored; `None` if they cannot have stored them.
    fn collected(&self, blobs: &[BlobReport]) -> Option<Collected> {
        let first = self.set.next();
        let most = self.work.objects.unwrap_or(UNKNOWN);
        let mut collected = Collected::default();
        for (agent, report) in blobs.iter().enumerate() {
            let is_own = |number: &u64| {
                let nth = number.checked_sub(first);
                nth.is_some_and(|nth| {
                    let worker = nth % self.workers as u64;
                    nth < most && worker % blobs.len() as u64 == agent as u64
                })
            };
            let read =
                |bytes| decoded(bytes).filter(|page: &Page| page.numbers().iter().all(is_own));
            collected.pages.push(read(&report.stored)?);
            collected.doubtful.push(read(&report.doubtful)?);
        }
        Some(collected)
    }

    /// Ends the journal of a slice with what the agents reported.
    fn record(&mut self, write: impl FnOnce(&mut Journal, bool) -> io::Result<()>) {
        let Some(mut journal) = self.of_agents.take() else {
            return;
        };
        let stays = self.set.stays();
        let written = write(&mut journal, stays).and_then(|()| journal.end());
        if let Err(error) = written {
            self.set.note_trouble(&error);
        }
    }

    /// Cleans up what agents may have stored and did not report, because one of them was lost.
    pub(super) fn find_unreported(&mut self) {
        let most = self.set.take_unreported();
        if most == 0 {
            return;
        }
        if self.place.is_some() && !self.set.stays() {
            // The names of blobs show which blobs belong to the run.
            self.inherited.get_or_insert_default();
        } else {
            self.set.note_orphans(most)
        }
    }
}

/// Records deletions; `known` says which blobs were deleted before the slice.
fn record_deletions(
    journal: &mut Journal,
    stays: bool,
    batch: &Batch,
    known: &[bool],
) -> io::Result<()> {
    for at in (0..batch.len()).filter(|&at| !known[at as usize]) {
        let number = batch.entry(at).number;
        match (batch.is_gone(at), batch.is_unsure(at)) {
            (true, _) => journal.gone(number)?,
            (false, false) if stays => journal.kept(number)?,
            _ => {}
        }
    }
    Ok(())
}

/// On an agent.
impl PreparedBlob {
    pub(super) fn take_state(&mut self, state: SliceState) -> Result<(), String> {
        let impossible = "the coordinator sent an invalid state of the blobs; use the same build of \
                          Tenbin on all machines";
        let (Some(blobs), Some(part)) = (state.blobs, state.part) else {
            return Err(impossible.to_owned());
        };
        self.use_seed(blobs.seed);
        self.things = blobs.things;
        self.set.continue_from(blobs.next, blobs.failures);
        let batch = match (&blobs.batch, self.work.phase) {
            (None, Phase::Put) => Some(Arc::default()),
            (Some(sent), Phase::Get | Phase::Delete) => self.received_batch(sent),
            _ => None,
        };
        let batch = batch.ok_or(impossible)?;
        if let Some(position) = &state.position {
            let mut cursors = held(&self.cursors);
            cursors.skip_to(position);
            cursors.ends_at(state.ends.as_deref());
        }
        drop(self.take_collected());
        self.orders = Some(Orders {
            part,
            batch,
            before: self.set.counts(),
            digest: self.digest(),
        });
        Ok(())
    }

    fn received_batch(&self, sent: &SentBatch) -> Option<Arc<Batch>> {
        let batch = match &sent.blobs {
            None => self.set.received(sent.id)?,
            Some(blobs) if sent.deleting.is_sorted() => {
                let batch = Batch::of(vec![decoded(blobs)?]);
                Arc::new(batch.with_deleting(sent.deleting.clone()))
            }
            Some(_) => return None,
        };
        batch.forget_requests();
        let none = vec![0; sent.gone.len()];
        let fits = batch.add_outcomes(&sent.gone, &none);
        fits.then(|| {
            self.set.receive(sent.id, &batch);
            batch
        })
    }

    pub(super) fn report_blobs(&mut self) -> SliceReport {
        let Some(orders) = &self.orders else {
            return SliceReport::default();
        };
        let digest = self.digest().wrapping_sub(orders.digest);
        let (gone, unsure) = match self.work.phase {
            Phase::Delete => orders.batch.outcomes(),
            Phase::Put | Phase::Get | Phase::Mixed(_) => Default::default(),
        };
        let counts = self.set.counts().since(orders.before);
        let Collected {
            pages, doubtful, ..
        } = self.take_collected();
        SliceReport {
            position: self.position().map(|position| position.workers),
            digest,
            blobs: Some(BlobReport {
                stored: encoded(&Batch::of(pages)),
                doubtful: encoded(&Batch::of(doubtful)),
                gone,
                unsure,
                counts,
            }),
            ..SliceReport::default()
        }
    }

    fn digest(&self) -> u64 {
        let position = held(&self.cursors).position();
        position.digest.unwrap_or_default()
    }

    /// What the workers of the last slice have stored.
    pub(super) fn take_collected(&self) -> Collected {
        std::mem::take(&mut *held(&self.collected))
    }
}

#[cfg(test)]
mod tests;
