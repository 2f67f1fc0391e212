//! The helpers around drnbench, the benchmark of search servers: drnbench's own two,
//! grn2drn, droonga-send, and grndump, which reads a database for them.

use std::path::PathBuf;

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};

/// A helper: its name, its flags and what it does.
#[derive(Debug)]
pub struct Helper {
    /// The name of the program.
    pub name: &'static str,
    /// How it is called.
    usage: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Every flag.
    flags: &'static [&'static [Flag]],
    /// What its flags ask for.
    job: fn(&mut Given) -> Job,
}

/// What a command line of a helper asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Job {
    /// `drnbench-extract-searchterms`
    ExtractTerms(ExtractTerms),
    /// `drnbench-generate-select-patterns`
    GeneratePatterns(GeneratePatterns),
    /// `grn2drn`
    Convert(Convert),
    /// `droonga-send`
    Send(Send),
    /// `grndump`
    Dump(Dump),
}

/// Terms out of answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractTerms {
    /// The column, from 0.
    pub column: u64,
    /// Escape the terms for a URL.
    pub escape: bool,
    /// Answers; none for standard input.
    pub files: Vec<PathBuf>,
}

/// Requests out of terms.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratePatterns {
    /// Parameters of every request.
    pub base_params: String,
    /// A group for each of them.
    pub hosts: Vec<String>,
    /// Terms; none for standard input.
    pub files: Vec<PathBuf>,
}

/// Messages out of commands.
#[derive(Debug, Clone, PartialEq)]
pub struct Convert {
    /// Name of the data set.
    pub dataset: String,
    /// Beginning of the messages' ids.
    pub id_prefix: Option<String>,
    /// When the messages were made.
    pub date: Option<String>,
    /// Who is to be answered.
    pub reply_to: Option<String>,
    /// File for the messages; none for standard output.
    pub output: Option<PathBuf>,
    /// Commands; none for standard input.
    pub files: Vec<PathBuf>,
}

/// Commands out of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dump {
    /// Path of the database, or the URL of a running server.
    pub database: String,
    /// Dump plugins.
    pub plugins: bool,
    /// Dump tables and columns that are no indexes.
    pub schema: bool,
    /// Dump indexes.
    pub indexes: bool,
    /// Dump records.
    pub records: bool,
    /// Tables to dump; empty means all.
    pub only: Vec<String>,
    /// None of these tables.
    pub exclude: Vec<String>,
    /// Records of hash tables in the order of their keys, and not of their ids.
    pub by_key: bool,
    /// Most records of each table; `None` for all.
    pub max_records: Option<u64>,
}

/// Messages to servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Send {
    /// `[droonga:]HOST[:PORT][/TAG]`, in turns.
    pub servers: Vec<String>,
    /// Port where a server names none.
    pub port: u16,
    /// Tag where a server names none.
    pub tag: String,
    /// Most messages a second; `None` for as many as go.
    pub rate: Option<f64>,
    /// Print the messages a second.
    pub report_throughput: bool,
    /// Data set and role that are filled in where a message lacks them, if they are.
    pub completion: Option<(String, String)>,
    /// Refuse messages that Droonga would not understand.
    pub validate: bool,
    /// Messages; none for standard input.
    pub files: Vec<PathBuf>,
}

/// What stands behind a helper's name.
#[derive(Debug)]
pub enum Asked {
    /// Work, and what is to be said before.
    Work(Box<Job>, Vec<String>),
    /// Help, which is this text.
    Help(String),
}

/// Every helper.
pub const HELPERS: &[Helper] = &[
    Helper {
        name: "drnbench-extract-searchterms",
        usage: "tenbin drnbench-extract-searchterms [FLAGS] [FILE]...",
        about: "prints a column of the answer to a select as search terms, one a line",
        flags: &[EXTRACT],
        job: extract,
    },
    Helper {
        name: "drnbench-generate-select-patterns",
        usage: "tenbin drnbench-generate-select-patterns [FLAGS] [FILE]...",
        about: "makes request patterns in JSON from search terms, one a line",
        flags: &[GENERATE],
        job: generate,
    },
    Helper {
        name: "grn2drn",
        usage: "tenbin grn2drn [FLAGS] [FILE]...",
        about: "turns Groonga's commands into Droonga's messages, one a line",
        flags: &[CONVERT],
        job: convert,
    },
    Helper {
        name: "droonga-send",
        usage: "tenbin droonga-send [FLAGS] [FILE]...",
        about: "sends Droonga's messages to servers over the forward protocol, in turns",
        flags: &[SEND],
        job: send,
    },
    Helper {
        name: "grndump",
        usage: "tenbin grndump [FLAGS] DATABASE|URL",
        about: "prints the commands that make a Groonga database",
        flags: &[DUMP],
        job: dump,
    },
];

