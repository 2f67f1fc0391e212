//! Data for full-text search benchmarks: creates or converts pages, loads them into servers,
//! dumps them from servers, and extracts search terms.
//!
//! All input is read as a stream: memory does not grow with the number of pages.

pub mod documents;
pub mod droonga;
pub mod dump;
mod error;
pub mod escape;
pub mod grndump;
pub mod groonga;
pub mod json;
pub mod load;
pub mod make;
mod opensearch;
mod packed;
mod page;
pub mod patterns;
mod source;
pub mod status;
pub mod synthetic;
pub mod terms;
pub mod wikipedia;

pub use error::Error;
pub use packed::unpacked;
pub use page::{Page, PageWriter};
pub use source::Place;
