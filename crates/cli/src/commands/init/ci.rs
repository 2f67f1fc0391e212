//! The file of a CI system: the example in `examples/ci`, with the plan in place of its options.

use std::path::{Path, PathBuf};

use tenbin_report::quoted;

use crate::args::{CiChoice, InitArgs};
use crate::commands::init::answers::Answers;
use crate::commands::init::files::NewFile;
use crate::errors::InitError;

/// A CI system: its file, and the example.
struct System {
    file: &'static str,
    example: &'static str,
    /// The text as it stands in the string or scalar of the example.
    escape: fn(&str) -> String,
    /// What the system replaces, even in quotes.
    expression: Option<&'static str>,
}

/// The command of the examples, which the plan follows.
const GATE: &str = "tenbin gate http";
/// What lines of the examples for the revisions contain, except the options for the server.
const REVISIONS: [&str; 4] = [
    "--base-rev ", "--build-dir ", "git merge-base ", "# The merge base: ",
];
/// The options of the examples for what is measured, which are in the plan.
const SERVER: &str = "--build 'make' --launch './server --port {port}' --path /";
/// The option of the examples that is in the plan, and not an option of `tenbin gate run`.
const MARGIN: &str = "--margin 5% ";

fn system(choice: CiChoice) -> Option<System> {
    let plain = |text: &str| text.to_owned();
    match choice {
        CiChoice::None => None,
        CiChoice::Github => Some(System {
            file: ".github/workflows/performance.yml",
            example: include_str!("../../../../../examples/ci/github.yml"),
            escape: plain,
            expression: Some("${{"),
        }),
        CiChoice::Gitlab => Some(System {
            file: ".gitlab-ci.yml",
            example: include_str!("../../../../../examples/ci/gitlab.yml"),
            escape: plain,
            expression: Some("$[["),
        }),
        CiChoice::Jenkins => Some(System {
            file: "Jenkinsfile",
            example: include_str!("../../../../../examples/ci/Jenkinsfile"),
            // Inside '''…''', Groovy reads a backslash, and ends at three quotes.
            escape: |text| text.replace('\\', r"\\").replace('\'', r"\'"),
            expression: None,
        }),
    }
}

/// The file of the CI system and its text; `None` without a CI system.
///
/// # Errors
/// If the file exists, or if it cannot hold the name of the plan or the build command.
pub(super) fn file(
    answers: &Answers,
    args: &InitArgs,
) -> Result<Option<(NewFile, String)>, InitError> {
    let Some(system) = system(answers.ci) else {
        return match &args.ci_out {
            Some(_) => Err(InitError::only_for("--ci-out", "--ci")),
            None => Ok(None),
        };
    };
    let path = args.ci_out.clone();
    let path = path.unwrap_or_else(|| PathBuf::from(system.file));
    let file = NewFile::with_directory(&path, "--ci-out", args.force)?;
    let text = text(&system, &args.out, answers)?;
    Ok(Some((file, text)))
}

fn text(system: &System, plan: &Path, answers: &Answers) -> Result<String, InitError> {
    let word = |text: &str| {
        let has_expression = system.expression.is_some_and(|begin| text.contains(begin));
        if has_expression || text.contains(char::is_control) {
            return Err(InitError::NotInCi {
                text: text.to_owned(),
            });
        }
        Ok((system.escape)(&quoted(text)))
    };
    let gate = format!("tenbin gate run {}", word(&plan.display().to_string())?);
    let build = match &answers.build {
        Some(command) => format!("--build {}", word(command)?),
        None => String::new(),
    };
    let mut text = String::new();
    for line in system.example.lines() {
        let mut of_revisions = REVISIONS.iter().chain([&SERVER]);
        let is_of_revisions = of_revisions.any(|part| line.contains(*part));
        if is_of_revisions && !answers.is_of_revisions() {
            continue;
        }
        if line.contains(SERVER) && build.is_empty() {
            continue;
        }
        let line = line.replace(GATE, &gate).replace(SERVER, &build);
        text += &line.replace(MARGIN, "");
        text.push('\n');
    }
    Ok(text)
}
