//! Keeps secrets out of the process title.
//!
//! Arguments can be read by every user of the machine. A secret key given as a
//! flag is therefore moved into the environment, which only its owner can read,
//! by starting this program over in the same process.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The variable that carries the secret key.
const SECRET_VARIABLE: &str = "TENBIN_SECRET_KEY";
const SECRET_FLAG: &str = "--secret-key";

/// Starts over without the secret, if there is one among the arguments.
///
/// # Errors
/// When the system refuses; the secret must not stay visible then.
pub(crate) fn secret_arguments() -> std::io::Result<()> {
    let Some((arguments, secret)) = split(env::args_os().skip(1).collect()) else {
        return Ok(());
    };
    let mut command = Command::new(env::current_exe()?);
    if let Some(name) = env::args_os().next() {
        command.arg0(name);
    }
    // Does not return unless it fails.
    Err(command.args(arguments).env(SECRET_VARIABLE, secret).exec())
}

/// Takes the secret out of the arguments; `None` when there is none.
fn split(arguments: Vec<OsString>) -> Option<(Vec<OsString>, OsString)> {
    let mut kept = Vec::new();
    let mut secret = None;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let joined = argument
            .to_str()
            .and_then(|text| text.strip_prefix(SECRET_FLAG)?.strip_prefix('='))
            .map(OsString::from);
        if let Some(value) = joined {
            secret = Some(value);
        } else if argument == SECRET_FLAG {
            match rest.next() {
                Some(value) => secret = Some(value),
                // The parser says better what is missing.
                None => kept.push(argument),
            }
        } else if argument == "--" {
            kept.push(argument);
            kept.extend(rest.by_ref());
        } else {
            kept.push(argument);
        }
    }
    secret.map(|secret| (kept, secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn takes_the_secret_out_of_the_arguments() {
        for given in [
            "s3 put --secret-key hush --size 1KiB",
            "s3 put --secret-key=hush --size 1KiB",
        ] {
            let (kept, secret) = split(words(given)).unwrap();
            assert_eq!(kept, words("s3 put --size 1KiB"));
            assert_eq!(secret, "hush");
        }
    }

    #[test]
    fn leaves_other_arguments_alone() {
        assert!(split(words("s3 put --secret-key-file f")).is_none());
        assert!(split(words("guard -- server --secret-key x")).is_none());
        assert!(split(words("s3 put --secret-key")).is_none());
    }
}
