//! The command line of ab (ApacheBench).

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tenbin_plan::sentence;

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::{Mistakes, at_least_one};
use crate::parse::{Given, Style, Table, World};
use crate::web::{Scheme, WebJob, servers, take_connection};

const TOOL: &[&str] = &["ab"];

const NO_TABLE: &str =
    "HTML tables are not written; the run directory has SUMMARY.md and result.json";
const NO_PROXY: &str = "HTTP proxies are not supported: the proxy would be measured";

/// Every flag of ab.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(TOOL, "n", Kind::Whole, "1", "requests"),
    Flag::new(TOOL, "c", Kind::Whole, "1", "connections"),
    Flag::new(TOOL, "t", Kind::Whole, "", "maximum duration, seconds")
        .noted("there is no limit of 50,000 requests"),
    Flag::new(TOOL, "s", Kind::Whole, "30", "response timeout, seconds"),
    Flag::new(TOOL, "b", Kind::Text, "", "socket buffers")
        .refused("socket buffers are sized by the operating system"),
    Flag::new(TOOL, "B", Kind::Text, "", "local address of connections"),
    Flag::new(TOOL, "p", Kind::Text, "", "file to send with POST"),
    Flag::new(TOOL, "u", Kind::Text, "", "file to send with PUT"),
    Flag::new(TOOL, "T", Kind::Text, "", "Content-Type of the file"),
    Flag::new(TOOL, "v", Kind::Whole, "1", "verbosity")
        .noted("the run directory has every second, and the servers' error messages"),
    Flag::new(TOOL, "w", Kind::Switch, "", "HTML tables").refused(NO_TABLE),
    Flag::new(TOOL, "i", Kind::Switch, "", "send HEAD"),
    Flag::new(TOOL, "x", Kind::Text, "", "attributes of an HTML table").refused(NO_TABLE),
    Flag::new(TOOL, "y", Kind::Text, "", "attributes of HTML rows").refused(NO_TABLE),
    Flag::new(TOOL, "z", Kind::Text, "", "attributes of HTML cells").refused(NO_TABLE),
    Flag::new(
        TOOL,
        "C",
        Kind::List,
        "",
        "cookie, as name=value, repeatable",
    ),
    Flag::new(TOOL, "H", Kind::List, "", "header line, repeatable"),
    Flag::new(
        TOOL,
        "A",
        Kind::Secret,
        "",
        "user:password, sent with every request",
    ),
    Flag::new(TOOL, "P", Kind::Secret, "", "user:password for a proxy").refused(NO_PROXY),
    Flag::new(TOOL, "X", Kind::Text, "", "proxy").refused(NO_PROXY),
    Flag::new(TOOL, "V", Kind::Switch, "", "print the version"),
    Flag::new(TOOL, "k", Kind::Switch, "", "keep connections alive"),
    Flag::new(
        TOOL,
        "d",
        Kind::Switch,
        "",
        "leave out the table of percentages",
    ),
    Flag::new(
        TOOL,
        "S",
        Kind::Switch,
        "",
        "leave out median and deviation",
    )
    .noted("they are always printed"),
    Flag::new(TOOL, "q", Kind::Switch, "", "show no progress"),
    Flag::new(
        TOOL,
        "l",
        Kind::Switch,
        "",
        "accept responses of varying length",
    )
    .noted("length alone never makes a response a failure here; differing lengths are a finding"),
    Flag::new(
        TOOL,
        "g",
        Kind::Text,
        "",
        "file with the total time of each request, for gnuplot",
    )
    .noted("the other columns are NaN: times are recorded as histograms"),
    Flag::new(
        TOOL,
        "e",
        Kind::Text,
        "",
        "file for the percentages, as CSV",
    ),
    Flag::new(TOOL, "r", Kind::Switch, "", "continue after socket errors")
        .noted("they are counted as failures, and the run always continues"),
    Flag::new(TOOL, "m", Kind::Text, "", "request method"),
    Flag::new(
        TOOL,
        "I",
        Kind::Switch,
        "",
        "leave the server's name out of the TLS handshake",
    )
    .refused("the name is always sent; in a plan, tls.server_name sends another name"),
    Flag::new(TOOL, "Z", Kind::Text, "", "TLS ciphers")
        .refused("the TLS library selects the ciphers; in a plan, tls.version selects a version"),
    Flag::new(TOOL, "f", Kind::Choice(&["", "all"]), "", "TLS version")
        .noted("TLS 1.2 and 1.3 are offered; in a plan, tls.version selects one"),
    Flag::new(
        TOOL,
        "E",
        Kind::Text,
        "",
        "file with a client certificate and its key",
    ),
    Flag::new(
        TOOL,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate, as ab always does; added by Tenbin",
    ),
]];

const TABLE: Table = Table {
    style: Style::Getopt,
    tool: "ab",
    command: "ab",
    flags: FLAGS,
};

/// A parsed command line of ab.
pub type Parsed = crate::Parsed<AbJob>;

