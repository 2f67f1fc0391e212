//! warp's command lines.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use tenbin_compat::flag::{Fate, Flag, Kind};
use tenbin_compat::warp::{
    COMMANDS, Command, FLAGS, MixedOperation, Operation, Parsed, SizePlan, Task, WarpJob, parse,
    tables,
};
use tenbin_compat::{Mistakes, World};
use tenbin_plan::Sentence;

fn parsed(line: &str) -> Result<Parsed, Mistakes> {
    parsed_with(line, &[])
}

fn parsed_with(line: &str, variables: &[(&str, &str)]) -> Result<Parsed, Mistakes> {
    let arguments: Vec<String> = shlex::split(line).expect("shell words");
    let find = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let world = World {
        variable: &find,
        read: &|file| match file {
            "hosts.txt" => Ok("a:9000\n\nb:9000\n".to_owned()),
            "put.yml" => Ok(PUT_YML.to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        },
    };
    parse(&arguments[1..], &world)
}

/// A file for `warp run`.
const PUT_YML: &str = "\
warp:
  api: v1
  benchmark: put
  remote:
    host:
      - 'h{1...2}:9000'
  params:
    concurrent: 7 # connections
    obj:
      size: {{.name}}KiB
      part-size:
    autoterm: # of a sample
      enabled: false
      dur: 10s
  io:
    md5: true
";

fn job(line: &str) -> WarpJob {
    match parsed(line) {
        Ok(Parsed::Measure(job)) => *job,
        other => panic!("{line}: {other:?}"),
    }
}

fn mistakes(line: &str) -> Vec<String> {
    match parsed(line) {
        Err(mistakes) => in_english(mistakes.sentences()),
        Ok(other) => panic!("{line}: {other:?}"),
    }
}

fn in_english(sentences: &[Sentence]) -> Vec<String> {
    sentences.iter().map(ToString::to_string).collect()
}

fn all_flags() -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().copied().flatten()
}

#[test]
fn the_lines_of_the_founding_guide_mean_what_they_say() {
    let lines: Vec<&str> = include_str!("fixtures/founding-guide.txt")
        .lines()
        .collect();
    assert_eq!(lines.len(), 13);
    for line in &lines {
        let job = job(line);
        assert_eq!(job.bucket, "benchmark", "{line}");
        assert_eq!(
            job.access_key.as_ref().map(|key| key.reveal()),
            Some("benchadmin"),
            "{line}"
        );
        assert!(!job.tls && job.keep_alive && job.signed_payload, "{line}");
        assert_eq!(job.hosts.len(), 1, "{line}");
    }

    let put = job(lines[0]);
    assert_eq!(put.operation, Operation::Put);
    assert_eq!(put.hosts, ["localhost:9200"]);
    assert_eq!(put.objects, Some(1000));
    assert_eq!(put.size, SizePlan::fixed(1_000_000));
    assert_eq!(put.concurrency, 32);
    assert_eq!(put.duration, Duration::from_secs(60));
    assert_eq!(put.notes.len(), 1, "{:?}", put.notes);
    assert!(
        put.notes[0]
            .text()
            .starts_with("--objects: limits the number"),
        "{:?}",
        put.notes
    );

    let get = job(lines[4]);
    assert_eq!(get.operation, Operation::Get);
    assert_eq!(get.objects, Some(2500));
    assert_eq!(get.size, SizePlan::fixed(10 << 20));
    assert_eq!(get.concurrency, 16);

    let mixed = job(lines[5]);
    assert_eq!(
        mixed.mix,
        [(MixedOperation::Get, 70.0), (MixedOperation::Put, 30.0)]
    );
    let notes: Vec<&str> = mixed.notes.iter().map(Sentence::text).collect();
    assert_eq!(
        notes,
        [
            "missing shares are 0 here; warp would have kept its defaults (stat 30, \
             delete 10) and actually run get 50, stat 21, put 21, delete 7 per cent"
        ]
    );

    let defaults = job(lines[3]);
    assert_eq!(defaults.concurrency, 20);
    assert_eq!(defaults.duration, Duration::from_secs(300));
    let large = job(lines[9]);
    assert!(
        large.notes[0].text().contains("in parts"),
        "{:?}",
        large.notes
    );
}

/// The flags of warp in the version that `docs/warp.md` names, each with its commands.
const WARPS_FLAGS: &str = include_str!("fixtures/warp-flags.txt");

