//! Which target suits which use case of an object store, according to the comparisons.

use tenbin_plan::{Direction, Facts, Plan};

use tenbin_result::format::{ENGLISH, ratio, ratio_ends};
use tenbin_result::{Outcome, Trust, UseCase};

use crate::compare::comparison::Comparison;
use crate::compare::metric::Measure;
use crate::figures::size_class::SizeClass;

/// The target that suits a use case.
#[derive(Debug, Clone, PartialEq)]
enum Choice {
    /// The named target, which is the faster target in every comparison that shows a difference.
    Target(String),
    /// Any target, because all targets are equivalent.
    Either,
    /// No comparison shows a difference, and not all targets are proven equivalent.
    CannotTell,
    /// Different targets are faster in different comparisons.
    Depends,
    /// The numbers cannot be trusted.
    Unbelievable,
}

impl Choice {
    fn words(&self) -> &str {
        match self {
            Self::Target(name) => name,
            Self::Either => "either: equivalent",
            Self::CannotTell => "either: cannot tell",
            Self::Depends => "depends: see the comparisons",
            Self::Unbelievable => "none: the figures cannot be trusted",
        }
    }
}

/// A use case and the test for workloads that represent the use case.
struct Use {
    name: &'static str,
    is_meant: fn(&dyn Facts) -> bool,
}

const USES: &[Use] = &[
    Use {
        name: "many small writes",
        is_meant: |work| moves(work, Direction::Write, &[SizeClass::Small]),
    },
    Use {
        name: "many small reads",
        is_meant: |work| moves(work, Direction::Read, &[SizeClass::Small]),
    },
    Use {
        name: "backup storage: large writes, whole and in parts",
        is_meant: |work| moves(work, Direction::Write, LARGER) || only(work, "multipart"),
    },
    Use {
        name: "large reads",
        is_meant: |work| moves(work, Direction::Read, LARGER),
    },
    Use {
        name: "frequent listing",
        is_meant: |work| only(work, "list"),
    },
    Use {
        name: "reads and writes together",
        is_meant: |work| work.operations().len() > 1,
    },
];

const LARGER: &[SizeClass] = &[SizeClass::Medium, SizeClass::Large];

fn only(work: &dyn Facts, operation: &str) -> bool {
    matches!(work.operations().as_slice(), [only] if only.name == operation)
}

fn moves(work: &dyn Facts, direction: Direction, classes: &[SizeClass]) -> bool {
    work.transfer().is_some_and(|transfer| {
        transfer.direction == direction && classes.contains(&SizeClass::of(transfer.bytes))
    })
}

/// The use cases that the run has comparisons for. The trust of the comparisons must already be
/// set.
pub(crate) fn use_cases(plan: &Plan, comparisons: &[Comparison]) -> Vec<UseCase> {
    USES.iter()
        .filter_map(|each| {
            let meant = plan
                .workloads
                .iter()
                .filter(|work| each.means(work.facts()));
            let decisive: Vec<&Comparison> = meant
                .flat_map(|work| {
                    let mine = comparisons.iter().filter(|c| c.workload == work.name);
                    mine.filter(|c| c.primary)
                })
                .collect();
            (!decisive.is_empty()).then(|| use_case(each, &decisive))
        })
        .collect()
}

fn use_case(of: &Use, decisive: &[&Comparison]) -> UseCase {
    let choice = choose(decisive);
    let is_suspect = decisive.iter().any(|c| c.trust == Trust::Suspect);
    UseCase {
        name: of.name.to_owned(),
        choice: match choice {
            Choice::Target(_) | Choice::Either if is_suspect => {
                format!("{} ({})", choice.words(), Trust::Suspect.word())
            }
            _ => choice.words().to_owned(),
        },
        // A recommendation for programs needs figures without a doubt.
        target: match choice {
            Choice::Target(name) if !is_suspect => Some(name),
            _ => None,
        },
        because: decisive.iter().map(|c| clause(c)).collect(),
    }
}

/// The result of one comparison, in a few words.
fn clause(comparison: &Comparison) -> String {
    let what = format!(
        "{}: {} {} ÷ {}",
        comparison.workload,
        comparison.metric.phrase(),
        comparison.challenger,
        comparison.baseline
    );
    match comparison.found.ratio {
        Some(found) => format!(
            "{what} is {} ({})",
            ratio(found.value),
            ratio_ends(found, &ENGLISH)
        ),
        None => format!("{what} is unknown"),
    }
}

impl Use {
    fn means(&self, work: &dyn Facts) -> bool {
        work.traits().is_object_store && (self.is_meant)(work)
    }
}

