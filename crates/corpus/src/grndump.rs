//! Dumps a Groonga database as one stream of commands, like the tool grndump. The source is either
//! a running server, or the files of a database, which the installed `groonga` reads.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use tenbin_http::excerpt;

use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::Response;
use tenbin_http::Client;

/// The program that reads the files of a database.
const GROONGA: &str = "groonga";

/// What to dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Plugins and settings.
    pub plugins: bool,
    /// Tables and columns, without indexes.
    pub schema: bool,
    /// Indexes.
    pub indexes: bool,
    /// Records.
    pub records: bool,
    /// Tables to dump; empty for all.
    pub only: Vec<String>,
    /// Tables to skip.
    pub exclude: Vec<String>,
    /// Whether records of hash tables are sorted by key.
    pub by_key: bool,
    /// Maximum records per table; `None` for all.
    pub max_records: Option<u64>,
}

/// A database to dump.
#[derive(Debug)]
pub enum Database {
    /// A running server.
    Server(Box<Client>),
    /// The database's files.
    Files(String),
}

/// Writes the commands to `output`; error messages call the output `name`.
///
/// # Errors
/// When the database cannot be read completely, or the output cannot be written.
pub fn grndump(
    database: &Database,
    wanted: &Wanted,
    name: &str,
    output: &mut dyn Write,
) -> Result<(), Error> {
    let tables = if wanted.exclude.is_empty() {
        wanted.only.clone()
    } else {
        let mut tables = if wanted.only.is_empty() {
            database.tables()?
        } else {
            wanted.only.clone()
        };
        tables.retain(|table| !wanted.exclude.contains(table));
        if tables.is_empty() {
            return Ok(());
        }
        tables
    };
    database.read("dump", &wanted.arguments(&tables), &mut |commands| {
        pass(commands, wanted.max_records, name, output)
    })
}

impl Wanted {
    fn arguments(&self, tables: &[String]) -> Vec<(&'static str, String)> {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let mut arguments = vec![
            ("dump_plugins", yes(self.plugins)),
            ("dump_configs", yes(self.plugins)),
            ("dump_schema", yes(self.schema)),
            ("dump_indexes", yes(self.indexes)),
            ("dump_records", yes(self.records)),
            ("sort_hash_table", yes(self.by_key)),
        ];
        if !tables.is_empty() {
            arguments.push(("tables", tables.join(",")));
        }
        arguments
    }
}

type Consume<'a> = dyn FnMut(&mut dyn BufRead) -> Result<(), Error> + 'a;

impl Database {
    /// Runs a Groonga command and passes its output to `consume`.
    fn read(
        &self,
        command: &str,
        arguments: &[(&str, String)],
        consume: &mut Consume<'_>,
    ) -> Result<(), Error> {
        match self {
            Self::Server(server) => {
                let each = arguments.iter();
                let query: Vec<String> = each
                    .map(|(name, value)| format!("{name}={}", query_component(value)))
                    .collect();
                let response = server.stream(&format!("/d/{command}?{}", query.join("&")))?;
                consume(&mut BufReader::new(response))
            }
            Self::Files(path) => {
                let mut call = Command::new(GROONGA);
                call.arg(path).arg(command);
                for (name, value) in arguments {
                    call.arg(format!("--{name}")).arg(value);
                }
                read_from(call, path, consume)
            }
        }
    }

    /// Names of all tables.
    fn tables(&self) -> Result<Vec<String>, Error> {
        let mut text = Vec::new();
        self.read("table_list", &[], &mut |output| {
            output
                .read_to_end(&mut text)
                .map(drop)
                .map_err(|source| Error::read("the list of tables", source))
        })?;
        let failed = |reason: String| Error::refused(format!("the list of tables: {reason}"));
        let body = Response::parse(&text).and_then(Response::into_body);
        let body = body.map_err(failed)?;
        let rows = body.as_list().unwrap_or_default();
        let names = rows.iter().skip(1).filter_map(|row| row.at(1)?.as_text());
        Ok(names.map(str::to_owned).collect())
    }
}

