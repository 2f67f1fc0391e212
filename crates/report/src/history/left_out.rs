//! Which runs are in no series, and why.

use tenbin_result::{History, Language, LeftOut, LeftOutWhy, Message, Value, message};

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
    let mut reasons: Vec<(Message, u64, &str)> = Vec::new();
    for each in own {
        let why = why(each);
        match reasons.iter_mut().find(|(known, ..)| *known == why) {
            Some((_, count, newest)) => {
                *count += 1;
                *newest = each.run.as_str();
            }
            None => reasons.push((why, 1, each.run.as_str())),
        }
    }
    let said = |(why, count, run): (Message, u64, &str)| {
        let sentence = message!("history-left-out", count, why, run);
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
        LeftOutWhy::OtherSettings { key, value, newest } => message!(
            "history-other-settings",
            key = key.as_str(),
            value = given(value.as_ref()),
            newest = given(newest.as_ref())
        ),
    }
}

fn given(value: Option<&String>) -> Value {
    match value {
        Some(value) => Value::Text(format!("{value:?}")),
        None => message!("not-given").into(),
    }
}
