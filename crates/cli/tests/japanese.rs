//! What the main commands print with `--lang ja`, or in a Japanese locale, has no English sentence.

mod common;

use std::fs;

use common::{ACCESS, Outcome, OwnServer, SECRET, Scratch, Tenbin};

/// Runs a command line in a Japanese locale.
fn japanese(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::line(scratch, line)
        .env("LANG", "ja_JP.UTF-8")
        .env("LC_ALL", "")
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run()
}

/// The lines with an English sentence: four plain words in a row. Names, units, flags, paths and code
/// have other characters, or fewer words, and lists of names have commas. Command lines are no sentences.
fn english(text: &str) -> Vec<&str> {
    with_words(text, 4)
}

/// The lines with this number of plain words in a row.
fn with_words(text: &str, many: usize) -> Vec<&str> {
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| ".:()\"".contains(c));
        word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase())
    };
    let has_sentence = |line: &&str| {
        let words: Vec<bool> = line.split_whitespace().map(is_word).collect();
        words.windows(many).any(|all| all.iter().all(|is| *is))
    };
    let lines = text.lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("tenbin "));
    lines.filter(has_sentence).collect()
}

#[track_caller]
fn expect_japanese(run: &Outcome) {
    let said = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(english(&said), [""; 0], "{run}");
    assert!(has_kana(&said), "{run}");
}

/// Like [`expect_japanese`], for a tool whose own lines stand first on standard output: those are
/// read by programs and stay as the tool prints them.
#[track_caller]
fn expect_japanese_after_the_tool(run: &Outcome) {
    let own = run.stdout.lines().skip_while(|line| !has_kana(line));
    let own: Vec<&str> = own.collect();
    let said = format!("{}\n{}", own.join("\n"), run.stderr);
    assert_eq!(english(&said), [""; 0], "{run}");
    assert!(has_kana(&run.stderr), "{run}");
}

fn has_kana(text: &str) -> bool {
    text.contains(|c: char| ('\u{3040}'..'\u{3100}').contains(&c))
}

const SHORT: &str = "--connections 2 --slice 100ms --lead 10ms --gap 0ms --warmup 100ms --sustain 0 \
                     --relaunch=never";

#[test]
fn runs_and_the_commands_that_read_them_are_japanese() {
    let scratch = Scratch::new("japanese");
    let run = |line: &str| {
        let run = japanese(&scratch, line);
        expect_japanese(&run);
        run
    };
    let few = run(&format!(
        "http --builtin a=http --builtin b=http --rounds 3 {SHORT}"
    ));
    few.expect_stderr("警告: --rounds 4")
        .expect_stderr("注記: 結果のページ: ");
    run(&format!(
        "http --builtin a=http --builtin b=http --rounds 12 {SHORT} -v"
    ));
    run(&format!(
        "http --builtin a=http --rounds 2 {SHORT} --before last"
    ));
    run("show last -v").expect_stdout("負荷生成側");
    run("list").expect_stdout("実行");
    run("list nowhere").expect_stderr("エラー: ");
    run("history").expect_stdout("実行");
    run("compare last~2 last~1");
    run("verify last");
    run("pack last --out run.tar.zst");
    run("clean last").expect_stderr("削除するものはない");
    japanese(&scratch, "label last good").expect_code(0);
    run("rm good");
    run("show nothing").expect_stderr("エラー: ");
    run(&format!(
        "gate http --builtin base=http --builtin candidate=http --max-rounds 12 {SHORT}"
    ));
    run("http --target a=http://127.0.0.1:9/");
    run("http --vus 3");
}

#[test]
fn checks_rules_and_files_are_japanese() {
    let scratch = Scratch::new("japanese-checks");
    let run = |line: &str| {
        let run = japanese(&scratch, line);
        expect_japanese(&run);
        run
    };
    run("doctor --duration 1s --port 1").expect_stdout("失敗 ");
    run("doctor s3 --target a=http://127.0.0.1:9").expect_stdout("失敗 ");
    run("explain");
    run("explain little").expect_stdout("リトルの法則");
    run("explain limit");
    run("explain nothing");
    fs::write(scratch.join("ab.txt"), AB).expect("a file");
    run("lint ab.txt").expect_stdout("所見 ");
    for command in [
        "", "http", "gate", "list", "history", "compare", "doctor", "clean", "lint",
    ] {
        run(&format!("{command} --help")).expect_stdout("使い方");
    }
}

