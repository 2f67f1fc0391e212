//! Finds the local process that listens on a port, and reads its files, options and environment.

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use tenbin_http::Address;

use crate::counters::DiskSpace;
use crate::running::Running;

/// A local process. Only the id and name are displayed, because the command line and the
/// environment can contain secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pid: i32,
    /// Name in the kernel: at most 15 bytes, chosen by the process.
    name: String,
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} ({})", self.pid, self.name)
    }
}

/// A listening TCP socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listener {
    pub(super) address: SocketAddr,
    pub(super) owner: Owner,
}

/// Owner of a listening socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Owner {
    /// The process that holds the socket; the oldest, if several processes share the socket.
    Seen(Process),
    /// A process of another user, visible only to that user and root.
    Hidden {
        /// User id.
        uid: u32,
    },
}

/// Log files that a process has open, with their initial sizes.
#[derive(Debug)]
pub struct LogFiles(Vec<(PathBuf, u64)>);

impl LogFiles {
    /// Bytes written to the log files since the initial sizes were read.
    pub(super) fn grown(&self) -> u64 {
        let grown = self.0.iter().filter_map(|(file, before)| {
            let now = std::fs::metadata(file).ok()?.len();
            // After a truncation, the result is smaller than the number of bytes written.
            Some(now.saturating_sub(*before))
        });
        grown.sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Process {
    /// The local process that listens on the target's port, if visible. For several hosts, the
    /// first process found.
    pub fn behind(target: &Running) -> Option<Self> {
        let addresses = target.route.hosts.iter().flat_map(|host| &host.addresses);
        addresses.filter_map(of_address).next()
    }

    /// The data directory of the process, as a path on this machine, if the command line or the
    /// open files show the directory. The working directory alone is no evidence.
    pub fn data_directory(&self) -> Option<PathBuf> {
        let (here, _, found) = self.data()?;
        (found != FoundBy::WorkingDirectory).then_some(here)
    }
}

/// Most processes of a target whose directories are read.
const MOST_PROCESSES: usize = 64;

/// The space on a filesystem that is nearly full and that the target's processes on this machine use:
/// for the directories on their command lines, for files open for writing, or as their working
/// directories. Of several such filesystems, the one with the least available space. `None` if there
/// is none, or no process is visible.
pub fn nearly_full_disk(target: &Running) -> Option<DiskSpace> {
    let members = target.members().into_iter();
    let members = members.chain(target.listener_members());
    let directories: BTreeSet<PathBuf> = members
        .take(MOST_PROCESSES)
        .flat_map(|pid| {
            let name = String::new();
            Process { pid, name }.directories()
        })
        .collect();
    let spaces = directories.iter();
    let spaces = spaces.filter_map(|directory| DiskSpace::of_writable(directory).ok()?);
    spaces
        .filter(DiskSpace::is_nearly_full)
        .min_by_key(|space| space.available)
}

/// How the data directory of a target was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundBy {
    /// The user named the directory.
    User,
    /// The command line of the process names the directory.
    CommandLine,
    /// The process has files open in the directory.
    OpenFiles,
    /// The directory is the working directory of the process, which is no evidence.
    WorkingDirectory,
}

impl FoundBy {
    /// The directory in words.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::User => "data directory",
            Self::CommandLine => "the directory on its command line",
            Self::OpenFiles => "where it has files open",
            Self::WorkingDirectory => "its working directory",
        }
    }

    /// The word by which other languages choose their text.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "given",
            Self::CommandLine => "command",
            Self::OpenFiles => "files",
            Self::WorkingDirectory => "working",
        }
    }
}

fn of_address(address: &Address) -> Option<Process> {
    let listener = match address {
        Address::Unix(path) => return unix_listener(path),
        Address::Tcp(address) => {
            if !is_local(*address) {
                return None;
            }
            let all = listeners(address.port());
            let serves = |listener: &&Listener| {
                let ip = listener.address.ip();
                ip == address.ip() || ip.is_unspecified()
            };
            all.iter().find(serves)?.owner.clone()
        }
    };
    match listener {
        Owner::Seen(process) => Some(process),
        Owner::Hidden { .. } => None,
    }
}

/// Whether an address is local: only local addresses can be bound.
fn is_local(address: SocketAddr) -> bool {
    std::net::UdpSocket::bind((address.ip(), 0)).is_ok()
}

