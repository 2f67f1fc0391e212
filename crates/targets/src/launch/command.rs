//! Command line, environment and credentials of a launch.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::PipeWriter;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rand::RngExt;
use rand::distr::Alphanumeric;
use tenbin_plan::{Builtin, Credentials, Launch, Ready, Sentence, Target, sentence};
use url::Url;

use super::placeholders::Placeholders;
use super::{LaunchContext, program};
use crate::error::TargetError;
use crate::helper_time;
use crate::serve::{ACCESS_KEY_VARIABLE, SECRET_KEY_VARIABLE};

/// Prefixes of the environment variables in which Tenbin receives secrets. Targets do not inherit
/// these variables.
const OWN_SECRETS: [&str; 7] = [
    ACCESS_KEY_VARIABLE, SECRET_KEY_VARIABLE, "TENBIN_SESSION_TOKEN", "TENBIN_HEADER_",
    "TENBIN_ENV_", "TENBIN_QUERY_", "TENBIN_BODY_",
];

/// Returns the settings that launch a built-in server, as if the plan contained them.
///
/// `memory`: limit of the total size of the objects in an in-memory store, bytes.
pub(super) fn builtin(builtin: Builtin, memory: Option<u64>, exe: &Path) -> Launch {
    let (kind, extra): (_, &[&str]) = match builtin {
        Builtin::Http => ("http", &[]),
        Builtin::HttpOneWorker => ("truth", &["--service", "fixed:5ms", "--workers", "1"]),
        Builtin::HttpFourWorkers => ("truth", &["--service", "fixed:5ms", "--workers", "4"]),
        Builtin::S3Memory => ("s3", &[]),
        Builtin::S3Durable => ("s3", &["--durable", "{data}"]),
        Builtin::BlobOneWorker => ("blob", &["--delay", "5ms", "--max-in-flight", "1"]),
        Builtin::BlobFourWorkers => ("blob", &["--delay", "5ms", "--max-in-flight", "4"]),
        // Never launched: the dummy has no server.
        Builtin::Blob | Builtin::Dummy => ("blob", &[]),
    };
    let exe = exe.display().to_string();
    let command = [exe.as_str(), "serve", kind, "--listen", "127.0.0.1:{port}"]
        .iter()
        .chain(extra)
        .map(|&word| word.to_owned())
        .chain(
            memory
                .into_iter()
                .flat_map(|bytes| ["--memory".to_owned(), bytes.to_string()]),
        )
        .collect();
    let env = match builtin {
        Builtin::S3Memory | Builtin::S3Durable => BTreeMap::from([
            (ACCESS_KEY_VARIABLE.to_owned(), "{access_key}".to_owned()),
            (SECRET_KEY_VARIABLE.to_owned(), "{secret_key}".to_owned()),
        ]),
        _ => BTreeMap::new(),
    };
    Launch {
        command,
        nodes: Vec::new(),
        env,
        directory: None,
        url: "http://127.0.0.1:{port}/".into(),
        ready: Ready::Port,
        // An invalid setting is reported when the guard starts.
        ready_within: helper_time::limit().unwrap_or(Duration::from_secs(60)),
        stop_within: Duration::from_secs(3),
    }
}

/// Fails if the command line, the URL or the readiness condition contains the secret key. Other
/// users can see the command line and the URL, and progress messages show the readiness condition.
pub(super) fn refuse_exposed_secrets(target: &str, launch: &Launch) -> Result<(), TargetError> {
    let ready = match &launch.ready {
        Ready::Port => "",
        Ready::Url(text) | Ready::Log(text) => text,
    };
    let exposed = |text: &str| text.contains("{secret_key}");
    let place = if launch.command.iter().any(|word| exposed(word)) {
        "command"
    } else if exposed(&launch.url) {
        "url"
    } else if exposed(ready) {
        "ready"
    } else {
        return Ok(());
    };
    Err(TargetError::ExposedSecret {
        target: target.to_owned(),
        place,
    })
}

/// The credentials of the plan; generated credentials if the plan has no credentials but the launch
/// uses `{access_key}` or `{secret_key}`.
pub(super) fn credentials(target: &Target, launch: &Launch) -> Option<Credentials> {
    let mentioned =
        texts(launch).any(|text| text.contains("{access_key}") || text.contains("{secret_key}"));
    target
        .credentials
        .clone()
        .or_else(|| mentioned.then(|| Credentials::generated(random_text(20), random_text(40))))
}

/// Whether the launch uses the placeholder of the data directory.
pub(super) fn wants_data(launch: &Launch) -> bool {
    texts(launch).any(|text| text.contains("{data}"))
}

fn texts(launch: &Launch) -> impl Iterator<Item = &str> {
    let ready = match &launch.ready {
        Ready::Port => None,
        Ready::Url(text) | Ready::Log(text) => Some(text),
    };
    launch
        .command
        .iter()
        .chain(launch.env.values())
        .chain([&launch.url])
        .chain(ready)
        .map(String::as_str)
}

