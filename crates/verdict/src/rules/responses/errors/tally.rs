//! The failures of a workload on a target.

use std::collections::BTreeMap;

use tenbin_plan::{Facts, WhenRefused};
use tenbin_record::{ErrorClass, failure};
use tenbin_result::{Cause, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::rules::responses::errors::ANY;
use crate::words::tame_to;

/// Share of wrong responses above which the target did different work.
const WRONG_WORK: f64 = 0.001;

/// Characters of an error text that are shown: a check and the start of a response fit.
const SHOWN_CHARS: usize = 240;

/// Status of an access layer that names the blobs of a deletion that it could not pass on.
pub(super) const PARTLY_DELETED: u16 = 226;

/// Status of a server or proxy that limits the rate of requests (RFC 6585, section 4).
const TOO_MANY: u16 = 429;

/// What failed in the slices of a workload on a target.
pub(super) struct Tally {
    total: u64,
    failed: u64,
    /// Number of failed requests, including sub-requests.
    failed_requests: u64,
    slices: usize,
    without_success: usize,
    /// Whether some operations have sub-requests that succeeded.
    with_steps: bool,
    classes: BTreeMap<ErrorClass, u64>,
    /// Number of failed requests by class of error.
    refusals: BTreeMap<ErrorClass, u64>,
    pub(super) statuses: BTreeMap<u16, u64>,
    /// Responses with a success status other than 200, whether or not they count as failures.
    odd: BTreeMap<u16, u64>,
    pub(super) texts: BTreeMap<String, u64>,
}

impl Tally {
    pub(super) fn of(cell: &Cell<'_>) -> Self {
        let mut tally = Self {
            total: 0,
            failed: 0,
            failed_requests: 0,
            slices: cell.slices.len(),
            without_success: 0,
            with_steps: false,
            classes: BTreeMap::new(),
            refusals: BTreeMap::new(),
            statuses: BTreeMap::new(),
            odd: BTreeMap::new(),
            texts: BTreeMap::new(),
        };
        let has_blobs = cell.workload.facts().is_for_blob_stores();
        let is_refusal = |status: u16| status >= 300 || has_blobs && status == PARTLY_DELETED;
        for slice in &cell.slices {
            tally.total += slice.ok() + slice.failed();
            tally.failed += slice.failed();
            // A slice that was cut short can be too short for a single response.
            let in_full = slice.ok() == 0 && !slice.end.cut_short;
            if in_full || slice.gave_nothing() {
                tally.without_success += 1;
                tally.with_steps |= slice.requests().any(|op| op.counts.ok > 0);
            }
            for op in slice.work() {
                add(&mut tally.classes, op.errors.iter().map(|(k, n)| (*k, *n)));
            }
            // Error texts of the target are recorded per request.
            for op in slice.requests() {
                tally.failed_requests += op.failed_count();
                add(&mut tally.refusals, op.errors.iter().map(|(k, n)| (*k, *n)));
                let refused = op.statuses.iter().filter(|(k, _)| is_refusal(**k));
                add(&mut tally.statuses, refused.map(|(k, n)| (*k, *n)));
                let odd = op
                    .statuses
                    .iter()
                    .filter(|(k, _)| **k > 200 && !is_refusal(**k));
                add(&mut tally.odd, odd.map(|(k, n)| (*k, *n)));
                for (text, count) in op.failures.iter().filter(|(text, _)| !text.is_empty()) {
                    failure::count(&mut tally.texts, text, *count);
                }
            }
        }
        tally.classes.retain(|_, count| *count > 0);
        tally.refusals.retain(|_, count| *count > 0);
        tally
    }

    pub(super) fn severity(&self) -> Option<Severity> {
        if self.without_success > 0 {
            return Some(Severity::Invalid);
        }
        if self.failed == 0 && self.failed_requests == 0 {
            return None;
        }
        let share = |count: u64| count as f64 / self.total.max(1) as f64;
        let invalid = share(self.failed) > ANY || share(self.wrong_work()) > WRONG_WORK;
        Some(Severity::Suspect.raised_if(invalid))
    }

    /// Whether all failures are unexpected responses, which `mixed_responses` reports.
    pub(super) fn is_explained(&self) -> bool {
        let classes = self.classes.keys().chain(self.refusals.keys());
        self.without_success == 0 && classes.clone().all(|c| *c == ErrorClass::Unexpected)
    }

    /// Number of wrong responses.
    fn wrong_work(&self) -> u64 {
        let wrong = self.classes.iter().filter(|(class, _)| {
            matches!(
                class,
                ErrorClass::Protocol
                    | ErrorClass::Status
                    | ErrorClass::Short
                    | ErrorClass::Wrong
                    | ErrorClass::Stale
                    | ErrorClass::Unexpected
                    | ErrorClass::Check
            )
        });
        wrong.map(|(_, count)| count).sum()
    }

    pub(super) fn commonest(&self) -> Option<ErrorClass> {
        // A transaction that has not failed yet can have a failed sub-request.
        let classes = if self.failed > 0 {
            &self.classes
        } else {
            &self.refusals
        };
        let by_count = classes.iter().max_by_key(|(_, count)| **count);
        by_count.map(|(class, _)| *class)
    }

    /// The success statuses that count as failures, in one clause: statuses that are not defined for
    /// the operation. `None` if another failure is more frequent.
    pub(super) fn odd_success(&self) -> Option<Message> {
        let of_class = *self.refusals.get(&ErrorClass::Status)?;
        let explained = self.statuses.values().sum::<u64>();
        let odd = of_class.saturating_sub(explained);
        let most = self.odd.iter().max_by_key(|(_, count)| **count);
        let (status, _) = most.filter(|_| odd > explained)?;
        Some(message!(
            "odd-success",
            count = Value::Plain(odd),
            status = Value::Plain((*status).into())
        ))
    }

    fn commonest_status(&self) -> Option<u16> {
        let commonest = self.statuses.iter().max_by_key(|(_, count)| **count);
        commonest.map(|(status, _)| *status)
    }

    fn refused_by_request(&self) -> bool {
        let status = self.commonest_status();
        status.is_some_and(|status| (300..500).contains(&status))
    }

    fn is_redirected(&self) -> bool {
        self.commonest_status()
            .is_some_and(|status| (300..400).contains(&status))
    }

    pub(super) fn cause(&self) -> Cause {
        match self.commonest() {
            Some(ErrorClass::Status) if self.refused_by_request() => Cause::Setup,
            None => Cause::Setup,
            Some(_) => Cause::Server,
        }
    }

    /// What was observed, in clauses.
    pub(super) fn evidence(&self) -> Vec<Message> {
        let mut evidence = vec![self.failures()];
        if !self.statuses.is_empty() && !self.all_have_statuses() {
            evidence.push(self.by_status());
        }
        if let Some((text, _)) = self.texts.iter().max_by_key(|(_, count)| **count) {
            evidence.push(message!("most-often", text = tame_to(text, SHOWN_CHARS)));
        }
        if self.without_success > 0 {
            evidence.push(message!(
                "without-success",
                without = Value::Plain(self.without_success as u64),
                slices = self.slices,
                sub_requests = self.with_steps
            ));
        }
        evidence
    }

    /// Whether all failures are responses with statuses that are counted.
    fn all_have_statuses(&self) -> bool {
        let statuses = self.statuses.values().sum::<u64>();
        let of_status = self.classes.get(&ErrorClass::Status);
        self.failed > 0 && self.classes.len() == 1 && of_status == Some(&statuses)
    }

    fn by_status(&self) -> Message {
        let statuses = self.statuses.iter();
        let statuses = statuses.map(|(status, n)| times(Value::Plain((*status).into()), *n));
        let statuses: Vec<Message> = statuses.collect();
        message!("statuses", statuses)
    }

    fn failures(&self) -> Message {
        if self.failed > 0 {
            message!(
                "operations-failed",
                failed = Value::Plain(self.failed),
                operations = Value::Plain(self.total),
                share = Value::Share(self.failed as f64 / self.total as f64),
                classes = if self.all_have_statuses() {
                    vec![self.by_status()]
                } else {
                    named(&self.classes)
                }
            )
        } else if self.failed_requests > 0 {
            message!(
                "sub-requests-failed",
                operations = Value::Plain(self.total),
                failed = self.failed_requests,
                classes = named(&self.refusals)
            )
        } else {
            message!("no-failure")
        }
    }

    pub(super) fn advice(&self, work: &dyn Facts) -> Message {
        let Some(class) = self.commonest() else {
            return message!("check-response");
        };
        match class {
            ErrorClass::Connect => message!("check-listener"),
            ErrorClass::Timeout => message!("reduce-load"),
            ErrorClass::Reset => message!("connections-dropped"),
            ErrorClass::Protocol => message!("check-port"),
            ErrorClass::Status if self.commonest_status() == Some(TOO_MANY) => {
                message!("rate-limiter")
            }
            ErrorClass::Status if self.is_redirected() => message!("follow-redirect"),
            ErrorClass::Status if self.refused_by_request() => {
                let check = match work.when_refused() {
                    WhenRefused::Request => "request",
                    WhenRefused::Bucket => "bucket",
                    WhenRefused::Store => "store",
                };
                message!("refused", check = Value::word(check))
            }
            ErrorClass::Status => message!("fails-under-load"),
            ErrorClass::Stale => message!("find-cache"),
            ErrorClass::Unexpected => message!("other-work"),
            ErrorClass::Check => message!("check-failed"),
            ErrorClass::Short => message!("ends-early"),
            ErrorClass::Wrong => message!("other-bytes"),
        }
    }
}

pub(super) fn add<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: impl Iterator<Item = (K, u64)>) {
    for (key, count) in counts {
        *sums.entry(key).or_default() += count;
    }
}

/// The classes of errors with their numbers.
fn named(classes: &BTreeMap<ErrorClass, u64>) -> Vec<Message> {
    let classes = classes.iter();
    classes
        .map(|(class, n)| times(Value::Word(class.name().replace(' ', "-")), *n))
        .collect()
}

fn times(kind: Value, count: u64) -> Message {
    message!("times", kind, count = Value::Plain(count))
}
