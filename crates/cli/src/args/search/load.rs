//! `tenbin search load`.

use std::path::PathBuf;

use clap::Args;
use tenbin_corpus::documents::Format;
use tenbin_corpus::load::{KINDS, Kind};
use tenbin_plan::{Sentence, sentence};

use super::LoginArgs;

/// `tenbin search load`.
#[derive(Args)]
#[command(after_help = "\
DATA are files of Groonga commands, documents as one JSON object per line (.ndjson, .jsonl), or values
with a line of column names (.csv, .tsv), plain or compressed with gzip, zstd or bzip2. From a
directory, Tenbin loads schema.grn, then indexes.grn, then all other such files. Documents need a
table, from a schema (Groonga) or a mapping (OpenSearch); without a mapping, OpenSearch chooses one.

Tenbin stores the progress of a load next to the data: after an interruption, run the same command
again to resume. Records that are sent twice create no duplicates, because every record has a key.

With several servers, every Groonga server gets all data. The nodes of an OpenSearch or Droonga
cluster get the records in turn, and only the first node gets schema and indexes.

Examples:
  tenbin search load search-data --into groonga --server http://127.0.0.1:10041
  tenbin search load search-data --into opensearch --server http://127.0.0.1:9200 --replicas 1
  tenbin search load shop.ndjson.gz --table Shop --key sku --mapping shop.json \\
      --into opensearch --server http://127.0.0.1:9200
  tenbin search load search-data --into droonga --server node0 --server node1 \\
      --messages-per-second 100 --report-throughput")]
pub struct SearchLoadArgs {
    /// Files of Groonga commands or documents, or a directory of such files; - reads standard input
    #[arg(value_name = "DATA", required_unless_present_any = ["schema", "indexes"])]
    pub data: Vec<PathBuf>,
    /// File with the schema, as Groonga commands; loaded first
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// File with the indexes; loaded before the data
    #[arg(long, value_name = "FILE")]
    pub indexes: Option<PathBuf>,
    /// Format of all files: groonga, ndjson, csv or tsv [default: by the extension of each file]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Table or index of documents [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Member or column with the key of a document [default: _key, _id or id]
    #[arg(long, value_name = "NAME")]
    pub key: Option<String>,
    /// Use the number of a document, from 1, as its key
    #[arg(long, conflicts_with = "key")]
    pub number_keys: bool,
    /// File with the mapping of an OpenSearch index for documents: the JSON body of a request that
    /// creates an index
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schema", "indexes"])]
    pub mapping: Option<PathBuf>,
    /// Kind of the servers: groonga, opensearch or droonga
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub into: &'static Kind,
    /// Server to load, repeatable: a URL, or HOST[:PORT][/TAG] of a Droonga engine
    #[arg(long = "server", value_name = "SERVER", required = true)]
    pub servers: Vec<String>,
    /// Maximum number of records per second [default: no limit]
    #[arg(long, value_name = "N", value_parser = rate)]
    pub messages_per_second: Option<f64>,
    /// Print the number of records per second, every second
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
    /// Shards of each OpenSearch index [default: the default of the server]
    #[arg(long, value_name = "N")]
    pub shards: Option<u32>,
    /// Replicas of each OpenSearch index [default: the default of the server]
    #[arg(long, value_name = "N")]
    pub replicas: Option<u32>,
    /// Merge each shard of an OpenSearch index into this many segments at the end. With and without
    /// this option, Tenbin refreshes the indexes at the end
    #[arg(long, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub force_merge: Option<u32>,
    /// Name of the Droonga data set
    #[arg(long, value_name = "NAME", default_value = "Default")]
    pub dataset: String,
    /// Login to the search server.
    #[command(flatten)]
    pub login: LoginArgs,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

fn kind(text: &str) -> Result<&'static Kind, Sentence> {
    super::named(KINDS, |kind| kind.name, text)
}

fn rate(text: &str) -> Result<f64, Sentence> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => Ok(rate),
        _ => Err(sentence!(
            "number-above-zero",
            "write a number above 0, for example 100"
        )),
    }
}
