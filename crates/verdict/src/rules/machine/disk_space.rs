//! Disks that are nearly full.

use tenbin_record::DiskUse;
use tenbin_result::format::{bytes, percent};
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;

/// Free bytes below which the next write can fail.
const FULL: u64 = 64 << 20;
/// Free bytes below which there is a finding.
const NARROW: u64 = 1 << 30;
/// Free share below which file systems become slow.
const NARROW_SHARE: f64 = 0.05;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "disk_space",
    summary: "the disk with the run directory was nearly full",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("disk_space.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let slices = evidence.slices.iter();
    let disks = slices.filter_map(|slice| slice.machine.as_ref()?.disk);
    let least = disks.min_by_key(|disk| disk.available_bytes);
    let narrow = least.filter(|disk| is_narrow(*disk));
    let data_here = evidence.cells().iter().any(|cell| cell.runs_here());
    let finding = narrow.map(|disk| Finding {
        rule: RULE.name.to_owned(),
        severity: if disk.available_bytes < FULL {
            Severity::Suspect
        } else {
            Severity::Note
        },
        cause: Cause::Setup,
        workload: None,
        target: None,
        evidence: format!(
            "{} were free on the disk with the run directory, {} of its size{}",
            bytes(disk.available_bytes),
            percent(disk.available_bytes as f64 / disk.size_bytes as f64),
            if data_here {
                "; data of launched targets may be there, too"
            } else {
                ""
            }
        ),
        advice: "free some space, or keep runs on another disk (--out): a nearly full file \
                 system is slow, and then rejects writes"
            .to_owned(),
    });
    finding.into_iter().collect()
}

fn is_narrow(disk: DiskUse) -> bool {
    let share = disk.available_bytes as f64 / disk.size_bytes.max(1) as f64;
    disk.available_bytes < NARROW || share < NARROW_SHARE
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
