//! What opening a connection took.

/// How long opening a connection took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Opened {
    /// Up to an open socket, nanoseconds.
    pub connect_nanos: u64,
    /// The TLS handshake after that, if there was one.
    pub tls_nanos: Option<u64>,
}
