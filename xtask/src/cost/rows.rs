//! The rows of the cost table: workload, server, contenders and goals.

use super::contender::{Contender, Stable, warp};
use super::goal::Goal;
use super::rival;
use super::server::Kind;
use super::turn::Spent;

/// A workload that every contender of the row runs.
pub(crate) struct Row {
    /// Name of the row.
    pub(crate) name: &'static str,
    pub(crate) server: Kind,
    pub(crate) method: Method,
    /// Whether another process keeps the core of the load generator awake, which excludes the cost
    /// of going to sleep and waking up.
    pub(crate) core_awake: bool,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) readings: Vec<Reading>,
}

/// How a turn is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// The total cost of the program, including its start.
    Whole,
    /// The cost of a long turn minus the cost of a short turn. This excludes the preparation and
    /// the cleanup, which are the same in both: storing objects for GET, generating and hashing
    /// bodies, deleting objects.
    Beyond,
    /// Like `Beyond`, but all contenders run at the same time on the same core, so other programs on
    /// this machine slow all of them alike. For contenders that differ by a few per cent.
    AtOnce,
    /// The contender performs a fixed number of operations; the length of a turn is ignored.
    Counted,
    /// Like `Counted`, but with a single turn, which takes minutes and hardly varies.
    Once,
}

/// One figure of the turns, with its goals.
pub(crate) struct Reading {
    pub(crate) figure: Figure,
    pub(crate) goals: Vec<Goal>,
}

/// The quantity that is measured in a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    /// CPU microseconds per operation.
    MicrosPerOperation,
    /// CPU microseconds per operation in user mode, of all threads.
    UserMicrosPerOperation,
    /// CPU milliseconds of the program.
    Milliseconds,
    /// CPU seconds per GiB, for operations with this many bytes each.
    CpuPerGib(u64),
    /// Million operations per second of wall time.
    MillionsPerSecond,
    /// Million operations per CPU second.
    MillionsPerCpuSecond,
    /// Peak resident memory, MiB.
    PeakMib,
    /// Wall time of the work, seconds.
    Seconds,
    /// CPU time ÷ wall time, per cent.
    PercentOfCore,
}

impl Figure {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MicrosPerOperation => "CPU µs a request",
            Self::UserMicrosPerOperation => "user CPU µs a request",
            Self::Milliseconds => "CPU ms",
            Self::CpuPerGib(_) => "CPU s a GiB",
            Self::MillionsPerSecond => "million operations a second",
            Self::MillionsPerCpuSecond => "million operations a CPU second",
            Self::PeakMib => "MiB",
            Self::Seconds => "s",
            Self::PercentOfCore => "% of a core",
        }
    }

    pub(crate) fn of(self, spent: &Spent) -> f64 {
        let operations = spent.operations as f64;
        match self {
            Self::MicrosPerOperation => spent.cpu_seconds * 1e6 / operations,
            Self::UserMicrosPerOperation => spent.user_seconds * 1e6 / operations,
            Self::Milliseconds => spent.cpu_seconds * 1e3,
            Self::CpuPerGib(size) => {
                spent.cpu_seconds / (operations * size as f64 / (1u64 << 30) as f64)
            }
            Self::MillionsPerSecond => operations / 1e6 / spent.wall_seconds,
            Self::MillionsPerCpuSecond => operations / 1e6 / spent.cpu_seconds,
            Self::PeakMib => spent.peak_kib as f64 / 1024.0,
            Self::Seconds => spent.wall_seconds,
            Self::PercentOfCore => 100.0 * spent.cpu_seconds / spent.wall_seconds,
        }
    }
}

const MIB: u64 = 1 << 20;

