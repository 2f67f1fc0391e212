//! Command-line options have the effect that their help describes, and the same effect as plan
//! keys.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use clap_complete::Shell;
use tenbin_cli::args::{
    Cli, Command, PlanCommand, ProtocolCommand, ServeCommand, command, completed, with_tip,
};
use tenbin_plan::{
    Context, Draft, HttpVersion, IpVersion, Plan, Reach, Refusal, Signature, Target,
};

fn world() -> Context {
    let mut draws = 0;
    Context {
        cores: 4,
        directory: PathBuf::from("/made-up"),
        seed: 7,
        environment: Box::new(|name| {
            name.starts_with("TENBIN_")
                .then(|| format!("value of {name}"))
        }),
        open: Box::new(|path| {
            let content: &[u8] = match path.extension() {
                Some(trace) if trace == "trace" => b"0\n0.5\n9\n",
                Some(paths) if paths == "paths" => b"/a\n/b\n/c\n",
                _ => b"from a file\n",
            };
            Ok(Box::new(content))
        }),
        without_files: false,
        random: Box::new(move || {
            draws += 1;
            draws
        }),
    }
}

fn parse(line: &str) -> Command {
    let words = shlex::split(line).expect("closed quotes");
    match Cli::try_parse_from(words) {
        Ok(cli) => cli.command,
        Err(error) => panic!("{error}"),
    }
}

fn draft(command: &Command) -> Result<Draft, Refusal> {
    match command {
        Command::Quickstart(args) => Ok(args.draft()),
        Command::Protocol(command) => command.args().draft(),
        Command::Run(args) => args.draft(),
        Command::Plan(command) => command.draft().expect("a plan"),
        _ => panic!("a command that measures"),
    }
}

fn resolve(line: &str) -> Result<Plan, Refusal> {
    draft(&parse(line))?.resolve(&mut world())
}

fn plan(line: &str) -> Plan {
    resolve(line).unwrap_or_else(|refusal| panic!("{line}\n{refusal}"))
}

/// Fails unless the plan conforms to `docs/plan.schema.json`.
#[track_caller]
fn expect_schema(plan: &str) {
    const URL: &str = "http://localhost/plan.schema.json";
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let schema = serde_json::from_str(&tenbin_plan::schema_json()).expect("JSON");
    compiler.add_resource(URL, schema).expect("a resource");
    let schema = compiler.compile(URL, &mut schemas).expect("a schema");
    let value: serde_json::Value = toml::from_str(plan).expect("TOML");
    if let Err(why) = schemas.validate(&value, schema) {
        panic!("{why:#}\n{plan}");
    }
}

fn refusal(line: &str) -> String {
    resolve(line).expect_err(line).to_string()
}

#[test]
fn memory_and_version_go_to_the_targets_that_they_are_for() {
    let memory = |options: &str| {
        let plan = plan(&format!(
            "tenbin blob --builtin a=blob --builtin b=s3-memory --builtin c=dummy {options}"
        ));
        let each = plan.targets.iter().map(|target| target.memory);
        each.collect::<Vec<_>>()
    };
    let all = memory("--builtin-memory 64MiB --builtin-memory b=1GiB");
    assert_eq!(all, [Some(64 << 20), Some(1 << 30), None]);
    assert_eq!(
        memory("--builtin-memory b=1GiB"),
        [None, Some(1 << 30), None]
    );
    let wrong = refusal("tenbin http --builtin a=http --builtin-memory 1GiB");
    assert!(
        wrong.contains("is for builtin = \"s3-memory\""),
        "{wrong:?}"
    );
    let wrong = refusal("tenbin http --builtin a=http --builtin-memory a=1GiB");
    assert!(
        wrong.contains("is for builtin = \"s3-memory\""),
        "{wrong:?}"
    );
    let plan = plan("tenbin http --target a=http://h --builtin b=http --server-version a=1.2");
    let versions: Vec<_> = plan
        .targets
        .iter()
        .map(|it| it.version.as_deref())
        .collect();
    assert_eq!(versions, [Some("1.2"), None]);
}

#[test]
fn the_declaration_is_sound() {
    command().debug_assert();
}

#[test]
fn help_pages() {
    let mut pages = String::new();
    for path in [
        "tenbin", "tenbin quickstart", "tenbin http", "tenbin s3", "tenbin s3 get", "tenbin blob",
        "tenbin run", "tenbin plan", "tenbin search", "tenbin search data", "tenbin search load",
        "tenbin show", "tenbin serve s3", "tenbin observe", "tenbin hub", "tenbin serve blob",
    ] {
        let mut words: Vec<&str> = path.split(' ').collect();
        words.push("--help");
        let help = match Cli::try_parse_from(words) {
            Err(help) => help.to_string(),
            Ok(_) => panic!("help is no command"),
        };
        pages += &format!("$ {path} --help\n{help}\n");
    }
    insta::assert_snapshot!(pages);
}