fn random_text(length: usize) -> String {
    rand::rng()
        .sample_iter(Alphanumeric)
        .take(length)
        .map(char::from)
        .collect()
}

/// An IP address as written in a URL: IPv6 addresses in brackets.
pub(super) fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// Parses a URL whose placeholders have been replaced.
pub(super) fn url(target: &str, text: &str) -> Result<Url, TargetError> {
    let unusable = |reason: Sentence| TargetError::Url {
        target: target.to_owned(),
        url: text.to_owned(),
        reason,
    };
    let url = Url::parse(text).map_err(|error| unusable(Sentence::verbatim(error)))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(unusable(sentence!(
            "scheme-not-supported",
            "{other} is not supported, only http and https",
            other
        ))),
    }
}

/// Builds the command that starts a target under a guard, with environment and output.
pub(super) fn under_guard(
    target: &str,
    launch: &Launch,
    values: &Placeholders,
    context: &LaunchContext<'_>,
    output: PipeWriter,
) -> Result<Command, TargetError> {
    let directory = directory(launch, context);
    let env: BTreeMap<&String, String> = launch
        .env
        .iter()
        .map(|(name, value)| (name, values.fill(value)))
        .collect();
    let words: Vec<String> = launch
        .command
        .iter()
        .map(|word| values.fill(word))
        .collect();
    let (first, args) = words.split_first().ok_or_else(|| TargetError::Program {
        target: target.to_owned(),
        reason: sentence!("command-empty", "its command is empty"),
    })?;
    let path = env
        .get(&"PATH".to_owned())
        .map(OsString::from)
        .or_else(|| std::env::var_os("PATH"));
    let program = find_in(first, path.as_deref(), &directory, target)?;
    let errors = output.try_clone().map_err(|error| TargetError::Start {
        target: target.to_owned(),
        reason: (&error).into(),
    })?;

    let mut command = Command::new(context.guard_exe);
    command
        .arg("guard")
        .arg("--grace")
        .arg(format!("{}ms", launch.stop_within.as_millis()));
    if wants_data(launch) {
        command.arg("--data").arg(&values.data);
    }
    command
        .arg("--")
        .arg(program)
        .args(args)
        .current_dir(directory)
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors));
    for (name, _) in std::env::vars_os() {
        let is_ours = |start: &str| name.as_encoded_bytes().starts_with(start.as_bytes());
        if OWN_SECRETS.iter().any(|start| is_ours(start)) {
            command.env_remove(name);
        }
    }
    command.envs(env);
    Ok(command)
}

fn directory(launch: &Launch, context: &LaunchContext<'_>) -> PathBuf {
    match &launch.directory {
        Some(directory) => context.plan_dir.join(directory),
        None => context.plan_dir.to_owned(),
    }
}

fn find_in(
    program: &str,
    path: Option<&OsStr>,
    directory: &Path,
    target: &str,
) -> Result<PathBuf, TargetError> {
    let fail = |reason| TargetError::Program {
        target: target.to_owned(),
        reason,
    };
    // Absolute, because the guard starts in `directory`.
    let directory = directory.canonicalize().map_err(|error| {
        fail(sentence!(
            "no-working-directory",
            "its working directory {directory} cannot be used: {error}",
            directory = directory.display(),
            error
        ))
    })?;
    program::find(program, path, &directory).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_plan::Reach;

    fn target(launch: Launch, credentials: Option<Credentials>) -> Target {
        Target {
            credentials,
            ..Target::new("t", Reach::Launched(launch))
        }
    }

    #[test]
    fn credentials_are_generated_only_for_launches_that_use_them() {
        let durable = builtin(Builtin::S3Durable, None, Path::new("/x/tenbin"));
        let plain = builtin(Builtin::Http, None, Path::new("/x/tenbin"));
        let made = credentials(&target(durable.clone(), None), &durable).unwrap();
        assert_eq!(made.secret_key.reveal().len(), 40);
        assert!(credentials(&target(plain.clone(), None), &plain).is_none());
        assert!(wants_data(&durable) && !wants_data(&plain));

        let given = Credentials::literal("A", "S");
        let kept = credentials(&target(durable.clone(), Some(given)), &durable).unwrap();
        assert_eq!(kept.secret_key.reveal(), "S");
    }

    #[test]
    fn a_secret_on_the_command_line_is_refused() {
        let mut launch = builtin(Builtin::Http, None, Path::new("/x/tenbin"));
        assert!(refuse_exposed_secrets("t", &launch).is_ok());
        launch.command.push("--secret={secret_key}".into());
        let error = refuse_exposed_secrets("t", &launch)
            .unwrap_err()
            .to_string();
        assert!(error.contains("{secret_key} in its command"), "{error}");
    }
}
