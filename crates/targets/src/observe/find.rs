//! Finds processes by id, port or name.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use procfs::net::{TcpNetEntry, TcpState};
use procfs::process::Stat;
use tenbin_plan::{Processes, Within};

use crate::tree;

/// Process id and start time. The kernel reuses ids; the pair is unique.
pub(super) type Identity = (i32, u64);

/// Length to which the kernel truncates a process's `comm`, bytes.
const LONGEST_COMM: usize = 15;

/// The processes that match the [`Processes`] settings of a target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The topmost processes of all settings together: no process descends from another.
    pub(super) topmost: Vec<Identity>,
    /// The topmost processes of each setting, in order. A process can belong to several settings.
    pub(super) each: Vec<Vec<Identity>>,
}

/// Finds the processes that each setting selects.
///
/// # Errors
/// The reason, in one clause: no process matches, or the processes are not visible.
pub(super) fn find(which: &[Processes]) -> Result<Found, String> {
    let all = tree::all_processes();
    let mut together: Vec<&Stat> = Vec::new();
    let mut each = Vec::new();
    for which in which {
        let found = selected(which, &all)?;
        each.push(topmost(&found, &all));
        for process in found {
            if !together.iter().any(|known| known.pid == process.pid) {
                together.push(process);
            }
        }
    }
    Ok(Found {
        topmost: topmost(&together, &all),
        each,
    })
}

/// Whether the process with this identity is still alive.
pub(super) fn lives(identity: &Identity) -> bool {
    let (pid, start) = *identity;
    tree::stat(pid).is_some_and(|stat| stat.starttime == start && !matches!(stat.state, 'Z' | 'X'))
}

fn selected<'a>(which: &Processes, all: &'a [Stat]) -> Result<Vec<&'a Stat>, String> {
    let alive = |process: &&Stat| !matches!(process.state, 'Z' | 'X');
    let found: Vec<&Stat> = match which {
        Processes::Pid(pid) => {
            let meant = |process: &&Stat| u32::try_from(process.pid) == Ok(*pid);
            let found: Vec<&Stat> = all.iter().filter(alive).filter(meant).collect();
            if found.is_empty() {
                return Err(format!("there is no process {pid} that this user can see"));
            }
            found
        }
        Processes::Port(port) => listening(*port, all)?,
        Processes::OwnPort => return Err("it has no TCP port".to_owned()),
        Processes::Name(name) => called(name, all)?,
        Processes::NameWithin(name, within) => {
            let called = called(name, all)?;
            let number = called.len();
            let within = |process: &&Stat| is_within(process.pid, within);
            let found: Vec<&Stat> = called.into_iter().filter(within).collect();
            if found.is_empty() {
                return Err(format!(
                    "there are no {which} that this user can see, but {number} of this name; for \
                     one of several servers, port:N names the process that listens on a port"
                ));
            }
            found
        }
    };
    Ok(found)
}

fn called<'a>(name: &str, all: &'a [Stat]) -> Result<Vec<&'a Stat>, String> {
    let own = std::process::id();
    let alive = |process: &&Stat| !matches!(process.state, 'Z' | 'X');
    let meant = |process: &&Stat| u32::try_from(process.pid) != Ok(own) && is_called(process, name);
    let found: Vec<&Stat> = all.iter().filter(alive).filter(meant).collect();
    if found.is_empty() {
        return Err(format!(
            "no process is called {name:?}; ps -e -o comm lists the names"
        ));
    }
    Ok(found)
}

fn is_within(pid: i32, within: &Within) -> bool {
    match within {
        Within::Directory(directory) => {
            let real = std::fs::canonicalize(directory);
            let real = real.as_deref().unwrap_or(directory);
            works_in(pid, &[directory, real])
        }
        Within::Cgroup(cgroup) => {
            let groups = std::fs::read_to_string(format!("/proc/{pid}/cgroup"));
            let groups = groups.unwrap_or_default();
            // Each line has an id, the controllers and the path.
            let mut paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
            paths.any(|path| Path::new(path).starts_with(cgroup))
        }
    }
}