#[test]
fn short_help_pages() {
    let mut pages = String::new();
    for path in [
        "tenbin http", "tenbin s3 get", "tenbin blob", "tenbin search ramp", "tenbin run",
    ] {
        let words = path.split(' ').chain(["-h"]);
        let Err(help) = Cli::try_parse_from(words) else {
            panic!("help is no command");
        };
        let help = help.to_string();
        assert!(help.lines().count() <= 62, "{help}");
        pages += &format!("$ {path} -h\n{help}\n");
    }
    insta::assert_snapshot!(pages);
}

#[test]
fn http_without_arguments_prints_its_usual_forms() {
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_tenbin"))
        .arg("http")
        .env("LC_ALL", "C")
        .output()
        .expect("tenbin can be started");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("no target to measure"), "{said}");
    let forms: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with("tenbin http "))
        .collect();
    assert_eq!(forms.len(), 3, "{said}");
    for form in forms {
        parse(form);
    }
}

#[test]
fn the_quickstart_fits_in_its_time() {
    let http = plan("tenbin quickstart");
    assert!(http.forecast().as_secs() < 40, "{:?}", http.forecast());
    let s3 = plan("tenbin quickstart s3");
    assert!(s3.forecast().as_secs() < 75, "{:?}", s3.forecast());
    let blob = plan("tenbin quickstart blob");
    assert!(blob.forecast().as_secs() < 40, "{:?}", blob.forecast());
    let search = plan("tenbin quickstart search");
    assert!(search.forecast().as_secs() < 40, "{:?}", search.forecast());
    insta::assert_snapshot!(http.to_toml() + &s3.to_toml() + &blob.to_toml());
}

/// A command line with every kind of S3 option.
const S3_WITH_EVERYTHING: &str = "tenbin s3 get \
    --launch 'a=bin/server --port {port} \"{data}\"' --launch-url 'a=http://localhost:{port}/' \
    --launch-env 'a=KEY={access_key}' --launch-env 'a=OPTIONS=x=y' --launch-dir a=elsewhere \
    --ready a=log:listening --ready-within a=5s --stop-within a=3s \
    --target b=http://127.0.0.1:9000 --access-key b=AKIA= --secret-key-file b=secret --region eu-1 \
    --session-token-file b=secret --signature b=v2 \
    --size 1KiB,1MB --bucket mine --objects 99 --virtual-host --unsigned-payload --no-verify \
    --concurrency 32 --rate 100/s --timeout 3s --no-keep-alive --requests 1000 \
    --rounds 12 --slice 1s --lead 50ms --gap 0s --warmup 1s --seed 3 --threads 3 --name all \
    --observe 'a=prometheus:https://h:9256' --observe-group a=server --observe-insecure=a \
    --observe b=tenbin:https://h:9901/ --observe-token-file b=secret --observe-cacert b=ca.pem \
    --baseline b --aa --margin 2.5% --until 3% --max-rounds 48 \
    --expect 'p99<20ms,a:throughput>0.95x baseline' --expect 'errors<0.1%' --stages";

#[test]
fn flags_say_everything_that_a_plan_file_says() {
    insta::assert_snapshot!(plan(S3_WITH_EVERYTHING).to_toml());
}

/// A command line with every kind of blob option.
const BLOB_WITH_EVERYTHING: &str = "tenbin blob --phases ppgdg --size 1KiB..4KiB \
    --objects 99 --prefix mine --locations db --bucket pail --no-verify --hashes md5,crc32,md5 \
    --range 0-99 --choose sequential --batch 7 --errors 3 --alloc-above 2KiB --crc-framed \
    --target a=http://h:9500 \
    --target d=file:///data --target e=file:///data?sync --target s=http://i --store s=s3 \
    --access-key AK --secret-key-file secret --warmup 1s --stages";

#[test]
fn blob_flags_say_everything_too() {
    insta::assert_snapshot!(plan(BLOB_WITH_EVERYTHING).to_toml());
}

