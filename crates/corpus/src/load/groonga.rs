//! Loads into Groonga over HTTP.

use super::sink::{Options, Sink};
use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::{Columns, Command, Record, Response};
use crate::json::Json;
use tenbin_http::Client;

/// Groonga's error code for invalid arguments, including names that exist already.
const INVALID_ARGUMENT: i64 = -22;

/// Independent Groonga servers; each server receives all data.
#[derive(Debug)]
pub(super) struct Groonga {
    servers: Vec<Client>,
}

impl Groonga {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let servers = options.servers.iter();
        let servers = servers.map(|url| Client::new(url, &options.login));
        Ok(Self {
            servers: servers.collect::<Result<_, _>>()?,
        })
    }
}

impl Sink for Groonga {
    fn greet(&mut self) -> Result<(), Error> {
        for server in &self.servers {
            let reply = server.get("/d/status")?;
            let parsed = Response::parse(&reply.body).and_then(Response::into_body);
            parsed.map_err(|_| {
                let reason = format!(
                    "not a Groonga server: GET /d/status has status {}: {}; set --into \
                     for what it is",
                    reply.status,
                    reply.excerpt()
                );
                Error::server(server.url(), reason)
            })?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command, doubtful: bool) -> Result<(), Error> {
        for server in &self.servers {
            let reply = server.get(&command.path())?;
            let failed = |reason: String| Error::server(server.url(), reason);
            let answer = Response::parse(&reply.body)
                .map_err(|reason| failed(format!("{}: {reason}", command.name)))?;
            let there = answer.code == INVALID_ARGUMENT && exists(server, command)?;
            if there && doubtful {
                continue;
            }
            if there {
                let (what, table) = created(command);
                return Err(Error::Exists {
                    server: server.url().to_owned(),
                    what,
                    records: count(server, &table).ok(),
                    remove: "use an empty database".to_owned(),
                });
            }
            let refused = answer.into_body();
            refused.map_err(|reason| rejected(server, &format!("{command}: {reason}")))?;
        }
        Ok(())
    }

    fn records(&mut self, records: &[Record]) -> Result<(), Error> {
        let Some(table) = records.first().map(|record| &*record.table) else {
            return Ok(());
        };
        let body = as_objects(records);
        let path = format!("/d/load?table={}", query_component(table));
        for server in &self.servers {
            let reply = server.post(&path, "application/json", body.as_bytes())?;
            let parsed = Response::parse(&reply.body).and_then(Response::into_body);
            let body = parsed.map_err(|reason| rejected(server, &format!("load: {reason}")))?;
            let loaded = Response::loaded(&body);
            if loaded != Some(records.len() as u64) {
                let first = records.first().map(|record| record.place.line);
                let stored = loaded.map_or("an unknown number".to_owned(), |n| n.to_string());
                let reason = format!(
                    "of {} records for {table}, from line {} on, it has stored {stored}; its log \
                     shows why",
                    records.len(),
                    first.unwrap_or_default(),
                );
                return Err(rejected(server, &reason));
            }
        }
        Ok(())
    }

    fn count(&mut self, table: &str) -> Result<Option<u64>, Error> {
        let mut least = None;
        for server in &self.servers {
            let count = count(server, table)?;
            least = Some(least.map_or(count, |least: u64| least.min(count)));
        }
        Ok(least)
    }
}

/// Number of records in a table of Groonga.
pub(crate) fn count(server: &Client, table: &str) -> Result<u64, Error> {
    let path = format!(
        "/d/select?table={}&limit=0&cache=no",
        query_component(table)
    );
    let reply = server.get(&path)?;
    let failed = |reason: String| Error::server(server.url(), reason);
    let parsed = Response::parse(&reply.body).and_then(Response::into_body);
    let body = parsed.map_err(failed)?;
    Ok(Columns::of(&body).map_err(failed)?.hits)
}

/// The error for a command or records that the server has refused.
fn rejected(server: &Client, reason: &str) -> Error {
    let is_full = reason.contains("No space left") || reason.contains("Disk quota exceeded");
    let next = if is_full {
        "free disk space on its machine before you resume"
    } else {
        "correct the data or the schema, use an empty database, and load with --restart"
    };
    Error::Rejected {
        server: server.url().to_owned(),
        reason: reason.to_owned(),
        next: next.to_owned(),
    }
}

/// What `command` creates, in words, and the table that it belongs to.
fn created(command: &Command) -> (String, String) {
    let argument = |name: &str| command.argument(name).unwrap_or_default().to_owned();
    match command.name.as_str() {
        "column_create" => {
            let table = argument("table");
            (format!("the column {table}.{}", argument("name")), table)
        }
        _ => (format!("the table {}", argument("name")), argument("name")),
    }
}

/// Whether the table or column that `command` would create exists.
fn exists(server: &Client, command: &Command) -> Result<bool, Error> {
    let argument = |name: &str| command.argument(name).unwrap_or_default();
    let name = match command.name.as_str() {
        "table_create" => argument("name").to_owned(),
        "column_create" => format!("{}.{}", argument("table"), argument("name")),
        _ => return Ok(false),
    };
    let path = format!("/d/object_exist?name={}", query_component(&name));
    let reply = server.get(&path)?;
    let parsed = Response::parse(&reply.body).and_then(Response::into_body);
    Ok(matches!(parsed, Ok(Json::Bool(true))))
}

/// Body of the `load` request for `records`.
fn as_objects(records: &[Record]) -> String {
    let objects: Vec<String> = records.iter().map(as_object).collect();
    format!("[\n{}\n]", objects.join(",\n"))
}

fn as_object(record: &Record) -> String {
    if let Json::Map(_) = record.value {
        return record.value.to_string();
    }
    let members = record.members();
    let members = members.map(|(name, value)| format!("{}:{value}", Json::text(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
