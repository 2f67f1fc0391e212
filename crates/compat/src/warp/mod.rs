//! The command line of warp, the S3 benchmark of MinIO.

mod command;
mod draft;
mod hosts;
mod job;
mod mix;
mod run_file;
mod sizes;
mod table;
mod yaml;

use tenbin_plan::{Sentence, sentence};

use crate::flag::Fate;
use crate::help::{self, Help};
use crate::mistakes::{Mistakes, did_you_mean};
use crate::parse::{Given, Style, Table, World};

pub use command::{COMMANDS, Command, Operation, Reading, Task, command};
pub use job::{Checksum, Encryption, WarpJob};
pub use mix::MixedOperation;
pub use sizes::{SizePlan, SizeRange};
pub use table::FLAGS;

/// A parsed command line of warp.
#[derive(Debug)]
pub enum Parsed {
    /// A measurement.
    Measure(Box<WarpJob>),
    /// Reading of result files.
    Read(WarpReading),
    /// The help, because help was requested.
    Help(Help),
}

/// Reading of result files.
#[derive(Debug, Clone, PartialEq)]
pub struct WarpReading {
    /// What to do with the files.
    pub reading: Reading,
    /// The files; `-` is standard input.
    pub files: Vec<String>,
    /// The only operation to show, in capitals; `None` shows all.
    pub operation: Option<String>,
    /// The only host to show; `None` shows all.
    pub host: Option<String>,
    /// Time at the start of the run to leave out.
    pub skip: std::time::Duration,
    /// Length of a segment, seconds.
    pub segment_seconds: u64,
    /// Number of requests at the start to leave out.
    pub offset: u64,
    /// Maximum number of requests to read.
    pub limit: Option<u64>,
    /// Whether JSON is printed.
    pub json: bool,
    /// Notes to print before the result.
    pub notes: Vec<Sentence>,
}

/// Parses the arguments of `warp`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let (leading, name, rest) = split(arguments);
    let Some(name) = name else {
        return Ok(Parsed::Help(overview()));
    };
    if matches!(name, "help" | "h") {
        return Ok(Parsed::Help(match rest.first() {
            Some(topic) => help_on(known(topic)?)?,
            None => overview(),
        }));
    }
    let command = known(name)?;
    if let Fate::Refused(reason) = command.fate {
        return Err(refused(command, reason));
    }
    let arguments: Vec<String> = leading.iter().chain(rest).cloned().collect();
    let mut given = table_of(command).parse(&arguments, world);
    if given.help {
        return help_on(command).map(Parsed::Help);
    }
    match command.task {
        Task::Measure(operation) => measure(operation, given, world),
        Task::Read(reading) => reading_of(reading, given).map(Parsed::Read),
        Task::Run => run(&mut given, world),
        Task::None => Ok(Parsed::Help(overview())),
    }
}

fn measure(operation: Operation, given: Given, world: &World<'_>) -> Result<Parsed, Mistakes> {
    job::read(operation, given, world).map(|job| Parsed::Measure(Box::new(job)))
}

/// The measurement in the YAML file of `warp run`.
fn run(given: &mut Given, world: &World<'_>) -> Result<Parsed, Mistakes> {
    let file = run_file::read(given, world)?;
    let command = known(&file.command)?;
    match (command.fate, command.task) {
        (_, Task::Measure(operation)) => {
            let given = table_of(command).parse(&file.arguments, world);
            measure(operation, given, world)
        }
        (Fate::Refused(reason), _) => Err(refused(command, reason)),
        _ => Err(Mistakes::one(sentence!(
            "warp-measures-nothing",
            "warp {name} measures nothing; name for example \"benchmark: get\"",
            name = command.name
        ))),
    }
}

fn refused(command: &Command, reason: &'static str) -> Mistakes {
    let name = command.name;
    let why = sentence!("warp-refused", "warp {name}: {reason}", name, reason);
    Mistakes::one(why.with_fixed("reason", reason))
}

fn table_of(command: &Command) -> Table {
    Table {
        style: Style::Go,
        tool: "warp",
        command: command.name,
        flags: FLAGS,
    }
}

