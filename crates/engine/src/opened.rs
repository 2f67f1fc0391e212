//! Times of connection set-up.

/// How long opening a connection took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Opened {
    /// Time from the start of the attempt until the socket was connected, nanoseconds. Includes
    /// closing the previous connection, if any.
    pub connect_nanos: u64,
    /// Duration of the TLS handshake, nanoseconds; `None` without TLS.
    pub tls_nanos: Option<u64>,
}

impl Opened {
    /// Duration of the whole set-up with TLS, nanoseconds.
    pub(crate) fn nanos(&self) -> u64 {
        self.connect_nanos + self.tls_nanos.unwrap_or(0)
    }
}
