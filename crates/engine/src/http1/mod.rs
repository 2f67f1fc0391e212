//! Responses of HTTP/1.1.

mod chunked;
mod head;
mod malformed;
pub mod response;
