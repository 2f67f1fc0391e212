use tenbin_plan::{CountsAs, Gate, Goal, Relaunch, Until};
use tenbin_record::{Ended, ErrorClass};
use tenbin_result::{Gate as Decided, GateFigure, GateOutcome, GateRole, GateStanding, Metric};

use super::rounds_end;
use crate::testing::Run;

/// A run with a gate, of which `quads` quads of at most 40 were measured.
fn gated(quads: u32) -> Run {
    let mut run = Run::pair(quads);
    run.plan.gate = Some(Gate::default());
    run.plan.rounds.until = Some(Until {
        goal: Goal::Gate,
        most: 80,
    });
    run.each(|slice| slice.unobserved());
    run
}

fn figure(text: &str) -> Vec<tenbin_plan::GateFigure> {
    text.split(',').map(|each| each.parse().unwrap()).collect()
}

/// The candidate has this throughput, relative to the base, in even and in odd quads.
fn throughput(run: &mut Run, even: f64, odd: f64) {
    run.each_of("b", |slice| {
        let share = if slice.0.block % 2 == 0 { even } else { odd };
        slice.answers((1_000.0 * share) as u64, 0.002 / share);
    });
}

fn decided(run: &Run) -> Decided {
    let gate = run.assess().gate.expect("the plan has a gate");
    let ended = rounds_end(&run.plan, &run.slices);
    let is_decided = matches!(gate.outcome, GateOutcome::Pass | GateOutcome::Regression);
    assert_eq!(ended == Some(Ended::Decided), is_decided, "{gate:?}");
    gate
}

#[test]
fn alike_passes_and_slower_fails_after_few_quads() {
    let alike = decided(&gated(6));
    assert_eq!(alike.outcome, GateOutcome::Pass);
    assert_eq!((alike.rounds, alike.tests), (12, 1));
    let only = alike.deciding().next().expect("a figure");
    assert_eq!(only.metric, Metric::Throughput);
    assert!(only.low.unwrap() > 1.0 / 1.05, "{only:?}");

    let mut slower = gated(6);
    throughput(&mut slower, 0.8, 0.81);
    let slower = decided(&slower);
    assert_eq!(slower.outcome, GateOutcome::Regression);
    assert!(slower.deciding().next().unwrap().high.unwrap() < 1.0);
    assert_eq!(decided(&gated(4)).outcome, GateOutcome::CannotTell);
}

#[test]
fn the_margin_is_what_the_candidate_may_be_worse() {
    let with = |margin: &str| {
        let mut run = gated(10);
        throughput(&mut run, 0.959, 0.961);
        run.plan.comparing.margin = margin.parse().unwrap();
        decided(&run).outcome
    };
    assert_eq!(with("10%"), GateOutcome::Pass);
    assert_eq!(with("3%"), GateOutcome::Regression);
    let mut run = gated(10);
    throughput(&mut run, 0.959, 0.961);
    run.plan.gate.as_mut().unwrap().figures = figure("throughput=3%");
    assert_eq!(decided(&run).outcome, GateOutcome::Regression);
}

#[test]
fn a_difference_between_two_processes_is_no_regression_without_restarts() {
    let mut run = gated(12);
    throughput(&mut run, 0.959, 0.961);
    run.plan.comparing.margin = "3%".parse().unwrap();
    run.plan.rounds.relaunch = Relaunch::Never;
    assert_eq!(decided(&run).outcome, GateOutcome::CannotTell);
    run.plan.comparing.start_noise = "0%".parse().unwrap();
    assert_eq!(decided(&run).outcome, GateOutcome::Regression);
}

#[test]
fn noise_cannot_tell_and_the_budget_ends_it() {
    let mut run = gated(8);
    throughput(&mut run, 0.7, 1.3);
    assert_eq!(decided(&run).outcome, GateOutcome::CannotTell);
    run.plan.gate.as_mut().unwrap().budget = std::time::Duration::from_secs(1);
    assert_eq!(rounds_end(&run.plan, &run.slices), Some(Ended::Budget));
    run.plan.gate.as_mut().unwrap().cannot_tell = CountsAs::Pass;
    assert!(decided(&run).passes_untold);
}

#[test]
fn an_invalid_run_decides_nothing() {
    let mut run = gated(8);
    run.first_of("b").fail(ErrorClass::Status, 900);
    let gate = run.assess().gate.unwrap();
    assert_eq!(gate.outcome, GateOutcome::Invalid);
    assert_eq!(gate.deciding().count(), 0);
}

