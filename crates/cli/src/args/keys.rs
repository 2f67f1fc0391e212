//! S3 credentials.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{At, Key, Refusal, Scalar, Secret, Section as _, TargetDraft};

use super::flags::{self, PerTarget};

/// S3 credentials. Must never be printed, because they contain secrets.
pub struct KeyArgs(PerTarget);

const HEADING: &str = "Credentials (generated for servers that Tenbin starts)";

const KEYS: &[&str] = &[
    "access_key",
    "secret_key",
    "secret_key_file",
    "session_token",
    "session_token_file",
    "signature",
    "region",
];

fn keys() -> impl Iterator<Item = &'static Key> {
    let keys = TargetDraft::KEYS.iter();
    keys.filter(|key| KEYS.contains(&key.name))
}

impl Args for KeyArgs {
    fn augment_args(command: Command) -> Command {
        flags::add(command, HEADING, keys())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for KeyArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(PerTarget::read(matches, keys())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl KeyArgs {
    /// Copies the credentials into the targets that they apply to.
    pub(super) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.0.refuse_strangers(&names)?;
        for target in targets {
            let own_name = name(target);
            let find = |flag| value_for(self.0.of(flag), own_name.as_deref(), &names);
            let draft = &mut target.value;
            let given =
                keys().flat_map(|key| key.flags.iter().flatten().map(move |flag| (key, flag)));
            for (key, flag) in given.filter(|(_, flag)| flag.name != "--anonymous") {
                if let Some(value) = find(flag.name) {
                    draft.set(key.name, flag.name, vec![value.into()]);
                }
            }
            draft.access_key = find("--access-key").map(|key| secret("--access-key", key));
            if draft.secret_key_file.is_none() {
                draft.secret_key = find("--secret-key").map(|key| secret("--secret-key", key));
            }
            if draft.session_token_file.is_none() {
                let token = find("--session-token");
                draft.session_token = token.map(|token| secret("--session-token", token));
            }
            let unsigned = |whose: &String| whose.is_empty() || Some(whose) == own_name.as_ref();
            if self.0.of("--anonymous").iter().any(unsigned) {
                draft.set("signature", "--anonymous", vec!["none".into()]);
                if draft.command.is_none() {
                    // An anonymous target ignores the given credentials, which are for other
                    // targets. A target that Tenbin starts still gets generated credentials.
                    draft.access_key = None;
                    draft.secret_key = None;
                    draft.secret_key_file = None;
                    draft.session_token = None;
                    draft.session_token_file = None;
                }
            }
        }
        Ok(())
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

/// The last value that names `target`, otherwise the last value without a name. Text before an
/// equals sign is a name only if a target has that name, because keys can contain equals signs.
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

/// All values that name `target` and all values without a name, in the given order.
pub(super) fn values_for(values: &[String], target: Option<&str>, names: &[String]) -> Vec<String> {
    let meant = |value: &String| match named(value, names) {
        Some((name, value)) => (Some(name) == target).then(|| value.to_owned()),
        None => Some(value.clone()),
    };
    values.iter().filter_map(meant).collect()
}

/// Splits `NAME=REST` into the name of a target and the rest; `None` if no target has that name.
pub(super) fn named<'a>(value: &'a str, names: &[String]) -> Option<(&'a str, &'a str)> {
    let (name, rest) = value.split_once('=')?;
    let is_known = names.iter().any(|known| known == name);
    is_known.then_some((name, rest))
}
