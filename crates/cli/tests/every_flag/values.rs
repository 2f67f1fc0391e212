//! Values that differ from the defaults, for flags whose type does not tell one.

/// A value for a flag, and the options without which the flag has no meaning.
pub(crate) struct Row {
    /// The flag, with dashes.
    pub(crate) flag: &'static str,
    /// First words of the commands that the row is for; empty for all commands.
    pub(crate) of: &'static str,
    /// The value, in quotes as in a shell; empty for a flag without a value. `{name}` is replaced
    /// with the name of the target.
    pub(crate) value: &'static str,
    /// Other options that the flag needs.
    pub(crate) with: &'static str,
    /// Whether the target has to speak TLS.
    pub(crate) tls: bool,
}

const fn row(flag: &'static str, value: &'static str) -> Row {
    with(flag, value, "")
}

const fn with(flag: &'static str, value: &'static str, with: &'static str) -> Row {
    Row {
        flag,
        of: "",
        value,
        with,
        tls: false,
    }
}

const fn tls(flag: &'static str, value: &'static str) -> Row {
    Row {
        tls: true,
        ..row(flag, value)
    }
}

impl Row {
    const fn of(self, of: &'static str) -> Self {
        Self { of, ..self }
    }
}

const SECOND: &str = "--target second=http://127.0.0.1:8082/";
const FILE: &str = "--patterns some.paths";
const STS: &str = "--sts-endpoint http://127.0.0.1:8083/";
const ROLE: &str = "--assume-role arn:aws:iam::1:role/bench";
const PAGE: &str = "--observe prometheus:http://127.0.0.1:9256/";
const TLS_PAGE: &str = "--observe prometheus:https://127.0.0.1:9256/";

/// Every value that does not follow from the type of its flag. Of several rows for a flag, each is
/// tried.
pub(crate) const VALUES: &[Row] = &[
    // Targets.
    row("--target", "second=http://127.0.0.1:8082/"),
    row("--launch", "'second=server --port {port}'"),
    row("--builtin", "second=http").of("http"),
    row("--builtin", "second=http").of("search ramp"),
    row("--builtin", "second=s3-durable").of("s3"),
    row("--builtin", "second=blob").of("blob"),
    row("--launch-url", "{name}=http://127.0.0.1:{port}/below").of("http"),
    row("--launch-url", "{name}=http://127.0.0.1:{port}/below").of("search ramp"),
    row("--launch-url", "{name}=http://localhost:{port}/"),
    row("--launch-env", "{name}=KEY=value"),
    row("--launch-dir", "{name}=elsewhere"),
    row("--ready", "{name}=log:listening"),
    row("--ready-within", "{name}=7s"),
    row("--stop-within", "{name}=7s"),
    row("--on-outage", "stop"),
    with("--dead-hosts", "refuse", "--host http://127.0.0.1:8082/"),
    row("--sustain", "7s"),
    row("--soak", "7s"),
    row("--server-version", "9.9"),
    row("--host", "http://localhost:8081/"),
    row("--unix-socket", "/run/server.socket"),
    row("--resolve", "localhost:8080:127.0.0.1"),
    row("--source", "127.0.0.2"),
    tls("--cacert", "ca.pem"),
    tls("--cert", "client.pem"),
    Row {
        with: "--cert client.pem",
        ..tls("--key", "key.pem")
    },
    tls("--insecure", ""),
    tls("--server-name", "other.example"),
    tls("--tls-resume", ""),
    tls("--tls-version", "1.2"),
    row("--observe", "port"),
    row("--observe", "name:server"),
    row("--observe", "name:server,dir:/srv/a"),
    with("--observe-group", "server", PAGE),
    with("--observe-token-file", "token", PAGE),
    with("--observe-token-env", "TENBIN_PAGE", PAGE),
    with("--observe-cacert", "ca.pem", TLS_PAGE),
    with("--observe-insecure", "", TLS_PAGE),
    row("--access-key", "another"),
    row("--secret-key", "another"),
    row("--secret-key-file", "another"),
    row("--session-token", "another"),
    row("--session-token-file", "another"),
    row("--web-identity-token", "another"),
    row("--web-identity-token-file", "another"),
    row("--assume-role", "arn:aws:iam::1:role/bench"),
    with("--role-session-name", "another", STS),
    with("--external-id", "another", ROLE),
    with("--role-duration", "20m", STS),
    row("--sts-endpoint", "http://127.0.0.1:8083/"),
    row("--express-session", ""),
    row("--region", "eu-1"),
    // The experiment.
    row("--name", "another"),
    row("--note", "another"),
    with("--baseline", "second", SECOND),
    with("--anchor", "second", SECOND),
    row("--margin", "7%"),
    row("--start-noise", "7%"),
    row("--decide", "p90"),
    row("--expect", "'p99<20ms'"),
    row("--expect", "204").of("http"),
    row("--fail-if", "'p99>20ms'"),
    with(
        "--compare-workloads", "http-GET-c1,http-GET-c8", "--connections 1,8",
    ),
    row("--duration", "100s"),
    row("--until", "3%"),
    with("--max-rounds", "90", "--until 3%"),
    row("--slice", "2300ms"),
    row("--relaunch", "=never"),
    row("--before", "runs/earlier"),
    with("--changed", "put", "--before runs/earlier"),
    // The load.
    row("--connections", "7"),
    row("--ramp", "1,2,4"),
    row("--slo", "'p99<10ms'"),
    row("--rate", "70/s"),
    with("--rate-to", "90/s", "--rate 70/s"),
    row("--step", "'70/s for 1s'"),
    row("--trace", "some.trace"),
    with("--trace-speed", "2", "--trace some.trace"),
    with("--arrivals", "poisson", "--rate 70/s"),
    row("--think", "70ms"),
    row("--clients", "2,4,8"),
    with("--start-n-clients", "2", "--end-n-clients 9"),
    row("--end-n-clients", "9"),
    with("--step", "3", "--end-n-clients 9").of("search ramp"),
    row("--wait", "70ms"),
    row("--timeout", "7s"),
    // HTTP requests.
    row("--method", "OPTIONS"),
    row("--path", "/another"),
    row("--header", "'X-Another: 1'"),
    row("--body", "text"),
    row("--body-file", "some.file"),
    row("--may-differ", "size"),
    row("--check", "'length>=1'"),
    row("--patterns", "some.paths"),
    with("--patterns-format", "text", FILE),
    with("--order", "shuffled", FILE),
    with("--slowest", "7", FILE),
    with("--hits", "groonga", FILE),
    with("--cache-hit", "50%", "--patterns some.paths --cache-size 1"),
    with("--cache-size", "7", FILE),
    with("--cache-counters", "groonga", FILE),
    // Objects and blobs.
    row("--operations", "get:40,put:60"),
    with("--rewrite", "", "--operations get:50,put:50"),
    row("--size", "3KiB"),
    row("--bucket", "another"),
    row("--prefix", "another"),
    row("--prefixes", "4/4"),
    row("--choose", "sequential"),
    with("--checksum", "sha256", ""),
    with("--payload", "unsigned", ""),
    row("--storage-class", "REDUCED"),
    row("--content-type", "text/plain"),
    row("--metadata", "'name: value'"),
    row("--tag", "name=value"),
    row("--range", "0-99"),
    row("--delimiter", "/"),
    Row {
        tls: true,
        ..row("--encryption", "sse-c")
    },
    row("--encryption", "sse-s3"),
    with("--list", "versions", "--versions 2"),
    row("--phases", "pg"),
    row("--locations", "places"),
    row("--hashes", "md5"),
    with("--gone-within", "7s", "--until-gone"),
    with("--poll-interval", "70ms", "--until-gone"),
    with("--poll-connections", "7", "--until-gone"),
    // Output.
    row("--live", "=9000"),
    row("--prometheus", "9464"),
    row("--ops-log", "ops.csv.zst"),
    row("--otlp", "http://127.0.0.1:4318/v1/metrics"),
    row("--export", "csv"),
    row("--out", "elsewhere"),
    row("--output-path", "some.csv"),
    row("--agents", "3 --nats nats://127.0.0.1:4222"),
    row("--nats", "nats://127.0.0.1:4333 --agents 2"),
    with(
        "--creds",
        "some.creds",
        "--agents 2 --nats nats://127.0.0.1:4222",
    ),
    with(
        "--on-agent-loss",
        "stop",
        "--agents 2 --nats nats://127.0.0.1:4222",
    ),
    with(
        "--agent-wait",
        "7s",
        "--agents 2 --nats nats://127.0.0.1:4222",
    ),
];

