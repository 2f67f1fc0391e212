//! The table: what is measured, on what, by whom, and what it is to reach.

use std::path::Path;

use super::contender::{Contender, Stable, warp};
use super::goal::Goal;
use super::rival;
use super::server::Kind;
use super::turn::Spent;

/// One kind of work, done by every contender.
pub(crate) struct Row {
    /// What it is.
    pub(crate) name: &'static str,
    pub(crate) server: Kind,
    pub(crate) method: Method,
    /// Something else keeps the generator's core awake, so that nobody is measured
    /// going to sleep and waking up.
    pub(crate) core_awake: bool,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) readings: Vec<Reading>,
}

/// How a turn is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// All that the generator does counts, its start too.
    Whole,
    /// A short turn is taken away from a long one: objects that have to be put
    /// before they can be got, bodies that are made up and hashed beforehand, and
    /// what is deleted afterwards are the same in both.
    Beyond,
    /// The contender works until its count is full; the time given means nothing.
    Counted,
    /// The same, in one turn: it takes minutes, and what is read off it hardly varies.
    Once,
}

/// One figure of the turns, with its goals.
pub(crate) struct Reading {
    pub(crate) figure: Figure,
    pub(crate) goals: Vec<Goal>,
}

/// What is read off a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    /// CPU microseconds an operation.
    MicrosPerOperation,
    /// CPU seconds a GiB, of operations that each carry so many bytes.
    CpuPerGib(u64),
    /// Million operations a second of the wall clock.
    MillionsPerSecond,
    /// Million operations a CPU second.
    MillionsPerCpuSecond,
    /// Most resident memory, MiB.
    PeakMib,
    /// Wall seconds of the work.
    Seconds,
}

impl Figure {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MicrosPerOperation => "CPU µs a request",
            Self::CpuPerGib(_) => "CPU s a GiB",
            Self::MillionsPerSecond => "million operations a second",
            Self::MillionsPerCpuSecond => "million operations a CPU second",
            Self::PeakMib => "MiB",
            Self::Seconds => "s",
        }
    }

    pub(crate) fn of(self, spent: &Spent) -> f64 {
        let operations = spent.operations as f64;
        match self {
            Self::MicrosPerOperation => spent.cpu_seconds * 1e6 / operations,
            Self::CpuPerGib(size) => {
                spent.cpu_seconds / (operations * size as f64 / (1u64 << 30) as f64)
            }
            Self::MillionsPerSecond => operations / 1e6 / spent.wall_seconds,
            Self::MillionsPerCpuSecond => operations / 1e6 / spent.cpu_seconds,
            Self::PeakMib => spent.peak_kib as f64 / 1024.0,
            Self::Seconds => spent.wall_seconds,
        }
    }
}

const MIB: u64 = 1 << 20;

/// Every row. `built` is where our own programs are.
pub(crate) fn all(built: &Path) -> Vec<Row> {
    let stable = Stable { built };
    let mut rows = vec![
        plain_get(
            "keep-alive GET, 12-byte answer, 64 connections",
            &stable,
            64,
        ),
        plain_get("keep-alive GET, 12-byte answer, 1 connection", &stable, 1),
        plain_get(
            "keep-alive GET, 12-byte answer, 1,000 connections",
            &stable,
            1000,
        ),
        live_page(&stable),
        null(&stable),
    ];
    for server in [Kind::Minio, Kind::Memory] {
        rows.push(large_get(server, &stable));
        rows.push(large_put(server, &stable));
    }
    rows.extend([
        small_get(
            "S3 GET 1 KiB, signed, built-in server",
            Kind::Memory,
            &stable,
        ),
        small_put(
            "S3 PUT 1 KiB, signed, built-in server",
            Kind::Memory,
            &stable,
        ),
        small_get("S3 GET 1 KiB, signed, MinIO", Kind::Minio, &stable),
        small_put("S3 PUT 1 KiB, signed, MinIO", Kind::Minio, &stable),
        verified("verified GET 1 MiB, built-in server", Kind::Memory, &stable),
        verified("verified GET 1 MiB, MinIO", Kind::Minio, &stable),
        tls("TLS 1.3 keep-alive GET, 64 connections", false, &stable),
        // With TLS the server is the limit, and how often a generator is woken weighs more
        // than what it does: see docs/performance.md.
        tls(
            "TLS 1.3 keep-alive GET, 64 connections, core kept awake",
            true,
            &stable,
        ),
        files(&stable),
        dummy(&stable),
        dummy_memory(&stable),
        null_memory(&stable),
        nginx_memory(&stable),
        slices_memory(&stable),
        show(&stable),
    ]);
    rows
}

