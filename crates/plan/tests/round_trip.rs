//! A printed plan resolves to the same plan.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod support;
#[path = "round_trip/targets.rs"]
mod targets;
#[path = "round_trip/workloads.rs"]
mod workloads;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use support::{against_schema, resolve_in, world};
use targets::target;
use tenbin_plan::{
    Agents, Comparing, Draft, KeySource, Load, OnLoss, OnOutage, Output, Pace, Plan, Probes,
    Relaunch, Rounds, Sustain, Workload, WorkloadKind,
};
use workloads::workload;

const FILES: &[(&str, &[u8])] = &[
    ("/made-up/body.bin", &[0, 255, 10]),
    ("/made-up/secret", b"from-a-file\n"),
    ("/made-up/token", b"token-from-a-file\n"),
    ("/made-up/arrivals.txt", b"5\n5.000000003\n7\n"),
    ("/made-up/ca.pem", b"a certificate"),
    ("/made-up/client \"x\".pem", b"a certificate"),
    ("/made-up/client.key", b"the-private-key"),
];
const VARIABLES: &[(&str, &str)] = &[
    ("AK", "a-key"),
    ("SK", "from the environment"),
    ("ST", "a-token"),
];

/// Credentials given literally are read from the environment after printing.
fn by_reference(mut plan: Plan) -> Plan {
    for keys in plan
        .targets
        .iter_mut()
        .filter_map(|target| target.credentials.as_mut())
    {
        if keys.access_key_source == KeySource::Literal {
            keys.access_key_source = KeySource::Env("TENBIN_ACCESS_KEY".to_owned());
        }
        if keys.secret_key_source == KeySource::Literal {
            keys.secret_key_source = KeySource::Env("TENBIN_SECRET_KEY".to_owned());
        }
        if let Some(token) = &mut keys.session_token
            && token.source == KeySource::Literal
        {
            token.source = KeySource::Env("TENBIN_SESSION_TOKEN".to_owned());
        }
    }
    plan
}

fn time(least_millis: u64) -> impl Strategy<Value = Duration> {
    prop_oneof![
        (least_millis..5_000).prop_map(Duration::from_millis),
        (least_millis * 1_000_000..90_000_000_000).prop_map(Duration::from_nanos),
        (1..4000u64).prop_map(Duration::from_secs),
    ]
}

fn output() -> impl Strategy<Value = Output> {
    let export = select(vec!["csv", "json=/made-up/a \"b\"=c.json", "junit"]);
    (vec(export, 0..3), option::of(any::<u16>())).prop_map(|(export, live)| Output {
        export: export.into_iter().map(str::to_owned).collect(),
        live,
        prometheus: live.map(|port| ([127, 0, 0, 1], port).into()),
        otlp: live.map(|port| format!("http://h:{}/v1/metrics", port.max(81))),
        ..Output::default()
    })
}

fn rounds(targets: usize) -> impl Strategy<Value = Rounds> {
    let block = match targets {
        1 => 1,
        even if even % 2 == 0 => even as u32,
        odd => odd as u32 * 2,
    };
    let sustain = prop_oneof![
        Just(Sustain::Auto),
        Just(Sustain::Off),
        time(1).prop_map(Sustain::Time),
        (1..1_000u16).prop_map(|n| Sustain::Share(format!("{n}%").parse().expect("a percentage"))),
    ];
    let on_outage = prop_oneof![Just(OnOutage::Stop), time(1).prop_map(OnOutage::Wait)];
    let times = (time(100), time(0), time(0), time(0));
    let probes = prop_oneof![Just(Probes::Auto), Just(Probes::None)];
    (1u32..20, times, sustain, (probes, on_outage)).prop_map(
        move |(blocks, (slice, gap, warmup, lead), sustain, (probes, on_outage))| Rounds {
            asked: None,
            count: blocks * block,
            until: None,
            slice,
            gap,
            warmup,
            relaunch: Relaunch::Never,
            lead,
            sustain,
            probes,
            on_outage,
        },
    )
}

