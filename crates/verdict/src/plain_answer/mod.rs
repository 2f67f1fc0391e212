//! What a comparison comes to, in plain words: what chance does not explain, what is undecided and
//! why, and what would decide it.

mod scatter;
mod sentence;
#[cfg(test)]
mod tests;

use tenbin_plan::Plan;
use tenbin_record::Slice;
use tenbin_result::{
    Comparison, Decider, Document, Figure, Known, Limit, Message, Metric, Outcome, PlainAnswer,
    PlainFigure, Trust, Undecided, Value, Varying,
};

use crate::compare::outcome::NOISE_FLOOR;
use crate::findings::messages::Messages;

/// Share of the CPU time of all cores from which other programs are named as the reason.
const NOTICEABLE: f64 = 0.10;

/// The rule on other programs, of which the share is taken if no limit has it.
const OTHERS_BUSY: &str = "others_busy";

/// Why the rounds of a comparison differ.
struct Disturbance {
    /// The share of the CPU time of all cores that other programs used.
    others: Option<f64>,
    /// The target that alone scatters, so that other programs are not the reason.
    varying: Option<Varying>,
}

impl Disturbance {
    fn of(document: &Document, slices: &[Slice], asked: &Comparison) -> Self {
        let others = share_of_others(document, asked);
        let varying = others.and_then(|_| scatter::of_one_target(asked, slices));
        Self {
            others: others.filter(|_| varying.is_none()),
            varying,
        }
    }
}

/// The plain answers of a run, one for each comparison that decides a verdict. `document` has the
/// comparisons, limits and findings of the run, and `slices` are all its slices. Empty for a gate, which has its own answer: its rounds end
/// by its figures, and what is said of a fixed number of rounds does not hold.
pub(crate) fn plain_answers(
    document: &Document,
    plan: &Plan,
    slices: &[Slice],
) -> Vec<PlainAnswer> {
    if plan.gate.is_some() {
        return Vec::new();
    }
    let asked = document.questions();
    let asked = asked.filter(|asked| !asked.twin && !document.is_within_sweep(asked));
    let answers = asked.map(|asked| {
        let disturbed = Disturbance::of(document, slices, asked);
        answer(document, plan, &disturbed, asked)
    });
    answers.collect()
}

fn answer(
    document: &Document,
    plan: &Plan,
    disturbed: &Disturbance,
    asked: &Comparison,
) -> PlainAnswer {
    let compared = told(document, asked);
    let mut figures: Vec<PlainFigure> = compared
        .iter()
        .map(|comparison| PlainFigure {
            metric: comparison.metric.clone(),
            decides: comparison.primary,
            ratio: comparison.ratio.map(|ratio| ratio.value),
            known: known(comparison, disturbed),
        })
        .collect();
    figures.sort_by_key(|figure| is_undecided(&figure.known));
    let undecided = compared.iter().find(|comparison| {
        let known = known(comparison, disturbed);
        is_undecided(&known)
    });
    let would_decide = undecided.map_or_else(Vec::new, |undecided| {
        deciders(plan, &compared, undecided, disturbed.others)
    });
    let is_suspect = asked.trust == Trust::Suspect;
    let data = sentence::sentence(asked, &compared, &figures, is_suspect);
    let advice = sentence::advice(&would_decide);
    PlainAnswer {
        workload: asked.workload.clone(),
        baseline: asked.baseline.clone(),
        challenger: asked.challenger.clone(),
        figures,
        would_decide,
        sentence: Messages::NONE.in_english(&data),
        advice: advice.as_ref().map(|it| Messages::NONE.in_english(it)),
        data: Some(data),
        advice_data: advice,
    }
}

/// The comparisons that the sentence is about: the one that decides, and of speed and CPU time the
/// other one. CPU time is left out if it is undecided, and if it is the same beside a decided speed.
fn told<'a>(document: &'a Document, asked: &'a Comparison) -> Vec<&'a Comparison> {
    let is_cost = asked.metric == Metric::ServerCpu;
    let mut same_sides = document.comparisons.iter().filter(|other| {
        !other.twin
            && !std::ptr::eq(*other, asked)
            && (&other.workload, &other.baseline, &other.challenger)
                == (&asked.workload, &asked.baseline, &asked.challenger)
    });
    let beside = same_sides.find(|other| {
        if is_cost {
            other.metric == Metric::Throughput
        } else {
            let tells = other.outcome.is_different() || (is_decided(other) && !is_decided(asked));
            other.metric == Metric::ServerCpu && tells
        }
    });
    let beside = beside.filter(|other| other.trust != Trust::Invalid && other.ratio.is_some());
    std::iter::once(asked).chain(beside).collect()
}