#[test]
fn what_does_not_go_with_blobs_is_refused() {
    for (options, expected) in [
        ("--builtin a=blob --phases x", "not a list of phases"),
        (
            "--builtin a=blob --size 0",
            "CubeFS's access layer, which refuses them",
        ),
        (
            "--builtin a=blob --size 6GiB",
            "--size: 6GiB is more than one PUT can carry",
        ),
        (
            "--builtin a=blob --alloc-above 2GiB",
            "--alloc-above: \"2GiB\" is out of range; the size must be 1 byte to 1GiB",
        ),
        (
            "--builtin a=blob --poll-interval 5ms",
            "--poll-interval: needs until_gone = true",
        ),
        (
            "--builtin a=blob --until-gone --gone-within 0s",
            "--gone-within: \"0s\" is zero",
        ),
        (
            "--builtin a=blob --phases g --crc-framed",
            "--crc-framed: is for put",
        ),
        (
            "--builtin a=blob --range 0-99 --size 10",
            "--range: extends beyond the end of the smallest blob; use a shorter range or larger \
             blobs",
        ),
        ("--builtin a=blob --batch 2000", "--batch:"),
        (
            "--builtin a=blob --phases pd --range 0-9",
            "--range: is for get",
        ),
        (
            "--builtin a=blob --phases g --hashes md5",
            "--hashes: is for put",
        ),
        ("--builtin a=blob --hashes md6", "--hashes:"),
        (
            "--builtin a=blob --until-gone --batch 2",
            "--until-gone: polls each blob separately",
        ),
        (
            "--builtin a=blob --ramp 1..8",
            "phases on blobs run once in every round",
        ),
        (
            "--builtin a=blob --phases put:1,delete:2",
            "deletes more than it puts",
        ),
        (
            "--builtin a=blob --phases put:1,get:2 --locations db",
            "--locations: keeps blobs after the run, and a mix deletes its blobs",
        ),
        (
            "--builtin a=blob --phases put:1,get:2 --until-gone",
            "--until-gone: is for a delete phase",
        ),
        (
            "--builtin a=blob --choose uniform",
            "--choose: \"uniform\" is for S3 objects",
        ),
        (
            "--target a=file:///d?sinc",
            "\"sinc\" is no option of a directory",
        ),
        ("--builtin a=blob --store a=s3", "--store: is for targets"),
        ("--target a=http://h --store gcs", "--store:"),
        ("--target a=http://h --store s3", "needs S3 credentials"),
        (
            "--builtin a=blob --prefix a/b",
            "--prefix: \"a/b\" is not a name",
        ),
    ] {
        let refused = refusal(&format!("tenbin blob {options}"));
        assert!(refused.contains(expected), "{options}: {refused}");
    }
    for line in [
        "s3 put --target a=file:///d", "http --builtin a=dummy", "s3 get --builtin a=blob",
    ] {
        let refused = refusal(&format!("tenbin {line}"));
        assert!(
            refused.contains("supports workloads of kind \"blob\" only"),
            "{line}: {refused}"
        );
    }
}

#[test]
fn http_flags_say_everything_too() {
    let line = "tenbin http --builtin own=http --target http://127.0.0.1:8080/a?b=c -X POST \
        -H 'Accept: text/html' -H X-Y:z --body-file body --expect 200,404 --path /p -d 16s -c 4 -n 9";
    insta::assert_snapshot!(plan(line).to_toml());
}

#[test]
fn the_printed_plan_of_flags_is_the_same_plan() {
    for line in [
        S3_WITH_EVERYTHING,
        "tenbin quickstart",
        "tenbin http --target http://[::1]:80/x",
        "tenbin http --target http://h --rate 9/s --arrivals poisson",
        "tenbin http --target http://h --rate 9/s --rate-to 90/m",
        "tenbin http --target http://h --step '9/s for 1s' --step '60/m for 10ms'",
        "tenbin http --target http://h --step '9/s for 1s' --arrivals poisson",
        "tenbin http --target http://h --rate 9 --rate-to 90 --arrivals poisson",
        "tenbin http --target http://h --trace day.trace --trace-speed 2.5",
        "tenbin http --target http://h --think uniform:1ms..20ms",
        "tenbin http --target a=http://h:1 --target b=http://h:2 --baseline b --aa --margin 10%",
        "tenbin http --builtin a=http --aa --until ±1% --expect 200,p99<5ms",
        "tenbin quickstart --aa",
        "tenbin quickstart blob",
        "tenbin quickstart search",
        "tenbin http --target a=http://h:1 --target b=http://h:2 --observe a=pid:7 --observe b=name:x",
        "tenbin http --target http://h --observe port --builtin own=http",
        "tenbin http --target http://h --observe prometheus:http://h/m?a=b --observe-group g",
        "tenbin http --target http://h --ramp 1..16",
        "tenbin s3 get --builtin a=s3-memory --ramp 10:30:10 --size 1KiB",
        "tenbin http --target http://h --slo 'p99<10ms, errors<0.1%'",
        "tenbin http --target http://h --patterns x.paths --patterns-format text --order zipf:2 \
         --slowest 9 --hits opensearch --cache-hit 50% --cache-size 1 --cache-counters /x",
        "tenbin http --target http://h --slo p50<1s --rate 9/m --arrivals constant -c 7",
        BLOB_WITH_EVERYTHING,
        "tenbin blob --builtin a=blob --builtin b=dummy --builtin c=s3-memory",
        "tenbin blob --target a=http://h --target file:///d --store s3 --anonymous=a --phases p",
        "tenbin blob --builtin a=blob --builtin b=s3-memory --builtin-memory 1GiB --decide p95",
        "tenbin http --target a=http://h --builtin b=http --server-version a=1.2 --decide mean",
    ] {
        let once = plan(line).to_toml();
        expect_schema(&once);
        let again = Draft::from_toml(&once, Path::new("plan.toml"))
            .and_then(|draft| draft.resolve(&mut world()))
            .unwrap_or_else(|refusal| panic!("{once}\n{refusal}"));
        let comment = " # keys are not written down: put it there";
        assert_eq!(again.to_toml(), once.replace(comment, ""));
    }
}

