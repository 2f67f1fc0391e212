//! A Groonga database as files of commands: schema, indexes and records apart, as
//! grndump parts them.

use std::io::{Read, Write};

use crate::error::Error;
use crate::http::Client;

/// A part of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Tables, columns that are no indexes, plugins and settings.
    Schema,
    /// Indexes.
    Indexes,
    /// Records.
    Records,
}

impl Part {
    /// Every part, in the order they are loaded in.
    pub const ALL: [Self; 3] = [Self::Schema, Self::Indexes, Self::Records];

    /// Name of the file it is kept in.
    pub fn file(self) -> &'static str {
        match self {
            Self::Schema => "schema.grn",
            Self::Indexes => "indexes.grn",
            Self::Records => "records.grn",
        }
    }

    /// The request for it. Tables that hold indexes are part of the schema, and are named
    /// neither in that of the indexes nor in that of the records.
    fn path(self, tables: &[String]) -> String {
        let yes = |is: bool| if is { "yes" } else { "no" };
        let schema = yes(self == Self::Schema);
        let mut path = format!(
            "/d/dump?dump_plugins={schema}&dump_configs={schema}&dump_schema={schema}\
             &dump_indexes={}&dump_records={}",
            yes(self == Self::Indexes),
            yes(self == Self::Records),
        );
        if !tables.is_empty() {
            path += "&tables=";
            path += &crate::escape::query_component(&tables.join(","));
        }
        path
    }
}

/// Writes a part of the database of `server` to `output`; the number of bytes. Only the
/// given `tables`, or all.
///
/// # Errors
/// When the server does not answer to the end, or the output cannot be written.
pub fn dump(
    server: &Client,
    part: Part,
    tables: &[String],
    name: &str,
    output: &mut dyn Write,
    stop: &dyn Fn() -> bool,
) -> Result<u64, Error> {
    let mut answer = server.stream(&part.path(tables))?;
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    let mut last = b'\n';
    while !stop() {
        let read = answer
            .read(&mut buffer)
            .map_err(|error| Error::server(server.url(), format!("the dump broke off: {error}")))?;
        if read == 0 {
            break;
        }
        output
            .write_all(&buffer[..read])
            .map_err(|error| Error::write(name, error))?;
        last = buffer[read - 1];
        bytes += read as u64;
    }
    if last != b'\n' && !stop() {
        output
            .write_all(b"\n")
            .map_err(|error| Error::write(name, error))?;
        bytes += 1;
    }
    Ok(bytes)
}
