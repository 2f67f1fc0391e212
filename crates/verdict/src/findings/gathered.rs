//! Merges findings that hold for several workloads, targets and levels of a sweep.

use tenbin_plan::Plan;
use tenbin_result::Finding;

use crate::findings::precedence::{Tier, tier};
use crate::sweep::ladder::ladders;

/// Maximum number of places (workload and target) that a merged finding names.
const NAMED: usize = 4;

/// Minimum number of consecutive levels that a finding names as a range ("get-c1 to get-c8").
const FEWEST_LEVELS: usize = 3;

/// Merges findings of one rule. Findings on circumstances or precision are merged over all
/// workloads and targets, because all share one machine; other findings are merged over the levels
/// of one sweep on one target. The text comes from the first of the most severe findings, with the
/// other places appended. The order of findings does not change.
pub(crate) fn gather(findings: Vec<Finding>, plan: &Plan) -> Vec<Finding> {
    let ladders = Ladders::of(plan);
    let mut gathered: Vec<(Finding, Vec<Place>)> = Vec::new();
    for finding in findings {
        let is_once = matches!(tier(&finding), Tier::Circumstance | Tier::Precision);
        let same = gathered.iter_mut().find(|(first, _)| {
            first.rule == finding.rule && (is_once || ladders.are_levels(first, &finding))
        });
        match same {
            None => {
                let own = Place::of(&finding);
                gathered.push((finding, vec![own]));
            }
            Some((first, places)) => {
                places.push(Place::of(&finding));
                if is_once {
                    first.workload = first
                        .workload
                        .take()
                        .filter(|w| finding.workload.as_ref() == Some(w));
                    first.target = first
                        .target
                        .take()
                        .filter(|t| finding.target.as_ref() == Some(t));
                }
            }
        }
    }
    gathered
        .into_iter()
        .map(|(finding, places)| {
            let also = also(&finding, &places, &ladders);
            Finding {
                evidence: finding.evidence + &also,
                ..finding
            }
        })
        .collect()
}

/// The workload and target of a finding; `None` stands for all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    workload: Option<String>,
    target: Option<String>,
}

impl Place {
    fn of(finding: &Finding) -> Self {
        Self {
            workload: finding.workload.clone(),
            target: finding.target.clone(),
        }
    }

    fn name(&self) -> String {
        match (&self.workload, &self.target) {
            (Some(workload), Some(target)) => format!("{workload} on {target}"),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => "the whole run".to_owned(),
        }
    }
}

/// Names of the levels of every concurrency sweep, in ascending order.
struct Ladders(Vec<Vec<String>>);

impl Ladders {
    fn of(plan: &Plan) -> Self {
        let names = |ladder: Vec<&tenbin_plan::Workload>| {
            let names = ladder.into_iter().map(|workload| workload.name.clone());
            names.collect()
        };
        Self(
            ladders(plan, FEWEST_LEVELS)
                .into_iter()
                .map(names)
                .collect(),
        )
    }

    /// (Position of the sweep that contains the workload, position of the level in the sweep);
    /// `None` outside sweeps.
    fn level(&self, workload: Option<&String>) -> Option<(usize, usize)> {
        let mut all = self.0.iter().enumerate();
        all.find_map(|(at, ladder)| {
            let level = ladder.iter().position(|name| Some(name) == workload)?;
            Some((at, level))
        })
    }

    /// Whether both findings concern levels of one sweep on one target.
    fn are_levels(&self, one: &Finding, other: &Finding) -> bool {
        let sweep = |finding: &Finding| Some(self.level(finding.workload.as_ref())?.0);
        let is_one_sweep = sweep(one).is_some_and(|at| sweep(other) == Some(at));
        is_one_sweep && one.target == other.target && one.cause == other.cause
    }

    /// The consecutive levels from `from` on that `places` contains, and the name of the last of
    /// these levels. The level of `first` does not end the sequence, even if missing in `places`.
    fn run<'a>(&'a self, from: &Place, first: &Place, places: &[Place]) -> (Vec<Place>, &'a str) {
        let Some((sweep, level)) = self.level(from.workload.as_ref()) else {
            return (vec![from.clone()], "");
        };
        let mut covered = Vec::new();
        let mut last = "";
        for name in &self.0[sweep][level..] {
            let place = Place {
                workload: Some(name.clone()),
                target: from.target.clone(),
            };
            match (places.contains(&place), place == *first) {
                (true, _) => {
                    last = name;
                    covered.push(place);
                }
                (false, true) => {}
                (false, false) => break,
            }
        }
        (covered, last)
    }
}