#[test]
fn a_ramp_is_a_workload_for_each_level() {
    let ramp = plan("tenbin http --target http://h --ramp 1..4 --depth 2");
    let levels: Vec<(&str, usize, usize)> = ramp
        .workloads
        .iter()
        .map(|work| (work.name.as_str(), work.load.connections, work.load.depth))
        .collect();
    let expected = [
        ("http-GET-c1", 1, 2),
        ("http-GET-c2", 2, 2),
        ("http-GET-c4", 4, 2),
    ];
    assert_eq!(levels, expected);
    assert_eq!(ramp.concurrency_sweeps(), [[0, 1, 2]]);
    let sizes = plan("tenbin s3 put --builtin a=s3-memory --ramp 1,2,3 --size 1KiB --size 1MiB");
    assert_eq!(sizes.concurrency_sweeps(), [[0, 1, 2], [3, 4, 5]]);
    let file = "tenbin http --target http://h --ramp 1..2";
    assert!(refusal(file).starts_with("--ramp: \"1..2\" makes 2 levels"));
}

#[test]
fn an_objective_asks_for_connections_to_spare() {
    let connections = |line: &str| plan(line).workloads[0].load.connections;
    let line = "tenbin http --target http://h --slo p99<10ms";
    assert_eq!(connections(line), 128);
    assert_eq!(connections(&format!("{line} -c 5")), 5);
}

#[test]
fn plan_takes_the_same_flags() {
    let flags = "--target a=http://127.0.0.1:1 --target b=http://127.0.0.1:2 --out x --quiet";
    assert_eq!(
        plan(&format!("tenbin plan http {flags}")),
        plan(&format!("tenbin http {flags}"))
    );
    let output = plan(&format!(
        "tenbin plan http {flags} --live=9000 --otlp http://h:4318 --prometheus 9464 --export csv \
         --ops-log l/o.csv.zst \
         --export go=/made-up/go.txt --export json=-"
    ))
    .output;
    assert_eq!(output.live, Some(9000));
    assert_eq!(output.otlp.as_deref(), Some("http://h:4318/v1/metrics"));
    assert_eq!(output.prometheus, "127.0.0.1:9464".parse().ok());
    assert!(
        output
            .ops_log
            .is_some_and(|file| file.ends_with("l/o.csv.zst"))
    );
    assert_eq!(output.export, ["csv", "go=/made-up/go.txt"]);
    assert!(matches!(
        parse("tenbin plan s3 put --builtin a=s3-memory"),
        Command::Plan(plan) if matches!(
            &*plan,
            PlanCommand::Protocol(protocol) if matches!(protocol.0, ProtocolCommand::S3(_))
        )
    ));
}

#[test]
fn targets_keep_their_order_across_flags() {
    let plan = plan(
        "tenbin http --builtin z=http --target y=http://127.0.0.1:1 --launch 'x=server {port}' \
         --target w=http://127.0.0.1:2",
    );
    let names: Vec<&str> = plan
        .targets
        .iter()
        .map(|target| target.name.as_str())
        .collect();
    assert_eq!(names, ["z", "y", "x", "w"]);
    assert!(matches!(plan.targets[2].reach, Reach::Launched(_)));
}

#[test]
fn keys_are_for_all_or_for_one() {
    let plan = plan(
        "tenbin s3 put --target a=http://h:1 --target b=http://h:2 --access-key all --access-key b=own \
         --secret-key c=d=",
    );
    let keys: Vec<(&str, &str)> = plan
        .targets
        .iter()
        .filter_map(|target| target.credentials.as_ref())
        .map(|keys| (keys.access_key.as_str(), keys.secret_key.reveal()))
        .collect();
    assert_eq!(keys, [("all", "c=d="), ("own", "c=d=")]);
}

