//! The systems under test.

use std::collections::BTreeMap;
use std::str::FromStr;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, Builtin, Field, List, Place, Refusal, Sentence, TARGETS, TargetDraft, sentence,
};

use super::connection::ConnectionArgs;
use super::observed::ObservedArgs;
use super::per_target::{PerTarget, TargetGroup};
use crate::args::flags::Named;
use crate::args::problem;
use crate::args::set;

/// The systems under test, in the order of the command line.
pub struct TargetArgs {
    flags: TargetFlags,
    /// URL of the only target, as an argument without a flag ([`UrlOrTargets`]).
    url: Option<String>,
    settings: PerTarget<Settings>,
    connections: ConnectionArgs,
    observed: ObservedArgs,
    /// Position on the command line of each `--target`, `--launch` and `--builtin`.
    positions: [Vec<usize>; 3],
}

#[derive(Args)]
#[command(next_help_heading = TARGETS)]
struct TargetFlags {
    /// URL of a running server, repeatable. NAME is the name of the server in the report.
    /// http://db{1...4}:9000 is one target with four hosts that share the load
    #[arg(long, value_name = "[NAME=]URL")]
    target: Vec<Endpoint>,
    /// Command line of a server that Tenbin starts and stops, repeatable. Tenbin replaces {port}
    /// with a free port, {data} with an empty directory and {access_key} with the S3 access key. NAME
    /// can be left out once [default: server]
    #[arg(long, value_name = "[NAME=]COMMAND", value_parser = launched)]
    launch: Vec<Named>,
    /// Start a built-in server, repeatable: http, s3-memory (keeps objects in memory), s3-durable
    /// (syncs objects to disk) or blob; with 5 ms for each request http-1-worker, http-4-workers,
    /// blob-1-worker or blob-4-workers. For `tenbin blob` also dummy: no server and no requests,
    /// every operation completes at once
    #[arg(long, value_name = "NAME=KIND")]
    builtin: Vec<Named>,
}

/// The other flags of targets under the same heading.
struct Settings;

impl TargetGroup for Settings {
    const HEADING: &'static str = TARGETS;
}

const ORDERED: [&str; 3] = ["target", "launch", "builtin"];

impl Args for TargetArgs {
    fn augment_args(command: Command) -> Command {
        let command = PerTarget::<Settings>::augment_args(TargetFlags::augment_args(command));
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
            settings: PerTarget::from_arg_matches(matches)?,
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

/// The name of the server of a `--launch` without a name.
const UNNAMED: &str = "server";

/// Reads `NAME=COMMAND` or `COMMAND`. An equals sign can also be in the arguments of the command.
fn launched(text: &str) -> Result<Named, Sentence> {
    let named = text.split_once('=').filter(|(name, _)| {
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "/.{".contains(c))
    });
    let (name, value) = named.unwrap_or((UNNAMED, text));
    if value.trim().is_empty() {
        return Err(sentence!(
            "write-command-line",
            "write the command line of the server"
        ));
    }
    Ok(Named {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

/// `NAME=URL` or `URL`.
#[derive(Clone)]
struct Endpoint {
    name: Option<String>,
    url: String,
}

impl FromStr for Endpoint {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
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
    pub(crate) fn drafts(&self) -> Result<Vec<At<TargetDraft>>, Refusal> {
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
        self.settings.give_all(&mut drafts)?;
        self.connections.apply(&mut drafts)?;
        self.observed.apply(&mut drafts)?;
        Ok(drafts)
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
                return Err(problem(sentence!(
                    "launch-twice",
                    "--launch: there are two targets called {name:?}",
                    name = launch.name
                )));
            }
        }
        for (flag, Named { name, .. }) in self.settings.launched() {
            if !drafts.contains_key(name) {
                let known = known_names(&drafts);
                return Err(problem(sentence!(
                    "no-launch-called",
                    "{flag}: no --launch gives a target called {name:?}{known}",
                    flag,
                    name,
                    known
                )));
            }
        }
        Ok(drafts)
    }
}

fn known_names(drafts: &BTreeMap<String, TargetDraft>) -> Sentence {
    if drafts.is_empty() {
        return Sentence::default();
    }
    let names: Vec<String> = drafts.keys().map(|name| format!("{name:?}")).collect();
    sentence!("there-is", "; there is {names}", names = names.join(", "))
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
pub(crate) fn own(name: &str, builtin: Builtin) -> At<TargetDraft> {
    At {
        place: Place::Nowhere,
        value: TargetDraft {
            name: Some(At::nowhere(name)),
            builtin: Some(At::nowhere(builtin.name())),
            ..TargetDraft::default()
        },
    }
}

fn text(flag: &'static str, value: &str) -> Field {
    Some(At::flag(flag, value))
}
