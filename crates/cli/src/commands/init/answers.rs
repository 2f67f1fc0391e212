//! What `tenbin init` knows, from options and from answers.

use std::path::Path;

use tenbin_plan::{Plan, SecretVariables};

use crate::args::{CiChoice, GoalKind, InitArgs, ServerKind};
use crate::commands::init::project;
use crate::commands::init::secrets;
use crate::errors::InitError;

/// The limits of a maximum-rate search without `--slo`.
const DEFAULT_SLO: &str = "p99<100ms,errors<0.1%";

/// What options and answers say so far; `None` where neither was given.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) kind: Option<ServerKind>,
    pub(super) server: Option<String>,
    pub(super) second: Option<String>,
    pub(super) request: Option<String>,
    pub(super) goal: Option<GoalKind>,
    pub(super) slo: Option<String>,
    pub(super) ci: Option<CiChoice>,
    pub(super) build: Option<String>,
    /// The command that builds a missing server before the trial, which only an answer gives.
    pub(super) build_before: Option<String>,
}

impl Asked {
    pub(super) fn of(args: &InitArgs) -> Self {
        Self {
            kind: args.kind,
            server: args.server.clone(),
            second: args.second.clone(),
            request: args.request.clone(),
            goal: args.goal,
            slo: args.slo.clone(),
            ci: args.ci,
            build: args.build.clone(),
            build_before: None,
        }
    }

    /// With defaults for what was not given, so that nothing is open.
    ///
    /// # Errors
    /// If an option without a default is missing.
    pub(super) fn complete(self) -> Result<Self, InitError> {
        let required = [
            ("--kind", self.kind.is_none()),
            ("--server", self.first().is_none()),
        ];
        let missing: Vec<&str> = required
            .into_iter()
            .filter(|(_, is_missing)| *is_missing)
            .map(|(flag, _)| flag)
            .collect();
        if !missing.is_empty() {
            return Err(InitError::Missing { flags: missing });
        }
        Ok(Self {
            second: self.second.or_else(|| Some(String::new())),
            goal: self.goal.or(Some(GoalKind::Compare)),
            ci: self.ci.or(Some(CiChoice::None)),
            ..self
        })
    }

    /// The first server, if it is known.
    pub(super) fn first(&self) -> Option<Server> {
        given(self.server.as_deref()).map(Server::of)
    }

    /// The second server; `None` without one, and before the question is answered.
    fn second(&self) -> Option<Server> {
        given(self.second.as_deref()).map(Server::of)
    }

    /// The goal, if it is known, or if other options are for one goal only.
    pub(super) fn goal(&self) -> Option<GoalKind> {
        let only = || {
            if self.slo.is_some() {
                Some(GoalKind::Rate)
            } else {
                (self.has_ci() || self.build.is_some()).then_some(GoalKind::Gate)
            }
        };
        self.goal.or_else(only)
    }

    fn has_ci(&self) -> bool {
        self.ci.is_some_and(|ci| ci != CiChoice::None)
    }

    /// Checks what no plan says. What is open can still fit to the rest.
    ///
    /// # Errors
    /// Why options and answers contradict each other, or are none.
    pub(super) fn check(&self) -> Result<(), InitError> {
        let (first, second) = (self.first(), self.second());
        for (option, server) in [("--server", &first), ("--second", &second)] {
            if let Some(Server::Command(text)) = server {
                check_command(option, text)?;
            }
        }
        if self.has_ci()
            && let Some(build) = self.build.as_ref().or(self.build_before.as_ref())
        {
            secrets::check_build(build)?;
        }
        let goal = self.goal();
        let is_url = matches!(first, Some(Server::Url(_)));
        let has_no_second = self.second.is_some() && second.is_none();
        if goal == Some(GoalKind::Gate) && is_url && has_no_second {
            return Err(InitError::GateOfOne);
        }
        let is_for = |only| goal.is_none_or(|goal| goal == only);
        if self.slo.is_some() && !is_for(GoalKind::Rate) {
            return Err(InitError::only_for("--slo", "--goal rate"));
        }
        if self.has_ci() && !is_for(GoalKind::Gate) {
            return Err(InitError::only_for("--ci", "--goal gate"));
        }
        let is_of_revisions = is_for(GoalKind::Gate) && !is_url && second.is_none();
        if self.build.is_some() && !is_of_revisions {
            let gate = "a gate with one server that Tenbin starts";
            return Err(InitError::only_for("--build", gate));
        }
        Ok(())
    }

    /// The answers, with defaults for those that are open.
    pub(super) fn assumed(self) -> Answers {
        let (first, second) = (self.first(), self.second());
        let first = first.unwrap_or_else(|| Server::Url("http://127.0.0.1/".to_owned()));
        let goal = self.goal().unwrap_or(GoalKind::Compare);
        let mut answers = Answers {
            kind: self.kind.unwrap_or(ServerKind::Http),
            first,
            second,
            request: given(self.request.as_deref()).map(str::to_owned),
            slo: self.slo.or_else(|| {
                let is_rate = goal == GoalKind::Rate;
                is_rate.then(|| DEFAULT_SLO.to_owned())
            }),
            goal,
            ci: self.ci.unwrap_or(CiChoice::None),
            build: self.build,
        };
        if answers.is_of_revisions() && answers.build.is_none() {
            answers.build = self
                .build_before
                .or_else(|| project::build_of(Path::new("."), answers.program().as_deref()));
        }
        answers
    }
}