#[test]
fn anonymous_targets_need_no_keys_and_use_none() {
    for flags in [
        "--anonymous=a --access-key k --secret-key s",
        "--signature a=none --access-key b=k --secret-key b=s",
    ] {
        let plan = plan(&format!(
            "tenbin s3 put --target a=http://h:1 --target b=http://h:2 {flags}"
        ));
        let signed: Vec<(Signature, bool)> = plan
            .targets
            .iter()
            .map(|target| (target.signature, target.credentials.is_some()))
            .collect();
        assert_eq!(signed, [(Signature::None, false), (Signature::V4, true)]);
    }
    let plan = plan("tenbin s3 put --target a=http://h:1 --anonymous --target b=http://h:2");
    assert!(
        plan.targets
            .iter()
            .all(|target| target.signature == Signature::None)
    );
}

#[test]
fn whom_to_ask_is_for_all_or_for_one() {
    use tenbin_plan::{Observe, Processes};

    let plan = plan(
        "tenbin http --target a=http://h:1 --target b=http://h:2 --builtin own=http \
         --observe port --observe b=tenbin:https://o:9901 --observe-token-env TENBIN_T",
    );
    let observed: Vec<Option<&Observe>> = plan
        .targets
        .iter()
        .map(|target| target.observe.as_ref())
        .collect();
    let own_port = Observe::Processes(Processes::OwnPort);
    assert_eq!((observed[0], observed[2]), (Some(&own_port), None));
    let Some(Observe::Tenbin(page)) = observed[1] else {
        panic!("{observed:?}");
    };
    let token = page.token.as_ref().expect("a token");
    assert_eq!(token.secret.reveal(), "value of TENBIN_T");
    assert!(!format!("{plan:?}").contains("value of TENBIN_T"));
}

#[test]
fn refusals_name_the_flag() {
    for (line, expected) in [
        (
            "tenbin http",
            "no target to measure; give its URL, --target NAME=URL for each server, --launch NAME='COMMAND {port}' to start one, or a [[target]] table in a plan",
        ),
        (
            "tenbin http --target a=ftp://h",
            r#"--target: unknown scheme "ftp" in "ftp://h"; use http:// or https://"#,
        ),
        (
            "tenbin http --target localhost:80",
            r#"--target: "localhost:80" is not a URL; did you mean "http://localhost:80"?"#,
        ),
        (
            "tenbin http --target http://h --slice 2",
            r#"--slice: "2" has no unit; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "tenbin http --target http://h --connections 0",
            "--connections: 0 is too small; the minimum is 1",
        ),
        (
            "tenbin http --target http://h --arrivals poisson",
            "--arrivals: needs a rate: set rate or steps (--rate or --step)",
        ),
        (
            "tenbin http --target http://h --rate 5/s --think 5ms",
            "--think: an open loop (rate, steps or trace) has no think time, because it does not wait for responses; leave out one of them",
        ),
        (
            "tenbin http --target http://h --think -5ms",
            r#"--think: "-5ms" is negative; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "tenbin http --target http://h --slice -2s",
            r#"--slice: "-2s" is negative; write for example "500ms", "2s" or "1m30s""#,
        ),
        (
            "tenbin http --target http://h --rate -5/s",
            r#"--rate: "-5/s" is negative; a rate must be above 0, for example "1000/s""#,
        ),
        (
            "tenbin http --target http://h --trace day.txt",
            "--trace: /made-up/day.txt:1: \"from a file\" is not a time; write seconds, such as 0.25 or 1767225600.25, or for example 2026-01-01T00:00:00.25Z",
        ),
        (
            "tenbin http --target http://h --trace day.trace --trace-speed 0",
            "--trace-speed: \"0\" is out of range; a speed must be above 0 and at most 1000000",
        ),
        (
            "tenbin http --launch a=./server",
            "--launch: does not contain {port}: without it, the server does not learn the port that Tenbin \
             has chosen; add {port}, or start the server yourself and give its address with --target \
             NAME=URL",
        ),
        (
            "tenbin http --launch a=server --ready b=port",
            r#"--ready: no --launch gives a target called "b"; there is "a""#,
        ),
        (
            "tenbin http --launch 'a=server {port}' --ready a=prot",
            r#"--ready: "prot" is not one of port, url:URL and log:TEXT"#,
        ),
        (
            "tenbin http --target http://h --observe prot",
            r#"--observe: "prot" is not one of port, port:N, pid:N, name:PROGRAM, tenbin:URL and prometheus:URL"#,
        ),
        (
            "tenbin http --target http://h --observe pid:x",
            r#"--observe: "x" is not a whole number"#,
        ),
        (
            "tenbin http --target http://h --observe-token-file t",
            "--observe-token-file: no target is observed by a page; add --observe NAME=URL",
        ),
        (
            "tenbin http --builtin a=http --observe a=port",
            "--observe: is not for a built-in server, which is always observed",
        ),
        (
            "tenbin http --target http://h --observe port --observe-cacert ca.pem",
            "--observe-cacert: no target is observed by a page; add --observe NAME=URL",
        ),
        (
            "tenbin http --builtin a=htpt",
            r#"--builtin: "htpt" is not one of "http", "http-1-worker", "http-4-workers", "s3-memory", "s3-durable", "blob", "blob-1-worker", "blob-4-workers", "dummy"; did you mean "http"?"#,
        ),
        (
            "tenbin s3 put --target m=http://h --size 1KX",
            "target \"m\" needs S3 credentials for workload \"put-1MiB\"; give --access-key and --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan access_key_env and secret_key_env; for anonymous requests --anonymous, or in a plan signature = \"none\"",
        ),
    ] {
        let found = refusal(line);
        assert!(
            found.lines().any(|found| found == expected),
            "{line}\n found    {found}\n expected {expected}"
        );
    }
}

