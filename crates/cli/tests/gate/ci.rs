//! The shell lines of `examples/ci`, run unchanged in a clone of a repository with a history.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use saphyr::{LoadableYamlNode as _, Yaml};

use super::common::{Scratch, not_run, search_path, shell, tied};

/// Short slices. `tenbin gate run` has no options of the load.
const SHORT: &str = "--slice 200ms --lead 20ms --gap 0s --warmup 50ms";

/// A server with a thread for each connection that sleeps before it responds.
const SERVER: &str = r#"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLEEP_US 20000

static void *serve(void *argument) {
    int connection = (int)(long)argument;
    char request[4096];
    size_t length = 0;
    for (;;) {
        ssize_t got = read(connection, request + length, sizeof request - 1 - length);
        if (got <= 0) break;
        request[length += (size_t)got] = 0;
        if (!strstr(request, "\r\n\r\n")) continue;
        length = 0;
        usleep(SLEEP_US);
        const char *response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        if (write(connection, response, strlen(response)) < 0) break;
    }
    close(connection);
    return NULL;
}

int main(int count, char **arguments) {
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (count != 3 || strcmp(arguments[1], "--port")) return 2;
    address.sin_port = htons((unsigned short)atoi(arguments[2]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) return 1;
    for (;;) {
        pthread_t thread;
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        if (!pthread_create(&thread, NULL, serve, (void *)(long)connection)) pthread_detach(thread);
    }
}
"#;

const MAKEFILE: &str = "server: server.c\n\tcc -O1 -pthread -o server server.c\n";

/// A repository with the branches `main`, `slower` and `faster`.
fn repository(scratch: &Scratch) -> PathBuf {
    let directory = scratch.path().join("origin");
    std::fs::create_dir(&directory).expect("a directory");
    let place = directory.to_str().expect("a path in UTF-8").to_owned();
    let commit = |files: &[(&str, String)], subject: &str| {
        for (name, text) in files {
            std::fs::write(directory.join(name), text).expect("a file");
        }
        let line = format!(
            "git add -A && git -c user.name=a -c user.email=a@example.com commit -q -m '{subject}'"
        );
        shell(&place, &line);
    };
    shell(&place, "git init -q -b main");
    let first = [
        ("server.c", SERVER.to_owned()),
        ("Makefile", MAKEFILE.to_owned()),
    ];
    commit(&first, "Serve");
    commit(&[("README", "a server\n".to_owned())], "Describe");
    shell(&place, "git checkout -q -b slower");
    commit(
        &[("server.c", SERVER.replace("20000", "40000"))],
        "Think longer",
    );
    shell(&place, "git checkout -q -b faster main");
    commit(
        &[("server.c", SERVER.replace("20000", "10000"))],
        "Think shorter",
    );
    // What main gains later is no fault of the branches.
    shell(&place, "git checkout -q main");
    commit(
        &[("server.c", SERVER.replace("20000", "5000"))],
        "Hardly think",
    );
    directory
}

/// A clone of a branch on a runner, with `tenbin` and `gh` in `PATH`.
struct Runner {
    clone: PathBuf,
    programs: PathBuf,
    base: String,
    head: String,
}

impl Runner {
    fn new(scratch: &Scratch, origin: &Path, branch: &str) -> Self {
        let root = scratch.path().join(branch);
        let (clone, programs) = (root.join("work"), root.join("programs"));
        std::fs::create_dir_all(&programs).expect("a directory");
        let line = format!(
            "git clone -q {} work && cd work && git checkout -q --detach origin/{branch}",
            origin.display()
        );
        shell(root.to_str().expect("a path in UTF-8"), &line);
        let of = |revision: &str| {
            let found = Command::new("git")
                .args(["rev-parse", revision])
                .current_dir(&clone)
                .output()
                .expect("git");
            String::from_utf8_lossy(&found.stdout).trim().to_owned()
        };
        let (base, head) = (of("origin/main"), of("HEAD"));
        let program = |name: &str, text: &str| {
            let file = programs.join(name);
            std::fs::write(&file, text).expect("a file");
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&file, executable).expect("permissions");
        };
        // The lines of the example, with shorter slices.
        let tenbin = env!("CARGO_BIN_EXE_tenbin");
        program(
            "tenbin",
            &format!("#!/bin/sh\nexec {tenbin} \"$@\" {SHORT}\n"),
        );
        // The comments whose marker fits are in a file.
        program(
            "gh",
            "#!/bin/sh\necho \"$@\" >>../gh.log\ncase \"$*\" in *--paginate*) [ ! -f ../earlier ] || cat \
             ../earlier ;; esac\n",
        );
        Self {
            clone,
            programs,
            base,
            head,
        }
    }

    /// Runs a script as a runner does, and returns its exit code and output.
    fn run(
        &self,
        scratch: &Scratch,
        script: &str,
        variables: &BTreeMap<String, String>,
    ) -> (i32, String) {
        let (mark, place) = scratch.mark();
        let others = search_path();
        let all = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&others));
        let root = self.clone.parent().expect("a directory");
        let output = tied("bash")
            .args(["-e", "-c", script])
            .current_dir(&self.clone)
            .env(mark, place)
            .env("PATH", std::env::join_paths(all).expect("a PATH"))
            .env("HOME", root)
            .env("XDG_CACHE_HOME", root.join("cache"))
            .env("CI", "true")
            .env("NO_COLOR", "1")
            .envs(variables)
            .output()
            .expect("bash can be started");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(!said.contains("panicked at"), "{said}");
        (output.status.code().expect("an exit code"), said)
    }

    fn read(&self, name: &str) -> String {
        let file = self.clone.join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }
}

fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
    std::fs::read_to_string(examples.join(name)).expect(name)
}

/// Name of the step that installs Tenbin.
const INSTALL: &str = "Install Tenbin";

/// The lines of each example that install Tenbin.
fn installs() -> [String; 3] {
    let workflow = Yaml::load_from_str(&example("github.yml")).expect("YAML");
    let steps = workflow[0]["jobs"]["gate"]["steps"].as_sequence();
    let mut steps = steps.expect("steps").iter();
    let step = steps
        .find(|step| step.contains_mapping_key("name") && step["name"].as_str() == Some(INSTALL));
    let github = step.and_then(|step| step["run"].as_str());
    let job = Yaml::load_from_str(&example("gitlab.yml")).expect("YAML");
    let gitlab = job[0]["performance"]["before_script"][0].as_str();
    let jenkinsfile = example("Jenkinsfile");
    let (_, after) = jenkinsfile.split_once("sh '''").expect("a step");
    let (jenkins, _) = after.split_once("'''").expect("its end");
    [
        github.expect("a script").to_owned(),
        gitlab.expect("a script").to_owned(),
        jenkins.to_owned(),
    ]
}

/// A release at a URL, with an archive for this machine.
fn release(scratch: &Scratch) -> String {
    let script = "set -e; mkdir -p $0/v1.2.3 && cd $0/v1.2.3 && n=tenbin-1.2.3-$(uname -m)-unknown-linux-musl
        mkdir $n && printf '#!/bin/sh\necho release\n' > $n/tenbin && chmod +x $n/tenbin
        tar czf $n.tar.gz $n && rm -r $n && sha256sum $n.tar.gz > SHA256SUMS
        echo \"$(echo x | sha256sum | cut -c1-64)  another-file.deb\" >> SHA256SUMS";
    let place = scratch.join("releases");
    let made = tied("sh").args(["-c", script, &place]).output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{made:?}");
    format!("file://{place}")
}

#[test]
fn the_steps_that_install_tenbin_check_the_archive() {
    let scratch = Scratch::new("gate-install");
    let url = release(&scratch);
    let place = scratch.join("runner");
    std::fs::create_dir(&place).expect("a directory");
    let added = scratch.join("path");
    let run = |script: &str| {
        let script = format!(
            "{script}\n[ ! -f \"$GITHUB_PATH\" ] || PATH=$(cat \"$GITHUB_PATH\"):$PATH\ntenbin"
        );
        let output = tied("bash")
            .args(["-e", "-c", &script])
            .current_dir(&place)
            .env("TENBIN_VERSION", "1.2.3")
            .env("TENBIN_URL", &url)
            .env("GITHUB_PATH", &added)
            .env("WORKSPACE_TMP", &place)
            .env("PATH", format!("{place}/tenbin:/usr/bin:/bin"))
            .output();
        let output = output.expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), said)
    };
    for script in installs() {
        let _ = std::fs::remove_file(&added);
        let (passes, said) = run(&script);
        assert!(passes && said.ends_with("release\n"), "{script}: {said}");
    }
    let spoil = "cd $0/v1.2.3 && for f in *.tar.gz; do echo >> $f; done";
    let spoilt = tied("sh")
        .args(["-c", spoil, &scratch.join("releases")])
        .status();
    assert!(spoilt.expect("a shell").success());
    for script in installs() {
        let _ = std::fs::remove_file(&added);
        let (passes, said) = run(&script);
        assert!(!passes && said.contains("FAILED"), "{script}: {said}");
    }
}

