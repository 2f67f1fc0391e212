//! Servers whose limit is known.

/// A set-up with a known limit.
pub(super) struct SetUp {
    pub(super) what: &'static str,
    /// The command that starts the server.
    pub(super) server: &'static str,
    /// Options of the run.
    pub(super) options: &'static str,
    /// Options of `network_path.py`, for a server at 10.99.0.1 that is reached as 10.99.0.2; `None`
    /// for a path of the machine itself.
    pub(super) path: Option<&'static str>,
    /// The right answers, as in `tenbin explain limit`.
    pub(super) right: &'static [&'static str],
}

impl SetUp {
    /// Whether CPU is the limit: beside other programs, these are a right answer, too.
    pub(super) fn needs_cpu(&self) -> bool {
        let cpu = ["one_core", "target_cpu", "backend"];
        self.right.iter().any(|cause| cpu.contains(cause))
    }
}

macro_rules! python {
    ($options:literal) => {
        concat!("python3 server.py --port {port} ", $options)
    };
}

macro_rules! nginx {
    ($lines:literal) => {
        concat!("sh nginx.sh {data} {port} ", $lines)
    };
}

macro_rules! far {
    ($server:expr) => {
        concat!("env ADDRESS=10.99.0.1 ", $server)
    };
}

const fn local(
    what: &'static str,
    server: &'static str,
    options: &'static str,
    right: &'static [&'static str],
) -> SetUp {
    SetUp {
        what,
        server,
        options,
        path: None,
        right,
    }
}

/// A set-up with a server at the other end of a network path.
const fn far(
    what: &'static str,
    server: &'static str,
    options: &'static str,
    path: &'static str,
    right: &'static [&'static str],
) -> SetUp {
    SetUp {
        path: Some(path),
        ..local(what, server, options, right)
    }
}

