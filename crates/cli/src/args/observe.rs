//! `tenbin observe`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tenbin_plan::{Processes, Sentence, Within, sentence};

use super::serve::address;

const NOTES: &str = "\
Responds to GET /usage with JSON if the request contains the token, and rejects all other requests.
Changes nothing on the machine, and reads /proc only on request. The figures include all child
processes.

Example, on the machine of the server:
  head -c 32 /dev/urandom | base64 > token
  tenbin observe --listen 0.0.0.0:9901 --token-file token --tls-cert cert.pem --tls-key key.pem \\
      --name nginx

and on the machine of the load generator:
  tenbin http --target nginx=http://server:8080/ --observe tenbin:https://server:9901/ \\
      --observe-token-file token --observe-cacert cert.pem";

/// `tenbin observe`.
#[derive(Args)]
#[command(after_help = NOTES, group = clap::ArgGroup::new("processes").required(true))]
pub struct ObserveArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9901", value_parser = address)]
    pub listen: SocketAddr,
    /// File with the bearer token that requests must contain, at least 16 characters
    #[arg(long, value_name = "FILE")]
    pub token_file: PathBuf,
    /// PEM file of the server certificate
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file of the private key of the server certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Allow --listen on a non-loopback address without TLS: everybody on the network can then read
    /// the token and the figures
    #[arg(long, conflicts_with = "tls_cert")]
    pub without_tls: bool,
    /// Observe the process with this process ID
    #[arg(long, value_name = "N", group = "processes", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// Observe the processes that listen on this TCP port
    #[arg(long, value_name = "N", group = "processes", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Observe the processes with this name: the file name of the program, or the name that
    /// 'ps -o comm' prints
    #[arg(long, value_name = "PROGRAM", group = "processes", value_parser = program)]
    pub name: Option<String>,
    /// With --name: only processes that work in this directory, or have a path in the directory as
    /// an argument
    #[arg(
        long,
        value_name = "PATH",
        requires = "name",
        conflicts_with = "cgroup"
    )]
    pub dir: Option<PathBuf>,
    /// With --name: only processes in this cgroup or below it, as in /proc/PID/cgroup
    #[arg(long, value_name = "PATH", requires = "name")]
    pub cgroup: Option<PathBuf>,
}

impl ObserveArgs {
    /// The processes to observe. Exactly one of `--pid`, `--port` and `--name` is given.
    pub fn processes(&self) -> Processes {
        match (self.pid, self.port, &self.name) {
            (Some(pid), _, _) => Processes::Pid(pid),
            (None, Some(port), _) => Processes::Port(port),
            (None, None, name) => {
                let name = name.clone().unwrap_or_default();
                let directory = self.dir.clone().map(Within::Directory);
                match directory.or(self.cgroup.clone().map(Within::Cgroup)) {
                    None => Processes::Name(name),
                    Some(within) => Processes::NameWithin(name, within),
                }
            }
        }
    }
}

fn program(text: &str) -> Result<String, Sentence> {
    match text {
        "" => Err(sentence!("program-empty", "it is empty")),
        path if path.contains('/') => Err(sentence!(
            "program-without-path",
            "write the name of the program without a path"
        )),
        name => Ok(name.to_owned()),
    }
}
