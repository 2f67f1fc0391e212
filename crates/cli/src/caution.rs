//! What can be said of a plan before it is run, although it can be run.

use tenbin_plan::size::Size;
use tenbin_plan::{Plan, S3Operation, WorkloadKind};
use tenbin_stats::{CONFIDENCE, blocks_for_significance};

/// The least that S3 takes for a part that is not the last (Amazon S3 user guide,
/// "Multipart upload limits").
const SMALLEST_PART: u64 = 5 << 20;

/// One sentence each.
pub(crate) fn cautions(plan: &Plan) -> Vec<String> {
    [too_few_rounds(plan), small_parts(plan)]
        .into_iter()
        .flatten()
        .collect()
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
    let blocks = plan.rounds.count / each;
    if blocks >= needed {
        return None;
    }
    let asked = match questions {
        1 => "no difference, however large,".to_owned(),
        several => format!("among {several} questions no difference, however large,"),
    };
    Some(format!(
        "{asked} can be told from chance with --rounds {}; it takes --rounds {} or more",
        plan.rounds.count,
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

    fn said(rounds: u32, targets: u32, workload: &str, workloads: u32) -> Vec<String> {
        let mut text = format!("[rounds]\ncount = {rounds}\n");
        for at in 0..targets {
            text += &format!("[[target]]\nname = \"t{at}\"\nbuiltin = \"s3-memory\"\n");
        }
        for at in 0..workloads {
            text += &format!("[[workload]]\nname = \"w{at}\"\nkind = \"s3\"\n{workload}\n");
        }
        let draft = Draft::from_toml(&text, std::path::Path::new("plan.toml"));
        let plan = draft
            .unwrap()
            .resolve(&mut Context::of_this_process().unwrap())
            .unwrap();
        cautions(&plan)
    }

    #[test]
    fn rounds_of_which_no_verdict_can_come_are_said_beforehand() {
        let put = "operation = \"put\"";
        assert_eq!(
            said(10, 2, put, 1),
            [
                "no difference, however large, can be told from chance with --rounds 10; it takes \
              --rounds 12 or more"
            ]
        );
        assert_eq!(said(12, 2, put, 1), [""; 0]);
        assert_eq!(
            said(12, 2, put, 4),
            [
                "among 4 questions no difference, however large, can be told from chance with \
              --rounds 12; it takes --rounds 16 or more"
            ]
        );
        assert_eq!(said(16, 2, put, 4), [""; 0]);
        assert_eq!(said(1, 1, put, 4), [""; 0], "nothing is compared");
    }

    #[test]
    fn parts_that_most_servers_refuse_are_said_beforehand() {
        let parts = |size: &str| {
            let work = format!("operation = \"multipart\"\nsize = \"16MiB\"\npart_size = {size:?}");
            said(6, 1, &work, 1)
        };
        assert_eq!(parts("5MiB"), [""; 0]);
        assert_eq!(
            parts("1MiB"),
            ["\"w0\" has parts of 1MiB, and most servers refuse parts below 5MiB, except the last"]
        );
    }
}
