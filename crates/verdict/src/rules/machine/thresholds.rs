//! Rules that compare one figure of the load generator's machine with a threshold. To add a rule,
//! add a static in this file and a line in [`RULES`](crate::RULES).

use tenbin_record::{LinkUse, MachineUse, Slice};
use tenbin_result::{Cause, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::distortion::Distortion;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::findings::threshold::{Row, Threshold};
use crate::machine::{Place, per_second, share_of_time};

/// A CPU quota stops the load generator. The threshold is a share of the length of a slice.
pub(crate) static THROTTLED: Threshold = Threshold {
    info: RuleInfo {
        name: "throttled",
        summary: Texts {
            english: "a CPU quota stopped the load generator",
            japanese: "CPU クォータが負荷生成側を止めた",
        },
        severities: &[Severity::Suspect, Severity::Invalid],
        explanation: pages!("throttled"),
        messages: Messages {
            english: r#"
                stopped =
                    the CPU quota of its cgroup stopped the load generator for { $share } of the
                    time, summed over its threads ({ $basis })
                raise-quota =
                    remove or raise the CPU quota of the load generator's container or service
                    (cpu.max, --cpus, resources.limits.cpu), or use fewer --threads
            "#,
            japanese: r#"
                stopped =
                    cgroup の CPU クォータにより、負荷生成側が全スレッドの合計で時間の { $share } だけ止められた({ $basis })
                raise-quota =
                    負荷生成側のコンテナーまたはサービスの CPU クォータ(cpu.max、--cpus、resources.limits.cpu)を
                    外すか上げる。または --threads を減らす
            "#,
        },
        tier: Tier::Cause,
        // The quota stops the load generator, and targets in the same cgroup, for some time.
        distorts: Distortion::BUSY_MACHINE,
        ..RuleInfo::PLAIN
    },
    rows: &[Row {
        figure: |_, machine| share_of_time(machine.throttled_us, machine),
        above: 0.01,
        invalid_above: Some(0.2),
        cause: Cause::Generator,
        evidence: |_, _| message!("stopped"),
        advice: "raise-quota",
    }],
};

/// The hypervisor runs other virtual machines. The threshold is a share of the CPU time of all
/// cores.
pub(crate) static STEAL: Threshold = Threshold {
    info: RuleInfo {
        name: "steal",
        summary: Texts {
            english: "other virtual machines on the same hardware took CPU time away",
            japanese: "同じハードウェアのほかの仮想マシンが CPU 時間を奪った",
        },
        severities: &[Severity::Suspect],
        explanation: pages!("steal"),
        messages: Messages {
            english: r#"
                stolen =
                    { $share } of the CPU time of this machine went to other virtual machines on the
                    same hardware (steal; { $basis })
                use-dedicated-cores =
                    use dedicated hardware or an instance with dedicated cores; or use more rounds,
                    at a time when the other virtual machines are idle
            "#,
            japanese: r#"
                stolen =
                    このマシンの CPU 時間の { $share } が、同じハードウェアの他の仮想マシンに奪われた(steal、{ $basis })
                use-dedicated-cores =
                    専有ハードウェアか、専有コアのインスタンスを使う。
                    またはほかの仮想マシンが空いている時間帯に、ラウンドを増やして測る
            "#,
        },
        tier: Tier::Circumstance,
        // Stolen time is missing to the load generator and to targets on this machine.
        distorts: Distortion::BUSY_MACHINE,
        ..RuleInfo::PLAIN
    },
    rows: &[Row {
        figure: |_, machine| {
            let cpu = machine.cpu?;
            Some(cpu.steal / cpu.all()?)
        },
        above: 0.02,
        invalid_above: None,
        cause: Cause::Generator,
        evidence: |_, _| message!("stolen"),
        advice: "use-dedicated-cores",
    }],
};

/// The cores run far below their highest frequency. The figure is the distance of the fastest core
/// from the highest frequency, as a share of the highest frequency.
pub(crate) static CPU_FREQUENCY: Threshold = Threshold {
    info: RuleInfo {
        name: "cpu_frequency",
        summary: Texts {
            english: "the cores ran far below their highest frequency",
            japanese: "コアが最高周波数よりはるかに低い周波数で動作した",
        },
        severities: &[Severity::Note],
        explanation: pages!("cpu_frequency"),
        messages: Messages {
            english: r#"
                slow-cores =
                    even the fastest core ran at { $frequency } of its highest frequency ({ $basis },
                    governor { $governor })
                unknown-governor = unknown
                set-governor =
                    set the governor to performance (cpupower frequency-set -g performance), and
                    check cooling and power limits; all targets are affected alike
            "#,
            japanese: r#"
                slow-cores =
                    最も速いコアでも最高周波数の { $frequency } で動作した({ $basis }、governor { $governor })
                unknown-governor = 不明
                set-governor =
                    governor を performance にし(cpupower frequency-set -g performance)、
                    冷却と電力の制限を確認する。影響は全ターゲットに共通
            "#,
        },
        tier: Tier::Circumstance,
        ..RuleInfo::PLAIN
    },
    rows: &[Row {
        figure: |_, machine| {
            let frequency = machine.frequency?;
            let share = frequency.fastest_mhz / frequency.most_mhz;
            share.is_finite().then_some(1.0 - share)
        },
        above: 0.30,
        invalid_above: None,
        cause: Cause::Generator,
        evidence: |place, evidence| {
            let governor = machines(evidence).filter_map(|machine| machine.governor);
            let unknown = || Value::Message(message!("unknown-governor"));
            message!(
                "slow-cores",
                governor = governor.last().map_or_else(unknown, Value::from)
            )
            .with("frequency", Value::Share(1.0 - place.value))
        },
        advice: "set-governor",
    }],
};

/// Processes wait for storage. The threshold is a share of the time.
pub(crate) static STORAGE_PRESSURE: Threshold = Threshold {
    info: RuleInfo {
        name: "storage_pressure",
        summary: Texts {
            english: "processes waited for storage while cores were idle",
            japanese: "コアが空いている間、プロセスがストレージを待っていた",
        },
        severities: &[Severity::Note],
        explanation: pages!("storage_pressure"),
        messages: Messages {
            english: r#"
                waited-for-storage =
                    for { $share } of the time, processes on this machine waited for storage while
                    cores were idle ({ $basis })
                use-faster-disk =
                    the disk, not the server software, limits these figures; use a faster disk, or
                    let the target sync less often if its durability guarantees allow it
            "#,
            japanese: r#"
                waited-for-storage =
                    時間の { $share } で、コアが空いているのにこのマシンのプロセスがストレージを待っていた({ $basis })
                use-faster-disk =
                    数値はディスクの性能とみなす。より速いディスクを使うか、
                    耐久性の保証が許すならターゲットの sync の頻度を下げる
            "#,
        },
        tier: Tier::Cause,
        ..RuleInfo::PLAIN
    },
    rows: &[Row {
        figure: |_, machine| {
            let waiting = share_of_time(machine.pressure.io_some_us, machine)?;
            // If all cores are busy, a faster disk would not help.
            let is_cpu_idle = machine.cpu?.idle_share()? > IDLE_CPU;
            Some(if is_cpu_idle { waiting } else { 0.0 })
        },
        above: 0.10,
        invalid_above: None,
        cause: Cause::Server,
        evidence: |_, _| message!("waited-for-storage"),
        advice: "use-faster-disk",
    }],
};

/// Share of all cores that must be idle for storage to be the limit.
const IDLE_CPU: f64 = 0.20;

/// A network link is full. The threshold is a share of the link's speed.
pub(crate) static BANDWIDTH: Threshold = Threshold {
    info: RuleInfo {
        name: "bandwidth",
        summary: Texts {
            english: "a network link was nearly saturated",
            japanese: "ネットワークリンクがほぼ飽和していた",
        },
        severities: &[Severity::Suspect],
        explanation: pages!("bandwidth"),
        messages: Messages {
            english: r#"
                busy-link = the busiest link was used to { $share } ({ $basis }){ $link }
                link =
                    : network interface { $name } carried up to { $carried } of { $speed } in one
                    direction
                use-faster-link =
                    the network limits this throughput; to measure the server, use a faster link,
                    smaller bodies or compression, or run the load generator on the target's machine
            "#,
            japanese: r#"
                busy-link = 最も混んだリンクの使用率が { $share }({ $basis }){ $link }
                link =
                    。ネットワークインターフェース { $name } の片方向の転送は最大 { $carried }(リンク速度 { $speed })
                use-faster-link =
                    スループットはネットワークの性能とみなす。サーバーを測るには、より速いリンク、小さいボディ、
                    圧縮のいずれかを使うか、負荷生成側をターゲットのマシンで動かす
            "#,
        },
        tier: Tier::Cause,
        ..RuleInfo::PLAIN
    },
    rows: &[Row {
        figure: |_, machine| Some(fullest(machine)?.share),
        above: 0.85,
        invalid_above: None,
        cause: Cause::Network,
        evidence: |place, evidence| {
            let slices = evidence.slices.iter().filter(|slice| place.contains(slice));
            let machines = slices.filter_map(|slice| slice.machine());
            let worst = machines
                .filter_map(|machine| fullest(&machine))
                .reduce(fuller);
            message!(
                "busy-link",
                link = worst.map(|worst| message!(
                    "link",
                    name = worst.name,
                    carried = Value::BitRate(worst.carried),
                    speed = Value::BitRate(worst.speed)
                ))
            )
        },
        advice: "use-faster-link",
    }],
};

/// TCP segments of the load generator's connections are lost. The threshold is a share of the
/// segments sent.
pub(crate) static RETRANSMITS: Threshold = Threshold {
    info: RuleInfo {
        name: "retransmits",
        summary: Texts {
            english: "many TCP segments of the load generator's connections were lost and sent again",
            japanese: "負荷生成側の接続で、多くの TCP セグメントが失われ再送された",
        },
        severities: &[Severity::Suspect],
        explanation: pages!("retransmits"),
        messages: Messages {
            english: r#"
                lost-segments =
                    { $share } of the TCP segments that the load generator sent were lost and sent
                    again ({ $basis }; { $segments ->
                        [one] 1 segment
                       *[other] { $segments } segments
                    } in total)
                empty-buffers =
                    the load generator and the target are on one machine, so a socket buffer or an
                    accept queue overflowed, usually because no CPU was free to empty it; use fewer
                    connections, keep them open, raise the server's receive buffer or listen
                    backlog, or free CPU; do not trust the high percentiles
                check-link =
                    look for a saturated link or switch, a bad cable, or a small receive buffer at
                    the target; a lost segment costs 200 ms or more, so do not trust the high
                    percentiles
            "#,
            japanese: r#"
                lost-segments =
                    負荷生成側が送った TCP セグメントの { $share } が失われ、再送された({ $basis }、計 { $segments } セグメント)
                empty-buffers =
                    負荷生成側とターゲットが同じマシンにあるので、あふれたのはソケットバッファーか accept キューであり、
                    多くは CPU に空きがないことが原因。同時接続数を減らす、接続を維持する、
                    サーバーの受信バッファーや listen backlog を増やす、CPU を空けるなどする。
                    高いパーセンタイルは信用しない
                check-link =
                    飽和したリンクやスイッチ、不良ケーブル、ターゲットの小さな受信バッファーを調べる。
                    セグメントが 1 つ失われると 200 ms 以上かかるので、高いパーセンタイルは信用しない
            "#,
        },
        tier: Tier::Circumstance,
        ..RuleInfo::PLAIN
    },
    rows: &[
        // On one machine, only a full queue or buffer drops a segment.
        Row {
            figure: |slice, machine| share_lost(slice).filter(|_| is_local(machine)),
            above: LOST,
            invalid_above: None,
            cause: Cause::Setup,
            evidence: lost_segments,
            advice: "empty-buffers",
        },
        Row {
            figure: |slice, machine| share_lost(slice).filter(|_| !is_local(machine)),
            above: LOST,
            invalid_above: None,
            cause: Cause::Network,
            evidence: lost_segments,
            advice: "check-link",
        },
    ],
};

/// Share of lost segments above which there is a finding.
const LOST: f64 = 0.001;
/// Number of lost segments in a slice below which chance explains the loss.
const FEWEST_LOST: u64 = 10;

fn lost_segments(place: &Place, evidence: &Evidence<'_>) -> Message {
    let slices = evidence.slices.iter().filter(|slice| place.contains(slice));
    let lost: u64 = slices
        .filter_map(|slice| slice.wire()?.lost_segments())
        .sum();
    message!("lost-segments", segments = lost)
}

fn is_local(machine: &MachineUse) -> bool {
    machine.target_here == Some(true)
}

/// Share of lost segments among the segments that a slice's connections sent; 0 if few were lost.
fn share_lost(slice: &Slice) -> Option<f64> {
    let wire = slice.wire()?;
    let (lost, sent) = (wire.lost_segments()?, wire.sent_segments?);
    (sent > 0).then(|| {
        if lost >= FEWEST_LOST {
            lost as f64 / sent as f64
        } else {
            0.0
        }
    })
}

/// Load and speed of one direction of a link, bits per second.
pub(crate) struct Carried {
    name: String,
    carried: f64,
    speed: f64,
    pub(crate) share: f64,
}

/// The busiest direction of the machine's links; `None` if no link reports its speed.
pub(crate) fn fullest(machine: &MachineUse) -> Option<Carried> {
    let links = machine.links.iter();
    links
        .filter_map(|link| carried(link, machine))
        .reduce(fuller)
}

fn fuller(one: Carried, other: Carried) -> Carried {
    if other.share > one.share { other } else { one }
}

fn carried(link: &LinkUse, machine: &MachineUse) -> Option<Carried> {
    let speed = link.bits_per_second? as f64;
    let bytes = link.received_bytes.max(link.sent_bytes);
    let carried = per_second(Some(bytes), machine)? * 8.0;
    (speed > 0.0).then(|| Carried {
        name: link.name.clone(),
        carried,
        speed,
        share: carried / speed,
    })
}

fn machines(evidence: &Evidence<'_>) -> impl Iterator<Item = MachineUse> {
    let slices = evidence.slices.iter();
    slices.filter_map(|slice| slice.machine())
}

#[cfg(test)]
mod tests {
    use tenbin_result::Finding;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn a_quota_that_stops_the_generator_for_more_than_one_percent_is_found() {
        let throttled = |micros: Option<u64>| {
            let mut run = Run::pair(8);
            run.each(|slice| slice.machine().throttled_us = micros);
            run.findings(&THROTTLED.info)
        };
        let findings = throttled(Some(45_000));
        assert_eq!(findings.len(), 1, "the machine is the same for all");
        assert_eq!(findings[0].target, None);
        assert!(findings[0].evidence.contains("for 4.5 % of the time"));
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(throttled(Some(210_000))[0].severity, Severity::Invalid);
        assert_eq!(throttled(Some(9_000)), []);
        assert_eq!(throttled(None), [], "no quota");
    }

    #[test]
    fn steal_above_two_percent_is_found() {
        let stolen = |seconds: f64| {
            let mut run = Run::pair(8);
            run.each_of("b", |slice| {
                let cpu = slice.machine().cpu.as_mut().unwrap();
                cpu.idle -= seconds;
                cpu.steal += seconds;
            });
            run.findings(&STEAL.info)
        };
        let findings = stolen(0.05);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert!(findings[0].evidence.starts_with("2.5 % of the CPU time"));
        assert_eq!(stolen(0.03), []);
        let mut unknown = Run::pair(8);
        unknown.each(|slice| slice.machine().cpu = None);
        assert_eq!(unknown.findings(&STEAL.info), []);
    }

    #[test]
    fn a_low_frequency_is_found_and_the_governor_named() {
        let at = |fastest_mhz: f64| {
            let mut run = Run::pair(8);
            run.each(|slice| {
                let machine = slice.machine();
                machine.frequency.as_mut().unwrap().fastest_mhz = fastest_mhz;
                machine.governor = Some("powersave".to_owned());
            });
            run.findings(&CPU_FREQUENCY.info)
        };
        let findings = at(1_200.0);
        assert_eq!(findings.len(), 1);
        let expected = "even the fastest core ran at 40 % of its highest frequency (median of 32 \
                        slices, governor powersave)";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(at(2_200.0), []);
        let mut unknown = Run::pair(8);
        unknown.each(|slice| slice.machine().frequency = None);
        assert_eq!(unknown.findings(&CPU_FREQUENCY.info), []);
    }

    #[test]
    fn waiting_for_storage_is_found_while_cores_are_idle() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.server_cpu(0.8);
            slice.machine().pressure.io_some_us = Some(420_000);
        });
        let findings = run.findings(&STORAGE_PRESSURE.info);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.starts_with("for 42 % of the time"));
        run.each(|slice| {
            let cpu = slice.machine().cpu.as_mut().unwrap();
            (cpu.busy, cpu.idle, cpu.iowait) = (1.85, 0.05, 0.05);
        });
        assert_eq!(run.findings(&STORAGE_PRESSURE.info), [], "cores are busy");
        let mut unknown = Run::pair(8);
        unknown.each(|slice| slice.machine().pressure.io_some_us = None);
        assert_eq!(unknown.findings(&STORAGE_PRESSURE.info), []);
    }

    #[test]
    fn a_link_that_is_full_in_one_direction_is_found() {
        let receiving = |bytes: u64| {
            let mut run = Run::pair(8);
            run.each_of("a", |slice| slice.machine().links[0].received_bytes = bytes);
            run.findings(&BANDWIDTH.info)
        };
        let findings = receiving(117_625_000);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("a"));
        let expected = "the busiest link was used to 94.1 % (median of 16 slices): network interface \
                        eth0 carried up to 941 Mbit/s of 1.00 Gbit/s in one direction";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(receiving(100_000_000), []);
        let mut unknown = Run::pair(8);
        unknown.each(|slice| {
            let link = &mut slice.machine().links[0];
            link.received_bytes = 117_625_000;
            link.bits_per_second = None;
        });
        assert_eq!(unknown.findings(&BANDWIDTH.info), []);
    }

    #[test]
    fn the_link_is_that_of_the_place() {
        let mut run = Run::pair(8);
        run.each_of("a", |slice| {
            slice.machine().links[0].received_bytes = 117_625_000
        });
        run.first_of("b").machine().links[0].received_bytes = 125_000_000;
        let findings = run.findings(&BANDWIDTH.info);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].evidence.contains("941 Mbit/s"), "{findings:?}");
    }

    /// Findings of a run with `segments` retransmits per 10,000 segments, of which the peer already
    /// had `unneeded`.
    fn sent_again(segments: u64, unneeded: u64, here: bool) -> Vec<Finding> {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            let wire = slice.wire();
            wire.sent_segments = Some(10_000);
            wire.retransmits = segments;
            wire.unneeded_retransmits = Some(unneeded);
            slice.machine().target_here = Some(here);
        });
        run.findings(&RETRANSMITS.info)
    }

    #[test]
    fn lost_segments_above_one_in_a_thousand_are_found() {
        let findings = sent_again(40, 0, false);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Network);
        let evidence = &findings[0].evidence;
        assert!(evidence.starts_with("0.4 % of the TCP segments"));
        assert!(evidence.contains("; 640 segments in total"), "{evidence}");
    }

    #[test]
    fn on_one_machine_the_advice_is_about_buffers() {
        let findings = sent_again(40, 0, true);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].cause, Cause::Setup);
        assert!(!findings[0].advice.contains("cable"), "{findings:?}");
        assert!(findings[0].advice.contains("buffer"), "{findings:?}");
    }

    #[test]
    fn segments_that_the_peer_had_received_were_not_lost() {
        assert_eq!(sent_again(400, 395, true), []);
        assert_eq!(sent_again(400, 380, false).len(), 1);
    }

    #[test]
    fn segments_of_other_connections_of_the_machine_do_not_count() {
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().tcp.retransmitted_segments = Some(400));
        assert_eq!(run.findings(&RETRANSMITS.info), []);
    }

    #[test]
    fn a_few_lost_segments_and_unknown_ones_are_no_finding() {
        assert_eq!(sent_again(9, 0, false), []);
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.wire().retransmits = 400;
            slice.wire().unneeded_retransmits = None;
        });
        assert_eq!(run.findings(&RETRANSMITS.info), []);
    }
}