/// Text with all characters that TOML must escape.
fn text() -> impl Strategy<Value = String> {
    "[ -~äß\t\n\r\"'\\\\]{1,12}".prop_filter("no placeholder", |text| !text.contains('{'))
}

fn agents() -> impl Strategy<Value = Agents> {
    let on_loss = select(&[OnLoss::Repeat, OnLoss::Continue, OnLoss::Stop][..]);
    (1usize..9, any::<bool>(), on_loss).prop_map(|(count, has_creds, on_loss)| Agents {
        count,
        nats: "tls://10.0.0.1:4222".to_owned(),
        creds: has_creds.then(|| PathBuf::from("/made-up/coordinator.creds")),
        on_loss,
        wait: Duration::from_secs(7),
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    (1usize..5, 1usize..4).prop_flat_map(|(targets, workloads)| {
        (
            "[a-z0-9][a-z0-9._-]{0,20}",
            any::<u64>(),
            1usize..1024,
            rounds(targets),
            (0..targets).map(target).collect::<Vec<_>>(),
            (0..workloads).map(workload).collect::<Vec<_>>(),
            any::<bool>(),
            output(),
            option::of(agents()),
        )
            .prop_map(
                |(name, seed, threads, rounds, targets, mut workloads, share, output, agents)| {
                    if share {
                        let shared = workloads[0].load.clone();
                        workloads
                            .iter_mut()
                            .for_each(|each| each.load = shared.clone());
                    }
                    for each in &mut workloads {
                        let in_phases = matches!(each.kind, WorkloadKind::Blob(_));
                        if in_phases && matches!(each.load.pace, Pace::Search(_)) {
                            each.load = Load::closed(3);
                        }
                    }
                    let is_mix = |each: &Workload| each.facts().needs_one_machine();
                    let agents = agents.filter(|_| !workloads.iter().any(is_mix));
                    let most = workloads.iter().map(|each| each.load.connections).max();
                    Plan {
                        name,
                        seed,
                        threads: threads.min(most.unwrap_or(1)),
                        rounds,
                        targets,
                        workloads,
                        comparing: Comparing::default(),
                        output,
                        agents,
                        corpus: None,
                        gate: None,
                    }
                },
            )
    })
}

/// The variables that a printed plan needs, as a person would set them.
fn variables(plan: &Plan) -> BTreeMap<String, String> {
    let mut variables: BTreeMap<String, String> = VARIABLES
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    for target in &plan.targets {
        let suffixes = [
            String::new(),
            format!("_{}", target.name.to_uppercase().replace('-', "_")),
        ];
        for suffix in suffixes {
            variables.insert(
                format!("TENBIN_ACCESS_KEY{suffix}"),
                "literal-key".to_owned(),
            );
            variables.insert(
                format!("TENBIN_SECRET_KEY{suffix}"),
                "literal-secret".to_owned(),
            );
            variables.insert(
                format!("TENBIN_SESSION_TOKEN{suffix}"),
                "literal-token".to_owned(),
            );
        }
    }
    variables
}

/// The plan without the suffixes of variables, which only tell targets apart.
fn plainly(mut plan: Plan) -> Plan {
    for keys in plan
        .targets
        .iter_mut()
        .filter_map(|target| target.credentials.as_mut())
    {
        let token = keys.session_token.as_mut().map(|token| &mut token.source);
        let sources = [&mut keys.access_key_source, &mut keys.secret_key_source];
        for source in sources.into_iter().chain(token) {
            if let KeySource::Env(name) = source {
                for start in [
                    "TENBIN_ACCESS_KEY", "TENBIN_SECRET_KEY", "TENBIN_SESSION_TOKEN",
                ] {
                    if name.starts_with(start) {
                        *name = start.to_owned();
                    }
                }
            }
        }
    }
    plan
}

#[test]
fn temporary_keys_are_printed_with_the_source_of_their_token() {
    let start = "[[workload]]\nkind = \"s3\"\noperation = \"get\"\n[[target]]\nname = \"m\"\n\
                 url = \"http://h:9000\"\n";
    let variables = [
        ("TENBIN_WEB_IDENTITY_TOKEN", "the-token"),
        ("ST", "a-token"),
    ];
    for (written, printed) in [
        (
            "assume_role = \"arn:aws:iam::1:role/b\"\nweb_identity_token = \"the-token\"\n",
            "web_identity_token_env = \"TENBIN_WEB_IDENTITY_TOKEN\"",
        ),
        (
            "web_identity_token_env = \"ST\"\nrole_session_name = \"night\"\n",
            "web_identity_token_env = \"ST\"",
        ),
        (
            "web_identity_token_file = \"token\"\nrole_duration = \"20m\"\n",
            "web_identity_token_file = \"/made-up/token\"",
        ),
        (
            "access_key = \"k\"\nsecret_key_env = \"ST\"\nassume_role = \"arn\"\n\
             external_id = \"x\"\nsts_endpoint = \"https://sts.example\"\nexpress_session = true\n",
            "sts_endpoint = \"https://sts.example/\"",
        ),
    ] {
        let text = format!("{start}{written}");
        let variables = [&variables[..], &[("TENBIN_ACCESS_KEY", "k")]].concat();
        let plan = resolve_in(&text, &mut world(&variables, FILES)).expect(written);
        let toml = plan.to_toml();
        assert!(toml.contains(printed), "{toml}");
        assert!(!toml.contains("the-token"), "{toml}");
        let again = resolve_in(&toml, &mut world(&variables, FILES)).expect("the printed plan");
        assert_eq!(
            again.to_toml(),
            toml.replace(" # keys are not written down: put it there", "")
        );
    }
}

proptest! {
    #[test]
    fn a_printed_plan_resolves_to_itself(plan in plan()) {
        let variables = variables(&plan);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let printed = plan.to_toml();
        prop_assert_eq!(against_schema(&printed), Ok(()));
        match resolve_in(&printed, &mut world(&variables, FILES)) {
            Ok(again) => {
                prop_assert_eq!(&plainly(again.clone()), &by_reference(plan), "{}", printed);
                prop_assert_eq!(again.to_toml(), printed.replace(" # keys are not written down: put it there", ""));
            }
            Err(refusal) => prop_assert!(false, "{}\n{}", refusal, printed),
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in "\\PC*") {
        if let Ok(draft) = Draft::from_toml(&text, Path::new("plan.toml")) {
            let _ = draft.resolve(&mut world(&[], &[]));
        }
    }

    #[test]
    fn no_value_makes_resolving_panic(
        section in prop_oneof![Just(""), Just("[rounds]"), Just("[load]"), Just("[[target]]"), Just("[[workload]]")],
        key in prop_oneof![
            Just("name"), Just("count"), Just("slice"), Just("duration"), Just("rate"), Just("connections"),
            Just("url"), Just("command"), Just("ready"), Just("env"), Just("headers"), Just("size"),
            Just("target"), Just("load"), Just("secret_key"), Just("seed"),
        ],
        value in prop_oneof![
            "-?[0-9]{1,19}", "[0-9]{1,3}\\.[0-9]{1,3}", "\"[ -!#-\\[\\]-~]{0,12}\"", "\\[[0-9]?\\]",
            Just("{ port = 1 }".to_owned()), Just("true".to_owned()), Just("nan".to_owned()),
            Just("1979-05-27".to_owned()),
        ],
    ) {
        let text = format!("{section}\n{key} = {value}\n");
        if let Ok(draft) = Draft::from_toml(&text, Path::new("plan.toml")) {
            let _ = draft.resolve(&mut world(&[], &[]));
        }
    }
}

#[test]
fn made_up_credentials_are_made_up_again() {
    let text =
        "[[target]]\nbuiltin = \"s3-memory\"\n[[workload]]\nkind = \"s3\"\noperation = \"put\"\n";
    let plan = resolve_in(text, &mut world(&[], &[])).unwrap();
    let again = resolve_in(&plan.to_toml(), &mut world(&[], &[])).unwrap();
    assert_eq!(again, plan);
}
