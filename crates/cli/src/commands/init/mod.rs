//! `tenbin init`: asks what to measure, tries it once, and writes a plan file.

mod answers;
mod build;
mod ci;
mod files;
mod plan;
mod project;
mod questions;
mod secrets;
mod trial;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::slice;

use clap::ValueEnum as _;
use tenbin_plan::{Context, Draft, Plan, Problem, Refusal, sentence};
use tenbin_report::{for_terminal, quoted};
use tenbin_runner::Stop;

use crate::args::{InitArgs, ServerKind};
use crate::commands::init::answers::{Answers, Asked};
use crate::commands::init::build::Missing;
use crate::commands::init::files::NewFile;
use crate::commands::init::questions::Rules;
use crate::commands::init::trial::Trial;
use crate::commands::results::kept::RUNS;
use crate::errors::InitError;
use crate::exit::Exit;
use crate::sentences::said;
use crate::{interrupt, output};

/// The variables of the S3 keys.
const KEYS: [&str; 2] = ["TENBIN_ACCESS_KEY", "TENBIN_SECRET_KEY"];

/// Writes a plan file, and the file of a CI system if one was asked for.
pub(crate) fn init(args: &InitArgs) -> Exit {
    match write(args) {
        Ok(()) => Exit::Done,
        Err(error) => {
            output::failure(&error);
            if error.is_from_trial() {
                output::say_note(&sentence!(
                    "init-no-try",
                    "to write the plan without trying the servers, add --no-try"
                ));
            }
            error.exit()
        }
    }
}

fn write(args: &InitArgs) -> Result<(), InitError> {
    let asked = Asked::of(args);
    // A file that is in the way is reported before the questions.
    let file = NewFile::at(&args.out, "--out", args.force)?;
    let asked = if io::stdin().is_terminal() {
        let mut input = io::stdin().lock();
        let rules = Rules {
            check: &|asked| check(asked, &args.out),
            missing: &|asked| missing(asked, args),
        };
        questions::ask(asked, &mut input, &rules)?
    } else {
        asked
    };
    let asked = asked.complete()?;
    asked.check()?;
    let build = asked.build.clone().or_else(|| asked.build_before.clone());
    let answers = asked.assumed();
    let text = plan::text(&answers);
    let plan = resolve(&text, &args.out).map_err(InitError::Refused)?;
    let given = text;
    let text = plan::text(&answers.with_references(&plan));
    let new = new_variables(&given, &text);
    let variables = variables_of_run(&answers, &text);
    let files = match ci::file(&answers, args, &variables)? {
        Some((ci, _)) if ci.is_same(&file) => return Err(InitError::SameFile { path: ci.path }),
        ci => [Some((file, text)), ci],
    };
    let stop = interrupt::stop(output::say_note).map_err(InitError::Handler)?;
    if !args.no_try {
        try_servers(&answers, args, &plan, build.as_deref(), &stop)?;
    }
    if stop.is_asked() {
        return Err(InitError::Interrupted);
    }
    let ci = files[1].as_ref().map(|(file, _)| file.path.clone());
    // No file gets its name before all are written.
    let files = files.into_iter().flatten();
    let written = files.map(|(file, text)| file.write(&text));
    for file in written.collect::<Result<Vec<_>, _>>()? {
        let path = file.name()?;
        let path = for_terminal(&path.display().to_string());
        let wrote = sentence!("init-wrote", "wrote {path}", path);
        output::print_text(format!("{}\n", said(&wrote)));
    }
    say_variables(&new);
    say_what_is_left(ci.as_deref(), Path::new(RUNS));
    output::print_text(next_steps(&answers, args));
    if let Some(create) = ci::to_create(answers.ci, &variables) {
        output::print_text(said(&create) + "\n");
    }
    Ok(())
}

/// The program to build before the trial, if the first server has one that does not exist, and no option
/// says how to build it.
fn missing(asked: &Asked, args: &InitArgs) -> Option<Missing> {
    if args.no_try || asked.build.is_some() {
        return None;
    }
    build::missing_of(&asked.first()?, &args.out)
}

/// Builds a server that is missing with the command of `--build` or of an answer, and tries all.
fn try_servers(
    answers: &Answers,
    args: &InitArgs,
    plan: &Plan,
    build: Option<&str>,
    stop: &Stop,
) -> Result<(), InitError> {
    if let Some(build) = build {
        let built = build::build_missing(plan, &args.out, build);
        if stop.is_asked() {
            return Err(InitError::Interrupted);
        }
        built?;
    }
    let tried = Trial::of(answers, &args.out, stop)?.try_all(plan);
    tried.inspect_err(|error| {
        if build.is_none() {
            say_build_first(answers, args, error);
        }
    })
}

