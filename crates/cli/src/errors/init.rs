//! Errors of `tenbin init`.

use std::io;
use std::path::PathBuf;

use tenbin_plan::Refusal;
use tenbin_targets::TargetError;

use crate::exit::Exit;

/// Why no plan was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InitError {
    /// There is no terminal to ask on.
    #[error(
        "standard input is no terminal, so questions are impossible; give {}",
        flags.join(" and ")
    )]
    Missing {
        /// The options that are missing.
        flags: Vec<&'static str>,
    },
    /// An answer is none of the choices.
    #[error("{answer:?} is not one of {}", choices.join(", "))]
    NoChoice {
        /// The answer.
        answer: String,
        /// What can be answered.
        choices: Vec<String>,
    },
    /// There is no answer, and no default.
    #[error(
        "there is no default; write for example http://127.0.0.1:8080/ or ./server --port {{port}}"
    )]
    NoAnswer,
    /// An answer is too long.
    #[error("the answer is longer than 64 KiB; write a shorter one")]
    TooLong,
    /// An answer is not UTF-8.
    #[error("the answer is not UTF-8 text; write it again")]
    NoText,
    /// A server is neither a URL nor a command.
    #[error("{text:?} is not a URL; did you mean \"http://{text}\"?")]
    NoUrl {
        /// The server as given.
        text: String,
    },
    /// An option is for something else.
    #[error("{option} is for {only}; leave it out, or add {only}")]
    OnlyFor {
        /// The option.
        option: &'static str,
        /// What the option is for.
        only: &'static str,
    },
    /// A gate has one server that runs already.
    #[error(
        "a gate compares two servers, or two git revisions of one server that Tenbin starts; give a \
         second server (--second), or the command that starts the server instead of its URL"
    )]
    GateOfOne,
    /// The answers make no plan.
    #[error("{}", in_words(.0))]
    Refused(Refusal),
    /// A file exists.
    #[error("{} exists; choose another file with {option}, or overwrite it with --force", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// The option that names another file.
        option: &'static str,
    },
    /// The plan and the CI file have the same name.
    #[error("{} would be both the plan and the CI file; choose another file with --ci-out", path.display())]
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}; choose another file, or make the directory writable", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A CI file cannot hold a text.
    #[error(
        "a CI file cannot hold {text:?}, which has a control character or begins an expression of the CI \
         system (${{{{ on GitHub, $[[ on GitLab); leave out --ci, or choose another text"
    )]
    NotInCi {
        /// The name of the plan, or the build command.
        text: String,
    },
    /// The input ended.
    #[error("the input ended before the last question; nothing was written")]
    Ended,
    /// The input cannot be read.
    #[error("cannot read the answer: {0}; nothing was written")]
    Input(io::Error),
    /// Signals cannot be handled.
    #[error("cannot install the Ctrl-C handler: {0}")]
    Handler(io::Error),
    /// Servers cannot be tried.
    #[error("cannot try the servers: {0}")]
    Trial(io::Error),
    /// A server cannot be started or reached.
    #[error(transparent)]
    Target(Box<TargetError>),
    /// A request has no response.
    #[error("target {target:?}: {why}")]
    Request {
        /// Name of the target.
        target: String,
        /// Why.
        why: String,
    },
    /// A response is no success.
    #[error(
        "target {target:?}: the response to GET {path} has status {status}, and a run counts only 2xx \
         as success; correct the request (--request)"
    )]
    Status {
        /// Name of the target.
        target: String,
        /// Path and query.
        path: String,
        /// The status.
        status: u16,
    },
    /// Ctrl-C.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

/// The problems of a plan that is not in a file yet.
fn in_words(refusal: &Refusal) -> String {
    let problems = refusal.problems().iter();
    let problems = problems.map(|problem| {
        let key = problem.key.as_ref();
        let key = key.map_or_else(String::new, |key| format!("{key}: "));
        format!("{key}{}", problem.mistake)
    });
    problems.collect::<Vec<_>>().join("\n")
}

impl InitError {
    pub(crate) fn only_for(option: &'static str, only: &'static str) -> Self {
        Self::OnlyFor { option, only }
    }

    /// Whether a plan can be written without a trial.
    pub(crate) fn is_of_trial(&self) -> bool {
        matches!(
            self,
            Self::Trial(_) | Self::Target(_) | Self::Request { .. } | Self::Status { .. }
        )
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Write { .. } => Exit::Record,
            Self::Target(_) | Self::Request { .. } | Self::Status { .. } => Exit::Target,
            Self::Handler(_) | Self::Trial(_) => Exit::Internal,
            Self::Interrupted => Exit::Interrupted,
            _ => Exit::Refused,
        }
    }
}
