//! A connection to an endpoint, with a deadline.

use std::io::{self, ErrorKind};
use std::time::Duration;

use tenbin_http::{Io, handshake};
use tenbin_plan::sentence;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep, timeout};

use super::{Address, CHECK_INTERVAL, Endpoint, ProbeError};
use crate::tls;

/// An open connection to an endpoint.
pub(super) struct Stream<'a> {
    endpoint: &'a Endpoint,
    io: Box<dyn Io>,
    /// The protocol selected in the TLS handshake.
    alpn: Option<Vec<u8>>,
    /// Time at which the exchange ends.
    pub(super) deadline: Instant,
    /// Whether the server has sent at least one byte.
    heard: bool,
}

/// Connects to the endpoint and runs `exchange`. `limit` covers both. `abandon` is called about
/// every [`CHECK_INTERVAL`]; when it returns true, the exchange ends.
pub(super) fn run<T>(
    endpoint: &Endpoint,
    limit: Duration,
    abandon: &dyn Fn() -> bool,
    exchange: impl AsyncFnOnce(&mut Stream<'_>) -> Result<T, ProbeError>,
) -> Result<T, ProbeError> {
    let address = || endpoint.address.clone();
    let runtime = tenbin_http::runtime().map_err(|error| endpoint.unconnected(error, limit))?;
    runtime.block_on(async {
        let deadline = Instant::now() + limit;
        let io = connect(endpoint, limit).await?;
        let exchange = async {
            let mut stream = Stream::open(endpoint, io, deadline).await?;
            exchange(&mut stream).await
        };
        let interruption = async {
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                if abandon() {
                    return ProbeError::Abandoned { address: address() };
                }
                if left.is_zero() {
                    let address = address();
                    return ProbeError::Silent { address, limit };
                }
                sleep(left.min(CHECK_INTERVAL)).await;
            }
        };
        tokio::select! {
            biased;
            done = exchange => done,
            error = interruption => Err(error),
        }
    })
}

/// Opens a connection without TLS.
pub(super) async fn connect(
    endpoint: &Endpoint,
    limit: Duration,
) -> Result<Box<dyn Io>, ProbeError> {
    let connected = tenbin_http::connect(&endpoint.address, endpoint.source);
    let connected = timeout(limit.max(Duration::from_millis(1)), connected).await;
    connected
        .unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
        .map_err(|error| endpoint.unconnected(error, limit))
}

impl<'a> Stream<'a> {
    /// With TLS, performs the handshake.
    async fn open(
        endpoint: &'a Endpoint,
        io: Box<dyn Io>,
        deadline: Instant,
    ) -> Result<Self, ProbeError> {
        let (io, alpn): (Box<dyn Io>, _) = match &endpoint.tls {
            None => (io, None),
            Some((config, name)) => {
                let stream = handshake(io, config, name).await;
                let stream = stream.map_err(|error| endpoint.insecure(error))?;
                let alpn = stream.get_ref().1.alpn_protocol().map(<[u8]>::to_vec);
                (Box::new(stream), alpn)
            }
        };
        Ok(Self {
            endpoint,
            io,
            alpn,
            deadline,
            heard: false,
        })
    }

    pub(super) fn address(&self) -> &Address {
        &self.endpoint.address
    }

    /// Whether the connection uses TLS, and the handshake selected another protocol than this.
    pub(super) fn is_for_another_protocol_than(&self, alpn: &[u8]) -> bool {
        self.endpoint.tls.is_some() && self.alpn.as_deref() != Some(alpn)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), ProbeError> {
        let written = async {
            self.io.write_all(bytes).await?;
            self.io.flush().await
        };
        written.await.map_err(|error| self.endpoint.broken(error))
    }

    /// Appends the next bytes to `into` and returns their number. Returns 0 at the end of the
    /// connection; the end is an error if no byte was received before.
    pub(super) async fn read(&mut self, into: &mut Vec<u8>) -> Result<usize, ProbeError> {
        let read = match self.io.read_buf(into).await {
            // The server closed the connection without TLS `close_notify`.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => 0,
            Err(error) if error.kind() == ErrorKind::ConnectionReset && !self.heard => 0,
            read => read.map_err(|error| self.endpoint.broken(error))?,
        };
        if read == 0 && !self.heard {
            return Err(ProbeError::Closed {
                address: self.address().clone(),
            });
        }
        self.heard = true;
        Ok(read)
    }
}

impl Endpoint {
    /// Converts the error of a connection attempt.
    pub(super) fn unconnected(&self, source: io::Error, limit: Duration) -> ProbeError {
        let address = self.address.clone();
        match source.kind() {
            ErrorKind::ConnectionRefused => ProbeError::Refused { address },
            ErrorKind::TimedOut => ProbeError::ConnectTimeout { address, limit },
            ErrorKind::NotFound => ProbeError::Missing { address },
            _ => ProbeError::Connect { address, source },
        }
    }

    /// Converts the error of a TLS handshake.
    pub(super) fn insecure(&self, error: io::Error) -> ProbeError {
        if error.kind() != ErrorKind::UnexpectedEof {
            return self.broken(error);
        }
        ProbeError::Tls {
            address: self.address.clone(),
            reason: sentence!(
                "tls-closed",
                "it closes the connection in the TLS handshake; check that it speaks TLS"
            ),
        }
    }

    /// Converts an I/O error, which can contain a TLS error.
    pub(super) fn broken(&self, source: io::Error) -> ProbeError {
        let address = self.address.clone();
        let inner = source.get_ref().and_then(|inner| inner.downcast_ref());
        match inner {
            Some(error) => ProbeError::Tls {
                address,
                reason: tls::explain(error, self.ca.as_deref()),
            },
            None => ProbeError::Broken { address, source },
        }
    }
}
