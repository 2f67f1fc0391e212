//! Plain answers of synthetic runs.

use std::path::Path;
use std::time::UNIX_EPOCH;

use tenbin_plan::Relaunch;
use tenbin_record::Ended;
use tenbin_result::{Language, Trust};

use super::*;
use crate::document::{Source, document_without_slices};
use crate::findings::translated::said_plainly;
use crate::testing::Run;

fn document(run: &Run) -> Document {
    document_without_slices(&Source {
        directory: Path::new("runs/x"),
        started: UNIX_EPOCH,
        plan: &run.plan,
        environment: &run.environment,
        slices: &run.slices,
        complete: true,
        ended: Ended::Planned,
        assessment: &run.assess(),
    })
}

fn answer_of(run: &Run) -> PlainAnswer {
    let answers = document(run).plain_answers;
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers[0].clone()
}

/// A run in which the throughput of `b` differs from that of `a` by turns, so that nothing is known,
/// and in which `b` needs 1.24 times the CPU time for each operation.
fn unsteady() -> Run {
    let mut run = Run::pair(8);
    run.each_of("a", |slice| slice.server_cpu(0.4));
    run.each_of("b", |slice| {
        let share = if slice.0.block % 2 == 0 { 1.25 } else { 0.85 };
        slice.answers((1_000.0 * share) as u64, 0.002 / share);
        slice.server_cpu(0.4 * 1.24 * share);
    });
    run
}

#[test]
fn cpu_time_decides_where_other_programs_hide_the_throughput() {
    let mut run = unsteady();
    // The slower slices are those in which other programs used more.
    run.each(|slice| {
        let is_slow = slice.0.block % 2 == 1;
        slice.others(if is_slow { 0.96 } else { 0.84 });
    });
    let answer = answer_of(&run);
    assert_eq!(
        answer.sentence,
        "b needs 1.240 times the CPU time of a for each operation; chance does not explain this \
         difference; throughput is undecided, because other programs used 45 % of the machine's \
         CPU time; the numbers are suspect, see the findings"
    );
    assert_eq!(
        answer.advice.as_deref(),
        Some(
            "what would decide it: about 286 rounds (--rounds 286, about 10 minutes), or --decide cpu, \
             because CPU time per operation is decided already, or a machine on which no other program \
             runs"
        )
    );
    assert!(answer.would_decide.contains(&Decider::IdleMachine));
    assert!(answer.would_decide.contains(&Decider::DecideCpu));
    assert!(!answer.figures[0].decides && answer.figures[1].decides);
    let (japanese, advice) = said_plainly(&answer, Language::Japanese);
    assert!(
        japanese.contains("この差は偶然では説明できない"),
        "{japanese}"
    );
    assert!(advice.expect("advice").starts_with("判定するには"));
}

#[test]
fn a_target_that_scatters_alone_is_the_reason_rather_than_other_programs() {
    let mut run = unsteady();
    run.each(|slice| slice.others(0.9));
    let answer = answer_of(&run);
    assert!(
        answer.sentence.contains(
            "throughput is undecided, because the throughput of b varies from slice to slice \
             (850/s–1.25 k/s)"
        ),
        "{}",
        answer.sentence
    );
    assert!(!answer.would_decide.contains(&Decider::IdleMachine));
    let (japanese, _) = said_plainly(&answer, Language::Japanese);
    assert!(
        japanese.contains("b のスループットがスライスごとに変わる"),
        "{japanese}"
    );
    // Both targets scatter.
    run.each_of("a", |slice| {
        let share = if slice.0.block % 2 == 0 { 1.1 } else { 0.9 };
        slice.answers((1_000.0 * share) as u64, 0.002 / share);
    });
    let answer = answer_of(&run);
    assert!(
        answer.sentence.contains("because other programs used 45 %"),
        "{}",
        answer.sentence
    );
}

#[test]
fn without_other_programs_the_interval_is_the_reason() {
    let answer = answer_of(&unsteady());
    assert!(
        answer.sentence.ends_with(
            "throughput is undecided, because the ratio can be anything from 0.850 to 1.250"
        ),
        "{}",
        answer.sentence
    );
    assert!(!answer.would_decide.contains(&Decider::IdleMachine));
}

#[test]
fn a_clear_difference_needs_nothing_more() {
    let mut run = Run::pair(8);
    run.each_of("b", |slice| slice.answers(4_000, 0.0005));
    let answer = answer_of(&run);
    assert!(
        answer
            .sentence
            .starts_with("b has 4.00 times the throughput of a"),
        "{}",
        answer.sentence
    );
    assert!(answer.sentence.contains("chance does not explain"));
    assert_eq!((answer.advice, answer.would_decide), (None, Vec::new()));
}

#[test]
fn the_same_is_not_undecided() {
    let answer = answer_of(&Run::pair(8));
    assert!(
        answer
            .sentence
            .starts_with("the throughput of b and a is the same within 5 %"),
        "{}",
        answer.sentence
    );
    assert_eq!(answer.would_decide, []);
}

#[test]
fn few_rounds_say_how_many_are_needed() {
    let mut run = Run::pair(5);
    run.each_of("b", |slice| {
        slice.answers(300, 0.002 / 0.3);
        slice.unobserved();
    });
    let answer = answer_of(&run);
    assert_eq!(
        answer.sentence,
        "throughput is undecided, because 10 complete rounds are too few to exclude chance, although \
         all of them show the same difference"
    );
    let advice = answer.advice.expect("advice");
    assert!(
        advice.starts_with("what would decide it: about 12 rounds (--rounds 12"),
        "{advice}"
    );
}

#[test]
fn one_start_asks_for_servers_that_are_started_again() {
    let mut run = Run::pair(8);
    run.plan.rounds.relaunch = Relaunch::Never;
    run.each_of("b", |slice| {
        let share = 0.945 * (1.0 + 0.006 * f64::from(slice.0.block % 3));
        slice.answers((1_000.0 * share) as u64, 0.002 / share);
        slice.unobserved();
    });
    let answer = answer_of(&run);
    assert_eq!(answer.would_decide, [Decider::Launch]);
    assert!(answer.sentence.contains("two starts of one program"));
}

#[test]
fn what_cannot_be_trusted_is_undecided_and_nothing_is_advised() {
    let mut run = Run::pair(8);
    run.each_of("a", |slice| slice.answers(1_000, 0.009));
    let document = document(&run);
    assert_eq!(document.trust, Trust::Invalid);
    let answer = &document.plain_answers[0];
    assert_eq!(
        answer.sentence,
        "throughput is undecided, because the figures cannot be trusted (see the findings)"
    );
    assert_eq!(answer.advice, None);
}

#[test]
fn a_single_target_has_no_answer() {
    assert_eq!(document(&Run::single(8)).plain_answers, []);
}

#[test]
fn a_gate_has_its_own_answer() {
    let mut run = unsteady();
    assert_ne!(document(&run).plain_answers, []);
    run.plan.gate = Some(tenbin_plan::Gate::default());
    assert_eq!(document(&run).plain_answers, []);
}
