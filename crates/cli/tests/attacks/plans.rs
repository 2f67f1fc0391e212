//! Malicious plan files.

use super::bounds::{Attacked, for_each};
use super::common::{Scratch, Tenbin};

/// Name, content of the plan file, and part of the error message. All plans are rejected.
type Row = (&'static str, fn() -> Vec<u8>, &'static str);

/// A plan with these lines at the start, in the target and in the workload.
fn plan(start: &str, target: &str, workload: &str) -> Vec<u8> {
    format!(
        "{start}\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\n{target}\n\
         [[workload]]\nkind = \"http\"\n{workload}\n"
    )
    .into_bytes()
}

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("nothing", Vec::new, ""),
    ("NUL", || vec![0; 1000], ""),
    ("no UTF-8", || b"name = \"\xff\xfe\"".to_vec(), ""),
    ("a byte order mark of UTF-16", || b"\xff\xfen\0a\0".to_vec(), ""),
    ("escape sequences", || b"\x1b[31m\x1b]0;title\x07 = 1".to_vec(), ""),
    ("an escape sequence in an unknown key", || b"\"\\u001b[31m\" = 1".to_vec(), ""),
    ("arrays a hundred thousand deep", || format!("a = {}", "[".repeat(100_000)).into_bytes(), ""),
    ("tables a hundred thousand deep", || format!("a = {}", "{a=".repeat(100_000)).into_bytes(), ""),
    ("a dotted key a hundred thousand deep", || format!("{}a = 1", "a.".repeat(100_000)).into_bytes(), ""),
    ("a key of 10 MB", || format!("{} = 1", "a".repeat(10_000_000)).into_bytes(), ""),
    ("a name of 10 MB", || plan(&format!("name = \"{}\"", "a".repeat(10_000_000)), "", ""), ""),
    ("a number of a million digits", || format!("seed = {}", "9".repeat(1_000_000)).into_bytes(), ""),
    ("twenty thousand targets of one name", || "[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\n".repeat(20_000).into_bytes(), ""),
    ("a hundred thousand unknown keys", || (0..100_000).map(|at| format!("key{at} = 1\n")).collect::<String>().into_bytes(), ""),
    ("three hundred thousand unknown keys", || (0..300_000).map(|at| format!("key{at} = 1\n")).collect::<String>().into_bytes(), "more than 100000 keys"),
    ("a hundred thousand dotted keys", || (0..100_000).map(|at| format!("a{at}.b.c.d = 1\n")).collect::<String>().into_bytes(), "more than 100000 keys"),
    ("a variable five thousand times", || plan("", "", &format!("headers = [\"X: {}\"]", "{env:TENBIN_TEST_LONG}".repeat(5_000))), "longer than 16 MiB"),
    ("a variable in five thousand values", || plan("", "", &format!("headers = [{}]", (0..5_000).map(|at| format!("\"X{at}: {{env:TENBIN_TEST_LONG}}\", ")).collect::<String>())), "longer than 16 MiB"),
    ("a variable in a path five thousand times", || plan("", "", &format!("path = \"/{}\"", "{env:TENBIN_TEST_LONG}".repeat(5_000))), "longer than 16 MiB"),
    ("a file beyond the limit", || vec![b'#'; 17 << 20], "16 MiB"),
    ("the same key twice", || plan("seed = 1\nseed = 2", "", ""), ""),
    ("a negative count", || plan("[rounds]\ncount = -1", "", ""), ""),
    ("a count beyond everything", || plan("[rounds]\ncount = 9223372036854775807", "", ""), ""),
    ("a slice that never ends", || plan("[rounds]\nslice = \"999999999h\"", "", ""), ""),
    ("a slice that is no number", || plan("[rounds]\nslice = \"NaNs\"", "", ""), ""),
    ("a time below zero", || plan("[rounds]\nslice = \"-1s\"", "", ""), ""),
    ("connections beyond everything", || plan("[load]\nconnections = 4294967296", "", ""), ""),
    ("more threads than there may be", || plan("threads = 1000000", "", ""), ""),
    ("a depth beyond everything", || plan("[load]\ndepth = 1000000000", "", ""), ""),
    ("a rate of infinity", || plan("[load]\nrate = inf", "", ""), ""),
    ("a rate that is no number", || plan("[load]\nrate = nan", "", ""), ""),
    ("a name that leads out of the directory", || plan("name = \"../../escaped\"", "", ""), ""),
    ("a target whose name leads out", || b"[[target]]\nname = \"../../escaped\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n".to_vec(), ""),
    ("a target whose name is a path", || b"[[target]]\nname = \"/tmp/escaped\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n".to_vec(), ""),
    ("escape sequences in a name", || b"[[target]]\nname = \"\\u001b[31m\"\nbuiltin = \"http\"\n[[workload]]\nkind = \"http\"\n".to_vec(), ""),
    ("a header with a line end", || plan("", "", "headers = [\"X-A: b\\r\\nX-C: d\"]"), ""),
    ("a path with a line end", || plan("", "", "path = \"/ HTTP/1.1\\r\\nX: y\\r\\n\\r\\n\""), ""),
    ("a method with a space", || plan("", "", "method = \"GET /x HTTP/1.1\\r\\n\""), ""),
    ("a URL of another scheme", || b"[[target]]\nname = \"a\"\nurl = \"file:///etc/passwd\"\n[[workload]]\nkind = \"http\"\n".to_vec(), ""),
    ("a body from a device", || plan("", "", "body_file = \"/dev/zero\""), "/dev/zero"),
    ("patterns from a device", || plan("", "", "patterns = \"/dev/zero\""), "/dev/zero"),
    ("a trace from a device", || plan("[load]\ntrace = \"/dev/zero\"", "", ""), "/dev/zero"),
    ("an object of many exabytes", || b"[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\n[[workload]]\nkind = \"s3\"\noperation = \"put\"\nsize = \"9999999999TiB\"\n".to_vec(), ""),
    ("a bucket that leads out", || b"[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\naccess_key = \"a\"\nsecret_key = \"b\"\n[[workload]]\nkind = \"s3\"\noperation = \"put\"\nsize = 1\nbucket = \"../x\"\n".to_vec(), ""),
    ("a command of nothing", || b"[[target]]\nname = \"a\"\ncommand = []\nurl = \"http://127.0.0.1:{port}/\"\n[[workload]]\nkind = \"http\"\n".to_vec(), ""),
];

