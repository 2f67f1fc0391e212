//! Ports to listen on.

use std::net::{Ipv4Addr, TcpListener};

/// A port on 127.0.0.1 that nobody listened on a moment ago. Somebody may take
/// it in between: who starts a server on it must look whether that worked.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on 127.0.0.1");
    listener.local_addr().expect("its address").port()
}