/// The clause that names the other places of a merged finding: all places except the first, or all
/// places if they are levels of one sweep and the text comes from another level than the first.
fn also(finding: &Finding, places: &[Place], ladders: &Ladders) -> String {
    let Some((first, others)) = places
        .split_first()
        .filter(|(_, others)| !others.is_empty())
    else {
        return String::new();
    };
    if finding.workload != first.workload
        && let [levels] = names(places, first, ladders).as_slice()
    {
        return format!("; this holds for {levels}");
    }
    let mut named = names(others, first, ladders);
    if named.len() > NAMED {
        let more = named.len() - NAMED;
        named.truncate(NAMED);
        named.push(format!("{more} more"));
    }
    format!("; likewise {}", named.join(", "))
}

/// The names of `places`; consecutive levels of a sweep become a range ("get-c1 to get-c8 on b").
fn names(places: &[Place], first: &Place, ladders: &Ladders) -> Vec<String> {
    // Sort by level instead of severity.
    let mut rest: Vec<Place> = places.to_vec();
    rest.sort_by_key(|place| {
        let mut targets = places.iter().map(|other| &other.target);
        let target = targets.position(|target| *target == place.target);
        let level = ladders.level(place.workload.as_ref());
        level.map(|level| (target, level))
    });
    let mut named: Vec<String> = Vec::new();
    while let Some(place) = rest.first().cloned() {
        let (covered, last) = ladders.run(&place, first, &rest);
        if covered.len() < FEWEST_LEVELS {
            named.push(place.name());
            rest.remove(0);
            continue;
        }
        rest.retain(|place| !covered.contains(place));
        let levels = Place {
            workload: place.workload.map(|from| format!("{from} to {last}")),
            ..place
        };
        named.push(levels.name());
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::{Cause, Severity};

    fn finding(rule: &'static str, severity: Severity, place: Option<(&str, &str)>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            cause: Cause::Setup,
            workload: place.map(|(workload, _)| workload.to_owned()),
            target: place.map(|(_, target)| target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
        }
    }

    #[test]
    fn circumstances_are_merged_and_causes_are_not() {
        use Severity::Note;
        let places = [("get", "a"), ("get", "b"), ("put", "b")];
        let each = |rule| places.map(|place| finding(rule, Note, Some(place)));
        let run = Run::new(&["a", "b"], &["get", "put"], 16);
        let findings = [each("machine_full"), each("server_cpu")].concat();
        let gathered = gather(findings, &run.plan);
        assert_eq!(gathered.len(), 4);
        assert_eq!(gathered[0].evidence, "seen; likewise get on b, put on b");
        assert_eq!((&gathered[0].workload, &gathered[0].target), (&None, &None));
        assert_eq!(gathered[1].evidence, "seen");
    }

    #[test]
    fn levels_of_a_sweep_are_reported_in_one_line() {
        let levels = [(1, 250), (2, 400), (4, 700), (8, 900), (16, 1_000)];
        let run = Run::ladder(&levels);
        let names = ["c2", "c4", "c8", "c16"];
        let each = |rule| names.map(|name| finding(rule, Severity::Note, Some((name, "a"))));
        let findings = [each("machine_full"), each("server_cpu")].concat();
        let gathered = gather(findings, &run.plan);
        let lines: Vec<&str> = gathered.iter().map(|it| it.evidence.as_str()).collect();
        assert_eq!(
            lines,
            [
                "seen; this holds for c2 to c16 on a",
                "seen; likewise c4 to c16 on a"
            ]
        );
        assert_eq!(
            gathered[1].workload.as_deref(),
            Some("c2"),
            "its words are of that level"
        );
        // The most severe level, in the middle, provides the text.
        let mut worse = each("server_cpu").to_vec();
        worse.swap(0, 2);
        assert_eq!(
            gather(worse, &run.plan)[0].evidence,
            "seen; likewise c2 to c16 on a"
        );
        let apart =
            ["c1", "c4", "c16"].map(|it| finding("errors", Severity::Note, Some((it, "a"))));
        assert_eq!(
            gather(apart.to_vec(), &run.plan)[0].evidence,
            "seen; likewise c4 on a, c16 on a"
        );
    }
}
