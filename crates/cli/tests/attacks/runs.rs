//! Malicious run directories, read by `tenbin show` and `tenbin compare`.

use std::path::Path;

use nix::sys::stat::Mode;

use super::bounds::{Attacked, for_each};
use super::common::{Scratch, Tenbin};

/// A small valid run, which the fuzzer also uses.
const VALID: [(&str, &[u8]); 4] = [
    (
        "plan.toml",
        include_bytes!("../../../../fuzz/run/plan.toml"),
    ),
    (
        "environment.json",
        include_bytes!("../../../../fuzz/run/environment.json"),
    ),
    (
        "intervals.jsonl",
        include_bytes!("../../../../fuzz/run/intervals.jsonl"),
    ),
    (
        "latency.hlog",
        include_bytes!("../../../../fuzz/run/latency.hlog"),
    ),
];

/// Name, change to the directory, and allowed exit codes of `show`.
type Row = (&'static str, fn(&Path), &'static [i32]);

/// Exit code of a rejected run.
const REFUSED: &[i32] = &[2];
const EITHER: &[i32] = &[0, 2, 6, 7, 8];

/// Replaces some text of a file.
fn change(run: &Path, file: &str, from: &str, to: &str) {
    let path = run.join(file);
    let text = std::fs::read_to_string(&path).expect("the file of a valid run");
    assert!(text.contains(from), "{from:?} is not in {file}");
    std::fs::write(&path, text.replace(from, to)).expect("a changed file");
}

fn write(run: &Path, file: &str, content: impl AsRef<[u8]>) {
    std::fs::write(run.join(file), content).expect("a changed file");
}

/// Replaces a file with a named pipe.
fn pipe(run: &Path, file: &str) {
    let path = run.join(file);
    let _ = std::fs::remove_file(&path);
    nix::unistd::mkfifo(&path, Mode::S_IRWXU).expect("a pipe");
}

/// Replaces a file with a symbolic link to `to`.
fn link(run: &Path, file: &str, to: &str) {
    let path = run.join(file);
    let _ = std::fs::remove_file(&path);
    std::os::unix::fs::symlink(to, &path).expect("a link");
}

/// Moves a file out of the run directory and leaves a symbolic link in its place.
fn elsewhere(run: &Path, file: &str) {
    let away = run.with_extension(file);
    std::fs::rename(run.join(file), &away).expect("a file that is moved");
    link(run, file, away.to_str().expect("a path in UTF-8"));
}

/// Extends a file to 4 GiB as a sparse file.
fn inflate(run: &Path, file: &str) {
    let opened = std::fs::OpenOptions::new().write(true).open(run.join(file));
    let set = opened.and_then(|file| file.set_len(4 << 30));
    set.expect("a long file");
}

