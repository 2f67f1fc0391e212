//! warp's commands.

use crate::flag::Fate;

/// What a command of warp is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// It measures.
    Measure(Operation),
    /// It reads results.
    Read(Reading),
    /// Tenbin does not do it.
    None,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the names of the commands, which the table explains"
)]
pub enum Operation {
    Get,
    Put,
    Delete,
    List,
    Stat,
    Mixed,
    Versioned,
    Retention,
    Multipart,
    MultipartPut,
    Append,
    Zip,
    Snowball,
    Fanout,
}

/// What is done with results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Show each file.
    Analyze,
    /// Hold the second against the first.
    Cmp,
    /// Show several files as one.
    Merge,
}

/// A command of warp.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub task: Task,
    /// What becomes of it.
    pub fate: Fate,
    /// What it does, in one line.
    pub about: &'static str,
}

const fn measures(name: &'static str, operation: Operation, about: &'static str) -> Command {
    Command {
        name,
        task: Task::Measure(operation),
        fate: Fate::Honoured,
        about,
    }
}

const fn reads(name: &'static str, reading: Reading, about: &'static str) -> Command {
    Command {
        name,
        task: Task::Read(reading),
        fate: Fate::Honoured,
        about,
    }
}

const fn refused(name: &'static str, about: &'static str, reason: &'static str) -> Command {
    Command {
        name,
        task: Task::None,
        fate: Fate::Refused(reason),
        about,
    }
}

/// Why there is no Iceberg.
const NO_ICEBERG: &str = "Tenbin speaks no Iceberg catalogue";

/// Every command, those that measure first.
pub const COMMANDS: &[Command] = &[
    measures("get", Operation::Get, "read objects"),
    measures("put", Operation::Put, "store objects"),
    measures("delete", Operation::Delete, "delete objects in batches"),
    measures("list", Operation::List, "list objects"),
    measures(
        "stat",
        Operation::Stat,
        "ask for the metadata of objects (HEAD)",
    ),
    measures(
        "mixed",
        Operation::Mixed,
        "read, store, ask for and delete objects",
    ),
    measures(
        "versioned",
        Operation::Versioned,
        "the same with versions of objects",
    ),
    measures(
        "retention",
        Operation::Retention,
        "set the retention of objects",
    ),
    measures(
        "multipart",
        Operation::Multipart,
        "read an object of many parts by its parts",
    ),
    measures(
        "multipart-put",
        Operation::MultipartPut,
        "store objects in parts",
    ),
    measures("append", Operation::Append, "append to objects"),
    measures(
        "zip",
        Operation::Zip,
        "read files out of a zip archive (MinIO)",
    ),
    measures(
        "snowball",
        Operation::Snowball,
        "store objects in tar archives (MinIO)",
    ),
    measures(
        "fanout",
        Operation::Fanout,
        "store one object under many names (MinIO)",
    ),
    reads("analyze", Reading::Analyze, "show what a result file holds"),
    reads("cmp", Reading::Cmp, "hold one result file against another"),
    reads("merge", Reading::Merge, "show several result files as one"),
    refused(
        "client",
        "wait for a remote controller",
        "Tenbin generates its load in this process; start it on the machine that is to send it",
    ),
    refused(
        "run",
        "run a YAML file",
        "warp's YAML files are not read; write the same flags behind the command, \
         or keep a plan file and give it to tenbin run",
    ),
    refused(
        "select",
        "S3 Select",
        "Tenbin has no S3 Select; store and read objects with put and get",
    ),
    refused("iceberg", "Iceberg tables", NO_ICEBERG),
    refused("catalog-read", "Iceberg tables", NO_ICEBERG),
    refused("catalog-commits", "Iceberg tables", NO_ICEBERG),
    refused("catalog-mixed", "Iceberg tables", NO_ICEBERG),
    refused("sustained", "Iceberg tables", NO_ICEBERG),
    refused(
        "update",
        "update the program",
        "update Tenbin the way it was installed",
    ),
];

/// The command of that name.
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The command that measures this.
pub(crate) fn of(operation: Operation) -> &'static Command {
    COMMANDS
        .iter()
        .find(|command| command.task == Task::Measure(operation))
        .unwrap_or(&COMMANDS[0])
}