#[test]
fn the_command_lines_of_other_tools_explain_themselves_in_japanese() {
    let scratch = Scratch::new("japanese-fronts");
    let server = OwnServer::start(&scratch, ["serve", "http", "--listen", "127.0.0.1:0"]);
    let url = server.url();
    let run = |line: String| {
        let run = japanese(&scratch, &line);
        expect_japanese_after_the_tool(&run);
        run
    };
    run(format!("ab -n 200 -c 2 {url}"))
        .expect_stderr("注記: リクエストは HTTP/1.1 で送る")
        .expect_stdout("判定    ");
    run(format!("wrk -c 2 -t 1 -d 1s {url}")).expect_stdout("信頼性  ");
    run(format!("wrk2 -c 2 -t 1 -d 1s -R 200 {url}"));
    let store = OwnServer::start(&scratch, SERVE_S3);
    let address = store.address;
    let keys = format!("-a {ACCESS} -s {SECRET}");
    run(format!(
        "hsbench -u http://{address} {keys} -bp bench -m pg -d 1 -t 2 -z 4k"
    ));
    run(format!(
        "warp put --host {address} --access-key {ACCESS} --secret-key {SECRET} --duration 1s \
         --concurrent 2 --obj.size 4KiB --no-color"
    ));
}

/// The command lines of other tools, each with `--help` or without arguments.
const FRONTS: [&str; 16] = [
    "ab --help",
    "wrk --help",
    "wrk2 --help",
    "hsbench --help",
    "blobstore-bench --help",
    "drnbench-request-response --help",
    "drnbench-publish-subscribe --help",
    "drnbench-extract-searchterms --help",
    "drnbench-generate-select-patterns --help",
    "grn2drn --help",
    "grndump --help",
    "droonga-send --help",
    "warp",
    "warp put --help",
    "warp run --help",
    "warp analyze --help",
];

#[test]
fn the_help_of_the_command_lines_of_other_tools_is_japanese() {
    let scratch = Scratch::new("japanese-help-of-fronts");
    for front in FRONTS {
        let run = Tenbin::line(&scratch, format!("--lang ja {front}")).run();
        run.expect_code(0).expect_stdout("使い方: tenbin ");
        let prose: Vec<&str> = run
            .stdout
            .lines()
            .filter(|line| !line.starts_with("使い方"))
            .collect();
        let prose = without_quotations(&prose.join("\n"));
        assert_eq!(with_words(&prose, 3), [""; 0], "{front}: {run}");
        let english = [
            "Flags", "[default:", "[env:", "Note:", "Refused", "Commands",
        ];
        let left = english.iter().find(|word| run.stdout.contains(**word));
        assert_eq!(left, None, "{front}: {run}");
        // Below each flag stands what it does.
        let lines: Vec<&str> = run.stdout.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("  -")) {
            let is_added = !pair[1].starts_with("      ");
            assert!(is_added || has_japanese(pair[1]), "{front}: {pair:?}");
        }
    }
}

/// Whether a text has Japanese letters, kana or kanji.
fn has_japanese(text: &str) -> bool {
    has_kana(text) || text.contains(|c: char| ('\u{4e00}'..'\u{a000}').contains(&c))
}

/// What is quoted: values as given, names, commands.
fn without_quotations(text: &str) -> String {
    let mut kept = String::new();
    let mut end = None;
    for letter in text.chars() {
        match (end, letter) {
            (Some(closing), _) if letter == closing => end = None,
            (Some(_), _) => {}
            (None, '「') => end = Some('」'),
            (None, '"' | '\'' | '`') => end = Some(letter),
            (None, _) => kept.push(letter),
        }
    }
    kept
}

/// Result files that cannot be read.
const UNREADABLE: [(&str, &str); 4] = [
    (
        "cut.hlog",
        "#[Histogram log format version 1.3]\n0,1,token=s3cret\u{1b}[31m,HISTF\n",
    ),
    ("packed.bz2", "BZh91AY&SY\u{1}\u{2}"),
    (
        "fio.txt",
        "a: (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=1\n",
    ),
    ("oha.json", "{\"successRate\": 1, \"summary\": {"),
];

/// Command lines that end with an error. The words after `#` stand in the error.
const MISTAKES: &str = include_str!("japanese/mistakes.txt");

