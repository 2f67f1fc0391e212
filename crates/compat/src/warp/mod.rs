//! warp, the S3 benchmark of MinIO.

mod command;
mod draft;
mod hosts;
mod job;
mod mix;
mod sizes;
mod table;

use crate::flag::Fate;
use crate::help;
use crate::mistakes::{Mistakes, did_you_mean};
use crate::parse::{Given, Style, Table, World};

pub use command::{COMMANDS, Command, Operation, Reading, Task, command};
pub use job::{Checksum, Encryption, WarpJob};
pub use mix::MixedOperation;
pub use sizes::{SizePlan, SizeRange};
pub use table::FLAGS;

/// What a command line of warp asks for.
#[derive(Debug)]
pub enum Asked {
    /// To measure.
    Measure(Box<WarpJob>),
    /// To read results.
    Read(WarpReading),
    /// For help, which is this text.
    Help(String),
}

/// To read results.
#[derive(Debug, Clone, PartialEq)]
pub struct WarpReading {
    /// What is done with them.
    pub reading: Reading,
    /// The files; `-` is standard input.
    pub files: Vec<String>,
    /// Only this operation, in capitals.
    pub operation: Option<String>,
    /// Only requests to this host.
    pub host: Option<String>,
    /// Leave out what began in the first of it.
    pub skip: std::time::Duration,
    /// Length of a segment, whole seconds.
    pub segment_seconds: u64,
    /// Leave out so many requests first.
    pub offset: u64,
    /// Look at no more requests than this.
    pub limit: Option<u64>,
    /// Print JSON.
    pub json: bool,
    /// What is to be said before.
    pub notes: Vec<String>,
}

/// Reads what stands behind `warp`.
///
/// # Errors
///
/// Everything that is wrong with it, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Asked, Mistakes> {
    let (leading, name, rest) = split(arguments);
    let Some(name) = name else {
        return Ok(Asked::Help(overview()));
    };
    if matches!(name, "help" | "h") {
        return Ok(Asked::Help(match rest.first() {
            Some(topic) => help_on(known(topic)?)?,
            None => overview(),
        }));
    }
    let command = known(name)?;
    if let Fate::Refused(reason) = command.fate {
        return Err(Mistakes::one(format!("warp {}: {reason}", command.name)));
    }
    let arguments: Vec<String> = leading.iter().chain(rest).cloned().collect();
    let table = Table {
        style: Style::Go,
        tool: "warp",
        command: command.name,
        flags: FLAGS,
    };
    let given = table.parse(&arguments, world);
    if given.help {
        return help_on(command).map(Asked::Help);
    }
    match command.task {
        Task::Measure(operation) => {
            job::of(operation, given, world).map(|job| Asked::Measure(Box::new(job)))
        }
        Task::Read(reading) => reading_of(reading, given).map(Asked::Read),
        Task::None => Ok(Asked::Help(overview())),
    }
}

/// Switches before the command, the command, and what follows it.
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
        Mistakes::one(format!("warp has no command {name:?}{meant}"))
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
        given.mistakes.push(format!(
            "warp {name}: {} given; {wanted}",
            match files.len() {
                0 => "no file is".to_owned(),
                1 => "one file is".to_owned(),
                count => format!("{count} files are"),
            }
        ));
    }
    let segment = given.time("analyze.dur").unwrap_or_default();
    if segment.as_secs() == 0 || segment.subsec_nanos() > 0 {
        given.wrong(
            "analyze.dur",
            "segments are whole seconds; write for example \"1s\" or \"5s\"",
        );
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

/// The help on all of warp.
fn overview() -> String {
    help::overview(
        "warp's command line on Tenbin's engine: goodput only, percentiles of all requests, and a \
         verdict.",
        "tenbin warp COMMAND [FLAGS]",
        COMMANDS
            .iter()
            .map(|command| (command.name, command.about, command.fate)),
        "tenbin warp COMMAND --help lists the flags of a command. Called by the name warp, \
         Tenbin is this command alone.",
    )
}

fn help_on(command: &Command) -> Result<String, Mistakes> {
    if let Fate::Refused(reason) = command.fate {
        return Err(Mistakes::one(format!("warp {}: {reason}", command.name)));
    }
    let table = Table {
        style: Style::Go,
        tool: "warp",
        command: command.name,
        flags: FLAGS,
    };
    let operands = match command.task {
        Task::Read(Reading::Cmp) => " BEFORE AFTER",
        Task::Read(_) => " FILE…",
        _ => "",
    };
    Ok(help::on_command(
        &format!("tenbin warp {} [FLAGS]{operands}", command.name),
        command.about,
        table.mine(),
        command.name,
    ))
}

/// The tables of commands and flags for the documentation, as Markdown.
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
            .filter(|command| command.task != Task::None)
            .map(|command| command.name)
            .collect::<Vec<_>>()
            .as_slice(),
    ));
    text
}
