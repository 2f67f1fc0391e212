//! The command lines of the helper programs of drnbench, a benchmark of search servers:
//! `drnbench-extract-searchterms`, `drnbench-generate-select-patterns`, `grn2drn`, `droonga-send`,
//! `grndump`.

use std::path::PathBuf;

use tenbin_plan::sentence;

use crate::flag::{Flag, Kind};
use crate::help::{self, Help};
use crate::mistakes::{Mistakes, not_a_port};
use crate::parse::{Given, Style, Table, World};

/// A helper program of drnbench.
#[derive(Debug)]
pub struct Helper {
    /// Name of the program.
    pub name: &'static str,
    /// Usage line.
    usage: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// Every flag.
    flags: &'static [&'static [Flag]],
    /// Creates the job from the parsed flags.
    job: fn(&mut Given) -> Job,
}

/// A parsed command line of a helper.
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

/// Extraction of search terms from responses.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractTerms {
    /// Column with the search terms, counted from 0.
    pub column: u64,
    /// Escape the terms for a URL.
    pub escape: bool,
    /// Files with responses; empty for standard input.
    pub files: Vec<PathBuf>,
}

/// Generation of request patterns from search terms.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratePatterns {
    /// Parameters of every request.
    pub base_params: String,
    /// Hosts; each host gets a separate group of patterns.
    pub hosts: Vec<String>,
    /// Files with terms; empty for standard input.
    pub files: Vec<PathBuf>,
}

/// Conversion of Groonga commands into Droonga messages.
#[derive(Debug, Clone, PartialEq)]
pub struct Convert {
    /// Name of the data set.
    pub dataset: String,
    /// Prefix of the messages' ids.
    pub id_prefix: Option<String>,
    /// Date of the messages.
    pub date: Option<String>,
    /// Receiver of the replies.
    pub reply_to: Option<String>,
    /// File for the messages; `None` for standard output.
    pub output: Option<PathBuf>,
    /// Files with commands; empty for standard input.
    pub files: Vec<PathBuf>,
}

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

/// Sending messages to Droonga servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Send {
    /// The servers, each as `[droonga:]HOST[:PORT][/TAG]`; messages go to the servers in turn.
    pub servers: Vec<String>,
    /// Port of servers given without a port.
    pub port: u16,
    /// Tag of servers given without a tag.
    pub tag: String,
    /// Maximum messages per second over all servers; `None` for no limit.
    pub rate: Option<f64>,
    /// Print the messages per second.
    pub report_throughput: bool,
    /// Data set, and role of the receiving nodes, for messages that lack them; `None` to leave
    /// messages unchanged.
    pub completion: Option<(String, String)>,
    /// Refuse messages that are not valid for Droonga.
    pub validate: bool,
    /// Files with messages; empty for standard input.
    pub files: Vec<PathBuf>,
}

/// A parsed command line of a helper.
#[derive(Debug)]
pub enum Parsed {
    /// A job, and notes to print before the job runs.
    Work(Box<Job>, Vec<tenbin_plan::Sentence>),
    /// The help, because help was requested.
    Help(Help),
}

