//! In which order findings are reported, and which of them are reported once for the whole run.
//!
//! The first finding is read by everybody and the last by few. What set a ratio or a limit
//! therefore stands before the circumstances under which it was measured: a machine that other
//! programs use does not explain why one target does twice the work of another, a closed connection
//! does. Severity decides within a tier only, but for one case: what makes the numbers unusable
//! (INVALID) always comes first.

use std::cmp::Reverse;

use tenbin_plan::Plan;

use crate::finding::{Blame, Finding, Severity};
use crate::ladder::ladders;
use crate::rules::RULES;

/// What a finding is about, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// Whether the work was done, was the same for all targets, and was counted correctly.
    Work,
    /// What set the ratio or the limit: a property of a target, of the load or of the route.
    Cause,
    /// What else happened on the machines: it adds noise and shifts absolute figures.
    Circumstance,
    /// Whether there are enough slices and samples for an answer.
    Precision,
    /// What the run was to find out.
    Result,
}

/// Every rule in its tier; within a tier and a severity the order is that of [`RULES`].
const TIERS: &[(Tier, &[&str])] = &[
    (
        Tier::Work,
        &[
            "errors",
            "mixed_responses",
            "unequal_answers",
            "unequal_hits",
            "unequal_requests",
            "no_hits",
            "changed_answers",
            "cache_forecast",
            "cache_share",
            "little",
            "censored",
            "incomplete",
        ],
    ),
    (
        Tier::Cause,
        &[
            "port_exhaustion",
            "client_saturated",
            "throttled",
            "network_latency",
            "bandwidth",
            "accept_queue",
            "overload",
            "keep_alive",
            "proxy_hop",
            "unequal_paths",
            "unbalanced_hosts",
            "uneven_hosts",
            "tail_signature",
            "slow_stage",
            "worker_limit",
            "server_cpu",
            "backend_cpu",
            "stalls",
            "storage_pressure",
            "uneven_workers",
            "too_few_connections",
            "rate_too_low",
            "coordinated_waiting",
            "quantised",
        ],
    ),
    (
        Tier::Circumstance,
        &[
            "send_lag",
            "swapping",
            "retransmits",
            "steal",
            "busy_idle_target",
            "short_slices",
            "cpu_frequency",
            "disk_space",
            "warm_up",
            "carry_over",
            "twin",
            "flagged_slices",
            "slowing",
            "drift",
            "shared_cores",
            "absolute_figures",
            "machine_full",
            "others_busy",
        ],
    ),
    (
        Tier::Precision,
        &["too_few_samples", "too_wide", "unobserved"],
    ),
    (
        Tier::Result,
        &[
            "optimum_concurrency",
            "sweep_optimum",
            "hysteresis",
            "highest_rate",
            "small_objects",
            "medium_objects",
            "large_objects",
        ],
    ),
];

/// Places that are named when a finding was made in several.
const NAMED: usize = 4;

/// Levels of a sweep of connections that are named by the first and the last of them.
const FEWEST_LEVELS: usize = 3;

/// That of the rule, but for a pause that is not known to be the target's.
fn tier(finding: &Finding) -> Tier {
    match (finding.rule, finding.blame) {
        ("stalls", Blame::Generator) => Tier::Circumstance,
        (rule, _) => tier_of(rule),
    }
}

/// A rule of no tier is a cause: what nobody has placed is not hidden.
fn tier_of(rule: &str) -> Tier {
    let found = TIERS.iter().find(|(_, rules)| rules.contains(&rule));
    found.map_or(Tier::Cause, |(tier, _)| *tier)
}

/// Sorts findings into the order of the report.
pub(crate) fn sort(findings: &mut [Finding]) {
    let place = |finding: &Finding| {
        let mut rules = RULES.iter();
        rules.position(|rule| rule.name() == finding.rule)
    };
    findings.sort_by_key(|finding| {
        (
            finding.severity != Severity::Invalid,
            tier(finding),
            Reverse(finding.severity),
            place(finding),
        )
    });
}

/// Makes one finding of those that a rule on circumstances or precision made for several workloads
/// and targets: the machine is the same for all of them. Of any other rule it makes one of those on
/// several levels of a sweep of connections on one target. The first of the most severe gives its
/// words, the places of the others are named behind. The order stays.
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

/// Where a finding was made.
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

/// Names of the levels of every sweep of connections, the fewest first.
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

    /// The sweep with this level, and its place there.
    fn level(&self, workload: Option<&String>) -> Option<(usize, usize)> {
        let mut all = self.0.iter().enumerate();
        all.find_map(|(at, ladder)| {
            let level = ladder.iter().position(|name| Some(name) == workload)?;
            Some((at, level))
        })
    }

    /// Whether both were made on levels of one sweep on one target.
    fn are_levels(&self, one: &Finding, other: &Finding) -> bool {
        let sweep = |finding: &Finding| Some(self.level(finding.workload.as_ref())?.0);
        let is_one_sweep = sweep(one).is_some_and(|at| sweep(other) == Some(at));
        is_one_sweep && one.target == other.target && one.blame == other.blame
    }

    /// The place and what follows of the levels after it: how many of `places` these are, the
    /// first left out of the count where it is only passed, and the last level.
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

