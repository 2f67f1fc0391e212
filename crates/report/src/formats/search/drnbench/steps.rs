//! Reads drnbench's result files: one row per number of clients. The files contain steps, not
//! single requests.
//!
//! Little's law shows whether the number of active clients matches the row. drnbench distributes
//! clients over processes and rounds up: if the number of clients is not a multiple of the number
//! of processes, the step runs with more clients than its row says.

use tenbin_result::format::{RATE, TIME, UNKNOWN, ratio};
use tenbin_result::{ConcurrencyLevel, ConcurrencySweep, Figure, Trust};
use tenbin_verdict::lint::{Judged, Quote, Reported, excess};
use tenbin_verdict::{Measure, Series};

use super::result_file::COLUMNS;
use super::row::{Row, row};
use crate::block::{Block, Table};
use crate::escape::for_terminal;
use crate::formats::judged;
use crate::page;

/// Default wait of a drnbench client after each response, seconds. The files do not contain the
/// wait.
const USUAL_WAIT: f64 = 0.01;

/// All rows count as measured with one wait if the longest wait computed from a row is at most this
/// multiple of the shortest.
const SAME_WAIT: f64 = 1.25;

/// The steps of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    rows: Vec<Row>,
    /// The trust in the run, if Tenbin wrote the file.
    judged: Option<Judged>,
}

/// The wait of the clients, as far as the rows show it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wait {
    /// The usual one: rows that are too high had more clients than they say.
    Usual,
    /// All rows are right with this wait, seconds.
    Other(f64),
    /// Some rows are off, in a way that no wait explains.
    Unexplained,
}

/// The text of a spreadsheet whose decimal sign is a comma, as drnbench writes it.
fn with_commas(content: &[u8]) -> Vec<u8> {
    if !content.starts_with(COLUMNS.join(";").as_bytes()) {
        return content.to_vec();
    }
    let bytes = content.iter().map(|byte| match byte {
        b';' => b',',
        b',' => b'.',
        other => *other,
    });
    bytes.collect()
}

impl Steps {
    /// Whether a file starts with drnbench's header, or with that of a spreadsheet that separates
    /// columns by semicolons.
    pub fn recognises(content: &[u8]) -> bool {
        let starts = |by: &str| content.starts_with(COLUMNS.join(by).as_bytes());
        starts(",") || starts(";")
    }

