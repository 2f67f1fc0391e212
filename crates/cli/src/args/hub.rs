//! `tenbin hub`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::serve::address;

const NOTES: &str = "\
Starts nats-server with TLS and a key for each role. Prints the commands for the load machines and
for the machine that coordinates them. Nobody can connect without a key.

Files in DIR, readable only by you:
  agent.creds                 key of the load machines: copy it to each of them
  coordinator.creds           key of the machine that runs `tenbin run`
  authority.key               key that signs the certificate of the hub
  server.pem, server.key      certificate of the hub, new at every start
  nats.conf                   configuration of nats-server, new at every start
  targets/nats-server.log     output of nats-server

A later start with the same DIR uses the keys again, so that earlier copies stay valid. Remove DIR
to make new keys.

Example, on a machine that the load machines reach as bench.example.org:
  tenbin hub --listen 0.0.0.0:4222 --name bench.example.org";

/// `tenbin hub`.
#[derive(Args)]
#[command(after_help = NOTES)]
pub struct HubArgs {
    /// Address and port to listen on; port 0 takes a free one. With 127.0.0.1, only this machine
    /// can connect
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4222", value_parser = address)]
    pub listen: SocketAddr,
    /// Directory of the keys and the configuration, created if missing
    #[arg(long, value_name = "DIR", default_value = "tenbin-hub")]
    pub dir: PathBuf,
    /// Host name or IP address under which load machines reach the hub, repeatable; the certificate
    /// is valid for it, and the printed commands contain the first [default: the address of
    /// --listen, or the addresses of this machine]
    #[arg(long = "name", value_name = "NAME")]
    pub names: Vec<String>,
    /// The nats-server program [default: nats-server in PATH]
    #[arg(long, value_name = "PATH")]
    pub nats_server: Option<PathBuf>,
}
