//! `tenbin init`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `tenbin init`.
#[derive(Args)]
#[command(after_help = "\
On a terminal, Tenbin asks for everything that no option states: at most six questions. Elsewhere,
--kind and --server are required. Tenbin then sends one GET request to each server, and writes the
plan file. For the request, Tenbin starts a command and stops it again. If the file of the command
is missing, the command of --build builds it before; on a terminal, Tenbin asks for this command.

Examples:
  tenbin init
  tenbin init --kind http --server http://127.0.0.1:8080/ --second http://127.0.0.1:8081/
  tenbin init --kind http --server './server --port {port}' --request /items --goal gate --ci github
  tenbin init --kind search --server http://127.0.0.1:9200 --request '/_search?q=word' --goal rate
  tenbin init --kind s3 --server http://127.0.0.1:9000 --request put --no-try")]
pub struct InitArgs {
    /// Kind of the servers
    #[arg(long, value_name = "KIND")]
    pub kind: Option<ServerKind>,
    /// The server: its URL, or the command that starts it. In a command, {port} is replaced with a
    /// free port, and {data} with an empty directory
    #[arg(long, value_name = "URL|COMMAND")]
    pub server: Option<String>,
    /// A second server, to compare with the first; written like --server [default: none]
    #[arg(long, value_name = "URL|COMMAND")]
    pub second: Option<String>,
    /// The request: path and query for http and search, operations for s3 (get or put:50,get:50),
    /// phases for blob [default: the path of the URL; get for s3; pgd for blob]
    #[arg(long, value_name = "REQUEST")]
    pub request: Option<String>,
    /// What the plan is for
    #[arg(long, value_name = "GOAL")]
    pub goal: Option<GoalKind>,
    /// Limits for --goal rate, such as 'p99<10ms,errors<0.1%' [default: p99<100ms,errors<0.1%]
    #[arg(long, value_name = "LIMITS")]
    pub slo: Option<String>,
    /// Also write the CI file of a gate, for --goal gate
    #[arg(long, value_name = "CI")]
    pub ci: Option<CiChoice>,
    /// Shell command that builds a git revision, for a gate with one server that Tenbin starts
    /// [default: from Cargo.toml, go.mod or Makefile in this directory]
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,
    /// Plan file to write
    #[arg(long, value_name = "FILE", default_value = "tenbin.toml")]
    pub out: PathBuf,
    /// CI file to write [default: .github/workflows/performance.yml, .gitlab-ci.yml or Jenkinsfile]
    #[arg(long, value_name = "FILE")]
    pub ci_out: Option<PathBuf>,
    /// Overwrite files
    #[arg(long)]
    pub force: bool,
    /// Write the plan without sending a request or starting a server
    #[arg(long)]
    pub no_try: bool,
}

/// A kind of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ServerKind {
    /// HTTP servers
    Http,
    /// S3 object stores
    S3,
    /// Blob stores with the protocol of CubeFS
    Blob,
    /// Full-text search servers: OpenSearch, Elasticsearch, Groonga, Droonga
    Search,
}

/// What a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GoalKind {
    /// Compare two servers, or measure one
    Compare,
    /// Find the highest rate that meets limits on latency and errors
    Rate,
    /// Test in CI whether a change is as good as its base
    Gate,
}

/// A CI system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CiChoice {
    /// No file
    None,
    /// A workflow of GitHub Actions
    Github,
    /// A job of GitLab CI
    Gitlab,
    /// A Jenkinsfile
    Jenkins,
}

/// The name of a value on the command line.
pub fn value_name<V: ValueEnum>(value: V) -> String {
    let possible = value.to_possible_value();
    possible.map_or_else(String::new, |it| it.get_name().to_owned())
}