/// Reorders the lines of `intervals.jsonl`.
fn reorder(run: &Path, order: fn(&mut Vec<&str>)) {
    let path = run.join("intervals.jsonl");
    let text = std::fs::read_to_string(&path).expect("the lines of a valid run");
    let mut lines: Vec<&str> = text.lines().collect();
    order(&mut lines);
    let joined: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, joined).expect("other lines");
}

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("a pipe as intervals", |run| pipe(run, "intervals.jsonl"), REFUSED),
    ("a pipe as the plan", |run| pipe(run, "plan.toml"), REFUSED),
    ("a pipe as the environment", |run| pipe(run, "environment.json"), REFUSED),
    ("a pipe as the histograms", |run| pipe(run, "latency.hlog"), REFUSED),
    ("a pipe as the histograms of slices", |run| pipe(run, "slices.bin"), REFUSED),
    ("a device as the histograms of slices", |run| link(run, "slices.bin", "/dev/zero"), REFUSED),
    ("histograms of slices that no line names", |run| write(run, "slices.bin", [0xff; 4096]), EITHER),
    ("a pipe as what is left", |run| pipe(run, "left.json"), EITHER),
    ("a pipe as the buckets", |run| pipe(run, "buckets.json"), EITHER),
    ("a device as intervals", |run| link(run, "intervals.jsonl", "/dev/zero"), REFUSED),
    ("a device as the plan", |run| link(run, "plan.toml", "/dev/zero"), REFUSED),
    ("a device as the environment", |run| link(run, "environment.json", "/dev/zero"), REFUSED),
    ("a device as what is left", |run| link(run, "left.json", "/dev/zero"), EITHER),
    ("a link to itself", |run| link(run, "intervals.jsonl", "intervals.jsonl"), REFUSED),
    ("a directory as intervals", |run| { let _ = std::fs::remove_file(run.join("intervals.jsonl")); std::fs::create_dir(run.join("intervals.jsonl")).expect("a directory"); }, REFUSED),
    ("intervals of 4 GiB", |run| inflate(run, "intervals.jsonl"), EITHER),
    ("a plan of 4 GiB", |run| inflate(run, "plan.toml"), REFUSED),
    ("an environment of 4 GiB", |run| inflate(run, "environment.json"), REFUSED),
    ("histograms of 4 GiB", |run| inflate(run, "latency.hlog"), EITHER),
    ("nothing in any file", |run| for (file, _) in VALID { write(run, file, "") }, REFUSED),
    ("no UTF-8 in the lines", |run| write(run, "intervals.jsonl", b"{\"kind\":\"run\",\"schema\":\"\xff\xfe\x1b[31m\"}\n"), REFUSED),
    ("an unknown kind of line", |run| change(run, "intervals.jsonl", "\"kind\":\"begin\"", "\"kind\":\"\\u001b[31mevil\""), REFUSED),
    ("JSON a hundred thousand deep", |run| write(run, "environment.json", "[".repeat(100_000)), REFUSED),
    ("a line a hundred thousand deep", |run| write(run, "intervals.jsonl", format!("{{\"kind\":{}\n", "[".repeat(100_000))), REFUSED),
    ("a histogram far away", |run| change(run, "intervals.jsonl", "\"offset\":300,\"length\":5373", "\"offset\":300,\"length\":18446744073709551615"), EITHER),
    ("a histogram that ends before its start", |run| change(run, "intervals.jsonl", "\"offset\":300,\"length\":5373", "\"offset\":18446744073709551615,\"length\":5373"), EITHER),
    ("negative seconds", |run| change(run, "intervals.jsonl", "\"planned_seconds\":2.0", "\"planned_seconds\":-2.0"), EITHER),
    ("seconds beyond everything", |run| change(run, "intervals.jsonl", "\"planned_seconds\":2.0", "\"planned_seconds\":1e308"), EITHER),
    ("counts beyond everything", |run| change(run, "intervals.jsonl", "\"ok\":2", "\"ok\":1844674407370955161"), EITHER),
    ("names of escape sequences", |run| change(run, "intervals.jsonl", "\"target\":\"off\"", "\"target\":\"\\u001b[31m\\u0007\""), EITHER),
    ("server text of escape sequences", |run| change(run, "environment.json", "nginx/1.22.1", "\\u001b]0;title\\u0007\\u202e\\u009b31m"), EITHER),
    ("cores beyond everything", |run| change(run, "environment.json", "\"cores\": 2", "\"cores\": 18446744073709551615"), EITHER),
    ("threads beyond everything", |run| change(run, "intervals.jsonl", "\"threads\":1,\"connections\"", "\"threads\":18446744073709551615,\"connections\""), REFUSED),
    ("agents beyond everything", |run| change(run, "intervals.jsonl", "\"threads\":1,\"connections\"", "\"threads\":1,\"agents\":18446744073709551615,\"connections\""), REFUSED),
    ("connections beyond everything", |run| change(run, "intervals.jsonl", "\"connections\":16,", "\"connections\":18446744073709551615,"), EITHER),
    ("a link as the plan", |run| elsewhere(run, "plan.toml"), REFUSED),
    ("a link as the environment", |run| elsewhere(run, "environment.json"), REFUSED),
    ("a link as intervals", |run| elsewhere(run, "intervals.jsonl"), REFUSED),
    ("a link as the histograms", |run| elsewhere(run, "latency.hlog"), REFUSED),
    ("a plan of another run", |run| write(run, "plan.toml", "[[target]]\nname = \"x\"\nurl = \"http://127.0.0.1:9/\"\n[[workload]]\nkind = \"http\"\n"), EITHER),
    ("a plan of many rounds", |run| change(run, "plan.toml", "count = 1", "count = 1000000"), EITHER),
    ("a plan that names devices", |run| change(run, "plan.toml", "method = \"GET\"", "method = \"POST\"\nbody_file = \"/dev/zero\""), EITHER),
    ("slices in another order", |run| reorder(run, |lines| lines.reverse()), EITHER),
    ("a slice a hundred times", |run| reorder(run, |lines| { let slice: Vec<&str> = lines[1..lines.len() / 2].to_vec(); for _ in 0..100 { lines.extend(&slice); } }), EITHER),
    ("a million lines of a slice that begins", |run| reorder(run, |lines| { let begin = lines[1]; lines.extend(std::iter::repeat_n(begin, 100_000)); }), EITHER),
    ("half a line", |run| { let text = std::fs::read(run.join("intervals.jsonl")).expect("lines"); write(run, "intervals.jsonl", &text[..text.len() / 2]); }, EITHER),
    ("histograms of zeros", |run| write(run, "latency.hlog", vec![0; 21_899]), EITHER),
    ("histograms of text", |run| write(run, "latency.hlog", "Tag=\x1b[31m,0,0,0,HISTFAAAA\n".repeat(900)), EITHER),
];

