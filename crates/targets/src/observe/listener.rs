//! Observes the local processes that listen on the port of a target that Tenbin did not launch and
//! that has no `observe` in the plan.
//!
//! The resource use of these processes is not reported as the target's, because parts of the target
//! can run elsewhere, for example in a container. Their use is read only to exclude their CPU time
//! from the CPU time of other programs.

use std::collections::BTreeSet;

use tenbin_http::Address;
use tenbin_plan::Processes;

use super::local::LocalProcesses;
use super::{Lost, Observed, Source};
use crate::route::ResolvedRoute;
use crate::usage::{Detail, Usage};

#[derive(Debug)]
struct Listener(LocalProcesses);

/// Observes the local processes that listen on the target's ports; `None` for a target without TCP
/// ports. A search that fails is repeated at later readings, because a server can start later.
pub(crate) fn listener(target: &str, route: &ResolvedRoute) -> Option<Observed> {
    let addresses = route.hosts.iter().flat_map(|host| &host.addresses);
    let ports: BTreeSet<u16> = addresses
        .filter_map(|address| match address {
            Address::Tcp(address) => Some(address.port()),
            Address::Unix(_) => None,
        })
        .collect();
    let which: Vec<Processes> = ports.into_iter().map(Processes::Port).collect();
    let found = (!which.is_empty()).then(|| Listener(LocalProcesses::find_later(which)));
    found.map(|source| Observed::by(target, Box::new(source)))
}

impl Source for Listener {
    fn read(&mut self, detail: Detail) -> Result<Usage, Lost> {
        let usage = self.0.read(detail)?;
        // If the server has started Tenbin, the processes include Tenbin, which is counted
        // elsewhere.
        if self.includes_this_process() {
            let why = "the server's processes include the load generator";
            return Err(Lost::Because(why.to_owned()));
        }
        Ok(usage)
    }

    fn is_here(&self) -> bool {
        true
    }

    fn members(&self) -> Vec<i32> {
        if self.includes_this_process() {
            Vec::new()
        } else {
            self.0.members()
        }
    }
}

impl Listener {
    fn includes_this_process(&self) -> bool {
        let own = std::process::id().cast_signed();
        self.0.members().contains(&own)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpListener;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn to(port: u16) -> ResolvedRoute {
        let url = format!("http://127.0.0.1:{port}/").parse().expect("a URL");
        ResolvedRoute::resolve_hosts("a", &[(url, 1)], &tenbin_plan::Connect::default(), None)
            .expect("a route")
    }

    #[test]
    fn the_process_that_listens_is_found_once_it_is_up() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let found = listener("a", &to(port)).unwrap();
        assert!(found.members().is_empty(), "no process listens");
        let mut server = Command::new("python3")
            .args([
                "-m",
                "http.server",
                "--bind",
                "127.0.0.1",
                &port.to_string(),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Instant::now();
        let reading = loop {
            if let Some(reading) = found.read(Detail::Brief) {
                break Some(reading);
            }
            if started.elapsed() > Duration::from_secs(30) {
                break None;
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let members = found.members();
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(reading.and_then(|it| it.usage.cpu_seconds).is_some());
        assert_eq!(members, [server.id().cast_signed()]);
    }

    #[test]
    fn a_server_within_this_process_is_not_counted_twice() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let found = listener("a", &to(server.local_addr().unwrap().port())).unwrap();
        assert_eq!(found.read(Detail::Brief), None);
        assert!(found.members().is_empty());
    }
}
