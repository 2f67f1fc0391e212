//! Parser of Wikipedia's article dumps: MediaWiki's XML, read as a stream.

mod categories;
mod dump;

pub use dump::{Dump, End};
