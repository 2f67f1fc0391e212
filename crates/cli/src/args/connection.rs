//! Connection settings of the targets.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use tenbin_plan::{
    At, Key, List, Place, Refusal, Scalar, Section as _, Takes, TargetDraft, TlsDraft,
};

use super::flags::{self, PerTarget};
use super::keys::{name, named, value_for, values_for};
use super::{many, problem};

/// Connection settings of the targets. `NAME=VALUE` applies to the target with that name, `VALUE`
/// to all targets.
pub(super) struct ConnectionArgs(PerTarget);

const HEADING: &str = "Connections (NAME= limits a setting to one target)";

/// Plan keys of a target that control how connections are opened.
const KEYS: &[&str] = &[
    "urls",
    "http",
    "unix",
    "resolve",
    "ip_version",
    "source",
    "dead_hosts",
];

fn keys() -> impl Iterator<Item = &'static Key> {
    let of_target = TargetDraft::KEYS.iter();
    let of_target = of_target.filter(|key| KEYS.contains(&key.name));
    of_target.chain(TlsDraft::KEYS)
}

impl Args for ConnectionArgs {
    fn augment_args(command: Command) -> Command {
        flags::add(command, HEADING, keys())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConnectionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(PerTarget::read(matches, keys())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ConnectionArgs {
    /// Copies the options into the targets that they apply to.
    pub(super) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.0.refuse_strangers(&names)?;
        let several = targets.len() > 1;
        let no_https = !targets.iter().any(|target| speaks_tls(&target.value));
        for target in targets {
            let own = name(target);
            let own = own.as_deref();
            let draft = &mut target.value;
            self.add_hosts(draft, own, &names, several)?;
            for (key, flag) in [
                ("http", "--http"),
                ("unix", "--unix-socket"),
                ("source", "--source"),
                ("dead_hosts", "--dead-hosts"),
            ] {
                if let Some(value) = value_for(self.0.of(flag), own, &names) {
                    draft.set(key, flag, vec![value.into()]);
                }
            }
            for (flag, version) in [("--ipv4", "4"), ("--ipv6", "6")] {
                if !switch(self.0.of(flag), own) {
                    continue;
                }
                if draft.ip_version.is_some() {
                    return Err(problem("--ipv6: not together with --ipv4".to_owned()));
                }
                draft.set("ip_version", flag, vec![version.into()]);
            }
            let pins = values_for(self.0.of("--resolve"), own, &names);
            draft.resolve = many("--resolve", &pins);
            // A value for all targets applies only to targets with an https URL, or to all targets
            // if no target has an https URL.
            let takes_general = speaks_tls(draft) || no_https;
            let tls = self.tls(own, &names, takes_general);
            draft.tls = tls.map(|tls| At {
                value: tls,
                place: Place::Nowhere,
            });
        }
        Ok(())
    }

    fn add_hosts(
        &self,
        draft: &mut TargetDraft,
        own: Option<&str>,
        names: &[String],
        several: bool,
    ) -> Result<(), Refusal> {
        let general = |value: &&String| named(value, names).is_none();
        if let (Some(host), true) = (self.0.of("--host").iter().find(general), several) {
            return Err(problem(format!(
                "--host: write the name of the target and an equals sign before {host:?}"
            )));
        }
        let hosts = values_for(self.0.of("--host"), own, names);
        if hosts.is_empty() {
            return Ok(());
        }
        let first = match (&draft.url, &draft.command, &draft.builtin) {
            (Some(url), None, None) => url.clone(),
            _ => {
                return Err(problem(
                    "--host: only a target given with --target can have several hosts".to_owned(),
                ));
            }
        };
        draft.url = None;
        let more = hosts.iter().map(|host| At::flag("--host", host.as_str()));
        let all = std::iter::once(first).chain(more).collect();
        draft.urls = Some(At::flag("--host", List::Many(all)));
        Ok(())
    }

    fn tls(&self, own: Option<&str>, names: &[String], takes_general: bool) -> Option<TlsDraft> {
        let find = |values: &[String]| {
            let value = value_for(values, own, names)?;
            let is_own = || {
                let mut ours = values.iter().filter_map(|value| named(value, names));
                ours.any(|(name, _)| Some(name) == own)
            };
            (takes_general || is_own()).then_some(value)
        };
        let switched = |values: &[String]| {
            let is_own = values.iter().any(|value| Some(value.as_str()) == own);
            let is_general = takes_general && values.iter().any(String::is_empty);
            is_own || is_general
        };
        let mut tls = TlsDraft::default();
        for key in TlsDraft::KEYS {
            for flag in key.flags.iter().flatten() {
                let values = self.0.of(flag.name);
                let value = match flag.takes {
                    Takes::PerTargetMeans(text) => switched(values).then(|| flags::meaning(text)),
                    _ => find(values).map(Scalar::from),
                };
                if let Some(value) = value {
                    tls.set(key.name, flag.name, vec![value]);
                }
            }
        }
        let any = !tls.given().is_empty();
        // `--insecure` for this target takes precedence over a `--cacert` for all targets.
        let by_name = |values: &[String]| values.iter().any(|value| Some(value.as_str()) == own);
        let own_ca = self.0.of("--cacert").iter();
        let mut own_ca = own_ca.filter_map(|value| named(value, names));
        if by_name(self.0.of("--insecure")) && !own_ca.any(|(name, _)| Some(name) == own) {
            tls.ca = None;
        }
        any.then_some(tls)
    }
}

fn switch(values: &[String], own: Option<&str>) -> bool {
    values
        .iter()
        .any(|value| value.is_empty() || Some(value.as_str()) == own)
}

fn speaks_tls(draft: &TargetDraft) -> bool {
    let first = draft.urls.as_ref().and_then(|urls| match &urls.value {
        List::One(url) => Some(url),
        List::Many(urls) => urls.first().map(|url| &url.value),
    });
    let url = draft.url.as_ref().map(|url| &url.value).or(first);
    let is_https = |text: &str| text.trim_start().to_ascii_lowercase().starts_with("https:");
    matches!(url, Some(Scalar::Text(text)) if is_https(text))
}
