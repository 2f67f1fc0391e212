//! The options of `tenbin agent` and `tenbin agents`.

use std::path::PathBuf;

use clap::Args;
use ipnet::IpNet;
use tenbin_cluster::{ClusterError, Creds, Server};
use tenbin_plan::{Sentence, sentence};
use tenbin_runner::AgentLimits;

/// Where the agents and the coordinator meet.
#[derive(Args)]
#[command(next_help_heading = "NATS server")]
pub struct NatsArgs {
    /// NATS server that the agents connect to, for example tls://10.0.0.1:4222 (`tenbin hub`
    /// starts one)
    #[arg(long, value_name = "URL")]
    pub nats: String,
    /// Credentials for the NATS server, written by `tenbin hub`
    #[arg(long, value_name = "FILE")]
    pub creds: Option<PathBuf>,
}

impl NatsArgs {
    /// The server.
    ///
    /// # Errors
    /// When the file with the credentials cannot be used.
    pub fn server(&self) -> Result<Server, ClusterError> {
        Ok(Server {
            url: self.nats.clone(),
            creds: self.creds.as_deref().map(Creds::read).transpose()?,
        })
    }
}

/// `tenbin agent`.
#[derive(Args)]
#[command(after_help = "\
An agent sends requests only to the networks in --allow, even if a plan names other addresses.
Without --allow, an agent sends requests only to its own machine. An agent stops sending after 3
seconds without a heartbeat from the coordinator.

Example, on each of two load machines, for servers in 10.0.0.0/24:
  tenbin agent --nats tls://10.0.0.1:4222 --creds agent.creds --allow 10.0.0.0/24
Then, on the machine of the hub:
  tenbin http --agents 2 --nats tls://10.0.0.1:4222 --creds tenbin-hub/coordinator.creds \\
      --target a=http://10.0.0.8/ --target b=http://10.0.0.9/")]
pub struct AgentArgs {
    /// The server.
    #[command(flatten)]
    pub nats: NatsArgs,
    /// Name of this agent, unique among the agents: letters, digits, - and _ [default: the name of
    /// the host and six digits that distinguish hosts of one name; the second agent on a host
    /// adds -2]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub name: Option<String>,
    /// Network or address that requests may be sent to, such as 10.0.0.0/24. Repeatable, or a list
    /// with commas [default: 127.0.0.0/8, ::1]
    #[arg(long, value_name = "NETWORK", value_delimiter = ',', value_parser = network)]
    pub allow: Vec<IpNet>,
    /// Refuse plans that need more connections of this agent
    #[arg(long, value_name = "N")]
    pub max_connections: Option<usize>,
    /// Refuse plans that need a higher rate of this agent, requests per second, or that have no
    /// fixed rate
    #[arg(long, value_name = "RATE")]
    pub max_rate: Option<f64>,
    /// Environment variable of this machine that plans may use, such as the name of an S3 secret
    /// key; a coordinator can send its value to every address in --allow. Repeatable, or a list with
    /// commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub env: Vec<String>,
    /// File of this machine, or directory with files, that plans may use as a secret; a coordinator
    /// can send its content to every address in --allow. Repeatable
    #[arg(long, value_name = "PATH")]
    pub file: Vec<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(long, short)]
    pub quiet: bool,
}

impl AgentArgs {
    /// The limits of this agent.
    pub fn limits(&self) -> AgentLimits {
        let usual = AgentLimits::loopback();
        AgentLimits {
            allow: if self.allow.is_empty() {
                usual.allow
            } else {
                self.allow.clone()
            },
            connections: self.max_connections,
            rate: self.max_rate,
            variables: self.env.iter().cloned().collect(),
            files: self.file.clone(),
        }
    }
}

/// `tenbin agents`.
#[derive(Args)]
#[command(after_help = "\
Columns:
  state        free, busy with a run, or another build of Tenbin
  addresses    addresses of the machine
  clock        maximum error of this machine's estimate of the agent's clock, and so of the start
               of a slice
  sends up to  requests per second that all cores together can send, measured over loopback when the
               agent started
  may send to  networks in --allow of the agent")]
pub struct AgentsArgs {
    /// The server.
    #[command(flatten)]
    pub nats: NatsArgs,
    /// Print the agents as JSON
    #[arg(long)]
    pub json: bool,
}

fn name(text: &str) -> Result<String, Sentence> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !text.is_empty() && text.len() <= 64 && text.chars().all(is_fine) {
        Ok(text.to_owned())
    } else {
        Err(sentence!(
            "agent-name",
            "use 1 to 64 letters, digits, - and _"
        ))
    }
}

fn network(text: &str) -> Result<IpNet, Sentence> {
    let address = text.parse::<std::net::IpAddr>().map(IpNet::from);
    address.or_else(|_| text.parse()).map_err(|_| {
        sentence!(
            "no-network",
            "write an address or a network, for example 10.0.0.0/24"
        )
    })
}
