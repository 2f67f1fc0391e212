//! `--columns`, of the commands that read result files.

use clap::Args;
use tenbin_report::formats::ColumnMap;

/// How lists of requests are read that no format describes.
#[derive(Args, Default)]
pub struct ColumnsArgs {
    /// Read a list of requests of any tool, CSV or TSV with a row for each request, by its columns:
    /// ROLE=COLUMN,…; the roles are time, duration (with the unit: duration_ms), status, error, bytes
    /// and operation
    #[arg(long, value_name = "MAP")]
    pub columns: Option<ColumnMap>,
}
