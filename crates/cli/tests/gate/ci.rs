//! The shell lines of `examples/ci`, run unchanged in a clone of a repository with a history.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use saphyr::{LoadableYamlNode as _, Yaml};

use super::common::{Scratch, shell, tied};
use super::workflow::jobs::{self, example};
use super::workflow::{COMMITS, Runner, decided, repository, say_decided};

#[test]
fn a_comment_that_cannot_be_written_fails_the_step_and_not_the_job() {
    let step = jobs::named(jobs::of_workflow(), jobs::COMMENT);
    assert!(step.names_bash && step.continues_on_error, "{step:?}");
    let scratch = Scratch::new("gate-comment");
    std::fs::write(scratch.path().join("comment.md"), "a marker\n").expect("a file");
    let refused = format!("gh() {{ echo 'HTTP 403' >&2; return 1; }}\n{}", step.script);
    let output = tied("bash")
        .args(step.options())
        .args(["-c", &refused])
        .current_dir(scratch.path())
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("NUMBER", "7")
        .output();
    let output = output.expect("bash can be started");
    assert!(!output.status.success(), "{output:?}");
}

#[test]
fn the_options_of_the_action_may_stand_on_several_lines() {
    let step = jobs::named(jobs::of_action(), jobs::GATE);
    let (reads, _) = step.script.split_once("base=").expect("the revisions");
    let shows = format!("{reads}printf '<%s>' \"${{options[@]}}\"");
    for options in ["--path /a --margin 10%", "--path /a\n--margin 10%\n"] {
        let output = tied("bash")
            .args(step.options())
            .args(["-c", &shows])
            .env("OPTIONS", options)
            .output();
        let output = output.expect("bash can be started");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "<--path></a><--margin><10%>",
            "{output:?}"
        );
    }
}

/// Runs the gate of the workflow and its comment; returns whether the gate decided.
fn gate_of_workflow(scratch: &Scratch, origin: &Path, branch: &str, code: i32, word: &str) -> bool {
    // Other tests can take so much of the machine that an equal speed is not proven.
    let undecided: &[i32] = if branch == "equal" { &[6, 8] } else { &[6] };
    let found = decided(branch, undecided, || {
        let runner = Runner::new(scratch, origin, branch, "");
        let (ended, said) = runner.gate_of_workflow(scratch);
        runner.expect_two_builds();
        (runner, ended, said)
    });
    let Some((runner, ended, said)) = found else {
        return false;
    };
    assert_eq!(ended, code, "{branch}: {said}");
    assert!(said.contains(word), "{said}");
    let summary = runner.summary();
    assert!(summary.contains(word), "{summary}");
    assert!(runner.read("gate.xml").contains("<testcase"));
    comment_is_replaced(scratch, &runner);
    assert!(runner.read("comment.md").contains(word));
    // What the gate leaves in the repository is its output.
    let clone = runner.clone.to_str().expect("a path in UTF-8");
    shell(
        clone,
        "test -z \"$(git status --porcelain --untracked-files=no)\"",
    );
    true
}

/// Runs the step that comments: without an earlier comment, and with two.
fn comment_is_replaced(scratch: &Scratch, runner: &Runner) {
    let step = jobs::named(jobs::of_workflow(), jobs::COMMENT);
    let sent = || {
        let (ended, said) = runner.step(scratch, &step, &runner.expressions());
        assert_eq!(ended, 0, "{said}");
        let log = runner.read("../gh.log");
        log.lines().last().expect("a line").to_owned()
    };
    assert_eq!(
        sent(),
        "api --silent --method POST repos/owner/name/issues/7/comments --field body=@comment.md"
    );
    std::fs::write(runner.clone.join("../earlier"), "41\n42\n").expect("a file");
    assert_eq!(
        sent(),
        "api --silent --method PATCH repos/owner/name/issues/comments/42 --field body=@comment.md"
    );
    assert!(runner.read("../gh.log").contains("startswith(env.marker)"));
}

#[test]
fn the_workflow_fails_for_a_slower_change_and_passes_for_the_others() {
    let scratch = Scratch::new("gate-workflow");
    let origin = repository(&scratch);
    let counted = Command::new("git")
        .args(["rev-list", "--all", "--count"])
        .current_dir(&origin)
        .output();
    let counted = counted.expect("git can be started").stdout;
    assert_eq!(
        String::from_utf8_lossy(&counted).trim(),
        COMMITS.to_string()
    );
    let mut told = Vec::new();
    for (branch, code, word) in [
        ("slower", 7, "REGRESSION"),
        ("equal", 0, "PASS"),
        ("faster", 0, "PASS"),
    ] {
        if gate_of_workflow(&scratch, &origin, branch, code, word) {
            told.push(branch);
        }
    }
    say_decided(&told, 3);
    scratch.expect_nobody_left(Duration::from_secs(2));
}