/// A measurement requested by an ab command line.
#[derive(Debug, Clone, PartialEq)]
pub struct AbJob {
    /// Settings that ab shares with other HTTP benchmarks.
    pub web: WebJob,
    /// Whether progress is hidden.
    pub quiet: bool,
    /// Whether the table of latency percentiles is printed.
    pub percentages: bool,
    /// CSV file for the latency percentiles.
    pub csv: Option<String>,
    /// Tab-separated file for the time of each request.
    pub list: Option<String>,
}

/// Parses the arguments of `ab`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let mut given = match TABLE.read(
        arguments,
        world,
        sentence!(
            "ab-about",
            "ab's command line on Tenbin's engine: HTTP/1.1 instead of 1.0, failures never counted \
             as throughput, times in fractions of a millisecond, and a verdict."
        ),
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
    };
    if given.switch("V") {
        return Ok(Parsed::Version);
    }
    let web = web(&mut given);
    if let Some(why) = web.too_short() {
        given.wrong("t", why);
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    let mut web = WebJob {
        notes: std::mem::take(&mut given.notes),
        ..web
    };
    web.notes.extend(web.turns());
    Ok(Parsed::Measure(Box::new(AbJob {
        web,
        quiet: given.switch("q"),
        percentages: !given.switch("d"),
        csv: given.some_text("e"),
        list: given.some_text("g"),
    })))
}

fn web(given: &mut Given) -> WebJob {
    given.need_at_least_one(&["n", "c", "s"]);
    let time = given.some_whole("t").map(Duration::from_secs);
    if time.is_some_and(|time| time.is_zero()) {
        given.wrong("t", at_least_one());
    }
    // Without -t and -n, ab sends a single request.
    let requests = (time.is_none() || given.is_given("n")).then(|| given.whole("n"));
    let connections = given.whole("c");
    if requests.is_some_and(|requests| requests < connections) {
        let why = sentence!(
            "ab-connections",
            "there cannot be more connections than requests (-n)"
        );
        given.wrong("c", why);
    }
    let (method, body_file) = method(given);
    let (headers, keep_alive) = headers(given, body_file.is_some());
    let servers = servers("ab", &given.operands, Scheme::Optional).unwrap_or_else(|mistakes| {
        given.mistakes.extend(mistakes);
        Vec::new()
    });
    let is_tls = |server: &crate::Server| server.url.starts_with("https://");
    if servers.iter().any(is_tls) && !given.switch("insecure") {
        given.note(sentence!(
            "ab-certificates",
            "certificates are checked, which ab never does; --insecure accepts any certificate"
        ));
    }
    given.note(sentence!(
        "ab-http-version",
        "requests use HTTP/1.1, while ab uses HTTP/1.0"
    ));
    WebJob {
        tool: "ab",
        servers,
        connections,
        threads: None,
        rate: None,
        keep_alive,
        requests,
        time,
        timeout: Duration::from_secs(given.whole("s")),
        method,
        headers,
        body_file,
        source: given.some_text("B"),
        insecure: given.switch("insecure"),
        certificate: given.some_text("E"),
        notes: Vec::new(),
    }
}

/// The request method, and the file with the request body.
fn method(given: &mut Given) -> (String, Option<String>) {
    let (post, put) = (given.some_text("p"), given.some_text("u"));
    if post.is_some() && put.is_some() {
        let why = sentence!("ab-two-bodies", "-p and -u cannot both be given");
        given.wrong("u", why);
    }
    let implied = match (&post, &put) {
        (Some(_), _) => "POST",
        (None, Some(_)) => "PUT",
        (None, None) if given.switch("i") => "HEAD",
        (None, None) => "GET",
    };
    if given.switch("i") && implied != "HEAD" {
        let why = sentence!("ab-head-body", "HEAD has no body to send");
        given.wrong("i", why);
    }
    let method = given.some_text("m").unwrap_or_else(|| implied.to_owned());
    (method, post.or(put))
}

/// The header lines, and whether connections are kept alive.
fn headers(given: &mut Given, sends: bool) -> (Vec<String>, bool) {
    let mut headers = given.list("H").to_vec();
    let cookies = given.list("C");
    if !cookies.is_empty() {
        headers.push(format!("Cookie: {}", cookies.join("; ")));
    }
    if let Some(user) = given.secret("A") {
        let encoded = BASE64_STANDARD.encode(user.reveal());
        headers.push(format!("Authorization: Basic {encoded}"));
    }
    if sends {
        let kind = given.some_text("T");
        let kind = kind.unwrap_or_else(|| "text/plain".to_owned());
        headers.push(format!("Content-Type: {kind}"));
    }
    let said = take_connection(&mut headers);
    let keep_alive = said.unwrap_or(given.switch("k"));
    if !keep_alive {
        given.note(sentence!(
            "ab-without-k",
            "without -k each request opens a connection, which the client closes; Total and the \
            percentages include the time to open the connection"
        ));
    }
    (headers, keep_alive)
}

/// The flags for the documentation, as a Markdown table.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
