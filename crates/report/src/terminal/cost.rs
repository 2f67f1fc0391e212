//! What a workload cost its targets.

use super::{INDENT, Page};
use crate::cost::{
    ABOUT_WHOLE_HOST, by_program, company, covered, has_rows, is_of_host, memory, named,
};
use crate::document::{Document, Figure, GroupResult, ResultOf, Workload};
use crate::escape::for_terminal;
use crate::table::Table;
use crate::words::{BYTES, SHARE, TIME, UNKNOWN, digits, within};

/// Column of the peak of memory.
const PEAK: usize = 4;

impl Page {
    /// A row for each target of which anything is known.
    pub(super) fn cost(&mut self, document: &Document, workload: &Workload) {
        let known: Vec<&ResultOf> = document
            .results_of(&workload.name)
            .filter(|result| has_rows(result))
            .collect();
        if known.is_empty() {
            self.unobserved(document, workload);
            return;
        }
        let stores = known.iter().any(|r| r.written_per_stored.is_some());
        let mut head = vec![
            "cost of the server",
            "CPU/op",
            "ops/core-second",
            "RSS at start",
            "peak",
            "end",
            "read/op",
            "written/op",
        ];
        head.extend(stores.then_some("written/stored"));
        head.extend(["waits/op", "lost cores/op"]);
        let mut table = Table::new(head.into_iter().map(str::to_owned).collect());
        for result in &known {
            let mut row = vec![
                for_terminal(&named(result)),
                TIME.with_spread(result.server_cpu),
                spread(result.per_core_second),
                memory(result.rss_start_bytes),
                memory(result.peak_rss_bytes),
                memory(result.rss_end_bytes),
                BYTES.with_spread(result.read_bytes),
                BYTES.with_spread(result.written_bytes),
            ];
            row.extend(stores.then(|| spread(result.written_per_stored)));
            row.push(spread(result.voluntary_switches));
            row.push(spread(result.involuntary_switches));
            let columns = row.len();
            table.push(row);
            for (name, process) in by_program(result) {
                let mut row = vec![String::new(); columns];
                row[0] = format!("  {}", for_terminal(&name));
                row[1] = TIME.with_spread(process.cpu);
                row[PEAK] = memory(process.rss_bytes);
                table.push(row);
            }
        }
        self.line("");
        self.table(&table);
        if known.iter().any(|result| is_of_host(result)) {
            self.paragraph(ABOUT_WHOLE_HOST, INDENT, INDENT);
        }
        self.unobserved(document, workload);
        for result in known {
            if let Some(group) = &result.group {
                let text = about(&result.target, group);
                self.paragraph(&for_terminal(&text), INDENT, "    ");
            }
        }
    }

    /// What the figures of each target leave out.
    fn unobserved(&mut self, document: &Document, workload: &Workload) {
        for result in document.results_of(&workload.name) {
            if let Some(covered) = covered(document, result) {
                let what = if has_rows(result) {
                    ""
                } else {
                    "cost of the server "
                };
                self.paragraph(&for_terminal(&format!("{what}{covered}")), INDENT, INDENT);
            }
        }
    }
}

fn about(target: &str, group: &GroupResult) -> String {
    format!(
        "control group of {target}, shared with {}: CPU/op {}, memory at end {}, peak since it was \
         made {}, stopped by its quota {} of the time, read/op {}, written/op {}",
        company(group.alone),
        TIME.with_spread(group.cpu),
        memory(group.memory_bytes),
        memory(group.memory_peak_bytes),
        SHARE.with_spread(group.throttled),
        BYTES.with_spread(group.read_bytes),
        BYTES.with_spread(group.written_bytes),
    )
}

/// A figure without a unit and how far off it may be: the longer side of its interval.
fn spread(figure: Option<Figure>) -> String {
    let Some(Figure {
        value, interval, ..
    }) = figure
    else {
        return UNKNOWN.to_owned();
    };
    let longer = interval.map(|ends| (value - ends.low).max(ends.high - value));
    match longer {
        Some(longer) if value != 0.0 => {
            format!("{} ±{}", digits(value), within(longer / value.abs()))
        }
        Some(longer) => format!("0 ±{}", digits(longer)),
        None => format!("{} ±unknown", digits(value)),
    }
}