const PLAN: &str = "name = \"a b\"
conections = 3
[load]
conections = 3
connections = 0
rate = \"fast\"
timeout = \"5\"
[rounds]
seed = 3
slice = \"1ms\"
[[target]]
name = \"a\"
url = \"http://h\"
builtin = \"http\"
ready = { port = 3 }
[[workload]]
kind = \"http\"
size = 3
path = \"x y\"
headers = [\"x\"]
checks = [\"x\"]
";

#[test]
fn every_mistake_is_explained_in_japanese() {
    let scratch = Scratch::new("japanese-mistakes");
    fs::write(scratch.join("bad.toml"), PLAN).expect("a file");
    fs::write(scratch.join("no.toml"), "x").expect("a file");
    fs::write(scratch.join("empty.txt"), "").expect("a file");
    fs::write(scratch.join("token"), "short").expect("a file");
    fs::write(scratch.join("login.lua"), "wrk.method = \"POST\"\n").expect("a file");
    for (name, content) in UNREADABLE {
        scratch.write(name, content);
    }
    let mut wrong = Vec::new();
    let mut commands = 0;
    let lines = MISTAKES.lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        commands += 1;
        let (command, expected) = line.split_once(" # ").unwrap_or((line, ""));
        let run = japanese(&scratch, command.trim());
        let said = format!("{}{}", run.stdout, run.stderr);
        let prose: Vec<&str> = said
            .lines()
            .filter(|it| !it.starts_with("使い方"))
            .collect();
        let prose = without_quotations(&prose.join("\n"));
        let english = with_words(&prose, 3);
        if !english.is_empty() || !has_kana(&prose) || !said.contains(expected) {
            wrong.push(format!("$ tenbin {command}\n{said}"));
        }
    }
    assert!(commands > 100, "{commands}");
    assert!(
        wrong.is_empty(),
        "{} of {commands}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A file of a run, its damage, a command for the run's directory or for that file, and words of the
/// error in Japanese.
type Damage = (
    &'static str,
    fn(&str) -> Vec<u8>,
    &'static str,
    &'static str,
);

const DAMAGES: &[Damage] = &[
    (
        "intervals.jsonl",
        |_| b"x\n".to_vec(),
        "show {run}",
        "1 行目が壊れている",
    ),
    (
        "intervals.jsonl",
        |text| {
            text.replace("\"schema\":\"", "\"schema\":\"other-")
                .into_bytes()
        },
        "show {run}",
        "このバージョンが読むのは",
    ),
    (
        "intervals.jsonl",
        |text| {
            text.replacen("{\"kind\":\"end\"", "{\"kind\":\"other\"", 1)
                .into_bytes()
        },
        "show {run}",
        "行の種類 other は不明",
    ),
    (
        "latency.hlog",
        |text| text.replace("HISTF", "!!!!!").into_bytes(),
        "verify {run}",
        "ヒストグラム",
    ),
    (
        "environment.json",
        |_| b"{".to_vec(),
        "show {run}",
        "行目が壊れている: 「EOF",
    ),
    (
        "plan.toml",
        |_| vec![b'a', 0xff],
        "show {run}",
        "UTF-8 のテキストではない",
    ),
    (
        "result.json",
        |text| text.as_bytes()[..text.len() / 2].to_vec(),
        "show {run}/result.json",
        "Tenbin の結果ではない",
    ),
    (
        "result.json",
        |text| {
            text.replace("tenbin.result/1", "tenbin.result/9")
                .into_bytes()
        },
        "lint {run}/result.json",
        "この Tenbin が読むのは",
    ),
];

#[test]
fn every_damage_to_a_run_is_explained_in_japanese() {
    let scratch = Scratch::new("japanese-damages");
    let line = format!("http --builtin a=http --rounds 2 {SHORT}");
    let measured = japanese(&scratch, &line);
    let run = scratch.run();
    let run = run.unwrap_or_else(|| panic!("{measured}"));
    for (name, damage, command, expected) in DAMAGES {
        let file = run.join(name);
        let whole = fs::read(&file).expect("a file of the run");
        let damaged = damage(&String::from_utf8_lossy(&whole));
        assert_ne!(damaged, whole, "{name}: {expected}");
        fs::write(&file, damaged).expect("a file of the run");
        let command = command.replace("{run}", run.to_str().expect("a path in UTF-8"));
        let said = japanese(&scratch, &command);
        said.expect_stderr(expected);
        let prose = without_quotations(&said.stderr);
        assert_eq!(with_words(&prose, 3), [""; 0], "{said}");
        fs::write(&file, whole).expect("a file of the run");
    }
}

const SERVE_S3: [&str; 8] = [
    "serve", "s3", "--listen", "127.0.0.1:0", "--access-key", ACCESS, "--secret-key", SECRET,
];

/// A report of ab with failures and without keep-alive.
const AB: &str = "This is ApacheBench, Version 2.3 <$Revision: 1903618 $>

Server Software:        nginx
Server Hostname:        127.0.0.1
Server Port:            8080

Document Path:          /
Document Length:        10 bytes

Concurrency Level:      4
Time taken for tests:   1.000 seconds
Complete requests:      200
Failed requests:        0
Total transferred:      20000 bytes
HTML transferred:       2000 bytes
Requests per second:    200.00 [#/sec] (mean)
Time per request:       20.000 [ms] (mean)
Time per request:       5.000 [ms] (mean, across all concurrent requests)
Transfer rate:          19.53 [Kbytes/sec] received

Percentage of the requests served within a certain time (ms)
  50%     20
  99%     40
 100%     40 (longest request)
";
