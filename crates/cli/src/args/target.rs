//! The systems under test.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, Builtin, Entries, Field, Key, List, Place, ReadyDraft, Refusal, Scalar, Section as _,
    TargetDraft,
};

use super::connection::ConnectionArgs;
use super::flags::{self, Named, PerTarget};
use super::keys;
use super::observed::ObservedArgs;
use super::problem;
use super::set;

/// The systems under test, in the order of the command line.
pub struct TargetArgs {
    flags: TargetFlags,
    /// URL of the only target, as an argument without a flag ([`UrlOrTargets`]).
    url: Option<String>,
    settings: PerTarget,
    /// Values of flags for targets that Tenbin starts.
    launched: Vec<(&'static str, Vec<Named>)>,
    connections: ConnectionArgs,
    observed: ObservedArgs,
    /// Position on the command line of each `--target`, `--launch` and `--builtin`.
    positions: [Vec<usize>; 3],
}

#[derive(Args)]
#[command(next_help_heading = "Targets (the first is the baseline, unless --baseline is given)")]
struct TargetFlags {
    /// URL of a running server, repeatable. NAME is the name of the server in the report.
    /// http://db{1...4}:9000 is one target with four hosts that share the load
    #[arg(long, value_name = "[NAME=]URL")]
    target: Vec<Endpoint>,
    /// Command line of a server that Tenbin starts and stops, repeatable. Tenbin replaces {port}
    /// with a free port, {data} with an empty directory and {access_key} with the S3 access key
    #[arg(long, value_name = "NAME=COMMAND")]
    launch: Vec<Named>,
    /// Start a built-in server, repeatable: http, s3-memory (keeps objects in memory), s3-durable
    /// (syncs objects to disk) or blob. For `tenbin blob` also dummy: no server and no requests,
    /// every operation completes at once
    #[arg(long, value_name = "NAME=KIND")]
    builtin: Vec<Named>,
}

/// Plan keys whose flags are listed under the heading of the targets.
const KEYS: &[&str] = &[
    "memory",
    "version",
    "url",
    "env",
    "directory",
    "ready",
    "ready_within",
    "stop_within",
];

/// Flags for targets that Tenbin starts; each value begins with the name of the target.
const OF_LAUNCHED: &[&str] = &[
    "--launch-url",
    "--launch-env",
    "--launch-dir",
    "--ready",
    "--ready-within",
    "--stop-within",
];

const HEADING: &str = "Targets (the first is the baseline, unless --baseline is given)";

fn keys() -> impl Iterator<Item = &'static Key> {
    let find = |name: &&str| TargetDraft::KEYS.iter().find(|key| key.name == *name);
    KEYS.iter().filter_map(find)
}

const ORDERED: [&str; 3] = ["target", "launch", "builtin"];

