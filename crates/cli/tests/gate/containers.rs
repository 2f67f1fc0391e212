//! Gates of container images, with a program in place of `docker` that prints and does what the real
//! client does.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use super::SHORT;
use super::common::{Outcome, Scratch, Tenbin, search_path};

/// `docker run` for the images of the tests. The port of a container is open before its server is: the
/// proxy of the engine closes connections until then.
const DOCKER: &str = r#"#!/bin/sh
[ "$1" = run ] || { echo "docker: '$1' is not expected" >&2; exit 1; }
for image; do :; done
while [ $# -gt 0 ]; do
  case "$1" in
    -p) port=${2%:*} ;;
    -d) echo 4f0c6a2e8d714f0c6a2e8d714f0c6a2e8d714f0c6a2e8d714f0c6a2e8d714f0c; exit 0 ;;
  esac
  shift
done
address=127.0.0.1:${port##*:}
fail() {
  echo "docker: $1" >&2
  echo >&2
  echo "Run 'docker run --help' for more information" >&2
  exit "$2"
}
pull() {
  echo "Unable to find image '$image' locally" >&2
  echo "${image#*:}: Pulling from library/app" >&2
  for part in 1 2 3 4 5 6 7 8 9; do
    printf 'a1b2c3d4e5f6: Downloading [==>     ] %s MB/9 MB\r' $part >&2
  done
}
case "$image" in
  app:no-daemon)
    fail "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" 125 ;;
  app:not-allowed)
    fail "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock" 126 ;;
  app:refused)
    echo "Unable to find image 'app:refused' locally" >&2
    fail "Error response from daemon: pull access denied for app, repository does not exist or may require 'docker login'" 125 ;;
  app:port)
    fail "Error response from daemon: driver failed programming external connectivity: Bind for 0.0.0.0:80 failed: port is already allocated" 125 ;;
  app:name)
    fail "Error response from daemon: Conflict. The container name \"/app\" is already in use by container \"4f0c\"" 125 ;;
  app:ends) echo 'cannot connect to the docker of the office, unauthorized'; exit 3 ;;
  app:huge) pull; exec sleep 60 ;;
  app:deaf) exec sleep 60 ;;
esac
pull
echo >&2
echo "Status: Downloaded newer image for $image" >&2
TENBIN serve truth --listen "$address" --reset 100% &
sleep 0.3
kill $!
wait $!
exec TENBIN serve http --listen "$address" --delay "${image#*:}"
"#;

/// Writes the program, and returns the search path with it.
fn docker(scratch: &Scratch) -> OsString {
    let directory = scratch.path().join("bin");
    std::fs::create_dir(&directory).expect("a directory");
    let program = directory.join("docker");
    let text = DOCKER.replace("TENBIN", env!("CARGO_BIN_EXE_tenbin"));
    std::fs::write(&program, text).expect("a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, executable).expect("permissions");
    let mut path = directory.into_os_string();
    path.push(":");
    path.push(search_path());
    path
}

/// A gate of two images, with these options of `docker run` and of the gate.
fn gate(scratch: &Scratch, path: &OsStr, images: [&str; 2], run: &str, more: &str) -> Outcome {
    let launch =
        |name: &str, image: &str| format!("--launch '{name}=docker run --rm {run} app:{image}'");
    let line = format!(
        "gate http {} {} --relaunch=never {SHORT} {more}",
        launch("base", images[0]),
        launch("candidate", images[1])
    );
    Tenbin::line(scratch, line).env("PATH", path).run()
}

const PUBLISHED: &str = "-p 127.0.0.1:{port}:80";

#[test]
fn a_slower_image_is_a_regression() {
    let scratch = Scratch::new("gate-images");
    let path = docker(&scratch);
    let run = gate(&scratch, &path, ["4ms", "12ms"], PUBLISHED, "");
    assert!(matches!(run.code, Some(6 | 7)), "{run}");
    run.expect_stderr("--observe candidate=name:PROGRAM");
    let gate = scratch.result()["gate"].clone();
    let figures = gate["figures"].as_array().expect("figures");
    let names: Vec<_> = figures.iter().map(|figure| &figure["role"]).collect();
    // The CPU time of the client says nothing about the server in the container.
    assert_eq!(names, ["required"], "{run}");
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn a_container_that_does_not_start_says_what_to_do() {
    let scratch = Scratch::new("gate-images-refused");
    let path = docker(&scratch);
    let late = "--ready-within base=1s --ready-within candidate=1s";
    for (image, run, more, advice) in [
        (
            "no-daemon",
            PUBLISHED,
            "",
            "start the daemon, for example with systemctl start docker",
        ),
        (
            "not-allowed",
            PUBLISHED,
            "",
            "add the user to the group docker",
        ),
        ("refused", PUBLISHED, "", "log in with docker login"),
        ("port", "-p {port}:80", "", "publish a free port"),
        ("name", "--name app -p {port}:80", "", "remove --name"),
        ("4ms", "-d -p {port}:80", "", "docker stop 4f0c6a2e8d71"),
        ("huge", PUBLISHED, late, "before the run with docker pull"),
        (
            "deaf",
            "-p {port}:81",
            late,
            "the server listens on 0.0.0.0",
        ),
    ] {
        let ended = gate(&scratch, &path, [image, "4ms"], run, more);
        ended.expect_code(3).expect_stderr(advice);
        let japanese = format!("--lang ja {more}");
        let ended = gate(&scratch, &path, [image, "4ms"], run, &japanese);
        ended.expect_code(3).expect_stderr("ターゲット「base」");
        let is_english =
            ended.stderr.contains("it was ready") || ended.stderr.contains("was not ready");
        assert!(!is_english, "{ended}");
    }
    // The output of a program in the container is not that of the client.
    let ended = gate(&scratch, &path, ["ends", "4ms"], PUBLISHED, "");
    ended
        .expect_code(3)
        .expect_stderr("exited with status 3")
        .expect_stderr("before it was ready; its last output:");
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn the_cpu_time_of_a_container_must_be_observed() {
    let scratch = Scratch::new("gate-images-cpu");
    let path = docker(&scratch);
    let run = gate(&scratch, &path, ["4ms", "4ms"], PUBLISHED, "--figure cpu");
    run.expect_code(2)
        .expect_stderr("add --observe base=name:PROGRAM");
}
