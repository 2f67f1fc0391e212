//! Parsers of the output of load generators.

use std::process::Command;

use crate::cost::turn::Said;
use crate::{hlog, shell};

/// Result file of warp, without the extension `.json.zst` that warp adds.
pub(super) const WARP_RESULT: &str = "tenbin-cost-warp-result";

fn counted(operations: Option<u64>) -> Option<Said> {
    Some(Said {
        operations: operations?,
        ..Said::default()
    })
}

/// A program that prints the number of its operations and nothing else.
pub(super) fn number(said: &str) -> Option<Said> {
    counted(said.trim().parse().ok())
}

/// A program whose one operation is to print text.
pub(super) fn text(said: &str) -> Option<Said> {
    counted((!said.trim().is_empty()).then_some(1))
}

/// The number before `after` in the first line that contains `after`.
fn number_before(said: &str, after: &str) -> Option<u64> {
    let before = said
        .lines()
        .find_map(|line| Some(line.split_once(after)?.0))?;
    before.split_whitespace().next_back()?.parse().ok()
}

/// The number after `before` in the first line that contains `before`.
fn number_after(said: &str, before: &str) -> Option<u64> {
    let after = said
        .lines()
        .find_map(|line| Some(line.split_once(before)?.1))?;
    after.split_whitespace().next()?.parse().ok()
}

pub(super) fn tenbin(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    let result = &document["results"][0];
    // Failed requests can cost less than requests with a response.
    (result["failed"].as_u64() == Some(0)).then_some(())?;
    counted(result["ok"].as_u64())
}

/// As [`tenbin`], with the share of a core in the window, and with the p99 of the send lag from the run
/// directory.
pub(super) fn tenbin_in_open_loop(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    let run = std::env::temp_dir().join(document["run"]["directory"].as_str()?);
    let text = std::fs::read_to_string(run.join("latency.hlog")).ok()?;
    let lag = hlog::histogram(&text, "lag").ok()?;
    let machine = &document["slices"][0]["machine"];
    let (own, seconds) = (
        machine["own_cpu_seconds"].as_f64(),
        machine["seconds"].as_f64(),
    );
    Some(Said {
        lag_p99: Some(lag.value_at_quantile(0.99) as f64 / 1e9),
        share_in_window: own.zip(seconds).map(|(own, seconds)| own / seconds),
        ..tenbin(said)?
    })
}

/// The sum of the operations of all results; `None` if an operation failed.
pub(super) fn all_of_tenbin(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    let results = document["results"].as_array()?;
    let each = results.iter().map(|result| {
        (result["failed"].as_u64() == Some(0)).then_some(())?;
        result["ok"].as_u64()
    });
    counted(each.sum())
}

/// The sums of operations and seconds over all modes.
pub(super) fn blobstore_bench(said: &str) -> Option<Said> {
    let totals = || said.lines().filter(|line| line.contains("Int: TOTAL"));
    let field = |line: &str, name: &str| -> Option<f64> {
        let after = line.split_once(name)?.1;
        after.split(',').next()?.trim().parse().ok()
    };
    let sum = |name| -> Option<f64> { totals().map(|line| field(line, name)).sum() };
    totals()
        .all(|line| line.ends_with("Slowdowns: 0"))
        .then_some(())?;
    Some(Said {
        operations: sum("Ops: ")? as u64,
        seconds: sum("Dur(s): "),
        ..Said::default()
    })
}

/// Operations, wall seconds, CPU seconds of the load threads, and in an open loop the p99 of the send
/// lag, seconds.
pub(super) fn null(said: &str) -> Option<Said> {
    let mut words = said.split_whitespace();
    Some(Said {
        operations: words.next()?.parse().ok()?,
        seconds: words.next()?.parse().ok(),
        lag_p99: words.nth(1).and_then(|lag| lag.parse().ok()),
        share_in_window: None,
    })
}