fn valid(scratch: &Scratch, name: &str) -> String {
    let run = scratch.path().join(name);
    std::fs::create_dir(&run).expect("a run directory");
    for (file, content) in VALID {
        write(&run, file, content);
    }
    scratch.join(name)
}

#[test]
fn a_valid_run_is_shown() {
    let scratch = Scratch::new("attack-valid");
    let run = valid(&scratch, "valid");
    let shown = Tenbin::new(&scratch, ["show", &run]);
    Attacked::run("a valid run", &scratch, shown)
        .expect_codes(&[0, 6])
        .expect_said("off");
}

#[test]
fn run_directories_are_shown_or_refused() {
    for_each(ROWS, |&(name, harm, codes)| {
        let scratch = Scratch::new("attack-run");
        let (run, other) = (valid(&scratch, "harmed"), valid(&scratch, "valid"));
        harm(Path::new(&run));
        let tenbin = |words: &[&str]| Attacked::run(name, &scratch, Tenbin::new(&scratch, words));
        let shown = tenbin(&["show", &run]);
        shown.expect_codes(codes);
        if shown.outcome.code == Some(2) {
            shown.expect_said("error: ");
        }
        tenbin(&["show", "--json", &run]).expect_codes(codes);
        tenbin(&["compare", &other, &run]).expect_codes(EITHER);
    });
}

#[test]
fn packing_follows_no_link() {
    let scratch = Scratch::new("attack-pack");
    let private = scratch.write("private", "a private key");
    for file in ["report.html", "SUMMARY.md", "result.json", "slices.bin"] {
        let run = valid(&scratch, &format!("run-{file}"));
        link(Path::new(&run), file, &private);
        let packed = scratch.join("packed.tar.zst");
        let pack = Tenbin::new(&scratch, ["pack", &run, "--out", &packed]);
        let attacked = Attacked::run(file, &scratch, pack);
        attacked.expect_codes(&[2, 5]).expect_said("symbolic link");
        assert!(!Path::new(&packed).exists(), "{file} was packed");
    }
}

#[test]
fn a_pipe_as_the_plan_blocks_no_command() {
    let scratch = Scratch::new("attack-pipe");
    let run = valid(&scratch, "run");
    pipe(Path::new(&run), "plan.toml");
    let packed = scratch.join("packed.tar.zst");
    for line in [
        &["clean", &run][..],
        &["rerun", &run],
        &["pack", &run, "--out", &packed],
        &["report", &run],
        &["show", &run, "--export", "wrk"],
    ] {
        let attacked = Attacked::run(line[0], &scratch, Tenbin::new(&scratch, line));
        attacked
            .expect_codes(&[2])
            .expect_said("not a regular file");
    }
}

#[test]
fn writing_into_a_run_directory_follows_no_link() {
    let scratch = Scratch::new("attack-write");
    let precious = scratch.write("precious", "precious");
    let run = valid(&scratch, "run");
    for file in ["report.html.part", "left.json.part", "wrk.txt.part"] {
        link(Path::new(&run), file, &precious);
    }
    for line in [
        &["report", &run][..],
        &["clean", &run],
        &["show", &run, "--export", "wrk"],
    ] {
        Attacked::run(line[0], &scratch, Tenbin::new(&scratch, line));
        let content = std::fs::read_to_string(&precious).expect("the file");
        assert_eq!(content, "precious", "{} wrote through a link", line[0]);
    }
}

#[test]
fn cleaning_deletes_nothing_outside_of_the_run() {
    let scratch = Scratch::new("attack-clean");
    let precious = scratch.path().join("precious");
    std::fs::create_dir(&precious).expect("a directory");
    std::fs::write(precious.join("file"), "precious").expect("a file");
    let plan = "[[target]]\nname = \"off\"\nbuiltin = \"s3-memory\"\n\n[[workload]]\nkind = \"s3\"\n\
                operation = \"put\"\nsize = \"1KiB\"\n";
    for (at, place) in ["targets", "targets/off", "targets/off/data"]
        .iter()
        .enumerate()
    {
        let run = valid(&scratch, &format!("run{at}"));
        write(Path::new(&run), "plan.toml", plan);
        let link = Path::new(&run).join(place);
        std::fs::create_dir_all(link.parent().expect("its directory")).expect("directories");
        std::os::unix::fs::symlink(&precious, &link).expect("a link");
        let cleaned = Tenbin::new(&scratch, ["clean", &run]);
        Attacked::run(place, &scratch, cleaned).expect_codes(&[0, 2, 3]);
        assert!(precious.join("file").exists(), "{place} was followed");
    }
}
