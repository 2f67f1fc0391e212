//! `tenbin init`: what it asks, tries and writes, and that the written plan runs.

mod common;
#[path = "init/secrets.rs"]
mod secrets;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use common::{ACCESS, OwnServer, SECRET, Scratch, Tenbin, tied, wait_until};
use nix::sys::signal::Signal;

/// Options of a run of the written plan that make it short.
const SHORT: &str = "--slice 100ms --lead 10ms --gap 0s --warmup 50ms";

fn own_server(scratch: &Scratch) -> OwnServer {
    OwnServer::start(scratch, ["serve", "http", "--listen", "127.0.0.1:0"])
}

fn launched() -> String {
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    format!("{tenbin} serve http --listen 127.0.0.1:{{port}}")
}

/// The URL of a server that responds to every request with status 404.
fn without_pages() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        }
    });
    format!("http://{address}/absent")
}

fn read(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.join(name)).expect(name)
}

fn exists(scratch: &Scratch, name: &str) -> bool {
    Path::new(&scratch.join(name)).exists()
}

#[test]
fn a_plan_of_two_servers_runs() {
    let scratch = Scratch::new("init-two");
    let (first, second) = (own_server(&scratch), own_server(&scratch));
    let words = [
        "init",
        "--kind",
        "http",
        "--server",
        &first.url(),
        "--second",
        &second.url(),
    ];
    let made = Tenbin::new(&scratch, words).run();
    made.expect_code(0)
        .expect_stdout("first: GET / → status 200, ")
        .expect_stdout("second: GET / → status 200, ")
        .expect_stdout("wrote tenbin.toml")
        .expect_stdout("next: tenbin run tenbin.toml");
    let plan = read(&scratch, "tenbin.toml");
    assert!(plan.starts_with("#:schema https://"), "{plan}");
    let run = Tenbin::line(&scratch, format!("run tenbin.toml --rounds 2 {SHORT}")).run();
    run.expect_measured();
    let again = Tenbin::new(&scratch, words).run();
    again.expect_code(2).expect_stderr(
        "tenbin.toml exists; choose another file with --out, or overwrite it with --force",
    );
    assert_eq!(read(&scratch, "tenbin.toml"), plan);
    let other = [
        &words[..],
        &["--goal", "rate", "--slo", "p99<1s", "--force"],
    ]
    .concat();
    Tenbin::new(&scratch, other).run().expect_code(0);
    assert!(read(&scratch, "tenbin.toml").contains("slo = \"p99<1s\""));
    Tenbin::line(&scratch, "plan file tenbin.toml")
        .run()
        .expect_code(0);
}

