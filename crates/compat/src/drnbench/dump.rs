//! The command line of `grndump`.

use tenbin_plan::sentence;

use super::{Helper, Job};
use crate::flag::{Flag, Kind};
use crate::parse::Given;

/// Dump of a database as commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Path of the database, or the URL of a running server.
    pub database: String,
    /// Dump plugins.
    pub plugins: bool,
    /// Dump tables and columns, except indexes.
    pub schema: bool,
    /// Dump indexes.
    pub indexes: bool,
    /// Dump records.
    pub records: bool,
    /// Tables to dump; empty means all.
    pub only: Vec<String>,
    /// Tables to leave out.
    pub exclude: Vec<String>,
    /// Order the records of hash tables by key instead of by id.
    pub by_key: bool,
    /// Maximum number of records of each table; `None` for all.
    pub max_records: Option<u64>,
}

pub(super) const HELPER: Helper = Helper {
    name: "grndump",
    usage: "tenbin grndump [FLAGS] DATABASE|URL",
    about: "prints the commands that create a Groonga database",
    flags: &[FLAGS],
    job,
};

const TOOL: &[&str] = &["grndump"];

const FLAGS: &[Flag] = &[
    Flag::new(
        TOOL,
        "no-dump-plugins",
        Kind::Switch,
        "",
        "leave out plugins",
    ),
    Flag::new(
        TOOL,
        "no-dump-schema",
        Kind::Switch,
        "",
        "leave out tables and columns",
    ),
    Flag::new(
        TOOL,
        "no-dump-indexes",
        Kind::Switch,
        "",
        "leave out indexes",
    ),
    Flag::new(
        TOOL,
        "no-dump-tables",
        Kind::Switch,
        "",
        "leave out records",
    ),
    Flag::new(
        TOOL,
        "table",
        Kind::List,
        "",
        "only this table, repeatable; a regular expression /…/ is refused",
    )
    .short("t"),
    Flag::new(
        TOOL,
        "exclude-table",
        Kind::List,
        "",
        "leave out this table, repeatable; a regular expression /…/ is refused",
    ),
    Flag::new(
        TOOL,
        "order-by",
        Kind::Choice(&["id", "key"]),
        "id",
        "order of the records: id or key",
    ),
    Flag::new(
        TOOL,
        "max-records",
        Kind::Text,
        "-1",
        "maximum records of each table; -1 for all",
    ),
];

fn job(given: &mut Given) -> Job {
    let database = match &given.operands[..] {
        [database] => database.clone(),
        others => {
            let count = others.len();
            given.mistakes.push(sentence!(
                "grndump-databases",
                "{count} databases are named; name one, by its path or by the URL of a running \
                 server",
                count
            ));
            String::new()
        }
    };
    let most = given.text("max-records").to_owned();
    let max_records = match most.parse::<i64>() {
        Ok(-1) => None,
        Ok(most) if most >= 0 => u64::try_from(most).ok(),
        _ => {
            let why = sentence!(
                "grndump-records",
                "{most:?} is neither a number of 0 or more nor -1, for all",
                most
            );
            given.wrong("max-records", why);
            None
        }
    };
    let named = |given: &mut Given, flag: &str| {
        // optparse includes the equals sign of `-t=NAME` in the value.
        let names = given.list(flag).iter();
        let names: Vec<String> = names
            .map(|name| name.trim_start_matches('=').to_owned())
            .collect();
        if let Some(pattern) = names.iter().find(|name| name.starts_with('/')) {
            let why = sentence!(
                "grndump-pattern",
                "{pattern:?} is a regular expression; name each table instead",
                pattern
            );
            given.wrong(flag, why);
        }
        names
    };
    Job::Dump(Dump {
        database,
        plugins: !given.switch("no-dump-plugins"),
        schema: !given.switch("no-dump-schema"),
        indexes: !given.switch("no-dump-indexes"),
        records: !given.switch("no-dump-tables"),
        only: named(given, "table"),
        exclude: named(given, "exclude-table"),
        by_key: given.text("order-by").eq_ignore_ascii_case("key"),
        max_records,
    })
}
