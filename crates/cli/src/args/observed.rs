//! Sources of the targets' resource usage.

use clap::Args;
use tenbin_plan::{At, ObserveDraft, ObservedDraft, Refusal, TargetDraft};

use super::keys::{name, named, value_for};
use super::problem;
use super::set;

/// Sources of the targets' resource usage, for targets that Tenbin does not launch.
#[derive(Args)]
#[command(next_help_heading = "Cost of the server (launched servers are always observed)")]
pub(super) struct ObservedArgs {
    /// Source of the CPU, memory and storage use of a target: port (that of its URL), port:N, pid:N
    /// or name:PROGRAM on this machine; tenbin:URL of a 'tenbin observe' on another machine;
    /// prometheus:URL. Repeatable: the use of several processes is summed
    #[arg(long, value_name = "[NAME=]HOW")]
    observe: Vec<String>,
    /// The target's group of processes on the page of a process exporter
    #[arg(long, value_name = "[NAME=]GROUP")]
    observe_group: Vec<String>,
    /// File with the token that the page requires
    #[arg(long, value_name = "[NAME=]FILE")]
    observe_token_file: Vec<String>,
    /// Environment variable with the token that the page requires
    #[arg(long, value_name = "[NAME=]VARIABLE")]
    observe_token_env: Vec<String>,
    /// PEM file of the certificate authorities to trust for the page instead of the system's
    #[arg(long, value_name = "[NAME=]FILE")]
    observe_cacert: Vec<String>,
    /// Accept any certificate of the page
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    observe_insecure: Vec<String>,
}

const FLAG: &str = "--observe";

impl ObservedArgs {
    /// Copies the options into the targets that they apply to.
    pub(super) fn apply(&self, targets: &mut [At<TargetDraft>]) -> Result<(), Refusal> {
        let names: Vec<String> = targets.iter().filter_map(name).collect();
        let mut any_page = false;
        for target in targets.iter_mut() {
            let own = name(target);
            let is_for_it = |value: &String| {
                let by_name = named(value, &names).is_some();
                // Values for all targets do not apply to targets that Tenbin observes itself.
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
            let hows = match by_name.is_empty() {
                true => for_all().cloned().collect(),
                false => by_name,
            };
            let mut all = Vec::new();
            for how in &hows {
                let mut draft = observed(how).map_err(|why| problem(format!("{FLAG}: {why}")))?;
                any_page |= draft.tenbin.is_some() || draft.prometheus.is_some();
                self.complete(&mut draft, own.as_deref(), &names);
                all.push(At::flag(FLAG, draft));
            }
            if !all.is_empty() {
                target.value.observe = Some(At::flag(FLAG, ObservedDraft::Several(all)));
            }
        }
        match self.given_without_use() {
            Some(flag) if !any_page => Err(problem(format!(
                "{flag}: no target is observed by a page; say which with --observe"
            ))),
            _ => Ok(()),
        }
    }

    fn complete(&self, draft: &mut ObserveDraft, own: Option<&str>, names: &[String]) {
        let find = |values: &[String]| value_for(values, own, names);
        let is_page = draft.tenbin.is_some() || draft.prometheus.is_some();
        let by_name = |values: &[String]| {
            let mut ours = values.iter().filter_map(|value| named(value, names));
            ours.any(|(name, _)| Some(name) == own)
        };
        let fields = [
            (
                &mut draft.token_file,
                "--observe-token-file",
                &self.observe_token_file,
            ),
            (
                &mut draft.token_env,
                "--observe-token-env",
                &self.observe_token_env,
            ),
            (&mut draft.ca, "--observe-cacert", &self.observe_cacert),
        ];
        for (field, flag, values) in fields {
            // Values for all targets apply only to targets with a page.
            if is_page || by_name(values) {
                set(field, flag, find(values));
            }
        }
        if draft.prometheus.is_some() || by_name(&self.observe_group) {
            set(
                &mut draft.group,
                "--observe-group",
                find(&self.observe_group),
            );
        }
        let mut switched = self.observe_insecure.iter();
        let is_meant =
            |value: &String| (is_page && value.is_empty()) || Some(value.as_str()) == own;
        if switched.any(is_meant) {
            set(&mut draft.insecure, "--observe-insecure", Some(true));
        }
    }

    /// A flag that requires another flag and is given without it.
    fn given_without_use(&self) -> Option<&'static str> {
        [
            ("--observe-group", &self.observe_group),
            ("--observe-token-file", &self.observe_token_file),
            ("--observe-token-env", &self.observe_token_env),
            ("--observe-cacert", &self.observe_cacert),
            ("--observe-insecure", &self.observe_insecure),
        ]
        .into_iter()
        .find(|(_, values)| !values.is_empty())
        .map(|(flag, _)| flag)
    }
}

/// Parses `port`, `port:80`, `pid:12`, `name:nginx`, `tenbin:URL` or `prometheus:URL`.
pub(crate) fn observed(how: &str) -> Result<ObserveDraft, String> {
    let mut draft = ObserveDraft::default();
    let number = |text: &str| {
        let number: Result<u64, _> = text.parse();
        number.map_err(|_| format!("{text:?} is not a whole number"))
    };
    match how.split_once(':') {
        None if how == "port" => set(&mut draft.port, FLAG, Some(true)),
        Some(("port", port)) => set(&mut draft.port, FLAG, Some(number(port)?)),
        Some(("pid", pid)) => set(&mut draft.pid, FLAG, Some(number(pid)?)),
        Some(("name", name)) => set(&mut draft.name, FLAG, Some(name)),
        Some(("tenbin", url)) => set(&mut draft.tenbin, FLAG, Some(url)),
        Some(("prometheus", url)) => set(&mut draft.prometheus, FLAG, Some(url)),
        _ => {
            return Err(format!(
                "{how:?} is not one of port, port:N, pid:N, name:PROGRAM, tenbin:URL and \
                 prometheus:URL"
            ));
        }
    }
    Ok(draft)
}
