//! Keeps secrets out of the process title.
//!
//! Command lines can be read by every user of the machine, the environment only
//! by its owner. What may hold a secret is therefore moved from one to the other
//! by starting this program over in the same process, and put back into the
//! arguments in memory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Options whose values may hold a secret.
const OPTIONS: [&str; 7] = [
    "--secret-key",
    "--header",
    "--launch-env",
    // warp's, which takes one dash as well as two.
    "-secret-key",
    "--session-token",
    "-session-token",
    "--influxdb",
];
/// The short name of one of them.
const SHORT: u8 = b'H';
/// Short options without a value, which may stand before it: `-qH`.
const SHORT_FLAGS: &[u8] = b"q";
/// Beginning of the variables that carry the values. Launched targets do not get
/// to see variables that begin with `TENBIN_SECRET_KEY`.
const VARIABLE: &str = "TENBIN_SECRET_KEY_ARGUMENT_";

/// The arguments, program name first; none of them is in the process title any
/// more if it may hold a secret.
///
/// # Errors
/// When this program cannot be started over; the secret must not stay visible
/// then.
pub(crate) fn arguments() -> std::io::Result<Vec<OsString>> {
    let given: Vec<OsString> = env::args_os().collect();
    if let Some(restored) = restore(&given, |name| env::var_os(name)) {
        return Ok(restored);
    }
    let Some((shown, hidden)) = hide(&given) else {
        return Ok(given);
    };
    let mut command = Command::new(env::current_exe()?);
    if let Some(name) = shown.first() {
        command.arg0(name);
    }
    for (at, value) in hidden.iter().enumerate() {
        command.env(variable(at), value);
    }
    // Does not return unless it fails.
    Err(command.args(shown.iter().skip(1)).exec())
}

fn variable(at: usize) -> String {
    format!("{VARIABLE}{at}")
}

/// What stands in the place of hidden value number `at`.
fn mark(at: usize) -> String {
    format!("(hidden {at})")
}

/// The arguments as they may be shown, and the values taken out of them; `None`
/// when there is nothing to hide.
fn hide(given: &[OsString]) -> Option<(Vec<OsString>, Vec<OsString>)> {
    // What a target is launched with is its own affair.
    if given.get(1).is_some_and(|command| command == "guard") {
        return None;
    }
    let options = options_of(given);
    let mut shown = Vec::with_capacity(given.len());
    let mut hidden = Vec::new();
    let mut value_follows = false;
    for argument in given {
        if value_follows {
            shown.push(OsString::from(mark(hidden.len())));
            hidden.push(argument.clone());
            value_follows = false;
        } else if let Some((option, value)) = joined(argument, &options) {
            shown.push(OsString::from(format!("{option}{}", mark(hidden.len()))));
            hidden.push(value.to_owned());
        } else {
            value_follows = options.iter().any(|option| argument == option)
                || after_short(argument.as_bytes()) == Some(b"");
            shown.push(argument.clone());
        }
    }
    (!hidden.is_empty()).then_some((shown, hidden))
}

/// The options of a command line whose values may hold a secret. hsbench has one of a
/// single letter, which means something else elsewhere.
fn options_of(given: &[OsString]) -> Vec<&'static str> {
    let is_hsbench = given.get(1).is_some_and(|command| command == "hsbench");
    let own: &[&str] = if is_hsbench { &["-s", "--s"] } else { &[] };
    OPTIONS.iter().chain(own).copied().collect()
}

/// An option and its value in one argument: `--secret-key=x`, `-Hx`, `-qHx`.
fn joined<'a>(argument: &'a OsStr, options: &[&str]) -> Option<(String, &'a OsStr)> {
    let text = argument.as_bytes();
    let after_long = |option: &&str| {
        let value = text.strip_prefix(option.as_bytes())?;
        value.strip_prefix(b"=")
    };
    let value = options
        .iter()
        .find_map(after_long)
        .or_else(|| after_short(text))?;
    let option = &text[..text.len() - value.len()];
    (!value.is_empty()).then(|| {
        let option = String::from_utf8_lossy(option).into_owned();
        (option, OsStr::from_bytes(value))
    })
}

/// What follows the short option in its own argument.
fn after_short(argument: &[u8]) -> Option<&[u8]> {
    let letters = argument.strip_prefix(b"-")?;
    let flags = letters
        .iter()
        .take_while(|letter| SHORT_FLAGS.contains(letter))
        .count();
    letters[flags..].strip_prefix(&[SHORT])
}

/// Puts hidden values back; `None` when there are none.
fn restore(
    given: &[OsString],
    variable_of: impl Fn(&str) -> Option<OsString>,
) -> Option<Vec<OsString>> {
    variable_of(&variable(0))?;
    let mut at = 0;
    let restored = given
        .iter()
        .map(|argument| {
            let mark = mark(at);
            let value = variable_of(&variable(at));
            match (argument.as_bytes().strip_suffix(mark.as_bytes()), value) {
                (Some(start), Some(value)) => {
                    at += 1;
                    OsString::from_vec([start, value.as_bytes()].concat())
                }
                _ => argument.clone(),
            }
        })
        .collect();
    Some(restored)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_hidden_comes_back_and_is_not_shown() {
        for given in [
            "tenbin s3 put --secret-key hush --size 1KiB",
            "tenbin s3 put --secret-key=hush --size 1KiB",
            "tenbin s3 put --secret-key a=hush --secret-key b=hush2 --size 1KiB",
            "tenbin http -Hhush -H hush --header=hush --launch-env a=B=hush",
            "tenbin http -qHhush -qqH hush",
            "warp put -secret-key=hush -secret-key hush --session-token=hush",
            "tenbin hsbench -a b -s hush -s=hush -z 4k",
        ] {
            let (shown, hidden) = hide(&words(given)).unwrap();
            assert!(
                shown
                    .iter()
                    .all(|word| !word.to_string_lossy().contains("hush")),
                "{shown:?}"
            );
            let find = |name: &str| {
                let at = name.strip_prefix(VARIABLE)?.parse::<usize>().ok()?;
                hidden.get(at).cloned()
            };
            assert_eq!(restore(&shown, find).unwrap(), words(given));
        }
    }

    #[test]
    fn other_arguments_are_left_alone() {
        assert!(hide(&words("tenbin s3 put --secret-key-file f -n 3")).is_none());
        assert!(hide(&words("tenbin guard -- server --secret-key x")).is_none());
        assert!(hide(&words("tenbin s3 put --secret-key")).is_none());
        assert!(restore(&words("tenbin http"), |_| None).is_none());
    }
}
