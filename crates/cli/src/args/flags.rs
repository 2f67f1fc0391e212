//! Command-line flags generated from the tables of plan keys: their declarations for clap with help
//! texts, and the conversion of given flags to a draft.

use std::str::FromStr;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    AgentsDraft, Flag, Key, KeyDefault, LoadDraft, OutputDraft, Refusal, RoundsDraft, Scalar,
    Section, Takes, WorkloadDraft,
};

use super::problem;

/// The flags of all keys of a plan section, parsed into the section's draft.
#[derive(Default)]
pub struct Flags<S>(pub Box<S>);

/// A plan section whose keys have flags.
pub trait Offered: Section + Default {
    /// Heading of the section's flags in the help.
    const HEADING: &'static str;
}

impl Offered for RoundsDraft {
    const HEADING: &'static str = "Rounds";
}

impl Offered for LoadDraft {
    const HEADING: &'static str = "Load";
}

impl Offered for OutputDraft {
    const HEADING: &'static str = "Output";
}

impl Offered for AgentsDraft {
    const HEADING: &'static str = "Load machines";
}

impl Offered for WorkloadDraft {
    const HEADING: &'static str = "Workload";
}

impl<S: Offered> Args for Flags<S> {
    fn augment_args(command: Command) -> Command {
        add(command, S::HEADING, S::KEYS)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Offered> FromArgMatches for Flags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut draft = S::default();
        read(matches, &mut draft);
        Ok(Self(Box::new(draft)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Value names of flags that take numbers with units. For these flags, clap accepts a leading minus
/// sign, so that the plan can reject the value with a specific message.
const NUMBERS: &[&str] = &[
    "TIME",
    "RATE",
    "PERCENT",
    "LEVELS",
    "LIMITS",
    "RATE for TIME",
    "X",
];

/// Adds the flags of these plan keys to the command. A flag that names no help heading is listed
/// under `heading`.
pub(super) fn add<'a>(
    command: Command,
    heading: &'static str,
    keys: impl IntoIterator<Item = &'a Key>,
) -> Command {
    let mut command = command;
    for key in keys {
        for flag in key.flags.iter().flatten() {
            command = command.arg(arg(key, flag, heading));
        }
    }
    command
}

/// Copies the flags that were given into the keys of a section.
pub(super) fn read<S: Section>(matches: &ArgMatches, draft: &mut S) {
    for key in S::KEYS {
        for flag in key.flags.iter().flatten() {
            let id = id(flag);
            // A command can leave out flags of a section. For an undeclared flag, clap returns an
            // error in a debug build and `false` in a release build.
            if !matches.try_contains_id(&id).unwrap_or(false) {
                continue;
            }
            let values = values(matches, &id, flag);
            if !values.is_empty() {
                draft.set(key.name, flag.name, values);
            }
        }
    }
}

fn arg(key: &Key, flag: &Flag, heading: &'static str) -> Arg {
    let mut arg = Arg::new(id(flag))
        .long(flag.name.trim_start_matches('-'))
        .help(help(key, flag))
        .help_heading(flag.heading.unwrap_or(heading))
        .visible_aliases(flag.aliases)
        .conflicts_with_all(flag.excludes.iter().map(|name| name.replace('-', "_")));
    arg = match flag.takes {
        Takes::Whole(name) => arg.value_name(name).value_parser(clap::value_parser!(u64)),
        Takes::Text(name) | Takes::Either(name) => arg
            .value_name(name)
            .value_parser(ValueParser::string())
            .allow_hyphen_values(NUMBERS.contains(&name)),
        Takes::Several(name) => arg
            .value_name(name)
            .action(ArgAction::Append)
            .allow_hyphen_values(NUMBERS.contains(&name)),
        Takes::Commas(name) => arg
            .value_name(name)
            .action(ArgAction::Append)
            .value_delimiter(','),
        Takes::Optional(name, without) => arg
            .value_name(name)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(without),
        Takes::PerTarget(name) => arg.value_name(name).action(ArgAction::Append),
        Takes::PerTargetMeans(_) => arg
            .value_name("NAME")
            .action(ArgAction::Append)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(""),
        Takes::OfTarget(name) => arg
            .value_name(name)
            .action(ArgAction::Append)
            .value_parser(Named::from_str),
        Takes::Means(_) | Takes::Switches(_) => arg.action(ArgAction::SetTrue),
    };
    if let Some(variable) = flag.variable {
        arg = arg.env(variable).hide_env_values(true);
    }
    if let Some(short) = flag.short {
        arg = arg.short(short);
    }
    if let Some(needed) = flag.requires {
        arg = arg.requires(needed.replace('-', "_"));
    }
    arg
}

/// Whether the value of a flag can be left out. A value then follows an equals sign.
pub(super) fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args()
        .is_some_and(|count| count.min_values() == 0)
        || !arg.get_action().takes_values()
}

/// The clap id of a flag, formed like the ids of clap's derive.
fn id(flag: &Flag) -> String {
    flag.name.trim_start_matches('-').replace('-', "_")
}

fn help(key: &Key, flag: &Flag) -> String {
    let takes_value = !matches!(
        flag.takes,
        Takes::Means(_) | Takes::Switches(_) | Takes::PerTargetMeans(_)
    );
    let default = match (flag.default, key.default) {
        ("", KeyDefault::Value(value)) if takes_value => value,
        (default, _) => default,
    };
    match default {
        "" => flag.help.to_owned(),
        default => format!("{} [default: {default}]", flag.help),
    }
}

fn values(matches: &ArgMatches, id: &str, flag: &Flag) -> Vec<Scalar> {
    let texts = || {
        let texts = matches.get_many::<String>(id);
        texts.into_iter().flatten().map(String::as_str)
    };
    match flag.takes {
        Takes::Text(_) | Takes::Several(_) | Takes::Commas(_) | Takes::Optional(..) => {
            texts().map(Scalar::from).collect()
        }
        Takes::Either(_) => texts()
            .map(|text| match text.trim().parse::<u32>() {
                Ok(number) => number.into(),
                Err(_) => text.into(),
            })
            .collect(),
        Takes::Whole(_) => {
            let numbers = matches.get_many::<u64>(id).into_iter().flatten();
            numbers.map(|&number| number.into()).collect()
        }
        // Flags of targets are read by `PerTarget` and `of_targets`, with the targets' names.
        Takes::PerTarget(_) | Takes::PerTargetMeans(_) | Takes::OfTarget(_) => Vec::new(),
        Takes::Means(_) | Takes::Switches(_) if !matches.get_flag(id) => Vec::new(),
        Takes::Means(text) => vec![text.into()],
        Takes::Switches(value) => vec![value.into()],
    }
}

/// Flags with their values, each of which applies to all targets or to a named target.
#[derive(Default)]
pub(super) struct PerTarget(Vec<(Flag, Vec<String>)>);

impl PerTarget {
    /// Reads the values of the flags of these keys.
    pub(super) fn read<'a>(matches: &ArgMatches, keys: impl IntoIterator<Item = &'a Key>) -> Self {
        let flags = keys.into_iter().flat_map(|key| key.flags.iter().flatten());
        let flags = flags
            .filter(|flag| matches!(flag.takes, Takes::PerTarget(_) | Takes::PerTargetMeans(_)));
        let read = flags.map(|flag| {
            let values = matches.get_many(&id(flag));
            (*flag, values.into_iter().flatten().cloned().collect())
        });
        Self(read.collect())
    }

    /// The values of a flag, in the given order.
    pub(super) fn of(&self, flag: &str) -> &[String] {
        let found = self.0.iter().find(|(given, _)| given.name == flag);
        found.map_or(&[], |(_, values)| values)
    }

    /// The flags with at least one value.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = self.0.iter().filter(|(_, values)| !values.is_empty());
        given.map(|(flag, _)| flag.name)
    }