fn plain_get(name: &'static str, stable: &Stable<'_>, connections: usize) -> Row {
    let mut goals = vec![Goal::BelowAllBut("tenbin", &["bare loop"])];
    if connections == 64 {
        goals.insert(0, Goal::AtMostTimes("tenbin", 1.05, "bare loop"));
    }
    Row {
        name,
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.http(connections),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals,
        }],
    }
}

/// What it costs to show the figures of every second to one viewer.
fn live_page(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, live page with one viewer",
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.with_live_page(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes("with --live", 1.01, "tenbin")],
        }],
    }
}

fn null(stable: &Stable<'_>) -> Row {
    Row {
        name: "null workload",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.null("1 thread", "0", 64, None),
            stable.null("2 threads", "0,1", 128, None),
        ],
        readings: vec![
            // A thread that is kept off its core by others still shows its speed.
            Reading {
                figure: Figure::MillionsPerCpuSecond,
                goals: vec![Goal::AtLeast("1 thread", 25.0)],
            },
            // Only the wall clock shows threads that wait for each other.
            Reading {
                figure: Figure::MillionsPerSecond,
                goals: vec![Goal::AtLeastTimes("2 threads", 1.9, "1 thread")],
            },
        ],
    }
}

fn large_get(server: Kind, stable: &Stable<'_>) -> Row {
    let name = match server {
        Kind::Minio => "S3 GET 16 MiB, discarded, MinIO",
        _ => "S3 GET 16 MiB, discarded, built-in server",
    };
    let what = "get --size 16MiB --objects 16 --connections 8 --no-verify";
    let contenders = vec![
        stable.s3("tenbin", what),
        stable.minio_go_loop("get", 16 * MIB),
        warp("get --obj.size 16MiB --objects 16 --concurrent 8"),
    ];
    large(name, server, contenders, 0.31)
}

fn large_put(server: Kind, stable: &Stable<'_>) -> Row {
    let name = match server {
        Kind::Minio => "S3 PUT 16 MiB, signed, MinIO",
        _ => "S3 PUT 16 MiB, signed, built-in server",
    };
    let what = "put --size 16MiB --objects 16 --connections 8";
    let contenders = vec![
        stable.s3("tenbin", what),
        stable.minio_go_loop("put", 16 * MIB),
        warp("put --obj.size 16MiB --concurrent 8"),
    ];
    large(name, server, contenders, 0.9)
}

/// Tenbin beside warp, and beside the library that warp works with: that costs less
/// than warp, which adds its own work, so a quarter of it is harder to reach.
/// `seen` is what warp took on another machine, CPU seconds a GiB.
fn large(name: &'static str, server: Kind, contenders: Vec<Contender>, seen: f64) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders,
        readings: vec![Reading {
            figure: Figure::CpuPerGib(16 * MIB),
            goals: vec![
                Goal::AtMostTimes("tenbin", 0.25, "warp"),
                Goal::AtMostTimes("tenbin", 0.25, rival::NAME),
                Goal::AtMostTimesElsewhere("tenbin", 0.25, "warp", seen),
            ],
        }],
    }
}

