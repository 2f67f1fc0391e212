//! The keys of HTTP workloads.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::method;
use super::status::STATUS_CLASSES;
use crate::Sentence;
use crate::check::Check;
use crate::comparison::may_differ::MayDiffer;
use crate::keys::form::{Form, Kind, PERCENT};
use crate::keys::page::{self, Page};
use crate::keys::row::{Flag, Takes, choice, switch, text, whole};
use crate::keys::scalar::{At, FromFlag, List, Scalar};
use crate::keys::section::section;
use crate::patterns::{
    ByTarget, CacheCounters, HitSource, MOST_CACHE_SIZE, MOST_SLOWEST, PatternFormat, PatternOrder,
    PatternSet,
};
use crate::search_servers::SearchServer;
use crate::secrets::Secrets;
use crate::units::percent::Percent;

/// The key with the file of requests.
const PATTERNS_KEY: &[&str] = &["patterns"];
/// Why keys about requests from a file need the file.
const NEEDS_PATTERNS: &str = "needs patterns, the file of requests";
/// Why keys of a single request exclude a file of requests: each pattern has a method, a path and a
/// body.
const SINGLE_REQUEST: &str = "applies to a single request, but the file of patterns defines the \
                              requests; leave out one of the two";

/// Smallest target hit ratio.
const LEAST_HIT: Percent = Percent::of(0.1);
/// Largest target hit ratio.
const MOST_HIT: Percent = Percent::of(100.0);
/// Largest value of `hits_tolerance`: with a larger value, the comparison of hits would be
/// meaningless.
const MOST_TOLERANCE: Percent = Percent::of(50.0);

/// Heading of the flags of requests from a file.
const PATTERNS: &str = "Request patterns (docs/patterns.md)";

