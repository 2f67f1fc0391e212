//! Checks whether two runs received the same responses. Otherwise the runs did different work, and
//! speeds cannot be compared.

use std::collections::BTreeMap;
use tenbin_plan::work::traits_of;

use tenbin_result::{Document, Message, SliceFigures, Value, message};

/// Maximum number of search terms with different numbers of hits that a sentence names.
const NAMED: usize = 5;

/// Difference of two mean body lengths, as a share of the larger, above which the work counts as
/// different. The comparison of two targets in one run uses the same limit.
const OTHER: f64 = 0.05;

/// Largest difference of two mean body lengths, bytes, that counts as the same work.
const NO_TIME: f64 = 64.0;

/// Difference of two shares of failed responses above which the work counts as different.
const FAILED: f64 = 0.01;

/// Properties of one target's responses to one workload, over all full slices.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    /// Mean body bytes of a correct HTTP response. Unknown for other protocols, such as S3: their
    /// bodies can have many sizes, and their clients check the content.
    body: Option<f64>,
    /// Share of failed operations; unknown without operations.
    failed: Option<f64>,
    /// Hits by search term, if each target has its own request template (`by_target`).
    terms: Option<BTreeMap<String, u64>>,
    /// The plan's `hits_tolerance`, as a share.
    tolerance: f64,
}

/// The relation between the responses of two runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Parity {
    /// The same work.
    Same,
    /// The same work, with other sizes, which are expected.
    Expected(Message),
    /// Different work, with the reason as a clause.
    Other(Message),
}

impl Answers {
    pub(super) fn of(document: &Document, workload: &str, target: &str) -> Self {
        let slices = || document.full_slices(workload, target);
        let sum = |part: fn(&SliceFigures) -> Option<u64>| {
            let sum: Option<u64> = slices().map(part).sum();
            sum.map(|sum| sum as f64)
        };
        let (ok, failed) = (sum(|slice| slice.ok), sum(|slice| slice.failed));
        let mut workloads = document.workloads.iter();
        let is_learnt = workloads.any(|work| {
            let traits = work.subject.as_ref().and_then(|it| traits_of(&it.kind));
            work.name == workload && traits.is_some_and(|traits| traits.learns_responses)
        });
        let bytes: Option<u64> = slices().map(|slice| slice.payload_bytes).sum();
        Self {
            body: bytes
                .zip(ok)
                .filter(|(_, ok)| is_learnt && *ok > 0.0)
                .map(|(bytes, ok)| bytes as f64 / ok),
            failed: ok
                .zip(failed)
                .filter(|(ok, failed)| ok + failed > 0.0)
                .map(|(ok, failed)| failed / (ok + failed)),
            terms: said(document, workload, "by_target").map(|_| {
                let results = document.results_of(workload);
                let mine = results.filter(|result| result.target == target);
                let patterns = mine.flat_map(|result| &result.patterns);
                let known = patterns.filter_map(|each| Some((each.request.clone()?, each.hits?)));
                known.collect()
            }),
            tolerance: said(document, workload, "hits_tolerance")
                .and_then(|text| text.trim_end_matches('%').parse::<f64>().ok())
                .map_or(0.0, |percents| percents / 100.0),
        }
    }

    /// Checks whether these responses of the earlier run and the responses of the later run show
    /// the same work.
    ///
    /// If each target has its own request template, compares the hits of each term instead of
    /// response sizes, because different kinds of servers never send the same bytes.
    pub(super) fn parity(&self, later: &Self) -> Parity {
        if let (Some(then), Some(now)) = (self.failed, later.failed)
            && (then - now).abs() > FAILED
        {
            return Parity::Other(message!(
                "failures-differ",
                then = Value::Share(then),
                now = Value::Share(now)
            ));
        }
        let sizes = self.sizes(later);
        let (Some(then), Some(now)) = (&self.terms, &later.terms) else {
            return match sizes {
                Some(sizes) => Parity::Other(sizes),
                None => Parity::Same,
            };
        };
        if let Some(why) = other_hits(then, now, self.tolerance.min(later.tolerance)) {
            return Parity::Other(why);
        }
        sizes.map_or(Parity::Same, Parity::Expected)
    }

    /// The mean body sizes of the earlier and the later run, if they differ by more than [`OTHER`]
    /// and [`NO_TIME`]; otherwise `None`.
    fn sizes(&self, later: &Self) -> Option<Message> {
        let (then, now) = self.body.zip(later.body)?;
        let apart = (then - now).abs();
        (apart > NO_TIME && apart / then.max(now) > OTHER).then(|| {
            let (then, now) = (Value::whole(then), Value::whole(now));
            message!("sizes-differ", then, now)
        })
    }
}

/// The value of one setting of a workload.
fn said<'a>(document: &'a Document, workload: &str, key: &str) -> Option<&'a str> {
    let mut workloads = document.workloads.iter();
    let work = workloads.find(|work| work.name == workload)?;
    let mut settings = work.settings.as_ref()?.iter();
    let setting = settings.find(|setting| setting.key == key)?;
    Some(&setting.value)
}

/// The reason why the numbers of hits of two runs differ too much, as a clause. The finding
/// `unequal_hits` applies the same rule and tolerance to two targets of one run.
fn other_hits(
    then: &BTreeMap<String, u64>,
    now: &BTreeMap<String, u64>,
    tolerance: f64,
) -> Option<Message> {
    let both = then.iter().filter_map(|(term, then)| {
        let now = now.get(term)?;
        let apart = then.abs_diff(*now) as f64 / (*then.max(now)).max(1) as f64;
        Some((apart, term.as_str(), *then, *now))
    });
    let both: Vec<(f64, &str, u64, u64)> = both.collect();
    if both.is_empty() {
        return Some(message!("hits-unknown"));
    }
    let compared = both.len();
    let mut different: Vec<_> = both.into_iter().filter(|one| one.0 > tolerance).collect();
    if different.len() as f64 <= tolerance * compared as f64 {
        return None;
    }
    different.sort_by(|a, b| b.0.total_cmp(&a.0));
    let named = different.iter().take(NAMED);
    let named = named.map(|(_, term, then, now)| {
        message!(
            "hits-of-term",
            term = format!("{term:?}"),
            then = Value::Plain(*then),
            now = Value::Plain(*now)
        )
    });
    let plain = |number: usize| Value::Plain(number as u64);
    Some(message!(
        "hits-of-terms-differ",
        different = plain(different.len()),
        compared = plain(compared),
        // Printed as in the plan: 0 % instead of "below 0.1 %".
        tolerance = match tolerance {
            0.0 => Value::Text("0 %".to_owned()),
            some => Value::Share(some),
        },
        terms = Value::Clauses(named.collect()),
        more = plain(different.len().saturating_sub(NAMED))
    ))
}
