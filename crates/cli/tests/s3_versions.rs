//! Versions, tags, locks and archives on MinIO and Versity S3 Gateway: every supported operation
//! works, every unsupported operation gets a clear message, and no objects are left behind.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{
    Agents, Outcome, Scratch, Server, Tenbin, free_port, path_of, search_path, wait_until,
};

const ACCESS: &str = "tenbin-test-user";
const SECRET: &str = "tenbin-test-secret";

/// A server that Tenbin does not start and that outlives a run, so that Tenbin must delete its
/// objects.
struct Owned {
    name: &'static str,
    child: Child,
    port: u16,
    /// Directories with the stored data.
    directories: Vec<String>,
}

impl Owned {
    fn minio(scratch: &Scratch) -> Self {
        let port = free_port();
        let disk = scratch.join("disk");
        let mut command = tied(scratch, Server::Minio);
        command
            .args(["server", "--quiet", "--certs-dir", &scratch.join("certs")])
            .args(["--address", &format!("127.0.0.1:{port}"), &disk])
            .env("MINIO_ROOT_USER", ACCESS)
            .env("MINIO_ROOT_PASSWORD", SECRET)
            .env("MINIO_BROWSER", "off")
            .env("MINIO_UPDATE", "off");
        Self::start("minio", command, port, vec![disk])
    }

    fn versity(scratch: &Scratch) -> Self {
        let port = free_port();
        let directories = ["objects", "versions"].map(|name| scratch.join(name));
        for directory in &directories {
            std::fs::create_dir(directory).expect("a directory for the gateway");
        }
        let mut command = tied(scratch, Server::Versitygw);
        command
            .args(["--quiet", "--keep-alive", "--health", "/health", "--port"])
            .arg(format!("127.0.0.1:{port}"))
            .args([
                "posix", "--versioning-dir", &directories[1], &directories[0],
            ])
            .env("ROOT_ACCESS_KEY", ACCESS)
            .env("ROOT_SECRET_KEY", SECRET);
        Self::start("versity", command, port, directories.into())
    }

