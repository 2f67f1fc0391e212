//! Does a local server write debug logs, which cost it its speed?
//!
//! Nothing here repeats a command line or a variable as it stands: either may hold a
//! secret. What is told is the name, and what it asks for.

use super::{Check, Examined, Found, Visit};

/// A log that grows by as much for every request holds a line for each.
const LINE: u64 = 20;

/// Options that ask for debug logs by themselves.
const OPTIONS: &[&str] = &["--debug", "-debug", "--trace", "-trace"];
/// Options and ends of variables whose value names a level, without what joins their
/// words.
const LEVELS: &[&str] = &["loglevel", "logginglevel"];
/// Values of these that ask for it.
const TALKATIVE: &[&str] = &["debug", "trace"];
/// Values that switch such an option off.
const OFF: &[&str] = &["0", "off", "false", "no", "none"];
/// Values that switch a variable on.
const ON: &[&str] = &["1", "on", "true", "yes", "all", "debug", "trace"];

pub(super) struct Logging;

impl Check for Logging {
    fn name(&self) -> &'static str {
        "debug logs"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let Some(process) = &target.process else {
            return match &target.reached {
                Ok(_) => vec![Found::unknown(
                    "its process cannot be seen from here: look at its log level there",
                )],
                Err(_) => Vec::new(),
            };
        };
        let command = process.command();
        let variables = process.variables();
        let mut signs = Vec::new();
        signs.extend(options(&command).map(|option| format!("its command line has {option}")));
        let asks = variables.iter().filter(|(name, value)| asks(name, value));
        signs.extend(asks.map(|(name, _)| format!("its environment has {name}")));
        let asked = target.reply.as_ref().map_or(0, |reply| reply.answered);
        let logs = target.logs.as_ref();
        signs.extend(logs.and_then(|logs| growth(logs.grown(), asked)));
        if !signs.is_empty() {
            return vec![Found::warning(
                format!("suspected: {}", signs.join(", and ")),
                "start it with a quieter log level: writing logs costs a server its speed",
            )];
        }
        let nothing = "nothing on its command line or in its environment asks for them";
        vec![match logs {
            Some(logs) if logs.is_empty() => Found::ok(format!(
                "{nothing}; it writes no log to a file, so that one elsewhere is not known"
            )),
            Some(_) if asked > 0 => Found::ok(format!(
                "{nothing}, and its log did not grow with {asked} requests"
            )),
            _ => Found::ok(nothing),
        }]
    }
}

/// Options on a command line that ask for debug logs, by name.
fn options(command: &[String]) -> impl Iterator<Item = String> {
    let talkative = |value: &str| TALKATIVE.contains(&value.to_ascii_lowercase().as_str());
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
        let level = LEVELS.contains(&plain(name).as_str()) && talkative(value);
        level.then(|| format!("{name} {}", value.to_ascii_lowercase()))
    })
}

/// Whether a variable asks for debug logs.
fn asks(name: &str, value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let ends = |level: &&str| plain(name).ends_with(*level);
    if LEVELS.iter().any(ends) || name.ends_with("_LOG") {
        // Such as `info,hyper=debug`.
        let words = value.split(|c: char| !c.is_ascii_alphanumeric());
        return words.into_iter().any(|word| TALKATIVE.contains(&word));
    }
    // What stands behind such a word says what is debugged, and that is seldom a log.
    let last = name.rsplit('_').next().unwrap_or_default();
    matches!(last, "DEBUG" | "TRACE") && ON.contains(&value.as_str())
}

/// Letters and digits only, small.
fn plain(name: &str) -> String {
    let kept = name.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

fn growth(bytes: u64, requests: u64) -> Option<String> {
    let telling = requests > 0 && bytes >= requests * LINE;
    telling.then(|| {
        format!(
            "its log grew by {bytes} bytes with {requests} requests ({} each)",
            bytes / requests
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
    fn options_that_ask_for_debug_logs_are_known() {
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
    fn variables_that_ask_for_debug_logs_are_known() {
        for (name, value) in [
            ("RUST_LOG", "info,hyper=debug"),
            ("JOG_LOGGING_LEVEL", "debug"),
            ("APP_LOG_LEVEL", "TRACE"),
            ("_MINIO_DEBUG", "on"),
            ("MINIO_API_DEBUG", "1"),
            ("VERSITY_TRACE", "true"),
        ] {
            assert!(asks(name, value), "{name}={value}");
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
            assert!(!asks(name, value), "{name}={value}");
        }
    }

    #[test]
    fn a_log_with_a_line_for_each_request_is_telling() {
        assert_eq!(growth(399, 20), None);
        assert!(growth(4000, 20).unwrap().contains("(200 each)"));
        // An end of a line that was long begun.
        assert_eq!(growth(4000, 0), None);
    }
}