section! {
    /// The keys of a workload of kind `http`.
    pub struct HttpDraft("in [[workload]]", "a table such as [[workload]]") {
        /// request method
        method: Scalar => String, read method::read = text("text").default("GET").flag(
            Flag::text("--method", "METHOD", "Request method").short('X'),
        );
        /// path and query
        path: Scalar, shown path = text("text")
            .default_rule("those of the target's URL")
            .excludes(PATTERNS_KEY, SINGLE_REQUEST)
            .flag(
                Flag::text("--path", "PATH", "Path and query")
                    .default("those of each target's URL"),
            );
        /// look for a redirect before the run, and send the requests to the URL that the server
        /// redirects to, on the same server. For GET and HEAD on servers that run already, with one
        /// host and HTTP/1.1
        follow: Scalar => bool = switch().default("false").changes_only().flag(Flag::of(
            "--follow",
            Takes::Switches(true),
            "If the server redirects the request, measure the URL that the server redirects to. The \
             redirect is followed once, before the run; the URL must be on the same server",
        ));
        /// in the plan of a run: the path that redirected to `path` before the run, with `follow`
        redirected_from: Scalar, shown redirected_from = text("path");
        /// request headers. `{env:NAME}` in a value is replaced with an environment variable:
        /// `"Authorization: Bearer {env:TOKEN}"`; see [Secrets](#secrets). `Content-Length`,
        /// `Transfer-Encoding` and `Connection` are set by Tenbin
        headers: List, shown headers = text("list of `\"Name: value\"`").synonyms(&["header"]).flag(
            Flag::of(
                "--header",
                Takes::Several("NAME: VALUE"),
                "Request header, repeatable. {env:NAME} in the value is replaced with an \
                 environment variable; use this for tokens and other secrets",
            )
            .short('H')
            .secret(),
        );
        /// request body, as text
        body: Scalar, shown body = text("text")
            .default_rule("empty")
            .excludes(PATTERNS_KEY, SINGLE_REQUEST)
            .flag(Flag::text("--body", "TEXT", "Request body, as text").secret());
        /// file with the request body, at most 256 MiB
        body_file: Scalar, shown body_file = text("path")
            .excludes(&["body"], "give either body or body_file, not both")
            .excludes(PATTERNS_KEY, SINGLE_REQUEST)
            .flag(Flag::text("--body-file", "FILE", "Request body, from a file"));
        /// statuses that count as success; `"2xx"`, `"3xx"`, `"4xx"` and `"5xx"` are whole classes.
        /// The flag `--expect` takes these statuses as well as [conditions](#expectations)
        expect: List, shown expect = text("list of statuses, 200 to 599")
            .kinds(&[Kind::Whole { least: 200, most: 599 }, Kind::Pattern("^[2-5]([0-9]{2}|xx)$")])
            .default_rule("any 2xx")
            .synonyms(&["status"]);
        /// allowed differences between responses to the same request, from one target or from
        /// several: `"size"` (length of the body as transferred, which compression can change),
        /// `"headers"` (`Content-Type`, `Content-Encoding`), `"body"` (content, and size with it);
        /// see [unequal_answers](findings.md#unequal_answers) and
        /// [mixed_responses](findings.md#mixed_responses)
        may_differ: List, shown may_differ = text("list of `\"size\"`, `\"headers\"`, `\"body\"`").kinds(&[Kind::Names(&["size", "headers", "body"])]).flag(
            Flag::of(
                "--may-differ",
                Takes::Commas("LIST"),
                "Allow these differences between responses to the same request, of one target \
                 or of different targets: size (length of the body as transferred, which \
                 depends on compression), headers (media type and encoding), body (content)",
            )
            .default("none"),
        );
        /// compare the content of every response with the response recorded before the run. If
        /// `false`, Tenbin compares only a sample, which adds less than 2 % to the load generator's
        /// CPU time per request
        verify: Scalar => bool = switch().default("false").changes_only().flag(Flag::of(
            "--verify",
            Takes::Switches(true),
            "Compare the content of every response with the response to the same request that was \
             recorded before the run [default: compare only a sample of the responses]",
        ));
        /// conditions that every response with a success status must meet: `"status=201"`,
        /// `"length>=100"`, `"header:X-Cache=HIT"`, `"body contains \"total\""`,
        /// `"body~\"^[0-9]+$\""`, `"json:/error absent"`, `"json:/hits/total/value>0"`; see
        /// [Checks](#checks)
        check: List, shown checks = text("list of conditions on a response").flag(
            Flag::of(
                "--check",
                Takes::Several("CONDITION"),
                "Condition that every response with a success status must meet, repeatable; \
                 a response that does not meet it counts as an error, not as throughput. \
                 status, length: = != < <= > >=, for example length>=100. header:NAME, body: \
                 = != ~ !~ contains !contains, for example 'header:X-Cache=HIT' or \
                 'body contains \"total\"'; ~ is a regular expression. json:/POINTER: all of \
                 these, for example 'json:/hits/total/value>0'. header and json: exists, absent. \
                 Conditions on body and json read every body",
            ),
        );
        /// count a response with a success status as an error if its body reports an error in a
        /// known format: OpenSearch and Elasticsearch (`_search`, `_msearch`, `_bulk` …), Groonga,
        /// GraphQL; see [Checks](#checks)
        body_errors: Scalar => bool = switch().default("true").changes_only().flag(Flag::of(
            "--no-body-errors",
            Takes::Switches(false),
            "Accept responses with a success status whose body reports an error in a known format \
             (OpenSearch: failed shards, timed_out, errors of _msearch and _bulk; Groonga: return \
             code; GraphQL: errors) [default: such a response counts as an error]",
        ));
    }
    stored {
        /// One plain HTTP request, repeated, or many requests in some order.
        #[derive(Clone, PartialEq)]
        pub struct HttpWork {
            /// Path and query; `None`: those of the target's URL.
            pub path: Option<String> = None,
            /// The path that redirected to `path` before the run.
            pub redirected_from: Option<String> = None,
            /// Additional headers, in order. Values can be secret.
            pub headers: Vec<(String, String)> = Vec::new(),
            /// `headers` as in a printed plan: `{env:NAME}` replaces values that came from the
            /// environment, or that the next run must read from the environment.
            pub printed_headers: Vec<(String, String)> = Vec::new(),
            /// Request body.
            pub body: Vec<u8> = Vec::new(),
            /// Secret values in `path` and `body`, which no output contains.
            pub secrets: Secrets = Secrets::default(),
            /// The file that `body` was read from, if any.
            pub body_file: Option<PathBuf> = None,
            /// Statuses that count as success; empty: any 2xx.
            pub expect: Vec<u16> = Vec::new(),
            /// Allowed differences between responses to the same request, from one target or from
            /// several.
            pub may_differ: MayDiffer = MayDiffer::default(),
            /// Conditions that every response with a success status must meet.
            pub checks: Vec<Check> = Vec::new(),
            /// Requests to draw from, instead of a single request. Each request has its own method,
            /// path and body; its headers replace headers of the work with the same name.
            pub patterns: Option<Patterns> = None,
        }
    }
    {
        /// file of requests, instead of `path` and `body`: [patterns.md](patterns.md); or
        /// `"{corpus}"`: requests generated from the pages of [`[corpus]`](#corpus)
        patterns: Scalar, shown file = text("path, or `\"{corpus}\"`").default_rule("one request").flag(
            Flag::text(
                "--patterns",
                "FILE",
                "File with the requests to send, instead of a single request: one path per \
                 line, JSON (weighted groups of requests), an access log, a Groonga query log, a \
                 search slow log of OpenSearch, or bodies of _msearch",
            )
            .under(PATTERNS),
        );
        /// format of the file in `patterns`
        patterns_format: Scalar => PatternFormat = choice::<PatternFormat>()
            .default_explained("auto", "`\"auto\"`: by its first line")
            .changes_only()
            .needs(PATTERNS_KEY, NEEDS_PATTERNS)
            .flag(
                Flag::text(
                    "--patterns-format",
                    "FORMAT",
                    "Format of the file: auto, text, json, access-log, groonga-log, \
                     opensearch-log or msearch",
                )
                .default("auto")
                .under(PATTERNS),
            );
        /// order in which requests are drawn from `patterns`
        order: Scalar => PatternOrder = text(
            "`\"weighted\"`, `\"sequential\"`, `\"shuffled\"` or `\"zipf:1.1\"`",
        )
        .kinds(&[Kind::Pattern(r"^(weighted|sequential|shuffled|zipf(:[0-9.]+)?)$")])
        .default("weighted")
        .needs(PATTERNS_KEY, NEEDS_PATTERNS)
        .flag(
            Flag::text(
                "--order",
                "ORDER",
                "Order of the requests: weighted (random, by their frequency in the file), \
                 sequential, shuffled, or zipf:EXPONENT (random, Zipf distribution)",
            )
            .under(PATTERNS),
        );
        /// number of slowest and of fastest requests to record
        slowest: Scalar => u32 = whole(0, MOST_SLOWEST as u64)
            .default("5")
            .needs(PATTERNS_KEY, NEEDS_PATTERNS)
            .flag(
                Flag::whole(
                    "--slowest",
                    "N",
                    "Number of slowest and of fastest requests to list in the report",
                )
                .under(PATTERNS),
            );
        /// where responses report their number of search hits, which is read and compared between
        /// targets before the run: `"auto"` (searches recognized by their path, at most 500
        /// patterns), a kind of server, or a JSON pointer; see [patterns](patterns.md#hits)
        hits: Scalar => HitSource = text(
            "`\"auto\"`, `\"none\"`, `\"groonga\"`, `\"opensearch\"`, or a JSON pointer such as \
             `\"/hits/total/value\"`",
        )
        .default("auto")
        .needs(PATTERNS_KEY, NEEDS_PATTERNS)
        .flag(
            Flag::text(
                "--hits",
                "HOW",
                "Where responses contain the number of search hits: groonga, opensearch or a \
                 JSON pointer such as /hits/total/value. Before the run, Tenbin sends every \
                 request of the file once to every target and compares the numbers of hits. \
                 auto: only requests with a search path (/d/select, _search), at most 500; \
                 none: no comparison",
            )
            .under(PATTERNS),
        );
        /// allowed difference between the hits of two targets for one pattern, relative to the
        /// larger number. The same percentage is also the share of patterns that can exceed this
        /// difference
        hits_tolerance: Scalar => Percent, read tolerance = text("`\"0%\"` to `\"50%\"`")
            .kinds(PERCENT)
            .default("0%")
            .changes_only()
            .needs(PATTERNS_KEY, NEEDS_PATTERNS);
        /// one request template per target, for a file of `patterns` with one search term per line:
        /// [patterns.md](patterns.md#one-list-of-terms-for-different-servers). Each key is the name
        /// of a target, or the kind of server in the `corpus` or `status` of a target
        by_target: ByTargetDraft, shown by_target = text("table")
            .default_rule("the same requests for all")
            .needs(PATTERNS_KEY, "needs patterns, the file of search terms");
        /// hit ratio that the server's cache should reach: the workload uses (cache size ÷ ratio)
        /// patterns of the file
        cache_hit: Scalar => Option<Percent>, read hit_ratio = text("`\"0.1%\"` to `\"100%\"`")
            .kinds(PERCENT)
            .default_rule("all patterns")
            .needs(PATTERNS_KEY, NEEDS_PATTERNS)
            .flag(
                Flag::text(
                    "--cache-hit",
                    "PERCENT",
                    "Hit ratio to produce in the server's cache: the workload uses only (cache \
                     size ÷ ratio) patterns of the file",
                )
                .under(PATTERNS),
            );
        /// number of responses that the cache of a host holds, for a forecast of the cache hits
        cache_size: Scalar => Option<u32> = whole(1, MOST_CACHE_SIZE)
            .default_rule("100 with `cache_hit`")
            .needs(PATTERNS_KEY, NEEDS_PATTERNS)
            .flag(
                Flag::whole("--cache-size", "N", "Number of responses that the cache of each \
                                                  host holds")
                    .default("100")
                    .under(PATTERNS),
            );
        /// source of the server's cache counters. Without `cache_size`, cache hits are counted
        /// without a forecast. A [target](#search-servers) can override this source
        cache_counters: Scalar => Option<CacheCounters> = text(
            "`\"groonga\"`, `\"droonga\"`, `\"opensearch\"`, or a path",
        )
        .default_rule("not read")
        .needs(PATTERNS_KEY, NEEDS_PATTERNS)
        .flag(
            Flag::of(
                "--cache-counters",
                Takes::Several("[NAME=]WHERE"),
                "Where Tenbin reads the server's cache counters: groonga, droonga or opensearch \
                 (the statistics path of this kind of server), or another path that responds in \
                 one of their formats. Repeatable, for targets of different kinds",
            )
            .under(PATTERNS),
        );
    }
    stored {
        /// The requests that a workload draws from, and their order.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Patterns {
            /// The file with the requests or search terms; `{corpus}` if `of_corpus` is true.
            pub path: PathBuf = PathBuf::new(),
            /// Whether requests are generated from the plan's pages (`[corpus]`) before the run,
            /// instead of read from a file. `set` is empty until the requests are generated.
            pub of_corpus: bool = false,
            /// The request templates of targets, if the file contains search terms.
            pub by_target: Option<ByTarget> = None,
            /// Secret values in the templates, which no output contains.
            pub secrets: Secrets = Secrets::default(),
            /// The content of the file. Shared between copies, because a file can be large.
            pub set: Arc<PatternSet> = Arc::default(),
        }
    }
    tables {
        /// Secret values, which no output contains; found while the draft is resolved.
        #[serde(skip)]
        pub secrets: Secrets,
    }
}

