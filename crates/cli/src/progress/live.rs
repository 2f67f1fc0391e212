//! The table below the progress bar: one line per workload and target, with the figures of the last
//! slice and a sparkline of the throughput, and below them the ratios so far.

use std::collections::VecDeque;

use tenbin_record::Slice;
use tenbin_result::format;
use tenbin_result::format::ENGLISH;
use tenbin_verdict::InterimRatio;

/// Number of slices in a sparkline.
const SPARKS: usize = 16;
/// Largest number of lines. If there are more, only the lines of the running workload are shown.
const MOST_LINES: usize = 8;
/// Largest number of ratios below the lines.
const MOST_RATIOS: usize = 4;
/// Characters of a sparkline, from low to high.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The figures so far of every workload on every target.
#[derive(Debug, Default)]
pub(super) struct LiveTable {
    rows: Vec<Row>,
    /// Index of the row of the running slice.
    current: Option<usize>,
    /// The ratios so far, each as a line.
    ratios: Vec<String>,
}

#[derive(Debug, Default)]
struct Row {
    workload: String,
    target: String,
    /// Throughput of the last [`SPARKS`] slices, correct responses per second.
    course: VecDeque<f64>,
    /// Figures of the last slice.
    last: String,
    failed: u64,
    /// Correct responses per second and number of failures of the running slice.
    running: Option<(f64, u64)>,
}

impl LiveTable {
    /// Starts a slice of `workload` on `target`.
    pub(super) fn begin(&mut self, workload: &str, target: &str) {
        let is_same = |row: &Row| row.workload == workload && row.target == target;
        let at = self.rows.iter().position(is_same).unwrap_or_else(|| {
            self.rows.push(Row {
                workload: workload.to_owned(),
                target: target.to_owned(),
                ..Row::default()
            });
            self.rows.len() - 1
        });
        self.rows[at].running = None;
        self.current = Some(at);
    }

    /// Sets the correct responses per second and the number of failures of the running slice.
    pub(super) fn speed(&mut self, per_second: f64, failed: u64) {
        if let Some(row) = self.current.and_then(|at| self.rows.get_mut(at)) {
            row.running = Some((per_second, failed));
        }
    }

    /// Ends the running slice.
    pub(super) fn end(&mut self, slice: &Slice) {
        let Some(row) = self.current.and_then(|at| self.rows.get_mut(at)) else {
            return;
        };
        row.running = None;
        row.failed += slice.failed();
        let Some(throughput) = slice.throughput() else {
            return;
        };
        if row.course.len() == SPARKS {
            row.course.pop_front();
        }
        row.course.push_back(throughput);
        row.last = figures(slice);
    }

    /// Sets the ratios after a block of rounds.
    pub(super) fn set_ratios(&mut self, ratios: &[InterimRatio]) {
        self.ratios = ratios.iter().take(MOST_RATIOS).filter_map(so_far).collect();
    }

    /// The first ratio so far.
    pub(super) fn first_ratio(&self) -> Option<&str> {
        self.ratios.first().map(String::as_str)
    }

    /// The lines of the table, truncated to `width` characters.
    pub(super) fn text(&self, width: usize) -> String {
        let of_current = self
            .current
            .and_then(|at| Some(&self.rows.get(at)?.workload));
        let is_shown = |row: &&Row| {
            self.rows.len() <= MOST_LINES || of_current.is_none_or(|name| row.workload == *name)
        };
        let shown: Vec<&Row> = self.rows.iter().filter(is_shown).take(MOST_LINES).collect();
        let names = shown.iter().map(|row| row.name().chars().count());
        let longest = names.max().unwrap_or(0);
        let current = self.current.and_then(|at| self.rows.get(at));
        let lines = shown.iter().map(|row| {
            let is_current = current.is_some_and(|current| std::ptr::eq(*row, current));
            row.line(is_current, longest)
        });
        let ratios = self.ratios.iter().map(|ratio| format!("  {ratio}"));
        let fitted = lines.chain(ratios).map(|line| {
            let line = tenbin_report::for_terminal(&line);
            line.chars().take(width).collect::<String>()
        });
        fitted.collect::<Vec<String>>().join("\n")
    }
}

/// A ratio so far in words; `None` before the first block.
fn so_far(ratio: &InterimRatio) -> Option<String> {
    let figure = ratio.ratio?;
    Some(format!(
        "so far, not final: {} {}, {} ÷ {}: {} ({}) after {}",
        ratio.workload,
        ratio.metric_phrase(),
        ratio.challenger,
        ratio.baseline,
        format::ratio(figure.value),
        format::ratio_ends(figure, &ENGLISH),
        format::plural(ratio.rounds as u64, "round")
    ))
}

impl Row {
    fn name(&self) -> String {
        format!("{} {}", self.workload, self.target)
    }