pub(super) fn wrk(said: &str) -> Option<Said> {
    counted(number_before(said, " requests in "))
}

pub(super) fn ab(said: &str) -> Option<Said> {
    counted(number_after(said, "Complete requests:"))
}

pub(super) fn h2load(said: &str) -> Option<Said> {
    counted(number_before(said, " succeeded,"))
}

pub(super) fn hey(said: &str) -> Option<Said> {
    counted(number_before(said, " responses"))
}

pub(super) fn oha(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    counted(document["statusCodeDistribution"]["200"].as_u64())
}

/// Reads the exact number of operations from the result file of warp, because warp prints only
/// rounded rates.
pub(super) fn warp() -> Option<Said> {
    let file = std::env::temp_dir().join(format!("{WARP_RESULT}.json.zst"));
    let text = shell::output_of(Command::new("zstd").arg("-dcq").arg(file)).ok()?;
    count_of_warp(&text)
}

fn count_of_warp(text: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let total = &document["total"];
    (total["total_errors"].as_u64() == Some(0)).then_some(())?;
    counted(total["total_requests"].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(said: Option<Said>) -> Option<u64> {
        said.map(|said| said.operations)
    }

    #[test]
    fn counts_are_found_in_what_each_generator_says() {
        let wrk = "Running 5s test\n  510000 requests in 5.10s, 80MB read\n";
        assert_eq!(operations(super::wrk(wrk)), Some(510_000));
        let ab = "Concurrency Level: 64\nComplete requests:      482114\n";
        assert_eq!(operations(super::ab(ab)), Some(482_114));
        let h2load = "requests: 400 total, 464 started, 400 done, 399 succeeded, 1 failed\n";
        assert_eq!(operations(super::h2load(h2load)), Some(399));
        let hey = "Status code distribution:\n  [200]\t180000 responses\n";
        assert_eq!(operations(super::hey(hey)), Some(180_000));
        let oha = r#"{"statusCodeDistribution": {"200": 7}}"#;
        assert_eq!(operations(super::oha(oha)), Some(7));
        assert_eq!(operations(number("17\n")), Some(17));
        let closed = null("100 0.5 0.4\n").expect("a closed loop");
        assert_eq!((closed.operations, closed.lag_p99), (100, None));
        let open = null("100 0.5 0.4 0.000020\n").expect("an open loop");
        assert_eq!((open.operations, open.lag_p99), (100, Some(20e-6)));
    }

    #[test]
    fn every_mode_of_blobstore_bench_counts() {
        let line = |mode: &str, slowdowns: u64| {
            format!(
                "2026/11/22 00:37:16 Loop: 0, Int: TOTAL, Dur(s): 2.5, Mode: {mode}, Ops: 100, \
                 MB/s: 1.00, IO/s: 40, Lat(ms): [ min: 0.0, avg: 0.0, 99%: 0.0, max: 8.1 ], \
                 Slowdowns: {slowdowns}\n"
            )
        };
        let said = super::blobstore_bench(&(line("PUT", 0) + &line("GET", 0))).expect("two modes");
        assert_eq!((said.operations, said.seconds), (200, Some(5.0)));
        assert!(super::blobstore_bench(&(line("PUT", 0) + &line("GET", 1))).is_none());
    }

    #[test]
    fn a_turn_with_failures_counts_nothing() {
        let tenbin = |failed: u64| format!(r#"{{"results": [{{"ok": 9, "failed": {failed}}}]}}"#);
        assert_eq!(operations(super::tenbin(&tenbin(0))), Some(9));
        assert_eq!(operations(super::tenbin(&tenbin(1))), None);
        let warp = |failed: u64| {
            format!(r#"{{"total": {{"total_requests": 9, "total_errors": {failed}}}}}"#)
        };
        assert_eq!(operations(count_of_warp(&warp(0))), Some(9));
        assert_eq!(operations(count_of_warp(&warp(1))), None);
    }
}
