//! Protocols for connections; each protocol is a constant.
//!
//! A protocol whose responses arrive in the order of the requests needs only a [`Framing`], used
//! through [`StreamProtocol`]. Any other protocol needs a separate [`Driver`].

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::time::Duration;

use crate::address::{Address, Host};
use crate::clock::Clock;
use crate::driver::{self, Driver};
use crate::http1::response::ResponseReader;
use crate::http2::Http2;
use crate::route::{Protocol, Route, Share};
use crate::start_barrier;
use crate::stream::{Framing, StreamDriver};
use crate::transport::TcpFigures;

/// HTTP/1.1, pipelined at a depth above 1.
pub const HTTP1: &dyn Protocol = &StreamProtocol::<ResponseReader>::new("HTTP/1.1");

/// HTTP/2, negotiated by ALPN with TLS, or by prior knowledge without TLS.
pub const HTTP2: &dyn Protocol = &Http2Protocol;

impl Route {
    /// HTTP/1.1 in clear text to one address.
    pub fn plain(address: SocketAddr) -> Self {
        Self {
            hosts: vec![Host {
                name: address.to_string(),
                addresses: vec![Address::Tcp(address)],
                weight: 1,
                server_name: None,
            }],
            protocol: HTTP1,
            tls: None,
            source: None,
        }
    }
}

/// Creates the driver for one thread's share of a slice. Parameters: clock, route, connections,
/// depth, connect timeout, precise.
type MakeDriver<D> = fn(Clock, &Route, usize, usize, Duration, bool) -> io::Result<D>;

impl Share<'_, '_> {
    fn send_with<D: Driver>(self, make: MakeDriver<D>) -> io::Result<TcpFigures> {
        let (connections, depth) = (self.connections, self.depth);
        let timeout = self.connect_timeout;
        let mut driver = make(
            self.clock, self.route, connections, depth, timeout, self.precise,
        )?;
        start_barrier::await_start(&mut driver, self.scheduler, self.stop, self.arrival)?;
        driver::run(&mut driver, self.scheduler, self.stop)?;
        Ok(driver.tcp_figures())
    }
}

/// A protocol whose responses arrive in the order of the requests, defined by the framing `F`.
pub struct StreamProtocol<F> {
    name: &'static str,
    framing: PhantomData<fn() -> F>,
}

impl<F> StreamProtocol<F> {
    /// A protocol with this name, which messages show.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            framing: PhantomData,
        }
    }
}

impl<F> fmt::Debug for StreamProtocol<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<F: Framing> Protocol for StreamProtocol<F> {
    fn send(&self, share: Share<'_, '_>) -> io::Result<TcpFigures> {
        share.send_with(StreamDriver::<F>::new)
    }

    fn can_reopen(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct Http2Protocol;

impl Protocol for Http2Protocol {
    fn send(&self, share: Share<'_, '_>) -> io::Result<TcpFigures> {
        share.send_with(Http2::new)
    }
}
