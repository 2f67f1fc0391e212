//! `tenbin search`: prepares and measures full-text search servers.

mod load;
mod login;
mod ramp;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenbin_corpus::synthetic::Language;
use tenbin_plan::{Sentence, sentence};

use super::Deferred;

pub use load::SearchLoadArgs;
pub use login::LoginArgs;
pub use ramp::{BisectSearchArgs, ClientArgs, GateSearchArgs, SearchRampArgs};

/// The subcommands of `tenbin search`: the steps of preparing a search server, and a concurrency
/// sweep.
#[derive(Subcommand)]
pub enum SearchCommand {
    /// Create documents to search, from a Wikipedia dump or synthetic
    Data(SearchDataArgs),
    /// Load schema, indexes and records into Groonga, OpenSearch or Droonga
    Load(Deferred<SearchLoadArgs>),
    /// Write schema, indexes and records of a Groonga database to separate files
    Dump(SearchDumpArgs),
    /// Convert Groonga commands to Droonga messages
    Convert(SearchConvertArgs),
    /// Extract search terms from a search server or from its saved responses
    Terms(SearchTermsArgs),
    /// Convert search terms to requests, for --patterns
    Patterns(SearchPatternsArgs),
    /// List which nodes of search servers are alive, and check their number
    Status(SearchStatusArgs),
    /// Measure search servers at several numbers of clients, with drnbench's options and files
    Ramp(Box<Deferred<SearchRampArgs>>),
}

/// `tenbin search data`.
#[derive(Args)]
#[command(after_help = "\
DUMP is a MediaWiki XML file (pages-articles), plain or compressed with bzip2, gzip or zstd. Tenbin
skips redirects and pages other than articles, and writes schema.grn, indexes.grn and pages.grn to
DIR, with the tables Pages (_key, title, text, categories) and Categories.

Examples:
  tenbin search data jawiki-latest-pages-articles.xml.bz2 --max-records 300000 --text-limit 1000
  tenbin search data --synthetic 5000 --language both --out pages")]
pub struct SearchDataArgs {
    /// MediaWiki XML file; - reads standard input
    #[arg(value_name = "DUMP", required_unless_present = "synthetic")]
    pub dump: Option<PathBuf>,
    /// Generate N pages with the word frequencies of a natural language, instead of reading DUMP
    #[arg(long, value_name = "N", conflicts_with = "dump")]
    pub synthetic: Option<u64>,
    /// Language of generated pages: ja, en or both
    #[arg(
        long,
        value_name = "LANGUAGE",
        default_value = "ja",
        requires = "synthetic"
    )]
    pub language: Language,
    /// Seed of generated pages: the same seed generates the same pages
    #[arg(long, value_name = "N", default_value_t = 1, requires = "synthetic")]
    pub seed: u64,
    /// Largest number of pages [default: all]
    #[arg(long, value_name = "N")]
    pub max_records: Option<u64>,
    /// Truncate texts to this many characters; the Droonga tutorial uses 1000 [default: no limit]
    #[arg(long, value_name = "N")]
    pub text_limit: Option<usize>,
    /// Directory for the files, created if missing
    #[arg(long, short, value_name = "DIR", default_value = "search-data")]
    pub out: PathBuf,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

/// `tenbin search dump`.
#[derive(Args)]
#[command(after_help = "\
Writes schema.grn, indexes.grn and records.grn to DIR. --schema-only, --indexes-only and
--records-only write one part to standard output instead.

Examples:
  tenbin search dump --server http://127.0.0.1:10041 --out dump
  tenbin search dump --server http://127.0.0.1:10041 --records-only | tenbin search convert")]
pub struct SearchDumpArgs {
    /// URL of the Groonga server
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// Print only tables and columns, without indexes
    #[arg(long, conflicts_with_all = ["indexes_only", "records_only"])]
    pub schema_only: bool,
    /// Print only indexes
    #[arg(long, conflicts_with = "records_only")]
    pub indexes_only: bool,
    /// Print only records
    #[arg(long)]
    pub records_only: bool,
    /// Dump only this table, repeatable [default: all tables]
    #[arg(long = "table", value_name = "NAME")]
    pub tables: Vec<String>,
    /// Directory for the files, created if missing
    #[arg(long, short, value_name = "DIR", default_value = "search-dump")]
    pub out: PathBuf,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
}

/// `tenbin search convert`.
#[derive(Args)]
#[command(after_help = "\
Writes one line of JSON for each command and each record, as grn2drn does.

Example:
  tenbin search convert pages.grn > pages.jsons")]