    /// Reads a whole file.
    ///
    /// # Errors
    /// The defect and its line, in one clause.
    pub fn read(content: &[u8]) -> Result<Self, String> {
        let content = &with_commas(content);
        let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let mut lines = text.lines().zip(1..);
        let (head, _) = lines.next().ok_or("it is empty")?;
        let is_ours = head.ends_with(&format!(",{}", judged::COLUMN));
        let own = |line: &'_ str| -> usize {
            if is_ours {
                line.rfind(',').unwrap_or(line.len())
            } else {
                line.len()
            }
        };
        let statuses = head[..own(head)]
            .split(',')
            .skip(COLUMNS.len())
            .map(|status| {
                let status = status.trim();
                status
                    .parse::<u16>()
                    .map_err(|_| format!("line 1 has the column {status:?}, which is no status"))
            })
            .collect::<Result<Vec<u16>, String>>()?;
        let rows = lines
            .filter(|(line, _)| !line.trim().is_empty())
            .map(|(line, at)| {
                row(&line[..own(line)], &statuses).map_err(|why| format!("line {at}: {why}"))
            })
            .collect::<Result<Vec<Row>, String>>()?;
        if rows.is_empty() {
            return Err("it has no row".to_owned());
        }
        Ok(Self {
            rows,
            judged: judged::of_file(content),
        })
    }

    /// Reads the steps, each with the line that states its figures.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub(super) fn reported(content: &[u8]) -> Result<Reported, String> {
        let steps = Self::read(content)?;
        let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let lines = text.lines().zip(1..).skip(1);
        let lines = lines.filter(|(line, _)| !line.trim().is_empty());
        let think = match steps.wait() {
            Wait::Other(wait) => wait,
            Wait::Usual | Wait::Unexplained => USUAL_WAIT,
        };
        let measurements = lines.zip(&steps.rows).map(|((line, number), row)| {
            let quote = Quote {
                line: Some(number),
                text: line.to_owned(),
            };
            row.measurement(quote, think)
        });
        Ok(Reported {
            tool: "drnbench",
            measurements: measurements.collect(),
            judged: steps.judged.clone(),
            ..Reported::default()
        })
    }

    /// The speeds: one value per number of clients.
    pub(crate) fn series(&self) -> Vec<Series> {
        let of_row = |row: &Row| {
            let plural = if row.clients == 1 { "" } else { "s" };
            let name = format!("{} client{plural}", row.clients);
            Series::new(name, None, Measure::Rate, vec![row.per_second])
        };
        let answered = self.rows.iter().filter(|row| row.per_second > 0.0);
        answered.map(of_row).collect()
    }

    /// Converts the steps to the levels of a concurrency sweep.
    pub(crate) fn as_sweep(&self) -> ConcurrencySweep {
        let figure = |value: f64| Figure {
            value,
            interval: None,
            n: 1,
        };
        let level = |row: &Row| {
            let failed = row.failed_requests();
            ConcurrencyLevel {
                workload: String::new(),
                connections: row.clients,
                throughput: Some(figure(row.per_second)),
                residence: row.average.map(figure),
                p50: None,
                p90: None,
                p99: None,
                ok: failed.map(|failed| row.total.saturating_sub(failed)),
                failed,
                little: row.little(USUAL_WAIT),
                down_to_up: None,
            }
        };
        let rows = || self.rows.iter();
        let peak = rows().max_by(|a, b| a.per_second.total_cmp(&b.per_second));
        ConcurrencySweep {
            family: String::new(),
            target: String::new(),
            levels: rows().map(level).collect(),
            knee: None,
            peak_connections: peak.map(|row| row.clients),
            peak: peak.map(|row| figure(row.per_second)),
            workers: None,
            usl: None,
            hysteresis: None,
            trust: match (&self.judged, self.is_trusted()) {
                (Some(judged), _) => judged.trust,
                (None, true) => Trust::Valid,
                (None, false) => Trust::Invalid,
            },
            sentence: String::new(),
        }
    }

    /// Whether the figures can be trusted, as far as the file shows; a file that Tenbin wrote says
    /// so itself.
    pub fn is_trusted(&self) -> bool {
        if let Some(judged) = &self.judged {
            return judged.trust != Trust::Invalid;
        }
        let is_right = |row: &Row| row.total > 0 && !row.is_failing();
        let wait = self.wait();
        let is_off = wait == Wait::Unexplained || !self.over_counted(wait).is_empty();
        !is_off && self.rows.iter().all(is_right)
    }

    /// How far the figures can be trusted, as far as the file shows, and the reason.
    pub(crate) fn trust(&self) -> (Trust, String) {
        if let Some(judged) = &self.judged {
            return (judged.trust, judged.why.clone());
        }
        let remarks = self.remarks();
        let about = |word: &str| {
            let mut remarks = remarks.iter();
            let remark = remarks.find_map(|remark| remark.strip_prefix(word))?;
            Some(
                remark
                    .trim_start_matches([':', ' '])
                    .trim_end_matches('.')
                    .to_owned(),
            )
        };
        if let Some(why) = about("INVALID") {
            return (Trust::Invalid, why);
        }
        match (self.is_trusted(), about("SUSPECT")) {
            (false, _) => (
                Trust::Invalid,
                "requests failed, or no request completed".to_owned(),
            ),
            (true, Some(why)) => (Trust::Suspect, why),
            (true, None) => (Trust::Valid, String::new()),
        }
    }

    /// The steps and their check by Little's law, as text for a terminal. `name` is the name of the
    /// file.
    pub fn text(&self, name: &str) -> String {
        let head = [
            "clients", "requests", "throughput", "average", "Little's law", "no response",
        ];
        let mut table = Table::new(1, head);
        for row in &self.rows {
            let little = row.little(USUAL_WAIT);
            table.push([
                row.clients.to_string().into(),
                row.total.to_string().into(),
                RATE.of(row.per_second).into(),
                TIME.maybe(row.average).into(),
                little.map_or_else(|| UNKNOWN.to_owned(), ratio).into(),
                row.share(|status| status == 0)
                    .map_or_else(|| UNKNOWN.to_owned(), |share| format!("{share:.1} %"))
                    .into(),
            ]);
        }
        let mut lines = vec![
            format!("{}, in drnbench's format", for_terminal(name)),
            String::new(),
        ];
        let table: Vec<Block> = table.block().into_iter().collect();
        lines.extend(
            page::terminal::plain(&table, usize::MAX)
                .lines()
                .map(str::to_owned),
        );
        lines.push(String::new());
        lines.push(format!(
            "Little's law: queries per second × (average + wait) ÷ clients, which should be 1. The \
             file does not record the wait; {} is drnbench's default. No figure has an interval, \
             because each step ran once.",
            TIME.of(USUAL_WAIT)
        ));
        lines.extend(self.remarks());
        lines.join("\n") + "\n"
    }

    fn remarks(&self) -> Vec<String> {
        if let Some(judged) = &self.judged {
            let (word, why) = (judged.trust.word(), for_terminal(&judged.why));
            let reason = if why.is_empty() { "" } else { ": " };
            return vec![format!(
                "From a run of tenbin that was {word}{reason}{why}."
            )];
        }
        let mut remarks = Vec::new();
        let wait = self.wait();
        let over = self.over_counted(wait);
        if !over.is_empty() {
            let each = over.iter();
            let each = each.map(|(says, was)| format!("{says} (estimate: {was})"));
            let each: Vec<String> = each.collect();
            remarks.push(format!(
                "INVALID: more clients sent requests than the rows say: {}. drnbench rounds the \
                 clients up to a multiple of its processes: plot these rows at the estimated \
                 numbers, or measure again.",
                each.join(", ")
            ));
        }
        match wait {
            Wait::Usual => {}
            Wait::Other(0.0) => remarks.push(
                "SUSPECT: the rows satisfy Little's law without a wait, so drnbench probably ran \
                 with --wait=0."
                    .to_owned(),
            ),
            Wait::Other(wait) => remarks.push(format!(
                "SUSPECT: the rows satisfy Little's law with a wait of {}, so drnbench probably \
                 ran with a --wait that differs from the default of {}.",
                TIME.of(wait),
                TIME.of(USUAL_WAIT)
            )),
            Wait::Unexplained => remarks.push(
                "INVALID: the rows violate Little's law: throughput × (average + wait) is not the \
                 number of clients. Clients stopped early, or the load generator was too slow."
                    .to_owned(),
            ),
        }
        let failing = self.rows.iter().filter(|row| row.is_failing());
        let failing: Vec<String> = failing
            .filter_map(|row| Some(format!("{} ({:.1} %)", row.clients, row.failed()?)))
            .collect();
        if !failing.is_empty() {
            remarks.push(format!(
                "INVALID: requests failed or had no response, and drnbench counts them as queries; \
                 clients (share of failed requests): {}.",
                failing.join(", ")
            ));
        }
        let partly = self.rows.iter();
        let partly = partly.filter(|row| row.total > 0 && row.failed().is_none());
        let partly: Vec<String> = partly.map(|row| row.clients.to_string()).collect();
        if !partly.is_empty() {
            remarks.push(format!(
                "SUSPECT: the shares of the statuses do not add up to 100 % with {} clients, so the \
                 number of failed requests is unknown.",
                partly.join(", ")
            ));
        }
        let silent: Vec<String> = self
            .rows
            .iter()
            .filter(|row| row.total == 0)
            .map(|row| row.clients.to_string())
            .collect();
        if !silent.is_empty() {
            remarks.push(format!(
                "INVALID: no request completed with {} clients.",
                silent.join(", ")
            ));
        }
        remarks
    }

    fn wait(&self) -> Wait {
        let fit = |wait: f64| self.rows.iter().all(|row| row.fits(wait));
        if fit(USUAL_WAIT) {
            return Wait::Usual;
        }
        if fit(0.0) {
            return Wait::Other(0.0);
        }
        // Steps with fewer clients than processes are correct: each process gets at most one
        // client.
        let mut known = self.rows.iter().filter(|row| row.average.is_some());
        let some_right = known.clone().any(|row| row.fits(USUAL_WAIT));
        if some_right && !known.any(|row| row.is_low(USUAL_WAIT)) {
            return Wait::Usual;
        }
        self.other_wait().map_or(Wait::Unexplained, Wait::Other)
    }

    /// Rows in which more clients sent requests than the row says, with the estimated number.
    fn over_counted(&self, wait: Wait) -> Vec<(u64, u64)> {
        let rows = self.rows.iter().filter(|_| wait == Wait::Usual);
        let over = rows.filter_map(|row| {
            let (_, little) = excess(&row.measurement(Quote::default(), USUAL_WAIT))?;
            Some((row.clients, (row.clients as f64 * little).round() as u64))
        });
        over.collect()
    }

    /// The wait with which all rows satisfy Little's law: the median of the waits computed from
    /// each row. `None` if the waits differ.
    fn other_wait(&self) -> Option<f64> {
        let answered = self.rows.iter().filter(|row| row.total > 0);
        let waits = answered.map(|row| Some(row.clients as f64 / row.per_second - row.average?));
        let mut waits: Vec<f64> = waits.collect::<Option<_>>()?;
        waits.sort_by(f64::total_cmp);
        let (least, most) = (*waits.first()?, *waits.last()?);
        let is_same = waits.len() > 1 && least > 0.0 && most <= least * SAME_WAIT;
        is_same.then(|| waits[waits.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "n_clients,total_n_requests,queries_per_second,min_elapsed_time,\
                        max_elapsed_time,average_elapsed_time";

    /// Recorded against Groonga, on a machine whose number of cores divides the numbers of clients.
    const RECORDED: &str = "\
1,345,86.25,0.000330523,0.02822947,0.0014555975855072465,100.0
2,705,176.25,0.000269221,0.011465159,0.0012097323957446795,100.0
4,1392,348.0,0.000237544,0.008546273,0.0012908001645114936,100.0
6,1843,460.75,0.000243474,0.017976195,0.002382581914270212,100.0
8,2138,534.5,0.000252386,0.027855772,0.00392019473854069,100.0
";

    /// The file in the Droonga tutorial, measured on four cores: the steps with 6, 10, 14 and 18
    /// clients ran with more clients than stated.
    const OVER_COUNTED: &str = "\
1,996,33.2,0.001773,0.238031,0.019765581680722916,100.0
2,1973,65.76666666666667,0.001558,0.272255,0.020047345673086702,100.0
4,3559,118.63333333333334,0.001531,0.394734,0.023357554419499882,100.0
6,4540,151.33333333333334,0.001540,0.501619,0.042344890696916264,100.0
8,4247,141.56666666666666,0.001501,0.577101,0.045836844514480835,100.0
10,4466,148.86666666666667,0.001604,0.604582,0.06949704923846833,100.0
";

    fn read(rows: &str, status: &str) -> Steps {
        let text = format!("{HEAD},{status}\n{rows}");
        assert!(Steps::recognises(text.as_bytes()));
        Steps::read(text.as_bytes()).expect("a file of drnbench")
    }

    #[test]
    fn a_recorded_file_is_valid() {
        let steps = read(RECORDED, "200");
        assert!(steps.is_trusted());
        let series = steps.series();
        assert_eq!(series.len(), 5);
        assert_eq!(series[1].workload, "2 clients");
        assert_eq!(series[1].values, [176.25]);
        let text = steps.text("result.csv");
        assert!(
            text.contains("0.988") && !text.contains("INVALID"),
            "{text}"
        );
    }

    #[test]
    fn clients_that_were_rounded_up_make_the_file_invalid() {
        let steps = read(OVER_COUNTED, "200");
        assert_eq!(steps.wait(), Wait::Usual);
        assert_eq!(steps.over_counted(Wait::Usual), [(6, 8), (10, 12)]);
        assert!(!steps.is_trusted());
        let text = steps.text("groonga-result.csv");
        assert!(
            text.contains("6 (estimate: 8), 10 (estimate: 12)"),
            "{text}"
        );
    }

    #[test]
    fn a_run_without_a_wait_is_recognised() {
        let steps = read("1,400,100.0,0.009,0.011,0.01,100.0\n", "200");
        assert_eq!(steps.wait(), Wait::Other(0.0));
        assert!(steps.is_trusted());
    }

    #[test]
    fn a_different_wait_is_recognised() {
        let rows = "1,53,88.3,0.001,0.002,0.0046,100.0\n4,273,455.0,0.001,0.002,0.0021,100.0\n\
                    8,556,927.0,0.001,0.002,0.0025,100.0\n";
        let steps = read(rows, "200");
        assert!(matches!(steps.wait(), Wait::Other(wait) if wait > 0.0));
        assert!(steps.is_trusted(), "suspect, as without a wait");
        let text = steps.text("x");
        assert!(
            text.contains("Little's law with a wait of 6.69 ms"),
            "{text}"
        );
    }

    #[test]
    fn clients_that_stopped_early_make_the_file_invalid() {
        let rows = "1,400,85.0,0.001,0.002,0.0015,100.0\n20,3002,600.4,0.001,0.002,0.0015,100.0\n";
        let steps = read(rows, "200");
        assert_eq!(steps.wait(), Wait::Unexplained);
        let text = steps.text("x");
        assert!(text.contains("the rows violate Little's law"), "{text}");
    }

    #[test]
    fn timeouts_are_reported_as_failures_and_not_as_too_many_clients() {
        // A step of 10 s in which 2 of 4 clients waited 5 s for each response. The last of these
        // requests ended after the step.
        let rows = "1,800,80.0,0.001,0.02,0.0025,0,100.0\n\
                    4,1606,160.6,0.001,5.0,0.0211,0.37,99.63\n\
                    8,42,4.2,0.001,5.0,2.5,50.0,50.0\n";
        let steps = read(rows, "0,200");
        assert_eq!(steps.wait(), Wait::Usual, "{}", steps.text("x"));
        assert!(!steps.is_trusted());
        let text = steps.text("result.csv");
        assert!(
            text.contains("INVALID: requests failed or had no response")
                && text.contains("clients (share of failed requests): 8 (50.0 %)"),
            "{text}"
        );
        assert!(!text.contains("more clients sent requests"), "{text}");
        assert!(
            text.starts_with("result.csv, in drnbench's format"),
            "{text}"
        );
    }

    #[test]
    fn a_step_without_responses_has_no_average_and_is_invalid() {
        let steps = read("1,0,0.0,,,NaN,0,0\n", "0,200");
        assert!(!steps.is_trusted());
        assert!(steps.text("x").contains("no request completed"));
        assert_eq!(steps.series(), []);
    }

    #[test]
    fn shares_that_are_missing_are_unknown() {
        let steps = read("1,400,80.0,0.001,0.02,0.0025,,60.0\n", "0,200");
        assert_eq!(steps.as_sweep().levels[0].failed, None);
        assert_eq!(steps.as_sweep().levels[0].ok, None);
        let text = steps.text("x");
        assert!(
            text.contains("unknown") && text.contains("SUSPECT: the shares"),
            "{text}"
        );
        // All requests have a status, so that none has another one.
        let steps = read("1,400,80.0,0.001,0.02,0.0025,,100.0\n", "0,200");
        assert_eq!(steps.as_sweep().levels[0].failed, Some(0));
    }

    #[test]
    fn garbled_files_are_refused_with_their_line() {
        for (rows, why) in [
            ("", "it has no row"),
            ("1,2\n", "line 2: it has 2 columns"),
            ("x,1,1,1,1,1,100.0\n", "line 2: n_clients is \"x\""),
            (
                "1,1,fast,1,1,1,100.0\n",
                "line 2: queries_per_second is \"fast\"",
            ),
            ("0,1,1,1,1,1,100.0\n", "line 2: it has no clients"),
            (
                "1,1,1,1,1,1,all\n",
                "line 2: the share of status 200 is \"all\"",
            ),
            (
                "1,1,1,1,1,1,180.0\n",
                "line 2: the shares of statuses are 180 %",
            ),
        ] {
            let error = Steps::read(format!("{HEAD},200\n{rows}").as_bytes()).unwrap_err();
            assert!(error.contains(why), "{rows}: {error}");
        }
        let error = Steps::read(format!("{HEAD},ok\n").as_bytes()).unwrap_err();
        assert!(error.contains("\"ok\""), "{error}");
    }

    #[test]
    fn what_was_written_reads_back() {
        assert!(!Steps::recognises(b"Loop,Inteval"));
        assert!(!Steps::recognises(b""));
    }
}
