//! The comparison of two runs in words: cells of its table, and sentences.

use tenbin_result::format::{RATE, TIME, UNKNOWN, percent, plural, ratio, ratio_interval};
use tenbin_result::{Doubt, Earlier, EarlierChange, EarlierPart, Trust, Withheld};

/// Column headers of the table of changes between two runs.
pub(crate) const COLUMNS: [&str; 9] = [
    "workload",
    "target",
    "part",
    "before",
    "after",
    "speed, after ÷ before",
    "control divided out",
    "interval",
    "verdict",
];

/// The row for one change in the table of [`COLUMNS`], not escaped.
pub(crate) fn cells(change: &EarlierChange) -> [String; 9] {
    let unit = if change.timed { TIME } else { RATE };
    [
        change.workload.clone(),
        change
            .target
            .clone()
            .unwrap_or_else(|| "not named".to_owned()),
        match change.part {
            EarlierPart::Changed => "changed",
            EarlierPart::Control => "control",
            EarlierPart::Unnamed => "",
        }
        .to_owned(),
        unit.with_interval(change.before),
        unit.with_interval(change.after),
        change
            .ratio
            .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value)),
        change
            .divided
            .map_or_else(String::new, |figure| ratio(figure.value)),
        // The interval that decides.
        ratio_interval(change.divided.or(change.ratio)),
        match change.part {
            EarlierPart::Control => "control".to_owned(),
            _ => change.change.words().to_owned(),
        },
    ]
}

/// Describes the controls in one sentence without a full stop.
fn of_controls(earlier: &Earlier) -> Option<String> {
    let range = earlier.controls?;
    let (count, low, high) = (range.count, ratio(range.low), ratio(range.high));
    let moved = match count {
        1 => format!("1 control changed by a factor of {low}"),
        _ => format!(
            "{} changed by factors of {low} to {high}",
            plural(count, "control")
        ),
    };
    Some(match earlier.shared.as_slice() {
        [] => format!(
            "{moved}; the others are divided by that range, extended to include no change; what is \
            left is drift of the machine if its interval includes 1"
        ),
        shared => format!(
            "{moved}; {} appears to be the same target in both runs, so its change is \
            attributed to the machine, and the others are divided by it block by block",
            shared.join(", ")
        ),
    })
}

/// Says which intervals hold simultaneously; `None` with fewer than two comparisons.
fn of_intervals(earlier: &Earlier) -> Option<String> {
    (earlier.together > 1).then(|| {
        format!(
            "The 95 % intervals of all {} comparisons hold simultaneously; those of controls hold alone",
            earlier.together
        )
    })
}

/// The INVALID and SUSPECT runs, in sentences without a full stop, INVALID first.
pub(crate) fn of_doubts(earlier: &Earlier) -> Vec<String> {
    let said = |doubt: &Doubt| {
        let so = match doubt.trust {
            Trust::Invalid => "; no verdict",
            Trust::Suspect | Trust::Valid => "",
        };
        format!("{}  {}{so}: {}", doubt.trust.word(), doubt.name, doubt.why)
    };
    earlier.doubts.iter().map(said).collect()
}

/// Why no change is called faster, slower or equivalent, in sentences without a full stop.
fn of_withheld(earlier: &Earlier) -> Vec<String> {
    let said = |reason: &Withheld| match reason {
        Withheld::NotValid(name) => Some(format!(
            "no change can be called faster or slower, because {name} is not VALID: repeat it"
        )),
        Withheld::ControlMoved {
            ratio: moved,
            limit,
        } => Some(format!(
            "no change can be called faster or slower, because a control changed by a factor of {}, \
             more than {}: the machine was not in the same state. Measure both versions in one run",
            ratio(*moved),
            ratio(*limit),
        )),
        Withheld::Unjudged(_) => None,
    };
    let mut sentences: Vec<String> = earlier.withheld.iter().filter_map(said).collect();
    let unjudged = earlier.withheld.iter().filter_map(|reason| match reason {
        Withheld::Unjudged(name) => Some(name.as_str()),
        Withheld::NotValid(_) | Withheld::ControlMoved { .. } => None,
    });
    let unjudged: Vec<&str> = unjudged.collect();
    if !unjudged.is_empty() {
        sentences.push(format!(
            "no change can be called faster or slower, because tenbin did not measure {}: measure both \
             versions with tenbin, in one run",
            unjudged.join(" and ")
        ));
    }
    sentences
}

/// Describes the variation from run to run that the intervals include, in one sentence without a
/// full stop; `None` if nothing is divided by a control.
fn of_run_to_run(earlier: &Earlier) -> Option<String> {
    let known = earlier.changes.iter().filter_map(|each| each.run_to_run);
    let widest = known.max_by(|one, other| one.least_factor.total_cmp(&other.least_factor))?;
    let (deviation, least) = (percent(widest.deviation), ratio(widest.least_factor));
    Some(match widest.freedom {
        None => format!(
            "One run is one observation: the intervals include a variation from run to run of {deviation} \
             (standard deviation), which is assumed because fewer than five VALID runs of this \
             experiment are known. Two runs show no change below a factor of {least}; to find a smaller \
             one, measure both versions in one run"
        ),
        Some(freedom) => format!(
            "One run is one observation: the intervals include a variation from run to run of {deviation} \
             (standard deviation), measured in earlier runs of this experiment ({freedom} degrees of \
             freedom). Two runs show no change below a factor of {least}; to find a smaller one, measure \
             both versions in one run"
        ),
    })
}

/// Notes on the table of changes, in sentences without a full stop.
pub(crate) fn remarks(earlier: &Earlier) -> Vec<String> {
    let warnings = earlier.warnings.iter();
    of_withheld(earlier)
        .into_iter()
        .chain(of_controls(earlier))
        .chain(of_run_to_run(earlier))
        .chain(of_intervals(earlier))
        .chain(warnings.map(|warning| format!("note: {warning}")))
        .collect()
}