    /// Refuses a `NAME` in `--ipv4=NAME` and in similar switches that is the name of no target.
    pub(super) fn refuse_strangers(&self, names: &[String]) -> Result<(), Refusal> {
        let switches = self.0.iter();
        let switches = switches.filter(|(flag, _)| matches!(flag.takes, Takes::PerTargetMeans(_)));
        for (flag, values) in switches {
            let mut strangers = values.iter().filter(|name| !names.contains(name));
            if let Some(stranger) = strangers.find(|name| !name.is_empty()) {
                return Err(problem(format!(
                    "{}: there is no target called {stranger:?}",
                    flag.name
                )));
            }
        }
        Ok(())
    }
}

/// The plan value that a per-target switch sets, from its text in the table of flags.
pub(super) fn meaning(text: &'static str) -> Scalar {
    match text {
        "true" => true.into(),
        text => text.into(),
    }
}

/// A value of the form `NAME=VALUE`.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) value: String,
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

/// The `NAME=VALUE` values of a flag, in the given order.
pub(super) fn of_targets(matches: &ArgMatches, flag: &str) -> Vec<Named> {
    let id = flag.trim_start_matches('-').replace('-', "_");
    matches
        .get_many(&id)
        .into_iter()
        .flatten()
        .cloned()
        .collect()
}