/// Runs the gate of the action, and returns its exit code and output.
fn gate_of_action(scratch: &Scratch, origin: &Path, branch: &str) -> (Runner, i32, String) {
    let runner = Runner::new(scratch, origin, branch, "");
    let mut inputs = jobs::inputs_of_action(&runner.expressions());
    // The slices of a test have too few requests for a p99.
    let options = inputs.get_mut("inputs.options").expect("options");
    assert!(options.contains("p99=10%"), "{options}");
    *options = options.replace("p99=10%", "p50=10%");
    let step = jobs::named(jobs::of_action(), jobs::GATE);
    let (ended, said) = runner.step(scratch, &step, &inputs);
    runner.expect_two_builds();
    (runner, ended, said)
}

#[test]
fn the_action_fails_for_a_slower_change_and_passes_for_a_faster_one() {
    let scratch = Scratch::new("gate-action");
    let origin = repository(&scratch);
    let mut told = Vec::new();
    for (branch, code, word) in [("slower", 7, "REGRESSION"), ("faster", 0, "PASS")] {
        let found = decided(branch, &[6], || gate_of_action(&scratch, &origin, branch));
        let Some((runner, ended, said)) = found else {
            continue;
        };
        assert_eq!(ended, code, "{branch}: {said}");
        let summary = runner.summary();
        assert!(summary.contains(word), "{summary}");
        assert!(summary.contains("10 %"), "{summary}");
        told.push(branch);
    }
    say_decided(&told, 2);
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn the_action_installs_the_release_of_the_workflow() {
    let event = ["base", "head"].map(|side| {
        let expression = format!("github.event.pull_request.{side}.sha");
        (expression, "a commit".to_owned())
    });
    let inputs = jobs::inputs_of_action(&BTreeMap::from(event));
    let step = jobs::named(jobs::of_action(), jobs::INSTALL);
    let text = example("github.yml");
    let workflow = Yaml::load_from_str(&text).expect("YAML");
    for name in ["TENBIN_VERSION", "TENBIN_URL"] {
        let value = jobs::evaluated(&step.variables[name], &inputs);
        assert_eq!(Some(value.as_str()), workflow[0]["env"][name].as_str());
    }
}

#[test]
fn a_gate_that_cannot_tell_is_a_warning_in_gitlab_and_jenkins() {
    let text = example("gitlab.yml");
    let job = Yaml::load_from_str(&text).expect("YAML");
    let codes = &job[0]["performance"]["allow_failure"]["exit_codes"];
    let codes = codes.as_sequence().expect("a list").iter();
    let codes: Vec<_> = codes.map(|code| code.as_integer()).collect();
    assert_eq!(codes, [Some(8)]);
    let jenkinsfile = example("Jenkinsfile");
    let (_, after) = jenkinsfile.split_once("if (code == 8) {").expect("it");
    assert!(after.trim_start().starts_with("unstable("), "{after}");
}

/// The Jenkinsfile that `tenbin init` writes beside a plan: that of the examples, with the plan in place
/// of options.
fn written_jenkinsfile(runner: &Runner) -> String {
    let made = tied(env!("CARGO_BIN_EXE_tenbin"))
        .args([
            "init", "--kind", "http", "--server", "./server --port {port}",
        ])
        .args(["--goal", "gate", "--ci", "jenkins", "--no-try"])
        .current_dir(&runner.clone)
        .output()
        .expect("tenbin can be started");
    assert!(made.status.success(), "{made:?}");
    let said = String::from_utf8_lossy(&made.stdout);
    assert!(
        said.contains("tenbin gate run tenbin.toml --base-rev main --build make"),
        "{said}"
    );
    runner.read("Jenkinsfile")
}

#[test]
fn the_lines_for_jenkins_and_gitlab_run_the_gate() {
    let scratch = Scratch::new("gate-pipelines");
    let origin = repository(&scratch);
    let runner = Runner::new(&scratch, &origin, "slower", "");
    let jenkinsfile = written_jenkinsfile(&runner);
    assert!(
        jenkinsfile.contains("tenbin gate run tenbin.toml"),
        "{jenkinsfile}"
    );
    let pipelines = [
        (
            "Jenkins",
            jobs::of_jenkinsfile(&jenkinsfile),
            vec![("CHANGE_TARGET", "main".to_owned())],
        ),
        (
            "GitLab",
            jobs::of_gitlab(&example("gitlab.yml")),
            vec![
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", runner.base.clone()),
                ("CI_COMMIT_SHA", runner.head.clone()),
                ("CI_PROJECT_DIR", runner.clone.display().to_string()),
            ],
        ),
    ];
    let mut told = Vec::new();
    for (system, script, variables) in pipelines {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        let variables: BTreeMap<String, String> = variables.collect();
        let found = decided(system, &[6], || {
            let (code, said) = runner.run(&scratch, &["-e"], &script, &variables);
            assert!(matches!(code, 6 | 7), "{script}\n{said}");
            assert!(runner.read("gate.xml").contains("<testcase"));
            if script.contains("code-quality") {
                let report = runner.read("code-quality.json");
                assert!(report.contains("\"path\": \"server\""), "{report}");
                std::fs::remove_file(runner.clone.join("code-quality.json")).expect("a file");
            }
            std::fs::remove_file(runner.clone.join("gate.xml")).expect("a file");
            ((), code, said)
        });
        if found.is_some() {
            told.push(system);
        }
    }
    say_decided(&told, 2);
    scratch.expect_nobody_left(Duration::from_secs(2));
}