/// Says that a server that did not start may not be built yet.
fn say_build_first(answers: &Answers, args: &InitArgs, error: &InitError) {
    if !error.is_from_trial() {
        return;
    }
    if let Some(build) = &answers.build {
        output::say_note(&sentence!(
            "build-first",
            "init builds the server only with --build; build the server first: {build}",
            build
        ));
    } else if let Some(missing) = build::missing_of(&answers.first, &args.out) {
        output::say_note(&sentence!(
            "build-missing-first",
            "{program} does not exist; build the server first: {build}",
            program = missing.program,
            build = missing.build
        ));
    }
}

/// The environment variables in `text` that stand for secrets in the text `given`.
fn new_variables(given: &str, text: &str) -> Vec<String> {
    let known = variables(given);
    let all = variables(text).into_iter();
    all.filter(|name| !known.contains(name))
        .map(str::to_owned)
        .collect()
}

/// The names of the environment variables that the text of a plan refers to.
fn variables(text: &str) -> BTreeSet<&str> {
    let references = text.split("{env:").skip(1);
    references
        .filter_map(|reference| Some(reference.split_once('}')?.0))
        .collect()
}

/// The environment variables that a run of the plan with this text reads.
fn variables_of_run(answers: &Answers, text: &str) -> Vec<String> {
    let keys: &[&str] = if answers.needs_keys() { &KEYS } else { &[] };
    let all: BTreeSet<&str> = keys.iter().copied().chain(variables(text)).collect();
    all.into_iter().map(str::to_owned).collect()
}

/// Says which variables to set, because the plan refers to them in place of secrets.
fn say_variables(variables: &[String]) {
    if !variables.is_empty() {
        output::say_note(&sentence!(
            "init-set-variables",
            "the plan has references in place of secrets in URLs, requests and commands; before the run, set \
             {variables} to these values",
            variables = variables.join(", ")
        ));
    }
}

/// What is left to do by hand beside the next command.
fn say_what_is_left(ci: Option<&Path>, runs: &Path) {
    if let Some(ci) = ci {
        output::say_note(&sentence!(
            "ci-fill-in",
            "check TENBIN_VERSION and TENBIN_URL at the top of {file}; they select the release of \
             Tenbin that CI downloads",
            file = ci.display()
        ));
    }
    let is_repository = || {
        let here = std::env::current_dir().unwrap_or_default();
        here.ancestors().any(|above| above.join(".git").exists())
    };
    let ignored = std::fs::read_to_string(".gitignore").unwrap_or_default();
    let is_ignored = |line: &str| line.trim().trim_matches('/') == "runs";
    if is_repository() && !ignored.lines().any(is_ignored) {
        output::say_note(&sentence!(
            "ignore-runs",
            "results are written to {runs}/; to keep them out of git: echo {runs}/ >> .gitignore",
            runs = runs.display()
        ));
    }
}

/// Checks whether some answers to the open questions make a plan.
///
/// # Errors
/// Why none do.
fn check(asked: &Asked, path: &Path) -> Result<(), InitError> {
    asked.check()?;
    let all = ServerKind::value_variants();
    let kinds = asked.kind.as_ref().map_or(all, slice::from_ref);
    let mut refused = Ok(());
    for kind in kinds {
        let mut asked = asked.clone();
        asked.kind = Some(*kind);
        let plan = resolve(&plan::text(&asked.assumed()), path);
        match plan {
            Ok(_) => return Ok(()),
            Err(refusal) => refused = refused.and(Err(InitError::Refused(refusal))),
        }
    }
    refused
}

/// The plan of a text. Environment variables that are not set get a value, because only the run needs
/// them.
fn resolve(text: &str, path: &Path) -> Result<Plan, Refusal> {
    let mut context = Context::of_this_process().map_err(|error| {
        Refusal::from(Problem {
            file: None,
            position: None,
            key: None,
            mistake: sentence!(
                "no-own-directory",
                "cannot read the working directory: {error}",
                error
            )
            .into(),
        })
    })?;
    context.environment =
        Box::new(|name| Some(std::env::var(name).unwrap_or_else(|_| "not-set".to_owned())));
    Draft::from_toml(text, path)?.resolve(&mut context)
}

/// The command to run next.
fn next_steps(answers: &Answers, args: &InitArgs) -> String {
    let file = for_terminal(&quoted(&args.out.display().to_string()));
    let command = if !answers.is_gate() {
        format!("tenbin run {file}")
    } else if answers.is_of_revisions() {
        let build = answers.build.as_deref().map(quoted);
        let build = build.map_or_else(String::new, |build| format!(" --build {build}"));
        format!(
            "tenbin gate run {file} --base-rev main{}",
            for_terminal(&build)
        )
    } else {
        format!("tenbin gate run {file}")
    };
    let next = if answers.needs_keys() {
        sentence!(
            "init-set-keys",
            "set TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY, then run {command}",
            command
        )
    } else {
        sentence!("init-next", "next: {command}", command)
    };
    said(&next) + "\n"
}
