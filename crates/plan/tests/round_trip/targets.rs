//! Targets of plans.

use std::path::PathBuf;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use tenbin_plan::{
    Builtin, ClientCertificate, Connect, Credentials, DeadHosts, Host, HttpVersion, IpVersion,
    KeySource, Launch, Observe, ObservePage, Pin, Processes, Reach, Ready, Secret, SessionToken,
    Signature, Target, Tls, TlsVersion, Token, Within,
};

use super::{text, time};

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

pub(super) fn target(index: usize) -> impl Strategy<Value = Target> {
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