/// Flags that change nothing in a plan, with the reason. They change the options of the command's
/// output, which the test compares too.
pub(crate) const OUTSIDE: &[(&str, &str)] = &[
    ("--out", "where the run directory is created"),
    ("--quiet", "what is printed during the run"),
    ("--verbose", "how much of the result is printed"),
    ("--json", "the format of the printed result"),
    ("--strict", "the exit code"),
    (
        "--before",
        "the earlier run of the comparison that is printed",
    ),
    (
        "--changed",
        "the workloads of the comparison that is printed",
    ),
    ("--output-path", "a further file with the result"),
];

/// Flags that accept the word `banana`, with the reason.
pub(crate) const FREE: &[(&str, &str)] = &[
    ("--name", "any name"),
    ("--note", "any text"),
    ("--server-version", "any text, for the report"),
    ("--server-name", "any host name"),
    ("--cacert", "a file, read when the run starts"),
    ("--cert", "a file, read when the run starts"),
    ("--key", "a file, read when the run starts"),
    ("--observe-cacert", "a file, read when the run starts"),
    ("--unix-socket", "a path"),
    ("--access-key", "any text"),
    ("--secret-key", "any text"),
    ("--secret-key-file", "a file"),
    ("--session-token", "any text"),
    ("--session-token-file", "a file"),
    (
        "--assume-role",
        "any role: servers other than Amazon's ignore it",
    ),
    ("--role-session-name", "any name"),
    ("--external-id", "any text"),
    ("--web-identity-token", "any text"),
    ("--web-identity-token-file", "a file"),
    ("--region", "any text"),
    ("--observe-group", "any text"),
    ("--observe-token-file", "a file"),
    ("--method", "any method: RFC 9110 allows further methods"),
    ("--body", "any text"),
    ("--body-file", "a file"),
    ("--patterns", "a file"),
    ("--trace", "a file"),
    ("--creds", "a file"),
    ("--bucket", "any name of a bucket"),
    ("--prefix", "any text"),
    ("--storage-class", "any text"),
    ("--delimiter", "any text"),
    ("--locations", "a directory"),
    ("--out", "a directory"),
    ("--output-path", "a file"),
    ("--before", "a run, read when the command starts"),
    (
        "--changed",
        "a workload of the earlier run, which is read when the command starts",
    ),
];
