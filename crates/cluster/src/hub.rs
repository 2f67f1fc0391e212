//! `tenbin hub`: a NATS server with a generated configuration.
//!
//! [`prepare`] writes the configuration, the keys and the certificates into a directory, and
//! [`NatsServer`] finds the program. The caller starts the program in the directory, with
//! [`ARGUMENTS`].

mod addresses;
mod config;
mod directory;
mod keys;
mod program;

use std::net::SocketAddr;
use std::path::PathBuf;

use self::addresses::Addresses;
use self::directory::Directory;
use self::keys::Keys;
use crate::error::ClusterError;

pub use self::program::NatsServer;

/// The configuration file of `nats-server` in the directory of the hub.
const CONFIG: &str = "nats.conf";
/// The certificate of the hub, as the configuration names it.
const SERVER_CERTIFICATE: &str = "server.pem";
/// The private key of the hub's certificate, as the configuration names it.
const SERVER_KEY: &str = "server.key";
/// The credentials of agents in the directory of the hub.
pub const AGENT_CREDS: &str = "agent.creds";
/// The credentials of coordinators in the directory of the hub.
pub const COORDINATOR_CREDS: &str = "coordinator.creds";

/// Arguments of `nats-server`, whose working directory is the directory of the hub.
pub const ARGUMENTS: [&str; 2] = ["-c", CONFIG];

/// Settings of a hub.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address and port to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Directory of the configuration and the keys, created if missing.
    pub directory: PathBuf,
    /// Further host names and IP addresses under which load machines reach the hub.
    pub names: Vec<String>,
}

/// A hub whose files are written, ready to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hub {
    /// Directory of the configuration and the keys.
    pub directory: PathBuf,
    /// URL for load machines: the first name, or an address of this machine.
    pub url: String,
    /// An address on which this machine can connect to the hub.
    pub local: SocketAddr,
    /// Whether only this machine can connect.
    pub is_local_only: bool,
    /// Whether the directory had keys, so that earlier copies of the credentials stay valid.
    pub has_earlier_keys: bool,
}

/// Chooses the port and writes all files of a hub. Keys of an earlier start are used again.
///
/// # Errors
/// If a name is invalid, the address cannot be listened on, the directory is open to other users or
/// incomplete, or a file cannot be read or written.
pub fn prepare(options: &Options) -> Result<Hub, ClusterError> {
    let addresses = Addresses::new(options.listen, &options.names)?;
    let directory = Directory::open(&options.directory)?;
    let keys = Keys::load_or_make(&directory)?;
    let server = keys.server_certificate(&addresses.in_certificate)?;
    directory.write(SERVER_KEY, &server.key)?;
    directory.write(SERVER_CERTIFICATE, &server.certificate)?;
    let config = config::text(
        addresses.listen,
        &keys.coordinator.public_key(),
        &keys.agent.public_key(),
    );
    directory.write(CONFIG, &config)?;
    Ok(Hub {
        directory: options.directory.clone(),
        url: addresses.url,
        local: addresses.local,
        is_local_only: addresses.listen.ip().is_loopback(),
        has_earlier_keys: keys.are_earlier,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::Path;

    use super::*;
    use crate::Creds;

    fn options(directory: &Path) -> Options {
        Options {
            listen: "127.0.0.1:0".parse().unwrap(),
            directory: directory.to_owned(),
            names: vec!["hub.test".to_owned()],
        }
    }

    fn files(directory: &Path) -> BTreeMap<String, String> {
        let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read_to_string(entry.path()).unwrap())
            })
            .collect()
    }

    #[test]
    fn files_are_readable_by_their_owner_only() {
        let here = tempfile::tempdir().unwrap();
        let directory = here.path().join("a/hub");
        let hub = prepare(&options(&directory)).unwrap();
        assert!(!hub.has_earlier_keys);
        assert_eq!(hub.url, format!("tls://hub.test:{}", hub.local.port()));
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!(mode(&directory), 0o700);
        let names: Vec<String> = files(&directory).into_keys().collect();
        assert_eq!(
            names,
            [
                "agent.creds", "authority.key", "coordinator.creds", "nats.conf", "server.key",
                "server.pem"
            ]
        );
        for name in &names {
            assert_eq!(mode(&directory.join(name)), 0o600, "{name}");
        }
    }

    #[test]
    fn a_second_start_uses_the_same_keys() {
        let here = tempfile::tempdir().unwrap();
        let directory = here.path().join("hub");
        prepare(&options(&directory)).unwrap();
        let first = files(&directory);
        assert!(prepare(&options(&directory)).unwrap().has_earlier_keys);
        let second = files(&directory);
        for kept in ["agent.creds", "coordinator.creds", "authority.key"] {
            assert_eq!(first[kept], second[kept]);
        }
        let users = |conf: &str| {
            let lines = conf.lines().filter(|line| line.contains("nkey:"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(users(&first["nats.conf"]), users(&second["nats.conf"]));
    }

    #[test]
    fn only_the_credentials_contain_seeds() {
        let here = tempfile::tempdir().unwrap();
        prepare(&options(&here.path().join("hub"))).unwrap();
        let files = files(&here.path().join("hub"));
        let seeds: Vec<String> = [AGENT_CREDS, COORDINATOR_CREDS]
            .map(|name| {
                Creds::read(&here.path().join("hub").join(name))
                    .unwrap()
                    .seed
            })
            .into();
        assert_ne!(seeds[0], seeds[1]);
        for (name, text) in files {
            let count = seeds.iter().filter(|seed| text.contains(*seed)).count();
            assert_eq!(count, usize::from(name.ends_with(".creds")), "{name}");
        }
    }

    #[test]
    fn an_open_or_incomplete_directory_is_refused() {
        let here = tempfile::tempdir().unwrap();
        let directory = here.path().join("hub");
        prepare(&options(&directory)).unwrap();

        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let error = prepare(&options(&directory)).unwrap_err().to_string();
        assert!(error.ends_with("or give another --dir"), "{error}");
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();

        let creds = directory.join(AGENT_CREDS);
        fs::set_permissions(&creds, fs::Permissions::from_mode(0o640)).unwrap();
        let error = prepare(&options(&directory)).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");

        fs::remove_file(&creds).unwrap();
        let error = prepare(&options(&directory)).unwrap_err().to_string();
        assert!(error.contains("lacks agent.creds"), "{error}");
    }
}
