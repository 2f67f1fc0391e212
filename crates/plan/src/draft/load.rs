//! The keys of `[load]`, and of the `load` of a workload.

use std::time::Duration;

use crate::Sentence;
use crate::keys::form::Kind;
use crate::keys::names::Named;
use crate::keys::page::{self, Page};
use crate::keys::relations;
use crate::keys::row::{Flag, Section as _, Takes, choice, rate, switch, text, time_from, whole};
use crate::keys::scalar::{List, Scalar};
use crate::keys::section::section;
use crate::load::step::Step;
use crate::load::think::Think;
use crate::load::{Arrivals, Pace};
use crate::units::rate::Rate;

const DEFAULT_CONNECTIONS: usize = 16;

/// Maximum number of connections: one client address has fewer ports for one server address and
/// port, so a larger number is taken for a typing error.
pub(crate) const MOST_CONNECTIONS: u64 = 100_000;
/// Maximum depth: servers allow one or two hundred streams, so a larger number is taken for a
/// typing error.
const MOST_DEPTH: u64 = 1000;
/// Maximum number of times that a connection is opened in a slice: with more, a slice would mainly
/// measure connecting.
const MOST_OPENINGS: u64 = 1000;
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);

section! {
    /// `[load]`, and the `load` of a workload.
    pub struct LoadDraft("in [load]", "a table such as [load]") {
        /// connections over all threads. A list of up to 64 values creates one workload per value,
        /// with the suffix `-c8` and so on
        connections: Scalar, shown connections = text("1 to 100,000, or a list: `\"1,8,64\"`")
            .kinds(&[
                Kind::Whole { least: 1, most: MOST_CONNECTIONS },
                Kind::Pattern(r"^[0-9,\s]+$"),
            ])
            .default_rule("16; 128 with `slo`")
            .comment("over all threads")
            .synonyms(&["concurrency", "clients", "concurrent", "users", "vus"])
            .flag(
                Flag::of(
                    "--connections",
                    Takes::Either("N"),
                    "Number of connections over all threads. A list such as 1,8,64 makes one \
                     workload per number",
                )
                .default("16")
                .short('c')
                .aliases(&["concurrency"]),
            );
        /// instead of `connections`: a concurrency sweep of 3 to 64 levels, with one workload per
        /// level, [see below](#ramps). Closed loop only
        ramp: Scalar = text(
            "`\"1..256\"` (doubling), `\"1,2,4,8\"` or `\"10:100:10\"` (from, to, step)",
        )
        .synonyms(&["levels"])
        .excludes(
            &["connections"],
            "sets the numbers of connections; leave out connections (--connections)",
        )
        .excludes(
            &["rate", "steps", "trace", "slo"],
            "is for a closed loop; leave out rate, steps, trace and slo",
        )
        .flag(
            Flag::text(
                "--ramp",
                "LEVELS",
                "Concurrency sweep: measure at several numbers of connections, to find the \
                 knee, above which throughput stops rising. LEVELS is 1..256 (doubling), 1,2,4,8 \
                 or 10:100:10 (from, to, step). The first block of rounds runs the levels in \
                 ascending order, the second in descending order, and so on; for two targets, a \
                 block has two rounds",
            ),
        );
        /// requests in flight per connection: pipelining in HTTP/1.1, concurrent streams in HTTP/2.
        /// More than 1 requires `keep_alive`. `connections` × `depth` × hosts of a target: at most
        /// 100,000
        depth: Scalar => usize = whole(1, MOST_DEPTH)
            .default("1")
            .comment("requests in flight per connection")
            .synonyms(&["pipeline", "pipelining", "streams"])
            .flag(
                Flag::whole(
                    "--depth",
                    "N",
                    "Requests in flight per connection: pipelining depth (HTTP/1.1) or concurrent \
                     streams (HTTP/2)",
                )
                .aliases(&["pipeline", "streams"]),
            );
        /// limits on percentiles (`p50`, `p99.9`), `mean` and `errors`. Tenbin finds the highest
        /// rate that meets all limits, [see below](#the-highest-rate); `rate` is then the first
        /// rate of the search
        slo: Scalar, shown pace = text("`\"p99<10ms,errors<0.1%\"`")
            .comment("the search finds the highest rate that meets these limits")
            .synonyms(&["objective"])
            .excludes(
                &["rate_to", "steps", "trace"],
                "the search chooses the rates; leave out rate_to, steps and trace (rate is the \
                 first rate of the search)",
            )
            .refuses(
                &["requests"],
                "steps of the search end by time; leave out requests (--requests)",
            )
            .flag(
                Flag::text(
                    "--slo",
                    "LIMITS",
                    "Find the highest rate that meets all of these limits (maximum-rate \
                     search), for example 'p99<10ms,errors<0.1%'. --rate sets the first rate to \
                     try; --connections defaults to 128",
                ),
            );
        /// operations per second over all threads, each timed from its intended start (open loop).
        /// Without a rate, every connection sends its next request after the previous response
        /// (closed loop)
        rate: Scalar = rate()
            .default_rule("closed loop")
            .synonyms(&["rps", "qps"])
            .flag(
                Flag::text(
                    "--rate",
                    "RATE",
                    "Send at this rate regardless of response times (open loop), for example \
                     1000/s or 60/m. Response times then count from the time at which a request \
                     was due",
                )
                .default("each connection sends its next request after the response"),
            );
        /// final rate: the rate changes linearly over each slice, from `rate` to this value
        rate_to: Scalar = rate()
            .comment("at the end of a slice")
            .needs(&["rate"], "needs a rate to start from").flag(
            Flag::text(
                "--rate-to",
                "RATE",
                "Change the rate linearly over each slice, from --rate to this rate",
            ),
        );
        /// instead of `rate`: consecutive rates in each slice. The first rate also applies during
        /// the settling time, the last rate until the end of the slice
        steps: List = text("`[\"100/s for 1s\", \"200/s for 1s\"]`")
            .comment("the last to the end of a slice")
            .synonyms(&["stages"])
            .excludes(&["rate"], "excludes rate; leave out one of them")
            .flag(
                Flag::of(
                    "--step",
                    Takes::Several("RATE for TIME"),
                    "Send at several rates one after another in each slice, for example --step \
                     '100/s for 1s' --step '500/s for 1s'; the last rate continues until the \
                     end of the slice",
                ),
            );
        /// instead of `rate`: a file with the time of every operation, [see below](#traces)
        trace: Scalar = text("path").excludes(
            &["rate", "steps"],
            "excludes rate and steps; set only one of the three",
        ).flag(
            Flag::text(
                "--trace",
                "FILE",
                "Send at the times in this file, one per line, in seconds or as RFC 3339 \
                 timestamps. Every slice plays the file again: the earliest time in the file \
                 becomes the start of the measured window",
            ),
        );
        /// playback speed of the trace: `2.0` halves the time between operations
        trace_speed: Scalar = text("above 0, at most 1,000,000")
            .kinds(&[Kind::Above0 { most: 1_000_000 }, Kind::Pattern(r"^[0-9.]+$")])
            .default_rule("`1.0`")
            .comment("playback speed")
            .needs(&["trace"], "needs a trace")
            .flag(
                Flag::text("--trace-speed", "X", "Trace playback speed; 2 plays it twice as fast")
                    .default("1"),
            );
        /// distribution of arrivals in an open loop: `"constant"` is evenly spaced, `"poisson"` is
        /// random, from the seed, and the same for every target in a round
        arrivals: Scalar = choice::<Arrivals>()
            .default_rule("`\"constant\"`; `\"poisson\"` with `slo`")
            .synonyms(&["arrival"])
            .excludes(
                &["trace"],
                "a trace has the time of every arrival; leave out trace or arrivals",
            )
            .needs(
                &["rate", "steps", "trace", "slo"],
                "needs a rate: set rate or steps (--rate or --step)",
            )
            .flag(
                Flag::text(
                    "--arrivals",
                    "HOW",
                    "Distribution of the request times at --rate, --rate-to or --step: constant \
                     (evenly spaced) or poisson (random, from the seed)",
                )
                .default("constant; with --slo poisson"),
            );
        /// think time: how long a connection idles after each response, in a closed loop only.
        /// Random values depend on the seed
        think: Scalar => Option<Think>, read think = text(
            "`\"100ms\"` (constant), `\"uniform:50ms..150ms\"`, or `\"exponential:100ms\"` (mean)",
        )
        .comment("think time after each response")
        .excludes(
            &["rate", "steps", "trace"],
            "an open loop (rate, steps or trace) has no think time, because it does not wait for \
             responses; leave out one of them",
        )
        .excludes(
            &["slo"],
            "a maximum-rate search (slo) is an open loop, which has no think time; leave out one \
             of them",
        )
        .flag(Flag::text(
            "--think",
            "TIME",
            "Think time: pause of each connection between a response and its next request, for \
             example 100ms, uniform:50ms..150ms or exponential:100ms",
        ));
        /// an operation without a complete response after this time has failed
        timeout: Scalar => Duration = time_from(SHORTEST_TIMEOUT)
            .default("30s")
            .flag(Flag::text("--timeout", "TIME", "Request timeout: an operation fails without \
                                                   a complete response within this time"));
        /// reuse connections. If `false`, Tenbin closes the connection after every response, and
        /// each closed connection can occupy a local port for a minute (TIME_WAIT). With a known
        /// rate, Tenbin warns before the run if local ports may run out
        keep_alive: Scalar => bool = switch().default("true").synonyms(&["keepalive"]).flag(Flag::of(
            "--no-keep-alive",
            Takes::Switches(false),
            "Open a new connection for every request",
        ));
        /// how often each connection is opened in a slice, at equal intervals. If worker processes
        /// of a server share a listening socket, the kernel assigns connections to workers at
        /// random, and a connection stays with its worker. Requires HTTP/1.1, `keep_alive`, a
        /// `depth` of 1 and no `requests`
        reopen: Scalar => Option<u32> = whole(2, MOST_OPENINGS)
            .default_rule("once; 8 in a concurrency sweep if the warm-up showed an uneven spread")
            .comment("times that each connection is opened in a slice")
            .flag(
                Flag::whole(
                    "--reopen",
                    "N",
                    "Open each connection N times per slice, 2 to 1000: Tenbin closes and reopens \
                     all connections at equal intervals",
                )
                .default(
                    "once; 8 in a concurrency sweep if connections were unevenly spread over the \
                     server's workers in the warm-up",
                ),
            );
        /// end a slice after this number of operations or after `slice`, whichever comes first
        requests: Scalar => Option<u64> = whole(1, u64::MAX)
            .comment("a slice ends after this number of operations")
            .synonyms(&["max_requests"])
            .flag(
                Flag::whole(
                    "--requests",
                    "N",
                    "End each slice after N requests, or after the time of --slice if that comes \
                     first; N counts for each slice, not for the whole run",
                )
                .short('n'),
            );
    }
    stored {
        /// How operations are issued.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Load {
            /// Connections to each host of the target, over all threads. Requests are distributed
            /// over the hosts by weight. A target with several hosts has no more requests in flight
            /// than a target with one host, although it has more connections.
            pub connections: usize = DEFAULT_CONNECTIONS,
            /// Closed loop (a fixed number of connections) or open loop (arrivals).
            pub pace: Pace = Pace::Closed,
        }
    }
}

