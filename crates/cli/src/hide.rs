//! Keeps secrets out of the process title.
//!
//! Every user of the machine can read the command line of a process, but only its owner can read
//! its environment. This module therefore moves possible secrets to the environment: the program
//! re-executes itself in the same process and restores the arguments in memory.
//!
//! Hidden are the values of some options, and every argument with the name of a secret and a value,
//! such as the path `/x?api_key=…`, the body `{"password": …}` or the URL `http://user:word@host/`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tenbin_plan::{all_keys, is_secret_name};

use crate::args::TOOLS;

/// Options of warp whose values can contain a secret. It accepts one dash or two before a long
/// option.
const OPTIONS_OF_WARP: [&str; 5] = [
    "-secret-key", "-session-token", "-sts-web-token", "--sts-web-token", "--influxdb",
];
/// Prefix of the environment variables that contain the hidden values. Launched targets do not
/// receive variables that start with `TENBIN_SECRET_KEY`.
const VARIABLE: &str = "TENBIN_SECRET_KEY_ARGUMENT_";

/// The arguments, including the program name. If an argument can contain a secret, the program
/// first re-executes itself with a placeholder for the secret in the process title.
///
/// # Errors
/// If the program cannot re-execute itself. Continuing would leave the secret visible.
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
    // `exec` returns only if it fails.
    Err(command.args(shown.iter().skip(1)).exec())
}

fn variable(at: usize) -> String {
    format!("{VARIABLE}{at}")
}

/// Placeholder in the process title for the hidden value with index `at`.
fn mark(at: usize) -> String {
    format!("(hidden {at})")
}

/// The visible arguments, and the values removed from them; `None` without secrets.
fn hide(given: &[OsString]) -> Option<(Vec<OsString>, Vec<OsString>)> {
    // The arguments after `guard` are the command line of a launched target and stay unchanged.
    if given.get(1).is_some_and(|command| command == "guard") {
        return None;
    }
    let options = Options::of(given);
    let mut shown = Vec::with_capacity(given.len());
    let mut hidden = Vec::new();
    let mut value_follows = false;
    for argument in given {
        if value_follows {
            shown.push(OsString::from(mark(hidden.len())));
            hidden.push(argument.clone());
            value_follows = false;
        } else if let Some((option, value)) = options.joined(argument) {
            shown.push(OsString::from(format!("{option}{}", mark(hidden.len()))));
            hidden.push(value.to_owned());
        } else if let Some(option) = secret_after(argument) {
            shown.push(OsString::from(format!("{option}{}", mark(hidden.len()))));
            hidden.push(OsStr::from_bytes(&argument.as_bytes()[option.len()..]).to_owned());
        } else {
            value_follows = options.wants_value(argument);
            shown.push(argument.clone());
        }
    }
    (!hidden.is_empty()).then_some((shown, hidden))
}

/// The start of an argument that can be shown, `--option=` or nothing, if the rest contains a
/// secret.
fn secret_after(argument: &OsStr) -> Option<&str> {
    // Not UTF-8: an argument with a secret in it can be shown up to no certain place.
    let Some(text) = argument.to_str() else {
        return has_secret(&argument.to_string_lossy()).then_some("");
    };
    let value = match text.split_once('=') {
        Some((option, value)) if option.starts_with('-') => value,
        _ => text,
    };
    has_secret(value).then(|| &text[..text.len() - value.len()])
}

/// Whether a text contains the name of a secret with a value, as in a query, a form, JSON or a
/// header, or a URL with a password.
fn has_secret(text: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let names_secret = text.match_indices(['=', ':']).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '"', '\'']);
        let start = before.trim_end_matches(is_name_char).len();
        let has_value = !text[at + 1..].trim_matches([' ', '"', '\'']).is_empty();
        has_value && is_secret_name(&before[start..])
    });
    let has_password = text.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let user = authority.rsplit_once('@').map(|(user, _)| user);
        user.is_some_and(|user| user.contains(':'))
    });
    names_secret || has_password
}

/// The options of a command line whose values can be secret.
struct Options {
    /// Long options. The value is the next argument, or follows an equals sign.
    words: Vec<&'static str>,
    /// Single-letter options. The value is the next argument, or follows the letter directly.
    letters: &'static [u8],
    /// Letters without a value, which can precede `letters` in one argument: `-qH`.
    switches: &'static [u8],
}

