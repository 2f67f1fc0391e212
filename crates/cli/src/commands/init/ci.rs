//! The file of a CI system: the example in `examples/ci`, with the plan in place of its options, and
//! with the variables of the plan.

use std::path::{Path, PathBuf};

use tenbin_plan::{Sentence, sentence};
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
    /// The line of the example after which variables are set.
    anchor: &'static str,
    /// The lines that set variables with these names.
    set: fn(&[String]) -> String,
    /// Variables of the example, which a plan cannot have.
    taken: &'static [&'static str],
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
            anchor: "HEAD: ${{",
            set: |names| {
                each(names, |it| {
                    format!("          {it}: ${{{{ secrets.{it} }}}}\n")
                })
            },
            taken: &["BASE", "HEAD", "TENBIN_URL", "TENBIN_VERSION"],
        }),
        CiChoice::Gitlab => Some(System {
            file: ".gitlab-ci.yml",
            example: include_str!("../../../../../examples/ci/gitlab.yml"),
            escape: plain,
            expression: Some("$[["),
            anchor: "TENBIN_URL: ",
            set: |names| {
                format!(
                    "    # Variables of the plan, which the project sets (Settings > CI/CD > Variables, masked):\n    \
                     # {}\n",
                    names.join(", ")
                )
            },
            taken: &["GIT_DEPTH", "TENBIN_URL", "TENBIN_VERSION"],
        }),
        CiChoice::Jenkins => Some(System {
            file: "Jenkinsfile",
            example: include_str!("../../../../../examples/ci/Jenkinsfile"),
            // Inside '''…''', Groovy reads a backslash, and ends at three quotes.
            escape: |text| text.replace('\\', r"\\").replace('\'', r"\'"),
            expression: None,
            anchor: "TENBIN_URL = ",
            set: |names| each(names, |it| format!("    {it} = credentials('{it}')\n")),
            taken: &["PATH", "TENBIN_URL", "TENBIN_VERSION"],
        }),
    }
}

/// The lines for these names.
fn each(names: &[String], line: impl Fn(&str) -> String) -> String {
    names.iter().map(|name| line(name)).collect()
}

/// What to create in the CI system, so that its file can set these variables; `None` without a CI
/// system or variables.
pub(super) fn to_create(choice: CiChoice, variables: &[String]) -> Option<Sentence> {
    if variables.is_empty() {
        return None;
    }
    let names = variables.join(", ");
    match choice {
        CiChoice::None => None,
        CiChoice::Github => Some(sentence!(
            "ci-create-github",
            "for CI, create the repository secrets {names} (Settings > Secrets and variables > Actions)",
            names
        )),
        CiChoice::Gitlab => Some(sentence!(
            "ci-create-gitlab",
            "for CI, create the masked variables {names} of the project (Settings > CI/CD > Variables)",
            names
        )),
        CiChoice::Jenkins => Some(sentence!(
            "ci-create-jenkins",
            "for CI, create credentials of kind secret text with the IDs {names} (Manage Jenkins > \
             Credentials)",
            names
        )),
    }
}

/// Whether the file of a system can set a variable with this name.
fn can_set(system: &System, name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = |c: char| is_start(c) || c.is_ascii_digit();
    name.starts_with(is_start) && name.chars().all(is_name) && !system.taken.contains(&name)
}

/// The file of the CI system and its text; `None` without a CI system. `variables` are those that the
/// plan reads.
///
/// # Errors
/// If the file exists, or if it cannot hold the name of the plan, the build command or a variable.
pub(super) fn file(
    answers: &Answers,
    args: &InitArgs,
    variables: &[String],
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
    if let Some(name) = variables.iter().find(|it| !can_set(&system, it)) {
        return Err(InitError::NoCiVariable { name: name.clone() });
    }
    let text = text(&system, &args.out, answers, variables)?;
    Ok(Some((file, text)))
}

fn text(
    system: &System,
    plan: &Path,
    answers: &Answers,
    variables: &[String],
) -> Result<String, InitError> {
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
        if line.contains(system.anchor) && !variables.is_empty() {
            text += &(system.set)(variables);
        }
    }
    Ok(text)
}
