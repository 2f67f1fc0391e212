//! Disks that are nearly full.

use tenbin_record::DiskUse;
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Free bytes below which the next write can fail.
const FULL: u64 = 64 << 20;
/// Free bytes below which there is a finding.
const NARROW: u64 = 1 << 30;
/// Free share below which file systems become slow.
const NARROW_SHARE: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "disk_space",
    summary: Texts {
        english: "the disk with the run directory was nearly full",
        japanese: "実行ディレクトリーのあるディスクが満杯に近い",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("disk_space"),
    messages: Messages {
        english: r#"
            nearly-full =
                { $free } were free on the disk with the run directory, { $share } of its
                size{ $data_here ->
                    [true] ; data of launched targets may be there, too
                   *[false] {""}
                }
            free-space =
                free some space, or keep runs on another disk (--out): a nearly full file system is
                slow, and then rejects writes
        "#,
        japanese: r#"
            nearly-full =
                実行ディレクトリーのあるディスクの空きは { $free }(容量の { $share }){ $data_here ->
                    [true] 。起動したターゲットのデータも同じディスクの可能性がある
                   *[false] {""}
                }
            free-space =
                空きを作るか、実行結果を別のディスクに置く(--out)。
                満杯に近いファイルシステムは遅くなり、やがて書き込みを拒否する
        "#,
    },
    tier: Tier::Circumstance,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let slices = evidence.slices.iter();
    let disks = slices.filter_map(|slice| slice.machine()?.disk);
    let least = disks.min_by_key(|disk| disk.available_bytes);
    let narrow = least.filter(|disk| is_narrow(*disk));
    let data_here = evidence.cells().iter().any(|cell| cell.runs_here());
    let finding = narrow.map(|disk| {
        let severity = Severity::Note.raised_if(disk.available_bytes < FULL);
        let nearly_full = message!(
            "nearly-full",
            free = Value::Bytes(disk.available_bytes),
            share = Value::Share(free_share(disk)),
            data_here
        );
        let advice = message!("free-space");
        RULE.finding(severity, Cause::Setup, nearly_full, advice)
    });
    finding.into_iter().collect()
}

fn is_narrow(disk: DiskUse) -> bool {
    disk.available_bytes < NARROW || free_share(disk) < NARROW_SHARE
}

fn free_share(disk: DiskUse) -> f64 {
    disk.available_bytes as f64 / disk.size_bytes.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    fn left(available_bytes: u64) -> Vec<Finding> {
        let mut run = Run::pair(8);
        let disk = DiskUse {
            available_bytes,
            size_bytes: 200 << 30,
        };
        run.first_of("b").machine().disk = Some(disk);
        run.findings(&RULE)
    }

    #[test]
    fn fires_once_when_little_is_left_in_any_slice() {
        let findings = left(5 << 30);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        let expected = "5.00 GiB were free on the disk with the run directory, 2.5 % of its \
                        size; data of launched targets may be there, too";
        assert_eq!(findings[0].evidence, expected);
        assert_eq!(left(10 << 20)[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_with_room_to_spare_and_where_it_is_unknown() {
        assert_eq!(left(20 << 30), []);
        let mut run = Run::pair(8);
        run.each(|slice| slice.machine().disk = None);
        assert_eq!(run.findings(&RULE), []);
    }
}
