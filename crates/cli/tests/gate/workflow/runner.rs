//! A clone of a branch on a runner of a CI system.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::jobs::{self, Expressions, Step};
use crate::common::{Scratch, search_path, shell, tied};

/// Short slices. `tenbin gate run` has no options of the load.
const SHORT: &str = "--slice 200ms --lead 20ms --gap 0s --warmup 50ms";

/// A clone of a branch on a runner, with `tenbin` and `gh` in `PATH`.
pub(crate) struct Runner {
    pub(crate) clone: PathBuf,
    programs: PathBuf,
    /// The commit of `main`.
    pub(crate) base: String,
    /// The commit of the branch.
    pub(crate) head: String,
    /// The commit at which the branch left `main`.
    merge_base: String,
}

impl Runner {
    /// Clones the branch, also if another runner has a clone of it. `options` are added to every `tenbin`, for shorter gates.
    pub(crate) fn new(scratch: &Scratch, origin: &Path, branch: &str, options: &str) -> Self {
        let mut roots = (1..).map(|number| scratch.path().join(format!("{branch}-{number}")));
        let root = roots.find(|root| !root.exists()).expect("a free name");
        let (clone, programs) = (root.join("work"), root.join("programs"));
        std::fs::create_dir_all(&programs).expect("a directory");
        let line = format!(
            "git clone -q {} work && cd work && git checkout -q --detach origin/{branch}",
            origin.display()
        );
        shell(root.to_str().expect("a path in UTF-8"), &line);
        let of = |arguments: &[&str]| {
            let found = Command::new("git")
                .args(arguments)
                .current_dir(&clone)
                .output()
                .expect("git");
            String::from_utf8_lossy(&found.stdout).trim().to_owned()
        };
        let base = of(&["rev-parse", "origin/main"]);
        let head = of(&["rev-parse", "HEAD"]);
        let merge_base = of(&["merge-base", "origin/main", "HEAD"]);
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
            &format!("#!/bin/sh\nexec {tenbin} \"$@\" {SHORT} {options}\n"),
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
            merge_base,
        }
    }

    fn root(&self) -> &Path {
        self.clone.parent().expect("a directory")
    }

    /// What the expressions of a pull request for `main` are.
    pub(crate) fn expressions(&self) -> Expressions {
        let event = "github.event.pull_request";
        BTreeMap::from([
            (format!("{event}.base.sha"), self.base.clone()),
            (format!("{event}.head.sha"), self.head.clone()),
            (format!("{event}.number"), "7".to_owned()),
            ("github.token".to_owned(), "a-token".to_owned()),
        ])
    }

    /// Runs the gate of the GitHub workflow, and returns its exit code and output.
    pub(crate) fn gate_of_workflow(&self, scratch: &Scratch) -> (i32, String) {
        let step = jobs::named(jobs::of_workflow(), jobs::GATE);
        self.step(scratch, &step, &self.expressions())
    }

    /// Runs a step as a runner of GitHub does, and returns its exit code and output.
    pub(crate) fn step(
        &self,
        scratch: &Scratch,
        step: &Step,
        expressions: &Expressions,
    ) -> (i32, String) {
        let summary = self.root().join("summary.md");
        let mut variables = BTreeMap::from([
            ("GITHUB_ACTIONS".to_owned(), "true".to_owned()),
            ("GITHUB_REPOSITORY".to_owned(), "owner/name".to_owned()),
            (
                "GITHUB_STEP_SUMMARY".to_owned(),
                summary.display().to_string(),
            ),
        ]);
        for (name, value) in &step.variables {
            variables.insert(name.clone(), jobs::evaluated(value, expressions));
        }
        let script = jobs::evaluated(&step.script, expressions);
        self.run(scratch, step.options(), &script, &variables)
    }

    /// Runs a script with bash and these options, and returns its exit code and output.
    pub(crate) fn run(
        &self,
        scratch: &Scratch,
        options: &[&str],
        script: &str,
        variables: &BTreeMap<String, String>,
    ) -> (i32, String) {
        let (mark, place) = scratch.mark();
        let others = search_path();
        let all = std::iter::once(self.programs.clone()).chain(std::env::split_paths(&others));
        let output = tied("bash")
            .args(options)
            .args(["-c", script])
            .current_dir(&self.clone)
            .env(mark, place)
            .env("PATH", std::env::join_paths(all).expect("a PATH"))
            .env("HOME", self.root())
            .env("XDG_CACHE_HOME", self.root().join("cache"))
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

    /// The text of a file in the clone.
    pub(crate) fn read(&self, name: &str) -> String {
        let file = self.clone.join(name);
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// The summary of the job.
    pub(crate) fn summary(&self) -> String {
        self.read("../summary.md")
    }

    /// Fails the test unless the merge base and the head were built, each once, and no other commit.
    pub(crate) fn expect_two_builds(&self) {
        let built = self.read("../built");
        let mut built: Vec<&str> = built.lines().collect();
        let mut sides = [self.merge_base.as_str(), self.head.as_str()];
        built.sort_unstable();
        sides.sort_unstable();
        assert_eq!(built, sides);
    }
}
