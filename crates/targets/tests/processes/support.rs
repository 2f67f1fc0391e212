//! Code shared by these tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenbin_plan::{Builtin, Credentials, Launch, Reach, Ready, Target};
use tenbin_targets::serve::{self, HttpOptions, S3Options};
use tenbin_targets::{LaunchContext, Running, TargetError, bring_up};

/// The settings of a launch, including a temporary run directory.
pub(crate) struct TestRun {
    pub(crate) directory: TempDir,
    pub(crate) stop: AtomicBool,
    exe: PathBuf,
}

impl TestRun {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            stop: AtomicBool::new(false),
            exe: std::env::current_exe().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn bring_up(&self, target: &Target) -> Result<Running, TargetError> {
        bring_up(
            target,
            &LaunchContext {
                run_dir: self.path(),
                guard_exe: &self.exe,
                plan_dir: self.path(),
                stop: &self.stop,
                waiting: &|_| {},
            },
        )
    }

    pub(crate) fn log(&self, target: &str) -> String {
        std::fs::read_to_string(self.path().join(format!("targets/{target}.log"))).unwrap()
    }
}

/// A target that runs a shell script and is ready once the script has printed `up`.
pub(crate) fn script(script: &str) -> Target {
    let launch = Launch {
        command: ["sh", "-c", script].map(String::from).to_vec(),
        nodes: Vec::new(),
        env: BTreeMap::new(),
        directory: None,
        url: "http://127.0.0.1:{port}/".into(),
        ready: Ready::Log("up".into()),
        ready_within: Duration::from_secs(20),
        stop_within: Duration::from_secs(5),
    };
    target("script", Reach::Launched(launch))
}

pub(crate) fn target(name: &str, reach: Reach) -> Target {
    Target::new(name, reach)
}

pub(crate) fn builtin(builtin: Builtin) -> Target {
    target("builtin", Reach::Builtin(builtin))
}

pub(crate) fn launch_of(target: &mut Target) -> &mut Launch {
    match &mut target.reach {
        Reach::Launched(launch) => launch,
        _ => panic!("not launched"),
    }
}

pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a process runs: it exists and is not a zombie.
pub(crate) fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap().starts_with(" Z"))
}

/// The live processes in the test's directory other than this program, once there are `count`.
pub(crate) fn descendants(run: &TestRun, count: usize) -> Vec<i32> {
    let own = std::env::current_exe().unwrap();
    let living = || -> Vec<i32> {
        let pids = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &i32| {
            let link = |name: &str| std::fs::read_link(format!("/proc/{pid}/{name}")).ok();
            link("cwd").as_deref() == Some(run.path()) && link("exe").is_some_and(|exe| exe != own)
        })
        .collect()
    };
    wait_until("the script has started its processes", || {
        run.path().join("up").exists() && living().len() == count
    });
    living()
}

/// The guards of a test: processes of this program in the test's directory whose first argument is
/// `guard`.
pub(crate) fn guards(run: &TestRun) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).nth(1) == Some(b"guard")
            && std::fs::read_link(format!("/proc/{pid}/cwd"))
                .ok()
                .as_deref()
                == Some(run.path())
    })
    .collect()
}

/// Sends a request on an open connection and returns the complete response.
pub(crate) fn exchange(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    loop {
        let count = stream.read(&mut buffer).unwrap();
        text.extend_from_slice(&buffer[..count]);
        let so_far = String::from_utf8_lossy(&text).into_owned();
        let complete = so_far.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let head = head.to_ascii_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            body.len() >= length
        });
        if complete || count == 0 {
            return so_far;
        }
    }
}

/// Runs a server: `serve http|s3 --listen ADDRESS [--durable DIR]`.
pub(crate) fn serve(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<String> = args.map(|arg| arg.into_string().unwrap()).collect();
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1)
    };
    let listen = value("--listen").unwrap().parse().unwrap();
    let workers = serve::DEFAULT_WORKERS;
    let result = if args[0] == "http" {
        let delay = Duration::ZERO;
        serve::http(
            &HttpOptions {
                server_timing: false,
                listen,
                delay,
                workers,
            },
            |_| {},
        )
    } else {
        let credentials = Credentials::literal(
            std::env::var(serve::ACCESS_KEY_VARIABLE).unwrap(),
            std::env::var(serve::SECRET_KEY_VARIABLE).unwrap(),
        );
        let durable = value("--durable").map(PathBuf::from);
        let options = S3Options {
            listen,
            durable,
            memory: None,
            credentials,
            faults: Vec::new(),
            delay: Duration::ZERO,
            workers,
        };
        serve::s3(&options, |_| {})
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => panic!("{error}"),
    }
}

/// Launches a script and waits to be killed: `host RUN_DIR SCRIPT`.
pub(crate) fn host(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<String> = args.map(|arg| arg.into_string().unwrap()).collect();
    let exe = std::env::current_exe().unwrap();
    let _running = bring_up(
        &script(&args[1]),
        &LaunchContext {
            run_dir: args[0].as_ref(),
            guard_exe: &exe,
            plan_dir: args[0].as_ref(),
            stop: &AtomicBool::new(false),
            waiting: &|_| {},
        },
    )
    .unwrap();
    println!("launched");
    std::thread::sleep(Duration::from_secs(60));
    ExitCode::SUCCESS
}

/// The first address of a target's first host.
pub(crate) fn address_of(running: &tenbin_targets::Running) -> std::net::SocketAddr {
    match &running.route.hosts[0].addresses[0] {
        tenbin_targets::Address::Tcp(address) => *address,
        tenbin_targets::Address::Unix(path) => panic!("{}", path.display()),
    }
}
