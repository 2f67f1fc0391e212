//! The keys of HTTP workloads.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::key::{Flag, Takes, choice, section, switch, text, whole};
use crate::patterns::{MOST_CACHE_SIZE, MOST_SLOWEST, PatternFormat};
use crate::scalar::{At, FromFlag, List, Scalar};
use crate::searched::SearchServer;
use crate::secrets::Secrets;

/// Heading of the flags of requests from a file.
const PATTERNS: &str = "Request patterns (docs/patterns.md)";

section! {
    /// The keys of a workload of kind `http`.
    pub struct HttpDraft("in [[workload]]", "a table such as [[workload]]") {
        /// request method
        method: Scalar = text("text").default("GET").flag(
            Flag::text("--method", "METHOD", "Request method").short('X'),
        );
        /// path and query
        path: Scalar = text("text").default_rule("those of the target's URL").flag(
            Flag::text("--path", "PATH", "Path and query")
                .default("those of each target's URL"),
        );
        /// look for a redirect before the run, and send the requests to the URL that the server
        /// redirects to, on the same server. For GET and HEAD on servers that run already, with one
        /// host and HTTP/1.1
        follow: Scalar = switch().default("false").flag(Flag::of(
            "--follow",
            Takes::Switches(true),
            "If the server redirects the request, measure the URL that the server redirects to. The \
             redirect is followed once, before the run; the URL must be on the same server",
        ));
        /// in the plan of a run: the path that redirected to `path` before the run, with `follow`
        redirected_from: Scalar = text("path");
        /// request headers. `{env:NAME}` in a value is replaced with an environment variable:
        /// `"Authorization: Bearer {env:TOKEN}"`; see [Secrets](#secrets). `Content-Length`,
        /// `Transfer-Encoding` and `Connection` are set by Tenbin
        headers: List = text("list of `\"Name: value\"`").synonyms(&["header"]).flag(
            Flag::of(
                "--header",
                Takes::Several("NAME: VALUE"),
                "Request header, repeatable. {env:NAME} in the value is replaced with an \
                 environment variable; use this for tokens and other secrets",
            )
            .short('H'),
        );
        /// request body, as text
        body: Scalar = text("text").default_rule("empty").flag(
            Flag::text("--body", "TEXT", "Request body, as text").excludes(&["body-file"]),
        );
        /// file with the request body, at most 256 MiB
        body_file: Scalar = text("path").flag(
            Flag::text("--body-file", "FILE", "Request body, from a file"),
        );
        /// statuses that count as success; `"2xx"`, `"3xx"`, `"4xx"` and `"5xx"` are whole classes.
        /// The flag `--expect` takes these statuses as well as [conditions](#expectations)
        expect: List = text("list of statuses, 200 to 599")
            .default_rule("any 2xx")
            .synonyms(&["status"]);
        /// allowed differences between responses to the same request, from one target or from
        /// several: `"size"` (length of the body as transferred, which compression can change),
        /// `"headers"` (`Content-Type`, `Content-Encoding`), `"body"` (content, and size with it);
        /// see [unequal_answers](findings.md#unequal_answers) and
        /// [mixed_responses](findings.md#mixed_responses)
        may_differ: List = text("list of `\"size\"`, `\"headers\"`, `\"body\"`").flag(
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
        verify: Scalar = switch().default("false").flag(Flag::of(
            "--verify",
            Takes::Switches(true),
            "Compare the content of every response with the response to the same request that was \
             recorded before the run [default: compare only a sample of the responses]",
        ));
        /// conditions that every response with a success status must meet: `"status=201"`,
        /// `"length>=100"`, `"header:X-Cache=HIT"`, `"body contains \"total\""`,
        /// `"body~\"^[0-9]+$\""`, `"json:/error absent"`, `"json:/hits/total/value>0"`; see
        /// [Checks](#checks)
        check: List = text("list of conditions on a response").flag(
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
        body_errors: Scalar = switch().default("true").flag(Flag::of(
            "--no-body-errors",
            Takes::Switches(false),
            "Accept responses with a success status whose body reports an error in a known format \
             (OpenSearch: failed shards, timed_out, errors of _msearch and _bulk; Groonga: return \
             code; GraphQL: errors) [default: such a response counts as an error]",
        ));
        /// file of requests, instead of `path` and `body`: [patterns.md](patterns.md); or
        /// `"{corpus}"`: requests generated from the pages of [`[corpus]`](#corpus)
        patterns: Scalar = text("path, or `\"{corpus}\"`").default_rule("one request").flag(
            Flag::text(
                "--patterns",
                "FILE",
                "File with the requests to send, instead of a single request: one path per \
                 line, JSON (weighted groups of requests), an access log, or a Groonga query \
                 log",
            )
            .under(PATTERNS),
        );
        /// format of the file in `patterns`
        patterns_format: Scalar = choice::<PatternFormat>()
            .default_rule("`\"auto\"`: by its first line")
            .flag(
                Flag::text(
                    "--patterns-format",
                    "FORMAT",
                    "Format of the file: auto, text, json, access-log or groonga-log",
                )
                .default("auto")
                .under(PATTERNS),
            );
        /// order in which requests are drawn from `patterns`
        order: Scalar = text(
            "`\"weighted\"`, `\"sequential\"`, `\"shuffled\"` or `\"zipf:1.1\"`",
        )
        .default("weighted")
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
        slowest: Scalar = whole(0, MOST_SLOWEST as u64).default("5").flag(
            Flag::whole("--slowest", "N", "Number of slowest and of fastest requests to list in \
                                           the report")
                .under(PATTERNS),
        );
        /// where responses report their number of search hits, which is read and compared between
        /// targets before the run: `"auto"` (searches recognized by their path, at most 500
        /// patterns), a kind of server, or a JSON pointer; see [patterns](patterns.md#hits)
        hits: Scalar = text(
            "`\"auto\"`, `\"none\"`, `\"groonga\"`, `\"opensearch\"`, or a JSON pointer such as \
             `\"/hits/total/value\"`",
        )
        .default("auto")
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
        hits_tolerance: Scalar = text("`\"0%\"` to `\"50%\"`").default("0%");
        /// one request template per target, for a file of `patterns` with one search term per line:
        /// [patterns.md](patterns.md#one-list-of-terms-for-different-servers). Each key is the name
        /// of a target, or the kind of server in the `corpus` or `status` of a target
        by_target: ByTargetDraft = text("table").default_rule("the same requests for all");
        /// hit ratio that the server's cache should reach: the workload uses (cache size ÷ ratio)
        /// patterns of the file
        cache_hit: Scalar = text("`\"0.1%\"` to `\"100%\"`")
            .default_rule("all patterns")
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
        cache_size: Scalar = whole(1, MOST_CACHE_SIZE)
            .default_rule("100 with `cache_hit`")
            .flag(
                Flag::whole("--cache-size", "N", "Number of responses that the cache of each \
                                                  host holds")
                    .default("100")
                    .under(PATTERNS),
            );
        /// source of the server's cache counters. Without `cache_size`, cache hits are counted
        /// without a forecast. A [target](#search-servers) can override this source
        cache_counters: Scalar = text(
            "`\"groonga\"`, `\"droonga\"`, `\"opensearch\"`, or a path",
        )
        .default_rule("not read")
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
    tables {
        /// Secret values, which no output contains; found while the draft is resolved.
        #[serde(skip)]
        pub secrets: Secrets,
    }
}

impl FromFlag for ByTargetDraft {}

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
        method: Scalar = text("text").default_rule("`GET`; `POST` with a body");
        /// path and query
        path: Scalar = text("text");
        /// request body
        body: Scalar = text("text").default_rule("empty");
        /// how responses report their number of hits
        hits: Scalar = text("as for the workload").default("auto");
    }
}