/// Flags of other versions of warp, and flags that Tenbin adds.
const OTHER_FLAGS: [&str; 7] = [
    "analyze.errors", "analyze.hostdetails", "objects", "requests", "sts-endpoint",
    "sts-web-token-file", "warp-client-server",
];

/// A valid value of a flag, other than the default.
fn some_value(flag: &Flag) -> &'static str {
    match (flag.name, flag.kind) {
        (_, Kind::Switch) => "true",
        ("obj.size" | "part.size", _) => "6MiB",
        ("host", _) => "127.0.0.1:9001",
        (_, Kind::Text | Kind::Secret) => "word",
        ("var", _) => "name=1",
        (_, Kind::List) => "name=value",
        (_, Kind::Whole) => "7",
        (_, Kind::Decimal) => "7.25",
        (_, Kind::Size) => "64KiB",
        (_, Kind::Time) => "7s",
        (_, Kind::Choice(words)) => words.last().expect("a choice"),
    }
}

/// The names of the commands that measure.
fn measuring() -> Vec<&'static str> {
    let measure = |command: &&Command| matches!(command.task, Task::Measure(_));
    let commands = COMMANDS.iter().filter(measure);
    commands.map(|command| command.name).collect()
}

/// The flags of warp with their commands: `(flag, command)`.
fn warps_flags() -> BTreeSet<(&'static str, &'static str)> {
    let lines = WARPS_FLAGS.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.flat_map(|line| {
        let (flag, commands) = line.split_once(": ").expect("a flag with its commands");
        let commands = commands.split(' ').flat_map(|word| match word {
            "all" => [measuring(), vec!["analyze", "cmp", "merge"]].concat(),
            "measuring" => measuring(),
            command => vec![command],
        });
        commands.map(move |command| (flag, command))
    });
    pairs.collect()
}

#[test]
fn the_table_has_the_flags_of_warp_and_no_others() {
    let warps = warps_flags();
    for (name, command) in &warps {
        let found = all_flags().any(|flag| flag.is_called(name) && flag.is_of(command));
        assert!(found, "{command} has no --{name}");
    }
    for flag in all_flags() {
        let is_warps = warps.iter().any(|(name, _)| *name == flag.name);
        let is_listed = is_warps || OTHER_FLAGS.contains(&flag.name);
        assert!(is_listed, "warp has no --{}", flag.name);
    }
    let of = |name: &str| {
        let commands = all_flags().filter(|flag| flag.name == name);
        let commands = commands.flat_map(|flag| flag.commands.iter().copied());
        commands.collect::<BTreeSet<_>>()
    };
    for name in ["list-existing", "list-flat"] {
        assert_eq!(of(name), ["delete", "get", "stat"].into(), "{name}");
    }
}

#[test]
fn refused_values_are_named_with_the_reason_and_listed_in_the_table() {
    let tables = tables();
    for flag in all_flags() {
        for (value, reason) in flag.refused_values {
            assert!(tables.contains(&format!("`{value}` refused: {reason}")));
            let line = format!("warp {} --{}={value}", flag.commands[0], flag.name);
            let expected = format!("--{}: {value:?}: {reason}", flag.name);
            assert_eq!(mistakes(&line), [expected]);
        }
    }
    let sha512 = mistakes("warp put --checksum=SHA3")[0].clone();
    assert!(sha512.contains("\"SHA512\""), "{sha512}");
}

#[test]
fn every_flag_is_honoured_noted_or_refused_by_name() {
    for flag in all_flags() {
        for command in flag.commands {
            let files = match *command {
                "analyze" => " f",
                "cmp" | "merge" => " f g",
                "run" if flag.name == "var" => " put.yml",
                "run" => " put.yml --var=name=1",
                _ => "",
            };
            let value = some_value(flag);
            // Value as a separate word or after `=`, and one dash or two.
            let mut forms = vec![
                format!("warp {command} --{}={value}{files}", flag.name),
                format!("warp {command} -{}={value}{files}", flag.name),
            ];
            if flag.kind == Kind::Switch {
                forms.push(format!("warp {command}{files} -{}", flag.name));
            } else {
                forms.push(format!("warp {command} --{} {value}{files}", flag.name));
            }
            for line in forms {
                let name = format!("--{}", flag.name);
                let mentions = |texts: &[String]| texts.iter().any(|text| text.contains(&name));
                match (parsed(&line), flag.fate) {
                    (Ok(Parsed::Measure(job)), Fate::Noted(_)) => {
                        assert!(mentions(&in_english(&job.notes)), "{line}: {:?}", job.notes);
                    }
                    (Ok(Parsed::Read(reading)), Fate::Noted(_)) => {
                        assert!(
                            mentions(&in_english(&reading.notes)),
                            "{line}: {:?}",
                            reading.notes
                        );
                    }
                    (Err(wrong), Fate::Refused(_)) => {
                        assert!(mentions(&in_english(wrong.sentences())), "{line}: {wrong}");
                    }
                    (Ok(Parsed::Measure(_) | Parsed::Read(_)), Fate::Honoured) => {}
                    // Some honoured flags are refused with this value or on this command.
                    (Err(wrong), Fate::Honoured) => {
                        assert!(mentions(&in_english(wrong.sentences())), "{line}: {wrong}");
                        assert!(
                            [
                                "signature", "obj.generator", "checksum", "parts", "range",
                                "delete-distrib", "sts-endpoint", "sts-web-token",
                                "sts-web-token-file",
                            ]
                            .contains(&flag.name),
                            "{line}: {wrong}"
                        );
                    }
                    (other, fate) => panic!("{line}: {other:?}, {fate:?}"),
                }
            }
        }
    }
}

