//! `tenbin explain`.

use clap::Args;

/// `tenbin explain`.
#[derive(Args)]
#[command(after_help = "\
Without a rule there is a line for each: its name, how severe its findings are, and what it finds.

Example:
  tenbin explain keep_alive")]
pub struct ExplainArgs {
    /// Name of a rule, as findings print it [default: list all rules]
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
}