fn is_decided(comparison: &Comparison) -> bool {
    comparison.outcome.is_different() || matches!(comparison.outcome, Outcome::Equivalent { .. })
}

fn is_undecided(known: &Known) -> bool {
    matches!(known, Known::Undecided { .. })
}

fn known(comparison: &Comparison, disturbed: &Disturbance) -> Known {
    if comparison.trust == Trust::Invalid {
        return Known::Undecided {
            because: Undecided::Untrusted,
        };
    }
    match &comparison.outcome {
        Outcome::Faster | Outcome::Slower | Outcome::CostsLess | Outcome::CostsMore => {
            Known::Differs
        }
        Outcome::Equivalent { within } => Known::Same { within: *within },
        Outcome::OneStart { up_to } => Known::Undecided {
            because: Undecided::OneStart { up_to: *up_to },
        },
        Outcome::NotSustained { .. } => Known::Undecided {
            because: Undecided::NotSustained,
        },
        Outcome::Unknown { .. } => Known::Undecided {
            because: Undecided::NotMeasured,
        },
        Outcome::Inconclusive { likely, .. } => Known::Undecided {
            because: inconclusive(comparison, likely.is_some(), disturbed),
        },
    }
}

/// Why the interval of a ratio decides nothing.
fn inconclusive(comparison: &Comparison, agree: bool, disturbed: &Disturbance) -> Undecided {
    let Some(Figure {
        interval: Some(ends),
        ..
    }) = comparison.ratio
    else {
        let rounds = comparison.block_ratios.len() as u64 * comparison.rounds_per_block;
        return Undecided::FewRounds { rounds, agree };
    };
    if ends.low > 1.0 || ends.high < 1.0 {
        let floor = comparison.noise_floor.unwrap_or(NOISE_FLOOR);
        return Undecided::Noise { floor };
    }
    match disturbed.others {
        Some(share) => Undecided::OtherPrograms { share },
        None => Undecided::Chance {
            low: ends.low,
            high: ends.high,
            varying: disturbed.varying.clone(),
        },
    }
}

/// The share of the CPU time that other programs used while the targets of a comparison ran, the
/// larger one; `None` if it is small or unknown.
fn share_of_others(document: &Document, asked: &Comparison) -> Option<f64> {
    let sides = [asked.baseline.as_str(), asked.challenger.as_str()];
    let is_mine =
        |limit: &&Limit| limit.workload == asked.workload && sides.contains(&limit.target.as_str());
    let limits = document.limits.iter().filter(is_mine);
    let seen = limits.filter_map(|limit| limit.figures.get("others_share").copied());
    let busy = document
        .findings
        .iter()
        .filter(|finding| finding.rule == OTHERS_BUSY && finding.concerns(&asked.workload, &sides));
    let found = busy.filter_map(|finding| median_share(&finding.data.as_ref()?.evidence));
    let most = seen.chain(found).reduce(f64::max)?;
    (most > NOTICEABLE).then_some(most)
}

/// The share that a finding on other programs states about most slices, not about single ones.
fn median_share(evidence: &Message) -> Option<f64> {
    match evidence.args.get("share") {
        Some(Value::Share(share)) if evidence.id == "used" => Some(*share),
        _ => None,
    }
}

fn deciders(
    plan: &Plan,
    compared: &[&Comparison],
    undecided: &Comparison,
    others: Option<f64>,
) -> Vec<Decider> {
    if undecided.trust == Trust::Invalid {
        return Vec::new();
    }
    let idle = others.map(|_| Decider::IdleMachine);
    let is_cost = |other: &&&Comparison| other.metric == Metric::ServerCpu && is_decided(other);
    let cpu = compared.iter().find(is_cost).filter(|cpu| !cpu.primary);
    let cpu = cpu.map(|_| Decider::DecideCpu);
    match &undecided.outcome {
        Outcome::OneStart { .. } => {
            let mut works = plan.workloads.iter();
            let can_relaunch = works.all(|work| work.facts().can_relaunch());
            let restarted = if can_relaunch {
                Decider::Launch
            } else {
                Decider::RestartAndRepeat
            };
            std::iter::once(restarted).chain(cpu).collect()
        }
        Outcome::Inconclusive { rounds_needed, .. } => {
            let rounds = rounds_needed.map(|rounds| Decider::Rounds {
                rounds,
                seconds: seconds_of(plan, rounds),
            });
            rounds.into_iter().chain(cpu).chain(idle).collect()
        }
        _ => cpu.into_iter().collect(),
    }
}

/// The time that this number of rounds takes, seconds.
fn seconds_of(plan: &Plan, rounds: u64) -> Option<f64> {
    let rounds = u32::try_from(rounds).ok()?;
    Some(plan.lasting(rounds).as_secs_f64())
}