impl Load {
    /// A closed loop on this number of connections, with default settings.
    pub fn closed(connections: usize) -> Self {
        Self {
            connections,
            ..Self::default()
        }
    }
}

fn think(scalar: &Scalar) -> Result<Think, Sentence> {
    scalar.text()?.parse()
}

fn connections(load: &Load, page: &mut Page) {
    page.key(&LoadDraft::connections, load.connections);
}

/// Prints the keys of the pace.
fn pace(load: &Load, page: &mut Page) {
    match &load.pace {
        Pace::Closed => {
            page.comment("closed loop: each connection sends its next request after the response")
        }
        Pace::Constant { per_second } => page.key(&LoadDraft::rate, rate_text(*per_second)),
        Pace::Poisson { per_second } => {
            page.key(&LoadDraft::rate, rate_text(*per_second));
            spread(page, Arrivals::Poisson);
        }
        Pace::Ramp { from, to, arrivals } => {
            page.explained("rate", rate_text(*from), "at the start of a slice");
            page.key(&LoadDraft::rate_to, rate_text(*to));
            spread(page, *arrivals);
        }
        Pace::Steps { steps, arrivals } => {
            let steps = steps
                .iter()
                .map(|&(per_second, length)| page::text(Step { per_second, length }));
            page.key(&LoadDraft::steps, page::list(steps));
            spread(page, *arrivals);
        }
        Pace::Trace(trace) => {
            page.key(&LoadDraft::trace, page::text(trace.path.display()));
            page.key(&LoadDraft::trace_speed, trace.speed);
        }
        Pace::Search(search) => {
            page.key(&LoadDraft::slo, page::text(&search.slo));
            if let Some(from) = search.from {
                page.explained("rate", rate_text(from), "start of the search");
            }
            page.key(&LoadDraft::arrivals, page::text(search.arrivals.name()));
        }
    }
}

/// Prints the distribution of arrivals if it is not the default.
fn spread(page: &mut Page, arrivals: Arrivals) {
    if arrivals != Arrivals::Constant {
        page.key(&LoadDraft::arrivals, page::text(arrivals.name()));
    }
}

/// A rate in plan-file syntax. A rate outside the limits of [`Rate`], which no plan read from a
/// file has, is printed as a number without a unit.
fn rate_text(per_second: f64) -> String {
    match Rate::per_second(per_second) {
        Ok(rate) => page::text(rate),
        Err(_) => per_second.to_string(),
    }
}

impl LoadDraft {
    /// The load of a workload: its own keys, and the keys of `shared` that its own keys neither
    /// override nor exclude.
    pub(crate) fn or(&self, shared: &Self) -> Self {
        let own: Vec<&str> = self.given().into_iter().map(|(key, _)| key).collect();
        let mut load = self.clone();
        load.copy(shared, |key| {
            !own.contains(&key) && !relations::is_replaced::<Self>(&own, key)
        });
        load
    }
}
