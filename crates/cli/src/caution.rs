//! What can be said of a plan before it is run, although it can be run.

use tenbin_plan::size::Size;
use tenbin_plan::{Plan, S3Operation, WorkloadKind};
use tenbin_stats::{CONFIDENCE, blocks_for_significance};

/// The least that S3 takes for a part that is not the last (Amazon S3 user guide,
/// "Multipart upload limits").
const SMALLEST_PART: u64 = 5 << 20;

/// What can be said of a plan.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Caution {
    /// The run cannot give what it is for: printed whether or not output is quiet.
    Warning(String),
    /// Worth knowing.
    Note(String),
}

/// One sentence each.
pub(crate) fn cautions(plan: &Plan) -> Vec<Caution> {
    let rounds = too_few_rounds(plan).map(Caution::Warning);
    let parts = small_parts(plan).map(Caution::Note);
    rounds.into_iter().chain(parts).collect()
}

/// Rounds of which no verdict can come, however large the difference.
fn too_few_rounds(plan: &Plan) -> Option<String> {
    let compared = plan.comparing.workloads.len().saturating_sub(1);
    let questions =
        plan.workloads.len() * plan.targets.len().saturating_sub(1) + plan.targets.len() * compared;
    if questions == 0 {
        return None;
    }
    let alpha = (1.0 - CONFIDENCE) / questions as f64;
    let needed = u32::try_from(blocks_for_significance(alpha)?).ok()?;
    let each = plan.rounds_per_block();
    let rounds = plan
        .rounds
        .until
        .map_or(plan.rounds.count, |until| until.most);
    let blocks = rounds / each;
    if blocks >= needed {
        return None;
    }
    let (block, blocks_needed) = match plan.targets.len() {
        2 => ("ABBA quad", "quads"),
        _ => ("Williams square", "squares"),
    };
    let plural = if blocks == 1 { "" } else { "s" };
    let among = match questions {
        1 => String::new(),
        several => format!(" among {several} comparisons"),
    };
    Some(format!(
        "no difference can be shown with --rounds {rounds} ({blocks} {block}{plural}), however large \
         it is: at {:.0} % confidence the signed-rank test needs {needed} {blocks_needed}{among} \
         → use --rounds {} or more",
        CONFIDENCE * 100.0,
        needed.saturating_mul(each)
    ))
}

fn small_parts(plan: &Plan) -> Option<String> {
    plan.workloads.iter().find_map(|workload| {
        let WorkloadKind::S3(work) = &workload.kind else {
            return None;
        };
        let in_parts =
            |each: S3Operation| matches!(each, S3Operation::Multipart | S3Operation::GetPart);
        let is_cut = work.sizes.typical() > work.part_size;
        let is_small = work.part_size < SMALLEST_PART && is_cut;
        (is_small && work.mix.operations().any(in_parts)).then(|| {
            format!(
                "{:?} has parts of {}, and most servers refuse parts below {}, except the last",
                workload.name,
                Size(work.part_size),
                Size(SMALLEST_PART)
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Context, Draft};

    use super::*;

    fn said(rounds: u32, targets: u32, workload: &str, workloads: u32) -> Vec<Caution> {
        let rounds = format!("[rounds]\ncount = {rounds}\n");
        cautions(&plan(&rounds, targets, workload, workloads))
    }

    fn plan(rounds: &str, targets: u32, workload: &str, workloads: u32) -> Plan {
        let mut text = rounds.to_owned();
        for at in 0..targets {
            text += &format!("[[target]]\nname = \"t{at}\"\nbuiltin = \"s3-memory\"\n");
        }
        for at in 0..workloads {
            text += &format!("[[workload]]\nname = \"w{at}\"\nkind = \"s3\"\n{workload}\n");
        }
        let draft = Draft::from_toml(&text, std::path::Path::new("plan.toml"));
        draft
            .unwrap()
            .resolve(&mut Context::of_this_process().unwrap())
            .unwrap()
    }

    #[test]
    fn rounds_of_which_no_verdict_can_come_are_said_beforehand() {
        let put = "operation = \"put\"";
        let warning = |text: &str| [Caution::Warning(text.to_owned())];
        assert_eq!(
            said(8, 2, put, 1),
            warning(
                "no difference can be shown with --rounds 8 (4 ABBA quads), however large it is: at \
                 95 % confidence the signed-rank test needs 6 quads → use --rounds 12 or more"
            )
        );
        assert_eq!(said(12, 2, put, 1), []);
        assert_eq!(
            said(12, 2, put, 4),
            warning(
                "no difference can be shown with --rounds 12 (6 ABBA quads), however large it is: at \
                 95 % confidence the signed-rank test needs 8 quads among 4 comparisons → use \
                 --rounds 16 or more"
            )
        );
        assert_eq!(said(16, 2, put, 4), []);
        assert_eq!(said(1, 1, put, 4), [], "nothing is compared");
    }

    #[test]
    fn rounds_that_nobody_named_can_show_a_difference() {
        for targets in 2..5 {
            for workloads in [1, 4, 11] {
                let plan = plan("", targets, "operation = \"put\"", workloads);
                assert_eq!(
                    cautions(&plan),
                    [],
                    "{targets} targets, {workloads} workloads"
                );
            }
        }
    }

    #[test]
    fn parts_that_most_servers_refuse_are_said_beforehand() {
        let parts = |size: &str| {
            let work = format!("operation = \"multipart\"\nsize = \"16MiB\"\npart_size = {size:?}");
            said(6, 1, &work, 1)
        };
        assert_eq!(parts("5MiB"), []);
        let note = "\"w0\" has parts of 1MiB, and most servers refuse parts below 5MiB, except the \
                    last";
        assert_eq!(parts("1MiB"), [Caution::Note(note.to_owned())]);
    }
}
