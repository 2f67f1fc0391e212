//! Unrelated programs that use the cores.

use std::collections::BTreeMap;

use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::machine::places_above;
use crate::server::backend::Backends;
use crate::words::{middle, tame};

/// Share of the CPU time of all cores above which there is a finding.
const NOTICEABLE: f64 = 0.10;

/// Share of busy slices (slices in which other programs exceed [`NOTICEABLE`]) above which there is
/// a finding even if the median slice is not busy.
const SEVERAL: f64 = 0.02;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "others_busy",
    summary: Texts {
        english: "other programs used the machine during the measurement",
        japanese: "測定中、ほかのプログラムがマシンを使っていた",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("others_busy"),
    messages: Messages {
        english: r#"
            used =
                { $unrelated ->
                    [true] programs that do not work for a target
                   *[false] other programs
                } used { $share } of the CPU time of all cores ({ $basis }){ $programs }
            server-included =
                other programs, including the server, used { $share } of the CPU time of all cores
                ({ $basis }){ $programs }; the server's share is unknown, because no process that
                listens on its port is visible
            now-and-then =
                in { $disturbed } of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                }, other programs used up to { $share } of the CPU time of all cores{ $programs }
            programs = : { $each }
            program =
                { $name } ({ $several ->
                    [true] several processes, one is pid { $pid }
                   *[false] pid { $pid }
                }) { $cores } of a core
            stop-others =
                stop other programs before the run (updates, backups, builds, containers);
                `tenbin doctor` shows whether the machine is idle
            name-or-stop-others =
                if a program works for a target (a database, a storage node), name it with
                --observe, or use --gap 200ms and at least 3 rounds so that the pauses show this;
                stop other programs before the run (updates, backups, builds, containers)
            name-server =
                name the server's process with --observe pid:N or --observe name:NAME, so that its
                CPU time is separated from that of other programs
        "#,
        japanese: r#"
            used =
                { $unrelated ->
                    [true] ターゲットと無関係な
                   *[false] ほかの
                }プログラムが全コアの CPU 時間の { $share } を使った({ $basis }){ $programs }
            server-included =
                サーバーを含むほかのプログラムが全コアの CPU 時間の { $share } を使った({ $basis }){ $programs }。
                サーバーのポートを待ち受けるプロセスが見えないため、サーバーの分は不明
            now-and-then =
                { $slices } スライス中 { $disturbed } スライスで、
                ほかのプログラムが全コアの CPU 時間を最大 { $share } 使った{ $programs }
            programs = 。内訳: { $each }
            program =
                { $name }({ $several ->
                    [true] 複数のプロセス、その一つは pid { $pid }
                   *[false] pid { $pid }
                }){ $cores } コア
            stop-others =
                測定の前にほかのプログラム(更新、バックアップ、ビルド、コンテナー)を止める。
                マシンが空いているかは `tenbin doctor` で確認できる
            name-or-stop-others =
                ターゲットのために動くプログラム(データベース、ストレージノード)があれば --observe で指定する。
                または --gap 200ms と 3 ラウンド以上にし、休止中の使用から判別できるようにする。
                それ以外のプログラム(更新、バックアップ、ビルド、コンテナー)は測定の前に止める
            name-server =
                --observe pid:N または --observe name:NAME でサーバーのプロセスを指定し、
                その CPU 時間をほかのプログラムと区別する
        "#,
    },
    tier: Tier::Circumstance,
    // Cores that others use are missing to the load generator and to targets on this machine.
    distorts: Distortion::BUSY_MACHINE,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let backends = Backends::of(evidence);
    let places = places_above(evidence, NOTICEABLE, &|_, machine| {
        backends.share_of_others(machine)
    });
    if places.is_empty() {
        let other = now_and_then(evidence, &backends);
        let other = other.or_else(|| server_included(evidence, &backends));
        return other.into_iter().collect();
    }
    let finding = places.into_iter().map(|place| {
        let used = message!(
            "used",
            unrelated = backends.knows_unrelated(),
            share = Value::Share(place.value),
            basis = place.basis(),
            programs = busiest(evidence, &backends)
        );
        let (severity, cause) = (Severity::Suspect, Cause::Generator);
        place.finding(&RULE, severity, cause, used, advice(&backends))
    });
    finding.collect()
}

fn advice(backends: &Backends<'_>) -> Message {
    if backends.knows_unrelated() {
        message!("stop-others")
    } else {
        message!("name-or-stop-others")
    }
}

/// Maximum number of programs that a finding names.
const NAMED: usize = 3;

/// Cores below which a program is not named.
const LEAST_NAMED: f64 = 0.01;

