//! Merges findings that hold for several workloads, targets and levels of a sweep.

use tenbin_plan::Plan;
use tenbin_result::{Finding, Message, message};

use crate::concurrency_sweep::level::swept_workloads;
use crate::findings::messages::Messages;
use crate::findings::precedence::tier;
use crate::findings::rule_info::Tier;

/// Maximum number of places (workload and target) that a merged finding names.
const NAMED: usize = 4;

/// Minimum number of consecutive levels that a finding names as a range ("get-c1 to get-c8").
const FEWEST_LEVELS: usize = 3;

/// Merges findings of one rule. Findings on circumstances or precision that say the same are merged
/// over all workloads and targets, because all share one machine; other findings are merged over the levels
/// of one sweep on one target. The text comes from the first of the most severe findings, with the
/// other places appended. The order of findings does not change.
pub(crate) fn gather(findings: Vec<Finding>, plan: &Plan) -> Vec<Finding> {
    let sweeps = ConcurrencySweeps::of(plan);
    let mut gathered: Vec<(Finding, Vec<Place>)> = Vec::new();
    for finding in findings {
        let is_once = matches!(tier(&finding), Tier::Circumstance | Tier::Precision);
        let same = gathered.iter_mut().find(|(first, _)| {
            let is_shared = is_once && says_the_same(first, &finding);
            first.rule == finding.rule && (is_shared || sweeps.are_levels(first, &finding))
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
        .map(|(mut finding, places)| {
            if let Some(also) = also(&finding, &places, &sweeps) {
                finding.evidence += &Messages::NONE.in_english(&also);
                if let Some(data) = &mut finding.data {
                    data.also = Some(also);
                }
            }
            finding
        })
        .collect()
}

/// Whether both findings have the same text but for its arguments: of another text, "likewise" would
/// be wrong.
fn says_the_same(one: &Finding, other: &Finding) -> bool {
    let id = |finding: &Finding| finding.data.as_ref().map(|data| data.evidence.id.clone());
    id(one) == id(other)
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

    fn named(&self) -> Message {
        match (&self.workload, &self.target) {
            (Some(workload), Some(target)) => {
                message!("place-on-target", workload, target)
            }
            (Some(one), None) | (None, Some(one)) => message!("place", name = one),
            (None, None) => message!("place-run"),
        }
    }
}

/// Names of the levels of every concurrency sweep, in ascending order.
struct ConcurrencySweeps(Vec<Vec<String>>);

impl ConcurrencySweeps {
    fn of(plan: &Plan) -> Self {
        let names = |sweep: Vec<&tenbin_plan::Workload>| {
            let names = sweep.into_iter().map(|workload| workload.name.clone());
            names.collect()
        };
        Self(
            swept_workloads(plan, FEWEST_LEVELS)
                .into_iter()
                .map(names)
                .collect(),
        )
    }

    /// (Position of the sweep that contains the workload, position of the level in the sweep);
    /// `None` outside sweeps.
    fn level(&self, workload: Option<&String>) -> Option<(usize, usize)> {
        let mut all = self.0.iter().enumerate();
        all.find_map(|(at, sweep)| {
            let level = sweep.iter().position(|name| Some(name) == workload)?;
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
fn also(finding: &Finding, places: &[Place], sweeps: &ConcurrencySweeps) -> Option<Message> {
    let (first, others) = places
        .split_first()
        .filter(|(_, others)| !others.is_empty())?;
    if finding.workload != first.workload
        && let [levels] = named(places, first, sweeps).as_slice()
    {
        return Some(message!("holds-for", places = levels.clone()));
    }
    let mut places = named(others, first, sweeps);
    if places.len() > NAMED {
        let more = places.len() - NAMED;
        places.truncate(NAMED);
        places.push(message!("more-places", count = more));
    }
    Some(message!("likewise", places))
}

/// The names of `places`; consecutive levels of a sweep become a range ("get-c1 to get-c8 on b").
fn named(places: &[Place], first: &Place, sweeps: &ConcurrencySweeps) -> Vec<Message> {
    // Sort by level instead of severity.
    let mut rest: Vec<Place> = places.to_vec();
    rest.sort_by_key(|place| {
        let mut targets = places.iter().map(|other| &other.target);
        let target = targets.position(|target| *target == place.target);
        let level = sweeps.level(place.workload.as_ref());
        level.map(|level| (target, level))
    });
    let mut named: Vec<Message> = Vec::new();
    while let Some(place) = rest.first().cloned() {
        let (covered, last) = sweeps.run(&place, first, &rest);
        if covered.len() < FEWEST_LEVELS {
            named.push(place.named());
            rest.remove(0);
            continue;
        }
        rest.retain(|place| !covered.contains(place));
        named.push(message!(
            "place-levels",
            first = place.workload.unwrap_or_default(),
            last,
            target = place.target.unwrap_or_default()
        ));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::{Cause, FindingData, Severity};

    fn finding(rule: &'static str, severity: Severity, place: Option<(&str, &str)>) -> Finding {
        Finding {
            rule: rule.to_owned(),
            severity,
            cause: Cause::Setup,
            workload: place.map(|(workload, _)| workload.to_owned()),
            target: place.map(|(_, target)| target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
            data: None,
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
    fn findings_of_one_rule_that_say_different_things_are_not_merged() {
        let run = Run::new(&["a", "b"], &["get"], 16);
        let with = |id: &str, target| {
            let data = FindingData {
                evidence: Message::new(id),
                advice: Message::new("do"),
                also: None,
            };
            Finding {
                data: Some(data),
                ..finding("short_slices", Severity::Suspect, Some(("get", target)))
            }
        };
        let found = gather(
            vec![with("rare-long", "b"), with("in-step", "a")],
            &run.plan,
        );
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].target.as_deref(), Some("b"));
        let found = gather(vec![with("in-step", "b"), with("in-step", "a")], &run.plan);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn levels_of_a_sweep_are_reported_in_one_line() {
        let levels = [(1, 250), (2, 400), (4, 700), (8, 900), (16, 1_000)];
        let run = Run::concurrency_sweep(&levels);
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
