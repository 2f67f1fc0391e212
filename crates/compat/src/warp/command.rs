//! The commands of warp.

use super::table::AGENTS;
use crate::flag::Fate;

/// What a command of warp does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Measures an operation.
    Measure(Operation),
    /// Reads result files.
    Read(Reading),
    /// Measures what a YAML file says.
    Run,
    /// Not supported by Tenbin.
    None,
}

/// An operation that warp can measure.
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

/// What a command does with result files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Show each file.
    Analyze,
    /// Compare the second file with the first.
    Cmp,
    /// Show several files as one result.
    Merge,
}

/// A command of warp.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Name on the command line.
    pub name: &'static str,
    /// What the command does.
    pub task: Task,
    /// How Tenbin treats the command.
    pub fate: Fate,
    /// One-line description.
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

/// Why Iceberg commands are refused.
const NO_ICEBERG: &str = "Tenbin does not support Iceberg catalogues";

/// Every command, measuring commands first.
pub const COMMANDS: &[Command] = &[
    measures("get", Operation::Get, "read objects"),
    measures("put", Operation::Put, "store objects"),
    measures("delete", Operation::Delete, "delete objects in batches"),
    measures("list", Operation::List, "list objects"),
    measures(
        "stat",
        Operation::Stat,
        "read the metadata of objects (HEAD)",
    ),
    measures(
        "mixed",
        Operation::Mixed,
        "read, store, stat and delete objects",
    ),
    measures(
        "versioned",
        Operation::Versioned,
        "the mixed command with versions of objects",
    ),
    measures(
        "retention",
        Operation::Retention,
        "set the retention of objects",
    ),
    measures(
        "multipart",
        Operation::Multipart,
        "read the parts of a multipart object",
    ),
    measures(
        "multipart-put",
        Operation::MultipartPut,
        "store objects by multipart upload",
    ),
    measures("append", Operation::Append, "append to objects"),
    measures(
        "zip",
        Operation::Zip,
        "read files from a zip archive (MinIO)",
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
    reads(
        "analyze",
        Reading::Analyze,
        "show the contents of a result file",
    ),
    reads("cmp", Reading::Cmp, "compare two result files"),
    reads(
        "merge",
        Reading::Merge,
        "show several result files as one result",
    ),
    refused("client", "wait for a remote controller", AGENTS),
    Command {
        name: "run",
        task: Task::Run,
        fate: Fate::Honoured,
        about: "run the command in a YAML file, whose keys are the flags of the command",
    },
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
        "update Tenbin in the same way as it was installed",
    ),
];

/// The command with this name.
pub fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The command that measures this operation.
pub(crate) fn for_operation(operation: Operation) -> &'static Command {
    COMMANDS
        .iter()
        .find(|command| command.task == Task::Measure(operation))
        .unwrap_or(&COMMANDS[0])
}
