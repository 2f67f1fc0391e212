//! Command-line flags generated from the tables of plan keys in `crates/plan/src/draft/`: their declarations for clap with help
//! texts, and the conversion of given flags to a draft.

use std::str::FromStr;

use clap::builder::ValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    AgentsDraft, BlobDraft, CompareDraft, Draft, Flag, GateDraft, HttpDraft, Key, KeyDefault,
    LoadDraft, OutputDraft, RoundsDraft, Scalar, Section, Sentence, Takes, WorkloadDraft, sentence,
};

/// The flags of a plan section that a command offers, parsed into the section's draft. The second
/// field has the values of flags that may be repeated, as given.
pub struct Flags<S: Offered>(pub Box<S::Draft>, Given);

/// Values of flags, as given.
type Given = Vec<(&'static str, Vec<String>)>;

/// Flags of a plan section that a command offers.
pub trait Offered {
    /// The section.
    type Draft: Section + Default + Clone;
    /// Help heading of the flags whose rows name no heading.
    const HEADING: &'static str;

    /// Whether the command offers the flag.
    fn offers(_: &Flag) -> bool {
        true
    }

    /// A flag as the command describes it.
    fn described(flag: &Flag) -> Flag {
        *flag
    }
}

macro_rules! offered {
    ($($draft:ty: $heading:literal,)+) => {$(
        impl Offered for $draft {
            type Draft = Self;
            const HEADING: &'static str = $heading;
        }
    )+};
}
offered! {
    Draft: "Comparison",
    CompareDraft: "Comparison",
    RoundsDraft: "Rounds",
    LoadDraft: "Load",
    OutputDraft: "Output",
    AgentsDraft: "Load machines",
    WorkloadDraft: "Workload",
    HttpDraft: "Request",
    BlobDraft: "Blobs",
    GateDraft: "Gate",
}

impl<S: Offered> Default for Flags<S> {
    fn default() -> Self {
        Self(Box::default(), Given::default())
    }
}

impl<S: Offered> Clone for Flags<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1.clone())
    }
}

impl<S: Offered> Flags<S> {
    /// The values of a flag that may be repeated.
    pub(super) fn values(&self, flag: &str) -> &[String] {
        let given = self.1.iter().find(|(name, _)| *name == flag);
        given.map_or(&[], |(_, values)| values)
    }
}

impl<S: Offered> Args for Flags<S> {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        for (key, flag) in flags_of(S::Draft::KEYS).filter(|(_, flag)| S::offers(flag)) {
            let others = others(key, flag).filter(|other| S::offers(other)).map(id);
            let arg = arg(key, &S::described(flag), S::HEADING);
            command = command.arg(arg.conflicts_with_all(others));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: Offered> FromArgMatches for Flags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (mut draft, mut given) = (S::Draft::default(), Given::new());
        for (key, flag) in flags_of(S::Draft::KEYS).filter(|(_, flag)| S::offers(flag)) {
            let id = id(flag);
            // A command can leave out flags of a section. For an undeclared flag, clap returns an
            // error in a debug build and `false` in a release build.
            if !matches.try_contains_id(&id).unwrap_or(false) {
                continue;
            }
            let values = values(matches, &id, flag);
            if matches!(flag.takes, Takes::Several(_)) {
                let texts = matches.get_many::<String>(&id).into_iter().flatten();
                given.push((flag.name, texts.cloned().collect()));
            }
            if !values.is_empty() {
                draft.set(key.name, flag.name, values).map_err(|why| {
                    let why = format!("{}: {why}\n", flag.name);
                    clap::Error::raw(ErrorKind::ValueValidation, why)
                })?;
            }
        }
        Ok(Self(Box::new(draft), given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The other flag of the key.
pub(super) fn others<'a>(key: &'a Key, flag: &'a Flag) -> impl Iterator<Item = &'a Flag> {
    let flags = key.flags.iter().flatten();
    flags.filter(move |other| other.name != flag.name)
}

/// Every flag of these keys.
fn flags_of(keys: &'static [Key]) -> impl Iterator<Item = (&'static Key, &'static Flag)> {
    let flags = |key: &'static Key| key.flags.iter().flatten().map(move |flag| (key, flag));
    keys.iter().flat_map(flags)
}

/// Value names of flags that take numbers with units. For these flags, clap accepts a leading minus
/// sign, so that the plan can reject the value with a specific message.
const NUMBERS: &[&str] = &[
    "TIME", "RATE", "PERCENT", "LEVELS", "LIMITS", "RATE for TIME", "X",
];

pub(super) fn arg(key: &Key, flag: &Flag, heading: &'static str) -> Arg {
    let mut arg = Arg::new(id(flag))
        .long(flag.name.trim_start_matches('-'))
        .help(help(key, flag))
        .help_heading(flag.heading.unwrap_or(heading))
        .visible_aliases(flag.aliases);
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
        Takes::PerTarget(name) | Takes::SeveralPerTarget(name) => {
            arg.value_name(name).action(ArgAction::Append)
        }
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
    arg
}

/// Whether the value of a flag can be left out. A value then follows an equals sign.
pub(super) fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args()
        .is_some_and(|count| count.min_values() == 0)
        || !arg.get_action().takes_values()
}

/// The clap id of a flag, formed like the ids of clap's derive.
pub(super) fn id(flag: &Flag) -> String {
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
        // Flags of targets are read by `PerTarget`, with the targets' names.
        Takes::PerTarget(_)
        | Takes::SeveralPerTarget(_)
        | Takes::PerTargetMeans(_)
        | Takes::OfTarget(_) => Vec::new(),
        Takes::Means(_) | Takes::Switches(_) if !matches.get_flag(id) => Vec::new(),
        Takes::Means(text) => vec![text.into()],
        Takes::Switches(value) => vec![value.into()],
    }
}

/// A value of the form `NAME=VALUE`.
#[derive(Clone)]
pub(crate) struct Named {
    pub(super) name: String,
    pub(super) value: String,
}

impl FromStr for Named {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(sentence!(
                "name-before",
                "write the name of the target and an equals sign before it"
            )),
        }
    }
}