/// Whether the working directory of a process or a path among its arguments is in one of these
/// directories.
fn works_in(pid: i32, directories: &[&Path]) -> bool {
    let own = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_default();
    let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = arguments.split(|byte| *byte == 0).skip(1);
    let words = words.filter(|word| !word.is_empty()).map(OsStr::from_bytes);
    let value_of = |word: &OsStr| {
        let bytes = word.as_bytes();
        let at = bytes.iter().position(|byte| *byte == b'=');
        OsStr::from_bytes(at.map_or(bytes, |at| &bytes[at + 1..])).to_owned()
    };
    let mut paths = words.map(|word| own.join(value_of(word)));
    let is_in = |path: &Path| {
        let leads_up = path.components().any(|part| part == Component::ParentDir);
        !leads_up
            && directories
                .iter()
                .any(|directory| path.starts_with(directory))
    };
    is_in(&own) || paths.any(|path| is_in(&path))
}

fn is_called(process: &Stat, name: &str) -> bool {
    let end = name.floor_char_boundary(LONGEST_COMM);
    if process.comm == name[..end] && process.comm.len() == end {
        return true;
    }
    let file = |path: &Path| path.file_name().is_some_and(|file| file == name);
    let program = std::fs::read_link(format!("/proc/{}/exe", process.pid));
    program.is_ok_and(|path| file(&path))
}

/// The processes that listen on `port`.
pub(super) fn listening(port: u16, all: &[Stat]) -> Result<Vec<&Stat>, String> {
    let entries = |entries: procfs::ProcResult<Vec<TcpNetEntry>>| entries.unwrap_or_default();
    let sockets: HashSet<u64> = entries(procfs::net::tcp())
        .into_iter()
        .chain(entries(procfs::net::tcp6()))
        .filter(|entry| entry.state == TcpState::Listen && entry.local_address.port() == port)
        .map(|entry| entry.inode)
        .collect();
    if sockets.is_empty() {
        return Err(format!(
            "nothing listens on port {port} of this machine (a container may have a network of \
             its own: name its process by pid or name)"
        ));
    }
    let holders: Vec<&Stat> = all
        .iter()
        .filter(|process| holds(process.pid, &sockets))
        .collect();
    if holders.is_empty() {
        return Err(format!(
            "something listens on port {port}, and this user may not see which process; run \
             this as the user of that process or as root, or name it by pid or name"
        ));
    }
    Ok(holders)
}

fn holds(pid: i32, sockets: &HashSet<u64>) -> bool {
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    let links = entries
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links
        .filter_map(|link| socket_of(&link))
        .any(|inode| sockets.contains(&inode))
}

/// Parses the inode of a link `socket:[1234]`.
fn socket_of(link: &Path) -> Option<u64> {
    let text = link.to_str()?.strip_prefix("socket:[")?;
    text.strip_suffix(']')?.parse().ok()
}

