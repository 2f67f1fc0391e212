//! `cargo xtask why`: set-ups with a known limit, and what the line `limit:` of a result says of each.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::busy::Busy;
use crate::{faq, kept, setup, shell};

/// Directory of the servers.
const SERVERS: &str = "examples/stress-faq";
/// Options of a run over a network path.
const FAR: [&str; 4] = [
    "--launch-url",
    "server=http://10.99.0.2:{port}/",
    "--ready",
    "server=port",
];
/// Options of every run.
const EACH: &str = "--duration 12s --rounds 12 --gap 50ms --warmup 500ms --quiet";
/// Share of the set-ups whose limit must be found, by the busy share of the machine, percent.
const GOALS: [(u32, f64); 3] = [(0, 28.0 / 30.0), (40, 24.0 / 30.0), (80, 18.0 / 30.0)];

/// A set-up with a known limit.
struct SetUp {
    what: &'static str,
    /// The command that starts the server.
    server: &'static str,
    /// Options of the run.
    options: &'static str,
    /// Options of `network_path.py`, for a server at 10.99.0.1 that is reached as 10.99.0.2; `None`
    /// for a path of the machine itself.
    path: Option<&'static str>,
    /// The right answers, as in `tenbin explain limit`.
    right: &'static [&'static str],
}

impl SetUp {
    /// Whether CPU is the limit: beside other programs, these are a right answer, too.
    fn needs_cpu(&self) -> bool {
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

static SET_UPS: &[SetUp] = &[
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

/// Runs the set-ups whose description has one of `words` (all without words), and prints a table of
/// what was found. If `busy` is given, other programs use that percentage of each core meanwhile.
///
/// # Errors
/// If a run fails, a wrong limit is called established, or fewer limits are found than the goal.
pub(crate) fn run(words: &[&str], busy: Option<&str>) -> Result<()> {
    let tenbin = faq::build()?;
    let busy = busy.map(Busy::start).transpose()?;
    let mut table = String::from("| set-up | limit | | |\n|---|---|---|---|\n");
    let (mut all, mut found, mut wrong) = (0, 0, Vec::new());
    let is_meant = |what: &str| words.is_empty() || words.iter().any(|word| what.contains(word));
    for set_up in SET_UPS.iter().filter(|it| is_meant(it.what)) {
        println!("==> {}", set_up.what);
        let limit = limit_of(&tenbin, set_up)?;
        let text = |key: &str| limit[key].as_str().unwrap_or("unknown").replace('|', "\\|");
        let (cause, certainty) = (text("cause"), text("certainty"));
        let is_right = set_up.right.contains(&cause.as_str())
            || (busy.is_some() && cause == "other_programs" && set_up.needs_cpu());
        all += 1;
        found += usize::from(is_right);
        if !is_right && certainty == "established" {
            wrong.push(set_up.what);
        }
        let mark = if is_right { "right" } else { "**wrong**" };
        println!("{cause}, {certainty} ({mark}): {}\n", text("evidence"));
        writeln!(
            table,
            "| {} | `{cause}`, {certainty} | {mark} | {} |",
            set_up.what,
            text("evidence")
        )?;
    }
    println!("{table}\n{found} of {all}");
    let percent = busy.as_ref().map_or(0, Busy::percent);
    if words.is_empty() {
        let beside = busy
            .as_ref()
            .map_or(String::new(), |busy| format!(", {}", busy.words()));
        let machine = crate::cost::machine()?;
        let rule = match busy {
            None => "",
            Some(_) => "; where CPU is the limit, so are the other programs that use it",
        };
        let page = format!(
            "# Limits\n\n`cargo xtask why`: set-ups with a known limit, and the limit that the result \
             names{beside}. {found} of {all} are right{rule}.\n\n{table}\n{machine}.\n"
        );
        let name = match percent {
            0 => "why".to_owned(),
            percent => format!("why-busy-{percent}"),
        };
        println!("kept in {}", kept::page(&name, &page)?.display());
    }
    if !wrong.is_empty() {
        bail!("a wrong limit is called established: {}", wrong.join(", "));
    }
    let goal = GOALS.iter().rev().find(|(from, _)| percent >= *from);
    let goal = goal.map_or(1.0, |(_, share)| *share);
    if words.is_empty() && (found as f64) < goal * f64::from(all) {
        bail!(
            "{found} of {all} limits were found, fewer than {:.0} %",
            goal * 100.0
        );
    }
    Ok(())
}

/// The limit in the result of a run.
fn limit_of(tenbin: &Path, set_up: &SetUp) -> Result<Value> {
    let servers = shell::workspace_root().join(SERVERS);
    let runs = shell::workspace_root().join("target/tmp/why");
    if runs.exists() {
        std::fs::remove_dir_all(&runs)?;
    }
    let upload = shell::workspace_root().join("target/tmp/why-upload");
    std::fs::create_dir_all(upload.parent().context("a directory")?)?;
    std::fs::write(&upload, [b'x'; 256 << 10])?;
    let options = set_up
        .options
        .replace("{upload}", &upload.to_string_lossy());
    let options = shlex::split(&options).context("a quote is open")?;
    let mut command = match set_up.path {
        None => Command::new(tenbin),
        Some(path) => {
            let mut command = Command::new("unshare");
            command.args(["--net", "python3", "network_path.py"]);
            command.args(path.split(' ')).arg(tenbin);
            command
        }
    };
    command
        .current_dir(&servers)
        .env("PATH", setup::path_with_servers()?)
        .args(["http", "--launch", &format!("server={}", set_up.server)])
        .args(options);
    if set_up.path.is_some() {
        command.args(FAR);
    }
    command.args(EACH.split(' ')).arg("--out").arg(&runs);
    let output = command
        .output()
        .with_context(|| format!("`{}` cannot be run", shell::show(&command)))?;
    // An INVALID run (exit code 6) also has a result.
    if !matches!(output.status.code(), Some(0 | 6)) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", set_up.what, said.trim());
    }
    let run = std::fs::read_dir(&runs)?
        .next()
        .with_context(|| format!("{}: no run was kept", set_up.what))??;
    let result = std::fs::read_to_string(run.path().join("result.json"))?;
    let result: Value = serde_json::from_str(&result)?;
    Ok(result["limits"][0].clone())
}