#[test]
fn a_refused_flag_that_asks_for_nothing_is_let_pass() {
    let line = "warp put --ktls=false --autoterm=false --autoterm.dur=15s --sndbuf=32768";
    assert!(job(line).notes.is_empty());
}

#[test]
fn the_table_is_sound() {
    let mut seen = BTreeSet::new();
    for flag in all_flags() {
        for command in flag.commands {
            assert!(
                seen.insert((flag.name, *command)),
                "{} twice on {command}",
                flag.name
            );
            assert!(
                COMMANDS
                    .iter()
                    .any(|known| known.name == *command && known.task != Task::None),
                "{command}"
            );
        }
        for (command, _) in flag.defaults {
            assert!(
                flag.is_of(command),
                "{} has a default for {command}",
                flag.name
            );
        }
    }
}

#[test]
fn defaults_are_those_of_warp() {
    for (command, objects, size) in [
        ("get", Some(2500), SizePlan::fixed(10 << 20)),
        ("put", None, SizePlan::fixed(10 << 20)),
        ("mixed", Some(2500), SizePlan::fixed(10 << 20)),
        ("versioned", Some(250), SizePlan::fixed(10 << 20)),
        ("delete", Some(25_000), SizePlan::fixed(1024)),
        ("list", Some(10_000), SizePlan::fixed(1000)),
        ("stat", Some(10_000), SizePlan::fixed(1000)),
        ("retention", Some(25_000), SizePlan::fixed(1024)),
        ("snowball", None, SizePlan::fixed(512 << 10)),
        ("fanout", None, SizePlan::fixed(1 << 20)),
        ("zip", None, SizePlan::fixed(10 << 10)),
        ("append", None, SizePlan::fixed(10 << 20)),
        ("multipart", None, SizePlan::fixed(5 << 20)),
        ("multipart-put", None, SizePlan::fixed(5 << 20)),
    ] {
        let job = job(&format!("warp {command}"));
        assert_eq!((job.objects, &job.size), (objects, &size), "{command}");
        assert_eq!(job.concurrency, 20, "{command}");
        assert_eq!(job.duration, Duration::from_secs(300), "{command}");
        assert_eq!(job.bucket, "warp-benchmark-bucket", "{command}");
        assert_eq!(job.hosts, ["127.0.0.1:9000"], "{command}");
        let notes = usize::from(command == "versioned");
        assert_eq!(job.notes.len(), notes, "{command}: {:?}", job.notes);
    }
    let mixed = job("warp mixed");
    let shares: Vec<f64> = mixed.mix.iter().map(|&(_, share)| share).collect();
    assert_eq!(shares, [45.0, 30.0, 15.0, 10.0]);
    assert_eq!(job("warp multipart").parts, Some(200));
    assert_eq!(job("warp multipart-put").parts, Some(100));
    assert_eq!(job("warp multipart-put").part_concurrency, Some(20));
    assert_eq!(job("warp delete").batch, Some(100));
    assert_eq!(job("warp list").max_keys, Some(100));
    assert_eq!(job("warp retention").versions, Some(5));
    assert_eq!(job("warp zip").files, Some(10_000));
    assert_eq!(job("warp fanout").copies, Some(100));
    assert_eq!(job("warp snowball").objects_per_archive, Some(50));
}