#[test]
fn a_number_that_is_expected_of_http_is_a_status() {
    let plan = plan("tenbin http --target http://h --expect 201,204 --expect p50<1s --expect 404");
    assert!(plan.to_toml().contains("expect = [201, 204, 404]"));
    assert!(plan.to_toml().contains("expect = [\"p50<1s\"]"));
    let found = refusal("tenbin s3 put --builtin a=s3-memory --expect 201");
    assert!(found.contains("--expect: \"201\" has no < or >"), "{found}");
}

#[test]
fn one_server_needs_no_flag() {
    let short = plan("tenbin http http://127.0.0.1:8080/a --connections 4");
    let long = plan("tenbin http --target http://127.0.0.1:8080/a --connections 4");
    assert_eq!(short.to_toml(), long.to_toml());
    let both = Cli::try_parse_from(["tenbin", "http", "http://h/", "--target", "http://i/"]);
    assert!(both.is_err(), "two servers are given by --target each");
    let class = plan("tenbin http http://h/ --expect 2xx,404").to_toml();
    assert!(class.contains("expect = [\"2xx\", 404]"), "{class}");
}

#[test]
fn command_lines_of_other_tools_have_a_plan() {
    for line in [
        "wrk -t2 -c 7 -d 10s http://h:1/",
        "ab -n 700 -c 7 http://h:1/",
        "hsbench -u http://h:1 -a key -s hush -z 4K -t 7",
    ] {
        let plan = plan(&format!("tenbin plan {line}")).to_toml();
        assert!(plan.contains("connections = 7"), "{plan}");
        assert!(!plan.contains("hush"), "{plan}");
    }
}

#[test]
fn what_beginners_write_gets_a_tip() {
    for (line, tip) in [
        (
            "tenbin http http://h:1/ http://i:1/",
            "'--target http://i:1/'",
        ),
        ("tenbin s3 http://h:1", "'--target http://h:1'"),
        ("tenbin a.toml", "'tenbin run a.toml'"),
        ("tenbin plan a.toml", "'tenbin plan file a.toml'"),
        ("tenbin htpp", "'http'"),
        (
            "tenbin http --vus 3 http://a",
            "the option is called '--connections' here",
        ),
        (
            "tenbin http --find-max http://a",
            "the option is called '--slo' here",
        ),
        (
            "tenbin http http://a -R 100",
            "the option is called '--rate' here",
        ),
        (
            "tenbin http http://a --data-binary x",
            "the option is called '--body' or '--body-file' here",
        ),
        ("tenbin http http://a --csv users.csv", "'--patterns FILE'"),
        ("tenbin show last --html x", "'--export html=FILE'"),
        ("tenbin diff a b", "the command is called 'compare' here"),
        (
            "tenbin oha http://a",
            "'tenbin import FILE' reads a result of oha",
        ),
        ("tenbin hyperfine ls", "servers, not programs"),
        ("tenbin show", "the newest run: 'tenbin show last'"),
        ("tenbin report", "the newest run: 'tenbin report last'"),
        ("tenbin compare", "'tenbin compare previous last'"),
        (
            "tenbin s3 get --concurrent=8",
            "the option is called '--connections' here",
        ),
        (
            "tenbin gate http --base main",
            "the option is called '--base-rev' here",
        ),
        (
            "tenbin gate run p.toml --candidate=x",
            "the option is called '--candidate-rev' here",
        ),
    ] {
        let Err(error) = Cli::try_parse_from(line.split(' ')) else {
            panic!("{line} was taken");
        };
        let told = with_tip(error).to_string();
        assert!(told.contains(tip), "{line}: {told}");
    }
}

#[test]
fn the_usage_after_a_tip_is_that_of_the_command() {
    for (line, usage) in [
        (
            "tenbin http --threshold p99<50ms http://a",
            "Usage: tenbin http [OPTIONS] [URL]\n",
        ),
        ("tenbin s3 get --vus 3", "Usage: tenbin s3 get [OPTIONS]\n"),
    ] {
        let Err(error) = Cli::try_parse_from(line.split(' ')) else {
            panic!("{line} was taken");
        };
        let told = with_tip(error).to_string();
        assert!(told.contains(usage), "{line}: {told}");
    }
}

