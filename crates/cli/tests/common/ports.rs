//! Ports to listen on.

use std::net::{Ipv4Addr, TcpListener};

/// A port on 127.0.0.1 that was free a moment ago. Another process can take the port at any time,
/// so the caller must check whether its server could bind the port.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on 127.0.0.1");
    listener.local_addr().expect("its address").port()
}
