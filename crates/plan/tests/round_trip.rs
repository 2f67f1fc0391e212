//! A printed plan resolves to the same plan.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use support::{against_schema, resolve_in, world};
use tenbin_plan::{
    Agents, Arrivals, BlobHash, BlobWork, Builtin, ByteRange, Choose, ClientCertificate, Comparing,
    Connect, Credentials, DataSet, DeadHosts, Draft, Encryption, Host, HttpVersion, HttpWork,
    IpVersion, KeyOrder, KeySource, Launch, Load, MayDiffer, Mix, Observe, ObservePage, OnLoss,
    OnOutage, Output, Pace, Payload, Phase, Pin, Plan, Prefixes, Probes, Processes, RateSearch,
    Reach, Ready, Relaunch, Rounds, S3Operation, S3Work, Secret, SessionToken, Shares, Signature,
    SizeRange, Sizes, Slo, Style, Sustain, Target, Think, Tls, TlsVersion, Token, Trace, Within,
    Workload, WorkloadKind,
};

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

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![Just(Arrivals::Constant), Just(Arrivals::Poisson)]
}

/// The content of the trace file in [`FILES`].
fn trace(speed: f64) -> Trace {
    let played = |offset: f64| (offset / speed).round() as u64;
    Trace {
        path: PathBuf::from("/made-up/arrivals.txt"),
        speed,
        offsets: [0.0, 3.0, 2e9].into_iter().map(played).collect(),
    }
}

fn think() -> impl Strategy<Value = Think> {
    prop_oneof![
        time(0).prop_map(Think::Fixed),
        (time(0), time(0)).prop_map(|(from, more)| Think::Uniform {
            from,
            to: from + more
        }),
        time(0).prop_map(|mean| Think::Exponential { mean }),
    ]
}

fn slo() -> impl Strategy<Value = Slo> {
    prop_oneof![
        Just("p99<10ms"),
        Just("p99.9<1h,p50<500us,errors<0.1%"),
        Just("mean<3ms,errors<100%"),
    ]
    .prop_map(|text| text.parse().expect("an objective"))
}

fn load() -> impl Strategy<Value = Load> {
    (
        prop_oneof![
            Just(Pace::Closed),
            (1e-3f64..1e9).prop_map(|per_second| Pace::Constant { per_second }),
            (1e-3f64..1e9).prop_map(|per_second| Pace::Poisson { per_second }),
            (1e-3f64..1e9, 1e-3f64..1e9, arrivals()).prop_map(|(from, to, arrivals)| Pace::Ramp {
                from,
                to,
                arrivals
            }),
            // The steps together take at most the shortest slice.
            (
                vec(
                    (
                        1e-3f64..1e9,
                        (1..30_000_000u64).prop_map(Duration::from_nanos)
                    ),
                    1..4
                ),
                arrivals()
            )
                .prop_map(|(steps, arrivals)| Pace::Steps { steps, arrivals }),
            (1e-3f64..1e6).prop_map(|speed| Pace::Trace(trace(speed))),
            (slo(), option::of(1e-3f64..1e9), arrivals()).prop_map(|(slo, from, arrivals)| {
                Pace::Search(RateSearch {
                    slo,
                    from,
                    arrivals,
                })
            }),
        ],
        option::of(think()),
        1usize..100_000,
        time(1),
        prop_oneof![
            (1usize..=1000).prop_map(|depth| (true, depth)),
            Just((false, 1))
        ],
        option::of(1..=u64::MAX),
        option::of(2u32..=1000),
    )
        .prop_map(
            |(pace, think, connections, timeout, reuse, requests, reopen)| Load {
                reopen: reopen.filter(|_| reuse == (true, 1) && requests.is_none()),
                requests: requests.filter(|_| !matches!(pace, Pace::Search(_))),
                think: think.filter(|_| pace == Pace::Closed),
                pace,
                // Few enough for the limit of requests in flight on the hosts of a target.
                connections: connections.min(33_000 / reuse.1),
                timeout,
                keep_alive: reuse.0,
                depth: reuse.1,
            },
        )
}

