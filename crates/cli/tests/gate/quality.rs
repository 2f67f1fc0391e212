//! The Code Quality report as GitLab reads it: its form, and the paths in it.

use serde_json::{Value, json};

use super::common::{self, Outcome, Scratch, Tenbin, shell};
use super::{SHORT, first_entry};

/// The properties of an entry that GitLab documents:
/// <https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format>.
fn schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": text,
                "check_name": text,
                "fingerprint": text,
                "severity": { "enum": ["info", "minor", "major", "critical", "blocker"] },
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        // Relative to the root of the repository, without a leading `./`.
                        "path": { "type": "string", "pattern": "^[^/.]" },
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": { "begin": { "type": "integer", "minimum": 1 } }
                        }
                    }
                }
            }
        }
    })
}

/// The entries of a report. Fails unless they have the form that GitLab reads, and different
/// fingerprints.
pub(super) fn entries(text: &str) -> Vec<Value> {
    const URL: &str = "http://localhost/code-quality.schema.json";
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource(URL, schema()).expect("a resource");
    let schema = compiler.compile(URL, &mut schemas).expect("a schema");
    let report: Value = serde_json::from_str(text).expect("JSON");
    if let Err(why) = schemas.validate(&report, schema) {
        panic!("{why:#}\n{text}");
    }
    let entries = report.as_array().expect("a list").clone();
    for (at, entry) in entries.iter().enumerate() {
        let mut others = entries[..at].iter();
        let is_new = others.all(|other| other["fingerprint"] != entry["fingerprint"]);
        assert!(is_new, "GitLab shows one entry for a fingerprint: {text}");
    }
    entries
}

/// A repository whose server stands in `services/api`, with a slower second commit.
fn repository(scratch: &Scratch) {
    let directory = scratch.join("project");
    let server = format!(
        "#!/bin/sh\nexec {} serve http --listen 127.0.0.1:$1 --delay \"$(cat delay)\"\n",
        env!("CARGO_BIN_EXE_tenbin")
    );
    let place = format!("{directory}/services/api");
    std::fs::create_dir_all(&place).expect("a directory");
    std::fs::write(format!("{place}/server"), server).expect("a file");
    shell(
        &directory,
        "git init -q -b main && chmod +x services/api/server",
    );
    for (delay, tag) in [("4ms", "fast"), ("12ms", "slow")] {
        std::fs::write(format!("{place}/delay"), delay).expect("a file");
        let commit = "git add -A && git -c user.name=a -c user.email=a@example.com commit -q -m x";
        shell(&directory, &format!("{commit} && git tag {tag}"));
    }
}

/// Runs `tenbin` in a directory of the repository.
fn run_in(scratch: &Scratch, directory: &str, line: &str) -> Outcome {
    let inside = format!("cd project/{directory} && exec \"$0\" \"$@\"");
    Tenbin::new(scratch, common::words(line))
        .inside(&["sh", "-c", &inside])
        .run()
}

#[test]
fn the_path_starts_at_the_root_of_the_repository() {
    let scratch = Scratch::new("gate-quality");
    repository(&scratch);
    let (runs, builds) = (scratch.join("runs"), scratch.join("builds"));
    let report = |name: &str| format!("--export code-quality={}", scratch.join(name));
    let path = |name: &str| first_entry(&scratch, name)["location"]["path"].clone();
    let script = json!("services/api/server");

    // In worktrees of two revisions, of which the working directory is none.
    let gate = format!(
        "gate --base-rev fast --build-dir {builds} http --launch 'api=./server {{port}}' --launch-dir \
         api=services/api --out {runs} {SHORT} {}",
        report("revisions.json")
    );
    let revisions = run_in(&scratch, "services", &gate);
    assert!(matches!(revisions.code, Some(6 | 7)), "{revisions}");
    assert_eq!(path("revisions.json"), script, "{revisions}");
    let shown = format!("show {} {}", newest(&scratch), report("shown.json"));
    let shown = run_in(&scratch, "services", &shown);
    assert_eq!(path("shown.json"), script, "{shown}");

    // A condition that is not met, for a server of the working tree.
    let run = format!(
        "http --launch 'api=./server {{port}}' --launch-dir api=api --out {runs} {SHORT} --rounds 6 \
         --sustain 0 --expect 'throughput>1000000/s' {}",
        report("tree.json")
    );
    let tree = run_in(&scratch, "services", &run);
    assert_eq!(path("tree.json"), script, "{tree}");

    // A plan file has precedence, with the path from the root, too.
    std::fs::write(scratch.join("project/services/plan.toml"), PLAN).expect("a file");
    let run = format!("run plan.toml --out {runs} {}", report("plan.json"));
    let plan = run_in(&scratch, "services", &run);
    assert_eq!(path("plan.json"), "services/plan.toml", "{plan}");
}

/// A plan with a condition that is not met.
const PLAN: &str = "expect = \"throughput>1000000/s\"\n[load]\nconnections = 2\n[rounds]\ncount = 6\n\
                    slice = \"200ms\"\ngap = \"0s\"\nwarmup = \"0s\"\nsustain = \"0\"\n\
                    [[target]]\nname = \"api\"\ncommand = [\"./server\", \"{port}\"]\ndirectory = \"api\"\n\
                    [[workload]]\nkind = \"http\"\n";

/// The directory of the newest run.
fn newest(scratch: &Scratch) -> String {
    let run = scratch.run().expect("a run");
    run.to_str().expect("a path in UTF-8").to_owned()
}
