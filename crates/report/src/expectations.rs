//! Texts for expectations, optima of parameter sweeps and the end of a run.

use tenbin_result::format::{BANDWIDTH, BYTES, RATE, SHARE, TIME, Words, ratio, ratio_ends};
use tenbin_result::{
    Document, Expectation, ExpectedUnit, Figure, Language, Message, Optimum, RunEnded, Standing,
    Trust, Value, message,
};
use tenbin_verdict::{conditions, is_decided_all_the_same};

use crate::language;

/// Text for the outcome of an expectation.
pub(crate) fn standing(expectation: &Expectation) -> &'static str {
    match (expectation.standing, expectation.fails_if) {
        (Standing::Met, _) => "met",
        (Standing::NotMet, false) => "NOT MET",
        (Standing::CannotTell, false) => "cannot tell",
        (Standing::NotMet, true) => "FAILED",
        (Standing::CannotTell, true) => "not proven",
    }
}

/// What the figure must be: `p99 must be below 20 ms`.
pub(crate) fn demanded(document: &Document, expectation: &Expectation) -> String {
    let demanded = language::say(document, &conditions::demanded(expectation));
    demanded.trim_start().to_owned()
}

/// The condition as written, marked if it comes from `--fail-if`: `fail if p99>20ms`. Programs compare
/// conditions of several runs by this text.
pub(crate) fn condition(expectation: &Expectation) -> String {
    if expectation.fails_if {
        format!("fail if {}", expectation.condition)
    } else {
        expectation.condition.clone()
    }
}

/// The figure with its interval.
pub(crate) fn figure(expectation: &Expectation, language: Language) -> String {
    let figure = expectation.figure;
    let words = language::figure_words(language);
    match expectation.unit {
        ExpectedUnit::PerSecond => RATE.with_interval(figure, words),
        ExpectedUnit::Seconds if expectation.extreme => {
            TIME.maybe(figure.map(|figure| figure.value))
        }
        ExpectedUnit::Seconds => TIME.with_interval(figure, words),
        ExpectedUnit::Share => SHARE.with_interval(figure, words),
        ExpectedUnit::BytesPerSecond => BANDWIDTH.with_interval(figure, words),
        ExpectedUnit::Bytes => BYTES.with_interval(figure, words),
        ExpectedUnit::Ratio => times(figure, words),
    }
}

fn times(figure: Option<Figure>, words: &Words) -> String {
    figure.map_or_else(
        || words.unknown.to_string(),
        |known| format!("{}x ({})", ratio(known.value), ratio_ends(known, words)),
    )
}

/// The figure, with the reason if the expectation could not be decided.
pub(crate) fn outcome(document: &Document, expectation: &Expectation) -> String {
    let figure = message!("text", text = figure(expectation, document.language));
    let why = expectation.why.as_ref();
    let why = why.map(|why| Message::or_text(expectation.data.as_ref(), why));
    language::say(document, &language::clauses(figure, why))
}

/// All expectations in one clause: the violated and the undecided ones with their figures and reasons;
/// `None` without expectations.
pub(crate) fn expectations_clause(document: &Document) -> Option<Message> {
    let all = &document.expectations;
    if all.is_empty() {
        return None;
    }
    let broken = [
        conditions::not_met(all),
        conditions::failed(all),
        conditions::cannot_tell(all),
    ];
    let mut broken = broken.into_iter().flatten();
    Some(match broken.next() {
        Some(first) => language::clauses(first, broken),
        None if all.iter().all(|each| each.fails_if) => message!("none-proven"),
        None => {
            let all_met = message!("all-met", count = all.len());
            if document.trust == Trust::Invalid && is_decided_all_the_same(document) {
                let delayed = |each: &Expectation| {
                    let why = each.data.as_ref();
                    why.is_some_and(|why| why.id == "holds-despite-delay")
                };
                let despite = message!("despite-invalid", delay = all.iter().any(delayed));
                return Some(language::clauses(all_met, [despite]));
            }
            let met = all.iter().filter(|each| !each.fails_if);
            let mut how: Vec<Message> = met.filter_map(|each| each.data.clone()).collect();
            how.dedup();
            language::clauses(all_met, how)
        }
    })
}

