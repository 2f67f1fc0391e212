//! Too little of everything: CPU time, memory, and room for many connections and slices.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::bounds::Attacked;
use super::common::{OwnServer, Scratch, Tenbin, not_run};

/// Where control groups are mounted.
const GROUPS: &str = "/sys/fs/cgroup";

/// A control group with a limit; removed on drop.
struct Group(PathBuf);

impl Group {
    /// A group with the limit in this file of version 2, or else in this one of version 1.
    ///
    /// `None`, and a line that says so, if this user may not create groups.
    fn limited(scratch: &Scratch, controller: &str, files: [(&str, &str); 2]) -> Option<Self> {
        let name = scratch.path().file_name().expect("a name");
        let [unified, old] = [
            Path::new(GROUPS).to_owned(),
            Path::new(GROUPS).join(controller),
        ];
        for (parent, (file, limit)) in [unified, old].into_iter().zip(files) {
            let group = Self(parent.join(name));
            let is_made = std::fs::create_dir(&group.0).is_ok();
            // Only a control group has this file; the parent can be any directory.
            let is_group = is_made && group.0.join("cgroup.procs").exists();
            if is_group && std::fs::write(group.0.join(file), limit).is_ok() {
                return Some(group);
            }
        }
        not_run(&format!(
            "this user may not limit the {controller} of a control group"
        ));
        None
    }

    /// The same command line, run in the group.
    fn inside<'a>(&self, tenbin: Tenbin<'a>) -> Tenbin<'a> {
        let script = format!(
            "echo $$ > '{}/cgroup.procs' && exec \"$@\"",
            self.0.display()
        );
        tenbin.inside(&["sh", "-c", &script, "sh"])
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

fn server(scratch: &Scratch) -> OwnServer {
    OwnServer::start(scratch, ["serve", "http", "--listen", "127.0.0.1:0"])
}

fn run<'a>(scratch: &'a Scratch, server: &OwnServer, more: &str) -> Tenbin<'a> {
    let target = format!("own={}", server.url());
    let words = ["http", "--target", &target, "--warmup", "0s"].into_iter();
    Tenbin::new(scratch, words.chain(more.split(' ')))
}

#[test]
fn a_throttled_load_generator_says_so() {
    let scratch = Scratch::new("attack-throttled");
    let limits = [("cpu.max", "20000 100000"), ("cpu.cfs_quota_us", "20000")];
    let Some(group) = Group::limited(&scratch, "cpu", limits) else {
        return;
    };
    let server = server(&scratch);
    let run = run(
        &scratch,
        &server,
        "--rounds 4 --slice 500ms --gap 20ms -c 4",
    );
    let run = group.inside(run);
    let run = Attacked::run("a fifth of a core", &scratch, run);
    run.expect_codes(&[6]).expect_said("throttled");
    drop(server);
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn a_run_without_memory_is_killed_and_leaves_what_it_has() {
    let scratch = Scratch::new("attack-memory");
    let limits = [("memory.max", "20M"), ("memory.limit_in_bytes", "20M")];
    let Some(group) = Group::limited(&scratch, "memory", limits) else {
        return;
    };
    let server = server(&scratch);
    let run = run(
        &scratch,
        &server,
        "--rounds 4 --slice 500ms --gap 20ms -c 2000",
    );
    let ended = group.inside(run).run();
    // The kernel kills the program if it needs more than it gets.
    let is_killed = ended.signal == Some(9);
    assert!(is_killed || matches!(ended.code, Some(0 | 6)), "{ended}");
    drop(server);
    scratch.expect_nobody_left(Duration::from_secs(10));
    if let Some(directory) = scratch.run() {
        let shown = Tenbin::new(&scratch, ["show".as_ref(), directory.as_os_str()]);
        Attacked::run("little memory", &scratch, shown).expect_codes(&[0, 2, 4, 6]);
    }
}

#[test]
fn ten_thousand_connections_fit() {
    let scratch = Scratch::new("attack-connections");
    let server = server(&scratch);
    let run = run(
        &scratch,
        &server,
        "--rounds 2 --slice 1s -c 10000 --timeout 20s",
    );
    Attacked::run("10,000 connections", &scratch, run).expect_codes(&[0, 6]);
    let result = scratch.result();
    let all = &result["results"][0];
    assert_eq!(all["connections"]["opened"], 20_000, "{all}");
    // A full accept queue loses some connections without telling the client.
    let count = |key: &str| all[key].as_u64().expect("a count");
    assert!(count("failed") * 20 < count("ok"), "{all}");
    // Every connection carries a request: a slow machine may not finish one on each in a slice.
    assert!(count("ok") >= 10_000, "{all}");
    for slice in result["slices"].as_array().expect("slices") {
        assert_eq!(slice["wire"]["connections"], 10_000, "{slice}");
    }
}
