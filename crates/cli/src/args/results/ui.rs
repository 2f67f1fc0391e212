//! `tenbin ui`.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Sentence, sentence};

/// `tenbin ui`.
#[derive(Args)]
#[command(after_help = "\
Prints the address of the pages, which contains a secret token. The pages list, show and compare the
runs, show their history and the progress of a running one, and label, annotate and delete runs. They
work without JavaScript. Nothing outside DIR is read or written. Only programs of this machine can
connect; from another machine, forward the port: ssh -L 8790:127.0.0.1:8790 HOST (docs/ui.md).

Examples:
  tenbin ui
  tenbin ui --open
  tenbin ui nightly --port 8790")]
pub struct UiArgs {
    /// Directory with the runs
    #[arg(value_name = "DIR", default_value = "runs")]
    pub directory: PathBuf,
    /// Port to listen on [default: a free one]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub port: u16,
    /// Address of this machine to listen on: 127.0.0.1 or ::1
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = local)]
    pub address: IpAddr,
    /// Open the pages in the browser
    #[arg(long)]
    pub open: bool,
}

fn local(text: &str) -> Result<IpAddr, Sentence> {
    const LOCAL: [&str; 2] = ["127.0.0.1", "::1"];
    let address = LOCAL.contains(&text).then(|| text.parse().ok()).flatten();
    address.ok_or_else(|| {
        sentence!(
            "ui-local-only",
            "the pages are for this machine only: use 127.0.0.1 or ::1, and ssh -L \
             PORT:127.0.0.1:PORT from another machine"
        )
    })
}
