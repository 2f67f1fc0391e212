//! One row of drnbench's result file.

use tenbin_stats::Little;
use tenbin_verdict::lint::{Failed, Measurement, Quote, Range, Said, at_the_ends, excess};

use super::result_file::COLUMNS;

/// How far below 1 the law may be: clients that drnbench's own processes slow down rest longer than
/// they are told to. The rule `little` has how far above.
const LEAST: f64 = 0.85;
/// Share of the requests, in percent, that may fail before a row is no measure of the server.
const FAILURES: f64 = 1.0;
/// How far the shares of all statuses may be from 100 %.
const ROUNDING: f64 = 0.1;

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) clients: u64,
    pub(super) total: u64,
    pub(super) per_second: f64,
    /// The longest time, seconds; unknown in a step without responses.
    pub(super) max: Option<f64>,
    /// Unknown in a step without responses.
    pub(super) average: Option<f64>,
    /// Percent of the requests by status, where the file says it; 0 is no response.
    pub(super) statuses: Vec<(u16, Option<f64>)>,
}

impl Row {
    pub(super) fn measurement(&self, quote: Quote, think: f64) -> Measurement {
        let said = |value: f64| Said::new(Range::exactly(value), quote.clone());
        let plural = if self.clients == 1 { "" } else { "s" };
        let mut of = Measurement::new(&format!("{} client{plural}", self.clients));
        of.closed_loop = true;
        of.think = Some(think);
        of.connections = Some(Said::new(self.clients, quote.clone()));
        of.rate = (self.per_second > 0.0).then(|| said(self.per_second));
        of.seconds = (self.per_second > 0.0).then(|| said(self.total as f64 / self.per_second));
        of.mean = self.average.map(said);
        of.max = self.max.map(said);
        if let Some(failed) = self.failed_requests() {
            of.ended = Some(Said::new(self.total, quote.clone()));
            of.failures.extend((failed > 0).then(|| Failed {
                what: "requests without a response, or with a status from 400".to_owned(),
                count: failed,
                counted: true,
                quote: quote.clone(),
            }));
        }
        of
    }

    pub(super) fn little(&self, think: f64) -> Option<f64> {
        let little = Little {
            throughput: self.per_second,
            residence: self.average?,
            think,
            concurrency: self.clients as f64,
        };
        little.ratio().filter(|_| self.total > 0)
    }

    /// Whether clients with this wait can have sent what the row says.
    pub(super) fn fits(&self, wait: f64) -> bool {
        excess(&self.measurement(Quote::default(), wait)).is_none() && !self.is_low(wait)
    }

    /// Whether clients with this wait would have sent more.
    pub(super) fn is_low(&self, wait: f64) -> bool {
        let least = LEAST - at_the_ends(&self.measurement(Quote::default(), wait));
        self.little(wait).is_some_and(|little| little < least)
    }

    /// Percent of the requests without a response, or with a response of a failure.
    pub(super) fn failed(&self) -> Option<f64> {
        self.share(|status| status == 0 || status >= 400)
    }

    pub(super) fn failed_requests(&self) -> Option<u64> {
        let share = self.failed()?;
        Some((self.total as f64 * share / 100.0).round() as u64)
    }

    pub(super) fn is_failing(&self) -> bool {
        self.failed().is_some_and(|share| share > FAILURES)
    }

    /// Percent of the requests with such a status; `None` if the known shares are not those of all
    /// requests.
    pub(super) fn share(&self, is_such: impl Fn(u16) -> bool) -> Option<f64> {
        let known = || {
            let statuses = self.statuses.iter();
            statuses.filter_map(|(status, share)| Some((*status, (*share)?)))
        };
        // The sum of nothing is -0.
        let all = known().fold(0.0, |sum, (_, share)| sum + share);
        let such = known().filter(|(status, _)| is_such(*status));
        let such = such.fold(0.0, |sum, (_, share)| sum + share);
        (all >= 100.0 - ROUNDING).then_some(such)
    }
}

/// Reads a row.
///
/// # Errors
/// What is wrong with it, in one clause.
pub(super) fn row(line: &str, statuses: &[u16]) -> Result<Row, String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    if cells.len() != COLUMNS.len() + statuses.len() {
        return Err(format!(
            "it has {} columns, and the first line has {}",
            cells.len(),
            COLUMNS.len() + statuses.len()
        ));
    }
    let whole = |at: usize| {
        let wrong = || format!("{} is {:?}, and no whole number", COLUMNS[at], cells[at]);
        cells[at].parse::<u64>().map_err(|_| wrong())
    };
    // Without responses, drnbench writes NaN or nothing.
    let number = |text: &str| {
        // Ruby writes exponents with a sign: another one is a damaged digit.
        let exponent = text.split_once(['e', 'E']).map(|(_, exponent)| exponent);
        let is_damaged = exponent.is_some_and(|it| !it.starts_with(['+', '-']));
        let number = text.parse::<f64>().ok().filter(|_| !is_damaged);
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let clients = whole(0)?;
    let total = whole(1)?;
    if clients == 0 {
        return Err("it has no clients".to_owned());
    }
    let per_second =
        number(cells[2]).ok_or_else(|| format!("{} is {:?}, and no rate", COLUMNS[2], cells[2]))?;
    let shares = statuses.iter().zip(&cells[COLUMNS.len()..]);
    let shares = shares.map(|(status, text)| match (number(text), *text) {
        (None, "" | "NaN") => Ok((*status, None)),
        (None, text) => Err(format!("the share of status {status} is {text:?}")),
        (share, _) => Ok((*status, share)),
    });
    let shares = shares.collect::<Result<Vec<_>, String>>()?;
    let sum = shares.iter().filter_map(|(_, share)| *share).sum::<f64>();
    if sum > 100.0 + ROUNDING {
        return Err(format!("the shares of statuses are {sum} % together"));
    }
    Ok(Row {
        clients,
        total,
        per_second,
        max: number(cells[4]).filter(|_| total > 0),
        average: number(cells[5]).filter(|_| total > 0),
        statuses: shares,
    })
}