#[test]
fn the_environment_gives_what_the_command_line_does_not() {
    let variables = [
        ("WARP_HOST", "s{1...4}:9000,other:9000"),
        ("WARP_ACCESS_KEY", "from-environment"),
        ("WARP_TLS", "true"),
        ("WARP_REGION", "moon-1"),
    ];
    let Ok(Parsed::Measure(job)) = parsed_with("warp get -access-key=given", &variables) else {
        panic!("refused");
    };
    assert_eq!(job.hosts, ["s{1...4}:9000", "other:9000"]);
    assert_eq!(
        job.access_key.map(|key| key.reveal().to_owned()).as_deref(),
        Some("given")
    );
    assert_eq!(job.region.as_deref(), Some("moon-1"));
    assert!(job.tls && !job.signed_payload);
}

#[test]
fn a_yaml_file_is_run_like_its_flags() {
    assert_eq!(
        job("warp run put.yml --var name=64"),
        job("warp put --host=h{1...2}:9000 --concurrent=7 --obj.size=64KiB --md5")
    );
    for (line, expected) in [
        ("warp run", "warp run takes one YAML file: warp run FILE"),
        ("warp run gone.yml", "\"gone.yml\" cannot be read: "),
        ("warp run put.yml", "put.yml: \"{{.name}}\" has no value; "),
        (
            "warp run put.yml --var=name=x",
            "--obj.size: \"xKiB\" is not a size",
        ),
    ] {
        let found = mistakes(line).remove(0);
        assert!(found.starts_with(expected), "{line}: {found}");
    }
}

#[test]
fn hosts_may_stand_in_a_file() {
    assert_eq!(
        job("warp get --host=file:hosts.txt").hosts,
        ["a:9000", "b:9000"]
    );
    assert!(mistakes("warp get --host=file:gone.txt")[0].starts_with("--host: \"gone.txt\""));
}

#[test]
fn a_flag_of_tenbin_names_the_flag_of_warp() {
    for (line, expected) in [
        (
            "warp put --ops-log=x.csv.zst",
            "warp put has no flag --ops-log; use --full",
        ),
        (
            "warp list --page=7",
            "warp list has no flag --page; use --max-keys",
        ),
        ("warp put --page=7", "warp put has no flag --page"),
    ] {
        assert_eq!(mistakes(line), [expected]);
    }
}

#[test]
fn every_mistake_is_named_once() {
    assert_eq!(
        mistakes("warp put --obj.size=soon --concurent=3 --duration 60 --autoterm --batch=3 x"),
        [
            "warp put has no flag --concurent; did you mean --concurrent?",
            "--duration: \"60\" has no unit; write for example \"500ms\", \"2s\" or \"1m30s\"",
            "--autoterm: stable seconds say nothing about later ones, and a run that ends when it \
             looks stable is biased; set the time with --duration",
            "--batch is a flag of warp delete, not of warp put",
            "warp put takes no arguments, and \"x\" is not a flag of it; write false switches \
             as --tls=false",
            "--obj.size: \"soon\" is not a size; write for example \"64KiB\", \"1MB\" or \"1000\" \
             (bytes)",
        ]
    );
    assert_eq!(
        mistakes("warp putt"),
        ["warp has no command \"putt\"; did you mean warp put?"]
    );
    assert!(mistakes("warp client")[0].starts_with("warp client: Tenbin's load machines meet"));
    assert_eq!(
        mistakes("warp cmp one.zst"),
        ["warp cmp: one file is given; give it two files, the earlier first"]
    );
}

#[test]
fn secrets_are_shown_nowhere() {
    let line = "warp put --secret-key=hush --access-key=hush2 --nope";
    let shown = format!(
        "{:?} {:?}",
        parsed(line),
        parsed(&line.replace(" --nope", ""))
    );
    assert!(!shown.contains("hush"), "{shown}");
}