#[test]
fn a_file_is_no_directory_of_runs() {
    for (name, advice) in [
        ("x.json", "--export json=x.json"),
        ("a/page.html", "--export html=a/page.html"),
        ("junit.xml", "--export junit=junit.xml"),
    ] {
        let line = ["tenbin", "http", "http://h/", "--out", name];
        let Err(error) = Cli::try_parse_from(line) else {
            panic!("{name} was taken");
        };
        assert!(error.to_string().contains(advice), "{name}: {error}");
    }
    parse("tenbin http http://h/ --out results.d/2026.01");
}

#[test]
fn an_unknown_option_is_no_value() {
    for (line, similar) in [
        ("tenbin report last --tittle x", "'--title'"),
        ("tenbin show last --colour", ""),
        ("tenbin import a.txt --xyz", ""),
    ] {
        let Err(error) = Cli::try_parse_from(line.split(' ')) else {
            panic!("{line} was taken");
        };
        let told = with_tip(error).to_string();
        assert!(!told.contains("as a value"), "{line}: {told}");
        assert!(told.contains(similar), "{line}: {told}");
    }
}

#[test]
fn options_win_over_the_plan_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("plan.toml");
    std::fs::write(
        &file,
        plan("tenbin http --target a=http://h:1 --target b=http://h:2").to_toml(),
    )
    .expect("written");
    let file = file.display();
    let rounds = |options: &str| {
        let plan = plan(&format!("tenbin run {file} {options}"));
        (plan.rounds.count, plan.rounds.slice.as_millis())
    };
    assert_eq!(rounds(""), (16, 2000));
    assert_eq!(rounds("--duration 16s"), (16, 1000));
    assert_eq!(rounds("--duration 16s --slice 2s"), (8, 2000));
    assert_eq!(rounds("--duration 16s --rounds 4"), (4, 4000));
    assert_eq!(rounds("--slice 1s"), (16, 1000));
    assert_eq!(rounds("--rounds 6"), (6, 2000));
    let plan = plan(&format!(
        "tenbin run {file} --seed 99 --threads 1 --name other"
    ));
    assert_eq!(
        (plan.seed, plan.threads, plan.name.as_str()),
        (99, 1, "other")
    );
}

#[test]
fn the_guard_gets_everything_behind_it() {
    let Command::Guard(guard) = parse("tenbin guard --grace 5s -- server --help -- x") else {
        panic!("the guard");
    };
    assert_eq!(
        guard.arguments,
        ["--grace", "5s", "--", "server", "--help", "--", "x"]
    );
}

#[test]
fn servers_listen_where_they_are_told() {
    let line = "tenbin serve s3 --listen 127.0.0.1:0 --durable d --access-key a --secret-key b";
    let Command::Serve(command) = parse(line) else {
        panic!("{line}");
    };
    let ServeCommand::S3(serve) = &*command else {
        panic!("{line}");
    };
    assert_eq!(serve.listen.port(), 0);
    assert_eq!(serve.durable, Some(PathBuf::from("d")));
}

/// The `$ tenbin …` command lines of a Markdown page of this repository.
fn command_lines(page: &str) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let text = std::fs::read_to_string(format!("{path}{page}")).expect(page);
    let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
    let lines = lines.filter(|line| line.starts_with("tenbin "));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_command_lines_of_the_first_pages_are_valid_in_both_languages() {
    let english = command_lines("README.md");
    assert!(english.len() > 10, "{english:?}");
    assert_eq!(command_lines("README.ja.md"), english);
    for line in [english, command_lines("docs/quick-guide.ja.md")].concat() {
        parse(&line);
    }
}

/// clap would read an option with the ID of a global option as the global option.
#[test]
fn no_option_has_the_id_of_a_global_one() {
    fn check(command: &clap::Command, global: &[String]) {
        for option in command.get_arguments().filter(|it| !it.is_global_set()) {
            let id = option.get_id().to_string();
            assert!(!global.contains(&id), "{}: {id}", command.get_name());
        }
        command
            .get_subcommands()
            .for_each(|each| check(each, global));
    }
    let mut tenbin = command();
    tenbin.build();
    let global = tenbin.get_arguments().filter(|it| it.is_global_set());
    let global: Vec<String> = global.map(|it| it.get_id().to_string()).collect();
    assert!(!global.is_empty());
    check(&tenbin, &global);
}

/// clap counts a variable as a flag that was given, and a variable must not refuse a command.
#[test]
fn no_option_with_a_variable_has_a_conflict() {
    fn check(command: &clap::Command) {
        for arg in command.get_arguments() {
            for other in command.get_arg_conflicts_with(arg) {
                let has_variable = arg.get_env().or(other.get_env()).is_some();
                assert!(!has_variable, "{}: {arg}, {other}", command.get_name());
            }
        }
        command.get_subcommands().for_each(check);
    }
    let mut built = command();
    built.build();
    check(&built);
}

