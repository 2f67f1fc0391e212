//! Goals for the measured figures, and their evaluation.

/// A goal of a row for the figures of its contenders. Texts are names of contenders.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    /// The first contender's figure is at most this multiple of the second contender's.
    AtMostTimes(&'static str, f64, &'static str),
    /// The first contender's figure is at least this multiple of the second contender's.
    AtLeastTimes(&'static str, f64, &'static str),
    /// The first contender's figure exceeds the second contender's by at most this amount.
    AtMostAbove(&'static str, f64, &'static str),
    /// The contender's figure is below that of every contender not in the list.
    BelowAllBut(&'static str, &'static [&'static str]),
    /// The first contender's figure is at most this multiple of a figure of the second contender
    /// from another machine. Only an indication, because the machines differ.
    AtMostTimesElsewhere(&'static str, f64, &'static str, f64),
    /// The contender's figure is at most this number.
    AtMost(&'static str, f64),
    /// The contender's figure is at least this number.
    AtLeast(&'static str, f64),
}

/// A goal and its evaluation.
#[derive(Debug, PartialEq)]
pub(crate) struct Judged {
    /// The goal in words.
    pub(crate) goal: String,
    /// The measured value, or the reason why there is no value.
    pub(crate) measured: String,
    /// Whether the goal is met; `None` without a value.
    pub(crate) met: Option<bool>,
}

/// The figures of a row: name of each contender, and its figure in every turn or the reason why
/// there is none.
pub(crate) type Figures = [(String, Result<Vec<f64>, String>)];

impl Goal {
    /// Evaluates the goal. Ratios and differences are computed within each turn, because the
    /// machine changes least within a turn; their median counts.
    pub(crate) fn judge(&self, figures: &Figures, unit: &str) -> Judged {
        match *self {
            Self::AtMostTimes(ours, times, theirs) => pair(
                figures,
                (ours, theirs),
                format!("{ours} ≤ {times} × {theirs}"),
                |one, other| one / other,
                |ratio| (format!("{ratio:.3} ×"), ratio <= times),
            ),
            Self::AtLeastTimes(ours, times, theirs) => pair(
                figures,
                (ours, theirs),
                format!("{ours} ≥ {times} × {theirs}"),
                |one, other| one / other,
                |ratio| (format!("{ratio:.3} ×"), ratio >= times),
            ),
            Self::AtMostAbove(ours, limit, theirs) => pair(
                figures,
                (ours, theirs),
                format!("{ours} ≤ {theirs} + {limit} {unit}"),
                |one, other| one - other,
                |above| (format!("{above:+.3} {unit}"), above <= limit),
            ),
            Self::BelowAllBut(ours, others) => below_all(figures, ours, others),
            Self::AtMostTimesElsewhere(ours, times, theirs, seen) => alone(
                figures,
                ours,
                format!("{ours} ≤ {times} × {theirs}'s {seen} {unit}, seen elsewhere"),
                |figure| {
                    let ratio = figure / seen;
                    (format!("{ratio:.3} ×"), ratio <= times)
                },
            ),
            Self::AtMost(who, limit) => {
                alone(figures, who, format!("{who} ≤ {limit} {unit}"), |figure| {
                    (format!("{figure:.3} {unit}"), figure <= limit)
                })
            }
            Self::AtLeast(who, limit) => {
                alone(figures, who, format!("{who} ≥ {limit} {unit}"), |figure| {
                    (format!("{figure:.3} {unit}"), figure >= limit)
                })
            }
        }
    }
}

fn alone(
    figures: &Figures,
    who: &str,
    goal: String,
    judge: impl Fn(f64) -> (String, bool),
) -> Judged {
    let turns = match turns_of(figures, who) {
        Ok(turns) => turns,
        Err(why) => return unmeasured(goal, why),
    };
    let (measured, met) = judge(median(turns));
    Judged {
        goal,
        measured,
        met: Some(met),
    }
}

fn pair(
    figures: &Figures,
    (ours, theirs): (&str, &str),
    goal: String,
    combine: impl Fn(f64, f64) -> f64,
    judge: impl Fn(f64) -> (String, bool),
) -> Judged {
    let (one, other) = match (turns_of(figures, ours), turns_of(figures, theirs)) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(why), _) | (_, Err(why)) => return unmeasured(goal, why),
    };
    let each: Vec<f64> = one
        .iter()
        .zip(other)
        .map(|(&one, &other)| combine(one, other))
        .collect();
    let (measured, met) = judge(median(&each));
    Judged {
        goal,
        measured,
        met: Some(met),
    }
}

fn below_all(figures: &Figures, ours: &str, others: &[&str]) -> Judged {
    let goal = format!("{ours} < every peer");
    let own = match turns_of(figures, ours) {
        Ok(turns) => turns,
        Err(why) => return unmeasured(goal, why),
    };
    let ratios = figures
        .iter()
        .filter(|(name, _)| name != ours && !others.contains(&name.as_str()))
        .filter_map(|(name, turns)| Some((name, turns.as_ref().ok()?)))
        .map(|(name, turns)| {
            let each: Vec<f64> = own
                .iter()
                .zip(turns)
                .map(|(own, peer)| own / peer)
                .collect();
            (name, median(&each))
        });
    match ratios.max_by(|(_, one), (_, other)| one.total_cmp(other)) {
        Some((name, ratio)) => Judged {
            goal,
            measured: format!("{ratio:.3} × {name}, the nearest"),
            met: Some(ratio < 1.0),
        },
        None => unmeasured(goal, "no figure of any peer".to_owned()),
    }
}

fn unmeasured(goal: String, why: String) -> Judged {
    // Only the first line: the output of a failed program can be long.
    let why = why.lines().next().unwrap_or_default();
    Judged {
        goal,
        measured: why.replace('|', "\\|"),
        met: None,
    }
}

fn turns_of<'a>(figures: &'a Figures, who: &str) -> Result<&'a [f64], String> {
    match figures.iter().find(|(name, _)| name == who) {
        Some((_, turns)) => turns.as_deref().map_err(String::clone),
        None => Err(format!("no figure of {who}")),
    }
}

