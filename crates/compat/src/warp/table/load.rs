//! How much, how long, and from where.

use super::MEASURING;
use crate::flag::{Flag, Kind};

const AUTOTERM: &str = "seconds that look alike say nothing of those to come, and a run that ends \
                        when it looks good looks too good; give the time with --duration";

const ONE_MACHINE: &str =
    "Tenbin generates its load in this process; start it on each machine by itself";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        MEASURING,
        "concurrent",
        Kind::Whole,
        "20",
        "connections, each with one request out",
    ),
    Flag::new(MEASURING, "duration", Kind::Time, "5m", "measured time"),
    Flag::new(
        MEASURING,
        "rps-limit",
        Kind::Decimal,
        "0",
        "requests a second; 0 for as many as answers allow",
    )
    .noted(
        "requests are sent at this rate whatever the answers do, and timed from when they \
         were due; warp waits for a free connection first and leaves that out of its times",
    ),
    Flag::new(
        MEASURING,
        "bucket",
        Kind::Text,
        "warp-benchmark-bucket",
        "bucket; made if it is missing, and what Tenbin did not make in it stays",
    ),
    Flag::new(
        MEASURING,
        "prefix",
        Kind::Text,
        "",
        "what the names of objects begin with",
    ),
    Flag::new(
        MEASURING,
        "noprefix",
        Kind::Switch,
        "",
        "no prefix for each connection",
    )
    .noted(
        "there is one prefix for the run, which marks what is to be deleted after it, \
         and none for each connection",
    ),
    Flag::new(
        MEASURING,
        "noclear",
        Kind::Switch,
        "",
        "do not empty the bucket",
    )
    .noted("always so here: only what Tenbin made is deleted"),
    Flag::new(
        MEASURING,
        "keep-data",
        Kind::Switch,
        "",
        "leave the objects when the run is over",
    ),
    Flag::new(MEASURING, "stress", Kind::Switch, "", "keep no result")
        .noted("the result is kept all the same; memory does not grow with the run"),
    Flag::new(
        MEASURING,
        "autoterm",
        Kind::Switch,
        "",
        "end when the throughput looks stable",
    )
    .refused(AUTOTERM),
    Flag::new(
        MEASURING,
        "autoterm.dur",
        Kind::Time,
        "15s",
        "how long it must look stable",
    )
    .refused(AUTOTERM),
    Flag::new(
        MEASURING,
        "autoterm.pct",
        Kind::Decimal,
        "7.5",
        "what looks stable, per cent",
    )
    .refused(AUTOTERM),
    Flag::new(
        MEASURING,
        "syncstart",
        Kind::Text,
        "",
        "time of day to start at",
    )
    .refused("Tenbin starts at once; start it at that time, for example with at(1)"),
    Flag::new(
        MEASURING,
        "warp-client",
        Kind::Text,
        "",
        "machines that send the load",
    )
    .refused(ONE_MACHINE),
    Flag::new(
        MEASURING,
        "warp-client-server",
        Kind::Text,
        "",
        "address to wait for clients on",
    )
    .refused(ONE_MACHINE),
];