#[test]
fn a_gate_of_two_commands_runs() {
    let scratch = Scratch::new("init-gate");
    let server = launched();
    let words = [
        "init", "--kind", "http", "--server", &server, "--second", &server, "--request",
        "/?size=9", "--goal", "gate", "--ci", "gitlab", "--out", "the gate.toml",
    ];
    Tenbin::new(&scratch, words)
        .run()
        .expect_code(0)
        .expect_stdout("base: GET /?size=9 → status 200")
        .expect_stdout("wrote .gitlab-ci.yml")
        .expect_stdout("next: tenbin gate run 'the gate.toml'");
    let job = read(&scratch, ".gitlab-ci.yml");
    assert!(job.contains("tenbin gate run 'the gate.toml'\n"), "{job}");
    for option in ["--base-rev", "--launch", "--build"] {
        assert!(!job.contains(option), "{job}");
    }
    let short = format!("{SHORT} --rounds 8 --max-rounds 8 --cannot-tell pass");
    let words = ["gate", "run", "the gate.toml"].map(str::to_owned).to_vec();
    let gate = Tenbin::new(&scratch, [words, common::words(short)].concat()).run();
    gate.expect_measured();
    let run = Tenbin::new(&scratch, ["plan", "file", "the gate.toml"]).run();
    run.expect_code(0);
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn plans_of_object_and_blob_stores_run() {
    let scratch = Scratch::new("init-stores");
    let keys = ["--access-key", ACCESS, "--secret-key", SECRET];
    for (kind, operation) in [("s3", "put:50,get:50"), ("blob", "pg")] {
        let words = ["serve", kind, "--listen", "127.0.0.1:0"];
        let keys = if kind == "s3" { &keys[..] } else { &[] };
        let server = OwnServer::start(&scratch, [&words[..], keys].concat());
        let url = server.url();
        let words = [
            "init", "--kind", kind, "--server", &url, "--request", operation, "--force",
        ];
        let made = Tenbin::new(&scratch, words).run();
        made.expect_code(0).expect_stdout("server: GET / → status ");
        if kind == "s3" {
            made.expect_stdout("set TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY, then run tenbin run");
        }
        let run = Tenbin::line(&scratch, format!("run tenbin.toml --rounds 1 {SHORT}"))
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .run();
        run.expect_measured();
    }
}

#[test]
fn the_file_of_each_ci_system_names_the_plan_and_the_build() {
    for (ci, file, expected) in [
        (
            "github",
            ".github/workflows/performance.yml",
            "tenbin gate run tenbin.toml \\\n            --base-rev \"$base\" --candidate-rev \"$HEAD\" \\\n            \
             --build 'make '\\''all'\\''' \\\n            --budget 10m \\\n            --export github-summary",
        ),
        (
            "gitlab",
            ".gitlab-ci.yml",
            "      tenbin gate run tenbin.toml\n      --base-rev \"$CI_MERGE_REQUEST_DIFF_BASE_SHA\" \
             --candidate-rev \"$CI_COMMIT_SHA\"\n      --build 'make '\\''all'\\'''\n",
        ),
        (
            "jenkins",
            "Jenkinsfile",
            "set -- \"$@\" --build \\'make \\'\\\\\\'\\'all\\'\\\\\\'\\'\\'\n            tenbin gate run tenbin.toml \"$@\"",
        ),
    ] {
        let scratch = Scratch::new("init-ci");
        let words = [
            "init", "--kind", "http", "--server", "./server --port {port}", "--goal", "gate",
            "--ci", ci, "--build", "make 'all'", "--no-try",
        ];
        Tenbin::new(&scratch, words)
            .run()
            .expect_code(0)
            .expect_stdout(
                "next: tenbin gate run tenbin.toml --base-rev main --build 'make '\\''all'\\'''",
            );
        let text = read(&scratch, file);
        assert!(text.contains(expected), "{text}");
        // Not even the plan is written again beside a file that is in the way.
        let again = [&words[..], &["--out", "other.toml"]].concat();
        let again = Tenbin::new(&scratch, again).run();
        again
            .expect_code(2)
            .expect_stderr("choose another file with --ci-out");
        assert!(!exists(&scratch, "other.toml"));
    }
}

#[test]
fn what_is_missing_or_impossible_is_one_error_and_no_file() {
    let scratch = Scratch::new("init-refused");
    let url = "--kind http --server http://127.0.0.1:9/";
    let gate = "--kind http --server './server {port}' --goal gate";
    let refused = [
        (String::new(), "give --kind and --server"),
        ("--server http://127.0.0.1:9/".to_owned(), "give --kind"),
        (
            "--kind http --server localhost:8080".to_owned(),
            "did you mean \"http://localhost:8080\"?",
        ),
        (
            "--kind http --server ./server".to_owned(),
            "command: does not contain {port}",
        ),
        (format!("{url} --goal gate"), "a gate compares two servers"),
        (format!("{url} --slo 'p99<1s'"), "--slo is for --goal rate"),
        (format!("{url} --goal rate --slo soon"), "slo: "),
        (format!("{url} --ci github"), "--ci is for --goal gate"),
        (format!("{url} --ci-out x"), "--ci-out is for --ci"),
        (format!("{url} --build make"), "--build is for a gate"),
        (format!("{url} --request 'no path'"), "path: "),
        (
            "--kind s3 --server http://127.0.0.1:9/ --request got".to_owned(),
            "operation: ",
        ),
        (format!("{url} --kind gopher"), "--kind"),
        ("--kind http --server ''".to_owned(), "give --server"),
        (
            format!("{gate} --ci gitlab --out same.yml --ci-out ./same.yml"),
            "./same.yml would be both the plan and the CI file; choose another file with --ci-out",
        ),
        (
            format!("{gate} --ci github --build 'make ${{{{ github.token }}}}'"),
            "a CI file cannot hold \"make ${{ github.token }}\"",
        ),
        (
            format!("{gate} --ci gitlab --out '$[[ inputs.x ]].toml'"),
            "a CI file cannot hold \"$[[ inputs.x ]].toml\"",
        ),
    ];
    for (line, why) in refused {
        let run = Tenbin::line(&scratch, format!("init --no-try {line}")).run();
        run.expect_code(2).expect_stderr(why);
        for name in ["tenbin.toml", "same.yml"] {
            assert!(!exists(&scratch, name), "{line}");
        }
    }
    scratch.write("file", "");
    std::fs::create_dir(scratch.join("directory")).expect("a directory");
    let mode = nix::sys::stat::Mode::S_IRWXU;
    nix::unistd::mkfifo(scratch.join("pipe").as_str(), mode).expect("a pipe");
    for (line, file) in [
        (format!("{url} --out pipe --force"), "pipe"),
        (format!("{url} --out absent/plan.toml"), "absent/plan.toml"),
        (format!("{url} --out file/plan.toml"), "file/plan.toml"),
        (format!("{gate} --ci github --ci-out file/x"), "file/x"),
        (
            format!("{gate} --ci github --ci-out directory --force"),
            "directory",
        ),
    ] {
        let run = Tenbin::line(&scratch, format!("init --no-try {line}")).run();
        run.expect_code(5)
            .expect_stderr(&format!("cannot write {file}: "));
        assert!(!exists(&scratch, "tenbin.toml"), "{line}");
    }
}

#[test]
fn a_server_that_cannot_be_tried_is_named_and_no_try_writes_the_plan() {
    let scratch = Scratch::new("init-untried");
    let not_found = format!("init --kind http --server {}", without_pages());
    let ends = "init --kind http --server 'sh -c \"echo no such option; exit 1\" {port}'";
    for (line, why) in [
        (
            "init --kind http --server http://127.0.0.1:9/",
            "connection refused",
        ),
        (ends, "no such option"),
        ("init --kind http --server './absent {port}'", "absent"),
    ] {
        let run = Tenbin::line(&scratch, line).run();
        run.expect_code(3)
            .expect_stderr(why)
            .expect_stderr("to write the plan without trying the servers, add --no-try");
        assert!(!exists(&scratch, "tenbin.toml"), "{line}");
    }
    let run = Tenbin::line(&scratch, &not_found).run();
    run.expect_code(3)
        .expect_stdout("server: GET /absent → status 404, 0 bytes, ")
        .expect_stderr("the response to GET /absent has status 404");
    let run = Tenbin::line(&scratch, format!("{not_found} --no-try")).run();
    run.expect_code(0).expect_stdout("wrote tenbin.toml");
    scratch.expect_nobody_left(Duration::from_secs(20));
}

#[test]
fn a_missing_server_is_built_before_it_is_tried() {
    let scratch = Scratch::new("init-build");
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    let gate = "init --kind http --goal gate --server './own serve http --listen 127.0.0.1:{port}'";
    let fails = format!("{gate} --build 'echo broken; exit 2'");
    Tenbin::line(&scratch, fails)
        .run()
        .expect_code(3)
        .expect_stderr("broken")
        .expect_stderr("the build of the server failed (exit status: 2): echo broken; exit 2");
    assert!(!exists(&scratch, "tenbin.toml"));
    std::fs::create_dir(scratch.path().join("ci")).expect("a directory");
    let elsewhere = format!("{gate} --out ci/tenbin.toml --build 'touch unused'");
    Tenbin::line(&scratch, elsewhere)
        .run()
        .expect_code(3)
        .expect_stderr("the build succeeded, but ci/own is still missing: touch unused");
    assert!(!exists(&scratch, "ci/tenbin.toml"));
    let builds = format!("{gate} --build 'ln -s {tenbin} own'");
    Tenbin::line(&scratch, builds)
        .run()
        .expect_code(0)
        .expect_stderr("./own is missing; building it: ln -s")
        .expect_stdout("wrote tenbin.toml");
    scratch.expect_nobody_left(Duration::from_secs(20));
}

#[test]
fn an_interrupt_leaves_no_file_and_no_process() {
    let scratch = Scratch::new("init-interrupted");
    let line = "init --kind http --server 'sleep 100 {port}' --goal gate --ci github";
    let mut init = Tenbin::line(&scratch, line).start();
    let (mut said, limit) = (String::new(), Duration::from_secs(60));
    wait_until(limit, || {
        said = init.so_far();
        said.contains("starting server") || !init.is_running()
    });
    init.signal(Signal::SIGINT);
    init.wait(limit)
        .expect_code(130)
        .expect_stderr("interrupted; nothing was written");
    for name in ["tenbin.toml", ".github"] {
        assert!(!exists(&scratch, name), "{name}");
    }
    scratch.expect_nobody_left(Duration::from_secs(20));
}

#[test]
fn hostile_answers_stay_in_their_strings() {
    let scratch = Scratch::new("init-hostile");
    let long = "x".repeat(100_000);
    for argument in [
        "\"\"\"]\n[[target]]\nname = \"other\"",
        "'''\u{7}\\u0000 \\ \t",
        "# no comment\r\n",
        &long,
    ] {
        let quoted = argument.replace('\'', "'\\''");
        let server = format!("./server {{port}} '{quoted}'");
        let words = [
            "init", "--kind", "http", "--server", &server, "--no-try", "--force",
        ];
        Tenbin::new(&scratch, words).run().expect_code(0);
        let plan: toml::Table = read(&scratch, "tenbin.toml").parse().expect("TOML");
        let targets = plan["target"].as_array().expect("targets");
        assert_eq!(targets.len(), 1, "{plan}");
        assert_eq!(targets[0]["command"].as_str(), Some(server.trim()));
    }
}

/// `tenbin init` with these options and answers, as a person types them on a terminal, which `script`
/// provides: the exit code and the text on the terminal.
fn asked(scratch: &Scratch, options: &str, answers: impl AsRef<[u8]>) -> (Option<i32>, String) {
    scratch.write("answers", answers);
    let (mark, place) = scratch.mark();
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    let command = format!("{tenbin} init --out asked.toml {options}");
    let answers = std::fs::File::open(scratch.join("answers")).expect("a file");
    let output = tied("script")
        .args(["-qec", &command, "/dev/null"])
        .stdin(answers)
        .current_dir(scratch.path())
        .env(mark, place)
        .output()
        .expect("script of util-linux can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said)
}

#[test]
fn the_questions_on_a_terminal_make_the_plan() {
    let scratch = Scratch::new("init-asked");
    let own = own_server(&scratch);
    let answers = format!("gopher\nhttp\n\nlocalhost:1\n{}\n/\n\n\n", own.url());
    let (code, said) = asked(&scratch, "", answers);
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "\"gopher\" is not one of http, s3, blob, search",
        "there is no default",
        "did you mean \"http://localhost:1\"?",
        "A second server to compare with",
        "status 200",
        "next: tenbin run asked.toml",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(
        said.matches("]: ").count(),
        5,
        "kind twice, request, second server, goal: {said}"
    );
    Tenbin::line(&scratch, "plan file asked.toml")
        .run()
        .expect_code(0);
}

/// Options that fit only to some answers, with the text of the error for an answer that does not fit.
#[test]
fn an_option_waits_for_the_answers_that_it_depends_on() {
    let scratch = Scratch::new("init-depends");
    let command = "./server --port {port}";
    let url = "http://127.0.0.1:9/";
    for (options, answers, refused) in [
        ("--goal gate --ci github", vec!["", command, "", ""], ""),
        (
            "--ci github",
            vec!["", command, "", "", "compare", ""],
            "--ci is for --goal gate",
        ),
        ("--slo 'p99<1s'", vec!["", url, "", "", ""], ""),
        (
            "--build make",
            vec!["", url, command, "", "", "", ""],
            "--build is for a gate",
        ),
        (
            "--goal gate --server http://127.0.0.1:8/",
            vec!["", "", "", url, ""],
            "a gate compares two servers",
        ),
        ("--request put", vec!["http", "s3", url, "", ""], "path: "),
    ] {
        let answers = answers.join("\n") + "\n";
        let (code, said) = asked(&scratch, &format!("{options} --no-try --force"), answers);
        assert_eq!(code, Some(0), "{options}: {said}");
        assert!(said.contains("wrote asked.toml"), "{options}: {said}");
        assert!(said.contains(refused), "{options}: {said}");
        let errors = usize::from(!refused.is_empty());
        assert_eq!(said.matches("error: ").count(), errors, "{options}: {said}");
    }
    std::fs::remove_file(scratch.join("asked.toml")).expect("a plan");
    // No answer corrects these.
    for (options, why) in [
        ("--server localhost:80", "did you mean"),
        ("--server ./server", "does not contain {port}"),
        ("--goal compare --ci github", "--ci is for --goal gate"),
        ("--slo 'p99<1s' --ci github", "--ci is for --goal gate"),
        ("--slo soon", "slo: "),
        ("--build make --second ./server", "--build is for a gate"),
        ("--request 'no path'", "path: "),
    ] {
        let (code, said) = asked(&scratch, options, "");
        assert_eq!(code, Some(2), "{options}: {said}");
        assert!(said.contains(why), "{options}: {said}");
        assert!(!said.contains("What kind"), "{options}: {said}");
        assert!(!exists(&scratch, "asked.toml"), "{options}");
    }
}

#[test]
fn a_server_that_is_not_built_yet_is_built_with_the_answer() {
    let scratch = Scratch::new("init-asked-build");
    let tenbin = env!("CARGO_BIN_EXE_tenbin");
    let makefile = format!("all: other\nother:\n\ttouch other\nown:\n\tln -s {tenbin} own\n");
    scratch.write("Makefile", makefile);
    let server = "./own serve http --listen 127.0.0.1:{port}";
    let first = Tenbin::new(&scratch, ["init", "--kind", "http", "--server", server]).run();
    first
        .expect_code(3)
        .expect_stderr("./own does not exist; build the server first: make own");
    let answers = format!("http\n{server}\n\n\n\ngate\n");
    let (code, said) = asked(&scratch, "", answers);
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "./own does not exist: the command that builds it, or none [make own]",
        "building it: make own",
        "status 200",
        "next: tenbin gate run asked.toml --base-rev main --build 'make own'",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("Also write the CI file"), "{said}");
}