fn credentials() -> impl Strategy<Value = Credentials> {
    let access = prop_oneof![
        Just(("a-key", KeySource::Env("AK".to_owned()))),
        Just(("literal-key", KeySource::Literal)),
    ];
    let secret = prop_oneof![
        Just(("from the environment", KeySource::Env("SK".to_owned()))),
        Just((
            "from-a-file",
            KeySource::File(PathBuf::from("/made-up/secret"))
        )),
        Just(("literal-secret", KeySource::Literal)),
    ];
    let token = option::of(prop_oneof![
        Just(("a-token", KeySource::Env("ST".to_owned()))),
        Just((
            "token-from-a-file",
            KeySource::File(PathBuf::from("/made-up/token"))
        )),
        Just(("literal-token", KeySource::Literal)),
    ]);
    (access, secret, token).prop_map(|(access, secret, token)| Credentials {
        access_key: access.0.to_owned(),
        secret_key: Secret::new(secret.0),
        access_key_source: access.1,
        secret_key_source: secret.1,
        session_token: token.map(|(token, source)| SessionToken {
            secret: Secret::new(token),
            source,
        }),
    })
}

/// Text with all characters that TOML must escape.
fn text() -> impl Strategy<Value = String> {
    "[ -~äß\t\n\r\"'\\\\]{1,12}".prop_filter("no placeholder", |text| !text.contains('{'))
}

fn launch() -> impl Strategy<Value = Launch> {
    let ready = prop_oneof![
        Just(Ready::Port),
        Just(Ready::Url("http://127.0.0.1:{port}/health".to_owned())),
        text().prop_map(Ready::Log),
    ];
    (
        vec(text(), 1..4),
        proptest::collection::btree_map("[A-Z_]{1,8}", text(), 0..3),
        ready,
        time(0),
        time(0),
    )
        .prop_map(|(command, env, ready, ready_within, stop_within)| Launch {
            command: [command, vec!["{port}".to_owned()]].concat(),
            nodes: Vec::new(),
            env,
            directory: Some(PathBuf::from("/made-up/somewhere else")),
            url: "http://127.0.0.1:{port}/".to_owned(),
            ready,
            ready_within,
            stop_within,
        })
}

fn http_version() -> impl Strategy<Value = HttpVersion> {
    prop_oneof![Just(HttpVersion::Http1), Just(HttpVersion::Http2)]
}

fn tls() -> impl Strategy<Value = Tls> {
    let trust = prop_oneof![
        Just((None, false)),
        Just((Some(PathBuf::from("/made-up/ca.pem")), false)),
        Just((None, true)),
    ];
    let client = option::of(prop_oneof![
        Just("/made-up/client.key"),
        Just("/made-up/client \"x\".pem")
    ]);
    (
        trust,
        client,
        option::of(prop_oneof![Just("db.example"), Just("::1")]),
        any::<bool>(),
        option::of(prop_oneof![
            Just(TlsVersion::Tls12),
            Just(TlsVersion::Tls13)
        ]),
    )
        .prop_map(|((ca, insecure), key, server_name, resume, version)| Tls {
            ca,
            insecure,
            client: key.map(|key| ClientCertificate {
                cert: PathBuf::from("/made-up/client \"x\".pem"),
                key: PathBuf::from(key),
            }),
            server_name: server_name.map(str::to_owned),
            resume,
            version,
        })
}

/// A running target, over TCP or a Unix socket, in clear text or over TLS.
fn endpoint() -> impl Strategy<Value = (Reach, Connect)> {
    let hosts = vec(1u32..=1000, 0..4);
    let ends = prop_oneof![
        Just((None, None)),
        Just((Some(IpVersion::V4), Some("127.0.0.2"))),
        Just((Some(IpVersion::V6), None)),
        Just((None, Some("::1"))),
    ];
    (
        1u16..,
        hosts,
        http_version(),
        option::of(tls()),
        any::<bool>(),
        ends,
    )
        .prop_map(
            |(port, weights, http, tls, is_unix, (ip_version, source))| {
                let scheme = if tls.is_some() { "https" } else { "http" };
                let url = |index: usize| {
                    let text = format!("{scheme}://db{index}:{port}/");
                    text.parse::<url::Url>().expect("a URL")
                };
                let hosts: Vec<Host> = match weights.len() {
                    1 => Vec::new(),
                    _ => weights
                        .iter()
                        .enumerate()
                        .map(|(index, &weight)| Host {
                            url: url(index),
                            weight,
                        })
                        .collect(),
                };
                let is_unix = is_unix && hosts.is_empty();
                let dead_hosts = match hosts.len() {
                    ..2 => DeadHosts::default(),
                    even if even % 2 == 0 => DeadHosts::LeaveOut,
                    _ => DeadHosts::Refuse,
                };
                let pin = Pin {
                    host: "db0".to_owned(),
                    port: url(0).port_or_known_default().expect("a port"),
                    addresses: ["::1", "10.0.0.1"]
                        .map(|text| text.parse().expect("an address"))
                        .to_vec(),
                };
                let connect = Connect {
                    hosts,
                    http,
                    tls: tls.unwrap_or_default(),
                    unix: is_unix.then(|| PathBuf::from("/made-up/the 'socket'")),
                    resolve: if is_unix { Vec::new() } else { vec![pin] },
                    ip_version: ip_version.filter(|_| !is_unix),
                    source: source
                        .filter(|_| !is_unix)
                        .map(|text| text.parse().expect("an address")),
                    dead_hosts,
                };
                (Reach::Endpoint { url: url(0) }, connect)
            },
        )
}