impl Options {
    /// The options for this command line. A letter has different meanings in different tools.
    fn of(given: &[OsString]) -> Self {
        let (own, letters, switches): (&[&str], &[u8], &[u8]) = match tool(given) {
            Some("hsbench") => (&["-s", "--s"], b"H", b"q"),
            Some("ab") => (&[], b"HACP", b"kdSqlriIwV"),
            Some("wrk" | "wrk2") => (&[], b"H", b"LUBv"),
            _ => (&[], b"H", b"q"),
        };
        Self {
            words: secret_flags()
                .chain(OPTIONS_OF_WARP)
                .chain(own.iter().copied())
                .collect(),
            letters,
            switches,
        }
    }

    /// Whether `argument` is an option whose value is the next argument.
    fn wants_value(&self, argument: &OsStr) -> bool {
        self.words.iter().any(|option| argument == *option)
            || self.after_letter(argument.as_bytes()) == Some(b"")
    }

    /// Splits an argument with option and value: `--secret-key=x`, `-Hx`, `-qHx`.
    fn joined<'a>(&self, argument: &'a OsStr) -> Option<(String, &'a OsStr)> {
        let text = argument.as_bytes();
        let after_word = |option: &&str| {
            let value = text.strip_prefix(option.as_bytes())?;
            value.strip_prefix(b"=")
        };
        let value = self
            .words
            .iter()
            .find_map(after_word)
            .or_else(|| self.after_letter(text))?;
        let option = &text[..text.len() - value.len()];
        (!value.is_empty()).then(|| {
            let option = String::from_utf8_lossy(option).into_owned();
            (option, OsStr::from_bytes(value))
        })
    }

    /// The text after a single-letter option of `letters` in the same argument.
    fn after_letter<'a>(&self, argument: &'a [u8]) -> Option<&'a [u8]> {
        let letters = argument.strip_prefix(b"-")?;
        let switches = letters
            .iter()
            .take_while(|letter| self.switches.contains(letter))
            .count();
        let (letter, value) = letters[switches..].split_first()?;
        self.letters.contains(letter).then_some(value)
    }
}

/// Tenbin's own flags whose values can contain a secret.
fn secret_flags() -> impl Iterator<Item = &'static str> {
    let flags = all_keys().flat_map(|key| key.flags.iter().flatten());
    flags.filter(|flag| flag.is_secret).map(|flag| flag.name)
}

/// The tool whose command line this is, from the name of the program or from the first argument,
/// or after `plan`.
fn tool(given: &[OsString]) -> Option<&str> {
    let name = given.first().map(Path::new).and_then(Path::file_name);
    let known = |name: &OsStr| TOOLS.iter().copied().find(|tool| name == *tool);
    let is_plan = given.get(1).is_some_and(|word| word == "plan");
    let word = given.get(if is_plan { 2 } else { 1 });
    name.and_then(known).or_else(|| known(word?))
}

/// The arguments with the hidden values restored; `None` without hidden values.
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
            "warp put -sts-web-token=hush --sts-web-token hush",
            "tenbin s3 put --web-identity-token hush --session-token=hush",
            "tenbin hsbench -a b -s hush -s=hush -z 4k",
            "tenbin plan hsbench -a b -s hush -z 4k",
            "tenbin ab -A hush -Ahush -kC hush -kHhush -n5 http://h/",
            "/bin/ab -Phush -kq -A hush http://h/",
            "wrk -LHhush --header hush --header=hush http://h/",
            "wrk2 -R 9 -LUHhush -H hush http://h/",
            "tenbin http http://h/?api_key=hush&x=1 -c 4",
            "tenbin http --target a=http://u:hush@h/ --path /x?token=hush --path=/x?sig=hush",
            "tenbin http http://h/ --body hush --body={\"password\":\"hush\"}",
            "tenbin search load --url http://u:hush@h/",
            "tenbin ab -p f http://h/?access_token=hush",
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
        assert!(hide(&words("tenbin s3 put --secret-key-file=f -n 3")).is_none());
        assert!(
            hide(&words(
                "tenbin http --target a=http://h:80/x?q=1:2 --path /x?page=2"
            ))
            .is_none()
        );
        assert!(hide(&words("tenbin guard -- server --secret-key x")).is_none());
        assert!(hide(&words("tenbin s3 put --secret-key")).is_none());
        assert!(hide(&words("tenbin ab -n 5 -Tapplication/json -s 3 http://h/")).is_none());
        assert!(restore(&words("tenbin http"), |_| None).is_none());
    }
}
