//! Expectations and optima in words.

use crate::document::{
    Document, Expectation, ExpectedUnit, Figure, Optimum, RunEnded, Standing, Trust,
};
use crate::words::{BANDWIDTH, RATE, SHARE, TIME, UNKNOWN, percent, plural, ratio, ratio_interval};

/// The word for what came of an expectation.
pub(crate) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Met => "met",
        Standing::NotMet => "NOT MET",
        Standing::CannotTell => "cannot tell",
    }
}

/// What it is about: `p99<20ms by b at get`.
pub(crate) fn subject(expectation: &Expectation) -> String {
    let Expectation {
        condition,
        target,
        workload,
        ..
    } = expectation;
    format!("{condition} by {target} at {workload}")
}

/// The figure with its interval.
pub(crate) fn figure(expectation: &Expectation) -> String {
    let figure = expectation.figure;
    match expectation.unit {
        ExpectedUnit::PerSecond => RATE.with_interval(figure),
        ExpectedUnit::Seconds if expectation.condition.starts_with("max") => {
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
        |known| {
            format!(
                "{}x ({})",
                ratio(known.value),
                match known.interval {
                    Some(_) => ratio_interval(figure),
                    None => "interval unknown".to_owned(),
                }
            )
        },
    )
}

/// The figure, and why the run cannot tell if it cannot.
pub(crate) fn outcome(expectation: &Expectation) -> String {
    let figure = figure(expectation);
    match &expectation.why {
        Some(why) => format!("{figure}; {why}"),
        None => figure,
    }
}

/// All expectations in one clause, those not met by name; `None` without any.
pub(crate) fn expectations_clause(document: &Document) -> Option<String> {
    let all = &document.expectations;
    if all.is_empty() {
        return None;
    }
    let of = |wanted: Standing| {
        let mine = all.iter().filter(move |each| each.standing == wanted);
        mine.map(subject).collect::<Vec<_>>().join(", ")
    };
    let clauses: Vec<String> = [Standing::NotMet, Standing::CannotTell]
        .into_iter()
        .map(|wanted| (wanted, of(wanted)))
        .filter(|(_, named)| !named.is_empty())
        .map(|(wanted, named)| match wanted {
            Standing::CannotTell => format!("cannot tell whether {named}"),
            _ => format!("{}: {named}", standing(wanted)),
        })
        .collect();
    Some(match clauses.as_slice() {
        [] => match all.len() {
            1 => "what was expected is met".to_owned(),
            n => format!("all {} are met", plural(n as u64, "expectation")),
        },
        clauses => clauses.join("; "),
    })
}

/// The optimum in few words, for the line that says everything.
pub(crate) fn optimum_claim(optimum: &Optimum) -> String {
    let Optimum {
        place,
        sweep,
        workload,
        ..
    } = optimum;
    match (optimum.trust, optimum.certain) {
        (Trust::Invalid, _) => format!("no optimum of {sweep} at {workload}"),
        (trust, certain) => {
            let word = if certain { "" } else { "probably " };
            let doubt = match trust {
                Trust::Suspect => " (suspect)",
                Trust::Valid | Trust::Invalid => "",
            };
            let last = match optimum.targets.as_slice() {
                [_, .., last] if *last == optimum.target => ", the largest that was tried,",
                _ => "",
            };
            format!("{place}{last} is {word}the optimum of {sweep}{doubt} at {workload}")
        }
    }
}

/// Why the run ended, where that was open.
pub(crate) fn ended(document: &Document) -> Option<String> {
    let run = &document.run;
    let within = percent(run.until?);
    let rounds = plural(u64::from(run.rounds), "round");
    match run.ended? {
        RunEnded::Planned => None,
        RunEnded::Precise => Some(format!(
            "ended after {rounds}: every deciding figure is known to ± {within}"
        )),
        RunEnded::MostRounds => Some(format!(
            "ended after the most rounds, {}: not every deciding figure is known to ± {within}",
            run.rounds
        )),
    }
}