fn path(work: &HttpWork, page: &mut Page) {
    if let Some(path) = work.shown_path() {
        page.key(&HttpDraft::path, page::text(path));
    }
}

fn redirected_from(work: &HttpWork, page: &mut Page) {
    if let Some(from) = &work.redirected_from {
        page.key(
            &HttpDraft::redirected_from,
            page::text(work.secrets.conceal(from)),
        );
    }
}

fn headers(work: &HttpWork, page: &mut Page) {
    if !work.printed_headers.is_empty() {
        let lines = work.printed_headers.iter();
        let lines = lines.map(|(name, value)| page::text(format!("{name}: {value}")));
        page.key(&HttpDraft::headers, page::list(lines));
    }
}

fn body(work: &HttpWork, page: &mut Page) {
    if work.body_file.is_none() && !work.body.is_empty() {
        let body = String::from_utf8_lossy(&work.body);
        page.key(&HttpDraft::body, page::text(work.secrets.conceal(&body)));
    }
}

fn body_file(work: &HttpWork, page: &mut Page) {
    if let Some(path) = &work.body_file {
        page.key(&HttpDraft::body_file, page::text(path.display()));
    }
}

fn expect(work: &HttpWork, page: &mut Page) {
    if !work.expect.is_empty() {
        page.key(&HttpDraft::expect, page::list(expected(&work.expect)));
    }
}

