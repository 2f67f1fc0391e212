//! Blobs are stored.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;
use tenbin_engine::{AnswerHead, BodyUse, ErrorClass, Exchange, Judgement, Moment, Next, Workload};
use tenbin_plan::BlobHash;

use super::batch::{Entry, Page};
use super::dialect::Dialect;
use super::flight::Flight;
use super::journal::Journal;
use super::work::Budget;
use crate::s3::content::Content;
use crate::s3::slots::Slots;

/// Numbers that a worker gives to its blobs: from `first`, each `step` behind the last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) first: u64,
    pub(crate) step: u64,
    /// The first that is none any more.
    pub(crate) end: u64,
}

/// What the workers of a slice have stored.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) pages: Vec<Page>,
    /// Of which nobody knows what became, and which can be found all the same.
    pub(crate) doubtful: Vec<Page>,
}

/// Stores one blob after the other.
pub(crate) struct Putter {
    numbers: Numbers,
    content: Arc<Content>,
    dialect: Box<dyn Dialect>,
    hashes: Vec<BlobHash>,
    flights: Slots<Flight>,
    page: Page,
    /// Those of which nobody knows what became, and which can be found all the same.
    doubtful: Page,
    journal: Option<Journal>,
    budget: Budget,
    /// Where the pages go in the end.
    collected: Arc<Mutex<Collected>>,
}

impl Putter {
    pub(crate) fn new(
        numbers: Numbers,
        content: Arc<Content>,
        dialect: Box<dyn Dialect>,
        hashes: Vec<BlobHash>,
        journal: Option<Journal>,
        budget: Budget,
        collected: Arc<Mutex<Collected>>,
    ) -> Self {
        Self {
            numbers: Numbers {
                end: numbers.end.min(dialect.numbers()),
                ..numbers
            },
            content,
            dialect,
            hashes,
            flights: Slots::default(),
            page: Page::default(),
            doubtful: Page::default(),
            journal,
            budget,
            collected,
        }
    }

    /// What an answer of that status means; a blob that was stored is written down.
    fn outcome(&mut self, place: usize, status: u16) -> Result<(), (ErrorClass, String)> {
        let flight = &self.flights[place];
        let stored = self
            .dialect
            .stored(status, &flight.caught)
            .map_err(|text| (ErrorClass::Status, text))?;
        let entry = Entry {
            number: flight.number,
            size: flight.size,
            location: stored.location,
        };
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.put(entry)
        {
            self.budget.set.note_orphan();
            let text = format!("its location could not be kept: {error}");
            return Err((ErrorClass::Status, text));
        }
        self.page.push(entry);
        match sums_fit(&self.hashes, &flight.body, stored.sums) {
            true => Ok(()),
            false => {
                let text = "the server's sums are not those of what was sent";
                Err((ErrorClass::Wrong, text.to_owned()))
            }
        }
    }
}

/// Whether the server made the sums that were asked for, and made them right.
fn sums_fit(hashes: &[BlobHash], sent: &[u8], sums: &[u8]) -> bool {
    if hashes.is_empty() {
        return true;
    }
    let Ok(sums) = serde_json::from_slice::<BTreeMap<&str, &str>>(sums) else {
        return false;
    };
    hashes.iter().all(|&hash| {
        let ours = BASE64_STANDARD.encode(sum(hash, sent));
        let bit = hash.bit().to_string();
        sums.get(bit.as_str()).is_some_and(|theirs| *theirs == ours)
    })
}

fn sum(hash: BlobHash, bytes: &[u8]) -> Vec<u8> {
    match hash {
        BlobHash::Crc32 => {
            let sum = crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32IsoHdlc, bytes);
            (sum as u32).to_be_bytes().to_vec()
        }
        BlobHash::Md5 => Md5::digest(bytes).to_vec(),
        BlobHash::Sha1 => Sha1::digest(bytes).to_vec(),
        BlobHash::Sha256 => Sha256::digest(bytes).to_vec(),
    }
}

impl Workload for Putter {
    fn operations(&self) -> &[&'static str] {
        &["PUT"]
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let number = self.numbers.first;
        if number >= self.numbers.end || self.budget.is_spent() {
            return Next::Exhausted;
        }
        self.numbers.first += self.numbers.step;
        let place = self.flights.take();
        exchange.tag = place as u64;
        exchange.op = 0;
        exchange.bodyless_answer = false;
        let flight = &mut self.flights[place];
        flight.begin(number, self.content.size(number));
        self.content.write(number, &mut flight.body);
        self.dialect
            .put(exchange, now.unix_seconds, number, &flight.body);
        Next::Ready
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        &self.flights[exchange.tag as usize].body
    }

    fn head(&mut self, _exchange: &mut Exchange, _head: &AnswerHead<'_>) -> BodyUse {
        BodyUse::Inspect
    }

    fn body(&mut self, exchange: &mut Exchange, _offset: u64, part: &[u8]) {
        self.flights[exchange.tag as usize].catch(part);
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        let place = exchange.tag as usize;
        let outcome = self.outcome(place, status);
        self.flights.give_back(place);
        match outcome {
            Ok(()) => Judgement::Correct,
            Err((class, text)) => self.budget.failed(class, text),
        }
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        let place = exchange.tag as usize;
        let (number, size) = (self.flights[place].number, self.flights[place].size);
        self.flights.give_back(place);
        self.budget.set.note_failure();
        match class {
            ErrorClass::Connect => {}
            _ if self.dialect.names_by_number() => self.doubtful.push(Entry {
                number,
                size,
                location: b"",
            }),
            _ => self.budget.set.note_orphan(),
        }
    }
}

impl Drop for Putter {
    fn drop(&mut self) {
        if let Some(journal) = &mut self.journal {
            // Without it, a few blobs too many are taken for lost.
            let _ = journal.end();
        }
        let collected = self.collected.lock();
        let mut collected = collected.unwrap_or_else(PoisonError::into_inner);
        collected.pages.push(std::mem::take(&mut self.page));
        collected.doubtful.push(std::mem::take(&mut self.doubtful));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fit_only_what_was_sent() {
        let all = [
            BlobHash::Crc32,
            BlobHash::Md5,
            BlobHash::Sha1,
            BlobHash::Sha256,
        ];
        // Of "abc", from the standards.
        let sums = br#"{"2":"NSRBwg==","4":"kAFQmDzST7DWlj99KOF/cg==",
            "8":"qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "16":"ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="}"#;
        assert!(sums_fit(&all, b"abc", sums));
        for hash in all {
            assert!(!sums_fit(&[hash], b"abd", sums), "{hash:?}");
            assert!(!sums_fit(&[hash], b"abc", b"{}"), "{hash:?}");
        }
        assert!(sums_fit(&[], b"abc", b""));
        assert!(!sums_fit(&[BlobHash::Md5], b"abc", b"not json"));
    }
}
