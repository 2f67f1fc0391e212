//! Texts for expectations, optima of parameter sweeps and the end of a run.

use tenbin_result::format::{
    BANDWIDTH, RATE, SHARE, TIME, UNKNOWN, percent, plural, ratio, ratio_ends,
};
use tenbin_result::{
    Document, Expectation, ExpectedUnit, Figure, Optimum, RunEnded, Standing, Trust,
};

/// Text for the outcome of an expectation.
pub(crate) fn standing(expectation: &Expectation) -> &'static str {
    match (expectation.standing, expectation.fails_if) {
        (Standing::Met, false) => "met",
        (Standing::NotMet, false) => "NOT MET",
        (Standing::CannotTell, false) => "cannot tell",
        (Standing::Met, true) => "proven not",
        (Standing::NotMet, true) => "FAILED",
        (Standing::CannotTell, true) => "not proven",
    }
}

/// Condition, target and workload in one clause: `p99<20ms by b at get`.
pub(crate) fn subject(expectation: &Expectation) -> String {
    let Expectation {
        target, workload, ..
    } = expectation;
    let condition = condition(expectation);
    format!("{condition} by {target} at {workload}")
}

/// The condition, marked if it comes from `--fail-if`: `fail if p99>20ms`.
pub(crate) fn condition(expectation: &Expectation) -> String {
    if expectation.fails_if {
        format!("fail if {}", expectation.condition)
    } else {
        expectation.condition.clone()
    }
}

/// The figure with its interval.
pub(crate) fn figure(expectation: &Expectation) -> String {
    let figure = expectation.figure;
    match expectation.unit {
        ExpectedUnit::PerSecond => RATE.with_interval(figure),
        ExpectedUnit::Seconds if expectation.extreme => {
            TIME.maybe(figure.map(|figure| figure.value))
        }
        ExpectedUnit::Seconds => TIME.with_interval(figure),
        ExpectedUnit::Share => SHARE.with_interval(figure),
        ExpectedUnit::BytesPerSecond => BANDWIDTH.with_interval(figure),
        ExpectedUnit::Ratio => times(figure),
    }
}

fn times(figure: Option<Figure>) -> String {
    figure.map_or_else(
        || UNKNOWN.to_owned(),
        |known| format!("{}x ({})", ratio(known.value), ratio_ends(known)),
    )
}

/// The figure, with the reason if the expectation could not be decided.
pub(crate) fn outcome(expectation: &Expectation) -> String {
    let figure = figure(expectation);
    match &expectation.why {
        Some(why) => format!("{figure}; {why}"),
        None => figure,
    }
}

/// All expectations in one clause, with the violated expectations by name; `None` without
/// expectations.
pub(crate) fn expectations_clause(document: &Document) -> Option<String> {
    let all = &document.expectations;
    if all.is_empty() {
        return None;
    }
    let named = |wanted: &dyn Fn(&Expectation) -> bool| {
        let mine = all.iter().filter(|each| wanted(each));
        mine.map(subject).collect::<Vec<_>>().join(", ")
    };
    let clauses: Vec<String> = [
        (
            "NOT MET: ",
            named(&|each| each.is_violated() && !each.fails_if),
        ),
        (
            "FAILED: ",
            named(&|each| each.is_violated() && each.fails_if),
        ),
        ("cannot tell whether ", named(&Expectation::is_undecided)),
    ]
    .into_iter()
    .filter(|(_, named)| !named.is_empty())
    .map(|(word, named)| format!("{word}{named}"))
    .collect();
    Some(match clauses.as_slice() {
        [] if all.iter().all(|each| each.fails_if) => "no --fail-if condition is proven".to_owned(),
        [] => match all.len() {
            1 => "the expectation is met".to_owned(),
            n => format!("all {} are met", plural(n as u64, "expectation")),
        },
        clauses => clauses.join("; "),
    })
}

/// The optimum as a short clause for the verdict line.
pub(crate) fn optimum_claim(optimum: &Optimum) -> String {
    let Optimum {
        sweep, workload, ..
    } = optimum;
    let place = optimum.shown_place();
    match (optimum.trust, optimum.certain) {
        (Trust::Invalid, _) => format!("no optimum of {sweep} at {workload}"),
        (trust, certain) => {
            let word = if certain { "" } else { "probably " };
            let doubt = match trust {
                Trust::Suspect => " (suspect)",
                Trust::Valid | Trust::Invalid => "",
            };
            format!("{place} is {word}the optimum of {sweep}{doubt} at {workload}")
        }
    }
}

/// Number of rounds and length of a slice: `8 rounds of 2 s`. Only the length of a slice for a run
/// with only maximum-rate searches, which has no rounds.
pub(crate) fn schedule(document: &Document) -> String {
    let run = &document.run;
    if run.is_imported() {
        return "by other tools, not interleaved".to_owned();
    }
    if run.planned_slices == 0 && !document.searches.is_empty() {
        format!(
            "maximum-rate search, slices of {}",
            seconds(run.slice_seconds)
        )
    } else {
        format!(
            "{} of {}",
            plural(u64::from(run.rounds), "round"),
            seconds(run.slice_seconds)
        )
    }
}

/// `2 s`, or that it is not known.
pub(crate) fn seconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| UNKNOWN.to_owned(), |seconds| format!("{seconds} s"))
}

/// Why the run ended; `None` for a fixed number of rounds.
pub(crate) fn ended(document: &Document) -> Option<String> {
    let run = &document.run;
    let within = percent(run.until?);
    let rounds = plural(u64::from(run.rounds), "round");
    match run.ended? {
        RunEnded::Planned => None,
        RunEnded::Precise => Some(format!(
            "ended after {rounds}: every primary metric has reached a precision of ± {within}"
        )),
        RunEnded::MostRounds => Some(format!(
            "ended after the maximum of {}: not every primary metric has reached a precision of ± \
             {within}",
            run.rounds
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_extreme_stands_without_an_interval() {
        let of = |condition: &str, extreme| {
            figure(&Expectation {
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
            })
        };
        assert_eq!(of("longest<1s", true), "500 ms");
        assert_eq!(of("max_of_medians<1s", false), "500 ms (interval unknown)");
    }
}