/// Every helper.
pub const HELPERS: &[Helper] = &[
    Helper {
        name: "drnbench-extract-searchterms",
        usage: "tenbin drnbench-extract-searchterms [FLAGS] [FILE]...",
        about: "prints a column of a select response as search terms, one per line",
        flags: &[EXTRACT],
        job: extract,
    },
    Helper {
        name: "drnbench-generate-select-patterns",
        usage: "tenbin drnbench-generate-select-patterns [FLAGS] [FILE]...",
        about: "generates request patterns as JSON from search terms, one per line",
        flags: &[GENERATE],
        job: generate,
    },
    Helper {
        name: "grn2drn",
        usage: "tenbin grn2drn [FLAGS] [FILE]...",
        about: "converts Groonga commands into Droonga messages, one per line",
        flags: &[CONVERT],
        job: convert,
    },
    Helper {
        name: "droonga-send",
        usage: "tenbin droonga-send [FLAGS] [FILE]...",
        about: "sends Droonga messages to servers in turn, with the forward protocol",
        flags: &[SEND],
        job: send,
    },
    Helper {
        name: "grndump",
        usage: "tenbin grndump [FLAGS] DATABASE|URL",
        about: "prints the commands that create a Groonga database",
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
        "column of the response, from 0",
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
        "hosts, separated by commas; each gets its own group",
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
    .refused("commands are read as UTF-8; convert others with iconv first"),
    Flag::new(
        CONVERT_NAME,
        "id-prefix",
        Kind::Text,
        "",
        "prefix of the messages' ids, followed by a number",
    ),
    Flag::new(CONVERT_NAME, "date", Kind::Text, "", "date of the messages"),
    Flag::new(
        CONVERT_NAME,
        "reply-to",
        Kind::Text,
        "",
        "receiver of the replies",
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
        "[droonga:]HOST[:PORT][/TAG], repeatable: servers are used in turn",
    ),
    Flag::new(
        SEND_NAME,
        "messages-per-second",
        Kind::Text,
        "100",
        "maximum messages per second over all servers; -1 for no limit",
    ),
    Flag::new(
        SEND_NAME,
        "report-throughput",
        Kind::Switch,
        "",
        "print the messages per second, once per second",
    ),
    Flag::new(
        SEND_NAME,
        "default-protocol",
        Kind::Choice(&["droonga", "http"]),
        "droonga",
        "default protocol of servers",
    )
    .refused("messages are sent with the forward protocol only"),
    Flag::new(
        SEND_NAME,
        "default-port",
        Kind::Whole,
        "10031",
        "default port of servers",
    ),
    Flag::new(
        SEND_NAME,
        "default-tag",
        Kind::Text,
        "droonga",
        "default tag of servers",
    ),
    Flag::new(
        SEND_NAME,
        "default-dataset",
        Kind::Text,
        "Default",
        "default data set of messages",
    ),
    Flag::new(
        SEND_NAME,
        "default-target-role",
        Kind::Text,
        "any",
        "default role of the nodes that receive messages",
    ),
    Flag::new(
        SEND_NAME,
        "completion",
        Kind::Switch,
        "true",
        "fill in missing fields of messages",
    ),
    Flag::new(
        SEND_NAME,
        "no-completion",
        Kind::Switch,
        "",
        "fill in no fields",
    ),
    Flag::new(
        SEND_NAME,
        "validation",
        Kind::Switch,
        "true",
        "refuse messages that are not valid for Droonga",
    ),
    Flag::new(
        SEND_NAME,
        "no-validation",
        Kind::Switch,
        "",
        "send messages unchanged",
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
        "maximum records of each table; -1 for all",
    ),
];

impl Helper {
    /// The helper with this name.
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

    /// Parses the arguments of the helper.
    ///
    /// # Errors
    ///
    /// Every mistake in the arguments, one sentence each.
    pub fn parse(&self, arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
        let mut given = self.table().parse(arguments, world);
        if given.help {
            let (tool, about) = (self.name, self.about);
            let described = sentence!(
                "front-helper-about",
                "{tool}'s command line on Tenbin: {about}.",
                tool,
                about
            );
            return Ok(Parsed::Help(help::on_command(
                self.usage,
                described.with_fixed("about", about),
                self.table().mine(),
                self.name,
            )));
        }
        let job = (self.job)(&mut given);
        Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
        Ok(Parsed::Work(
            Box::new(job),
            std::mem::take(&mut given.notes),
        ))
    }

    /// The flags of the helper as a Markdown table, for the documentation.
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
        given.wrong("default-port", not_a_port());
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

/// The maximum rate, messages per second over all servers. The original tool divides the rate by
/// the number of servers in integers: with a rate of 100, three servers receive 99 messages per
/// second.
fn rate(given: &mut Given) -> Option<f64> {
    let text = given.text("messages-per-second").to_owned();
    match text.parse::<f64>() {
        Ok(-1.0) => None,
        Ok(rate) if rate.is_finite() && rate > 0.0 => Some(rate),
        _ => {
            let why = sentence!(
                "droonga-send-rate",
                "{text:?} is neither a number above 0 nor -1, for no limit",
                text
            );
            given.wrong("messages-per-second", why);
            None
        }
    }
}

fn files(given: &Given) -> Vec<PathBuf> {
    given.operands.iter().map(PathBuf::from).collect()
}