/// The rows that compare Tenbin with other load generators and with limits.
pub(crate) fn all(stable: &Stable<'_>) -> Vec<Row> {
    let mut rows = vec![
        plain_get("keep-alive GET, 12-byte answer, 64 connections", stable, 64),
        plain_get("keep-alive GET, 12-byte answer, 1 connection", stable, 1),
        plain_get(
            "keep-alive GET, 12-byte answer, 1,000 connections",
            stable,
            1000,
        ),
        by_slope(stable),
        live_page(stable),
        one_agent(stable),
        many_agents(stable),
        sampled_content(stable),
        null(stable),
    ];
    for server in [Kind::Minio, Kind::Memory] {
        rows.push(large_get(server, stable));
        rows.push(large_put(server, stable));
    }
    rows.extend([
        small_get(
            "S3 GET 1 KiB, signed, built-in server",
            Kind::Memory,
            stable,
        ),
        small_put(
            "S3 PUT 1 KiB, signed, built-in server",
            Kind::Memory,
            stable,
        ),
        small_get("S3 GET 1 KiB, signed, MinIO", Kind::Minio, stable),
        small_put("S3 PUT 1 KiB, signed, MinIO", Kind::Minio, stable),
        verified("verified GET 1 MiB, built-in server", Kind::Memory, stable),
        verified("verified GET 1 MiB, MinIO", Kind::Minio, stable),
        tls("TLS 1.3 keep-alive GET, 64 connections", false, stable),
        // With TLS the server is the limit, and the wake-ups of a load generator cost more than its
        // work: see docs/performance.md.
        tls(
            "TLS 1.3 keep-alive GET, 64 connections, core kept awake",
            true,
            stable,
        ),
        files(stable),
        dummy(stable),
        dummy_memory(stable),
        null_memory(stable),
        nginx_memory(stable),
        slices_memory(stable),
        start(stable),
        show(stable),
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

/// The cost of one more request, without the start and the end of a run. User time is a reading of its
/// own: in a total, the seven times larger system time hides changes of it.
fn by_slope(stable: &Stable<'_>) -> Row {
    Row {
        name: "by slope, keep-alive GET, 64 connections",
        server: Kind::Nginx,
        method: Method::Beyond,
        core_awake: false,
        contenders: stable.http(64),
        readings: vec![
            Reading {
                figure: Figure::UserMicrosPerOperation,
                goals: vec![Goal::AtMost("tenbin", 0.8)],
            },
            Reading {
                figure: Figure::MicrosPerOperation,
                goals: vec![
                    Goal::AtMostTimes("tenbin", 1.05, "bare loop"),
                    Goal::BelowAllBut("tenbin", &["bare loop"]),
                ],
            },
        ],
    }
}

/// The cost of commands that do no work.
fn start(stable: &Stable<'_>) -> Row {
    let (version, help) = ("--version", "--help");
    Row {
        name: "start",
        server: Kind::None,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            stable.printing(version, version),
            stable.printing(help, help),
            stable.printing("http --help", "http --help"),
        ],
        readings: vec![Reading {
            figure: Figure::Milliseconds,
            goals: vec![Goal::AtMost(version, 15.0), Goal::AtMost(help, 15.0)],
        }],
    }
}

/// The cost of a live page with one viewer.
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

/// The throughput and the cost of an agent, with its coordinator and its hub on the same core.
fn one_agent(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET, 64 connections, 1 agent",
        server: Kind::Nginx,
        method: Method::AtOnce,
        core_awake: false,
        contenders: stable.with_agent(64),
        readings: vec![
            Reading {
                figure: Figure::MillionsPerSecond,
                goals: vec![Goal::AtLeastTimes("1 agent", 0.98, "tenbin")],
            },
            Reading {
                figure: Figure::MicrosPerOperation,
                goals: vec![Goal::AtMostTimes("1 agent", 1.02, "tenbin")],
            },
        ],
    }
}

/// The cost of a coordinator. The agents and the server are not counted.
fn many_agents(stable: &Stable<'_>) -> Row {
    let (run, long) = ("coordinator", "coordinator, four times as long");
    Row {
        name: "64 agents, 6,400 requests/s",
        server: Kind::Agents,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![stable.by_agents(run, 1), stable.by_agents(long, 4)],
        readings: vec![
            Reading {
                figure: Figure::PercentOfCore,
                goals: vec![Goal::AtMost(run, 10.0), Goal::AtMost(long, 10.0)],
            },
            Reading {
                figure: Figure::PeakMib,
                goals: vec![Goal::AtMost(long, LONG_RUN_MIB)],
            },
        ],
    }
}

/// Checks the cost of comparing the content of some responses with earlier ones.
fn sampled_content(stable: &Stable<'_>) -> Row {
    Row {
        name: "keep-alive GET 1 MiB, content sampled, 8 connections",
        server: Kind::Nginx,
        method: Method::Whole,
        core_awake: false,
        contenders: stable.with_sampled_content(),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes(
                "content sampled",
                1.02,
                "no content read",
            )],
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
            // CPU time does not depend on other programs that use the core of the thread.
            Reading {
                figure: Figure::MillionsPerCpuSecond,
                goals: vec![Goal::AtLeast("1 thread", 25.0)],
            },
            // Only wall time includes the time in which threads wait for each other.
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

/// Compares Tenbin with warp and with warp's client library, which costs less than warp; a quarter
/// of the library's cost is therefore the harder goal. `seen` is the cost of warp on another
/// machine, CPU seconds per GiB.
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

/// The cost of signing GETs: compares requests with a new signature each with plain requests for a
/// presigned URL, for the same bytes of the same server. All requests are for a single object,
/// because the timing of responses for many objects differs on servers with locks, and every
/// wake-up of the load generator adds cost. The plain requests have a longer request line and fewer
/// headers. The work of the server is not counted.
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
        // Excludes the expensive handshakes, which are not part of keep-alive requests.
        method: Method::Beyond,
        core_awake,
        contenders: stable.https(64),
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::BelowAllBut("tenbin", &[])],
        }],
    }
}

