//! `tenbin search`: prepares full-text search servers and measures them.

mod load;
mod login;
mod ramp;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenbin_corpus::synthetic::Language;

pub use load::SearchLoadArgs;
pub use login::LoginArgs;
pub use ramp::{ClientArgs, SearchRampArgs};

/// `tenbin search`: the steps before a search server can be measured, and a concurrency sweep.
#[derive(Subcommand)]
pub enum SearchCommand {
    /// Create pages to search: from a dump of Wikipedia, or synthetic ones
    Data(SearchDataArgs),
    /// Load schema, indexes and records into Groonga, OpenSearch or Droonga
    Load(SearchLoadArgs),
    /// Write a Groonga database into files: schema, indexes and records apart
    Dump(SearchDumpArgs),
    /// Turn Groonga's commands into Droonga's messages
    Convert(SearchConvertArgs),
    /// Extract search terms from a server or from its response
    Terms(SearchTermsArgs),
    /// Turn terms into requests
    Patterns(SearchPatternsArgs),
    /// Show which nodes are alive, and whether their number is the expected one
    Status(SearchStatusArgs),
    /// Measure at several numbers of clients, with drnbench's result file
    #[command(mut_arg("gap", |gap| gap.visible_alias("interval")))]
    Ramp(Box<SearchRampArgs>),
}

/// `tenbin search data`.
#[derive(Args)]
#[command(after_help = "\
A dump is MediaWiki's XML of articles (pages-articles), plain or compressed with bzip2. Redirects and
pages other than articles are skipped. The command writes schema.grn, indexes.grn and pages.grn to
DIR, with the tables Pages (_key, title, text, categories) and Categories.

Examples:
  tenbin search data jawiki-latest-pages-articles.xml.bz2 --max-records 300000 --text-limit 1000
  tenbin search data --synthetic 5000 --language both --out pages")]