/// What signing costs: the same bytes from the same server, once asked for with a
/// fresh signature a request, once as a plain request whose URL was signed before.
/// Both ask for one object over and over, since a server that locks what is written
/// answers in another rhythm over many, and each wake-up costs the generator; the
/// plain one has a longer request line and fewer headers. The server's own work is
/// not counted.
fn small_get(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    let signed = stable.s3(
        "signed",
        "get --size 1KiB --objects 1 --connections 64 --no-verify",
    );
    small(name, server, signed, stable.presigned("plain", "GET", 64))
}

fn small_put(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    let signed = stable.s3("signed", "put --size 1KiB --objects 1 --connections 64");
    small(name, server, signed, stable.presigned("plain", "PUT", 64))
}

fn small(name: &'static str, server: Kind, signed: Contender, plain: Contender) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![signed, plain],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostAbove("signed", 8.0, "plain")],
        }],
    }
}

fn verified(name: &'static str, server: Kind, stable: &Stable<'_>) -> Row {
    Row {
        name,
        server,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![
            stable.s3("verified", "get --size 1MiB --objects 64 --connections 16"),
            stable.s3(
                "discarded",
                "get --size 1MiB --objects 64 --connections 16 --no-verify",
            ),
        ],
        readings: vec![Reading {
            figure: Figure::CpuPerGib(MIB),
            goals: vec![Goal::AtMostAbove("verified", 0.25, "discarded")],
        }],
    }
}

fn tls(name: &'static str, core_awake: bool, stable: &Stable<'_>) -> Row {
    Row {
        name,
        server: Kind::NginxTls,
        // Handshakes are dear, and not of the keep-alive requests.
        method: Method::Beyond,
        core_awake,
        contenders: stable.https(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::BelowAllBut("tenbin", &[])],
        }],
    }
}

/// Blobs in files: beside the system calls, everything is Tenbin's: making each blob up,
/// comparing it when it is read, timing, and keeping what there is.
fn files(stable: &Stable<'_>) -> Row {
    Row {
        name: "blobs of 10 KiB in files: put, get, delete",
        server: Kind::None,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![stable.files(10 << 10), stable.bare_files(10 << 10)],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes("tenbin", 1.1, "bare loop")],
        }],
    }
}

/// blobstore-bench on nothing, where the tool itself reached 5.8 million.
fn dummy(stable: &Stable<'_>) -> Row {
    Row {
        name: "blobstore-bench -b dummy, 2 threads",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.dummy("put", "p", 1),
            stable.dummy("put, get, delete", "pgd", 1),
        ],
        readings: vec![Reading {
            figure: Figure::MillionsPerSecond,
            goals: vec![
                Goal::AtLeast("put", 40.0),
                Goal::AtLeast("put, get, delete", 40.0),
            ],
        }],
    }
}

fn dummy_memory(stable: &Stable<'_>) -> Row {
    Row {
        name: "memory, blobstore-bench -b dummy, 2 threads",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.dummy("put", "p", 1),
            stable.dummy("put, four times as long", "p", 4),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("put, four times as long", 40.0),
                    Goal::AtMostAbove("put, four times as long", NO_GROWTH_MIB, "put"),
                ],
            },
            long_enough("put"),
        ],
    }
}

/// What is no growth.
const NO_GROWTH_MIB: f64 = 1.0;

/// A run this long has handed out three samples and has the second set of histograms
/// that every longer one has: what comes on top is growth.
const THREE_SAMPLES: f64 = 3.0;

fn null_memory(stable: &Stable<'_>) -> Row {
    let run = |name, operations| stable.null(name, "0", 256, Some(operations));
    Row {
        name: "memory, null workload, 256 connections",
        server: Kind::None,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            // Over within a tenth of a second, before the first sample.
            run("10⁶ operations", 1_000_000),
            run("10⁸ operations", 100_000_000),
            run("10⁹ operations", 1_000_000_000),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("10⁹ operations", 40.0),
                    Goal::AtMostAbove("10⁸ operations", NO_GROWTH_MIB, "10⁶ operations"),
                    Goal::AtMostAbove("10⁹ operations", NO_GROWTH_MIB, "10⁸ operations"),
                ],
            },
            long_enough("10⁸ operations"),
        ],
    }
}