/// Splits the arguments: switches before the command, the command, and the rest.
fn split(arguments: &[String]) -> (&[String], Option<&str>, &[String]) {
    let at = arguments
        .iter()
        .position(|argument| !argument.starts_with('-'))
        .unwrap_or(arguments.len());
    let (leading, rest) = arguments.split_at(at);
    match rest.split_first() {
        Some((name, rest)) => (leading, Some(name), rest),
        None => (leading, None, &[]),
    }
}

fn known(name: &str) -> Result<&'static Command, Mistakes> {
    command(name).ok_or_else(|| {
        let meant = did_you_mean(
            name,
            |name| format!("warp {name}"),
            COMMANDS.iter().map(|command| command.name),
        );
        Mistakes::one(sentence!(
            "warp-no-command",
            "warp has no command {name:?}{meant}",
            name,
            meant
        ))
    })
}

fn reading_of(reading: Reading, mut given: Given) -> Result<WarpReading, Mistakes> {
    let name = match reading {
        Reading::Analyze => "analyze",
        Reading::Cmp => "cmp",
        Reading::Merge => "merge",
    };
    let (least, most) = match reading {
        Reading::Analyze => (1, usize::MAX),
        Reading::Cmp => (2, 2),
        Reading::Merge => (2, usize::MAX),
    };
    let files = std::mem::take(&mut given.operands);
    if files.len() < least || files.len() > most {
        let wanted = match reading {
            Reading::Analyze => "give it at least one file",
            Reading::Cmp => "give it two files, the earlier first",
            Reading::Merge => "give it at least two files",
        };
        let are = match files.len() {
            0 => "no file is".to_owned(),
            1 => "one file is".to_owned(),
            count => format!("{count} files are"),
        };
        let why = sentence!(
            "warp-files",
            "warp {name}: {are} given; {wanted}",
            name,
            are,
            wanted
        );
        given.mistakes.push(why.with("count", files.len()));
    }
    let segment = given.time("analyze.dur").unwrap_or_default();
    if segment.as_secs() == 0 || segment.subsec_nanos() > 0 {
        let why = sentence!(
            "warp-segments",
            "segments are whole seconds; write for example \"1s\" or \"5s\""
        );
        given.wrong("analyze.dur", why);
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(WarpReading {
        reading,
        files,
        operation: given.some_text("analyze.op").map(|op| op.to_uppercase()),
        host: given.some_text("analyze.host"),
        skip: given.time("analyze.skip").unwrap_or_default(),
        segment_seconds: segment.as_secs(),
        offset: given.whole("analyze.offset"),
        limit: Some(given.whole("analyze.limit")).filter(|&limit| limit > 0),
        json: given.switch("json"),
        notes: given.notes,
    })
}

/// The help of warp.
fn overview() -> Help {
    help::overview(
        sentence!(
            "warp-about",
            "warp's command line on Tenbin's engine: only goodput, percentiles of all requests, and a \
            verdict."
        ),
        "tenbin warp COMMAND [FLAGS]",
        COMMANDS
            .iter()
            .map(|command| (command.name, command.about, command.fate)),
        sentence!(
            "warp-help",
            "tenbin warp COMMAND --help lists the flags of a command. If the program is called warp, \
            it is this command."
        ),
    )
}

fn help_on(command: &Command) -> Result<Help, Mistakes> {
    if let Fate::Refused(reason) = command.fate {
        return Err(refused(command, reason));
    }
    let operands = match command.task {
        Task::Read(Reading::Cmp) => " BEFORE AFTER",
        Task::Read(_) => " FILE…",
        Task::Run => " FILE",
        Task::Measure(_) | Task::None => "",
    };
    Ok(help::on_command(
        &format!("tenbin warp {} [FLAGS]{operands}", command.name),
        Sentence::fixed(command.about),
        table_of(command).mine(),
        command.name,
    ))
}

/// The tables of commands and flags as Markdown, for the documentation.
pub fn tables() -> String {
    let mut text = help::command_table(
        COMMANDS
            .iter()
            .map(|command| (command.name, command.about, command.fate)),
    );
    text.push('\n');
    text.push_str(&help::flag_table(
        FLAGS.iter().copied().flatten(),
        COMMANDS
            .iter()
            .filter(|command| !matches!(command.task, Task::Run | Task::None))
            .map(|command| command.name)
            .collect::<Vec<_>>()
            .as_slice(),
    ));
    text
}