#[test]
fn a_comment_that_cannot_be_written_fails_the_step_and_not_the_job() {
    let workflow = Yaml::load_from_str(&example("github.yml")).expect("YAML");
    let steps = workflow[0]["jobs"]["gate"]["steps"].as_sequence();
    let mut steps = steps.expect("steps").iter();
    let step = steps
        .find(|step| step.contains_mapping_key("name") && step["name"].as_str() == Some("Comment"));
    let step = step.expect("a step that comments");
    // With this shell, a runner sets pipefail.
    assert_eq!(step["shell"].as_str(), Some("bash"));
    assert_eq!(step["continue-on-error"].as_bool(), Some(true));
    let script = step["run"].as_str().expect("a script");
    let scratch = Scratch::new("gate-comment");
    std::fs::write(scratch.path().join("comment.md"), "a marker\n").expect("a file");
    let refused = format!("gh() {{ echo 'HTTP 403' >&2; return 1; }}\n{script}");
    let output = tied("bash")
        .args(["-e", "-o", "pipefail", "-c", &refused])
        .current_dir(scratch.path())
        .env("GITHUB_REPOSITORY", "owner/name")
        .env("NUMBER", "7")
        .output();
    let output = output.expect("bash can be started");
    assert!(!output.status.success(), "{output:?}");
}

