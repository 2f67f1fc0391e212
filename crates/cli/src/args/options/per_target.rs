//! Flags of targets: a value applies to all targets, or with `NAME=` to the target of that name.

use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, Flag, Key, Refusal, Scalar, Section, Sentence, Takes, TargetDraft, Yields, sentence,
};

use crate::args::flags::{self, Named};
use crate::args::problem;

/// The flags of targets under one heading.
pub trait TargetGroup {
    /// The heading.
    const HEADING: &'static str;
    /// The sections with the flags. A flag with another heading is not in the group.
    const SECTIONS: &'static [&'static [Key]] = &[TargetDraft::KEYS];
}

/// The values of the flags of a group. Must never be printed, because they can be secrets.
pub struct PerTarget<G> {
    values: Vec<(Flag, Vec<String>)>,
    /// Values for targets that Tenbin starts.
    launched: Vec<(&'static str, Vec<Named>)>,
    group: PhantomData<G>,
}

impl<G> Default for PerTarget<G> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            launched: Vec::new(),
            group: PhantomData,
        }
    }
}

/// A target, and the names of all targets.
pub(crate) struct Whose<'a> {
    pub(crate) own: Option<&'a str>,
    pub(crate) names: &'a [String],
}

/// Flags whose values have no equals sign: what stands before one is the name of a target.
const WITHOUT_EQUALS: [&str; 5] = [
    "--http", "--tls-version", "--source", "--dead-hosts", "--server-name",
];

fn flags_of<G: TargetGroup>() -> impl Iterator<Item = (&'static Key, &'static Flag)> {
    let keys = G::SECTIONS.iter().copied().flatten();
    let flags = keys.flat_map(|key| key.flags.iter().flatten().map(move |flag| (key, flag)));
    flags.filter(|(_, flag)| flag.heading.is_none_or(|heading| heading == G::HEADING))
}