fn observed_page() -> impl Strategy<Value = ObservePage> {
    let token = prop_oneof![
        Just(("from the environment", KeySource::Env("SK".to_owned()),)),
        Just((
            "token-from-a-file",
            KeySource::File(PathBuf::from("/made-up/token")),
        )),
    ];
    let trust = prop_oneof![
        Just(("http", None, false)),
        Just(("https", None, false)),
        Just(("https", Some(PathBuf::from("/made-up/ca.pem")), false)),
        Just(("https", None, true)),
    ];
    (1u16.., token, trust).prop_map(|(port, (token, source), (scheme, ca, insecure))| {
        let url = format!("{scheme}://db:{port}/usage?a=b");
        ObservePage {
            url: url.parse().expect("a URL"),
            token: Some(Token {
                secret: Secret::new(token),
                source,
            }),
            ca,
            insecure,
        }
    })
}

/// Sources for any target that Tenbin can observe, including the port of its URL.
fn observe() -> impl Strategy<Value = Observe> {
    vec(observe_one(), 1..4).prop_map(|all| {
        let mut each: Vec<Observe> = Vec::new();
        for one in all {
            if !each.contains(&one) {
                each.push(one);
            }
        }
        match each.len() {
            1 => each.remove(0),
            _ => Observe::Several(each),
        }
    })
}

fn observe_one() -> impl Strategy<Value = Observe> {
    prop_oneof![
        (1u16..).prop_map(|port| Observe::Processes(Processes::Port(port))),
        Just(Observe::Processes(Processes::OwnPort)),
        "[a-zA-Z0-9 \"._-]{1,9}".prop_map(|name| Observe::Processes(Processes::Name(name))),
        ("[a-z]{1,9}", "/[a-z \"/]{1,9}", any::<bool>()).prop_map(|(name, path, is_cgroup)| {
            let path = PathBuf::from(path);
            let within = if is_cgroup {
                Within::Cgroup(path)
            } else {
                Within::Directory(path)
            };
            Observe::Processes(Processes::NameWithin(name, within))
        }),
        observed_page().prop_map(Observe::Tenbin),
        (observed_page(), option::of("[a-z\"=]{1,5}"), any::<bool>()).prop_map(
            |(page, group, is_open)| Observe::Prometheus {
                page: ObservePage {
                    token: page.token.filter(|_| !is_open),
                    ..page
                },
                group,
            }
        ),
    ]
}

fn suits(observe: &Observe, reach: &Reach, connect: &Connect) -> bool {
    let several = observe.each().len() > 1;
    let is_own = matches!(reach, Reach::Builtin(_));
    let each_suits = observe.each().iter().all(|one| {
        let by_name = matches!(one, Observe::Processes(processes) if processes.are_named());
        let by_own_port = matches!(one, Observe::Processes(Processes::OwnPort));
        (by_name || several || connect.hosts.is_empty()) && !(by_own_port && connect.unix.is_some())
    });
    !is_own && each_suits
}

