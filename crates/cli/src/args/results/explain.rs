//! `tenbin explain`.

use clap::Args;

/// `tenbin explain`.
#[derive(Args)]
#[command(after_help = "\
Without RULE, tenbin explain lists all rules, one per line: name, severity and summary.

Example:
  tenbin explain keep_alive")]
pub struct ExplainArgs {
    /// Name of the rule, as printed with a finding [default: list all rules]
    #[arg(value_name = "RULE")]
    pub rule: Option<String>,
}