fn nginx_memory(stable: &Stable<'_>) -> Row {
    Row {
        name: "memory, nginx, 256 connections",
        server: Kind::Nginx,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.counted("10⁶ requests", 256, 1_000_000),
            stable.counted("3×10⁶ requests", 256, 3_000_000),
        ],
        readings: vec![
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost("3×10⁶ requests", 40.0),
                    Goal::AtMostAbove("3×10⁶ requests", NO_GROWTH_MIB, "10⁶ requests"),
                ],
            },
            long_enough("10⁶ requests"),
        ],
    }
}

/// What a run keeps of each slice does not stay in memory.
fn slices_memory(stable: &Stable<'_>) -> Row {
    Row {
        name: "memory, slices of 100 ms, two targets",
        server: Kind::Nginx,
        method: Method::Once,
        core_awake: false,
        contenders: vec![
            stable.short_slices("500 slices", 250),
            stable.short_slices("2,000 slices", 1_000),
        ],
        readings: vec![Reading {
            figure: Figure::PeakMib,
            goals: vec![Goal::AtMost("2,000 slices", LONG_RUN_MIB)],
        }],
    }
}

/// Most memory of a run of any length, and of showing it.
const LONG_RUN_MIB: f64 = 100.0;

fn show(stable: &Stable<'_>) -> Row {
    let (text, json, page) = ("show", "show --json", "report");
    Row {
        name: "show, 18,000 slices of 2 s",
        server: Kind::LongRun,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.show(text, "show", ""),
            stable.show(json, "show", "--json"),
            stable.show(page, "report", "--out /dev/stdout"),
        ],
        readings: vec![
            Reading {
                figure: Figure::Seconds,
                goals: vec![Goal::AtMost(text, 1.0), Goal::AtMost(page, 2.0)],
            },
            Reading {
                figure: Figure::PeakMib,
                goals: vec![
                    Goal::AtMost(text, LONG_RUN_MIB),
                    Goal::AtMost(json, LONG_RUN_MIB),
                    Goal::AtMost(page, LONG_RUN_MIB),
                ],
            },
        ],
    }
}

/// That the run which others are held against has been through all that does not
/// depend on its length.
fn long_enough(run: &'static str) -> Reading {
    Reading {
        figure: Figure::Seconds,
        goals: vec![Goal::AtLeast(run, THREE_SAMPLES)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_per_unit_of_work() {
        let spent = Spent {
            cpu_seconds: 0.5,
            wall_seconds: 2.0,
            operations: 1024,
            peak_kib: 2048,
        };
        assert_eq!(Figure::CpuPerGib(MIB).of(&spent), 0.5);
        assert_eq!(Figure::MicrosPerOperation.of(&spent), 0.5e6 / 1024.0);
        assert_eq!(Figure::MillionsPerSecond.of(&spent), 512e-6);
        assert_eq!(Figure::MillionsPerCpuSecond.of(&spent), 2048e-6);
        assert_eq!(Figure::PeakMib.of(&spent), 2.0);
    }

    #[test]
    fn every_goal_is_about_contenders_of_its_row() {
        for row in all(Path::new("built")) {
            let names: Vec<&str> = row.contenders.iter().map(|one| one.name).collect();
            for goal in row.readings.iter().flat_map(|reading| &reading.goals) {
                let named = match goal {
                    Goal::AtMostTimes(one, _, other)
                    | Goal::AtLeastTimes(one, _, other)
                    | Goal::AtMostAbove(one, _, other) => vec![*one, *other],
                    Goal::BelowAllBut(one, others) => [&[*one], *others].concat(),
                    Goal::AtMost(one, _)
                    | Goal::AtLeast(one, _)
                    | Goal::AtMostTimesElsewhere(one, ..) => vec![*one],
                };
                for name in named {
                    assert!(names.contains(&name), "{}: {name}", row.name);
                }
            }
        }
    }
}