const EXTRACT_NAME: &[&str] = &["drnbench-extract-searchterms"];
const EXTRACT: &[Flag] = &[
    Flag::new(
        EXTRACT_NAME,
        "column-index",
        Kind::Whole,
        "0",
        "column of the answer, from 0",
    ),
    Flag::new(
        EXTRACT_NAME,
        "escape",
        Kind::Switch,
        "",
        "escape the terms for a URL",
    ),
];

const GENERATE_NAME: &[&str] = &["drnbench-generate-select-patterns"];
const GENERATE: &[Flag] = &[
    Flag::new(
        GENERATE_NAME,
        "base-params",
        Kind::Text,
        "limit=10&offset=0",
        "parameters of every request",
    ),
    Flag::new(
        GENERATE_NAME,
        "hosts",
        Kind::Text,
        "",
        "hosts, separated by commas: a group for each",
    ),
];

const CONVERT_NAME: &[&str] = &["grn2drn"];
const CONVERT: &[Flag] = &[
    Flag::new(
        CONVERT_NAME,
        "dataset",
        Kind::Text,
        "Default",
        "name of the data set",
    ),
    Flag::new(
        CONVERT_NAME,
        "encoding",
        Kind::Text,
        "UTF-8",
        "encoding of the commands",
    )
    .refused("commands are read as UTF-8; turn others with iconv first"),
    Flag::new(
        CONVERT_NAME,
        "id-prefix",
        Kind::Text,
        "",
        "beginning of the messages' ids, which a number follows",
    ),
    Flag::new(
        CONVERT_NAME,
        "date",
        Kind::Text,
        "",
        "when the messages were made",
    ),
    Flag::new(
        CONVERT_NAME,
        "reply-to",
        Kind::Text,
        "",
        "who is to be answered",
    ),
    Flag::new(
        CONVERT_NAME,
        "output",
        Kind::Text,
        "-",
        "file for the messages",
    ),
];

const SEND_NAME: &[&str] = &["droonga-send"];
const SEND: &[Flag] = &[
    Flag::new(
        SEND_NAME,
        "server",
        Kind::List,
        "",
        "[droonga:]HOST[:PORT][/TAG], repeatable: messages go to the servers in turns",
    ),
    Flag::new(
        SEND_NAME,
        "messages-per-second",
        Kind::Text,
        "100",
        "most messages a second over all servers; -1 for as many as go",
    ),
    Flag::new(
        SEND_NAME,
        "report-throughput",
        Kind::Switch,
        "",
        "print the messages a second, once a second",
    ),
    Flag::new(
        SEND_NAME,
        "default-protocol",
        Kind::Choice(&["droonga", "http"]),
        "droonga",
        "protocol of servers that name none",
    )
    .refused("messages go over the forward protocol only"),
    Flag::new(
        SEND_NAME,
        "default-port",
        Kind::Whole,
        "10031",
        "port of servers that name none",
    ),
    Flag::new(
        SEND_NAME,
        "default-tag",
        Kind::Text,
        "droonga",
        "tag of servers that name none",
    ),
    Flag::new(
        SEND_NAME,
        "default-dataset",
        Kind::Text,
        "Default",
        "data set of messages that name none",
    ),
    Flag::new(
        SEND_NAME,
        "default-target-role",
        Kind::Text,
        "any",
        "role of the nodes that messages go to which name none",
    ),
    Flag::new(
        SEND_NAME,
        "completion",
        Kind::Switch,
        "true",
        "fill in what messages lack",
    ),
    Flag::new(
        SEND_NAME,
        "no-completion",
        Kind::Switch,
        "",
        "fill nothing in",
    ),
    Flag::new(
        SEND_NAME,
        "validation",
        Kind::Switch,
        "true",
        "refuse messages that Droonga would not understand",
    ),
    Flag::new(
        SEND_NAME,
        "no-validation",
        Kind::Switch,
        "",
        "send messages as they are",
    ),
];

const DUMP_NAME: &[&str] = &["grndump"];
const DUMP: &[Flag] = &[
    Flag::new(
        DUMP_NAME,
        "no-dump-plugins",
        Kind::Switch,
        "",
        "leave out plugins",
    ),
    Flag::new(
        DUMP_NAME,
        "no-dump-schema",
        Kind::Switch,
        "",
        "leave out tables and columns",
    ),
    Flag::new(
        DUMP_NAME,
        "no-dump-indexes",
        Kind::Switch,
        "",
        "leave out indexes",
    ),
    Flag::new(
        DUMP_NAME,
        "no-dump-tables",
        Kind::Switch,
        "",
        "leave out records",
    ),
    Flag::new(
        DUMP_NAME,
        "table",
        Kind::List,
        "",
        "only this table, repeatable; a regular expression /…/ is refused",
    )
    .short("t"),
    Flag::new(
        DUMP_NAME,
        "exclude-table",
        Kind::List,
        "",
        "leave out this table, repeatable; a regular expression /…/ is refused",
    ),
    Flag::new(
        DUMP_NAME,
        "order-by",
        Kind::Choice(&["id", "key"]),
        "id",
        "order of the records: id or key",
    ),
    Flag::new(
        DUMP_NAME,
        "max-records",
        Kind::Text,
        "-1",
        "most records of each table; -1 for all",
    ),
];