#[test]
fn plans_are_refused_in_a_sentence() {
    for_each(ROWS, |&(name, content, says)| {
        let scratch = Scratch::new("attack-plan");
        let file = scratch.write("plan.toml", content());
        let tenbin =
            Tenbin::new(&scratch, ["run", &file]).env("TENBIN_TEST_LONG", "x".repeat(100_000));
        let attacked = Attacked::run(name, &scratch, tenbin);
        attacked.expect_codes(&[2]).expect_said(says);
        assert!(
            attacked.outcome.stderr.starts_with("error: "),
            "{name}: {}",
            attacked.outcome
        );
        let runs = scratch.path().join("runs");
        assert!(
            !runs.exists(),
            "{name}: a refused plan made a run directory"
        );
    });
}

#[test]
fn a_plan_that_is_no_file_is_refused() {
    let scratch = Scratch::new("attack-no-plan");
    let directory = scratch.join("directory");
    std::fs::create_dir(&directory).expect("a directory");
    let pipe = scratch.join("pipe");
    nix::unistd::mkfifo(&*pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    for path in [&*directory, "/dev/zero", "/dev/null", &*pipe] {
        for command in [&["run", path][..], &["plan", "run", path]] {
            let attacked = Attacked::run(path, &scratch, Tenbin::new(&scratch, command));
            attacked.expect_codes(&[2]);
        }
    }
}
