//! Checks whether a local server writes debug logs, which slow it down.
//!
//! Command lines and variables can contain secrets, so results contain only the name of the option
//! or variable and the log level.

use tenbin_plan::{Sentence, sentence};

use super::{Check, CheckConfig, Outcome, TargetFacts};

/// Smallest growth of the log per request, bytes, that indicates a log line per request.
const LINE: u64 = 20;

/// Options that enable debug logs without a value.
const OPTIONS: &[&str] = &["--debug", "-debug", "--trace", "-trace"];
/// Names of options, and ends of names of variables, whose value is a log level. Written in lower
/// case and without separators: `--log-level` is `loglevel`.
const LEVELS: &[&str] = &["loglevel", "logginglevel"];
/// Log levels that include debug messages.
const DEBUG_LEVELS: &[&str] = &["debug", "trace"];
/// Values that disable an option of [`OPTIONS`].
const OFF: &[&str] = &["0", "off", "false", "no", "none"];
/// Values that enable debug logs in a variable such as `DEBUG`.
const ON: &[&str] = &["1", "on", "true", "yes", "all", "debug", "trace"];

pub(super) struct Logging;

impl Check for Logging {
    fn name(&self) -> &'static str {
        "debug logs"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let Some(process) = &target.process else {
            return match &target.reached {
                Ok(_) => vec![Outcome::unknown(sentence!(
                    "process-invisible",
                    "its process is not visible from here: check its log level on its machine"
                ))],
                Err(_) => Vec::new(),
            };
        };
        let command = process.command();
        let variables = process.variables();
        let mut signs = Vec::new();
        signs.extend(
            options(&command)
                .map(|option| sentence!("command-has", "its command line has {option}", option)),
        );
        let asks = variables
            .iter()
            .filter(|(name, value)| enables_debug(name, value));
        signs.extend(
            asks.map(|(name, _)| sentence!("environment-has", "its environment has {name}", name)),
        );
        let asked = target.reply.as_ref().map_or(0, |reply| reply.responses);
        let logs = target.logs.as_ref();
        signs.extend(logs.and_then(|logs| growth(logs.grown(), asked)));
        if !signs.is_empty() {
            let texts: Vec<&str> = signs.iter().map(Sentence::text).collect();
            let suspected = sentence!(
                "debug-suspected",
                "suspected: {signs}",
                signs = texts.join(", and ")
            );
            return vec![Outcome::warning(
                suspected.with_part("signs", signs),
                sentence!(
                    "raise-log-level",
                    "start it with a higher log level: writing logs slows a server down"
                ),
            )];
        }
        let nothing = sentence!(
            "no-debug-option",
            "no option and no environment variable enables them"
        );
        vec![match logs {
            Some(logs) if logs.is_empty() => Outcome::ok(
                sentence!(
                    "no-log-file",
                    "{nothing}; it writes no log file here, and a log elsewhere is not visible",
                    nothing
                )
                .with_part("nothing", [nothing]),
            ),
            Some(_) if asked > 0 => Outcome::ok(
                sentence!(
                    "log-did-not-grow",
                    "{nothing}, and its log did not grow with {requests} requests",
                    nothing,
                    requests = asked
                )
                .with_part("nothing", [nothing]),
            ),
            _ => Outcome::ok(nothing),
        }]
    }
}

/// Names of options on a command line that enable debug logs.
fn options(command: &[String]) -> impl Iterator<Item = String> {
    let is_debug_level = |value: &str| DEBUG_LEVELS.contains(&value.to_ascii_lowercase().as_str());
    command.iter().enumerate().filter_map(move |(at, word)| {
        if at == 0 || !word.starts_with('-') {
            return None;
        }
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        let is_off = joined.is_some_and(|value| OFF.contains(&value));
        if OPTIONS.contains(&name) && !is_off {
            return Some(name.to_owned());
        }
        let letters = name.strip_prefix('-').unwrap_or_default();
        if letters.len() >= 2 && letters.bytes().all(|letter| letter == b'v') {
            return Some(name.to_owned());
        }
        let value = joined.or_else(|| command.get(at + 1).map(String::as_str))?;
        let level = LEVELS.contains(&plain(name).as_str()) && is_debug_level(value);
        level.then(|| format!("{name} {}", value.to_ascii_lowercase()))
    })
}

/// Whether an environment variable enables debug logs.
fn enables_debug(name: &str, value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let ends = |level: &&str| plain(name).ends_with(*level);
    if LEVELS.iter().any(ends) || name.ends_with("_LOG") {
        // The value can list several levels, as in `info,hyper=debug`.
        let words = value.split(|c: char| !c.is_ascii_alphanumeric());
        return words.into_iter().any(|word| DEBUG_LEVELS.contains(&word));
    }
    // `DEBUG` must be the last word: a variable such as `DEBUG_COLORS` rarely enables a log.
    let last = name.rsplit('_').next().unwrap_or_default();
    matches!(last, "DEBUG" | "TRACE") && ON.contains(&value.as_str())
}

/// Keeps only the letters and digits, in lower case.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

fn growth(bytes: u64, requests: u64) -> Option<Sentence> {
    let telling = requests > 0 && bytes >= requests * LINE;
    telling.then(|| {
        sentence!(
            "log-grew",
            "its log grew by {bytes} bytes with {requests} requests ({each} each)",
            bytes,
            requests,
            each = bytes / requests
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        options(&words).collect()
    }

    #[test]
    fn options_that_enable_debug_logs_are_recognized() {
        for (line, option) in [
            ("server --debug /data", "--debug"),
            ("server -vv", "-vv"),
            ("server --log-level debug", "--log-level debug"),
            ("server --log_level=TRACE", "--log_level trace"),
            ("server --loglevel=debug", "--loglevel debug"),
            ("server --debug=true", "--debug"),
        ] {
            assert_eq!(found(line), [option], "{line}");
        }
        for line in [
            "server /data/--debug",
            "--debug",
            "server -v",
            "server --log-level info",
            "server --debug=false",
            "server --quiet --address 127.0.0.1:9000",
            "server --debug-port 1",
        ] {
            assert_eq!(found(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn variables_that_enable_debug_logs_are_recognized() {
        for (name, value) in [
            ("RUST_LOG", "info,hyper=debug"),
            ("JOG_LOGGING_LEVEL", "debug"),
            ("APP_LOG_LEVEL", "TRACE"),
            ("_MINIO_DEBUG", "on"),
            ("MINIO_API_DEBUG", "1"),
            ("VERSITY_TRACE", "true"),
        ] {
            assert!(enables_debug(name, value), "{name}={value}");
        }
        for (name, value) in [
            ("RUST_LOG", "info"),
            ("RUST_BACKTRACE", "1"),
            ("GODEBUG", "gctrace=1"),
            ("DEBUGINFOD_URLS", "x"),
            ("MINIO_DEBUG", "off"),
            ("DEBUG", ""),
            ("BLAS_DEBUG_CPU_TYPE", "1"),
            ("PATH", "/opt/debug"),
            ("CATALOG", "debug"),
        ] {
            assert!(!enables_debug(name, value), "{name}={value}");
        }
    }

    #[test]
    fn a_log_with_a_line_for_each_request_is_detected() {
        assert_eq!(growth(399, 20), None);
        assert!(growth(4000, 20).unwrap().text().contains("(200 each)"));
        // Without requests, growth shows only that the server logs for another reason.
        assert_eq!(growth(4000, 0), None);
    }
}
