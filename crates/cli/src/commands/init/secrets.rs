//! Secrets in the command that starts or builds a server, which no file of `tenbin init` contains.

use tenbin_plan::{SecretVariables, is_secret_name};

use crate::errors::InitError;

/// Ends of the names of arguments with a secret, in lower case, without `-`, `_` and `.`: `--api-key` is
/// one, and `--token-file` and `--max-tokens` are none.
const ENDS: &[&str] = &[
    "accesskeyid", "auth", "authorization", "cookie", "credential", "credentials", "jwt", "key",
    "pass", "passphrase", "passwd", "password", "pwd", "secret", "sessionid", "sig", "signature",
    "token",
];
/// Values that switch something on or off.
const SWITCHES: &[&str] = &[
    "0", "1", "basic", "false", "no", "none", "off", "on", "true", "yes",
];
const QUOTES: [char; 3] = [' ', '"', '\''];

/// The command with a reference in place of every secret among the variables that it sets before the
/// program: `PASSWORD={env:TENBIN_ENV_PASSWORD} ./server`.
pub(super) fn with_references(command: &str, variables: &mut SecretVariables) -> String {
    let (assignments, rest) = assignments(command);
    let mut shown = String::new();
    for Assignment { raw, name, value } in assignments {
        let is_secret = is_secret_name(&name) || in_word(&value).is_some();
        if is_secret && is_replaceable(&value) {
            shown += &format!("{name}={}", variables.reference("ENV", &name, &value));
        } else {
            shown += raw;
        }
        shown.push(' ');
    }
    shown + rest
}

/// Checks that a command of a server has no secret that no reference can replace.
///
/// # Errors
/// If an argument, or a variable with a placeholder, holds a secret.
pub(super) fn check_server(option: &'static str, command: &str) -> Result<(), InitError> {
    let (assignments, rest) = assignments(command);
    let mut kept = assignments.iter().filter(|it| !is_replaceable(&it.value));
    let in_variable = kept.find_map(|it| in_word(&it.value));
    let words = || shlex::split(rest).unwrap_or_default();
    match in_variable.or_else(|| in_words(&words())) {
        Some(Found { part, variable }) => Err(InitError::SecretInServer {
            option,
            part,
            variable,
        }),
        None => Ok(()),
    }
}

/// Checks that a build command has no secret.
///
/// # Errors
/// If the command has one.
pub(super) fn check_build(command: &str) -> Result<(), InitError> {
    match in_words(&[command.to_owned()]) {
        Some(Found { part, variable }) => Err(InitError::SecretInBuild { part, variable }),
        None => Ok(()),
    }
}

/// The program of a command, after the variables that the command sets.
pub(super) fn program(command: &str) -> Option<String> {
    let (_, rest) = assignments(command);
    first_word(rest).map(|(_, program)| program)
}

/// A variable that is set before the program.
struct Assignment<'a> {
    /// Name and value as written, with quotes.
    raw: &'a str,
    name: String,
    value: String,
}

/// The variables that a command sets before its program, and the rest of the command.
fn assignments(command: &str) -> (Vec<Assignment<'_>>, &str) {
    let mut rest = command.trim_start();
    let mut all = Vec::new();
    while let Some((raw, word)) = first_word(rest)
        && let Some((name, value)) = word.split_once('=')
        && is_variable(name)
    {
        rest = rest[raw.len()..].trim_start();
        let (name, value) = (name.to_owned(), value.to_owned());
        all.push(Assignment { raw, name, value });
    }
    (all, rest)
}

/// The first word of a command, as written and without its quotes.
fn first_word(text: &str) -> Option<(&str, String)> {
    let spaces = text.match_indices(char::is_whitespace);
    let mut ends = spaces.map(|(at, _)| at).chain([text.len()]);
    ends.find_map(|end| {
        let raw = &text[..end];
        let word = shlex::split(raw)?.into_iter().next()?;
        Some((raw, word))
    })
}

fn is_variable(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

/// Whether a reference can stand for the value: it has neither placeholders nor references.
fn is_replaceable(value: &str) -> bool {
    !value.is_empty() && !value.contains('{')
}

/// A secret: how it can be shown, and a name for its variable.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    part: String,
    variable: String,
}

impl Found {
    fn named(name: &str, separator: &str) -> Self {
        let plain = name.trim_start_matches('-').to_ascii_uppercase();
        Self {
            part: format!("{name}{separator}…"),
            variable: plain.replace(['-', '.'], "_"),
        }
    }
}

/// The first secret in the words of a command. A word with spaces can be a script with words.
fn in_words(words: &[String]) -> Option<Found> {
    let after_flag = words.windows(2).find_map(|pair| {
        let (flag, value) = (&pair[0], &pair[1]);
        let is_flag = flag.starts_with('-') && !flag.contains('=') && is_secret_argument(flag);
        let is_value = !value.starts_with('-') && is_literal(value);
        (is_flag && is_value).then(|| Found::named(flag, " "))
    });
    after_flag.or_else(|| words.iter().find_map(|word| in_word(word)))
}

fn in_word(word: &str) -> Option<Found> {
    let of_script = || {
        let parts: Vec<String> = word.split_whitespace().map(str::to_owned).collect();
        (parts.len() > 1).then(|| in_words(&parts)).flatten()
    };
    of_pair(word).or_else(|| of_url(word)).or_else(of_script)
}

