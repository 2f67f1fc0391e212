//! Errors in the language of the reader.
//!
//! An error prints itself in English. The types in [`TYPES`] have messages for the common errors in
//! other languages too; every other error is printed in English as a whole, with all that is in it.

mod build;
mod command;
mod init;

use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;

use tenbin_corpus::Error as CorpusError;
use tenbin_plan::duration::TimeError;
use tenbin_plan::rate::RateError;
use tenbin_plan::{Mistake, NotOneOf, Problem, Sentence, sentence};
use tenbin_record::RecordError;
use tenbin_report::NotComparable;
use tenbin_result::{Language, Message, Value, message};
use tenbin_runner::RunError;
use tenbin_targets::TargetError;
use tenbin_targets::probe::ProbeError;
use tenbin_verdict::Messages;

use crate::language::language;

pub(crate) use build::BuildError;
pub(crate) use command::CommandError;
pub(crate) use init::InitError;

/// The messages of errors.
static ERRORS: Messages = Messages {
    english: "# An error prints itself in English.\n",
    japanese: include_str!("ja.ftl"),
};

type Said = fn(&(dyn Error + 'static), Language) -> Option<String>;

macro_rules! types {
    ($($type:ty => $said:expr),+ $(,)?) => {
        &[$(|error, language| {
            let said: fn(&$type, Language) -> Option<String> = $said;
            said(error.downcast_ref()?, language)
        }),+]
    };
}

/// The types of errors that have messages.
const TYPES: &[Said] = types!(
    Problem => |error, language| ERRORS.say(&of_problem(error)?, language),
    RunError => |error, language| ERRORS.say(&of_run(error)?, language),
    TargetError => |error, language| ERRORS.say(&of_target(error)?, language),
    RecordError => |error, language| ERRORS.say(&of_record(error)?, language),
    CorpusError => |error, language| ERRORS.say(&of_corpus(error)?, language),
    BuildError => |error, language| ERRORS.say(&of_build(error)?, language),
    CommandError => |error, language| ERRORS.say(&of_command(error)?, language),
    InitError => |error, language| ERRORS.say(&of_init(error)?, language),
    NotComparable => |error, language| Some(error.said(language)),
);

/// The error in a language; `None` for English, and for an error without a message.
pub(crate) fn said(error: &(dyn Error + 'static), language: Language) -> Option<String> {
    match language {
        Language::English => None,
        Language::Japanese => TYPES.iter().find_map(|said| said(error, language)),
    }
}

/// The error as a sentence.
pub(crate) fn sentence_of(error: &(dyn Error + 'static)) -> Sentence {
    let english = sentence!("said", "{text}", text = error);
    match said(error, language()) {
        Some(said) => english.with("text", said),
        None => error.to_string().into(),
    }
}

fn of_problem(problem: &Problem) -> Option<Message> {
    if let (
        Some(file),
        Mistake::Unreadable {
            path: None, kind, ..
        },
    ) = (&problem.file, &problem.mistake)
    {
        return unreadable(&file.display().to_string(), *kind);
    }
    Some(message!(
        "problem",
        place = problem.place(),
        mistake = of_mistake(&problem.mistake)?
    ))
}

fn of_mistake(mistake: &Mistake) -> Option<Message> {
    Some(match mistake {
        Mistake::TooSmall { number, least } => message!(
            "too-small",
            number = number.to_string(),
            least = Value::Plain(*least)
        ),
        Mistake::TooLarge { number, most } => message!(
            "too-large",
            number = number.to_string(),
            most = Value::Plain(*most)
        ),
        Mistake::TooShort { time, least } => {
            let printed = |time| tenbin_plan::duration::Time(time).to_string();
            message!("too-short", time = printed(*time), least = printed(*least))
        }
        Mistake::Time(TimeError::NoNumber(text)) => message!("no-duration", text = text),
        Mistake::Rate(RateError::NoNumber(text)) => message!("no-rate", text = text),
        Mistake::NotOneOf(NotOneOf {
            value,
            choices,
            or_percentile,
            meant,
        }) => message!(
            "not-one-of",
            value = value,
            choices = choices.clone(),
            percentile = *or_percentile,
            meant = meant.as_deref().map(did_you_mean)
        ),
        Mistake::NotAUrl { text, meant } => message!("no-url", text = text, meant = meant),
        Mistake::Unreadable { path, kind, .. } => {
            return unreadable(&shown(path.as_deref()?), *kind);
        }
        Mistake::Script(script) => message!(
            "script",
            tool = script.tool,
            command = &script.command,
            section = script.section
        ),
        Mistake::NoTarget => message!("no-target"),
        Mistake::SameName { what, name } => {
            message!("same-name", what = Value::word(what), name = name)
        }
        Mistake::UnknownTarget {
            name,
            targets,
            meant,
        } => message!(
            "unknown-target",
            name = name,
            targets = targets.clone(),
            meant = meant.as_deref().map(did_you_mean)
        ),
        Mistake::NoCredentials { target, workload } => {
            message!("no-credentials", target = target, workload = workload)
        }
        Mistake::Time(_) | Mistake::Rate(_) | Mistake::Other(_) => return None,
    })
}

fn did_you_mean(meant: &str) -> Message {
    message!("did-you-mean", meant = meant)
}

fn of_run(error: &RunError) -> Option<Message> {
    match error {
        RunError::Target(error) => of_target(error),
        RunError::Record(error) => of_record(error),
        RunError::Pages(error) => of_corpus(error),
        RunError::Keys {
            target,
            issuer,
            why,
        } => Some(message!(
            "no-temporary-keys",
            target = target,
            issuer = issuer,
            reason = why
        )),
        RunError::Rejected {
            target,
            workload,
            status,
        } => Some(message!(
            "rejected",
            target = target,
            workload = workload,
            status = Value::Plain(u64::from(*status))
        )),
        _ => None,
    }
}

fn of_target(error: &TargetError) -> Option<Message> {
    match error {
        TargetError::Unresolved {
            target,
            host,
            source,
        } => Some(message!(
            "unresolved",
            target = target,
            host = host,
            reason = source.to_string()
        )),
        TargetError::Unreachable {
            target,
            source: ProbeError::Refused { address },
        } => Some(message!(
            "refused",
            target = target,
            address = address.to_string()
        )),
        _ => None,
    }
}

fn of_record(error: &RecordError) -> Option<Message> {
    match error {
        RecordError::Io {
            doing: "read",
            path,
            source,
        } => unreadable(&shown(path), source.kind()),
        _ => None,
    }
}

fn of_corpus(error: &CorpusError) -> Option<Message> {
    match error {
        CorpusError::Read { name, source } => unreadable(name, source.kind()),
        _ => None,
    }
}

fn of_command(error: &CommandError) -> Option<Message> {
    match error {
        CommandError::NoRun => Some(message!("no-run")),
        CommandError::TooFewRuns { asked, there } => Some(message!(
            "too-few-runs",
            asked = Value::Plain(*asked as u64),
            there = Value::Plain(*there as u64)
        )),
        CommandError::SeveralRuns { word, runs } => Some(message!(
            "several-runs",
            word = word.as_str(),
            runs = runs.clone()
        )),
        CommandError::NoDirectory { path } => Some(message!("no-directory", path = shown(path))),
        CommandError::InNoRun { flag, name, known } => Some(message!(
            "in-no-run",
            flag = *flag,
            name = name.as_str(),
            known = known.clone()
        )),
        CommandError::StillRunning { path } => Some(message!("still-running", path = shown(path))),
        CommandError::Unreadable { path, source } => unreadable(&shown(path), source.kind()),
        CommandError::UnknownRule { name, near } => Some(message!(
            "unknown-rule",
            name = name,
            near = near.clone(),
            known = near.is_empty()
        )),
    }
}

fn of_build(error: &BuildError) -> Option<Message> {
    match error {
        BuildError::NoRepository(reason) => {
            Some(message!("no-repository", reason = reason.as_str()))
        }
        BuildError::NoRevision { name, repository } => Some(message!(
            "no-revision",
            name = name.as_str(),
            repository = shown(repository)
        )),
        BuildError::Build {
            revision, command, ..
        } => Some(message!(
            "build-failed",
            revision = revision.as_str(),
            command = command.as_str()
        )),
        BuildError::NotBefore { good, bad, near } => Some(message!(
            "not-before",
            good = good.as_str(),
            bad = bad.as_str(),
            near = near.as_deref().unwrap_or("none")
        )),
        BuildError::SameCommit { good, bad } => Some(message!(
            "same-commit",
            good = good.as_str(),
            bad = bad.as_str()
        )),
        BuildError::NoCache => Some(message!("no-cache-directory")),
        BuildError::NoGit(_) | BuildError::Git { .. } | BuildError::Directory { .. } => None,
    }
}

fn of_init(error: &InitError) -> Option<Message> {
    match error {
        InitError::Missing { flags } => Some(message!(
            "init-missing",
            flags = flags
                .iter()
                .map(|flag| (*flag).to_owned())
                .collect::<Vec<_>>()
        )),
        InitError::NoChoice { answer, choices } => Some(message!(
            "not-one-of",
            value = answer,
            choices = choices.clone(),
            percentile = false,
            meant = None::<Message>
        )),
        InitError::NoUrl { text } => Some(message!(
            "no-url",
            text = text,
            meant = format!("http://{text}")
        )),
        InitError::OnlyFor { option, only } => {
            Some(message!("only-for", option = *option, only = *only))
        }
        InitError::GateOfOne => Some(message!("gate-of-one")),
        InitError::Exists { path, option } => {
            Some(message!("exists", path = shown(path), option = *option))
        }
        InitError::SameFile { path } => Some(message!("same-file", path = shown(path))),
        InitError::Status {
            target,
            path,
            status,
        } => Some(message!(
            "no-success",
            target = target,
            path = path,
            status = Value::Plain(u64::from(*status))
        )),
        InitError::Target(error) => of_target(error),
        InitError::Interrupted => Some(message!("init-interrupted")),
        _ => None,
    }
}

/// A file cannot be read; `None` for reasons other than the two common ones.
fn unreadable(path: &str, kind: ErrorKind) -> Option<Message> {
    let reason = match kind {
        ErrorKind::NotFound => "missing",
        ErrorKind::PermissionDenied => "denied",
        _ => return None,
    };
    Some(message!(
        "unreadable",
        path = path,
        reason = Value::word(reason)
    ))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests;