    fn line(&self, is_current: bool, longest: usize) -> String {
        let mark = if is_current { '>' } else { ' ' };
        let throughput = self.running.map(|(speed, _)| speed);
        let throughput = throughput.or(self.course.back().copied());
        let throughput = throughput.map_or_else(String::new, format::rate);
        let failed = match self.failed + self.running.map_or(0, |(_, failed)| failed) {
            0 => String::new(),
            failed => format!("  {} failed", format::count(failed)),
        };
        let line = format!(
            "{mark} {:longest$}  {:SPARKS$}  {throughput:>10}{}{failed}",
            self.name(),
            sparkline(&self.course),
            self.last,
        );
        line.trim_end().to_owned()
    }
}

/// Latency of the slice and, if the target was observed, CPU use of the target.
fn figures(slice: &Slice) -> String {
    let mut text = String::new();
    let busiest = slice.requests().max_by_key(|op| op.times.service.len());
    if let Some(op) = busiest.filter(|op| !op.times.service.is_empty()) {
        // In a closed loop, the response time is the service time.
        let (latency, unsent) = if op.times.response.is_empty() {
            (&op.times.service, 0)
        } else {
            (&op.times.response, op.counts.unsent)
        };
        // Requests that were never sent would have taken longer than all others.
        let all = (latency.len() + unsent) as f64;
        let time = |q: f64| match q * all / latency.len() as f64 {
            rank if rank <= 1.0 => format::time(latency.value_at_quantile(rank) as f64 / 1e9),
            _ => "unknown".to_owned(),
        };
        text += &format!("  p50 {:>8}  p99 {:>8}", time(0.5), time(0.99));
    }
    let cpu = slice.server().and_then(|server| server.cpu_seconds);
    if let Some(cpu) = cpu.filter(|_| slice.end.seconds > 0.0) {
        text += &format!("  CPU {:.1} cores", cpu / slice.end.seconds);
    }
    text
}

/// The values as characters of [`HEIGHTS`], scaled from zero to the highest value.
fn sparkline(course: &VecDeque<f64>) -> String {
    let highest = course.iter().copied().fold(0.0, f64::max);
    let height = |value: &f64| {
        if highest > 0.0 {
            HEIGHTS[((value / highest * 8.0).ceil() as usize).clamp(1, 8) - 1]
        } else {
            HEIGHTS[0]
        }
    };
    course.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_starts_at_zero_and_ends_at_the_highest() {
        let line = |values: &[f64]| sparkline(&values.iter().copied().collect());
        assert_eq!(line(&[0.0, 50.0, 100.0, 99.0]), "▁▄██");
        assert_eq!(line(&[0.0, 0.0]), "▁▁");
        assert_eq!(line(&[]), "");
    }

    #[test]
    fn every_target_has_a_line_that_is_not_wider_than_the_screen() {
        let mut table = LiveTable::default();
        table.begin("GET", "nginx");
        table.speed(12_345.0, 0);
        table.begin("GET", "caddy\u{1b}[31m");
        table.speed(8.0, 3);
        let text = table.text(200);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].starts_with("  GET nginx"), "{text}");
        assert!(lines[1].starts_with("> GET caddy"), "{text}");
        assert!(lines[1].ends_with("3 failed"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(
            table
                .text(20)
                .lines()
                .all(|line| line.chars().count() <= 20)
        );
    }

    #[test]
    fn a_ratio_so_far_is_below_the_lines_and_not_final() {
        let mut table = LiveTable::default();
        table.begin("GET", "nginx");
        let mut ratio = InterimRatio {
            workload: "GET".to_owned(),
            baseline: "nginx".to_owned(),
            challenger: "caddy".to_owned(),
            metric: tenbin_result::Metric::Throughput,
            ratio: None,
            blocks: 0,
            rounds: 0,
        };
        table.set_ratios(&[ratio.clone()]);
        assert_eq!(table.text(200).lines().count(), 1);
        (ratio.blocks, ratio.rounds) = (3, 6);
        ratio.ratio = Some(tenbin_result::Figure {
            value: 1.25,
            interval: None,
            n: 3,
        });
        table.set_ratios(&[ratio]);
        let text = table.text(200);
        assert_eq!(
            text.lines().last(),
            Some(
                "  so far, not final: GET throughput, caddy ÷ nginx: 1.250 (interval unknown) after 6 rounds"
            )
        );
    }

    #[test]
    fn with_many_workloads_those_of_the_running_slice_are_shown() {
        let mut table = LiveTable::default();
        for workload in 0..5 {
            for target in ["a", "b"] {
                table.begin(&format!("w{workload}"), target);
            }
        }
        let text = table.text(80);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains("w4 a") && text.contains("w4 b"), "{text}");
    }
}
