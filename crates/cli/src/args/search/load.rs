//! `tenbin search load`.

use std::path::PathBuf;

use clap::Args;
use tenbin_corpus::load::{KINDS, Kind};

use super::LoginArgs;

/// `tenbin search load`.
#[derive(Args)]
#[command(after_help = "\
A directory stands for its schema.grn and indexes.grn, then its other files that end in .grn. The
progress of a load is stored next to the data: after an interruption, the same command continues.
Records that are sent again change nothing, because records have keys.

Several servers: replicas of Groonga each get all data; the nodes of OpenSearch and Droonga get the
records in turn, and only the first node gets schema and indexes.

Examples:
  tenbin search load search-data --into groonga --server http://127.0.0.1:10041
  tenbin search load search-data --into opensearch --server http://127.0.0.1:9200 --replicas 1
  tenbin search load search-data --into droonga --server node0 --server node1 \\
      --messages-per-second 100 --report-throughput")]
pub struct SearchLoadArgs {
    /// Files of Groonga's commands, or a directory of them; - is standard input
    #[arg(value_name = "DATA", required_unless_present_any = ["schema", "indexes"])]
    pub data: Vec<PathBuf>,
    /// File with the schema, loaded first
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// File with the indexes, loaded before the data
    #[arg(long, value_name = "FILE")]
    pub indexes: Option<PathBuf>,
    /// What the servers are: groonga, opensearch or droonga
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub into: &'static Kind,
    /// A server, repeatable: a URL, or HOST[:PORT][/TAG] of a Droonga engine
    #[arg(long = "server", value_name = "SERVER", required = true)]
    pub servers: Vec<String>,
    /// Largest number of records per second [default: no limit]
    #[arg(long, value_name = "N", value_parser = rate)]
    pub messages_per_second: Option<f64>,
    /// Print the records per second, once a second
    #[arg(long)]
    pub report_throughput: bool,
    /// Records per batch
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub batch: u32,
    /// File that records the progress of the load [default: next to the data]
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Start from the beginning and ignore the progress of an earlier load
    #[arg(long)]
    pub restart: bool,
    /// Shards of an index of OpenSearch [default: the server's]
    #[arg(long, value_name = "N")]
    pub shards: Option<u32>,
    /// Replicas of an index of OpenSearch [default: the server's]
    #[arg(long, value_name = "N")]
    pub replicas: Option<u32>,
    /// Merge each shard of an index of OpenSearch into this many segments at the end. Indexes are
    /// refreshed at the end in any case
    #[arg(long, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub force_merge: Option<u32>,
    /// Name of Droonga's data set
    #[arg(long, value_name = "NAME", default_value = "Default")]
    pub dataset: String,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

fn kind(text: &str) -> Result<&'static Kind, String> {
    super::named(KINDS, |kind| kind.name, text)
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err("write a number above 0, for example 100".to_owned()),
    }
}