impl Args for TargetArgs {
    fn augment_args(command: Command) -> Command {
        let command = flags::add(TargetFlags::augment_args(command), HEADING, keys());
        let command = ConnectionArgs::augment_args(command);
        ObservedArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

// Implemented by hand because the first target is the baseline: the derive loses the order between
// different flags.
impl FromArgMatches for TargetArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let position = |id| matches.indices_of(id).into_iter().flatten().collect();
        Ok(Self {
            positions: ORDERED.map(position),
            flags: TargetFlags::from_arg_matches(matches)?,
            url: given_url(matches),
            settings: PerTarget::read(matches, keys()),
            launched: OF_LAUNCHED
                .iter()
                .map(|flag| (*flag, flags::of_targets(matches, flag)))
                .collect(),
            connections: ConnectionArgs::from_arg_matches(matches)?,
            observed: ObservedArgs::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The id of the positional URL.
const URL: &str = "url";

/// The URL of the only target; `None` for commands that have no positional URL.
fn given_url(matches: &ArgMatches) -> Option<String> {
    // For an undeclared argument, clap returns an error in a debug build.
    matches.try_get_one::<String>(URL).ok().flatten().cloned()
}

/// The systems under test, where the only target can also be a URL without a flag. The URL is an
/// endpoint like those of `--target`, so that every flag for targets applies to it.
pub struct UrlOrTargets(pub TargetArgs);

impl Args for UrlOrTargets {
    fn augment_args(command: Command) -> Command {
        let url = Arg::new(URL)
            .value_name("URL")
            .conflicts_with_all(ORDERED)
            .help("URL of the server to measure; to compare several servers, use --target");
        TargetArgs::augment_args(command.arg(url))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for UrlOrTargets {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        TargetArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// `NAME=URL` or `URL`.
#[derive(Clone)]
struct Endpoint {
    name: Option<String>,
    url: String,
}

impl FromStr for Endpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // An equals sign can also be in the query of a URL.
        Ok(match text.split_once('=') {
            Some((name, url)) if !name.contains([':', '/']) => Self {
                name: Some(name.to_owned()),
                url: url.to_owned(),
            },
            _ => Self {
                name: None,
                url: text.to_owned(),
            },
        })
    }
}

impl TargetArgs {
    /// The targets in the order of the command line.
    pub(super) fn drafts(&self) -> Result<Vec<At<TargetDraft>>, Refusal> {
        let mut launched = self.launched()?;
        let endpoints = self.flags.target.iter().map(endpoint);
        let launches = self.flags.launch.iter().map(|launch| {
            let draft = launched.remove(&launch.name).unwrap_or_default();
            At::flag("--launch", draft)
        });
        let builtins = self.flags.builtin.iter().map(builtin);
        let mut drafts: Vec<(usize, At<TargetDraft>)> = Vec::new();
        drafts.extend(self.positions[0].iter().copied().zip(endpoints));
        drafts.extend(self.positions[1].iter().copied().zip(launches));
        drafts.extend(self.positions[2].iter().copied().zip(builtins));
        drafts.sort_by_key(|&(position, _)| position);
        let only = self.url.as_deref().map(|url| {
            At::nowhere(TargetDraft {
                url: Some(At::nowhere(url)),
                ..TargetDraft::default()
            })
        });
        let drafts = drafts.into_iter().map(|(_, draft)| draft);
        let mut drafts: Vec<_> = only.into_iter().chain(drafts).collect();
        self.give_memory(&mut drafts)?;
        let names: Vec<String> = drafts.iter().filter_map(keys::name).collect();
        for target in &mut drafts {
            let own = keys::name(target);
            let version =
                keys::value_for(self.settings.of("--server-version"), own.as_deref(), &names);
            set(
                &mut target.value.version,
                "--server-version",
                version.as_deref(),
            );
        }
        self.connections.apply(&mut drafts)?;
        self.observed.apply(&mut drafts)?;
        Ok(drafts)
    }

    /// Sets the memory limits of `s3-memory` and `blob` targets from `--builtin-memory`.
    fn give_memory(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        const FLAG: &str = "--builtin-memory";
        let names: Vec<String> = targets.iter().filter_map(keys::name).collect();
        let values = self.settings.of(FLAG);
        let mut used = false;
        for target in targets.iter_mut() {
            let own = keys::name(target);
            let by_name = values
                .iter()
                .filter_map(|value| keys::named(value, &names))
                .any(|(name, _)| Some(name) == own.as_deref());
            // A value for all targets applies only to servers that keep data in memory.
            let keeps = self.flags.builtin.iter().any(|server| {
                Some(&server.name) == own.as_ref()
                    && matches!(server.value.as_str(), "s3-memory" | "blob")
            });
            if by_name || keeps {
                let size = keys::value_for(values, own.as_deref(), &names);
                used |= size.is_some();
                set(&mut target.value.memory, FLAG, size.as_deref());
            }
        }
        if values.is_empty() || used {
            Ok(())
        } else {
            Err(problem(format!(
                "{FLAG}: no target keeps its data in memory; it is for --builtin NAME=s3-memory and \
             NAME=blob"
            )))
        }
    }

    /// The targets of `--launch`, by name.
    fn launched(&self) -> Result<BTreeMap<String, TargetDraft>, Refusal> {
        let flags = &self.flags;
        let mut drafts = BTreeMap::new();
        for launch in &flags.launch {
            let draft = TargetDraft {
                name: text("--launch", &launch.name),
                command: Some(At::flag(
                    "--launch",
                    List::One(launch.value.as_str().into()),
                )),
                ..TargetDraft::default()
            };
            if drafts.insert(launch.name.clone(), draft).is_some() {
                return Err(problem(format!(
                    "--launch: there are two targets called {:?}",
                    launch.name
                )));
            }
        }
        for (flag, values) in &self.launched {
            for Named { name, value } in values {
                let known = known_names(&drafts);
                let draft = drafts.get_mut(name).ok_or_else(|| {
                    problem(format!(
                        "{flag}: no --launch gives a target called {name:?}{known}"
                    ))
                })?;
                set_launched(draft, flag, value)
                    .map_err(|message| problem(format!("{flag}: {message}")))?;
            }
        }
        Ok(drafts)
    }
}

/// Sets the plan key of one of the [`OF_LAUNCHED`] flags.
fn set_launched(draft: &mut TargetDraft, flag: &'static str, value: &str) -> Result<(), String> {
    match flag {
        "--launch-env" => add_variable(draft, value),
        "--ready" => {
            draft.ready = Some(At::flag(flag, ready(value)?));
            Ok(())
        }
        _ => {
            let has_flag = |key: &&Key| key.flags.iter().flatten().any(|it| it.name == flag);
            if let Some(key) = TargetDraft::KEYS.iter().find(has_flag) {
                draft.set(key.name, flag, vec![value.into()]);
            }
            Ok(())
        }
    }
}

fn known_names(drafts: &BTreeMap<String, TargetDraft>) -> String {
    if drafts.is_empty() {
        return String::new();
    }
    let names: Vec<String> = drafts.keys().map(|name| format!("{name:?}")).collect();
    format!("; there is {}", names.join(", "))
}

fn endpoint(endpoint: &Endpoint) -> At<TargetDraft> {
    let mut draft = TargetDraft::default();
    set(&mut draft.name, "--target", endpoint.name.as_deref());
    draft.url = text("--target", &endpoint.url);
    At::flag("--target", draft)
}

fn builtin(builtin: &Named) -> At<TargetDraft> {
    At::flag(
        "--builtin",
        TargetDraft {
            name: text("--builtin", &builtin.name),
            builtin: text("--builtin", &builtin.value),
            ..TargetDraft::default()
        },
    )
}

/// A target with a built-in server, for commands with predefined targets.
pub(super) fn own(name: &str, builtin: Builtin) -> At<TargetDraft> {
    At {
        place: Place::Nowhere,
        value: TargetDraft {
            name: Some(At::nowhere(name)),
            builtin: Some(At::nowhere(builtin.name())),
            ..TargetDraft::default()
        },
    }
}

fn add_variable(draft: &mut TargetDraft, assignment: &str) -> Result<(), String> {
    let (variable, value) = assignment.split_once('=').ok_or_else(|| {
        "write the name of the target, the variable and its value: NAME=VARIABLE=VALUE".to_owned()
    })?;
    let env = draft
        .env
        .get_or_insert_with(|| At::flag("--launch-env", Entries::default()));
    let value: At<Scalar> = At::flag("--launch-env", value);
    env.value.0.push((variable.to_owned(), value));
    Ok(())
}

fn ready(how: &str) -> Result<ReadyDraft, String> {
    let mut ready = ReadyDraft::default();
    match how.split_once(':') {
        None if how == "port" => ready.port = Some(At::flag("--ready", true)),
        Some(("url", url)) => ready.url = text("--ready", url),
        Some(("log", line)) => ready.log = text("--ready", line),
        _ => return Err(format!("{how:?} is not one of port, url:URL and log:TEXT")),
    }
    Ok(ready)
}

fn text(flag: &'static str, value: &str) -> Field {
    Some(At::flag(flag, value))
}
