//! `tenbin gate`: measures until it is known whether a candidate is as good as its base.

pub(super) mod revisions;

use tenbin_plan::{Draft, Plan, Reach, Refusal, sentence};

use crate::args::{GateArgs, OutputArgs, Revision, of_revisions};
use crate::commands::gate::revisions::Repository;
use crate::commands::measure::plan::resolve;
use crate::commands::measure::{measure_and_show, print_result, result_page};
use crate::errors::BuildError;
use crate::exit::Exit;
use crate::output;

/// Measures a base and a candidate, and prints whether the candidate passes.
pub(crate) fn gate(args: &GateArgs) -> Exit {
    let exit = measured(args);
    if args.settings.reporting.git_bisect {
        exit.for_git_bisect()
    } else {
        exit
    }
}

fn measured(args: &GateArgs) -> Exit {
    let draft = match built(args) {
        Ok(draft) => draft,
        Err(exit) => return exit,
    };
    let options = args.output();
    let exit = measure_and_show(draft, options, &|_, document, directory| {
        print_result(options, document);
        let page = directory.join("report.html");
        if !options.json && page.is_file() {
            output::say_note(&result_page(&page));
        }
        if output::is_in_actions() {
            annotate(options, document);
        }
    });
    let revisions = &args.settings.revisions;
    if exit == Exit::Target && revisions.base_rev.is_some() && revisions.build.is_none() {
        output::say_error(&sentence!(
            "no-build",
            "without --build, the revisions were started unbuilt, as checked out from git; add the \
             build command, for example --build make"
        ));
    }
    exit
}

/// Prints the annotation of GitHub Actions: on standard error if standard output holds a document.
fn annotate(options: &OutputArgs, document: &tenbin_result::Document) {
    let is_taken = options.json || options.export.takes_stdout();
    match tenbin_report::annotation(document) {
        Some(line) if is_taken => output::say_command(line.trim_end()),
        Some(line) => output::print(line.as_bytes()),
        None => {}
    }
}

/// The plan, with its revisions built. Prints errors.
fn built(args: &GateArgs) -> Result<Result<Draft, Refusal>, Exit> {
    let draft = args.draft();
    let Some(base) = &args.settings.revisions.base_rev else {
        return Ok(draft);
    };
    let revisions = &args.settings.revisions;
    let candidate = revisions.candidate_rev.as_deref().unwrap_or("HEAD");
    let failed = |why: &BuildError| {
        output::failure(why);
        why.exit()
    };
    let repository =
        Repository::here(revisions.build_dir.as_deref()).map_err(|why| failed(&why))?;
    let build = revisions.build.as_deref();
    let find = |name: &str| repository.revision(name, build).map_err(|why| failed(&why));
    let (base, candidate) = (find(base)?, find(candidate)?);
    let draft = match draft.and_then(|draft| of_revisions(draft, &base, &candidate)) {
        Ok(draft) => draft,
        refused => return Ok(refused),
    };
    // A mistake in the plan is reported before anything is built.
    let plan = resolve(Ok(draft.clone()))?;
    if revisions.candidate_rev.is_none() && repository.has_changes() {
        output::say_note(&sentence!(
            "uncommitted",
            "changes that are not committed are not measured: the candidate is HEAD"
        ));
    }
    for (revision, is_base) in [(&base, true), (&candidate, false)] {
        let made = repository.build(revision, build);
        let made = made.and_then(|_| expect_program(&plan, revision, build));
        made.map_err(|why| failed(&why).of_target(is_base))?;
    }
    Ok(Ok(draft))
}

/// Fails if the plan starts a program of the worktree that does not exist there, because nothing builds
/// it. After a build, the start of the target says what is missing.
fn expect_program(plan: &Plan, revision: &Revision, build: Option<&str>) -> Result<(), BuildError> {
    let missing = plan.targets.iter().find_map(|target| {
        let Reach::Launched(launch) = &target.reach else {
            return None;
        };
        let directory = launch.directory.as_ref()?;
        let program = launch.command.first()?;
        let is_of_tree = directory.starts_with(&revision.directory)
            && program.contains('/')
            && !program.contains('{');
        (is_of_tree && !directory.join(program).exists()).then_some(program)
    });
    match missing.filter(|_| build.is_none()) {
        Some(program) => Err(BuildError::NothingBuilt {
            program: program.clone(),
            revision: revision.spelled().to_owned(),
        }),
        None => Ok(()),
    }
}
