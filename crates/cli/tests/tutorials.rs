//! The tutorials and the page for people who come from other tools: every command runs as written, in
//! the order of the page, and prints what the page shows.
//!
//! Each page runs in a shell in a separate network, so that the ports of the pages are free.

mod common;
#[path = "tutorials/page.rs"]
mod page;
#[path = "tutorials/shown.rs"]
mod shown;

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{
    MACHINE_RULES, Scratch, names_machine_rule, search_path_with_tenbin, tied, wait_until,
};
use page::{Command, Page, Step};
use serde_json::Value;

/// All commands of the pages that the test does not run, because they change the machine or need
/// another one: none so far.
const NOT_RUN: &[&str] = &[];

/// Longest time of a page on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

#[test]
fn object_stores() {
    follow("tutorials/object-stores.md");
}

#[test]
fn web_frameworks() {
    follow("tutorials/web-frameworks.md");
}

#[test]
fn search_clusters() {
    follow("tutorials/search-clusters.md");
}

#[test]
fn blob_stores() {
    follow("tutorials/blob-stores.md");
}

#[test]
fn coming_from() {
    follow("coming-from.md");
}

/// Does what a page of `docs/` tells its reader, and checks exit codes and output.
fn follow(name: &str) {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(repository.join("docs").join(name)).expect(name);
    let page = Page::read(&text);
    for line in &page.not_run {
        assert!(NOT_RUN.contains(&line.as_str()), "{name}: not run: {line}");
    }
    let scratch = Scratch::new(&name.replace(['/', '.'], "-"));
    let examples = repository.join("examples").canonicalize();
    symlink(examples.expect("the examples"), scratch.join("examples")).expect("a link");
    let mut script = String::from("ip link set lo up || exit 99\nexec < /dev/null\n");
    let mut commands = Vec::new();
    for step in &page.steps {
        match step {
            Step::File { name, content } => drop(scratch.write(name, content)),
            Step::Command(command) => {
                add(&mut script, commands.len(), &command.line);
                commands.push(command);
            }
        }
    }
    assert!(!commands.is_empty(), "{name} has no commands");
    run(&scratch, &script);
    for (index, command) in commands.into_iter().enumerate() {
        check(&scratch, name, index, command);
    }
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Adds a command to the script. A server in the background gets the time to listen that a reader
/// takes to type the next command.
fn add(script: &mut String, index: usize, line: &str) {
    let starts_server = line.ends_with('&');
    if starts_server {
        *script += "before=$(listening)\n";
    }
    // A newline before the bracket: the line may end with `&`.
    let _ = write!(
        script,
        "{{ {line}\n}} > step-{index}.output 2>&1\necho $? > step-{index}.code\n"
    );
    if starts_server {
        *script +=
            "for _ in $(seq 200); do [ $(listening) -gt $before ] && break; sleep 0.05; done\n";
    }
}

/// Runs the script to its end, in a network of its own.
fn run(scratch: &Scratch, script: &str) {
    let listening =
        "listening() { cat /proc/net/tcp /proc/net/tcp6 2> /dev/null | grep -c ' 0A '; }\n";
    let file = scratch.write("page.sh", format!("{listening}{script}"));
    let (mark, directory) = scratch.mark();
    let start = Instant::now();
    let mut child = tied("unshare")
        .args(["--map-root-user", "--net", "--", "bash", &file])
        .current_dir(scratch.path())
        .env("PATH", search_path_with_tenbin(scratch))
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .env(mark, directory)
        .env_remove("TENBIN_VERBOSE")
        .stdin(Stdio::null())
        .spawn()
        .expect("unshare can be started");
    let mut status = None;
    let ended = wait_until(LIMIT, || {
        status = child.try_wait().expect("the shell can be waited for");
        status.is_some()
    });
    if !ended {
        let _ = child.kill();
    }
    assert!(ended, "not done after {:?}", start.elapsed());
    assert_ne!(
        status.and_then(|status| status.code()),
        Some(99),
        "no network"
    );
}

fn check(scratch: &Scratch, page: &str, index: usize, command: &Command) {
    let read = |ending: &str| {
        let file = scratch.path().join(format!("step-{index}.{ending}"));
        String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()
    };
    let (code, output) = (read("code"), read("output"));
    let told = format!("docs/{page}:{}\n$ {}\n{output}", command.at, command.line);
    let code: Option<i32> = code.trim().parse().ok();
    let is_by_machine = || is_invalid_by_machine(scratch, &output) || is_own_verdict(&output);
    if code == Some(6) && command.exit == 0 && is_by_machine() {
        return;
    }
    let exit = command.exit;
    assert!(
        code == Some(exit),
        "exit code {exit} was expected, not {code:?}: {told}"
    );
    assert!(!output.contains("panicked at"), "{told}");
    if let Some(line) = shown::missing(&command.shown, &output) {
        panic!("`{line}` was expected: {told}");
    }
}

/// Whether `lint` found only that the run that wrote the file was SUSPECT, as on a busy machine.
fn is_own_verdict(output: &str) -> bool {
    let mut found = output.lines().filter(|line| line.starts_with("SUSPECT "));
    found.all(|line| line.contains(" own_verdict: ") && names_machine_rule(line))
        && output.contains("1 finding, 0 of which make figures unusable")
}

/// Whether the run of this output is INVALID only because the test machine was busy.
fn is_invalid_by_machine(scratch: &Scratch, output: &str) -> bool {
    let words = output.split([' ', '\n', '/']);
    let run = words.skip_while(|word| *word != "runs").nth(1);
    let file = run.map(|run| scratch.path().join("runs").join(run).join("result.json"));
    let document = file.and_then(|file| std::fs::read(file).ok());
    let document: Option<Value> = document.and_then(|text| serde_json::from_slice(&text).ok());
    let findings = document
        .as_ref()
        .and_then(|document| document["findings"].as_array());
    let invalid: Vec<&Value> = findings
        .into_iter()
        .flatten()
        .filter(|finding| finding["severity"] == "invalid")
        .collect();
    let of_the_machine = |finding: &&Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or_default();
        // The server was too slow for a response in each slice, because other programs ran.
        let is_late =
            text("rule") == "errors" && text("evidence").starts_with("no operation failed");
        is_late || MACHINE_RULES.contains(&text("rule"))
    };
    !invalid.is_empty() && invalid.iter().all(of_the_machine)
}
