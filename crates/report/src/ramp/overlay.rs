//! Combines the concurrency sweeps of several runs and result files in one chart and one table.

use tenbin_result::{Capacity, Document};

use super::{chart, table};
use crate::formats::Steps;

/// Concurrency sweeps to be drawn in one chart.
#[derive(Debug, Default)]
pub struct Overlay {
    ramps: Vec<Capacity>,
}

impl Overlay {
    /// Adds the sweeps of a run and returns their number. A `name` that is not empty is put before
    /// the names of the run's targets.
    pub fn add_run(&mut self, document: &Document, name: &str) -> usize {
        let mut families: Vec<&str> = document.capacities.iter().map(|one| &*one.family).collect();
        families.dedup();
        for ramp in &document.capacities {
            let family = if families.len() > 1 { &ramp.family } else { "" };
            let parts = [name, &ramp.target, family];
            let parts = parts.iter().filter(|part| !part.is_empty());
            let parts: Vec<&str> = parts.copied().collect();
            self.add(ramp.clone(), parts.join(" "));
        }
        document.capacities.len()
    }

    /// Adds the steps of a file in drnbench's format, under this name.
    pub fn add_steps(&mut self, steps: &Steps, name: &str) {
        self.add(steps.as_ramp(), name.to_owned());
    }

    fn add(&mut self, ramp: Capacity, name: String) {
        let is_known = |name: &str| self.ramps.iter().any(|known| known.target == name);
        let mut different = name.clone();
        for number in 2.. {
            if !is_known(&different) {
                break;
            }
            different = format!("{name} ({number})");
        }
        self.ramps.push(Capacity {
            family: String::new(),
            target: different,
            ..ramp
        });
    }

    /// An SVG chart of throughput, mean, median and 99th percentile against clients, one panel
    /// each.
    pub fn svg(&self) -> String {
        chart::all(&self.ramps)
    }

    /// A CSV table with one row per sweep and number of clients, the columns of `ramp.csv` and the
    /// figures of the chart.
    pub fn csv(&self) -> String {
        table(&self.ramps)
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
            "Throughput",
            "Service time, mean",
            "groonga-result",
            "droonga &lt;3&gt;",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // The files contain no percentiles.
        assert!(!svg.contains("99th percentile"), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 2 * 4, "{svg}");
    }
}