/// Throughput varies by 30 %, and the candidate's CPU time per operation is this multiple of the
/// base's.
fn noisy_with_cpu(quads: u32, cpu: f64) -> Run {
    let mut run = gated(quads);
    throughput(&mut run, 0.85, 1.25);
    run.each(|slice| {
        let each = if slice.0.target == "b" { cpu } else { 1.0 };
        let used = 0.0001 * each * slice.0.ok() as f64;
        slice.server_cpu(used);
    });
    run
}

#[test]
fn cpu_time_stands_in_for_a_throughput_that_cannot_tell() {
    assert_eq!(
        decided(&noisy_with_cpu(19, 1.0)).outcome,
        GateOutcome::CannotTell
    );
    let late = decided(&noisy_with_cpu(20, 1.0));
    assert_eq!(late.outcome, GateOutcome::Pass);
    assert!(late.fell_back());
    let deciding: Vec<_> = late.deciding().map(|it| (&it.metric, it.role)).collect();
    assert_eq!(deciding, [(&Metric::ServerCpu.into(), GateRole::Fallback)]);
    let worse = decided(&noisy_with_cpu(20, 1.2));
    assert_eq!(worse.outcome, GateOutcome::Regression);
    assert!(worse.fell_back());
    // A figure that passes by itself needs no other.
    let mut quiet = noisy_with_cpu(20, 1.2);
    throughput(&mut quiet, 1.0, 1.0);
    assert_eq!(decided(&quiet).outcome, GateOutcome::Pass);
}

#[test]
fn all_figures_must_pass_and_regressions_share_their_error() {
    let mut run = gated(7);
    run.plan.gate.as_mut().unwrap().figures = figure("throughput,p50=10%,p99=10%");
    let gate = decided(&run);
    assert_eq!((gate.outcome, gate.tests), (GateOutcome::Pass, 3));
    assert_eq!(gate.deciding().count(), 3);
    throughput(&mut run, 0.7, 0.71);
    let gate = decided(&run);
    assert_eq!(gate.outcome, GateOutcome::Regression);
    let worse: Vec<_> = gate.deciding().map(|it| it.standing).collect();
    assert_eq!(worse, [GateStanding::Worse; 3]);
    assert!(gate.figures[1].adjusted_p > 1.0 / gate.figures[1].evidence_worse);
}

#[test]
fn a_busy_generator_voids_throughput_and_not_the_servers_cpu() {
    let busy = |figures: &str, cpu: f64| {
        let mut run = noisy_with_cpu(20, cpu);
        run.plan.gate.as_mut().unwrap().figures = figure(figures);
        run.each(|slice| slice.busiest_thread(1.0));
        assert_eq!(run.assess().trust, tenbin_result::Trust::Invalid);
        run.assess().gate.unwrap()
    };
    assert_eq!(busy("throughput", 1.0).outcome, GateOutcome::Invalid);
    assert_eq!(busy("cpu,throughput", 1.0).outcome, GateOutcome::Invalid);
    let same = busy("cpu", 1.0);
    assert_eq!(same.outcome, GateOutcome::Pass);
    assert_eq!(same.trust, tenbin_result::Trust::Valid);
    assert_eq!(busy("cpu", 1.2).outcome, GateOutcome::Regression);
}

/// Whether the interval lies on the better side of the margin, and whether it lies on the worse side.
fn sides(figure: &GateFigure) -> (bool, bool) {
    let invert = |end: Option<f64>| end.map(f64::recip);
    let (low, high) = if figure.higher_is_better {
        (figure.low, figure.high)
    } else {
        (invert(figure.high), invert(figure.low))
    };
    let is_better = low.is_some_and(|low| low * (1.0 + figure.margin) > 1.0);
    (is_better, high.is_some_and(|high| high < 1.0))
}

#[test]
fn the_interval_of_a_figure_and_the_word_beside_it_agree() {
    for cpu in [0.5, 2.0] {
        for quads in 1..=12 {
            for figure in decided(&noisy_with_cpu(quads, cpu)).figures {
                let (is_better, is_worse) = sides(&figure);
                let standing = match (is_better, is_worse) {
                    (true, _) => GateStanding::NotWorse,
                    (false, true) => GateStanding::Worse,
                    (false, false) => GateStanding::CannotTell,
                };
                assert_eq!(figure.standing, standing, "{quads}: {figure:?}");
            }
        }
    }
}