fn may_differ(work: &HttpWork, page: &mut Page) {
    let names = work.may_differ.names();
    if !names.is_empty() {
        page.key(
            &HttpDraft::may_differ,
            page::list(names.into_iter().map(page::text)),
        );
    }
}

fn checks(work: &HttpWork, page: &mut Page) {
    if !work.checks.is_empty() {
        let checks = work.checks.iter().map(ToString::to_string);
        let checks = checks.map(|check| page::text(work.secrets.conceal(&check)));
        page.key(&HttpDraft::check, page::list(checks));
    }
}

/// The statuses, with complete classes by their names.
fn expected(statuses: &[u16]) -> Vec<String> {
    let is_whole = |class: &std::ops::Range<u16>| class.clone().all(|one| statuses.contains(&one));
    let (whole, _): (Vec<_>, Vec<_>) = STATUS_CLASSES
        .iter()
        .partition(|(_, class)| is_whole(class));
    let single = statuses
        .iter()
        .filter(|status| !whole.iter().any(|(_, class)| class.contains(status)));
    let names = whole.iter().map(|(name, _)| page::text(name));
    names.chain(single.map(u16::to_string)).collect()
}

fn file(patterns: &Patterns, page: &mut Page) {
    page.key(&HttpDraft::patterns, page::text(patterns.path.display()));
}

