//! Which runs are in no series, and why.

use std::collections::BTreeSet;

use tenbin_result::{History, Language, LeftOut, LeftOutWhy, Message, message};

use crate::differing_settings::differences;
use crate::language::say_in;

/// One sentence for each reason, of the runs that are left out of one series, or of all.
pub(super) fn left_out(
    history: &History,
    series: Option<(&str, &str)>,
    language: Language,
) -> Vec<String> {
    let own = history.left_out.iter().filter(|each| {
        let of = each.series.as_ref();
        of.map(|(target, workload)| (target.as_str(), workload.as_str())) == series
    });
    // Two figures of one workload are two series, which leave out the same runs.
    let mut reasons: Vec<(Message, BTreeSet<&str>, &str)> = Vec::new();
    for each in own {
        let (why, run) = (why(each), each.run.as_str());
        match reasons.iter_mut().find(|(known, ..)| *known == why) {
            Some((_, runs, newest)) => {
                runs.insert(run);
                *newest = run;
            }
            None => reasons.push((why, BTreeSet::from([run]), run)),
        }
    }
    let said = |(why, runs, run): (Message, BTreeSet<&str>, &str)| {
        let sentence = message!("history-left-out", count = runs.len() as u64, why, run);
        say_in(language, &sentence)
    };
    reasons.into_iter().map(said).collect()
}

fn why(run: &LeftOut) -> Message {
    match &run.why {
        LeftOutWhy::NoResult => message!("history-no-result"),
        LeftOutWhy::Unreadable => message!("history-unreadable"),
        LeftOutWhy::Invalid => message!("history-invalid"),
        LeftOutWhy::NoRatio => message!("history-no-ratio"),
        LeftOutWhy::NoFigure => message!("history-no-figure"),
        LeftOutWhy::OtherSettings { key, value, newest } => {
            other_settings(key, value.as_deref(), newest.as_deref())
        }
    }
}

/// The first difference in a setting, which for headers is that of one header.
fn other_settings(key: &str, value: Option<&str>, newest: Option<&str>) -> Message {
    let first = differences(key, value, newest).swap_remove(0);
    message!(
        "history-other-settings",
        key = first.name(),
        value = first.then,
        newest = first.now
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_two_figures_leave_out_counts_once() {
        let own = || ("app".to_owned(), "get".to_owned());
        let left = |run: &str| LeftOut {
            run: run.to_owned(),
            series: Some(own()),
            why: LeftOutWhy::Invalid,
        };
        let of = |runs: &[&str]| {
            let history = History {
                left_out: runs.iter().map(|run| left(run)).collect(),
                ..History::default()
            };
            left_out(&history, Some(("app", "get")), Language::English)
        };
        let once = of(&["first", "second"]);
        assert_eq!(once.len(), 1, "{once:?}");
        assert!(
            once[0].contains("second") && once[0].contains('2'),
            "{once:?}"
        );
        assert_eq!(of(&["first", "second", "first", "second"]), once);
    }
}
