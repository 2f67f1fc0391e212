//! Dumps a Groonga database to three files of Groonga commands: schema, indexes and records, as the
//! tool grndump does.

use std::io::{Read, Write};

use crate::error::Error;
use tenbin_http::Client;

/// A part of a database, dumped to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Plugins, settings, tables, and all columns except indexes.
    Schema,
    /// Indexes.
    Indexes,
    /// Records.
    Records,
}

impl Part {
    /// All parts, in the order in which they must be loaded.
    pub const ALL: [Self; 3] = [Self::Schema, Self::Indexes, Self::Records];

    /// Name of the file with this part.
    pub fn file(self) -> &'static str {
        match self {
            Self::Schema => "schema.grn",
            Self::Indexes => "indexes.grn",
            Self::Records => "records.grn",
        }
    }

    /// Path of the request for this part. Tables that hold indexes are in the schema part only.
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

/// Writes a part of the database of `server` to `output` and returns the number of bytes. A
/// non-empty `tables` limits the dump to these tables.
///
/// # Errors
/// When the response is incomplete or the output cannot be written.
pub fn dump(
    server: &Client,
    part: Part,
    tables: &[String],
    name: &str,
    output: &mut dyn Write,
    stop: &dyn Fn() -> bool,
) -> Result<u64, Error> {
    let mut response = server.stream(&part.path(tables))?;
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    let mut last = b'\n';
    while !stop() {
        let read = response.read(&mut buffer).map_err(|error| {
            Error::server(server.url(), format!("the dump is incomplete: {error}"))
        })?;
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
