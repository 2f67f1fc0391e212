//! Runs in which the load generator is the limit.

use tenbin_plan::Workload;
use tenbin_record::{Environment, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::generator::Thread;
use crate::machine::{IDLE_CORES, Place};
use crate::server::backend::Backends;
use crate::words::middle;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "client_saturated",
    summary: Texts {
        english: "a load generator thread was always busy, or waited for a core that other programs \
              used",
        japanese: "負荷生成側のスレッドが常に忙しい、またはほかのプログラムが使うコアを待っていた",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("client_saturated"),
    messages: Messages {
        english: r#"
            busiest-thread =
                the busiest of { $threads ->
                    [one] 1 load generator thread
                   *[other] { $threads } load generator threads
                } { $thread } ({ $basis })
            least-busy-agent =
                on the least busy of { $agents } agents, the busiest load generator thread
                { $thread } ({ $basis })
            relieve =
                { $meaning ->
                    [generator] the run measures the load generator, not the targets
                    [leads] this target leads by at least the printed ratio
                   *[faster] the target may be faster than its figures
                }: { $displaced ->
                    [true]
                        stop the other programs, or run the load generator on a separate machine
                   *[false] { $idle_cores ->
                        [none] run the load generator on a separate machine, because no core is idle here;
                        [some] use more --threads, because cores are idle;
                       *[unknown] use more --threads if cores are idle, or a separate machine for the load generator;
                    } or use fewer connections or larger objects
                }
        "#,
        japanese: r#"
            busiest-thread =
                { $threads ->
                    [1] 負荷生成側の唯一のスレッド
                   *[other] 負荷生成側の { $threads } スレッドのうち最も忙しいもの
                }が { $thread }({ $basis })
            least-busy-agent =
                { $agents } 台のうち最も余裕のあるエージェントでも、負荷生成側の最も忙しいスレッドが { $thread }({ $basis })
            relieve =
                { $meaning ->
                    [generator] 測っているのはターゲットではなく負荷生成側の性能
                    [leads] このターゲットの優位は少なくとも表示された比の分ある
                   *[faster] ターゲットは数値より速い可能性がある
                }。{ $displaced ->
                    [true] ほかのプログラムを止めるか、負荷生成側を別のマシンで動かす
                   *[false] { $idle_cores ->
                        [none] 空いたコアがないので、負荷生成側を別のマシンで動かす。
                        [some] コアが空いているので --threads を増やす。
                       *[unknown] コアが空いていれば --threads を増やす、または負荷生成側を別のマシンで動かす。
                    }同時接続数を減らすか、オブジェクトを大きくしてもよい
                }
        "#,
    },
    tier: Tier::Cause,
    is_circumstance: leads_on_a_busy_machine,
    says_limit: &["load_generator", "other_programs"],
    // A busy load generator sends and reads later, and the server waits meanwhile. In a closed loop the
    // server is then under less load, which only its throughput and the mean make up for: see
    // `expected`.
    distorts: Distortion::LATE_GENERATOR,
    ..RuleInfo::PLAIN
};

/// Whether other programs took the generator's cores from the target that leads alone: it leads all
/// the same, so what sets it apart from the others is told first.
fn leads_on_a_busy_machine(finding: &Finding) -> bool {
    let Some(data) = &finding.data else {
        return false;
    };
    let says = |name: &str, value: &Value| data.advice.args.get(name) == Some(value);
    says("meaning", &Value::word("leads")) && says("displaced", &true.into())
}

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let backends = Backends::of(evidence);
    evidence
        .plan
        .workloads
        .iter()
        .flat_map(|workload| of_workload(evidence, workload, &cells, &backends))
        .collect()
}

