//! Flags for the load, its duration, and load generator machines.

use super::MEASURING;
use crate::flag::{Flag, Kind};

const AUTOTERM: &str = "stable seconds say nothing about later ones, and a run that ends \
when it looks stable is biased; set the time with --duration";

/// What measures from several machines.
pub(in crate::warp) const AGENTS: &str = "Tenbin's load machines meet at a NATS server; run `tenbin hub` here, `tenbin agent --nats URL \
     --creds agent.creds --allow NETWORK` on each load machine, then `tenbin warp COMMAND --agents N \
     --nats URL --creds tenbin-hub/coordinator.creds`";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        MEASURING,
        "concurrent",
        Kind::Whole,
        "20",
        "connections, each with one request in flight",
    ),
    Flag::new(MEASURING, "duration", Kind::Time, "5m", "measured duration"),
    Flag::new(
        MEASURING,
        "rps-limit",
        Kind::Decimal,
        "0",
        "requests per second; 0 for no limit",
    )
    .noted(
        "requests are sent at this rate independently of responses, and timed from when they \
        were due; warp first waits for a free connection and does not include that in its times",
    ),
    Flag::new(
        MEASURING,
        "bucket",
        Kind::Text,
        "warp-benchmark-bucket",
        "bucket; created if missing; only objects that Tenbin created are deleted",
    ),
    Flag::new(
        MEASURING,
        "prefix",
        Kind::Text,
        "",
        "prefix of object names",
    ),
    Flag::new(
        MEASURING,
        "noprefix",
        Kind::Switch,
        "",
        "no separate prefix per connection",
    )
    .noted(
        "there is one prefix for the run, which marks what is deleted after it, \
        and none per connection",
    ),
    Flag::new(
        MEASURING,
        "noclear",
        Kind::Switch,
        "",
        "do not empty the bucket",
    )
    .noted("always so here: only what Tenbin created is deleted"),
    Flag::new(
        MEASURING,
        "keep-data",
        Kind::Switch,
        "",
        "keep the objects after the run",
    ),
    Flag::new(MEASURING, "stress", Kind::Switch, "", "keep no result")
        .noted("the result is always kept; memory does not grow with the run"),
    Flag::new(
        MEASURING,
        "autoterm",
        Kind::Switch,
        "",
        "end when the throughput is stable",
    )
    .refused(AUTOTERM),
    Flag::new(
        MEASURING,
        "autoterm.dur",
        Kind::Time,
        "15s",
        "duration of stable throughput",
    )
    .refused(AUTOTERM),
    Flag::new(
        MEASURING,
        "autoterm.pct",
        Kind::Decimal,
        "7.5",
        "limit for stable throughput, per cent",
    )
    .refused(AUTOTERM),
    Flag::new(MEASURING, "syncstart", Kind::Text, "", "start time")
        .refused("Tenbin starts immediately; start it at that time, for example with at(1)"),
    Flag::new(
        MEASURING,
        "warp-client",
        Kind::Text,
        "",
        "machines that send the load",
    )
    .refused(AGENTS),
    Flag::new(
        MEASURING,
        "warp-client-server",
        Kind::Text,
        "",
        "address to wait for clients on",
    )
    .refused(AGENTS),
];