pub struct SearchDataArgs {
    /// The dump; - is standard input
    #[arg(value_name = "DUMP", required_unless_present = "synthetic")]
    pub dump: Option<PathBuf>,
    /// Generate N pages instead, with the word frequencies of a natural language
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
    /// Largest number of characters of a text; the Droonga tutorial uses 1000 [default: all]
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
DIR gets schema.grn, indexes.grn and records.grn. With one of the options that end in -only, that
part goes to standard output.

Examples:
  tenbin search dump --server http://127.0.0.1:10041 --out dump
  tenbin search dump --server http://127.0.0.1:10041 --records-only | tenbin search convert")]
pub struct SearchDumpArgs {
    /// The Groonga server
    #[arg(long, value_name = "URL")]
    pub server: String,
    /// Only tables and columns that are no indexes
    #[arg(long, conflicts_with_all = ["indexes_only", "records_only"])]
    pub schema_only: bool,
    /// Only indexes
    #[arg(long, conflicts_with = "records_only")]
    pub indexes_only: bool,
    /// Only records
    #[arg(long)]
    pub records_only: bool,
    /// Only this table, repeatable [default: all]
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
One line of JSON for each command and each record, as grn2drn writes them.

Example:
  tenbin search convert pages.grn > pages.jsons")]
pub struct SearchConvertArgs {
    /// Files of Groonga's commands [default: standard input]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Name of the data set
    #[arg(long, value_name = "NAME", default_value = "Default")]
    pub dataset: String,
    /// Beginning of the messages' ids, which a number follows [default: hashes]
    #[arg(long, value_name = "TEXT")]
    pub id_prefix: Option<String>,
    /// When the messages were made, as 2026-01-31T12:00:00.000000Z [default: now]
    #[arg(long, value_name = "TIME")]
    pub date: Option<String>,
    /// Who is to be answered, as HOST:PORT/TAG
    #[arg(long, value_name = "ADDRESS")]
    pub reply_to: Option<String>,
    /// File for the messages [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `tenbin search terms`.
#[derive(Args)]
#[command(after_help = "\
With --server, Groonga or OpenSearch is asked for values of a column until there are --count different
ones that are found in --match-columns. Without, an answer of Groonga's select is read, of command
version 1, 2 or 3.

Examples:
  tenbin search terms --server http://127.0.0.1:10041 --count 200 --escape
  tenbin search terms --of opensearch --server http://127.0.0.1:9200 --count 200
  curl 'http://127.0.0.1:10041/d/select?table=Pages&limit=200&output_columns=title' |
      tenbin search terms")]
pub struct SearchTermsArgs {
    /// Responses of select [default: standard input]
    #[arg(value_name = "FILE", conflicts_with = "server")]
    pub files: Vec<PathBuf>,
    /// The server to request them from instead
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// What the server is: groonga or opensearch
    #[arg(
        long,
        value_name = "KIND",
        default_value = "groonga",
        requires = "server",
        value_parser = terms_kind
    )]
    pub of: &'static tenbin_corpus::terms::Kind,
    /// The table; of OpenSearch, the index in small letters
    #[arg(
        long,
        value_name = "NAME",
        default_value = "Pages",
        requires = "server"
    )]
    pub table: String,
    /// The column whose values are terms
    #[arg(
        long,
        value_name = "NAME",
        default_value = "title",
        requires = "server"
    )]
    pub column: String,
    /// The columns in which a term must have hits; an empty text disables the check
    #[arg(
        long,
        value_name = "NAMES",
        default_value = "title,text",
        requires = "server"
    )]
    pub match_columns: String,
    /// Number of distinct terms
    #[arg(long, value_name = "N", default_value_t = 200, requires = "server")]
    pub count: u64,
    /// The column of the response, from 0
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "server")]
    pub column_index: usize,
    /// Escape the terms for a URL
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
    /// JSON with the counterpart of the Droonga tutorial's search for OpenSearch
    Opensearch,
    /// JSON, as drnbench-generate-select-patterns writes it
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
    /// How requests are written
    #[arg(long, value_enum, default_value_t = PatternFormat::Text)]
    pub format: PatternFormat,
    /// What stands before the term [default: the Droonga tutorial's search in Pages, with snippets,
    /// sorting and a drill-down]; with --format opensearch, where the search goes
    /// [default: /pages/_search]
    #[arg(long, value_name = "PATH")]
    pub base: Option<String>,
    /// The terms are escaped already
    #[arg(long)]
    pub escaped: bool,
    /// Parameters of every request, with --format drnbench
    #[arg(long, value_name = "QUERY", default_value = "limit=10&offset=0")]
    pub base_params: String,
    /// A group for each of these hosts, with --format drnbench
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    pub hosts: Vec<String>,
}

/// `tenbin search status`.
#[derive(Args)]
#[command(after_help = "\
Example:
  tenbin search status --of droonga --server http://node0:10042 --expect 3")]
pub struct SearchStatusArgs {
    /// What the servers are: groonga, droonga or opensearch
    #[arg(long, value_name = "KIND", value_parser = status_kind)]
    pub of: &'static tenbin_corpus::status::Kind,
    /// A server, repeatable
    #[arg(long = "server", value_name = "URL", required = true)]
    pub servers: Vec<String>,
    /// Number of nodes that must be alive; none may be dead
    #[arg(long, value_name = "N")]
    pub expect: Option<usize>,
    /// Repeat the request until then, for at most this time
    #[arg(long, value_name = "TIME", default_value = "0s")]
    pub wait: tenbin_plan::duration::Time,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
}

fn terms_kind(text: &str) -> Result<&'static tenbin_corpus::terms::Kind, String> {
    let kinds = tenbin_corpus::terms::KINDS;
    named(kinds, |kind| kind.name, text)
}

fn status_kind(text: &str) -> Result<&'static tenbin_corpus::status::Kind, String> {
    let kinds = tenbin_corpus::status::KINDS;
    named(kinds, |kind| kind.name, text)
}

/// The entry with this name.
fn named<K>(kinds: &'static [K], name: fn(&K) -> &str, text: &str) -> Result<&'static K, String> {
    let found = kinds.iter().find(|kind| name(kind) == text);
    found.ok_or_else(|| {
        let names: Vec<&str> = kinds.iter().map(name).collect();
        format!("write one of {}", names.join(", "))
    })
}