fn choose(decisive: &[&Comparison]) -> Choice {
    if decisive.iter().any(|c| c.trust == Trust::Invalid) {
        return Choice::Unbelievable;
    }
    let wins = |c: &&Comparison, outcome: &Outcome| c.outcome == *outcome;
    let mut ahead: Vec<&str> = decisive
        .iter()
        .filter(|c| wins(c, &Outcome::Faster))
        .map(|c| c.challenger.as_str())
        .collect();
    ahead.sort_unstable();
    ahead.dedup();
    let baseline_wins = decisive.iter().any(|c| wins(c, &Outcome::Slower));
    let all_slower = decisive.iter().all(|c| wins(c, &Outcome::Slower));
    let baseline = decisive[0].baseline.as_str();
    let single_challenger = decisive
        .iter()
        .all(|c| c.challenger == decisive[0].challenger);
    let equivalent = |c: &&Comparison| matches!(c.outcome, Outcome::Equivalent { .. });
    match ahead.as_slice() {
        [] if all_slower || (baseline_wins && single_challenger) => target(baseline),
        [] if decisive.iter().all(equivalent) => Choice::Either,
        [] => Choice::CannotTell,
        [only] if !loses(decisive, only) => target(only),
        _ => Choice::Depends,
    }
}

fn loses(decisive: &[&Comparison], challenger: &str) -> bool {
    decisive
        .iter()
        .any(|c| c.challenger == challenger && c.outcome == Outcome::Slower)
}

fn target(name: &str) -> Choice {
    Choice::Target(name.to_owned())
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;
    use crate::testing::Run;

    fn chosen(run: &Run) -> Vec<(String, String)> {
        let cases = run.assess().use_cases;
        cases
            .into_iter()
            .map(|each| (each.name, each.choice))
            .collect()
    }

    fn of(name: &str, choice: Choice) -> [(String, String); 1] {
        [(name.to_owned(), choice.words().to_owned())]
    }

    fn scaled(shares: &[(&str, f64)]) -> Run {
        let targets: Vec<&str> = std::iter::once("a")
            .chain(shares.iter().map(|(name, _)| *name))
            .collect();
        // Eight quads, or eight Williams squares: enough for two simultaneous comparisons.
        let rounds = if shares.len() == 1 { 16 } else { 48 };
        let mut run = Run::new(&targets, &["put"], rounds).of_s3(S3Operation::Put, 1_000);
        for (name, share) in shares {
            run.each_of(name, |slice| {
                slice.answers((1_000.0 * share) as u64, 0.002 / share);
            });
        }
        run
    }

    #[test]
    fn the_faster_one_is_chosen_whichever_side_it_is_on() {
        let name = "many small writes";
        let quicker = scaled(&[("b", 2.0)]);
        assert_eq!(chosen(&quicker), of(name, target("b")));
        assert_eq!(
            quicker.assess().use_cases[0].because,
            ["put: throughput b ÷ a is 2.00 (2.00–2.00)"]
        );
        assert_eq!(chosen(&scaled(&[("b", 0.5)])), of(name, target("a")));
        assert_eq!(chosen(&scaled(&[("b", 1.0)])), of(name, Choice::Either));
        let three = scaled(&[("b", 2.0), ("c", 1.0)]);
        assert_eq!(chosen(&three), of(name, target("b")));
        let unclear = scaled(&[("b", 2.0), ("c", 3.0)]);
        assert_eq!(chosen(&unclear), of(name, Choice::Depends));
        let baseline_not_best_of_all = scaled(&[("b", 0.5), ("c", 1.0)]);
        assert_eq!(
            chosen(&baseline_not_best_of_all),
            of(name, Choice::CannotTell)
        );
    }

    #[test]
    fn too_few_rounds_choose_no_target() {
        let mut few = Run::pair(2).of_s3(S3Operation::Get, 1_000_000);
        few.each_of("b", |slice| slice.answers(2_000, 0.001));
        assert_eq!(chosen(&few), of("large reads", Choice::CannotTell));
        let mut bad = scaled(&[("b", 2.0)]);
        bad.each_of("a", |slice| slice.answers(1_000, 0.009));
        assert_eq!(chosen(&bad)[0].1, Choice::Unbelievable.words());
    }

    #[test]
    fn a_suspect_comparison_is_marked_and_recommends_nothing_to_programs() {
        for (speed, start) in [(2.0, "b (SUSPECT)"), (1.0, "either: equivalent (SUSPECT)")] {
            let run = scaled(&[("b", speed)]);
            let mut compared = crate::compare::compare(&run.plan, &run.slices);
            for comparison in &mut compared {
                comparison.found.trust = Trust::Suspect;
            }
            let cases = use_cases(&run.plan, &compared);
            assert!(cases[0].choice.starts_with(start), "{}", cases[0].choice);
            assert_eq!(cases[0].target, None);
        }
        let trusted = scaled(&[("b", 2.0)]).assess().use_cases;
        assert_eq!(trusted[0].target.as_deref(), Some("b"));
    }

    #[test]
    fn nothing_is_reported_without_an_expectation() {
        assert_eq!(chosen(&Run::pair(8)), []);
        let alone = Run::single(8).of_s3(S3Operation::Put, 1_000);
        assert_eq!(chosen(&alone), []);
    }
}