/// The names of the busiest unrelated programs, with the mean number of cores that each program
/// used over all slices; `None` without such a program. A program can have the name of a target, so
/// each has its process id.
fn busiest(evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Message> {
    let mut seconds = 0.0;
    let mut used: BTreeMap<String, Used> = BTreeMap::new();
    for slice in evidence.slices {
        let Some(machine) = slice.machine() else {
            continue;
        };
        let programs = machine.programs.into_iter().flatten();
        let others = programs.filter(|program| !backends.is_of_a_target(program));
        seconds += machine.seconds;
        for program in others {
            let of_name = used.entry(program.name).or_insert(Used {
                seconds: 0.0,
                pid: program.pid,
                several: false,
            });
            of_name.seconds += program.cpu_seconds;
            of_name.several |= program.pid != of_name.pid || program.processes.is_some();
        }
    }
    let mut used: Vec<(String, Used)> = used.into_iter().collect();
    used.sort_by(|(_, one), (_, other)| other.seconds.total_cmp(&one.seconds));
    let named = used
        .iter()
        .filter(|(_, used)| used.seconds / seconds >= LEAST_NAMED)
        .take(NAMED)
        .map(|(name, used)| used.of_name(name, seconds));
    let named: Vec<Message> = named.collect();
    (!named.is_empty()).then(|| message!("programs", each = named))
}

/// What the processes of one name used.
struct Used {
    /// CPU seconds.
    seconds: f64,
    /// One of the processes.
    pid: i32,
    several: bool,
}

impl Used {
    fn of_name(&self, name: &str, seconds: f64) -> Message {
        message!(
            "program",
            name = tame(name),
            pid = Value::Plain(u64::try_from(self.pid).unwrap_or_default()),
            several = self.several,
            cores = Value::Cores(self.seconds / seconds)
        )
    }
}

/// Finding for a target on this machine whose processes cannot be separated from other programs.
fn server_included(evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let shares = evidence.slices.iter().filter_map(|slice| {
        let machine = slice.machine().filter(|_| !slice.end.cut_short)?;
        let is_unknown = machine.others_cpu_seconds.is_none() && machine.target_here?;
        let cores = machine.cpu?.cores as f64 * machine.seconds;
        let programs = machine.programs.as_ref()?.iter();
        let others = programs.filter(|program| !backends.is_of_a_target(program));
        let seconds: f64 = others.map(|program| program.cpu_seconds).sum();
        (is_unknown && cores > 0.0).then(|| seconds / cores)
    });
    let shares: Vec<f64> = shares.collect();
    let share = middle(shares.iter().copied()).filter(|share| *share > NOTICEABLE)?;
    let included = message!(
        "server-included",
        share = Value::Share(share),
        basis = message!("median-of-slices", slices = shares.len()),
        programs = busiest(evidence, backends)
    );
    let advice = message!("name-server");
    Some(RULE.finding(Severity::Note, Cause::Setup, included, advice))
}

/// Finding on single slices in which other programs were busy, in a run with little such use in
/// most slices.
fn now_and_then(evidence: &Evidence<'_>, backends: &Backends<'_>) -> Option<Finding> {
    let shares: Vec<f64> = evidence
        .slices
        .iter()
        .filter(|slice| !slice.end.cut_short)
        .filter_map(|slice| backends.share_of_others(&slice.machine()?))
        .collect();
    let disturbed = shares.iter().filter(|share| **share > NOTICEABLE).count();
    let worst = shares.iter().copied().fold(0.0, f64::max);
    let is_several = disturbed as f64 > SEVERAL * shares.len() as f64;
    is_several.then(|| {
        let now_and_then = message!(
            "now-and-then",
            disturbed = Value::Plain(disturbed as u64),
            slices = shares.len(),
            share = Value::Share(worst),
            programs = busiest(evidence, backends)
        );
        let (severity, cause) = (Severity::Note, Cause::Generator);
        RULE.finding(severity, cause, now_and_then, advice(backends))
    })
}

#[cfg(test)]
mod tests {
    use tenbin_record::ProgramUse;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_above_a_tenth_of_the_machine_and_says_how_much() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            slice.machine().others_cpu_seconds = Some(0.5);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        assert!(findings[0].evidence.contains("used 25 % of the CPU time"));
    }

    #[test]
    fn a_few_disturbed_slices_are_a_note() {
        let mut run = Run::pair(8);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(findings[0].evidence.starts_with("in 1 of 32 slices"));
        assert!(findings[0].evidence.contains("50 %"));
    }

    #[test]
    fn one_disturbed_slice_of_many_is_not_reported() {
        let mut run = Run::pair(32);
        run.first_of("a").machine().others_cpu_seconds = Some(1.0);
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn a_server_that_is_not_visible_is_included_in_other_programs() {
        let mut run = Run::pair(8).elsewhere();
        let program = |pid, name: &str, cpu_seconds| ProgramUse {
            pid,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        };
        run.each(|slice| {
            slice.unobserved();
            let machine = slice.machine();
            machine.others_cpu_seconds = None;
            machine.programs = Some(vec![
                program(7, "build", 0.6),
                program(8, "server", 0.2),
                program(9, "shell", 0.000_2),
            ]);
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "other programs, including the server, used 40 % of the CPU time of all cores \
             (median of 32 slices): build (pid 7) 0.60 of a core, server (pid 8) 0.20 of a core; the server's \
             share is unknown, because no process that listens on its port is visible"
        );
        run.each(|slice| slice.machine().target_here = Some(false));
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_below_it_and_when_the_target_is_not_visible() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().others_cpu_seconds = Some(0.19));
        assert_eq!(run.findings(&RULE), []);
        run.each(|slice| slice.machine().others_cpu_seconds = None);
        assert_eq!(run.findings(&RULE), []);
    }
}