/// A secret after its name: `--token=…`, `TOKEN=…`, `X-Token: …` or `"token":"…"`.
fn of_pair(text: &str) -> Option<Found> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(['=', ':']).find_map(|(at, sign)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let is_pair = if sign == ":" {
            // The colon of a port or of an image has neither.
            before.ends_with('"') || after.starts_with(' ')
        } else {
            // An empty value, or a comparison.
            !after.starts_with([' ', '='])
        };
        if !is_pair {
            return None;
        }
        let before = before.trim_end_matches(QUOTES);
        let name = &before[before.trim_end_matches(is_of_name).len()..];
        (is_secret_argument(name) && is_literal(after)).then(|| Found::named(name, sign))
    })
}

/// The password of a URL.
fn of_url(text: &str) -> Option<Found> {
    text.match_indices("://").find_map(|(at, sign)| {
        let (before, after) = (&text[..at], &text[at + sign.len()..]);
        let scheme = &before[before.trim_end_matches(char::is_alphanumeric).len()..];
        let end = |c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace();
        let authority = after.split(end).next().unwrap_or_default();
        let (user, host) = authority.rsplit_once('@')?;
        let (_, password) = user.split_once(':')?;
        is_literal(password).then(|| Found {
            part: format!("{scheme}://…@{host}"),
            variable: "LOGIN".to_owned(),
        })
    })
}

/// Whether an argument with this name holds a secret.
fn is_secret_argument(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = plain.to_ascii_lowercase().replace(['-', '_', '.'], "");
    is_secret_name(name) && ENDS.iter().any(|end| plain.ends_with(end))
}

/// Whether a value is neither empty, nor a switch, a placeholder or a variable of a shell.
fn is_literal(value: &str) -> bool {
    let value = value.trim_start_matches(QUOTES);
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | ',' | '}');
    let word = value.split(is_end).next().unwrap_or_default();
    !word.is_empty() && !word.starts_with(['{', '$', '`']) && !SWITCHES.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(command: &str) -> String {
        with_references(command, &mut SecretVariables::default())
    }

    #[test]
    fn a_variable_before_the_program_becomes_a_reference() {
        for (command, expected) in [
            (
                "PGPASSWORD=hush ./server {port}",
                "PGPASSWORD={env:TENBIN_ENV_PGPASSWORD} ./server {port}",
            ),
            (
                "LEVEL=2  API_KEY='hush hush' ./server {port}",
                "LEVEL=2 API_KEY={env:TENBIN_ENV_API_KEY} ./server {port}",
            ),
            (
                "DB=postgres://me:hush@db/x ./server {port}",
                "DB={env:TENBIN_ENV_DB} ./server {port}",
            ),
            (
                "OPTIONS='-Dpassword=hush' ./server {port}",
                "OPTIONS={env:TENBIN_ENV_OPTIONS} ./server {port}",
            ),
            (
                "KEY_TOKEN={secret_key} T='{env:TOKEN}' ./server --path '/a b'",
                "KEY_TOKEN={secret_key} T='{env:TOKEN}' ./server --path '/a b'",
            ),
            ("./server PASSWORD=x", "./server PASSWORD=x"),
        ] {
            assert_eq!(shown(command), expected, "{command}");
        }
        let mut variables = SecretVariables::default();
        let both = ["TOKEN=a ./x", "TOKEN=b ./x", "TOKEN=a ./y"]
            .map(|command| with_references(command, &mut variables));
        assert_eq!(
            both,
            [
                "TOKEN={env:TENBIN_ENV_TOKEN} ./x",
                "TOKEN={env:TENBIN_ENV_TOKEN_2} ./x",
                "TOKEN={env:TENBIN_ENV_TOKEN} ./y",
            ]
        );
    }

    #[test]
    fn a_secret_in_an_argument_is_found() {
        for (command, part) in [
            ("./server --token=hush {port}", "--token=…"),
            ("./server --api-key hush {port}", "--api-key …"),
            ("./server -H 'X-Auth-Token: hush'", "X-Auth-Token:…"),
            ("./server --db postgres://me:hush@db/x", "postgres://…@db"),
            ("sh -c 'PASSWORD=hush ./server {port}'", "PASSWORD=…"),
            ("sh -c './server --token hush'", "--token …"),
            ("./server '{\"password\":\"hush\"}'", "password:…"),
            (
                "DB=postgres://me:hush@{host}/x ./server",
                "postgres://…@{host}",
            ),
        ] {
            let error = check_server("--server", command).expect_err(command);
            let InitError::SecretInServer { part: found, .. } = &error else {
                panic!("{command}: {error}");
            };
            assert_eq!(found, part, "{command}");
        }
        let build = check_build("NPM_TOKEN=hush make").expect_err("a secret");
        assert!(build.to_string().contains("$NPM_TOKEN"), "{build}");
    }

    #[test]
    fn arguments_without_a_secret_are_accepted() {
        for command in [
            "PGPASSWORD=hush ./server {port}",
            "./server --max-tokens=100 --tokenizer x --token-file /run/token",
            "./server --auth=none --auth basic --no-auth",
            "./server --token={access_key} --secret $SECRET",
            "TOKEN={env:TOKEN} sh -c 'exec ./server --token=\"$TOKEN\" {port}'",
            "podman run --rm -p {port}:80 token-service:1.0",
            "./server --listen http://127.0.0.1:{port}/a@b",
            "sh -c '[ \"$TOKEN\" = x ] || PASSWORD= ./server {port}'",
        ] {
            assert!(check_server("--server", command).is_ok(), "{command}");
        }
        for build in ["make", "NPM_TOKEN=$CI_TOKEN make", "make KEY=\"$API_KEY\""] {
            assert!(check_build(build).is_ok(), "{build}");
        }
    }
}