fn target(index: usize) -> impl Strategy<Value = Target> {
    let plain = |reach| (reach, Connect::default());
    let ways = prop_oneof![
        endpoint(),
        launch().prop_map(|launch| {
            let connect = Connect {
                unix: Some(PathBuf::from("{data}/socket")),
                ..Connect::default()
            };
            (Reach::Launched(launch), connect)
        }),
        Just(plain(Reach::Builtin(Builtin::S3Memory))),
        Just(plain(Reach::Builtin(Builtin::S3Durable))),
    ];
    let signature = prop_oneof![
        Just(Signature::V4),
        Just(Signature::V2),
        Just(Signature::None)
    ];
    let observe = option::of(observe());
    (ways, credentials(), "[a-z]{2}-[0-9]", signature, observe).prop_map(
        move |((reach, connect), credentials, region, signature, observe)| {
            // Credentials of a running target that needs no credentials are refused.
            let unused = signature == Signature::None && matches!(reach, Reach::Endpoint { .. });
            let observe = observe.filter(|observe| suits(observe, &reach, &connect));
            let in_memory = matches!(reach, Reach::Builtin(Builtin::S3Memory | Builtin::Blob));
            let memory = in_memory.then_some(64 << 20);
            Target {
                name: format!("target-{index}"),
                reach,
                connect,
                credentials: (!unused).then_some(credentials),
                region,
                signature,
                store: Default::default(),
                memory,
                version: memory.map(|bytes| format!("1.{bytes} \"beta\"")),
                sweep: None,
                observe,
                searched: Default::default(),
                sessions: Default::default(),
                secrets: Default::default(),
            }
        },
    )
}

fn http() -> impl Strategy<Value = HttpWork> {
    let body = prop_oneof![
        Just((Vec::new(), None)),
        text().prop_map(|text| (text.into_bytes(), None)),
        Just((vec![0, 255, 10], Some(PathBuf::from("/made-up/body.bin")))),
    ];
    (
        prop_oneof![Just("GET"), Just("POST"), Just("PURGE")],
        option::of("/[a-z]{0,5}(\\?q=[a-z]%20)?"),
        vec(("[A-Za-z-]{1,9}x", "[a-z\"'\\\\]{0,9}"), 0..3),
        body,
        vec(200u16..600, 0..3),
        select(vec![
            MayDiffer::default(),
            MayDiffer::SIZE.or(MayDiffer::HEADERS),
            MayDiffer::BODY,
        ]),
        any::<bool>(),
    )
        .prop_map(
            |(method, path, headers, (body, body_file), expect, may_differ, verify)| HttpWork {
                secrets: Default::default(),
                method: method.to_owned(),
                follow: false,
                redirected_from: path.clone().filter(|_| verify),
                path,
                printed_headers: headers.clone(),
                headers,
                body,
                body_file,
                expect,
                may_differ,
                checks: if verify {
                    vec!["json:/error absent".parse().expect("a check")]
                } else {
                    Vec::new()
                },
                body_errors: !verify,
                verify,
                patterns: None,
            },
        )
}

fn sizes() -> impl Strategy<Value = Sizes> {
    let size = 0..=5u64 << 30;
    let range = (size.clone(), size.clone(), 0.001..1e6f64).prop_map(|(a, b, share)| SizeRange {
        from: a.min(b),
        to: a.max(b),
        share,
    });
    prop_oneof![
        size.clone().prop_map(Sizes::fixed),
        vec(range, 1..4).prop_map(Sizes::Ranges),
        (size, 0.0..10.0f64).prop_map(|(median, sigma)| Sizes::LogNormal { median, sigma }),
    ]
}

/// Storage class, content type, metadata and tags.
type Stored = (
    Option<String>,
    Option<String>,
    Vec<(String, String)>,
    Vec<(String, String)>,
);

fn stored() -> impl Strategy<Value = Stored> {
    let pairs = || {
        btree_map("[a-z][a-z0-9-]{0,9}", "[a-zA-Z0-9=:]{0,9}", 0..3)
            .prop_map(|pairs| pairs.into_iter().collect::<Vec<_>>())
    };
    (
        option::of("[A-Z_]{1,9}"),
        option::of("[a-z]{1,9}/[a-z]{1,9}"),
        pairs(),
        pairs(),
    )
}

