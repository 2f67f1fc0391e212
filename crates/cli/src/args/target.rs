//! The systems under test.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, Builtin, Entries, Field, List, Place, ReadyDraft, Refusal, Scalar, TargetDraft,
};

use super::connection::ConnectionArgs;
use super::keys;
use super::observed::ObservedArgs;
use super::problem;
use super::set;

/// The systems under test, in the order in which they were given.
pub struct TargetArgs {
    flags: TargetFlags,
    way: ConnectionArgs,
    observed: ObservedArgs,
    /// Position on the command line of each `--target`, `--launch` and `--builtin`.
    positions: [Vec<usize>; 3],
}

#[derive(Args)]
#[command(next_help_heading = "Targets (the first is the baseline, or --baseline)")]
struct TargetFlags {
    /// A server that already runs, by URL; the name is optional. http://db{1...4}:9000 stands for
    /// four hosts that share the load
    #[arg(long, value_name = "[NAME=]URL")]
    target: Vec<Endpoint>,
    /// A server that Tenbin starts and stops, by command line. {port} stands for a free port,
    /// {data} for an empty directory, {access_key} for the access key
    #[arg(long, value_name = "NAME=COMMAND")]
    launch: Vec<Named>,
    /// One of the built-in servers: http, s3-memory, s3-durable or blob; or dummy, which is no server:
    /// its operations end at once
    #[arg(long, value_name = "NAME=KIND")]
    builtin: Vec<Named>,
    /// Memory limit for the objects of s3-memory or the blobs of a built-in blob server, for
    /// example 4GiB; a PUT beyond the limit gets 507 [default: half of the free memory, divided by
    /// the number of such servers]
    #[arg(long, value_name = "[NAME=]SIZE")]
    builtin_memory: Vec<String>,
    /// Version of a server, for the report; Tenbin does not request it from the server
    #[arg(long, value_name = "[NAME=]TEXT")]
    server_version: Vec<String>,
    /// URL of a launched server [default: http://127.0.0.1:{port}/]
    #[arg(long, value_name = "NAME=URL")]
    launch_url: Vec<Named>,
    /// Environment variable for a launched server, repeatable; {secret_key} stands for the secret
    /// key
    #[arg(long, value_name = "NAME=VARIABLE=VALUE")]
    launch_env: Vec<Named>,
    /// Working directory of a launched server [default: this one]
    #[arg(long, value_name = "NAME=DIR")]
    launch_dir: Vec<Named>,
    /// Readiness check of a launched server: port, url:URL or log:TEXT [default: port]
    #[arg(long, value_name = "NAME=HOW")]
    ready: Vec<Named>,
    /// Longest time for a launched server to become ready [default: 30s]
    #[arg(long, value_name = "NAME=TIME")]
    ready_within: Vec<Named>,
    /// Longest time for a launched server to stop before it is killed [default: 10s]
    #[arg(long, value_name = "NAME=TIME")]
    stop_within: Vec<Named>,
}

const ORDERED: [&str; 3] = ["target", "launch", "builtin"];

impl Args for TargetArgs {
    fn augment_args(command: Command) -> Command {
        let command = ConnectionArgs::augment_args(TargetFlags::augment_args(command));
        ObservedArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        let command = TargetFlags::augment_args_for_update(command);
        let command = ConnectionArgs::augment_args_for_update(command);
        ObservedArgs::augment_args_for_update(command)
    }
}

// Implemented by hand, because the derive loses the order of different flags, and the first
// target is the baseline.
impl FromArgMatches for TargetArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let position = |id| matches.indices_of(id).into_iter().flatten().collect();
        Ok(Self {
            positions: ORDERED.map(position),
            flags: TargetFlags::from_arg_matches(matches)?,
            way: ConnectionArgs::from_arg_matches(matches)?,
            observed: ObservedArgs::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `NAME=VALUE`.
#[derive(Clone)]
struct Named {
    name: String,
    value: String,
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err("write the name of the target and an equals sign before it".to_owned()),
        }
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
        // A URL's query may contain an equals sign too.
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
    /// The targets in the order given.
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
        let mut drafts: Vec<_> = drafts.into_iter().map(|(_, draft)| draft).collect();
        self.give_memory(&mut drafts)?;
        let names: Vec<String> = drafts.iter().filter_map(keys::name).collect();
        for target in &mut drafts {
            let own = keys::name(target);
            let version = keys::value_for(&self.flags.server_version, own.as_deref(), &names);
            set(
                &mut target.value.version,
                "--server-version",
                version.as_deref(),
            );
        }
        self.way.apply(&mut drafts)?;
        self.observed.apply(&mut drafts)?;
        Ok(drafts)
    }

    /// Sets the memory limits of the built-in in-memory stores.
    fn give_memory(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        const FLAG: &str = "--builtin-memory";
        let names: Vec<String> = targets.iter().filter_map(keys::name).collect();
        let values = &self.flags.builtin_memory;
        let mut used = false;
        for target in targets.iter_mut() {
            let own = keys::name(target);
            let by_name = values
                .iter()
                .filter_map(|value| keys::named(value, &names))
                .any(|(name, _)| Some(name) == own.as_deref());
            // A value for all targets does not apply to servers without in-memory data.
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
        match values.is_empty() || used {
            true => Ok(()),
            false => Err(problem(format!(
                "{FLAG}: no target keeps its data in memory; it is for --builtin NAME=s3-memory and \
                 NAME=blob"
            ))),
        }
    }

    /// Options of each launched target, by name.
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
        type Put = fn(&mut TargetDraft, &str) -> Result<(), String>;
        let companions: [(&str, &Vec<Named>, Put); 6] = [
            ("--launch-url", &flags.launch_url, |draft, value| {
                put(&mut draft.url, "--launch-url", value)
            }),
            ("--launch-env", &flags.launch_env, add_variable),
            ("--launch-dir", &flags.launch_dir, |draft, value| {
                put(&mut draft.directory, "--launch-dir", value)
            }),
            ("--ready", &flags.ready, |draft, value| {
                draft.ready = Some(At::flag("--ready", ready(value)?));
                Ok(())
            }),
            ("--ready-within", &flags.ready_within, |draft, value| {
                put(&mut draft.ready_within, "--ready-within", value)
            }),
            ("--stop-within", &flags.stop_within, |draft, value| {
                put(&mut draft.stop_within, "--stop-within", value)
            }),
        ];
        for (flag, values, put) in companions {
            for Named { name, value } in values {
                let known = known_names(&drafts);
                let draft = drafts.get_mut(name).ok_or_else(|| {
                    problem(format!(
                        "{flag}: no --launch gives a target called {name:?}{known}"
                    ))
                })?;
                put(draft, value).map_err(|message| problem(format!("{flag}: {message}")))?;
            }
        }
        Ok(drafts)
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

/// A target that is a built-in server, for commands with fixed targets.
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

fn put(field: &mut Field, flag: &'static str, value: &str) -> Result<(), String> {
    set(field, flag, Some(value));
    Ok(())
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