/// The text without surrounding spaces; `None` without a text and for an empty one.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// It runs already.
    Url(String),
    /// Tenbin starts it.
    Command(String),
}

impl Server {
    fn of(text: &str) -> Self {
        let is_url = text.starts_with("http://") || text.starts_with("https://");
        let text = text.to_owned();
        if is_url {
            Self::Url(text)
        } else {
            Self::Command(text)
        }
    }

    /// The program of a command.
    pub(super) fn program(&self) -> Option<String> {
        match self {
            Self::Url(_) => None,
            Self::Command(command) => secrets::program(command),
        }
    }
}

/// Everything that the plan needs.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    pub(super) kind: ServerKind,
    pub(super) first: Server,
    pub(super) second: Option<Server>,
    /// `None`: the default of the kind.
    pub(super) request: Option<String>,
    pub(super) goal: GoalKind,
    /// Limits of the maximum-rate search.
    pub(super) slo: Option<String>,
    pub(super) ci: CiChoice,
    /// Command that builds a git revision.
    pub(super) build: Option<String>,
}

impl Answers {
    /// The servers with their names in the plan.
    pub(super) fn servers(&self) -> Vec<(&'static str, &Server)> {
        let names = match (&self.second, self.is_gate()) {
            (None, _) => ["server", ""],
            (Some(_), true) => ["base", "candidate"],
            (Some(_), false) => ["first", "second"],
        };
        let servers = [Some(&self.first), self.second.as_ref()];
        names
            .into_iter()
            .zip(servers.into_iter().flatten())
            .collect()
    }

    pub(super) fn is_gate(&self) -> bool {
        self.goal == GoalKind::Gate
    }

    /// Whether two git revisions of one server are compared.
    pub(super) fn is_of_revisions(&self) -> bool {
        self.is_gate() && self.second.is_none() && matches!(self.first, Server::Command(_))
    }

    /// Whether the plan reads S3 keys from the environment: Tenbin generates the keys of servers that
    /// it starts.
    pub(super) fn needs_keys(&self) -> bool {
        let mut servers = self.servers().into_iter();
        self.kind == ServerKind::S3 && servers.any(|(_, server)| matches!(server, Server::Url(_)))
    }

    /// The answers with `{env:NAME}` in place of the secrets in URLs, in the variables of commands and in
    /// the request, as `tenbin plan` prints them. `plan` is the plan of these answers.
    pub(super) fn with_references(&self, plan: &Plan) -> Self {
        let mut answers = self.clone();
        let mut variables = SecretVariables::default();
        let servers = [Some(&mut answers.first), answers.second.as_mut()];
        for (server, target) in servers.into_iter().flatten().zip(&plan.targets) {
            match server {
                Server::Url(url) => *url = target.secrets.conceal(url),
                Server::Command(command) => {
                    *command = secrets::with_references(command, &mut variables);
                }
            }
        }
        if let (Some(request), Some(workload)) = (&mut answers.request, plan.workloads.first()) {
            *request = workload.facts().conceal(request);
        }
        answers
    }

    /// The program of the first server, if Tenbin starts this server.
    pub(super) fn program(&self) -> Option<String> {
        self.first.program()
    }

    /// Path and query of the request, if the plan has one.
    pub(super) fn path(&self) -> Option<&str> {
        match self.kind {
            ServerKind::Http | ServerKind::Search => self.request.as_deref(),
            ServerKind::S3 | ServerKind::Blob => None,
        }
    }
}

/// Checks a server that is no URL.
///
/// # Errors
/// If the text is an address, or holds a secret that the plan would show.
fn check_command(option: &'static str, text: &str) -> Result<(), InitError> {
    if is_address(text) {
        return Err(InitError::NoUrl {
            text: text.to_owned(),
        });
    }
    secrets::check_server(option, text)
}

/// Whether a text is an address without a scheme, such as `localhost:8080/path`.
fn is_address(text: &str) -> bool {
    let Some((host, rest)) = text.split_once(':') else {
        return false;
    };
    let port = rest.split('/').next().unwrap_or_default();
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    !host.is_empty() && host.chars().all(is_host) && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_no_command() {
        for (text, expected) in [
            ("localhost:8080", true),
            ("127.0.0.1:8080/path?a=b", true),
            ("./server --port {port}", false),
            ("./server 127.0.0.1:{port}", false),
            ("PORT={port} ./server", false),
            ("server", false),
        ] {
            assert_eq!(is_address(text), expected, "{text}");
        }
    }
}
