//! Fetches one small response including its body.

use std::time::Duration;

use tenbin_http::{Client, Destination, Error, Failure};
use tenbin_plan::{HttpVersion, Sentence, sentence};
use url::{Position, Url};

use super::{Endpoint, ProbeError};

/// Longest response, bytes.
const BODY_LIMIT: usize = 16 << 20;

/// Why a response could not be fetched.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub enum FetchError {
    /// The request failed.
    Probe(#[from] ProbeError),
    /// Fetching over HTTP/2 is not supported.
    Http2,
    /// The status is not 2xx.
    Status(u16),
    /// The response is invalid or too long.
    Unreadable,
}

impl FetchError {
    /// The error with its arguments.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Probe(error) => error.sentence(),
            Self::Http2 => sentence!(
                "fetch-http1",
                "Tenbin sends this request over HTTP/1.1 only"
            ),
            Self::Status(text) => sentence!("fetch-status", "the response has status {text}", text),
            Self::Unreadable => sentence!("fetch-unreadable", "the response is not valid HTTP"),
        }
    }
}

/// Sends a `GET` for `url` to `endpoint` and returns the body of a successful response. `limit`
/// covers connection, request and response.
///
/// # Errors
/// When no successful response is received.
pub fn fetch(url: &Url, endpoint: &Endpoint, limit: Duration) -> Result<Vec<u8>, FetchError> {
    if endpoint.http == HttpVersion::Http2 {
        return Err(FetchError::Http2);
    }
    let destination = Destination {
        address: endpoint.address.clone(),
        source: endpoint.source,
        tls: endpoint.tls.clone(),
    };
    let client = Client::at(destination, url);
    let mut client = client.map_err(|error| endpoint.unconnected(error, limit))?;
    client.set_timeout(limit);
    client.set_max_body(BODY_LIMIT);
    match client.get(&url[Position::BeforePath..Position::AfterQuery]) {
        Ok(reply) if reply.is_success() => Ok(reply.body),
        Ok(reply) => Err(FetchError::Status(reply.status)),
        Err(Error::Request { failure, .. }) => Err(failed(failure, endpoint, limit)),
        Err(_) => Err(FetchError::Unreadable),
    }
}

fn failed(failure: Failure, endpoint: &Endpoint, limit: Duration) -> FetchError {
    let address = endpoint.address.clone();
    let error = match failure {
        Failure::Connect(error) => endpoint.unconnected(error, limit),
        Failure::Tls(error) => endpoint.insecure(error),
        Failure::ConnectTimeout(_) => ProbeError::ConnectTimeout { address, limit },
        Failure::Timeout(_) => ProbeError::Silent { address, limit },
        Failure::Head(error) if error.is_incomplete_message() => ProbeError::Closed { address },
        _ => return FetchError::Unreadable,
    };
    error.into()
}