/// Whether the answer of an INVALID run consists of its expectations, which are still decided.
pub(crate) fn answers_by_expectations(document: &Document) -> bool {
    document.trust == Trust::Invalid
        && document.expectations.iter().any(|each| !each.fails_if)
        && is_decided_all_the_same(document)
}

/// The optimum as a short clause for the verdict line.
pub(crate) fn optimum_claim(optimum: &Optimum) -> Message {
    let Optimum {
        sweep, workload, ..
    } = optimum;
    match optimum.trust {
        Trust::Invalid => message!("no-optimum", sweep, workload),
        trust => message!(
            "optimum",
            value = optimum.shown_place(),
            certain = optimum.certain,
            sweep,
            suspect = trust == Trust::Suspect,
            workload
        ),
    }
}

/// Number of rounds and length of a slice: `8 rounds of 2 s`, `8 rounds of 1,000 requests`. Only the length of a slice for a run
/// with only maximum-rate searches, which has no rounds.
pub(crate) fn schedule(document: &Document) -> Message {
    let run = &document.run;
    let seconds = seconds(run.slice_seconds);
    if run.is_imported() {
        message!("by-other-tools")
    } else if run.planned_slices == 0 && !document.searches.is_empty() {
        message!("max-rate-search", seconds)
    } else {
        let rounds = message!("rounds", count = run.rounds);
        match requests_per_slice(document) {
            Some(requests) => message!(
                "rounds-of-requests",
                rounds,
                requests,
                seconds,
                timed = has_timed_slices(document)
            ),
            None => message!("rounds-of", rounds, seconds),
        }
    }
}

/// Requests after which every slice ends, if that is the same number for all workloads.
fn requests_per_slice(document: &Document) -> Option<u64> {
    let requests = document.workloads.first()?.requests?;
    let mut workloads = document.workloads.iter();
    workloads
        .all(|workload| workload.requests == Some(requests))
        .then_some(requests)
}

/// Whether a slice lasted its whole time.
fn has_timed_slices(document: &Document) -> bool {
    document.run.slice_seconds.is_some_and(|planned| {
        let mut times = document.slices.iter().filter_map(|slice| slice.seconds);
        times.any(|seconds| seconds >= planned)
    })
}

/// `2 s`, or that it is not known.
pub(crate) fn seconds(seconds: Option<f64>) -> Value {
    let to_milliseconds = |seconds: f64| (seconds * 1e3).round() / 1e3;
    seconds.map_or(Value::Unknown, |seconds| {
        format!("{} s", to_milliseconds(seconds)).into()
    })
}

/// Why the run ended; `None` for a fixed number of rounds.
pub(crate) fn ended(document: &Document) -> Option<Message> {
    let run = &document.run;
    let within = Value::Share(run.until?);
    match run.ended? {
        RunEnded::Planned | RunEnded::Decided | RunEnded::Budget => None,
        RunEnded::Precise => Some(message!(
            "ended-precise",
            rounds = message!("rounds", count = run.rounds),
            within
        )),
        RunEnded::MostRounds => Some(message!("ended-most-rounds", rounds = run.rounds, within)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_extreme_stands_without_an_interval() {
        let of = |condition: &str, extreme| {
            let expectation = Expectation {
                fails_if: false,
                condition: condition.to_owned(),
                target: "a".to_owned(),
                workload: "get".to_owned(),
                unit: ExpectedUnit::Seconds,
                figure: Some(Figure {
                    value: 0.5,
                    interval: None,
                    n: 1,
                }),
                extreme,
                standing: Standing::Met,
                why: None,
                data: None,
            };
            figure(&expectation, Language::English)
        };
        assert_eq!(of("longest<1s", true), "500 ms");
        assert_eq!(of("max_of_medians<1s", false), "500 ms (interval unknown)");
    }
}
