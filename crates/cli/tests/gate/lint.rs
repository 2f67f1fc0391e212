//! actionlint accepts the workflows for GitHub, that which `tenbin init` writes, and a call of the
//! action as its file shows it. The published schemas of GitHub and GitLab accept the examples, and the
//! files that `tenbin init` writes.

use std::path::Path;
use std::process::Command;

use super::common::{Scratch, Server, Tenbin, path_of, shell};
use super::workflow::jobs::{self, example};

/// A workflow that calls the action.
fn caller() -> String {
    let call = jobs::call_of_action();
    let call = call.lines().map(|line| format!("      {line}\n"));
    let call: String = call.collect();
    format!(
        "on: pull_request\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    steps:\n      \
         - uses: actions/checkout@v4\n        with:\n          fetch-depth: 0\n{call}"
    )
}

/// Checks all workflows of a repository; returns whether all are valid, and what actionlint says.
fn linted(repository: &Path) -> (bool, String) {
    let output = Command::new(path_of(Server::Actionlint))
        // Otherwise the result depends on the linters for scripts that the machine has.
        .args(["-no-color", "-shellcheck=", "-pyflakes="])
        .current_dir(repository)
        .output()
        .expect("actionlint can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

/// Mistakes: the file, what is replaced in it, and by what.
const MISTAKES: [(&str, &str, &str); 5] = [
    ("example.yml", "runs-on:", "run-on:"),
    ("example.yml", "runner.temp", "runner.tmp"),
    ("performance.yml", "github.token", "github.tokens"),
    ("caller.yml", "build:", "built:"),
    ("caller.yml", "base:", "bases:"),
];

#[test]
fn actionlint_accepts_the_workflows_and_names_mistakes() {
    let scratch = Scratch::new("gate-actionlint");
    let place = scratch.join("");
    shell(&place, "git init -q && mkdir -p .github/actions/gate");
    let init = "init --kind http --server 'TOKEN=hush ./server --port {port}' --build make --goal gate \
                --ci github --no-try";
    Tenbin::line(&scratch, init).run().expect_code(0);
    scratch.write(
        ".github/actions/gate/action.yml",
        example("github-action/action.yml"),
    );
    scratch.write(".github/workflows/example.yml", example("github.yml"));
    scratch.write(".github/workflows/caller.yml", caller());
    let (passes, said) = linted(scratch.path());
    assert!(passes, "{said}");
    for (name, right, wrong) in MISTAKES {
        let file = format!(".github/workflows/{name}");
        let text = std::fs::read_to_string(scratch.join(&file)).expect("a workflow");
        assert!(text.contains(right), "{right:?} is not in {name}");
        scratch.write(&file, text.replacen(right, wrong, 1));
        let (passes, said) = linted(scratch.path());
        assert!(!passes && said.contains(name), "{wrong}: {said}");
        scratch.write(&file, text);
    }
}

/// A file of a CI system, its schema, and a mistake: what is replaced in the file, and by what.
struct Checked {
    schema: &'static str,
    file: &'static str,
    right: &'static str,
    wrong: &'static str,
}

const CHECKED: [Checked; 5] = [
    Checked {
        schema: "vendor.gitlab-ci",
        file: "gitlab.yml",
        right: "when: always",
        wrong: "when: allways",
    },
    Checked {
        schema: "vendor.gitlab-ci",
        file: ".gitlab-ci.yml",
        right: "exit_codes: [8]",
        wrong: "exit_codes: [eight]",
    },
    Checked {
        schema: "vendor.github-workflows",
        file: "github.yml",
        right: "runs-on:",
        wrong: "run-on:",
    },
    Checked {
        schema: "vendor.github-workflows",
        file: ".github/workflows/performance.yml",
        right: "jobs:",
        wrong: "job:",
    },
    Checked {
        schema: "vendor.github-actions",
        file: "action.yml",
        right: "using: composite",
        wrong: "using: composed",
    },
];

/// Checks a file with its schema, which is part of check-jsonschema; returns whether the file is valid,
/// and what check-jsonschema says.
fn fits(schema: &str, file: &str) -> (bool, String) {
    let output = Command::new(path_of(Server::CheckJsonschema))
        // The schema of GitLab has expressions that need not be valid in the mode for Unicode.
        .args(["--color", "never", "--regex-variant", "nonunicode"])
        .args(["--builtin-schema", schema, file])
        // A request to a network would fail.
        .env("https_proxy", "http://127.0.0.1:9")
        .env("http_proxy", "http://127.0.0.1:9")
        .output()
        .expect("check-jsonschema can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

#[test]
fn the_published_schemas_accept_the_files_of_ci_systems_and_name_mistakes() {
    let scratch = Scratch::new("gate-schemas");
    let init = "init --kind http --server 'TOKEN=hush ./server --port {port}' --build make --goal gate \
                --no-try";
    for system in ["github", "gitlab"] {
        let line = format!("{init} --ci {system} --out {system}.toml");
        Tenbin::line(&scratch, line).run().expect_code(0);
    }
    for name in ["gitlab.yml", "github.yml"] {
        scratch.write(name, example(name));
    }
    scratch.write("action.yml", example("github-action/action.yml"));
    for checked in CHECKED {
        let (schema, name) = (checked.schema, checked.file);
        let file = scratch.join(name);
        let (passes, said) = fits(schema, &file);
        assert!(passes, "{name}: {said}");
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(text.contains(checked.right), "{}: {name}", checked.right);
        scratch.write(name, text.replacen(checked.right, checked.wrong, 1));
        let (passes, said) = fits(schema, &file);
        assert!(!passes && said.contains(name), "{}: {said}", checked.wrong);
    }
}