/// Blobs in files: the cost beyond the system calls is Tenbin's work, which is generating,
/// comparing, timing and recording.
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

/// A blobstore-bench command line with the dummy store; blobstore-bench itself reached 5.8 million
/// operations per second.
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

/// Largest increase of memory that does not count as growth.
const NO_GROWTH_MIB: f64 = 1.0;

/// Duration in seconds after which a run has delivered three samples and has allocated its second
/// set of histograms. Any further increase of memory is growth.
const THREE_SAMPLES: f64 = 3.0;

fn null_memory(stable: &Stable<'_>) -> Row {
    let run = |name, operations| stable.null(name, "0", 256, Some(operations));
    Row {
        name: "memory, null workload, 256 connections",
        server: Kind::None,
        method: Method::Counted,
        core_awake: false,
        contenders: vec![
            // Ends within a tenth of a second, before the first sample.
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

/// Checks that memory hardly grows with the number of slices. The peak of a run is at its end, when
/// the result is computed and written.
fn slices_memory(stable: &Stable<'_>) -> Row {
    let one = ["1 target, 400 slices", "1 target, 2,000 slices"];
    let two = ["2 targets, 400 slices", "2 targets, 2,000 slices"];
    let run = |[few, many]: [&'static str; 2], targets| {
        [
            stable.short_slices(few, targets, 400),
            stable.short_slices(many, targets, 2_000),
        ]
    };
    let goals = |[few, many]: [&'static str; 2]| {
        [
            Goal::AtMost(many, LONG_RUN_MIB),
            Goal::AtMostAbove(many, MIB_OF_1600_SLICES, few),
        ]
    };
    Row {
        name: "memory, slices of 100 ms",
        server: Kind::Nginx,
        method: Method::Once,
        core_awake: false,
        contenders: [run(one, &["a"]), run(two, &["a", "b"])]
            .into_iter()
            .flatten()
            .collect(),
        readings: vec![Reading {
            figure: Figure::PeakMib,
            goals: [one, two].into_iter().flat_map(goals).collect(),
        }],
    }
}

/// Largest memory of 1,600 slices, MiB: 4 KiB a slice.
const MIB_OF_1600_SLICES: f64 = 6.25;

/// Largest memory of a run of any length and of `tenbin show`, MiB.
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

/// Checks that the reference run was at least [`THREE_SAMPLES`] seconds long.
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
            user_seconds: 0.25,
            wall_seconds: 2.0,
            operations: 1024,
            peak_kib: 2048,
        };
        assert_eq!(Figure::CpuPerGib(MIB).of(&spent), 0.5);
        assert_eq!(Figure::MicrosPerOperation.of(&spent), 0.5e6 / 1024.0);
        assert_eq!(Figure::UserMicrosPerOperation.of(&spent), 0.25e6 / 1024.0);
        assert_eq!(Figure::Milliseconds.of(&spent), 500.0);
        assert_eq!(Figure::MillionsPerSecond.of(&spent), 512e-6);
        assert_eq!(Figure::MillionsPerCpuSecond.of(&spent), 2048e-6);
        assert_eq!(Figure::PeakMib.of(&spent), 2.0);
    }

    #[test]
    fn every_goal_is_about_contenders_of_its_row() {
        let stable = Stable {
            built: std::path::Path::new("built"),
        };
        for row in all(&stable) {
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
