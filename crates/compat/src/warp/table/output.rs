//! Flags for output and stored results.

use super::{ALL, MEASURING, READING};
use crate::flag::{Flag, Kind};

const KEPT: &str = "the run directory has result.json and one line per second in \
intervals.jsonl";

const FULL: &str = "every measured request is logged in NAME.csv.zst, at most 10,000,000; NAME is \
that of --benchdata, otherwise warp-COMMAND, whose file the next run replaces";

const LOGGED: &str = "requests are not shown or sent elsewhere; --full logs each of them, with its \
times and its error, in NAME.csv.zst";

const IN_BROWSER: &str = "use tenbin ui, which shows the runs in a browser";

const PROFILES: &str = "Tenbin writes no profiles of itself; use perf record";

const OF_ALL: &str = "the figures of a run are over all its requests; leave it out";

const SHOWN: &str = "always shown here";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(ALL, "quiet", Kind::Switch, "", "no progress").short("q"),
    Flag::new(ALL, "no-color", Kind::Switch, "", "no colours").noted("this report has no colours"),
    Flag::new(ALL, "json", Kind::Switch, "", "print the result as JSON")
        .noted("prints Tenbin's result document, see docs/result.schema.json, not warp's format"),
    Flag::new(MEASURING, "debug", Kind::Switch, "", "show every request").refused(LOGGED),
    Flag::new(READING, "debug", Kind::Switch, "", "show every request")
        .refused("this command sends no requests; leave it out"),
    Flag::new(
        &["run"],
        "debug",
        Kind::Switch,
        "",
        "show the flags in the file",
    )
    .refused("put tenbin plan in front of the command line to see what would run"),
    Flag::new(
        &["run"],
        "var",
        Kind::List,
        "",
        "NAME=VALUE that replaces {{.NAME}} in the file",
    ),
    Flag::new(
        ALL,
        "autocompletion",
        Kind::Switch,
        "",
        "install completions",
    )
    .refused("use tenbin completions"),
    Flag::new(MEASURING, "benchdata", Kind::Text, "", "name of the result").noted(
        "names the run; the result is a directory below runs/, which tenbin warp analyze can read",
    ),
    Flag::new(READING, "benchdata", Kind::Text, "", "file to write")
        .refused("results are shown, and no file in warp's format is written"),
    Flag::new(MEASURING, "full", Kind::Switch, "", "log every request").noted(FULL),
    Flag::new(READING, "full", Kind::Switch, "", "keep every request")
        .noted("percentiles are over all requests in the file"),
    Flag::new(MEASURING, "stdout", Kind::Switch, "", "print every request").refused(LOGGED),
    Flag::new(
        MEASURING,
        "influxdb",
        Kind::Secret,
        "",
        "InfluxDB to send requests to",
    )
    .variable("WARP_INFLUXDB_CONNECT")
    .refused(LOGGED),
    Flag::new(ALL, "serve", Kind::Text, "", "serve results over HTTP").refused(IN_BROWSER),
    Flag::new(ALL, "web", Kind::Switch, "", "show results in a browser").refused(IN_BROWSER),
    Flag::new(
        MEASURING,
        "serverprof",
        Kind::List,
        "",
        "profile a MinIO server",
    )
    .refused("Tenbin does not profile servers; use mc admin profile"),
    Flag::new(
        MEASURING,
        "analyze.dur",
        Kind::Time,
        "",
        "length of segments",
    )
    .noted("segments are one second long"),
    Flag::new(
        READING,
        "analyze.dur",
        Kind::Time,
        "1s",
        "length of segments, whole seconds",
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
        "read only requests to this host",
    ),
    Flag::new(
        MEASURING,
        "analyze.skip",
        Kind::Time,
        "0s",
        "unmeasured time at the start of the run",
    )
    .noted("a warm-up before the measured time instead of a part of it"),
    Flag::new(
        READING,
        "analyze.skip",
        Kind::Time,
        "0s",
        "time at the start that is left out",
    ),
    Flag::new(
        MEASURING,
        "analyze.limit",
        Kind::Whole,
        "0",
        "most requests to read",
    )
    .refused(OF_ALL),
    Flag::new(
        MEASURING,
        "analyze.offset",
        Kind::Whole,
        "0",
        "number of first requests to leave out",
    )
    .refused(OF_ALL),
    Flag::new(
        READING,
        "analyze.limit",
        Kind::Whole,
        "0",
        "most requests to read; 0 for all",
    ),
    Flag::new(
        READING,
        "analyze.offset",
        Kind::Whole,
        "0",
        "number of first requests to leave out",
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