fn s3() -> impl Strategy<Value = S3Work> {
    let mixes = [
        "put",
        "get",
        "delete",
        "list",
        "stat",
        "copy",
        "multipart",
        "put-tags",
        "get:70,put:30",
        "stat:1.5,get:2,put:3,delete:0.25",
    ];
    let choose = prop_oneof![
        Just(Choose::Uniform),
        Just(Choose::Sequential),
        (0.01..10.0f64).prop_map(|exponent| Choose::Zipf { exponent }),
    ];
    let keys = (option::of(vec(1..65536u32, 1..4)), choose, any::<bool>());
    (
        select(mixes.to_vec()),
        sizes(),
        "[a-z]{3,9}",
        1..=u64::MAX,
        any::<[bool; 4]>(),
        (1..=1000u32, 0..=100u8, 0..=100u32),
        keys,
        stored(),
    )
        .prop_map(
            |(
                mix,
                sizes,
                bucket,
                objects,
                switches,
                (buckets, compressible, retries),
                keys,
                stored,
            )| {
                let [virtual_host, unsigned, verify, random] = switches;
                let (prefixes, choose, keep) = keys;
                let (storage_class, content_type, metadata, tags) = stored;
                let mix: Mix = mix.parse().expect("a mix");
                let uses_up = mix.has(S3Operation::Delete) && mix.single().is_some();
                let reads = mix.has(S3Operation::Get);
                S3Work {
                    sizes,
                    bucket,
                    buckets,
                    style: [Style::Path, Style::Virtual][usize::from(virtual_host)],
                    compressible,
                    retries,
                    encryption: Encryption::SseS3,
                    storage_class,
                    content_type,
                    metadata,
                    tags,
                    choose,
                    prefixes: prefixes.map(Prefixes),
                    payload: [Payload::Signed, Payload::Unsigned][usize::from(unsigned)],
                    keys: [KeyOrder::Sequential, KeyOrder::Random][usize::from(random)],
                    data: [DataSet::Fresh, DataSet::Keep][usize::from(keep && !uses_up)],
                    verify: verify && reads,
                    mix,
                    ..S3Work::new(S3Operation::Put, 0, objects)
                }
            },
        )
}

fn blob() -> impl Strategy<Value = BlobWork> {
    let mix = Shares {
        put: 20,
        get: 75,
        delete: 5,
    };
    let phase = prop_oneof![
        Just(Phase::Put),
        Just(Phase::Get),
        Just(Phase::Delete),
        Just(Phase::Mixed(mix)),
    ];
    let hashes = [
        BlobHash::Crc32,
        BlobHash::Md5,
        BlobHash::Sha1,
        BlobHash::Sha256,
    ];
    let sum = proptest::sample::subsequence(hashes.to_vec(), 0..=4);
    let range = prop_oneof![
        Just(None),
        (1_u64..50).prop_map(|length| Some(ByteRange::Random { length })),
        (0_u64..50, 0_u64..50).prop_map(|(first, more)| Some(ByteRange::Fixed {
            first,
            last: first + more,
        })),
    ];
    (
        phase,
        100_u64..=(5 << 30),
        option::of(1_u64..1_000_000),
        option::of("[a-z0-9][a-zA-Z0-9._-]{0,20}"),
        option::of(Just(PathBuf::from("/made-up/db"))),
        (any::<bool>(), any::<bool>(), any::<bool>()),
        sum,
        range,
        1_u32..=1024,
        option::of(any::<u64>()),
        (1_u64..=(1 << 30), any::<bool>(), time(1), time(1)),
    )
        .prop_map(
            |(
                phase,
                size,
                objects,
                prefix,
                locations,
                switches,
                hashes,
                range,
                batch,
                errors,
                connect,
            )| {
                let (verify, around, until_gone) = switches;
                let (alloc_above, crc_framed, gone_within, poll_interval) = connect;
                let usual = BlobWork::new(phase, size);
                let work = BlobWork {
                    objects,
                    prefix,
                    locations,
                    errors,
                    ..usual
                };
                match phase {
                    Phase::Put => BlobWork {
                        hashes,
                        alloc_above,
                        crc_framed,
                        ..work
                    },
                    Phase::Get => BlobWork {
                        verify,
                        choose: [Choose::Once, Choose::Sequential][usize::from(around)],
                        range,
                        ..work
                    },
                    Phase::Delete if until_gone => BlobWork {
                        until_gone,
                        gone_within,
                        poll_interval,
                        poll_connections: 1 + usize::from(poll_interval.subsec_millis() > 500),
                        ..work
                    },
                    Phase::Delete => BlobWork { batch, ..work },
                    Phase::Mixed(_) => BlobWork {
                        sizes: Sizes::fixed(size.min(1 << 20)),
                        objects: objects.or(Some(1_000)),
                        locations: None,
                        hashes,
                        crc_framed,
                        verify,
                        range,
                        ..work
                    },
                }
            },
        )
}

fn workload(index: usize) -> impl Strategy<Value = Workload> {
    let kind = prop_oneof![
        http().prop_map(WorkloadKind::Http),
        s3().prop_map(WorkloadKind::S3),
        blob().prop_map(WorkloadKind::Blob)
    ];
    (kind, load(), any::<bool>()).prop_map(move |(kind, load, stages)| Workload {
        name: format!("workload-{index}"),
        kind,
        load,
        stages,
    })
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