/// Every set-up, in the order of the table.
pub(super) static SET_UPS: &[SetUp] = &[
    local(
        "one worker of 10 ms",
        python!("--workers 1 --work sleep:10ms"),
        "-c 16",
        &["workers"],
    ),
    local(
        "one worker of 10 ms, one connection",
        python!("--workers 1 --work sleep:10ms"),
        "-c 1",
        &["workers"],
    ),
    local(
        "four workers of 10 ms",
        python!("--workers 4 --work sleep:10ms"),
        "-c 16",
        &["workers"],
    ),
    local(
        "sixteen workers of 10 ms",
        python!("--workers 16 --work sleep:10ms"),
        "-c 64",
        &["workers"],
    ),
    local(
        "sixteen workers of 10 ms, four connections",
        python!("--workers 16 --work sleep:10ms"),
        "-c 4",
        &["connections"],
    ),
    local(
        "nginx, one connection",
        nginx!("''"),
        "-c 1",
        &["connections"],
    ),
    local(
        "one process that computes 3 ms",
        python!("--workers 1 --work cpu:3ms"),
        "-c 16",
        &["one_core"],
    ),
    local(
        "as many processes as cores that compute 3 ms",
        python!("--workers 2 --work cpu:3ms"),
        "-c 16",
        &["target_cpu"],
    ),
    local(
        // On two cores the load generator may reach its limit first.
        "nginx with one worker, 64 connections",
        nginx!("''"),
        "-c 64",
        &["one_core", "target_cpu", "load_generator"],
    ),
    local(
        "nginx with one worker that logs every request for a file",
        nginx!("'' 'access_log access.log;' 'location / { root .; }'"),
        "-c 64 --path /nginx.conf",
        &["one_core", "target_cpu"],
    ),
    local(
        "a server that closes every connection",
        nginx!("'keepalive_timeout 0;'"),
        "-c 16",
        &["connection_setup"],
    ),
    local(
        "a client that closes every connection",
        nginx!("''"),
        "-c 16 --no-keep-alive",
        &["connection_setup"],
    ),
    local(
        "TLS with a handshake for every request",
        "sh tls.sh {data} {port}",
        "-c 16 --no-keep-alive --insecure --launch-url server=https://127.0.0.1:{port}/",
        &["connection_setup"],
    ),
    far(
        "a round trip of 1 ms",
        far!(nginx!("''")),
        "-c 8",
        "--delay 0.5ms",
        &["network_latency"],
    ),
    far(
        "a round trip of 20 ms",
        far!(nginx!("''")),
        "-c 8",
        "--delay 10ms",
        &["network_latency"],
    ),
    far(
        "a round trip of 100 ms",
        far!(nginx!("''")),
        "-c 8",
        "--delay 50ms",
        &["network_latency"],
    ),
    far(
        "10 Mbit/s, responses of 64 KiB",
        far!(python!("--workers 16 --work body:65536")),
        "-c 4",
        "--rate 10mbit",
        &["bandwidth"],
    ),
    far(
        "50 Mbit/s, responses of 256 KiB",
        far!(python!("--workers 16 --work body:262144")),
        "-c 4",
        "--rate 50mbit",
        &["bandwidth"],
    ),
    far(
        "20 Mbit/s, uploads of 256 KiB",
        far!(python!("--workers 16")),
        "-c 4 -X POST --body-file {upload}",
        "--rate 20mbit",
        &["bandwidth"],
    ),
    far(
        "a round trip of 4 ms and 1 % lost packets",
        far!(python!("--workers 32 --work body:65536")),
        "-c 8",
        "--delay 2ms --loss 1%",
        &["packet_loss"],
    ),
    local(
        "nginx with a limit of 200 requests a second",
        // A file, because `return` comes before limits.
        nginx!(
            "'limit_req zone=z burst=1 nodelay; limit_req_status 429;' \
             'access_log off; limit_req_zone $server_port zone=z:1m rate=200r/s;' \
             'location / { root .; }'"
        ),
        "-c 8 --path /nginx.conf",
        &["rate_limiter"],
    ),
    local(
        "nginx in front of one process that answers hello",
        "sh proxy.sh {data} {port} 'access_log off;' 'keepalive 32;'",
        "-c 16",
        &["one_core", "backend", "target_cpu"],
    ),
    local(
        "a lock that four workers hold for 5 ms",
        python!("--workers 4 --work lock:5ms"),
        "-c 16",
        &["workers"],
    ),
    local(
        "a lock that four workers hold while they compute 1 ms",
        python!("--workers 4 --work spinlock:1ms"),
        "-c 16",
        &["one_core"],
    ),
    local(
        "nginx that delays what is beyond 200 requests a second",
        nginx!(
            "'limit_req zone=z burst=1000;' \
             'access_log off; limit_req_zone $server_port zone=z:1m rate=200r/s;' \
             'location / { root .; }'"
        ),
        "-c 8 --path /nginx.conf",
        &["workers"],
    ),
    local(
        "sixteen workers that share a pool of five connections of 10 ms",
        python!("--workers 16 --work pool:5:10ms"),
        "-c 32",
        &["workers"],
    ),
    local(
        "nginx in front of five workers of 10 ms",
        "sh proxy.sh {data} {port} 'access_log off;' 'keepalive 32;' 5 sleep:10ms",
        "-c 32",
        &["workers"],
    ),
    local(
        "nginx in front of one process that computes 3 ms",
        "sh proxy.sh {data} {port} 'access_log off;' 'keepalive 32;' 1 cpu:3ms",
        "-c 16",
        &["one_core", "backend"],
    ),
    local(
        "nginx that opens a connection to its backend for every request",
        "sh proxy.sh {data} {port} 'access_log off;' ''",
        "-c 16",
        &["one_core", "backend", "target_cpu", "connection_setup"],
    ),
    local(
        "four workers that write 4 KiB to a disk of 100 writes a second",
        "sh disk.sh {data} 100 python3 server.py --port {port} --workers 4 --work write:4096",
        "-c 8",
        &["storage"],
    ),
    local(
        "one worker that reads from SQLite",
        python!("--workers 1 --work sql"),
        "-c 16",
        &["one_core"],
    ),
    local(
        "nginx that compresses at level 9",
        "sh gzip.sh {data} {port}",
        "-c 16 --path /numbers.txt --header 'Accept-Encoding: gzip'",
        &["one_core"],
    ),
    local(
        "TLS with RSA keys of 4096 bits and a handshake for every request",
        "sh tls.sh {data} {port} rsa:4096",
        "-c 16 --no-keep-alive --insecure --launch-url server=https://127.0.0.1:{port}/",
        &["connection_setup", "one_core"],
    ),
    local(
        "a server that speaks HTTP/1.0",
        "python3 -m http.server --protocol HTTP/1.0 --bind 127.0.0.1 {port}",
        "-c 8",
        &["connection_setup", "one_core"],
    ),
    local(
        "HTTP/2 with two streams on a connection",
        "sh http2.sh {data} {port}",
        "-c 2 --depth 16 --http 2",
        &["stream_limit"],
    ),
    local(
        "one process that may use a fifth of a core",
        "sh quota.sh 20 python3 server.py --port {port} --workers 1 --work cpu:2ms",
        "-c 8",
        &["cpu_quota", "few_cores"],
    ),
    local(
        "nginx with a limit of 200 requests a second that answers 503",
        nginx!(
            "'limit_req zone=z burst=1 nodelay; limit_req_status 503;' \
             'access_log off; limit_req_zone $server_port zone=z:1m rate=200r/s;' \
             'location / { root .; }'"
        ),
        "-c 8 --path /nginx.conf",
        &["rate_limiter"],
    ),
    local(
        "100 requests a second",
        python!("--workers 4 --work sleep:10ms"),
        "-c 16 --rate 100/s",
        &["offered_rate"],
    ),
];
