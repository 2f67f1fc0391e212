//! S3 credentials.

use clap::Args;
use tenbin_plan::{At, Scalar, Secret, TargetDraft};

use super::set;

/// S3 credentials. Contains secrets: never print.
#[derive(Args)]
#[command(next_help_heading = "Credentials (generated for servers that Tenbin starts)")]
pub struct KeyArgs {
    /// Access key, for all targets or for one
    #[arg(
        long,
        value_name = "[NAME=]KEY",
        env = "TENBIN_ACCESS_KEY",
        hide_env_values = true
    )]
    access_key: Vec<String>,
    /// Secret key, for all targets or for one; better in the environment or in a file, since
    /// every user of the machine can read command lines
    #[arg(
        long,
        value_name = "[NAME=]KEY",
        env = "TENBIN_SECRET_KEY",
        hide_env_values = true
    )]
    secret_key: Vec<String>,
    /// File that holds the secret key, for all targets or for one; wins over --secret-key
    #[arg(long, value_name = "[NAME=]FILE")]
    secret_key_file: Vec<String>,
    /// Token of the session that the keys are good for, for all targets or for one; better in
    /// the environment or in a file
    #[arg(
        long,
        value_name = "[NAME=]TOKEN",
        env = "TENBIN_SESSION_TOKEN",
        hide_env_values = true
    )]
    session_token: Vec<String>,
    /// File that holds the session token; wins over --session-token
    #[arg(long, value_name = "[NAME=]FILE")]
    session_token_file: Vec<String>,
    /// How requests are signed, for all targets or for one: v4, v2 (for old servers) or none
    /// [default: v4]
    #[arg(long, value_name = "[NAME=]VERSION")]
    signature: Vec<String>,
    /// Send requests unsigned, to all targets or to the one named: as --signature none
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with = "signature"
    )]
    anonymous: Vec<String>,
    /// Region, for all targets or for one [default: us-east-1]
    #[arg(long, value_name = "[NAME=]REGION")]
    region: Vec<String>,
}

impl KeyArgs {
    /// Copies the credentials into the targets that they apply to.
    pub(super) fn apply(&self, targets: &mut [At<TargetDraft>]) {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        for target in targets {
            let own_name = name(target);
            let find = |values: &[String]| value_for(values, own_name.as_deref(), &names);
            let draft = &mut target.value;
            draft.access_key = find(&self.access_key).map(|key| secret("--access-key", key));
            set(
                &mut draft.secret_key_file,
                "--secret-key-file",
                find(&self.secret_key_file).as_deref(),
            );
            if draft.secret_key_file.is_none() {
                draft.secret_key = find(&self.secret_key).map(|key| secret("--secret-key", key));
            }
            set(
                &mut draft.session_token_file,
                "--session-token-file",
                find(&self.session_token_file).as_deref(),
            );
            if draft.session_token_file.is_none() {
                draft.session_token =
                    find(&self.session_token).map(|token| secret("--session-token", token));
            }
            set(
                &mut draft.signature,
                "--signature",
                find(&self.signature).as_deref(),
            );
            let unsigned = |whose: &String| whose.is_empty() || Some(whose) == own_name.as_ref();
            if self.anonymous.iter().any(unsigned) {
                set(&mut draft.signature, "--anonymous", Some("none"));
                if draft.command.is_none() {
                    // The credentials are for other targets; a target started by Tenbin still
                    // gets its own.
                    draft.access_key = None;
                    draft.secret_key = None;
                    draft.secret_key_file = None;
                    draft.session_token = None;
                    draft.session_token_file = None;
                }
            }
            set(&mut draft.region, "--region", find(&self.region).as_deref());
        }
    }
}

/// The name of a target, if given.
pub(super) fn name(target: &At<TargetDraft>) -> Option<String> {
    match &target.value.name.as_ref()?.value {
        Scalar::Text(name) => Some(name.clone()),
        _ => None,
    }
}

fn secret(flag: &'static str, key: String) -> At<Secret> {
    At::flag(flag, Secret::new(key))
}

/// The last value for `target` by name, otherwise the last value for all targets. Text before an
/// equals sign is a name only if a target has that name: keys may contain equals signs.
pub(super) fn value_for(
    values: &[String],
    target: Option<&str>,
    names: &[String],
) -> Option<String> {
    let own = values
        .iter()
        .rev()
        .filter_map(|value| named(value, names))
        .find(|&(name, _)| Some(name) == target)
        .map(|(_, value)| value.to_owned());
    let general = || {
        let mut all = values.iter().rev();
        all.find(|value| named(value, names).is_none())
    };
    own.or_else(|| general().cloned())
}

/// All values for `target` by name and all values for every target, in the given order.
pub(super) fn values_for(values: &[String], target: Option<&str>, names: &[String]) -> Vec<String> {
    let meant = |value: &String| match named(value, names) {
        Some((name, value)) => (Some(name) == target).then(|| value.to_owned()),
        None => Some(value.clone()),
    };
    values.iter().filter_map(meant).collect()
}

/// Splits a value into the name of its target and the rest.
pub(super) fn named<'a>(value: &'a str, names: &[String]) -> Option<(&'a str, &'a str)> {
    let (name, rest) = value.split_once('=')?;
    let is_known = names.iter().any(|known| known == name);
    is_known.then_some((name, rest))
}
