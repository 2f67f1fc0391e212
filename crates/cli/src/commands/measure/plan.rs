//! `tenbin plan`, and resolving drafts to plans.

use std::io;
use std::path::Path;

use tenbin_plan::{
    Agents, AgentsDraft, Context, Draft, Plan, Refusal, SCHEMA_DIRECTIVE, Sentence, schema_json,
    sentence,
};

use crate::exit::Exit;
use crate::output;

/// Prints the plan for the options, as a plan file that editors check.
pub(crate) fn print_plan(draft: Result<Draft, Refusal>) -> Exit {
    match resolve(draft) {
        Ok(plan) => {
            output::print(format!("{SCHEMA_DIRECTIVE}{}", plan.to_toml()).as_bytes());
            Exit::Done
        }
        Err(exit) => exit,
    }
}

/// Prints the JSON Schema of plan files.
pub(crate) fn print_schema() -> Exit {
    output::print(schema_json().as_bytes());
    Exit::Done
}

/// Resolves a draft to a plan with all defaults. Prints errors.
pub(crate) fn resolve(draft: Result<Draft, Refusal>) -> Result<Plan, Exit> {
    resolve_with(draft, |_| {})
}

/// Like [`resolve`], but `change` first modifies the environment.
pub(crate) fn resolve_with(
    draft: Result<Draft, Refusal>,
    change: impl FnOnce(&mut Context),
) -> Result<Plan, Exit> {
    resolved(draft, change).map_err(|why| why.print())
}

/// Why a draft is no plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPlan {
    /// The working directory is unknown.
    #[error("cannot read the working directory: {0}")]
    NoDirectory(io::Error),
    /// The plan is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

impl NoPlan {
    /// The error with its arguments.
    pub(crate) fn sentence(&self) -> Sentence {
        match self {
            Self::NoDirectory(why) => sentence!(
                "no-own-directory",
                "cannot read the working directory: {error}",
                error = why
            ),
            Self::Refused(refusal) => refusal.sentence(),
        }
    }

    /// Prints the error, and returns the exit code.
    pub(crate) fn print(&self) -> Exit {
        match self {
            Self::NoDirectory(_) => {
                output::say_error(&self.sentence());
                Exit::Internal
            }
            Self::Refused(refusal) => {
                for problem in refusal.problems() {
                    output::failure(problem);
                }
                Exit::Refused
            }
        }
    }
}

fn resolved(
    draft: Result<Draft, Refusal>,
    change: impl FnOnce(&mut Context),
) -> Result<Plan, NoPlan> {
    let mut context = context()?;
    change(&mut context);
    Ok(draft?.resolve(&mut context)?)
}

/// The plan of a run in `directory`, without keys and files.
pub(crate) fn executed(text: &str, directory: &Path) -> Result<Plan, NoPlan> {
    let draft = Draft::from_toml(text, &directory.join("plan.toml"));
    resolved(draft, |context: &mut Context| {
        context.environment = Box::new(|_| Some("not-needed".to_owned()));
        context.open = Box::new(|_| Ok(Box::new(&b"not-needed"[..])));
        context.without_files = true;
    })
}

/// Resolves `[agents]` alone, for a command without a plan. Prints errors.
pub(crate) fn resolve_agents(draft: &AgentsDraft) -> Result<Option<Agents>, Exit> {
    let mut context = context().map_err(|why| why.print())?;
    let agents = draft.resolve(&mut context);
    agents.map_err(|refusal| NoPlan::Refused(refusal).print())
}

fn context() -> Result<Context, NoPlan> {
    Context::of_this_process().map_err(NoPlan::NoDirectory)
}
