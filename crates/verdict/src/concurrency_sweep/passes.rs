//! Hysteresis of a sweep: whether a server is slower after a heavier load. Compares levels run in
//! descending order with levels run in ascending order.

use std::collections::BTreeMap;

use tenbin_record::Slice;
use tenbin_stats::{CONFIDENCE, Measured, unpaired_ratio};

use super::SweepStep;

/// Throughput in blocks with descending levels divided by throughput in blocks with ascending
/// levels; `by_block` holds (block, throughput).
pub(super) fn down_to_up(by_block: &[(u32, f64)]) -> Measured {
    let pass = |down: bool| {
        let mine = by_block
            .iter()
            .filter(|(block, _)| goes_down(*block) == down);
        mine.map(|(_, value)| *value).collect::<Vec<f64>>()
    };
    unpaired_ratio(&pass(false), &pass(true), CONFIDENCE)
}

/// Whether the schedule runs the levels of the block in descending order.
fn goes_down(block: u32) -> bool {
    block % 2 == 1
}

/// Throughput in descending blocks divided by throughput in ascending blocks, over all levels: the
/// figure of a block is the geometric mean of its levels. Only blocks with all levels count.
pub(crate) fn hysteresis(steps: &[SweepStep<'_>]) -> Measured {
    let mut logs: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for step in steps {
        for (block, throughput) in step.by_block(Slice::throughput) {
            logs.entry(block).or_default().push(throughput.ln());
        }
    }
    let whole = logs.iter().filter(|(_, logs)| logs.len() == steps.len());
    let means: Vec<(u32, f64)> = whole
        .map(|(block, logs)| (*block, (logs.iter().sum::<f64>() / logs.len() as f64).exp()))
        .collect();
    down_to_up(&means)
}

#[cfg(test)]
mod tests {
    use super::super::concurrency_sweeps;
    use super::super::tests::run;

    #[test]
    fn less_on_the_way_down_shows_in_the_level_and_in_the_whole() {
        let mut run = run(&[("a", 4)], 8);
        run.each(|slice| {
            if slice.0.block % 2 == 1 && slice.0.workload == "get-c8" {
                slice.answers(200, 0.040);
            }
        });
        let found = concurrency_sweeps(&run.plan, &run.slices, &[]).remove(0);
        let whole = found.hysteresis.unwrap();
        assert!((whole.value - 0.5_f64.powf(1.0 / 6.0)).abs() < 1e-9);
        assert!(whole.interval.unwrap().high < 1.0);
        let at = |connections| {
            let mut levels = found.levels.iter();
            let level = levels.find(|level| level.connections == connections);
            level.unwrap().down_to_up.unwrap().value
        };
        assert_eq!((at(4), at(16)), (1.0, 1.0));
        assert!((at(8) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn three_blocks_either_way_give_no_interval() {
        let run = run(&[("a", 4)], 6);
        let found = concurrency_sweeps(&run.plan, &run.slices, &[]).remove(0);
        let hysteresis = found.hysteresis.unwrap();
        assert_eq!((hysteresis.value, hysteresis.interval), (1.0, None));
    }
}
