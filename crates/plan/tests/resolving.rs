//! Defaults, and the reading of given values.

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use support::{resolve, resolve_in, world};
use tenbin_plan::{
    Arrivals, At, Builtin, Draft, KeySource, Mix, Observe, Pace, Plan, Reach, Ready, S3Operation,
    WorkloadKind,
};

fn plan(text: &str) -> Plan {
    resolve(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

fn with_targets(count: usize, rounds: &str) -> Plan {
    let targets: String = (0..count)
        .map(|index| {
            format!(
                "[[target]]\nname = \"t{index}\"\nurl = \"http://h:{}\"\n",
                index + 1
            )
        })
        .collect();
    plan(&format!(
        "[rounds]\n{rounds}\n{targets}[[workload]]\nkind = \"http\"\n"
    ))
}

#[test]
fn the_smallest_plan_gets_the_defaults() {
    let plan = plan("[[target]]\nurl = \"http://127.0.0.1:8080\"\n[[workload]]\nkind = \"http\"\n");
    insta::assert_snapshot!(plan.to_toml());
}

#[test]
fn rounds_fit_the_number_of_targets() {
    let count = |targets| with_targets(targets, "").rounds.count;
    assert_eq!([1, 2, 3, 4, 5, 6].map(count), [8, 16, 42, 28, 80, 48]);
    let slice = |targets| with_targets(targets, "").rounds.slice.as_secs();
    assert_eq!([1, 2, 3].map(slice), [2, 2, 1]);
}

#[test]
fn duration_slice_and_count_make_each_other() {
    let rounds = |targets, text| {
        let rounds = with_targets(targets, text).rounds;
        (rounds.count, rounds.slice.as_millis())
    };
    assert_eq!(rounds(2, "duration = \"8s\""), (16, 500));
    assert_eq!(rounds(2, "duration = \"8s\"\ncount = 4"), (4, 2000));
    assert_eq!(rounds(2, "duration = \"8s\"\nslice = \"1s\""), (8, 1000));
    assert_eq!(rounds(2, "duration = \"9.2s\"\nslice = \"1s\""), (10, 1000));
    assert_eq!(rounds(2, "duration = \"100ms\"\nslice = \"1s\""), (2, 1000));
    assert_eq!(rounds(3, "duration = \"8s\"\nslice = \"1s\""), (6, 1000));
    assert_eq!(rounds(3, "duration = \"42s\""), (42, 1000));
    // As many blocks as fit into the duration.
    assert_eq!(rounds(3, "duration = \"3s\""), (30, 100));
    assert_eq!(
        rounds(2, "duration = \"4s\"\nslice = \"1s\"\ncount = 4"),
        (4, 1000)
    );
}

#[test]
fn the_lead_is_a_tenth_of_the_slice_and_at_most_half_a_second() {
    let lead = |text| with_targets(2, text).rounds.lead.as_millis();
    assert_eq!(lead("slice = \"1s\""), 100);
    assert_eq!(lead("slice = \"1m\""), 500);
    assert_eq!(lead("slice = \"1s\"\nlead = \"0s\""), 0);
}

#[test]
fn threads_never_outnumber_connections() {
    let threads = |text: &str| {
        plan(&format!(
            "{text}\n[[target]]\nurl = \"http://h\"\n[[workload]]\nkind = \"http\"\n"
        ))
        .threads
    };
    assert_eq!(threads(""), 2);
    assert_eq!(threads("threads = 3"), 3);
    assert_eq!(threads("threads = 8\nload.connections = 4"), 4);
}

#[test]
fn objects_fill_a_quarter_gibibyte() {
    let objects = |size: &str| {
        let text = format!(
            "[[target]]\nbuiltin = \"s3-memory\"\n[[workload]]\nkind = \"s3\"\noperation = \"get\"\nsize = {size}\n"
        );
        match &plan(&text).workloads[0].kind {
            WorkloadKind::S3(work) => work.objects,
            WorkloadKind::Http(_) | WorkloadKind::Blob(_) => panic!("an S3 workload"),
        }
    };
    assert_eq!(objects("0"), 10_000);
    assert_eq!(objects("\"1KiB\""), 10_000);
    assert_eq!(objects("\"1MiB\""), 256);
    assert_eq!(objects("\"1GiB\""), 16);
}

#[test]
fn workloads_are_named_after_what_they_do_and_never_alike() {
    let text = "\
[[target]]
builtin = \"s3-memory\"
[[workload]]
kind = \"s3\"
operation = \"put\"
size = \"1KiB\"
[[workload]]
kind = \"s3\"
operation = \"get\"
[[workload]]
kind = \"http\"
[[workload]]
kind = \"http\"
";
    let plan = plan(text);
    let names: Vec<&str> = plan
        .workloads
        .iter()
        .map(|each| each.name.as_str())
        .collect();
    assert_eq!(names, ["put-1KiB", "get-1MiB", "http-GET", "http-GET-2"]);
    let verify: Vec<bool> = plan
        .workloads
        .iter()
        .map(|each| matches!(&each.kind, WorkloadKind::S3(work) if work.verify))
        .collect();
    assert_eq!(verify, [false, true, false, false]);
    assert_eq!(plan.targets[0].reach, Reach::Builtin(Builtin::S3Memory));
}

#[test]
fn a_command_line_can_set_variables_and_quote_what_is_for_a_shell() {
    let text = "\
[[target]]
command = \"PORT={port} MODE='very fast' ./srv --filter 'a && b' c=d \\\"|\\\"\"
[[workload]]
kind = \"http\"
";
    let Reach::Launched(launch) = &plan(text).targets[0].reach else {
        panic!("a command");
    };
    assert_eq!(launch.command, ["./srv", "--filter", "a && b", "c=d", "|"]);
    let env: Vec<(&str, &str)> = launch
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(env, [("MODE", "very fast"), ("PORT", "{port}")]);
    // A secret before the command is as secret as one in env.
    let plan = plan(&text.replace("MODE='very fast'", "DB_PASSWORD=hush"));
    let printed = plan.to_toml();
    assert!(!printed.contains("hush"), "{printed}");
}

#[test]
fn a_workload_overrides_the_load_key_by_key() {
    let text = "\
[load]
connections = 4
timeout = \"5s\"
[[target]]
url = \"http://h\"
[[workload]]
kind = \"http\"
load.rate = \"60/m\"
load.connections = 9
[[workload]]
kind = \"http\"
";
    let plan = plan(text);
    let [first, second] = [&plan.workloads[0].load, &plan.workloads[1].load];
    assert_eq!((first.connections, second.connections), (9, 4));
    assert_eq!(first.pace, Pace::Constant { per_second: 1.0 });
    assert_eq!(second.pace, Pace::Closed);
    assert_eq!(first.timeout, Duration::from_secs(5));
}

#[test]
fn a_rate_of_its_own_takes_the_place_of_shared_steps_and_the_other_way_round() {
    let plan = |shared: &str, own: &str| {
        let text = format!(
            "[load]\n{shared}\n[[target]]\nurl = \"http://h\"\n[[workload]]\nkind = \"http\"\n{own}\n"
        );
        plan(&text).workloads[0].load.pace.clone()
    };
    let steps = |arrivals| Pace::Steps {
        steps: vec![(5.0, Duration::from_secs(1))],
        arrivals,
    };
    assert_eq!(
        plan("rate = 7\nrate_to = 9", "load.steps = \"5/s for 1s\""),
        steps(Arrivals::Constant)
    );
    assert_eq!(
        plan("steps = [\"5/s for 1s\"]", "load.rate = 7"),
        Pace::Constant { per_second: 7.0 }
    );
    assert_eq!(
        plan("rate = 7", "load.arrivals = \"poisson\""),
        Pace::Poisson { per_second: 7.0 }
    );
    assert_eq!(
        plan("rate_to = 9", "load.rate = 7"),
        Pace::Ramp {
            from: 7.0,
            to: 9.0,
            arrivals: Arrivals::Constant
        }
    );
    assert_eq!(
        plan(
            "rate = 7\narrivals = \"poisson\"",
            "load.steps = \"5/s for 1s\""
        ),
        steps(Arrivals::Poisson)
    );
    let think = "think = \"1s\"";
    assert_eq!(
        plan(think, "load.rate = 7"),
        Pace::Constant { per_second: 7.0 }
    );
    assert_eq!(
        plan("rate = 7\narrivals = \"poisson\"", &format!("load.{think}")),
        Pace::Closed
    );
}

const LAUNCHED: &str = "\
[[target]]
command = \"bin/server --address '127.0.0.1:{port}' {data}\"
env = { KEY = \"{access_key}\", SECRET = \"{secret_key}\" }
ready = { log = \"listening\" }
[[workload]]
kind = \"s3\"
operation = \"delete\"
";

#[test]
fn a_launched_target_gets_credentials_and_a_directory() {
    let text = LAUNCHED;
    let plan = tenbin_plan::Draft::from_toml(text, Path::new("plans/mine.toml"))
        .and_then(|draft| draft.resolve(&mut world(&[], &[])))
        .unwrap();
    assert_eq!(plan.name, "mine");
    let target = &plan.targets[0];
    assert_eq!(target.name, "server");
    let keys = target.credentials.as_ref().unwrap();
    assert_eq!(keys.access_key.len(), 20);
    assert_eq!(keys.secret_key.reveal().len(), 40);
    assert_eq!(keys.secret_key_source, KeySource::Generated);
    let Reach::Launched(launch) = &target.reach else {
        panic!("a launched target");
    };
    assert_eq!(
        launch.command,
        ["bin/server", "--address", "127.0.0.1:{port}", "{data}"]
    );
    assert_eq!(launch.directory, Some(PathBuf::from("/made-up/plans")));
    assert_eq!(launch.url, "http://127.0.0.1:{port}/");
    assert_eq!(launch.ready, Ready::Log("listening".to_owned()));
    let WorkloadKind::S3(work) = &plan.workloads[0].kind else {
        panic!("an S3 workload");
    };
    assert_eq!(work.mix, Mix::only(S3Operation::Delete));
}

#[test]
fn keys_come_from_the_environment_and_from_files() {
    let text = "\
[[target]]
url = \"http://h:9000\"
access_key_env = \"AK\"
secret_key_file = \"secret\"
[[workload]]
kind = \"s3\"
operation = \"put\"
";
    let mut context = world(
        &[("AK", "the-key")],
        &[("/made-up/secret", b"the-secret\n")],
    );
    let plan = resolve_in(text, &mut context).unwrap();
    let keys = plan.targets[0].credentials.as_ref().unwrap();
    assert_eq!(keys.access_key, "the-key");
    assert_eq!(keys.secret_key.reveal(), "the-secret");
    assert_eq!(
        keys.secret_key_source,
        KeySource::File(PathBuf::from("/made-up/secret"))
    );
}

#[test]
fn a_printed_plan_holds_no_secret() {
    let text = "\
[[target]]
name = \"one\"
command = \"server {port}\"
env = { ROOT_PASSWORD = \"hunter22\", URL = \"http://root:hunter22@h\" }
access_key = \"AKIAONE\"
secret_key = \"hunter22\"
[[target]]
name = \"two\"
url = \"http://h:9000\"
access_key = \"AKIATWO\"
secret_key = \"hunter33\"
[[workload]]
kind = \"s3\"
operation = \"put\"
";
    let plan = plan(text);
    let printed = plan.to_toml();
    let debugged = format!("{plan:?}");
    for secret in ["hunter22", "hunter33", "AKIAONE", "AKIATWO"] {
        assert!(!printed.contains(secret), "{printed}");
        assert!(!debugged.contains(secret), "{debugged}");
    }
    insta::assert_snapshot!(printed);
}

#[test]
fn a_draft_never_shows_its_keys_when_debugged() {
    let text = "[[target]]\naccess_key = \"AKIAONE\"\nsecret_key = \"hunter22\"\n";
    let debugged = format!(
        "{:?}",
        Draft::from_toml(text, Path::new("plan.toml")).unwrap()
    );
    assert!(
        !debugged.contains("hunter22") && !debugged.contains("AKIAONE"),
        "{debugged}"
    );
}

#[test]
fn a_short_secret_inside_another_word_is_no_leak() {
    let text = "\
[[target]]
command = [\"minio\", \"server\", \":{port}\"]
access_key = \"minio\"
secret_key = \"minio\"
env = { DATA = \"/srv/minio\", MINIO_ROOT_PASSWORD = \"minio\" }
";
    let text = format!("{text}[[workload]]\nkind = \"s3\"\noperation = \"put\"\n");
    let printed = plan(&text).to_toml();
    assert!(
        printed.contains(r#"env = { DATA = "/srv/minio", MINIO_ROOT_PASSWORD = "{secret_key}" }"#),
        "{printed}"
    );
}

#[test]
fn secrets_in_headers_are_printed_as_variables() {
    let text = "\
[[target]]
url = \"http://h\"
[[workload]]
kind = \"http\"
headers = [\"Authorization: Bearer hunter22\", \"X-Id: {env:ID}\", \"Accept: */*\"]
";
    let plan = resolve_in(text, &mut world(&[("ID", "seven")], &[])).unwrap();
    let WorkloadKind::Http(work) = &plan.workloads[0].kind else {
        panic!("an HTTP workload");
    };
    assert_eq!(work.headers[0].1, "Bearer hunter22");
    assert_eq!(work.headers[1].1, "seven");
    let printed = plan.to_toml();
    let line = r#"headers = ["Authorization: {env:TENBIN_HEADER_AUTHORIZATION}", "X-Id: {env:ID}", "Accept: */*"]"#;
    assert!(printed.contains(line), "{printed}");
    assert!(!format!("{plan:?}").contains("hunter22"));
    let variables = [
        ("ID", "seven"),
        ("TENBIN_HEADER_AUTHORIZATION", "Bearer hunter22"),
    ];
    assert_eq!(resolve_in(&printed, &mut world(&variables, &[])), Ok(plan));
}

#[test]
fn a_blobstore_needs_no_access_key() {
    let text = "[[target]]\nurl = \"http://a\"\nsecret_key = \"hunter22\"\n[[workload]]\nkind = \
                \"blob\"\noperation = \"p\"\n";
    let printed = plan(text).to_toml();
    assert!(printed.contains("secret_key_env = \"TENBIN_SECRET_KEY\""));
    assert!(!printed.contains("access_key"), "{printed}");
    let variables = [("TENBIN_SECRET_KEY", "hunter22")];
    let again = resolve_in(&printed, &mut world(&variables, &[])).expect("a plan");
    let keys = again.targets[0].credentials.as_ref().expect("keys");
    assert_eq!(keys.secret_key.reveal(), "hunter22");
    let s3 = text.replace("[[workload]]", "store = \"s3\"\n[[workload]]");
    let refusal = resolve_in(&s3, &mut world(&[], &[])).expect_err("refused");
    assert!(
        refusal.to_string().contains("and no access key"),
        "{refusal}"
    );
}

#[test]
fn one_pair_of_keys_for_all_prints_as_one_pair_of_variables() {
    let keys = "access_key = \"k\"\nsecret_key = \"hunter22\"\n";
    let text = format!(
        "[[target]]\nurl = \"http://a\"\n{keys}[[target]]\nurl = \"http://b\"\n{keys}[[workload]]\nkind = \"s3\"\noperation = \"put\"\n"
    );
    let printed = plan(&text).to_toml();
    assert_eq!(
        printed
            .matches("secret_key_env = \"TENBIN_SECRET_KEY\"")
            .count(),
        2
    );
    assert_eq!(
        printed
            .matches("access_key_env = \"TENBIN_ACCESS_KEY\"")
            .count(),
        2
    );
}

#[test]
fn problems_with_flags_name_the_flag() {
    let mut draft = Draft::from_toml("", Path::new("plan.toml")).unwrap();
    draft.rounds.slice = Some(At::flag("--slice", "2"));
    let refusal = draft.resolve(&mut world(&[], &[])).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("\n--slice: \"2\" has no unit;")
            || refusal
                .to_string()
                .starts_with("--slice: \"2\" has no unit;"),
        "{refusal}"
    );
}

#[test]
fn a_trace_is_read_beside_the_plan_once_for_all_workloads() {
    let mut context = world(&[], &[]);
    let reads = std::rc::Rc::new(std::cell::Cell::new(0));
    let counter = std::rc::Rc::clone(&reads);
    context.open = Box::new(move |path| {
        counter.set(counter.get() + 1);
        assert_eq!(path, Path::new("/made-up/plans/day.txt"));
        Ok(Box::new(&b"9\n8\n8.5\n"[..]))
    });
    let text = "\
[load]
trace = \"day.txt\"
trace_speed = 2
[rounds]
slice = \"400ms\"
[[target]]
url = \"http://h\"
[[workload]]
kind = \"http\"
[[workload]]
kind = \"http\"
load.rate = 3
";
    let plan = tenbin_plan::Draft::from_toml(text, Path::new("plans/mine.toml"))
        .and_then(|draft| draft.resolve(&mut context))
        .unwrap();
    assert_eq!(reads.get(), 1);
    let Pace::Trace(trace) = &plan.workloads[0].load.pace else {
        panic!("a trace");
    };
    assert_eq!(*trace.offsets, [0, 250_000_000, 500_000_000]);
    assert_eq!(
        plan.workloads[1].load.pace,
        Pace::Constant { per_second: 3.0 }
    );
    assert!(plan.workloads[0].may_end_early() && !plan.workloads[1].may_end_early());
    assert_eq!(plan.workloads[0].lead(&plan.rounds), plan.rounds.lead);
    assert!(
        plan.to_toml().contains(
            "# 3 arrivals over 500ms; 1 of them after the end of a slice, not sent\ntrace_speed = 2 #"
        ),
        "{}",
        plan.to_toml()
    );
}

#[test]
fn what_is_due_is_the_integral_of_the_rate() {
    let due = |load: &str, seconds| {
        let text = format!(
            "[load]\n{load}\n[[target]]\nurl = \"http://h\"\n[[workload]]\nkind = \"http\"\n"
        );
        plan(&text).workloads[0].load.pace.due_within(seconds)
    };
    let steps = "steps = [\"10/s for 1s\", \"30/s for 500ms\"]";
    assert_eq!(due("think = \"1s\"", 2.0), None);
    assert_eq!(due("rate = 10", 2.0), Some(20.0));
    assert_eq!(due("rate = 10\nrate_to = 30", 2.0), Some(40.0));
    assert_eq!(due(steps, 0.5), Some(5.0));
    assert_eq!(due(steps, 2.0), Some(40.0));
}

#[test]
fn ranges_and_weights_make_hosts() {
    let plan = resolve(
        "[[target]]\nurls = [\"http://db{08...10}:9000 weight 3\", \"http://[::1]:9000\"]\n\
         resolve = [\"DB09:9000:[fd00::1],10.0.0.1\"]\n[[workload]]\nkind = \"http\"",
    )
    .expect("a plan");
    let way = &plan.targets[0].connect;
    let hosts: Vec<String> = way.hosts.iter().map(ToString::to_string).collect();
    assert_eq!(
        hosts,
        [
            "http://db08:9000/ weight 3", "http://db09:9000/ weight 3",
            "http://db10:9000/ weight 3", "http://[::1]:9000/"
        ]
    );
    assert_eq!(way.resolve[0].to_string(), "db09:9000:[fd00::1],10.0.0.1");
    let toml = plan.to_toml();
    assert!(
        toml.contains("resolve = [\"db09:9000:[fd00::1],10.0.0.1\"]"),
        "{toml}"
    );
}

const SECRETIVE: &str = r#"
    [[target]]
    name = "a"
    url = "http://127.0.0.1:8080/?sig=url-hush&{env:QUERY}"

    [[target]]
    name = "b"
    command = ["server", "{port}"]
    env = { DB_PASSWORD = "env-hush", DB_USER = "shown", MINIO_SECRET_KEY = "{secret_key}" }

    [[target]]
    name = "c"
    command = ["server", "{port}"]
    env = { DB_PASSWORD = "other-hush", PORT = "{env:PORT}" }

    [[workload]]
    name = "form"
    kind = "http"
    method = "POST"
    path = "/x?access_token=query-hush&q=shown"
    body = "password=body-hush&user=shown"

    [[workload]]
    name = "json"
    kind = "http"
    method = "POST"
    body = '{"user": {"name": "shown", "api_key": "json-hush"}}'
"#;

#[test]
fn values_that_look_secret_and_references_are_in_no_printed_plan() {
    let variables = [("QUERY", "q=reference-hush"), ("PORT", "port-hush")];
    let plan = resolve_in(SECRETIVE, &mut world(&variables, &[])).unwrap();
    let Reach::Launched(b) = &plan.targets[1].reach else {
        panic!("not launched");
    };
    assert_eq!(b.env["DB_PASSWORD"], "env-hush");
    let WorkloadKind::Http(form) = &plan.workloads[0].kind else {
        panic!("no HTTP");
    };
    assert_eq!(form.body, b"password=body-hush&user=shown");

    let printed = plan.to_toml();
    assert!(!printed.contains("hush"), "{printed}");
    assert!(!format!("{form:?}").contains("hush"));
    for kept in [
        "sig={env:TENBIN_QUERY_SIG}&{env:QUERY}",
        "DB_PASSWORD = \"{env:TENBIN_ENV_DB_PASSWORD}\"",
        "DB_PASSWORD = \"{env:TENBIN_ENV_DB_PASSWORD_2}\"",
        "PORT = \"{env:PORT}\"",
        "MINIO_SECRET_KEY = \"{secret_key}\"",
        "access_token={env:TENBIN_QUERY_ACCESS_TOKEN}&q=shown",
        "password={env:TENBIN_BODY_PASSWORD}&user=shown",
        "{env:TENBIN_BODY_API_KEY}",
    ] {
        assert!(printed.contains(kept), "{kept} in {printed}");
    }
    assert_eq!(plan.printed_values(), ["the env of target \"b\""]);

    let next = [
        ("QUERY", "q=reference-hush"),
        ("PORT", "port-hush"),
        ("TENBIN_QUERY_SIG", "url-hush"),
        ("TENBIN_ENV_DB_PASSWORD", "env-hush"),
        ("TENBIN_ENV_DB_PASSWORD_2", "other-hush"),
        ("TENBIN_QUERY_ACCESS_TOKEN", "query-hush"),
        ("TENBIN_BODY_PASSWORD", "body-hush"),
        ("TENBIN_BODY_API_KEY", "json-hush"),
    ];
    let again = resolve_in(&printed, &mut world(&next, &[])).unwrap();
    assert_eq!(again.to_toml(), printed);
    let WorkloadKind::Http(json) = &again.workloads[1].kind else {
        panic!("no HTTP");
    };
    assert!(json.body.ends_with(b"\"api_key\": \"json-hush\"}}"));
    let refusal = resolve_in(&printed, &mut world(&[], &[])).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("\"TENBIN_ENV_DB_PASSWORD\" is not set"),
        "{refusal}"
    );
}

#[test]
fn the_page_of_an_observed_target_is_printed_with_references() {
    let text = r#"
        [[target]]
        name = "a"
        url = "http://h:1/"
        observe = [
            { prometheus = "http://h:2/metrics?api_key=page-hush&format=text" },
            { tenbin = "https://h:3/?q={env:PART}", token_env = "TOKEN" },
        ]

        [[target]]
        name = "b"
        url = "http://h:4/"
        observe = { prometheus = "http://h:5/?api_key=other-hush" }

        [[workload]]
        kind = "http"
    "#;
    let variables = [("PART", "part-hush"), ("TOKEN", "token-hush")];
    let plan = resolve_in(text, &mut world(&variables, &[])).unwrap();
    let page = |plan: &Plan| match plan.targets[0].observe.as_ref().map(Observe::each) {
        Some([Observe::Prometheus { page, .. }, Observe::Tenbin(_)]) => page.url.to_string(),
        other => panic!("{other:?}"),
    };
    let url = "http://h:2/metrics?api_key=page-hush&format=text";
    assert_eq!(page(&plan), url);
    let printed = plan.to_toml();
    assert!(!printed.contains("hush"), "{printed}");
    for kept in [
        "http://h:2/metrics?api_key={env:TENBIN_QUERY_API_KEY}&format=text",
        "https://h:3/?q={env:PART}",
        "http://h:5/?api_key={env:TENBIN_QUERY_API_KEY_2}",
    ] {
        assert!(printed.contains(kept), "{kept} in {printed}");
    }
    let next = [
        ("PART", "part-hush"),
        ("TOKEN", "token-hush"),
        ("TENBIN_QUERY_API_KEY", "page-hush"),
        ("TENBIN_QUERY_API_KEY_2", "other-hush"),
    ];
    let again = resolve_in(&printed, &mut world(&next, &[])).unwrap();
    assert_eq!(again.to_toml(), printed);
    assert_eq!(page(&again), url);
}

#[test]
fn paths_of_further_files_start_at_the_plan_and_the_live_page_has_a_port_or_none() {
    let with = |output: &str| {
        let rest = "[[target]]\nurl = \"http://h\"\n[[workload]]\nkind = \"http\"\n";
        let text = format!("[output]\n{output}\n{rest}");
        let path = Path::new("/made-up/bench/plan.toml");
        let draft = Draft::from_toml(&text, path)?;
        draft.resolve(&mut world(&[], &[]))
    };
    let output = with("export = [\"csv\", \"junit=result.xml\", \"go=/tmp/a=b\"]\nlive = true");
    let output = output.expect("a plan").output;
    assert_eq!(
        output.export,
        ["csv", "junit=/made-up/bench/result.xml", "go=/tmp/a=b"]
    );
    assert_eq!(output.live, Some(0));
    let live = |value: &str| with(&format!("live = {value}")).map(|plan| plan.output.live);
    assert_eq!(live("9000"), Ok(Some(9000)));
    assert_eq!(live("false"), Ok(None));
    let address =
        |value: &str| with(&format!("prometheus = {value}")).map(|plan| plan.output.prometheus);
    assert_eq!(address("9464"), Ok("127.0.0.1:9464".parse().ok()));
    assert_eq!(address("\":9464\""), Ok("127.0.0.1:9464".parse().ok()));
    assert_eq!(address("\"[::1]:9464\""), Ok("[::1]:9464".parse().ok()));
    let collector = |url: &str| with(&format!("otlp = \"{url}\"")).map(|plan| plan.output.otlp);
    let found = Ok(Some("http://h:4318/v1/metrics".to_owned()));
    assert_eq!(collector("http://h:4318"), found);
    assert_eq!(collector("http://h:4318/v1/metrics/"), found);
    let below = Ok(Some("https://h/otlp/v1/metrics".to_owned()));
    assert_eq!(collector("https://h/otlp"), below);
    for (wrong, expected) in [
        (
            "prometheus = \"here\"",
            "\"here\" is not a port and not an address",
        ),
        ("prometheus = 70000", "is not a port"),
        (
            "otlp = \"h:4318\"",
            "the URL is neither http:// nor https://",
        ),
        (
            "otlp = \"http://me:hush@h\"",
            "contains a user or a password",
        ),
        ("otlp = \"http://h/?key=hush\"", "contains a query"),
        (
            "live = 0",
            "2:8: live: 0 is not a port; write true, or 1 to 65,535",
        ),
        ("live = 65536", "65536 is not a port"),
        ("live = \"yes\"", "\"yes\" is not a port"),
        ("export = [\"\"]", "write the name of a format"),
        ("export = [\"=x\"]", "write the name of a format"),
        ("export = [\"csv=\"]", "\"csv=\" names no file"),
        (
            "export = \"csv=-\"",
            "only the command line can send a format",
        ),
        (
            "exports = \"csv\"",
            "unknown key \"exports\" in [output]; did you mean \"export\"?",
        ),
    ] {
        let refusal = with(wrong).expect_err(wrong).to_string();
        assert!(refusal.contains(expected), "{wrong}: {refusal}");
        assert!(!refusal.contains("hush"), "{refusal}");
    }
}

#[test]
fn a_get_of_a_range_is_no_transfer_of_whole_objects() {
    let transfer = |range: &str| {
        let target = "[[target]]\nname = \"m\"\nbuiltin = \"s3-memory\"\n";
        let get = "[[workload]]\nkind = \"s3\"\noperation = \"get\"\nsize = \"64MiB\"\n";
        let plan = plan(&format!("{target}{get}{range}"));
        plan.workloads[0].facts().transfer().map(|it| it.bytes)
    };
    assert_eq!(transfer(""), Some(64 << 20));
    assert_eq!(transfer("range = \"0-1023\"\n"), None);
}
