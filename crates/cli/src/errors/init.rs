//! Errors of `tenbin init`.

use std::io;
use std::path::PathBuf;

use tenbin_plan::{Refusal, Sentence, sentence};
use tenbin_targets::TargetError;

use crate::exit::Exit;

/// Why no plan was written.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub(crate) enum InitError {
    /// There is no terminal to ask on.
    Missing {
        /// The options that are missing.
        flags: Vec<&'static str>,
    },
    /// An answer is none of the choices.
    NoChoice {
        /// The answer.
        answer: String,
        /// What can be answered.
        choices: Vec<String>,
    },
    /// There is no answer, and no default.
    NoAnswer,
    /// An answer is too long.
    TooLong,
    /// An answer is not UTF-8.
    NoText,
    /// A server is neither a URL nor a command.
    NoUrl {
        /// The server as given.
        text: String,
    },
    /// An option is for something else.
    OnlyFor {
        /// The option.
        option: &'static str,
        /// What the option is for.
        only: &'static str,
    },
    /// A gate has one server that runs already.
    GateOfOne,
    /// The answers make no plan.
    Refused(Refusal),
    /// A file exists.
    Exists {
        /// The file.
        path: PathBuf,
        /// The option that names another file.
        option: &'static str,
    },
    /// The plan and the CI file have the same name.
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A CI file cannot hold a text.
    NotInCi {
        /// The name of the plan, or the build command.
        text: String,
    },
    /// An argument of a command that starts a server holds a secret.
    SecretInServer {
        /// The option with the command.
        option: &'static str,
        /// The argument, with `…` in place of the secret.
        part: String,
        /// A name for a variable with the secret.
        variable: String,
    },
    /// The build command of a CI file holds a secret.
    SecretInBuild {
        /// The part of the command, with `…` in place of the secret.
        part: String,
        /// A name for a variable with the secret.
        variable: String,
    },
    /// A CI file cannot set a variable of the plan.
    NoCiVariable {
        /// Name of the variable.
        name: String,
    },
    /// The input ended.
    Ended,
    /// The input cannot be read.
    Input(io::Error),
    /// Signals cannot be handled.
    Handler(Sentence),
    /// Servers cannot be tried.
    Trial(io::Error),
    /// A server cannot be started or reached.
    Target(Box<TargetError>),
    /// A request has no response.
    Request {
        /// Name of the target.
        target: String,
        /// Why.
        why: Sentence,
    },
    /// A response is no success.
    Status {
        /// Name of the target.
        target: String,
        /// Path and query.
        path: String,
        /// The status.
        status: u16,
    },
    /// The build command failed.
    Build {
        /// The build command.
        build: String,
        /// How the command ended.
        why: String,
    },
    /// The build command succeeded, and the program is still missing.
    NotBuilt {
        /// The build command.
        build: String,
        /// Where the program is looked for.
        program: PathBuf,
    },
    /// Ctrl-C.
    Interrupted,
}