fn of_workload(
    evidence: &Evidence<'_>,
    workload: &Workload,
    cells: &[Cell<'_>],
    backends: &Backends<'_>,
) -> Vec<Finding> {
    let threads = evidence.plan.threads;
    let targets: Vec<Loaded> = cells
        .iter()
        .filter(|cell| cell.workload.name == workload.name)
        // Without a server, the load generator itself is measured.
        .filter(|cell| cell.target.has_server())
        .filter_map(|cell| Loaded::of(evidence.environment, cell, backends))
        .collect();
    let severity = severity(&targets);
    targets
        .iter()
        .filter(|loaded| loaded.is_busy())
        .map(|loaded| {
            let advice = advice(severity, targets.len() > 1, loaded);
            let busy = loaded.message(threads);
            let finding = RULE.finding(severity, Cause::Generator, busy, advice);
            finding.on(&workload.name, &loaded.target)
        })
        .collect()
}

/// The load generator's use of CPU for one target of a workload.
struct Loaded {
    target: String,
    slices: usize,
    agents: usize,
    /// With several agents, of the least busy agent: `agent_saturated` reports single agents.
    thread: Thread,
    throughput: f64,
    /// Share of the CPU time of this machine that is idle; `None` with agents.
    idle: Option<f64>,
}

impl Loaded {
    fn of(environment: &Environment, cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Self> {
        let full = cell.full();
        let agents = match full.first() {
            Some(slice) => slice.agents.len(),
            None => 0,
        };
        Some(Self {
            target: cell.target.name.clone(),
            slices: full.len(),
            agents,
            thread: match agents {
                0 | 1 => Thread::of(cell, backends)?,
                _ => least_busy(environment, &full)?,
            },
            throughput: middle(full.iter().filter_map(|slice| slice.throughput()))?,
            idle: Place::of_cell(cell, &|_, machine| machine.cpu?.idle_share())
                .filter(|_| agents == 0)
                .map(|idle| idle.value),
        })
    }

    fn is_busy(&self) -> bool {
        self.thread.is_busy()
    }

    /// How busy the busiest of `threads` load generator threads was.
    fn message(&self, threads: usize) -> Message {
        let of = match self.agents {
            0 | 1 => message!("busiest-thread", threads),
            agents => message!("least-busy-agent", agents),
        };
        let basis = message!("median-of-slices", slices = self.slices);
        of.with("thread", self.thread.message())
            .with("basis", basis)
    }
}

/// The busiest thread of the agent whose busiest thread is the least busy.
fn least_busy(environment: &Environment, slices: &[&Slice]) -> Option<Thread> {
    let named = environment.agents.len();
    let agents = slices.first()?.agents.len().max(named);
    let threads = (0..agents).filter_map(|agent| Thread::of_agent(environment, slices, agent));
    threads.min_by(|one, other| one.ready().total_cmp(&other.ready()))
}

/// The severity. With two targets at the load generator's limit, the run compared the load
/// generator with itself. A single target at the limit is at least as fast as its figures: if the
/// target is also the fastest, the order is right and only the ratio is uncertain; if not, the
/// order is uncertain.
fn severity(targets: &[Loaded]) -> Severity {
    let fastest = targets
        .iter()
        .max_by(|a, b| a.throughput.total_cmp(&b.throughput));
    let busy = targets.iter().filter(|loaded| loaded.is_busy()).count();
    match busy {
        0 | 1 if fastest.is_none_or(Loaded::is_busy) => Severity::Suspect,
        _ => Severity::Invalid,
    }
}

fn advice(severity: Severity, comparing: bool, loaded: &Loaded) -> Message {
    let meaning = match (severity, comparing) {
        (Severity::Invalid, _) => "generator",
        (_, true) => "leads",
        (_, false) => "faster",
    };
    message!(
        "relieve",
        meaning = Value::word(meaning),
        displaced = loaded.thread.is_displaced(),
        idle_cores = Value::word(match loaded.idle {
            Some(idle) if idle > IDLE_CORES => "some",
            Some(_) => "none",
            None => "unknown",
        })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Run, agent};

    #[test]
    fn with_agents_the_load_is_limited_only_if_every_agent_is() {
        let busy = |shares: [f64; 2]| {
            let mut run = Run::pair(8);
            run.each(|slice| {
                slice.busiest_thread(0.97);
                slice.0.agents = shares.map(|share| agent(1_000, share)).to_vec();
            });
            run.findings(&RULE)
        };
        assert_eq!(busy([0.97, 0.5]), [], "agent_saturated");
        let findings = busy([0.97, 0.93]);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "on the least busy of 2 agents, the busiest load generator thread used 93 % of a core \
             (median of 16 slices)"
        );
    }

    #[test]
    fn one_saturated_target_that_leads_is_suspect() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.busiest_thread(0.97);
            slice.answers(1_500, 0.002 / 1.5);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.contains("97 % of a core"));
    }

    #[test]
    fn one_saturated_target_that_trails_is_invalid() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.busiest_thread(0.97);
            slice.answers(500, 0.004);
        });
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Invalid);
    }

    #[test]
    fn two_saturated_targets_are_invalid() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.busiest_thread(0.95));
        run.each_of("b", |slice| slice.busiest_thread(0.97));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Invalid));
    }

    #[test]
    fn without_a_comparison_the_finding_is_suspect() {
        let mut run = Run::single(8);
        run.each_of("a", |slice| slice.busiest_thread(0.99));
        let findings = run.findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_thread_that_waits_for_a_core_that_others_use_is_saturated() {
        let mut run = Run::single(8);
        run.each(|slice| {
            slice.waiting_thread(0.62, 0.35);
            slice.others(0.8);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(
            findings[0].evidence,
            "the busiest of 1 load generator thread used 62 % of a core and waited in 35 % of \
             the time for one that other programs used (median of 8 slices)"
        );
        assert!(findings[0].advice.contains("stop the other programs"));
        // The target used the cores: the limit is the target, or the machine.
        run.each(|slice| slice.machine().others_cpu_seconds = Some(0.05));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_below_nine_tenths_and_for_one_busy_slice() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| slice.busiest_thread(0.89));
        run.first_of("b").busiest_thread(1.0);
        assert_eq!(run.findings(&RULE), []);
    }
}