fn by_target(patterns: &Patterns, page: &mut Page) {
    if let Some(by_target) = &patterns.by_target {
        let shown = templates(by_target, &patterns.secrets);
        page.key(&HttpDraft::by_target, shown);
    }
}

fn tolerance(scalar: &Scalar) -> Result<Percent, Sentence> {
    Percent::within(scalar.text()?, Percent::of(0.0), MOST_TOLERANCE)
}

fn hit_ratio(scalar: &Scalar) -> Result<Percent, Sentence> {
    Percent::within(scalar.text()?, LEAST_HIT, MOST_HIT)
}

/// The templates as an inline table.
fn templates(by_target: &ByTarget, secrets: &Secrets) -> String {
    let each = by_target.templates.iter().map(|(name, template)| {
        let mut pairs = vec![
            format!("method = {}", page::text(&template.method)),
            format!("path = {}", page::text(secrets.conceal(&template.path))),
        ];
        if !template.body.is_empty() {
            pairs.push(format!(
                "body = {}",
                page::text(secrets.conceal(&template.body))
            ));
        }
        pairs.push(format!("hits = {}", page::text(&template.hits)));
        format!("{} = {{ {} }}", page::key_text(name), pairs.join(", "))
    });
    format!("{{ {} }}", each.collect::<Vec<_>>().join(", "))
}

impl FromFlag for ByTargetDraft {
    const FORM: Form = Form::TableByName("template");
}

/// Why keys of a template exclude the search request of a kind of server.
const SET_BY_SEARCH: &str = "is set by search; leave out one of the two";

/// The `by_target` of a workload: request templates by the name of a target or of a kind of server.
#[derive(Debug, Clone, Default)]
pub struct ByTargetDraft(pub BTreeMap<String, At<TemplateDraft>>);

impl<'de> Deserialize<'de> for ByTargetDraft {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(Self)
    }
}

section! {
    /// One request of `by_target`.
    pub struct TemplateDraft(
        "in by_target",
        "a table such as { path = \"/search?q={term}\" }"
    ) {
        /// the search request of the Droonga tutorial, in the syntax of this server, instead of a
        /// request in the other keys
        search: Scalar = choice::<SearchServer>();
        /// request method
        method: Scalar = text("text")
            .default_rule("`GET`; `POST` with a body")
            .excludes(&["search"], SET_BY_SEARCH);
        /// path and query
        path: Scalar = text("text").excludes(&["search"], SET_BY_SEARCH);
        /// request body
        body: Scalar = text("text").default_rule("empty").excludes(&["search"], SET_BY_SEARCH);
        /// how responses report their number of hits
        hits: Scalar = text("as for the workload").default("auto");
    }
}