impl<G: TargetGroup> Args for PerTarget<G> {
    fn augment_args(command: Command) -> Command {
        flags_of::<G>().fold(command, |command, (key, flag)| {
            // Two switches can be for different targets.
            let is_switch = matches!(flag.takes, Takes::PerTargetMeans(_));
            let others = flags::others(key, flag);
            let others = others
                .filter(|other| !is_switch || !matches!(other.takes, Takes::PerTargetMeans(_)));
            let arg = flags::arg(key, flag, G::HEADING);
            command.arg(arg.conflicts_with_all(others.map(flags::id)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: TargetGroup> FromArgMatches for PerTarget<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut read = Self::default();
        for (_, flag) in flags_of::<G>() {
            let id = flags::id(flag);
            if let Takes::OfTarget(_) = flag.takes {
                let values = matches.get_many(&id).into_iter().flatten();
                read.launched.push((flag.name, values.cloned().collect()));
            } else {
                let values = matches.get_many(&id).into_iter().flatten();
                read.values.push((*flag, values.cloned().collect()));
            }
        }
        Ok(read)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<G: TargetGroup> PerTarget<G> {
    /// Copies the values into the keys of the targets that they apply to. A value for all targets
    /// applies to the targets in the scope of its key.
    pub(crate) fn give_all(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.refuse_strangers(&names)?;
        for target in targets.iter_mut() {
            let own = name(target);
            let whose = Whose {
                own: own.as_deref(),
                names: &names,
            };
            let written = target.value.clone();
            self.give(&mut target.value, &whose, |key| written.takes(key))?;
            target.value = target.value.without_yielding();
        }
        self.refuse_unused(targets)
    }

    /// Refuses a flag that is for none of the targets.
    fn refuse_unused(&self, targets: &[At<TargetDraft>]) -> Result<(), Refusal> {
        for (key, flag) in flags_of::<G>().filter(|(_, flag)| !self.of(flag.name).is_empty()) {
            let has_key = |target: &At<TargetDraft>| {
                let mut given = target.value.given().into_iter();
                given.any(|(name, _)| name == key.name)
            };
            if let Some(scope) = key.scope.filter(|_| !targets.iter().any(has_key)) {
                return Err(problem(sentence!(
                    "flag-why",
                    "{flag}: {why}",
                    flag = flag.name,
                    why = Sentence::fixed(scope.why)
                )));
            }
        }
        Ok(())
    }
}

impl<G> PerTarget<G> {
    /// The values of a flag, in the given order.
    pub(crate) fn of(&self, flag: &str) -> &[String] {
        let found = self.values.iter().find(|(given, _)| given.name == flag);
        found.map_or(&[], |(_, values)| values)
    }

    /// The flags with at least one value.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = self.values.iter().filter(|(_, values)| !values.is_empty());
        given.map(|(flag, _)| flag.name)
    }

    /// The values for targets that Tenbin starts, each with its flag.
    pub(crate) fn launched(&self) -> impl Iterator<Item = (&'static str, &Named)> {
        let launched = self.launched.iter();
        launched.flat_map(|(flag, values)| values.iter().map(move |value| (*flag, value)))
    }

    /// Refuses a `NAME` in `--ipv4=NAME`, `--http NAME=2` and in similar flags that is the name of no
    /// target.
    pub(crate) fn refuse_strangers(&self, names: &[String]) -> Result<(), Refusal> {
        for (flag, values) in &self.values {
            let mut given = values.iter().filter_map(|value| match flag.takes {
                Takes::PerTargetMeans(_) => Some(value.as_str()),
                _ if WITHOUT_EQUALS.contains(&flag.name) => Some(value.split_once('=')?.0),
                _ => None,
            });
            let is_stranger =
                |name: &&str| !name.is_empty() && !names.iter().any(|known| known == name);
            if let Some(stranger) = given.find(is_stranger) {
                return Err(unknown(flag, stranger, names));
            }
        }
        Ok(())
    }

    /// Copies the values that apply to a target into the keys of a section. Values for all targets
    /// are left out for keys for which `takes_general` does not hold. Returns whether a value
    /// applies.
    pub(crate) fn give<S: Section>(
        &self,
        draft: &mut S,
        whose: &Whose<'_>,
        takes_general: impl Fn(&Key) -> bool,
    ) -> Result<bool, Refusal> {
        let mut any = false;
        for key in S::KEYS {
            let takes_general = takes_general(key) && !self.yields_to_named::<S>(key, whose);
            let mut first = None;
            for flag in key.flags.iter().flatten() {
                let values = self.for_target(flag, whose, takes_general);
                if values.is_empty() {
                    continue;
                }
                if let Some(first) = first.replace(flag.name) {
                    return Err(problem(sentence!(
                        "not-together",
                        "{name}: not together with {first}",
                        name = flag.name,
                        first
                    )));
                }
                let set = draft.set(key.name, flag.name, values);
                set.map_err(|why| {
                    problem(sentence!(
                        "flag-why",
                        "{flag}: {why}",
                        flag = flag.name,
                        why
                    ))
                })?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Whether a value for all targets gives way to a flag of another key for this target.
    fn yields_to_named<S: Section>(&self, key: &Key, whose: &Whose<'_>) -> bool {
        let others = key
            .yields
            .iter()
            .flatten()
            .filter_map(|yields| match yields {
                Yields::ToNamed(other) => S::KEYS.iter().find(|key| key.name == *other),
                Yields::To(_) | Yields::ToNoSignature => None,
            });
        let mut flags = others.flat_map(|other| other.flags.iter().flatten());
        flags.any(|flag| self.names(flag, whose))
    }

    /// Whether a value of the flag is for this target by its name.
    fn names(&self, flag: &Flag, whose: &Whose<'_>) -> bool {
        let values = self.of(flag.name);
        match flag.takes {
            Takes::PerTargetMeans(_) => values.iter().any(|name| Some(name.as_str()) == whose.own),
            _ => names_target(values, whose.own, whose.names),
        }
    }

    /// The values of a flag that apply to a target.
    fn for_target(&self, flag: &Flag, whose: &Whose<'_>, takes_general: bool) -> Vec<Scalar> {
        let &Whose { own, names } = whose;
        let values = self.of(flag.name);
        match flag.takes {
            Takes::OfTarget(_) => {
                let launched = self.launched().filter(|(name, _)| *name == flag.name);
                let own = launched.filter(|(_, value)| Some(value.name.as_str()) == own);
                own.map(|(_, own)| own.value.as_str().into()).collect()
            }
            Takes::PerTargetMeans(text) => {
                let means = |value: &String| {
                    Some(value.as_str()) == own || (takes_general && value.is_empty())
                };
                let is_on = values.iter().any(means);
                is_on.then(|| meaning(text)).into_iter().collect()
            }
            Takes::SeveralPerTarget(_) => {
                let values = values_for(values, own, names).into_iter();
                values.map(Scalar::from).collect()
            }
            _ if takes_general || self.names(flag, whose) => {
                let value = value_for(values, own, names).map(Scalar::from);
                value.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

fn unknown(flag: &Flag, name: &str, targets: &[String]) -> Refusal {
    let known = match targets {
        [] => sentence!("no-target-named", "no target has a name"),
        _ => sentence!(
            "targets-are",
            "the targets are {targets}",
            targets = targets.join(", ")
        ),
    };
    problem(sentence!(
        "no-target-called",
        "{name}: there is no target called {target:?}; {known}",
        name = flag.name,
        target = name,
        known
    ))
}

/// The plan value that a per-target switch sets, from its text in the table of flags.
fn meaning(text: &'static str) -> Scalar {
    match text {
        "true" => true.into(),
        text => text.into(),
    }
}

/// The name of a target, if given.
pub(crate) fn name(target: &At<TargetDraft>) -> Option<String> {
    match &target.value.name.as_ref()?.value {
        Scalar::Text(name) => Some(name.clone()),
        _ => None,
    }
}

/// The last value that names `target`, otherwise the last value without a name. Text before an
/// equals sign is a name only if a target has that name, because keys can contain equals signs.
pub(crate) fn value_for(
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

/// Whether one of the `NAME=VALUE` values names `target`.
fn names_target(values: &[String], target: Option<&str>, names: &[String]) -> bool {
    let mut named = values.iter().filter_map(|value| named(value, names));
    named.any(|(name, _)| Some(name) == target)
}

/// All values that name `target` and all values without a name, in the given order.
fn values_for(values: &[String], target: Option<&str>, names: &[String]) -> Vec<String> {
    let meant = |value: &String| match named(value, names) {
        Some((name, value)) => (Some(name) == target).then(|| value.to_owned()),
        None => Some(value.clone()),
    };
    values.iter().filter_map(meant).collect()
}

/// Splits `NAME=REST` into the name of a target and the rest; `None` if no target has that name.
pub(crate) fn named<'a>(value: &'a str, names: &[String]) -> Option<(&'a str, &'a str)> {
    let (name, rest) = value.split_once('=')?;
    let is_known = names.iter().any(|known| known == name);
    is_known.then_some((name, rest))
}