#[test]
fn help_lists_every_flag_of_a_command_with_its_fate() {
    for command in COMMANDS.iter().filter(|command| command.task != Task::None) {
        let Ok(Parsed::Help(help)) = parsed(&format!("warp {} --help", command.name)) else {
            panic!("no help on {}", command.name);
        };
        let text = help.to_string();
        for flag in all_flags().filter(|flag| flag.is_of(command.name)) {
            assert!(
                text.contains(&format!("  --{}", flag.name)),
                "{}: {text}",
                flag.name
            );
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
    }
    for line in ["warp", "warp --help", "warp help"] {
        let Ok(Parsed::Help(help)) = parsed(line) else {
            panic!("no help");
        };
        let text = help.to_string();
        assert!(COMMANDS.iter().all(|command| text.contains(command.name)));
    }
}

proptest! {
    #[test]
    fn no_command_line_makes_it_panic(
        arguments in proptest::collection::vec(
            prop_oneof![
                Just("put".to_owned()), Just("mixed".to_owned()), Just("cmp".to_owned()),
                Just("--obj.size".to_owned()), Just("--get-distrib=1e308".to_owned()),
                Just("--obj.randsize".to_owned()), Just("--host".to_owned()),
                Just("--duration".to_owned()), Just("--".to_owned()),
                "-{0,3}[a-z.]{0,12}=?.{0,12}", ".{0,12}", "[0-9]{0,30}[kKMGTiBsmh:,.]{0,4}",
            ],
            0..8,
        )
    ) {
        let world = World {
            variable: &|_| None,
            read: &|_| Err(std::io::ErrorKind::NotFound.into()),
        };
        match parse(&arguments, &world) {
            Ok(_) => {}
            Err(mistakes) => prop_assert!(!mistakes.sentences().is_empty()),
        }
    }
}

const HEAD: &str = "\
# warp's command line

`tenbin warp` takes warp's command line and runs it on Tenbin's engine. If the program is called
`warp`, for example through a symbolic link, it is this command:

```console
$ ln -s \"$(command -v tenbin)\" ~/.local/bin/warp
$ warp put --host=localhost:9200 --obj.size=1MB --concurrent=32 --duration=60s
```

Differences, and their reasons:

- **Only correct responses count.** A failed request never counts as throughput. warp's default report
  counts it with its full size.
- **Percentiles are over all requests.** warp's default report shows means of the percentiles of
  ten-second windows.
- **Only what Tenbin created is deleted.** warp empties the bucket before and after the run.
- **Requests are not retried.** warp's S3 library retries up to ten times within the time of one
  request.
- **Missing shares are 0** if one share is given. warp keeps its defaults for the others: with
  `--get-distrib=70 --put-distrib=30` it runs 50 % GET, 21 % STAT, 21 % PUT and 7 % DELETE.
- **Each object is stored by one PUT**, and over plain HTTP its complete content is hashed and
  signed. warp stores objects above 16 MiB in parts, and signs chunks of 64 KiB.
- **Several load machines** are agents: `tenbin hub` here, `tenbin agent` on every load machine, then
  `tenbin warp put --agents 2 --nats URL --creds FILE …` ([agents.md](agents.md)). warp's `client` and
  `--warp-client` are refused with these commands.
- **A verdict** says whether the figures can be trusted, and so does the exit code
  ([exit-codes.md](exit-codes.md)).
- **One run per side cannot distinguish noise from a difference**, and `warp cmp` says so. To compare two servers,
  measure them in one interleaved run: `tenbin s3 put --target a=… --target b=…`.

With `--full`, a measuring command also logs its requests in `NAME.csv.zst`, where `NAME` is that of `--benchdata`, in the
columns of warp: the [log of requests](run-directory.md#log-of-requests), which other commands of Tenbin write with `--ops-log`.

`analyze`, `cmp` and `merge` read warp's `.csv.zst` (written with `--full`) and `.json.zst`, compressed
or not, and Tenbin's run directories. Tenbin computes the figures from the data: throughput from the correct responses
over the time from the first start to the last end, percentiles from every request, times unchanged. A
`.json.zst` file contains only percentiles of windows; if it has several windows, the true percentiles
are unknown, and Tenbin prints the range that contains them. `merge` is for clients that ran at the same time:
results that overlap for less than half of the shorter one's duration are refused, because throughputs of different
times cannot be added.

Flags are accepted with one dash or two, as `--flag=value` or `--flag value`; switches as `--tls` or
`--tls=false`. A flag that Tenbin does not support is refused by name, unless it requests nothing, as
`--ktls=false` does. The tables follow warp's source at commit `d06f8e6` of 2026-08-16, 9 commits after v1.6.1,
hidden flags included; `select`, `update` and the flags that only earlier versions have are listed too.

";

#[test]
fn the_page_on_warp_says_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/warp.md");
    let page = format!("{HEAD}{}", tables());
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let stored = std::fs::read_to_string(&path).expect("docs/warp.md");
    assert!(
        stored == page,
        "docs/warp.md is out of date: run this test with TENBIN_UPDATE=1"
    );
}

/// A context in which plans can be resolved.
fn context() -> tenbin_plan::Context {
    tenbin_plan::Context {
        cores: 4,
        directory: "/made-up".into(),
        seed: 7,
        environment: Box::new(|_| None),
        open: Box::new(|_| Err(std::io::ErrorKind::NotFound.into())),
        without_files: false,
        random: Box::new(|| 4),
    }
}

fn plan(line: &str) -> tenbin_plan::Plan {
    job(line)
        .draft()
        .resolve(&mut context())
        .unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
}

const KEYS: &str = "--access-key=a --secret-key=b";

#[test]
fn every_command_makes_a_plan() {
    for command in COMMANDS {
        if let Task::Measure(_) = command.task {
            let plan = plan(&format!("warp {} {KEYS}", command.name));
            assert_eq!(plan.targets.len(), 1);
            assert_eq!(plan.rounds.count, 1);
            assert_eq!(plan.rounds.slice, Duration::from_secs(300));
            assert_eq!(plan.workloads[0].load.connections, 20);
        }
    }
    for line in include_str!("fixtures/founding-guide.txt").lines() {
        plan(line);
    }
}

#[test]
fn the_flags_reach_the_plan() {
    let text = |line: &str| plan(line).to_toml();
    for (line, wanted) in [
        (
            "warp mixed --get-distrib=70 --put-distrib=30",
            "operation = \"get:70,put:30\"",
        ),
        ("warp mixed --get-distrib=70", "operation = \"get\""),
        ("warp put --tls", "payload = \"unsigned\""),
        (
            "warp put --obj.size=1KiB:60,1MiB:40",
            "size = \"1..1KiB:60,1025..1MiB:40\"",
        ),
        ("warp get --range-size=64KiB", "range = \"random:64KiB\""),
        ("warp get --list-existing", "data = \"existing\""),
        ("warp get --keep-data", "data = \"keep\""),
        ("warp list --versions=3", "list = \"versions\""),
        ("warp delete --batch=7", "batch = 7"),
        (
            "warp multipart-put --parts=3 --part.concurrent=2",
            "size = \"15MiB\"",
        ),
        ("warp put --checksum=crc32c-fo", "checksum = \"crc32c\""),
        ("warp put --checksum=sha512", "checksum = \"sha512\""),
        ("warp put --checksum=XXH64", "checksum = \"xxhash64\""),
        ("warp put --checksum=XXH3", "checksum = \"xxhash3\""),
        ("warp put --checksum=XXH128", "checksum = \"xxhash128\""),
        ("warp put --signature=S3V2", "signature = \"v2\""),
        ("warp put --encrypt --tls", "encryption = \"sse-c\""),
        ("warp put --tag=a=b", "tags = [\"a=b\"]"),
        ("warp put --add-metadata=a=b", "metadata = [\"a: b\"]"),
        ("warp put --rps-limit=12.5", "rate = \"12.5/s\""),
        ("warp put --host=s{1...2}:9000", "http://s2:9000"),
        (
            "warp put --lookup=host --host=s3.test:9000",
            "style = \"virtual\"",
        ),
        ("warp put --benchdata=x/put[1]", "name = \"put-1\""),
        ("warp put --full --benchdata=x/ops", "x/ops.csv.zst\""),
        ("warp stat --full", "warp-stat.csv.zst\""),
        ("warp put --http2 --tls --insecure", "insecure = true"),
    ] {
        let plan = text(&format!("{line} {KEYS}"));
        assert!(plan.contains(wanted), "{line}: {wanted} is not in\n{plan}");
    }
    let without = text(&format!("warp put --full=false --benchdata=x/ops {KEYS}"));
    assert!(!without.contains("ops_log"), "{without}");
}

#[test]
fn a_web_identity_stands_in_place_of_keys() {
    let line = |flags: &str| {
        format!(
            "warp get --host=h:9000 --signature=STS_WEB_TOKEN --sts-endpoint=http://s:9003 {flags}"
        )
    };
    for flags in ["--sts-web-token=file:token", "--sts-web-token-file=token"] {
        let draft = job(&line(flags)).draft();
        let target = &draft.targets[0].value;
        assert!(target.web_identity_token_file.is_some(), "{flags}");
        assert!(target.sts_endpoint.is_some(), "{flags}");
        assert!(target.web_identity_token.is_none(), "{flags}");
    }
    let literal = job(&line("--sts-web-token=word")).draft();
    assert!(literal.targets[0].value.web_identity_token.is_some());
    let without = parsed(&line("")).expect_err("no token");
    assert!(without.to_string().contains("--sts-web-token"), "{without}");
}