fn read_from(mut call: Command, path: &str, consume: &mut Consume<'_>) -> Result<(), Error> {
    let refused = |reason: String| Error::refused(format!("{path}: {reason}"));
    let started = call
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refused(format!(
            "the program {GROONGA} is not installed, and is required to read the files of a database; \
             name the URL of a running server instead"
        )),
        _ => refused(format!("cannot start the program {GROONGA}: {error}")),
    })?;
    let passed = match child.stdout.take() {
        Some(commands) => consume(&mut BufReader::new(commands)),
        None => Ok(()),
    };
    let mut complaint = String::new();
    if let Some(said) = child.stderr.take() {
        let _ = said.take(4096).read_to_string(&mut complaint);
    }
    let ended = child.wait().map_err(|source| Error::read(path, source))?;
    passed?;
    if ended.success() {
        Ok(())
    } else {
        Err(refused(format!(
            "{GROONGA} cannot read this database ({ended}): {}",
            excerpt(&complaint)
        )))
    }
}

/// Copies a dump, with at most `most` records per table.
fn pass(
    commands: &mut dyn BufRead,
    most: Option<u64>,
    name: &str,
    output: &mut dyn Write,
) -> Result<(), Error> {
    let mut line = Vec::new();
    let mut place = Place::Outside;
    let mut held: Option<Vec<u8>> = None;
    let mut is_open = false;
    loop {
        line.clear();
        let read = commands.read_until(b'\n', &mut line);
        if read.map_err(|source| Error::read("the dump", source))? == 0 {
            // The dump of a server ends without a line feed.
            let end: &[u8] = if is_open { b"\n" } else { b"" };
            let written = output.write_all(end);
            return written.map_err(|error| Error::write(name, error));
        }
        is_open = !line.ends_with(b"\n");
        let mut write = |text: &[u8]| {
            output
                .write_all(text)
                .map_err(|error| Error::write(name, error))
        };
        let Some(most) = most else {
            write(&line)?;
            continue;
        };
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        place = match place {
            Place::Outside if line.starts_with(b"load ") => Place::Load,
            Place::Outside => Place::Outside,
            Place::Load => Place::Head,
            // The line with the column names precedes the records.
            Place::Head if text != b"]" => Place::Records(0),
            Place::Head => Place::Outside,
            Place::Records(_) if text == b"]" => Place::Outside,
            Place::Records(seen) => Place::Records(seen + 1),
        };
        match place {
            Place::Records(seen) if seen > most => {}
            Place::Records(_) => {
                if let Some(before) = held.take() {
                    write(&before)?;
                    write(b",\n")?;
                }
                held = Some(text.strip_suffix(b",").unwrap_or(text).to_vec());
            }
            _ => {
                if let Some(last) = held.take() {
                    write(&last)?;
                    write(b"\n")?;
                }
                write(&line)?;
            }
        }
    }
}

/// Position in a dump.
#[derive(Clone, Copy)]
enum Place {
    Outside,
    /// On the line with the `load` command.
    Load,
    /// On the opening bracket after `load`.
    Head,
    /// Between the brackets, after this number of records; 0 on the line with the column names.
    Records(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "table_create A TABLE_HASH_KEY UInt64\n\nload --table A\n[\n[\"_key\"],\n\
        [1],\n[2],\n[3]\n]\n\nload --table B\n[\n[\"_key\"],\n[\"]\"]\n]\n";

    fn passed(most: Option<u64>) -> String {
        let mut out = Vec::new();
        pass(&mut DUMP.as_bytes(), most, "out", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn records_are_counted_by_table() {
        assert_eq!(passed(None), DUMP);
        assert_eq!(passed(Some(3)), DUMP);
        assert_eq!(passed(Some(2)), DUMP.replace("[2],\n[3]\n", "[2]\n"));
        let none = DUMP.replace("],\n[1],\n[2],\n[3]\n", "]\n");
        assert_eq!(passed(Some(0)), none.replace("],\n[\"]\"]\n", "]\n"));
    }
}