    fn start(
        name: &'static str,
        mut command: Command,
        port: u16,
        directories: Vec<String>,
    ) -> Self {
        let child = command.spawn().expect("the server starts");
        let up = wait_until(Duration::from_secs(30), || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        assert!(up, "{name} does not come up");
        // The server rejects object operations for a moment after its port opens.
        std::thread::sleep(Duration::from_secs(1));
        Self {
            name,
            child,
            port,
            directories,
        }
    }

    /// Runs workloads, each given as operation and additional plan keys.
    fn run(&self, scratch: &Scratch, workloads: &[(&str, &str)]) -> Outcome {
        let keys = format!("access_key = \"{ACCESS}\"\nsecret_key = \"{SECRET}\"\n");
        self.run_with(scratch, workloads, &keys, &[])
    }

    /// As [`Owned::run`], with these lines for the keys in the plan, and more options.
    fn run_with(
        &self,
        scratch: &Scratch,
        workloads: &[(&str, &str)],
        keys: &str,
        options: &[String],
    ) -> Outcome {
        let mut plan = format!(
            "seed = 7\n[rounds]\ncount = 2\nslice = \"300ms\"\nwarmup = \"100ms\"\n\
             gap = \"10ms\"\n[load]\nconnections = 4\ntimeout = \"20s\"\n[[target]]\nname = \"{}\"\n\
             url = \"http://127.0.0.1:{}\"\n{keys}",
            self.name, self.port
        );
        for (at, (operation, more)) in workloads.iter().enumerate() {
            plan += &format!(
                "[[workload]]\nname = \"w{at}\"\nkind = \"s3\"\noperation = \"{operation}\"\n{more}\n"
            );
            let bucket = format!("\"tenbin-{at}\"");
            let usual = [
                ("size", "\"2KiB\""),
                ("objects", "23"),
                ("bucket", &*bucket),
            ];
            for (key, value) in usual {
                if !more.contains(&format!("{key} =")) {
                    plan += &format!("{key} = {value}\n");
                }
            }
        }
        let plan = scratch.write(&format!("{}.toml", self.name), plan);
        let words = ["run", &plan, "--json"].map(str::to_owned);
        Tenbin::new(scratch, words.iter().chain(options))
            .within(Duration::from_secs(180))
            .run()
    }

    /// Names of the buckets and other entries in the directories.
    fn stored(&self) -> Vec<String> {
        let directories = self.directories.iter().map(Path::new);
        let names = directories.flat_map(|directory| {
            let entries = std::fs::read_dir(directory).expect("the server's directory");
            entries.map(|entry| entry.expect("an entry").file_name())
        });
        names
            .map(|name| name.to_string_lossy().into_owned())
            // Names with a leading dot belong to the server; bucket names cannot start with a dot.
            .filter(|name| !name.starts_with('.'))
            .collect()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tied(scratch: &Scratch, server: Server) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--"])
        .arg(path_of(server))
        .env("PATH", search_path())
        .env("HOME", scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Fails unless every operation of every workload succeeded at least once and never failed.
fn expect_all_right(run: &Outcome, workloads: usize) {
    run.expect_measured();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), workloads, "{run}");
    for operation in results
        .iter()
        .flat_map(|result| result["operations"].as_array().expect("operations"))
        // Uploads are aborted only if a part failed.
        .filter(|operation| operation["operation"] != "ABORT")
    {
        assert!(
            operation["ok"].as_u64().is_some_and(|ok| ok > 0),
            "{operation}: {run}"
        );
        let errors = operation["errors"].as_object().expect("errors");
        assert!(errors.is_empty(), "{operation}: {run}");
    }
}

/// Workloads that both servers support: operation and plan keys.
const SHARED: &[(&str, &str)] = &[
    ("put", "versions = 3"),
    ("get", "versions = 3"),
    ("stat", "versions = 3"),
    ("delete", "versions = 20"),
    ("list", "versions = 3\nlist = \"versions\""),
    ("put:3,get:3,delete:2,stat:1", "versions = 2\nbuckets = 2"),
    ("put-tags", ""),
    ("get-tags", "tags = [\"a=b c\", \"x=\"]"),
    ("delete-tags", ""),
    ("retain", ""),
    ("legal-hold", ""),
    ("retain:1,legal-hold:1,get:2", "versions = 2"),
];

/// Workloads that only MinIO supports: operation and plan keys.
const ONLY_MINIO: &[(&str, &str)] = &[
    // The gateway lists a version twice if a page ends with the latest version of an object.
    ("list", "versions = 3\nlist = \"versions\"\npage = 20"),
    ("snowball", "entries = 5\nbuckets = 2"),
    ("zip-get", "entries = 5"),
    ("zip-list", "entries = 5\npage = 3"),
    ("fan-out", "entries = 5"),
];

#[test]
fn minio_knows_all_but_append_and_is_left_empty() {
    let scratch = Scratch::new("versions-minio");
    let minio = Owned::minio(&scratch);
    let workloads = [SHARED, ONLY_MINIO].concat();
    expect_all_right(&minio.run(&scratch, &workloads), workloads.len());
    assert_eq!(minio.stored(), [""; 0]);

    // Clean-up without versions creates delete markers in a bucket that another workload uses.
    let shared = "bucket = \"tenbin-shared\"";
    let run = minio.run(&scratch, &[("retain", shared), ("put", shared)]);
    expect_all_right(&run, 2);
    assert_eq!(minio.stored(), [""; 0]);

    let run = minio.run(&scratch, &[("append", "")]);
    run.expect_code(3)
        .expect_stderr("the server does not support append");
    assert_eq!(minio.stored(), [""; 0]);
}

/// Workloads that only agents are tested with here: operation and plan keys.
const BY_AGENTS: &[(&str, &str)] = &[
    ("get", ""),
    ("put:1,get:3", "rewrite = true"),
    ("put:4,get:3,delete:2,stat:1", ""),
    ("delete", ""),
    ("delete-batch", ""),
    ("copy", ""),
    ("multipart", "size = \"6MiB\"\nobjects = 3"),
    ("get-part", "size = \"6MiB\"\nobjects = 3"),
];

#[test]
fn agents_do_all_of_this_on_minio_and_leave_it_empty() {
    let scratch = Scratch::new("versions-agents");
    let minio = Owned::minio(&scratch);
    let secret = scratch.write("secret-key", SECRET);
    let keys = format!("access_key = \"{ACCESS}\"\nsecret_key_file = \"{secret}\"\n");
    let allowed = ["--env", "TENBIN_ACCESS_KEY", "--file", &secret];
    let access = [("TENBIN_ACCESS_KEY", ACCESS)];
    let agents = Agents::start_with(&scratch, 2, &allowed, &access);
    let workloads = [SHARED, ONLY_MINIO, BY_AGENTS].concat();
    let run = minio.run_with(&scratch, &workloads, &keys, &agents.options(2));
    expect_all_right(&run, workloads.len());
    assert_eq!(minio.stored(), [""; 0]);

    // Without permission to read the keys, the agents refuse.
    let agents = Agents::start_with(&scratch, 2, &allowed[..2], &access);
    let run = minio.run_with(&scratch, &[("put", "")], &keys, &agents.options(2));
    run.expect_code(3)
        .expect_stderr("the agent may not read it; if it should, start the agent with --file");
    assert_eq!(minio.stored(), [""; 0]);
}

#[test]
fn versity_is_left_empty_and_says_what_it_has_not_got() {
    let scratch = Scratch::new("versions-versity");
    let versity = Owned::versity(&scratch);
    expect_all_right(&versity.run(&scratch, SHARED), SHARED.len());
    assert_eq!(versity.stored(), [""; 0]);

    for (operation, what) in [
        ("append", "append"),
        ("snowball", "snowball archives"),
        ("zip-get", "reading from ZIP archives"),
        ("zip-list", "listing ZIP archives"),
        ("fan-out", "fan-out"),
    ] {
        let run = versity.run(&scratch, &[(operation, "")]);
        run.expect_code(3)
            .expect_stderr(&format!("the server does not support {what}"));
        assert_eq!(versity.stored(), [""; 0], "{operation}");
    }
}

#[test]
fn a_bucket_that_keeps_no_versions_is_left_alone() {
    let scratch = Scratch::new("versions-there");
    let minio = Owned::minio(&scratch);
    let bucket = scratch.path().join("disk/tenbin-0");
    std::fs::create_dir(&bucket).expect("a bucket of somebody else");
    for (operation, sentence) in [
        ("get", "it cannot be used: it keeps no versions;"),
        ("retain", "it cannot be used: its objects cannot be locked;"),
    ] {
        let run = minio.run(&scratch, &[(operation, "versions = 2")]);
        run.expect_code(3).expect_stderr(sentence);
        assert_eq!(minio.stored(), ["tenbin-0"]);
    }
}
