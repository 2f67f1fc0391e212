//! `--observe`: where the CPU, memory and storage use of the targets is read.

use clap::Args;
use tenbin_plan::{
    At, Key, ObserveDraft, ObservedDraft, Refusal, Section as _, Sentence, TargetDraft, sentence,
};

use crate::args::options::per_target::{PerTarget, TargetGroup, Whose, name, named};
use crate::args::problem;
use crate::args::set;

const HEADING: &str = "Cost of the server (always measured for servers that Tenbin starts)";

/// Sources of the CPU, memory and storage use of targets that Tenbin does not start.
#[derive(Args, Default)]
pub(crate) struct ObservedArgs {
    /// Measure the CPU, memory and storage use of a target: port (the process that listens on the
    /// port of the target's URL), port:N, pid:N or name:PROGRAM on this machine (for one of several
    /// servers name:PROGRAM,dir:PATH or name:PROGRAM,cgroup:PATH); tenbin:URL of a 'tenbin
    /// observe' on another machine; or prometheus:URL, a metrics page of the server or an exporter.
    /// Repeatable: the sum is reported
    #[arg(long, value_name = "[NAME=]HOW", help_heading = HEADING)]
    observe: Vec<String>,
    /// Settings of the `--observe` URLs, such as the token file.
    #[command(flatten)]
    pages: PerTarget<Pages>,
}

/// The settings of pages with the figures of targets.
struct Pages;

impl TargetGroup for Pages {
    const HEADING: &'static str = HEADING;
    const SECTIONS: &'static [&'static [Key]] = &[ObserveDraft::KEYS];
}

const FLAG: &str = "--observe";

impl ObservedArgs {
    /// The values of `--observe`, as given.
    pub(crate) fn values(&self) -> &[String] {
        &self.observe
    }

    /// Copies the options into the targets that they apply to.
    pub(crate) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        self.pages.refuse_strangers(&names)?;
        for value in &self.observe {
            let how = named(value, &names).map_or(value.as_str(), |(_, how)| how);
            of_flag(how)?;
        }
        let (mut any_page, mut is_used) = (false, self.observe.is_empty());
        for target in targets.iter_mut() {
            let own = name(target);
            let is_for_it = |value: &String| {
                let by_name = named(value, &names).is_some();
                // Tenbin observes built-in servers itself: values for all targets skip them.
                by_name || target.value.builtin.is_none()
            };
            let meant: Vec<String> = self
                .observe
                .iter()
                .filter(|v| is_for_it(v))
                .cloned()
                .collect();
            let by_name: Vec<String> = meant
                .iter()
                .filter_map(|value| named(value, &names))
                .filter(|(name, _)| Some(*name) == own.as_deref())
                .map(|(_, how)| how.to_owned())
                .collect();
            let for_all = || meant.iter().filter(|value| named(value, &names).is_none());
            let hows = if by_name.is_empty() {
                for_all().cloned().collect()
            } else {
                by_name
            };
            let mut all = Vec::new();
            for how in &hows {
                let mut draft = of_flag(how)?;
                any_page |= draft.tenbin.is_some() || draft.prometheus.is_some();
                // A value for all targets applies only to targets that are observed by URL.
                let is_page = draft.tenbin.is_some() || draft.prometheus.is_some();
                let has_groups = draft.prometheus.is_some();
                let whose = Whose {
                    own: own.as_deref(),
                    names: &names,
                };
                self.pages.give(&mut draft, &whose, |key| match key.name {
                    "group" => has_groups,
                    _ => is_page,
                })?;
                all.push(At::flag(FLAG, draft));
            }
            if !all.is_empty() {
                is_used = true;
                target.value.observe = Some(At::flag(FLAG, ObservedDraft::Several(all)));
            }
        }
        if !is_used {
            return Err(problem(sentence!(
                "all-built-in",
                "{flag}: every target is built in, and Tenbin always observes its own servers; \
                 leave the flag out",
                flag = FLAG
            )));
        }
        match self.given_without_use() {
            Some(flag) if !any_page => Err(problem(sentence!(
                "no-page-observed",
                "{flag}: no target is observed by a page; add --observe NAME=URL",
                flag
            ))),
            _ => Ok(()),
        }
    }

    /// The first given flag that has an effect only with an `--observe` URL.
    fn given_without_use(&self) -> Option<&'static str> {
        self.pages.given().next()
    }
}

/// The draft of a value of the flag.
fn of_flag(how: &str) -> Result<ObserveDraft, Refusal> {
    observed(how).map_err(|why| problem(sentence!("flag-why", "{flag}: {why}", flag = FLAG, why)))
}

/// Parses `nginx`, `nginx,dir:/srv/a` or `nginx,cgroup:/system.slice/a.service`.
fn named_within(draft: &mut ObserveDraft, limited: &str) -> Result<(), Sentence> {
    let (name, within) = match limited.split_once(',') {
        None => (limited, None),
        Some((name, within)) => (name, Some(within)),
    };
    set(&mut draft.name, FLAG, Some(name));
    match within.map(|within| within.split_once(':')) {
        None => {}
        Some(Some(("dir", path))) => set(&mut draft.dir, FLAG, Some(path)),
        Some(Some(("cgroup", path))) => set(&mut draft.cgroup, FLAG, Some(path)),
        Some(_) => {
            return Err(sentence!(
                "comma-in-name",
                "{limited:?} has a comma; after a name and a comma comes dir:PATH or cgroup:PATH",
                limited
            ));
        }
    }
    Ok(())
}

/// Parses `port`, `port:80`, `pid:12`, `name:nginx`, `tenbin:URL` or `prometheus:URL`.
pub(crate) fn observed(how: &str) -> Result<ObserveDraft, Sentence> {
    let mut draft = ObserveDraft::default();
    let number = |text: &str| {
        let number: Result<u64, _> = text.parse();
        number.map_err(|_| sentence!("not-whole", "{text:?} is not a whole number", text))
    };
    match how.split_once(':') {
        None if how == "port" => set(&mut draft.port, FLAG, Some(true)),
        Some(("port", port)) => set(&mut draft.port, FLAG, Some(number(port)?)),
        Some(("pid", pid)) => set(&mut draft.pid, FLAG, Some(number(pid)?)),
        Some(("name", limited)) => named_within(&mut draft, limited)?,
        Some(("tenbin", url)) => set(&mut draft.tenbin, FLAG, Some(url)),
        Some(("prometheus", url)) => set(&mut draft.prometheus, FLAG, Some(url)),
        _ => {
            return Err(sentence!(
                "no-observe",
                "{how:?} is not one of port, port:N, pid:N, name:PROGRAM, tenbin:URL and \
                 prometheus:URL",
                how
            ));
        }
    }
    Ok(draft)
}
