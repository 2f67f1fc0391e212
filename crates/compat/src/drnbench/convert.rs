//! The command line of `grn2drn`.

use std::path::PathBuf;

use super::{Helper, Job, files};
use crate::flag::{Flag, Kind};
use crate::parse::Given;

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

pub(super) const HELPER: Helper = Helper {
    name: "grn2drn",
    usage: "tenbin grn2drn [FLAGS] [FILE]...",
    about: "converts Groonga commands into Droonga messages, one per line",
    flags: &[FLAGS],
    job,
};

const TOOL: &[&str] = &["grn2drn"];

const FLAGS: &[Flag] = &[
    Flag::new(
        TOOL,
        "dataset",
        Kind::Text,
        "Default",
        "name of the data set",
    ),
    Flag::new(
        TOOL,
        "encoding",
        Kind::Text,
        "UTF-8",
        "encoding of the commands",
    )
    .refused("commands are read as UTF-8; convert others with iconv first"),
    Flag::new(
        TOOL,
        "id-prefix",
        Kind::Text,
        "",
        "prefix of the messages' ids, followed by a number",
    ),
    Flag::new(TOOL, "date", Kind::Text, "", "date of the messages"),
    Flag::new(TOOL, "reply-to", Kind::Text, "", "receiver of the replies"),
    Flag::new(TOOL, "output", Kind::Text, "-", "file for the messages"),
];

fn job(given: &mut Given) -> Job {
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