/// The median of the figures.
pub(crate) fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Vec<(String, Result<Vec<f64>, String>)> {
        // In the second turn, the machine was three times slower.
        vec![
            ("ours".to_owned(), Ok(vec![5.0, 15.3, 5.2])),
            ("loop".to_owned(), Ok(vec![5.0, 15.0, 5.0])),
            ("fast".to_owned(), Ok(vec![5.1, 15.9, 5.4])),
            ("slow".to_owned(), Ok(vec![9.0, 27.0, 9.0])),
            ("absent".to_owned(), Err("absent is not here".to_owned())),
        ]
    }

    fn met(goal: &Goal) -> Option<bool> {
        goal.judge(&figures(), "µs").met
    }

    #[test]
    fn ratios_and_differences_are_of_the_same_turn() {
        assert_eq!(met(&Goal::AtMostTimes("ours", 1.03, "loop")), Some(true));
        assert_eq!(met(&Goal::AtMostTimes("ours", 1.01, "loop")), Some(false));
        assert_eq!(met(&Goal::AtLeastTimes("slow", 1.79, "loop")), Some(true));
        assert_eq!(met(&Goal::AtLeastTimes("slow", 1.81, "loop")), Some(false));
        assert_eq!(met(&Goal::AtMostAbove("ours", 0.25, "loop")), Some(true));
        assert_eq!(met(&Goal::AtMostAbove("ours", 0.15, "loop")), Some(false));
    }

    #[test]
    fn the_nearest_peer_decides() {
        assert_eq!(met(&Goal::BelowAllBut("ours", &["loop"])), Some(true));
        assert_eq!(met(&Goal::BelowAllBut("ours", &[])), Some(false));
        assert_eq!(met(&Goal::BelowAllBut("slow", &["loop"])), Some(false));
    }

    #[test]
    fn limits_hold_for_the_median() {
        assert_eq!(met(&Goal::AtMost("ours", 5.2)), Some(true));
        assert_eq!(met(&Goal::AtMost("ours", 5.1)), Some(false));
        assert_eq!(met(&Goal::AtLeast("ours", 5.2)), Some(true));
        assert_eq!(met(&Goal::AtLeast("ours", 5.3)), Some(false));
        let quarter_of = |seen| Goal::AtMostTimesElsewhere("ours", 0.25, "peer", seen);
        assert_eq!(met(&quarter_of(20.9)), Some(true));
        assert_eq!(met(&quarter_of(20.7)), Some(false));
    }

    #[test]
    fn what_was_not_measured_is_neither_met_nor_missed() {
        assert_eq!(met(&Goal::AtMostTimes("ours", 9.0, "absent")), None);
        assert_eq!(met(&Goal::AtMost("nobody", 9.0)), None);
        assert_eq!(met(&Goal::BelowAllBut("absent", &[])), None);
        let judged = Goal::AtMostTimes("ours", 9.0, "absent").judge(&figures(), "µs");
        assert_eq!(judged.measured, "absent is not here");
    }
}
