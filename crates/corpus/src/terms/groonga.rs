//! Extracts terms from Groonga.

use tenbin_plan::patterns::groonga_query;

use super::{PAGE, Source, Wanted, extract};
use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::{Columns, Response};
use tenbin_http::Client;

struct Groonga<'a> {
    server: &'a Client,
    wanted: &'a Wanted,
    offset: u64,
}

pub(super) fn open<'a>(server: &'a Client, wanted: &'a Wanted) -> Box<dyn Source + 'a> {
    Box::new(Groonga {
        server,
        wanted,
        offset: 0,
    })
}

impl Source for Groonga<'_> {
    fn next(&mut self) -> Result<Vec<String>, Error> {
        let path = format!(
            "/d/select?command_version=2&table={}&limit={PAGE}&offset={}&output_columns={}&cache=no",
            query_component(&self.wanted.table),
            self.offset,
            query_component(&self.wanted.column)
        );
        let reply = self.server.get(&path)?;
        // For an offset past the last record, Groonga returns no records or an error.
        let terms = match extract(&reply.body, 0) {
            Ok(terms) => terms,
            Err(_) if self.offset > 0 => Vec::new(),
            Err(reason) => return Err(Error::server(self.server.url(), reason)),
        };
        self.offset += PAGE;
        Ok(terms)
    }

    /// Counts hits with a `select` that returns no records.
    fn hits(&self, term: &str, columns: &str) -> Result<Result<u64, String>, Error> {
        let path = format!(
            "/d/select?command_version=2&table={}&limit=0&match_columns={}&query_flags=NONE\
             &query={}&cache=no",
            query_component(&self.wanted.table),
            query_component(columns),
            query_component(&groonga_query(term))
        );
        let reply = self.server.get(&path)?;
        let failed =
            |reason: String| Error::server(self.server.url(), format!("query {term:?}: {reason}"));
        let body = match Response::parse(&reply.body).map_err(failed)?.into_body() {
            Ok(body) => body,
            Err(complaint) => return Ok(Err(complaint)),
        };
        Ok(Ok(Columns::of(&body).map_err(failed)?.hits))
    }
}