#[test]
fn the_options_of_the_action_may_stand_on_several_lines() {
    let action = Yaml::load_from_str(&example("github-action/action.yml")).expect("YAML");
    let script = action[0]["runs"]["steps"][0]["run"].as_str();
    let (reads, _) = script
        .expect("a script")
        .split_once("base=")
        .expect("the revisions");
    let shows = format!("{reads}printf '<%s>' \"${{options[@]}}\"");
    for options in ["--path /a --margin 10%", "--path /a\n--margin 10%\n"] {
        let output = tied("bash")
            .args(["-e", "-o", "pipefail", "-c", &shows])
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

/// The steps of a workflow that run a script, with their environment.
fn steps(workflow: &str, runner: &Runner) -> Vec<(String, BTreeMap<String, String>)> {
    let documents = Yaml::load_from_str(workflow).expect("the workflow is YAML");
    let steps = documents[0]["jobs"]["gate"]["steps"].as_sequence();
    let steps = steps.expect("steps").iter();
    let scripts = steps
        .filter(|step| step.contains_mapping_key("run"))
        .filter(|step| step["name"].as_str() != Some(INSTALL))
        .map(|step| {
            let script = step["run"].as_str().expect("a script").to_owned();
            let variables = step["env"].as_mapping().expect("variables").iter();
            let variables = variables.map(|(name, value)| {
                let value = match value.as_str().expect("a value") {
                    "${{ github.event.pull_request.base.sha }}" => runner.base.clone(),
                    "${{ github.event.pull_request.head.sha }}" => runner.head.clone(),
                    "${{ github.event.pull_request.number }}" => "7".to_owned(),
                    "${{ github.token }}" => "a-token".to_owned(),
                    other => panic!("{other}"),
                };
                (name.as_str().expect("a name").to_owned(), value)
            });
            (script, variables.collect())
        });
    scripts.collect()
}

/// Runs the gate of the workflow and its comment.
fn gate_of_workflow(scratch: &Scratch, origin: &Path, branch: &str, code: i32, word: &str) {
    let runner = Runner::new(scratch, origin, branch);
    let steps = steps(&example("github.yml"), &runner);
    let [(gate, variables), (comment, for_comment)] = steps.as_slice() else {
        panic!("{steps:?}");
    };
    let mut variables = variables.clone();
    let summary = runner
        .clone
        .parent()
        .expect("a directory")
        .join("summary.md");
    let summary = summary.to_str().expect("a path in UTF-8").to_owned();
    variables.insert("GITHUB_ACTIONS".to_owned(), "true".to_owned());
    variables.insert("GITHUB_STEP_SUMMARY".to_owned(), summary.clone());
    let (ended, said) = runner.run(scratch, gate, &variables);
    if ended == 6 {
        assert!(said.contains("INVALID"), "{said}");
        return not_run("the result is INVALID, because the machine is busy");
    }
    assert_eq!(ended, code, "{branch}: {said}");
    assert!(said.contains(word), "{said}");
    let summary = std::fs::read_to_string(summary).expect("a summary");
    assert!(summary.contains(word), "{summary}");
    assert!(runner.read("gate.xml").contains("<testcase"));
    comment_is_replaced(scratch, &runner, comment, for_comment);
    assert!(runner.read("comment.md").contains(word));
    // What the gate leaves in the repository is its output.
    let clone = runner.clone.to_str().expect("a path in UTF-8");
    shell(
        clone,
        "test -z \"$(git status --porcelain --untracked-files=no)\"",
    );
}

/// Runs the step that comments: without an earlier comment, and with two.
fn comment_is_replaced(
    scratch: &Scratch,
    runner: &Runner,
    step: &str,
    variables: &BTreeMap<String, String>,
) {
    let mut variables = variables.clone();
    variables.insert("GITHUB_REPOSITORY".to_owned(), "owner/name".to_owned());
    let sent = || {
        let (ended, said) = runner.run(scratch, step, &variables);
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
fn the_workflow_fails_for_a_slower_change_and_passes_for_a_faster_one() {
    let scratch = Scratch::new("gate-workflow");
    let origin = repository(&scratch);
    gate_of_workflow(&scratch, &origin, "slower", 7, "REGRESSION");
    gate_of_workflow(&scratch, &origin, "faster", 0, "PASS");
    scratch.expect_nobody_left(Duration::from_secs(2));
}

/// The lines between `sh(… script: '''` and `'''` of a Jenkinsfile, as Groovy reads them.
fn of_jenkinsfile(text: &str) -> String {
    let (_, after) = text.split_once("script: '''").expect("a script");
    let (script, _) = after.split_once("'''").expect("its end");
    script.replace(r"\'", "'").replace(r"\\", "\\")
}

/// The lines of the job in a file of GitLab CI.
fn of_gitlab(text: &str) -> String {
    let documents = Yaml::load_from_str(text).expect("the job is YAML");
    let lines = documents[0]["performance"]["script"].as_sequence();
    let lines = lines.expect("lines").iter();
    let lines = lines.map(|line| line.as_str().expect("a line"));
    lines.collect::<Vec<_>>().join("\n")
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
    let runner = Runner::new(&scratch, &origin, "slower");
    let jenkinsfile = written_jenkinsfile(&runner);
    assert!(
        jenkinsfile.contains("tenbin gate run tenbin.toml"),
        "{jenkinsfile}"
    );
    let pipelines = [
        (
            of_jenkinsfile(&jenkinsfile),
            vec![("CHANGE_TARGET", "main".to_owned())],
        ),
        (
            of_gitlab(&example("gitlab.yml")),
            vec![
                ("CI_MERGE_REQUEST_DIFF_BASE_SHA", runner.base.clone()),
                ("CI_COMMIT_SHA", runner.head.clone()),
                ("CI_PROJECT_DIR", runner.clone.display().to_string()),
            ],
        ),
    ];
    for (script, variables) in pipelines {
        let variables = variables
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        let (code, said) = runner.run(&scratch, &script, &variables.collect());
        assert!(matches!(code, 6 | 7), "{script}\n{said}");
        assert!(runner.read("gate.xml").contains("<testcase"));
        if script.contains("code-quality") {
            let report = runner.read("code-quality.json");
            assert!(report.contains("\"path\": \"server\""), "{report}");
        }
        std::fs::remove_file(runner.clone.join("gate.xml")).expect("a file");
    }
    scratch.expect_nobody_left(Duration::from_secs(2));
}
