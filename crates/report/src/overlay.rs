//! Combines the concurrency sweeps of several runs and result files in one chart and one table.

use tenbin_result::{ConcurrencySweep, Document};

use crate::concurrency_sweep::{chart, table};
use crate::formats::Steps;

/// Concurrency sweeps to be drawn in one chart.
#[derive(Debug, Default)]
pub struct Overlay {
    sweeps: Vec<ConcurrencySweep>,
}

impl Overlay {
    /// Adds the sweeps of a run and returns their number. A `name` that is not empty is put before
    /// the names of the run's targets.
    pub fn add_run(&mut self, document: &Document, name: &str) -> usize {
        let mut families: Vec<&str> = document
            .concurrency_sweeps
            .iter()
            .map(|one| &*one.family)
            .collect();
        families.dedup();
        for sweep in &document.concurrency_sweeps {
            let family = if families.len() > 1 {
                &sweep.family
            } else {
                ""
            };
            let parts = [name, &sweep.target, family];
            let parts = parts.iter().filter(|part| !part.is_empty());
            let parts: Vec<&str> = parts.copied().collect();
            self.add(sweep.clone(), parts.join(" "));
        }
        document.concurrency_sweeps.len()
    }

    /// Adds the steps of a file in drnbench's format, under this name.
    pub fn add_steps(&mut self, steps: &Steps, name: &str) {
        self.add(steps.as_sweep(), name.to_owned());
    }

    fn add(&mut self, sweep: ConcurrencySweep, name: String) {
        let is_known = |name: &str| self.sweeps.iter().any(|known| known.target == name);
        let mut different = name.clone();
        for number in 2.. {
            if !is_known(&different) {
                break;
            }
            different = format!("{name} ({number})");
        }
        self.sweeps.push(ConcurrencySweep {
            family: String::new(),
            target: different,
            ..sweep
        });
    }

    /// An SVG chart of throughput, mean, median and 99th percentile against clients, one panel
    /// each.
    pub fn svg(&self) -> String {
        chart::all(&self.sweeps)
    }

    /// A CSV table with one row per sweep and number of clients, the columns of `ramp.csv` and the
    /// figures of the chart.
    pub fn csv(&self) -> String {
        table(&self.sweeps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "n_clients,total_n_requests,queries_per_second,min_elapsed_time,\
                        max_elapsed_time,average_elapsed_time,200\n";

    fn steps(rows: &str) -> Steps {
        Steps::read(format!("{HEAD}{rows}").as_bytes()).unwrap()
    }

    #[test]
    fn an_overlay_has_the_figures_of_its_files() {
        let mut overlay = Overlay::default();
        overlay.add_steps(
            &steps("1,300,10.0,0.001,0.2,0.09,100.0\n4,900,30.0,0.001,0.4,0.12,100.0\n"),
            "groonga-result",
        );
        overlay.add_steps(&steps("1,270,9.0,0.001,0.2,0.1,100.0\n"), "droonga <3>");
        overlay.add_steps(&steps("1,270,9.0,0.001,0.2,0.1,100.0\n"), "groonga-result");
        let csv = overlay.csv();
        let rows: Vec<&str> = csv.lines().collect();
        assert_eq!(rows.len(), 5, "{csv}");
        assert!(
            rows[2].starts_with(",groonga-result,,4,30,,,0.12,,,"),
            "{csv}"
        );
        assert!(rows[4].starts_with(",groonga-result (2),,1,9,"), "{csv}");
        let svg = overlay.svg();
        for text in [
            "Throughput", "Service time, mean", "groonga-result", "droonga &lt;3&gt;",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // The files contain no percentiles.
        assert!(!svg.contains("99th percentile"), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 2 * 4, "{svg}");
    }
}
