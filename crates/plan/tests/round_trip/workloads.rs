//! Workloads of plans.

use std::path::PathBuf;
use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use tenbin_plan::{
    Arrivals, BlobHash, BlobWork, ByteRange, Choose, DataSet, Encryption, HttpWork, KeyOrder, Load,
    MayDiffer, Mix, Pace, Payload, Phase, Prefixes, RateSearch, S3Operation, S3Work, Shares,
    SizeRange, Sizes, Slo, Style, Think, Trace, Workload, WorkloadKind,
};

use super::{text, time};

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![Just(Arrivals::Constant), Just(Arrivals::Poisson)]
}

/// The content of the trace file in [`super::FILES`].
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

pub(super) fn workload(index: usize) -> impl Strategy<Value = Workload> {
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
