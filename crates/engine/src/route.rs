//! The connection settings and the protocol of a target.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustls::ClientConfig;

use crate::address::{Host, Tls};
use crate::clock::Clock;
use crate::scheduler::Scheduler;
use crate::start_barrier::Arrival;
use crate::transport::TcpFigures;

/// Connection settings of a target: one host or several that share the load.
#[derive(Debug, Clone)]
pub struct Route {
    /// At least one host. Requests are distributed over the hosts by weight.
    pub hosts: Vec<Host>,
    /// Protocol of the connections.
    pub protocol: &'static dyn Protocol,
    /// TLS settings, if TLS is used; the ALPN list must offer `protocol`.
    pub tls: Option<Arc<ClientConfig>>,
    /// Source address of connections; chosen by the system if `None`.
    pub source: Option<IpAddr>,
}

impl Route {
    /// TLS settings of a connection to this host, if TLS is used.
    pub(crate) fn tls_to(&self, host: usize) -> Option<Tls<'_>> {
        Some((self.tls.as_ref()?, self.hosts[host].server_name.as_ref()?))
    }
}

/// A protocol, which sends the requests of one thread over the thread's connections.
pub trait Protocol: fmt::Debug + Send + Sync {
    /// Sends a thread's share of the requests of a slice.
    ///
    /// # Errors
    /// When the system cannot create a poll instance or a timer.
    fn send(&self, share: Share<'_, '_>) -> io::Result<TcpFigures>;

    /// Whether connections can be opened several times in a slice ([`tenbin_plan::Load::reopen`]).
    fn can_reopen(&self) -> bool {
        false
    }
}

/// A thread's share of a slice: the thread's connections and the scheduler of its requests.
pub struct Share<'a, 'w> {
    pub(crate) clock: Clock,
    pub(crate) route: &'a Route,
    /// Number of this thread's connections, over all hosts.
    pub(crate) connections: usize,
    pub(crate) depth: usize,
    pub(crate) connect_timeout: Duration,
    /// Whether waits must be accurate to the microsecond.
    pub(crate) precise: bool,
    pub(crate) scheduler: &'a mut Scheduler<'w>,
    pub(crate) arrival: Option<Arrival<'a>>,
    pub(crate) stop: &'a AtomicBool,
}
