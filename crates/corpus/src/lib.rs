//! What is searched: pages made or converted, loaded into servers, dumped out of them;
//! and the terms to search for.
//!
//! Everything is a stream: memory does not grow with the number of pages.

pub mod droonga;
pub mod dump;
mod error;
pub mod escape;
pub mod grndump;
pub mod groonga;
pub mod http;
pub mod json;
pub mod load;
pub mod make;
mod opensearch;
mod page;
pub mod patterns;
mod source;
pub mod status;
pub mod synthetic;
pub mod terms;
pub mod wikipedia;

pub use error::Error;
pub use page::{Page, PageWriter};
pub use source::Place;