#[cfg(target_os = "linux")]
pub(super) use linux::listeners;
#[cfg(target_os = "linux")]
use linux::unix_listener;

#[cfg(not(target_os = "linux"))]
pub(super) fn listeners(_port: u16) -> Vec<Listener> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn unix_listener(_path: &std::path::Path) -> Option<Process> {
    None
}

#[cfg(not(target_os = "linux"))]
impl Process {
    pub(super) fn command(&self) -> Vec<String> {
        Vec::new()
    }

    pub(super) fn variables(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    pub(super) fn open_files_limit(&self) -> Option<u64> {
        None
    }

    pub(super) fn open_files(&self) -> Option<u64> {
        None
    }

    /// Returns no log files, because this system has no `/proc`.
    pub fn logs(&self) -> LogFiles {
        LogFiles(Vec::new())
    }

    pub(super) fn data(&self) -> Option<(PathBuf, PathBuf, FoundBy)> {
        None
    }

    fn directories(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};

    use procfs::net::{TcpNetEntry, TcpState, tcp, tcp6, unix};
    use procfs::process::{FDPermissions, FDTarget, LimitValue, all_processes};

    use super::{FoundBy, Listener, LogFiles, Owner, Process};

    /// All sockets that listen on a port, on any address.
    pub(in super::super) fn listeners(port: u16) -> Vec<Listener> {
        let entries = tcp().into_iter().chain(tcp6()).flatten();
        let listens = |entry: &TcpNetEntry| {
            entry.state == TcpState::Listen && entry.local_address.port() == port
        };
        let mut found: Vec<Listener> = Vec::new();
        for entry in entries.filter(listens) {
            let owner = match holder(entry.inode) {
                Some(process) => Owner::Seen(process),
                None => Owner::Hidden { uid: entry.uid },
            };
            let mut address = entry.local_address;
            address.set_ip(address.ip().to_canonical());
            found.push(Listener { address, owner });
        }
        found
    }

    pub(super) fn unix_listener(path: &Path) -> Option<Process> {
        let entries = unix().ok()?;
        let inode = entries
            .into_iter()
            .find(|entry| entry.path.as_deref() == Some(path))?
            .inode;
        holder(inode)
    }

    /// The oldest process that has the socket with this inode open.
    fn holder(inode: u64) -> Option<Process> {
        let mut holders: Vec<(u64, i32, String)> = Vec::new();
        for process in all_processes().ok()?.flatten() {
            let Ok(files) = process.fd() else { continue };
            let holds = |target: &FDTarget| matches!(target, FDTarget::Socket(of) if *of == inode);
            if files.flatten().any(|file| holds(&file.target))
                && let Ok(stat) = process.stat()
            {
                holders.push((stat.starttime, process.pid(), stat.comm));
            }
        }
        let (_, pid, name) = holders.into_iter().min()?;
        Some(Process { pid, name })
    }

    impl Process {
        fn read(&self) -> Option<procfs::process::Process> {
            procfs::process::Process::new(self.pid).ok()
        }

        /// Command line of the process. May contain secrets.
        pub(in super::super) fn command(&self) -> Vec<String> {
            let command = self.read().and_then(|process| process.cmdline().ok());
            command.unwrap_or_default()
        }

        /// Environment of the process. May contain secrets.
        pub(in super::super) fn variables(&self) -> Vec<(String, String)> {
            let environment = self.read().and_then(|process| process.environ().ok());
            let mut variables: Vec<_> = environment
                .unwrap_or_default()
                .into_iter()
                .map(|(name, value)| {
                    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
                    (text(name), text(value))
                })
                .collect();
            variables.sort();
            variables
        }

        /// Soft limit of open files.
        pub(in super::super) fn open_files_limit(&self) -> Option<u64> {
            let limits = self.read()?.limits().ok()?;
            Some(match limits.max_open_files.soft_limit {
                LimitValue::Value(limit) => limit,
                LimitValue::Unlimited => u64::MAX,
            })
        }

        /// Number of open files.
        pub(in super::super) fn open_files(&self) -> Option<u64> {
            Some(self.read()?.fd_count().ok()? as u64)
        }

        /// Log files with their current sizes: standard output and standard error if they are
        /// files, and all files `*.log` open for writing.
        pub fn logs(&self) -> LogFiles {
            let mut seen = HashSet::new();
            let files = self.written_files().into_iter().filter(|(fd, path)| {
                *fd == 1 || *fd == 2 || path.extension().is_some_and(|ending| ending == "log")
            });
            let logs = files.filter_map(|(fd, _)| {
                // This path leads to the file even if the process runs in a container.
                let file = PathBuf::from(format!("/proc/{}/fd/{fd}", self.pid));
                let about = fs::metadata(&file).ok()?;
                let is_new = seen.insert((about.dev(), about.ino()));
                (about.is_file() && is_new).then_some((file, about.len()))
            });
            LogFiles(logs.collect())
        }

        /// The probable data directory: the path on this machine, the path in the process's view,
        /// and the evidence.
        pub(in super::super) fn data(&self) -> Option<(PathBuf, PathBuf, FoundBy)> {
            // In a container, the same path leads to a different file.
            let root = PathBuf::from(format!("/proc/{}/root", self.pid));
            let here = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
            let own = self.read()?.cwd().ok()?;
            let command = self.command();
            let words = command.iter().skip(1).rev().map(|word| own.join(word));
            let mut named = words.filter(|path| here(path).is_dir());
            if let Some(path) = named.next() {
                return Some((here(&path), path, FoundBy::CommandLine));
            }
            let is_data = |path: &Path| path.extension().is_none_or(|ending| ending != "log");
            let written = self.written_files().into_iter();
            let mut data = written.filter(|(fd, path)| *fd > 2 && is_data(path));
            if let Some(parent) = data
                .next()
                .and_then(|(_, path)| Some(path.parent()?.to_owned()))
            {
                return Some((here(&parent), parent, FoundBy::OpenFiles));
            }
            Some((here(&own), own, FoundBy::WorkingDirectory))
        }

        /// The directories on the command line, those of files open for writing, and the working
        /// directory, as paths on this machine.
        pub(super) fn directories(&self) -> Vec<PathBuf> {
            let root = PathBuf::from(format!("/proc/{}/root", self.pid));
            let here = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
            let Some(own) = self.read().and_then(|process| process.cwd().ok()) else {
                return Vec::new();
            };
            let command = self.command();
            let words = command.iter().skip(1).map(|word| here(&own.join(word)));
            let named = words.filter(|path| path.is_dir());
            let written = self.written_files().into_iter();
            let written = written.filter_map(|(_, path)| Some(here(path.parent()?)));
            named.chain(written).chain([here(&own)]).collect()
        }

        /// Regular files open for writing, with their descriptors.
        fn written_files(&self) -> Vec<(i32, PathBuf)> {
            let files = self.read().and_then(|process| process.fd().ok());
            let files = files.into_iter().flatten().flatten();
            let mut written: Vec<(i32, PathBuf)> = files
                .filter(|file| file.mode().contains(FDPermissions::WRITE))
                .filter_map(|file| match file.target {
                    FDTarget::Path(path) if !path.starts_with("/dev") => Some((file.fd, path)),
                    _ => None,
                })
                .collect();
            written.sort();
            written
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::Write as _;
        use std::process::{Command, Stdio};

        use super::*;

        #[test]
        fn command_line_and_environment_of_a_process_are_read() {
            let directory = tempfile::tempdir().unwrap();
            let log = directory.path().join("it.log");
            let out = fs::File::create(&log).unwrap();
            let mut child = Command::new("sh")
                .args(["-c", "ulimit -n 64; echo x; exec sleep 60"])
                .env("LOUD", "yes")
                .current_dir(directory.path())
                .stdout(out.try_clone().unwrap())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let process = Process {
                pid: child.id().cast_signed(),
                name: "sh".to_owned(),
            };
            // Waits until the shell has executed `sleep`.
            while process.command().first().is_none_or(|word| word != "sleep") {
                std::thread::yield_now();
            }
            assert_eq!(process.open_files_limit(), Some(64));
            assert!(process.open_files().is_some_and(|open| open >= 3));
            let loud = ("LOUD".to_owned(), "yes".to_owned());
            assert!(process.variables().contains(&loud));
            let logs = process.logs();
            (&out).write_all(b"more").unwrap();
            assert_eq!(logs.grown(), 4);
            let (here, shown, found) = process.data().unwrap();
            assert_eq!(shown, directory.path().canonicalize().unwrap());
            assert!(here.is_dir());
            assert_eq!(found, FoundBy::WorkingDirectory);
            assert!(process.directories().contains(&here));
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