/// The places but the first; all of them where they are the levels of one sweep, and the finding is
/// no longer that of the first.
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

/// The names of these places: consecutive levels of a sweep have one.
fn names(places: &[Place], first: &Place, ladders: &Ladders) -> Vec<String> {
    // In the order of the levels, whatever the order of severities.
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::finding::Blame;
    use crate::testing::Run;

    #[test]
    fn every_rule_has_one_tier() {
        let placed: Vec<&str> = TIERS
            .iter()
            .flat_map(|(_, rules)| rules.iter().copied())
            .collect();
        let once: BTreeSet<&str> = placed.iter().copied().collect();
        assert_eq!(once.len(), placed.len());
        let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.name()).collect();
        assert_eq!(rules, once);
    }

    fn finding(rule: &'static str, severity: Severity, place: Option<(&str, &str)>) -> Finding {
        Finding {
            rule,
            severity,
            blame: Blame::Setup,
            workload: place.map(|(workload, _)| workload.to_owned()),
            target: place.map(|(_, target)| target.to_owned()),
            evidence: "seen".to_owned(),
            advice: "do".to_owned(),
        }
    }

    #[test]
    fn causes_stand_before_circumstances_whatever_their_severity() {
        use Severity::{Invalid, Note, Suspect};
        let mut findings = [
            finding("too_wide", Note, None),
            finding("steal", Suspect, None),
            finding("server_cpu", Note, None),
            finding("others_busy", Suspect, None),
            finding("machine_full", Note, None),
            finding("keep_alive", Note, None),
            finding("send_lag", Invalid, None),
            finding("errors", Suspect, None),
        ];
        sort(&mut findings);
        let order: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(
            order,
            [
                "send_lag",
                "errors",
                "keep_alive",
                "server_cpu",
                "steal",
                "others_busy",
                "machine_full",
                "too_wide"
            ]
        );
    }

    #[test]
    fn a_circumstance_is_reported_once_and_a_cause_for_each_place() {
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
        // The severest level gives the words, and stands in the middle.
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

    #[test]
    fn a_generator_that_waits_for_cores_is_named_before_closed_connections() {
        let mut run = Run::single(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.answers(1_000, 0.001);
            slice.0.ledger.opened = 1_000;
            slice.0.ledger.connect_nanos = 1_000_000_000;
            slice.waiting_thread(0.62, 0.35);
            slice.others(0.8);
        });
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(
            rules[..2],
            ["client_saturated", "keep_alive"],
            "{findings:?}"
        );
        assert!(
            !rules.contains(&"machine_full"),
            "others explain it: {rules:?}"
        );
    }

    #[test]
    fn a_pause_that_may_be_the_machines_stands_with_the_circumstances() {
        let pause = |blame| Finding {
            blame,
            ..finding("stalls", Severity::Suspect, None)
        };
        let mut findings = [
            pause(Blame::Generator),
            finding("server_cpu", Severity::Note, None),
        ];
        sort(&mut findings);
        assert_eq!(findings[0].rule, "server_cpu");
        findings[1] = pause(Blame::Server);
        sort(&mut findings);
        assert_eq!(findings[0].rule, "stalls");
    }

    /// 40 % of the machine's CPU time goes to another program, 3 % to other machines.
    pub(super) fn disturb(run: &mut Run) {
        run.each(|slice| {
            let machine = slice.machine();
            machine.others_cpu_seconds = Some(0.8);
            machine.cpu.as_mut().unwrap().steal = 0.06;
        });
    }

    #[test]
    fn a_target_that_closes_connections_is_named_before_a_busy_machine() {
        let mut run = Run::pair(8);
        disturb(&mut run);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 1_000;
        });
        let findings = run.assess().findings;
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(
            rules,
            ["keep_alive", "steal", "others_busy"],
            "{findings:?}"
        );
    }

    #[test]
    fn too_wide_is_reported_once_and_every_comparison_keeps_its_trust() {
        let mut run = Run::new(&["a", "b"], &["get", "put", "list"], 16);
        run.each_of("b", |slice| {
            let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
            slice.answers((1_000.0 * share) as u64, 0.002 / share);
        });
        let findings = run.assess().findings;
        let wide: Vec<&Finding> = findings.iter().filter(|f| f.rule == "too_wide").collect();
        assert_eq!(wide.len(), 1, "{wide:?}");
        assert!(wide[0].evidence.ends_with("; likewise put on b, list on b"));

        let mut run = Run::new(&["a", "b"], &["get", "put"], 16);
        run.each(|slice| {
            if slice.0.workload == "put" {
                slice.machine().others_cpu_seconds = Some(0.8);
            }
        });
        let trusts: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        use crate::finding::Trust::{Suspect, Valid};
        assert_eq!(trusts, [Valid, Suspect]);
    }
}