impl InitError {
    /// The error with its arguments.
    #[expect(clippy::too_many_lines, reason = "one row for each error")]
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::Missing { flags } => sentence!(
                "init-missing",
                "standard input is no terminal, so questions are impossible; give {flags}",
                flags = flags.join(" and ")
            )
            .with_names("flags", flags),
            Self::NoChoice { answer, choices } => sentence!(
                "no-choice",
                "{answer:?} is not one of {choices}",
                answer,
                choices = choices.join(", ")
            )
            .with_names("choices", choices),
            Self::NoAnswer => sentence!(
                "no-default",
                "there is no default; write for example http://127.0.0.1:8080/ or ./server --port \
                 {{port}}"
            ),
            Self::TooLong => sentence!(
                "answer-too-long",
                "the answer is longer than 64 KiB; write a shorter one"
            ),
            Self::NoText => sentence!(
                "answer-not-utf8",
                "the answer is not UTF-8 text; write it again"
            ),
            Self::NoUrl { text } => sentence!(
                "no-url",
                "{text:?} is not a URL; did you mean {meant:?}?",
                text,
                meant = format!("http://{text}")
            ),
            Self::OnlyFor { option, only } => sentence!(
                "only-for",
                "{option} is for {only}; leave it out, or add {only}",
                option,
                only
            ),
            Self::GateOfOne => sentence!(
                "gate-of-one",
                "a gate compares two servers, or two git revisions of one server that Tenbin \
                 starts; give a second server (--second), or the command that starts the server \
                 instead of its URL"
            ),
            Self::Refused(refusal) => refusal.without_file(),
            Self::Exists { path, option } => sentence!(
                "exists",
                "{path} exists; choose another file with {option}, or overwrite it with --force",
                path = path.display(),
                option
            ),
            Self::SameFile { path } => sentence!(
                "same-file",
                "{path} would be both the plan and the CI file; choose another file with --ci-out",
                path = path.display()
            ),
            Self::Write { path, source } => sentence!(
                "cannot-write-init",
                "cannot write {path}: {source}; choose another file, or make the directory \
                 writable",
                path = path.display(),
                source = Sentence::from(source)
            ),
            Self::NotInCi { text } => sentence!(
                "not-in-ci",
                "a CI file cannot hold {text:?}, which has a control character or begins an \
                 expression of the CI system ({github} on GitHub, {gitlab} on GitLab); leave out --ci, or \
                 choose another text",
                text,
                github = "${{",
                gitlab = "$[["
            ),
            Self::SecretInServer {
                option,
                part,
                variable,
            } => sentence!(
                "init-secret-in-server",
                "{part} in {option} holds a secret, which the plan would show; pass it in an environment \
                 variable: {example}",
                part,
                option,
                example = through_variable(part, variable)
            ),
            Self::SecretInBuild { part, variable } => sentence!(
                "init-secret-in-build",
                "{part} in --build holds a secret, which the CI file would show; use a variable of the CI \
                 job: {example}",
                part,
                example = format!("${variable}")
            ),
            Self::NoCiVariable { name } => sentence!(
                "no-ci-variable",
                "the CI file cannot set the environment variable {name:?}; choose a name of letters, \
                 digits and _ that the CI file does not use itself, or leave out --ci",
                name
            ),
            Self::Ended => sentence!(
                "input-ended",
                "the input ended before the last question; nothing was written"
            ),
            Self::Input(text) => sentence!(
                "no-input",
                "cannot read the answer: {text}; nothing was written",
                text = Sentence::from(text)
            ),
            Self::Handler(why) => why.clone(),
            Self::Trial(text) => sentence!(
                "no-trial",
                "cannot try the servers: {text}",
                text = Sentence::from(text)
            ),
            Self::Target(error) => error.sentence(),
            Self::Request { target, why } => sentence!(
                "of-target-reason",
                "target \"{target}\": {reason}",
                target,
                reason = why
            ),
            Self::Status {
                target,
                path,
                status: 405,
            } => sentence!(
                "init-method",
                "target {target:?}: the server does not accept GET {path} (status 405); choose another \
                 path (--request), or write the plan with --no-try and add method = \"POST\" to \
                 [[workload]]",
                target,
                path
            ),
            Self::Status {
                target,
                path,
                status,
            } => sentence!(
                "no-success",
                "target {target:?}: the response to GET {path} has status {status}, and a run \
                 counts only 2xx as success; correct the request (--request)",
                target,
                path,
                status
            ),
            Self::Build { build, why } => sentence!(
                "init-build-failed",
                "the build of the server failed ({why}): {build}; its output is above",
                why,
                build
            ),
            Self::NotBuilt { build, program } => sentence!(
                "init-not-built",
                "the build succeeded, but {program} is still missing: {build}; a path in --server begins at \
                 the directory of the plan, and the build runs in the working directory",
                program = program.display(),
                build
            ),
            Self::Interrupted => sentence!("init-interrupted", "interrupted; nothing was written"),
        }
    }
}

/// A command that takes a secret from an environment variable; `part` has `…` in its place.
fn through_variable(part: &str, variable: &str) -> String {
    let argument = part.replace('…', &format!("\"${variable}\""));
    format!("{variable}={{env:{variable}}} sh -c 'exec ./server {argument} --port {{port}}'")
}

impl InitError {
    pub(crate) fn only_for(option: &'static str, only: &'static str) -> Self {
        Self::OnlyFor { option, only }
    }

    /// Whether a plan can be written without a trial.
    pub(crate) fn is_from_trial(&self) -> bool {
        matches!(
            self,
            Self::Trial(_)
                | Self::Target(_)
                | Self::Request { .. }
                | Self::Status { .. }
                | Self::Build { .. }
                | Self::NotBuilt { .. }
        )
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Write { .. } => Exit::Record,
            Self::Target(_)
            | Self::Request { .. }
            | Self::Status { .. }
            | Self::Build { .. }
            | Self::NotBuilt { .. } => Exit::Target,
            Self::Handler(_) | Self::Trial(_) => Exit::Internal,
            Self::Interrupted => Exit::Interrupted,
            _ => Exit::Refused,
        }
    }
}