#[test]
fn verbose_and_a_part_are_refused_if_both_are_flags() {
    for (part, name) in [
        ("--section=slow", "--section <NAME>"),
        ("--findings", "--findings"),
    ] {
        let both = Cli::try_parse_from(["tenbin", "show", "last", "--verbose", part]);
        let error = both.err().expect(part);
        assert_eq!(error.kind(), clap::error::ErrorKind::ArgumentConflict);
        let text = error.to_string();
        let expected = format!("the argument '--verbose' cannot be used with '{name}'");
        assert!(text.contains(&expected), "{text}");
        assert!(text.contains("Usage: tenbin show"), "{text}");
        assert!(Cli::try_parse_from(["tenbin", "show", "last", part]).is_ok());
    }
}

#[test]
fn completions_and_manual_pages_can_be_made() {
    for &shell in Shell::value_variants() {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut completed(), "tenbin", &mut script);
        let script = String::from_utf8(script).expect("text");
        assert!(script.contains("secret-key-file"), "{shell}");
        assert!(script.contains("quickstart"), "{shell}");
        // `guard` is an internal command.
        assert!(!script.contains("guard"), "{shell}: {script}");
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command())
        .render(&mut page)
        .expect("rendered");
    assert!(!page.is_empty());
}

#[test]
fn connections_are_for_all_targets_or_for_the_one_named() {
    let plan = plan(
        "tenbin http --target a=https://h{1...2} --target b=http://k --host 'a=https://h3 weight 2' \
         --http a=2 --cacert /ca.pem --cert /client.pem --insecure=c --target c=https://m --source 127.0.0.2 \
         --source b=127.0.0.3 --resolve h1:443:127.0.0.1 --resolve k:80:[::1] --ipv4=c --streams 9",
    );
    let [a, b, c] = plan.targets.as_slice() else {
        panic!("three targets");
    };
    let hosts: Vec<String> = a.connect.hosts.iter().map(ToString::to_string).collect();
    assert_eq!(
        hosts,
        ["https://h1/", "https://h2/", "https://h3/ weight 2"]
    );
    assert_eq!(
        (a.connect.http, b.connect.http),
        (HttpVersion::Http2, HttpVersion::Http1)
    );
    // TLS options for all targets apply only to targets that use TLS.
    assert!(a.connect.tls.ca.is_some() && c.connect.tls.ca.is_none());
    assert!(c.connect.tls.client.is_some() && b.connect.tls.client.is_none());
    assert!(!a.connect.tls.insecure && c.connect.tls.insecure);
    assert_eq!(c.connect.ip_version, Some(IpVersion::V4));
    let source = |target: &Target| target.connect.source.map(|source| source.to_string());
    assert_eq!(source(a).as_deref(), Some("127.0.0.2"));
    assert_eq!(source(b).as_deref(), Some("127.0.0.3"));
    assert_eq!((a.connect.resolve.len(), b.connect.resolve.len()), (1, 1));
    assert_eq!(b.connect.resolve[0].to_string(), "k:80:[::1]");
    assert_eq!(plan.workloads[0].load.depth, 9);
}

#[test]
fn connections_that_are_for_nobody_are_refused() {
    for (options, expected) in [
        (
            "--target a=https://h --insecure=b",
            "--insecure: there is no target called \"b\"; the targets are a",
        ),
        (
            "--target a=http://h --http c=2",
            "--http: there is no target called \"c\"; the targets are a",
        ),
        (
            "http://h --http c=2",
            "--http: there is no target called \"c\"; no target has a name",
        ),
        (
            "--target a=http://h --insecure",
            "--insecure: is for https, and the url of this target does not begin with https://",
        ),
        (
            "--target a=http://h --target b=http://i --host http://j",
            "--host: write the name of the target and an equals sign before \"http://j\"",
        ),
        (
            "--launch 'a=b' --host a=http://j",
            "--host: only a target given with --target can have several hosts",
        ),
        (
            "--target a=http://h --resolve i:80:127.0.0.1",
            "--resolve: no target has a host i:80",
        ),
        (
            "--builtin a=http --unix-socket /s",
            "--unix-socket: is not for a built-in server, which speaks HTTP/1.1 on a port of 127.0.0.1",
        ),
        (
            "--target a=http://h --no-keep-alive --pipeline 2",
            "--depth: a connection that is closed after every response has one request in flight; leave out keep_alive = false (--no-keep-alive) or depth",
        ),
    ] {
        assert_eq!(refusal(&format!("tenbin http {options}")), expected);
    }
}
