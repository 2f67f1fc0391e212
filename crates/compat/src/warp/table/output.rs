//! What is shown and what is kept.

use super::{ALL, MEASURING, READING};
use crate::flag::{Flag, Kind};

const KEPT: &str = "the run directory holds result.json and a line for every second in \
                    intervals.jsonl";

const PROFILES: &str = "Tenbin writes no profile of itself; use perf record";

const SHOWN: &str = "always shown here";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(ALL, "quiet", Kind::Switch, "", "no progress").short("q"),
    Flag::new(ALL, "no-color", Kind::Switch, "", "no colours")
        .noted("this report has no colours at all"),
    Flag::new(ALL, "json", Kind::Switch, "", "print the result as JSON")
        .noted("Tenbin's own document, which docs/result.schema.json describes, not warp's"),
    Flag::new(ALL, "debug", Kind::Switch, "", "show every request")
        .refused("requests are not shown; result.json has the statuses and the words of errors"),
    Flag::new(
        ALL,
        "autocompletion",
        Kind::Switch,
        "",
        "install completions",
    )
    .refused("use tenbin completions"),
    Flag::new(MEASURING, "benchdata", Kind::Text, "", "name of the result").noted(
        "names the run; the result is a directory below runs/, which tenbin warp analyze reads too",
    ),
    Flag::new(READING, "benchdata", Kind::Text, "", "file to write")
        .refused("results are shown, and no file of warp's is written"),
    Flag::new(MEASURING, "full", Kind::Switch, "", "keep every request")
        .noted("percentiles are of all requests anyway, and no list of requests is kept"),
    Flag::new(MEASURING, "stdout", Kind::Switch, "", "print every request").refused(KEPT),
    Flag::new(
        MEASURING,
        "influxdb",
        Kind::Secret,
        "",
        "InfluxDB to send requests to",
    )
    .variable("WARP_INFLUXDB_CONNECT")
    .refused(KEPT),
    Flag::new(ALL, "serve", Kind::Text, "", "serve results over HTTP").refused(KEPT),
    Flag::new(ALL, "web", Kind::Switch, "", "show results in a browser").refused(KEPT),
    Flag::new(
        MEASURING,
        "serverprof",
        Kind::List,
        "",
        "profile a MinIO server",
    )
    .refused("Tenbin asks no server for profiles; use mc admin profile"),
    Flag::new(
        MEASURING,
        "analyze.dur",
        Kind::Time,
        "",
        "length of the segments",
    )
    .noted("segments are seconds"),
    Flag::new(
        READING,
        "analyze.dur",
        Kind::Time,
        "1s",
        "length of the segments, whole seconds",
    ),
    Flag::new(ALL, "analyze.out", Kind::Text, "", "file for the segments").refused(KEPT),
    Flag::new(
        ALL,
        "analyze.op",
        Kind::Text,
        "",
        "show only this operation",
    ),
    Flag::new(
        MEASURING,
        "analyze.host",
        Kind::Text,
        "",
        "show only this host",
    )
    .refused("every host is in result.json"),
    Flag::new(
        READING,
        "analyze.host",
        Kind::Text,
        "",
        "look only at this host",
    ),
    Flag::new(
        MEASURING,
        "analyze.skip",
        Kind::Time,
        "0s",
        "unmeasured head of the run",
    )
    .noted("sent before the measured time, not cut out of it"),
    Flag::new(
        READING,
        "analyze.skip",
        Kind::Time,
        "0s",
        "head that is left out",
    ),
    Flag::new(
        READING,
        "analyze.limit",
        Kind::Whole,
        "0",
        "look at so many requests; 0 for all",
    ),
    Flag::new(
        READING,
        "analyze.offset",
        Kind::Whole,
        "0",
        "leave out so many requests first",
    ),
    Flag::new(ALL, "analyze.v", Kind::Switch, "", "show more").noted(SHOWN),
    Flag::new(ALL, "analyze.errors", Kind::Switch, "", "show errors").noted(SHOWN),
    Flag::new(
        ALL,
        "analyze.hostdetails",
        Kind::Switch,
        "",
        "show each host",
    )
    .noted("result.json has every host"),
    Flag::new(ALL, "requests", Kind::Switch, "", "show times of requests").noted(SHOWN),
    Flag::new(
        MEASURING,
        "pprofdir",
        Kind::Text,
        "pprof",
        "directory for profiles",
    )
    .refused(PROFILES),
    Flag::new(MEASURING, "cpu", Kind::Switch, "", "profile the processor").refused(PROFILES),
    Flag::new(MEASURING, "mem", Kind::Switch, "", "profile memory").refused(PROFILES),
    Flag::new(MEASURING, "block", Kind::Switch, "", "profile blocking").refused(PROFILES),
    Flag::new(MEASURING, "mutex", Kind::Switch, "", "profile locks").refused(PROFILES),
    Flag::new(MEASURING, "threads", Kind::Switch, "", "profile threads").refused(PROFILES),
    Flag::new(MEASURING, "trace", Kind::Switch, "", "trace the program").refused(PROFILES),
];