pub struct SearchConvertArgs {
    /// Files of Groonga commands [default: standard input]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Name of the Droonga data set
    #[arg(long, value_name = "NAME", default_value = "Default")]
    pub dataset: String,
    /// Prefix of the message ids, followed by a number [default: ids are hashes]
    #[arg(long, value_name = "TEXT")]
    pub id_prefix: Option<String>,
    /// Creation time of the messages, such as 2026-01-31T12:00:00.000000Z [default: now]
    #[arg(long, value_name = "TIME")]
    pub date: Option<String>,
    /// Recipient of the responses, as HOST:PORT/TAG
    #[arg(long, value_name = "ADDRESS")]
    pub reply_to: Option<String>,
    /// File to write the messages to [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `tenbin search terms`.
#[derive(Args)]
#[command(after_help = "\
With --server, Tenbin reads values of --column from Groonga or OpenSearch until --count distinct
values have hits in --match-columns. Without --server, Tenbin reads responses of Groonga's select
command (command version 1, 2 or 3) from files or standard input.

Examples:
  tenbin search terms --server http://127.0.0.1:10041 --count 200 --escape
  tenbin search terms --of opensearch --server http://127.0.0.1:9200 --count 200
  curl 'http://127.0.0.1:10041/d/select?table=Pages&limit=200&output_columns=title' |
      tenbin search terms")]
pub struct SearchTermsArgs {
    /// Files with responses of Groonga's select command [default: standard input]
    #[arg(value_name = "FILE", conflicts_with = "server")]
    pub files: Vec<PathBuf>,
    /// URL of the search server to read terms from, instead of files
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// Kind of the server: groonga or opensearch
    #[arg(
        long,
        value_name = "KIND",
        default_value = "groonga",
        requires = "server",
        value_parser = terms_kind
    )]
    pub of: &'static tenbin_corpus::terms::Kind,
    /// Table to read; for OpenSearch, the index with this name in lower case
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Pages",
        requires = "server"
    )]
    pub table: String,
    /// Column whose values become terms
    #[arg(
        long,
        value_name = "NAME",
        default_value = "title",
        requires = "server"
    )]
    pub column: String,
    /// Columns in which a term must have hits; an empty value disables this check
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "title,text",
        requires = "server"
    )]
    pub match_columns: String,
    /// Number of distinct terms to print
    #[arg(long, value_name = "N", default_value_t = 200, requires = "server")]
    pub count: u64,
    /// Index of the column in the responses, from 0
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "server")]
    pub column_index: usize,
    /// Percent-encode the terms for a URL
    #[arg(long)]
    pub escape: bool,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
}

/// Output formats of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PatternFormat {
    /// One path per line
    Text,
    /// JSON with OpenSearch requests equivalent to the search of the Droonga tutorial
    Opensearch,
    /// JSON in the format of drnbench-generate-select-patterns
    Drnbench,
}

/// `tenbin search patterns`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tenbin search terms --server http://127.0.0.1:10041 | tenbin search patterns > patterns.txt
  tenbin search terms --of opensearch --server http://127.0.0.1:9200 |
      tenbin search patterns --format opensearch > patterns.json")]
pub struct SearchPatternsArgs {
    /// Files of terms, one per line [default: standard input]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output format of the requests
    #[arg(long, value_enum, default_value_t = PatternFormat::Text)]
    pub format: PatternFormat,
    /// Path and query before the term [default: the Droonga tutorial's search in Pages, with
    /// snippets, sorting and a drill-down]; with --format opensearch, path of the request
    /// [default: /pages/_search]
    #[arg(long, value_name = "PATH")]
    pub base: Option<String>,
    /// Treat the terms as already escaped
    #[arg(long)]
    pub escaped: bool,
    /// With --format drnbench: query parameters of every request
    #[arg(long, value_name = "QUERY", default_value = "limit=10&offset=0")]
    pub base_params: String,
    /// With --format drnbench: write one group of requests for each of these hosts
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub hosts: Vec<String>,
}

/// `tenbin search status`.
#[derive(Args)]
#[command(after_help = "\
Example:
  tenbin search status --of droonga --server http://node0:10042 --expect 3")]
pub struct SearchStatusArgs {
    /// Kind of the servers: groonga, droonga or opensearch
    #[arg(long, value_name = "KIND", value_parser = status_kind)]
    pub of: &'static tenbin_corpus::status::Kind,
    /// URL of a server, repeatable
    #[arg(long = "server", value_name = "URL", required = true)]
    pub servers: Vec<String>,
    /// Number of nodes that must be alive; a dead node is always an error
    #[arg(long, value_name = "N")]
    pub expect: Option<usize>,
    /// Repeat the check until it succeeds, for at most this time
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub wait: tenbin_plan::duration::Time,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
}

fn terms_kind(text: &str) -> Result<&'static tenbin_corpus::terms::Kind, Sentence> {
    let kinds = tenbin_corpus::terms::KINDS;
    named(kinds, |kind| kind.name, text)
}

fn status_kind(text: &str) -> Result<&'static tenbin_corpus::status::Kind, Sentence> {
    let kinds = tenbin_corpus::status::KINDS;
    named(kinds, |kind| kind.name, text)
}

/// The kind with this name.
fn named<K>(kinds: &'static [K], name: fn(&K) -> &str, text: &str) -> Result<&'static K, Sentence> {
    let found = kinds.iter().find(|kind| name(kind) == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = kinds.iter().map(name).collect();
        sentence!(
            "one-of-names",
            "write one of {names}",
            names = names.join(", ")
        )
    })
}