impl Helper {
    /// The helper of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        HELPERS.iter().find(|helper| helper.name == name)
    }

    fn table(&self) -> Table {
        Table {
            style: Style::Getopt,
            tool: self.name,
            command: self.name,
            flags: self.flags,
        }
    }

    /// Reads what stands behind its name.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it, one sentence each.
    pub fn parse(&self, arguments: &[String], world: &World<'_>) -> Result<Asked, Mistakes> {
        let mut given = self.table().parse(arguments, world);
        if given.help {
            return Ok(Asked::Help(help::on_command(
                self.usage,
                &format!("{}'s command line on Tenbin: {}.", self.name, self.about),
                self.table().mine(),
                self.name,
            )));
        }
        let job = (self.job)(&mut given);
        Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
        Ok(Asked::Work(Box::new(job), std::mem::take(&mut given.notes)))
    }

    /// Its flags for the documentation, as a Markdown table.
    pub fn documented(&self) -> String {
        help::flag_table(self.flags.iter().copied().flatten(), &[self.name])
    }
}

fn extract(given: &mut Given) -> Job {
    Job::ExtractTerms(ExtractTerms {
        column: given.whole("column-index"),
        escape: given.switch("escape"),
        files: files(given),
    })
}

fn generate(given: &mut Given) -> Job {
    let hosts = given.text("hosts").split(',').map(str::trim);
    let hosts = hosts.filter(|host| !host.is_empty()).map(str::to_owned);
    Job::GeneratePatterns(GeneratePatterns {
        base_params: given.text("base-params").to_owned(),
        hosts: hosts.collect(),
        files: files(given),
    })
}

fn convert(given: &mut Given) -> Job {
    Job::Convert(Convert {
        dataset: given.text("dataset").to_owned(),
        id_prefix: given.some_text("id-prefix"),
        date: given.some_text("date"),
        reply_to: given.some_text("reply-to"),
        output: given
            .some_text("output")
            .filter(|output| output != "-")
            .map(PathBuf::from),
        files: files(given),
    })
}

fn send(given: &mut Given) -> Job {
    let servers = match given.list("server") {
        [] => vec!["localhost".to_owned()],
        servers => servers.to_vec(),
    };
    let port = u16::try_from(given.whole("default-port")).unwrap_or(0);
    if port == 0 {
        given.wrong("default-port", "a port is a number from 1 to 65535");
    }
    let completes = given.switch("completion") && !given.switch("no-completion");
    let text = |name: &str| given.text(name).to_owned();
    let completion = (text("default-dataset"), text("default-target-role"));
    let tag = text("default-tag");
    Job::Send(Send {
        servers,
        port,
        tag,
        rate: rate(given),
        report_throughput: given.switch("report-throughput"),
        completion: completes.then_some(completion),
        validate: given.switch("validation") && !given.switch("no-validation"),
        files: files(given),
    })
}

fn dump(given: &mut Given) -> Job {
    let database = match &given.operands[..] {
        [database] => database.clone(),
        others => {
            let count = others.len();
            given.mistakes.push(format!(
                "{count} databases are named; name one, by its path or by the URL of a running \
                 server"
            ));
            String::new()
        }
    };
    let most = given.text("max-records").to_owned();
    let max_records = match most.parse::<i64>() {
        Ok(-1) => None,
        Ok(most) if most >= 0 => u64::try_from(most).ok(),
        _ => {
            let wrong = format!("{most:?} is neither a number of 0 or more nor -1, for all");
            given.wrong("max-records", &wrong);
            None
        }
    };
    let named = |given: &mut Given, flag: &str| {
        // optparse takes `-t=NAME` with the sign.
        let names = given.list(flag).iter();
        let names: Vec<String> = names
            .map(|name| name.trim_start_matches('=').to_owned())
            .collect();
        if let Some(pattern) = names.iter().find(|name| name.starts_with('/')) {
            let wrong = format!("{pattern:?} is a regular expression; name each table instead");
            given.wrong(flag, &wrong);
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

/// The tool divides the rate by the number of servers in whole numbers, and so sends
/// 99 a second to three of them when asked for 100.
fn rate(given: &mut Given) -> Option<f64> {
    let text = given.text("messages-per-second").to_owned();
    match text.parse::<f64>() {
        Ok(-1.0) => None,
        Ok(rate) if rate.is_finite() && rate > 0.0 => Some(rate),
        _ => {
            let wrong = format!("{text:?} is neither a number above 0 nor -1, for no limit");
            given.wrong("messages-per-second", &wrong);
            None
        }
    }
}

fn files(given: &Given) -> Vec<PathBuf> {
    given.operands.iter().map(PathBuf::from).collect()
}