/// The processes in `found` that do not descend from another process in `found`.
fn topmost(found: &[&Stat], all: &[Stat]) -> Vec<Identity> {
    let mut below: HashSet<i32> = HashSet::new();
    for process in found {
        let descendants = tree::below(process.pid, all);
        below.extend(descendants.iter().map(|process| process.pid));
    }
    let top = found.iter().filter(|process| !below.contains(&process.pid));
    top.map(|process| (process.pid, process.starttime))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::Stdio;

    use super::*;

    fn own() -> i32 {
        std::process::id().cast_signed()
    }

    #[test]
    fn the_holder_of_a_port_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let found = find(&[Processes::Port(port)]).unwrap().topmost;
        assert!(found.iter().any(|(pid, _)| *pid == own()), "{found:?}");
        drop(listener);
        // A child of another test holds a copy of the socket between fork and exec.
        let started = std::time::Instant::now();
        let why = loop {
            match find(&[Processes::Port(port)]) {
                Err(why) => break why,
                Ok(found) => assert!(started.elapsed().as_secs() < 20, "{found:?}"),
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        assert!(why.starts_with("nothing listens on port"), "{why}");
    }

    #[test]
    fn missing_processes_are_errors() {
        let why = find(&[Processes::Pid(1 << 22)]).unwrap_err();
        assert!(why.starts_with("there is no process 4194304"), "{why}");
        let why = find(&[Processes::Name("no-such-program-anywhere".to_owned())]).unwrap_err();
        assert!(why.contains("no process is called"), "{why}");
    }

    #[test]
    fn a_process_is_found_by_program_name_or_comm() {
        let stat = tree::stat(own()).unwrap();
        let exe = std::env::current_exe().unwrap();
        let file = exe.file_name().unwrap().to_str().unwrap();
        assert!(is_called(&stat, file));
        assert!(!is_called(&stat, "t"));
        assert!(!is_called(&stat, ""), "every name begins with nothing");
    }

    #[test]
    fn a_name_can_be_limited_to_a_directory_or_a_cgroup() {
        let scratch = tempfile::tempdir().unwrap();
        let here = std::fs::canonicalize(scratch.path()).unwrap();
        // `find` reports only the topmost processes. A shell above the test would hide those below it,
        // so that they need another name.
        let program = here.join("tenbin-sh");
        std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
        // The shells of a and b work in the directory; that of c has the directory as an argument.
        let shell = |name: &str| {
            let own = here.join(name);
            std::fs::create_dir(&own).unwrap();
            let mut command = std::process::Command::new(&program);
            command
                .args(["-c", "read line", "sh"])
                .stdin(Stdio::piped());
            match name {
                "c" => command.arg(format!("--data={}/data", own.display())),
                _ => command.current_dir(own),
            };
            command.spawn().unwrap()
        };
        let mut children = ["a", "b", "c"].map(shell);
        let pids = children.each_ref().map(|child| child.id().cast_signed());
        let within = |within: Within| -> Result<Vec<i32>, String> {
            let found = find(&[Processes::NameWithin("tenbin-sh".to_owned(), within)])?;
            Ok(found.topmost.into_iter().map(|(pid, _)| pid).collect())
        };
        let directory = |name: &str| within(Within::Directory(here.join(name)));
        let started = std::time::Instant::now();
        // A child has its name and arguments only after exec.
        while ["a", "b", "c"].map(directory) != pids.map(|pid| Ok(vec![pid])) {
            assert!(started.elapsed().as_secs() < 20, "{pids:?}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let own = std::fs::read_to_string(format!("/proc/{}/cgroup", pids[0])).unwrap();
        let own = own.lines().last().unwrap().splitn(3, ':').nth(2).unwrap();
        let in_cgroup = within(Within::Cgroup(own.into())).unwrap();
        assert!(
            pids.iter().all(|pid| in_cgroup.contains(pid)),
            "{in_cgroup:?}"
        );
        let why = within(Within::Cgroup("/no/such/group".into())).unwrap_err();
        assert!(why.contains("in cgroup /no/such/group"), "{why}");
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn only_the_master_of_a_master_and_its_workers_is_topmost() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let all = tree::all_processes();
        let of = |pid: i32| all.iter().find(|process| process.pid == pid).unwrap();
        let found = [of(own()), of(child.id().cast_signed())];
        let top = topmost(&found, &all);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(top, [(own(), of(own()).starttime)]);
    }

    #[test]
    fn a_process_selected_twice_is_found_once() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let own_pid = Processes::Pid(std::process::id());
        let found = find(&[Processes::Pid(child.id()), own_pid.clone(), own_pid]).unwrap();
        let top = |pid| (pid, tree::stat(pid).unwrap().starttime);
        let (mine, of_child) = (top(own()), top(child.id().cast_signed()));
        child.kill().unwrap();
        child.wait().unwrap();
        // The child descends from this process.
        assert_eq!(found.topmost, [mine]);
        assert_eq!(found.each, [vec![of_child], vec![mine], vec![mine]]);
        assert!(lives(&mine) && !lives(&of_child));
    }

    #[test]
    fn sockets_are_distinguished_from_other_files() {
        assert_eq!(socket_of(Path::new("socket:[123]")), Some(123));
        assert_eq!(socket_of(Path::new("pipe:[123]")), None);
        assert_eq!(socket_of(Path::new("/tmp/socket:[123]")), None);
    }
}
