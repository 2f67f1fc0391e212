//! HTTP/1.1 outside of the load: a client for Tenbin's own requests, and a server for its own
//! pages. What is measured goes through the engine, and the servers under load are in `targets`.

mod client;
mod connection;
mod error;
pub mod server;
pub mod tls;

pub use bytes::Bytes;
pub use client::{BodyReader, Client, Login, Reply, bearer};
pub use connection::{Address, Destination, Io, connect, handshake};
pub use hyper::header::{self, HeaderValue};
pub use hyper::http::request::Builder as RequestBuilder;
pub use hyper::{Method, Request, Response, StatusCode};

pub use error::{Error, Failure, excerpt};

/// A runtime on the calling thread.
///
/// # Errors
/// If the operating system has no descriptors left.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
}
