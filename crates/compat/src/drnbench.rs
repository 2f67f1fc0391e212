//! The command lines of the helper programs of drnbench, a benchmark of search servers:
//! `drnbench-extract-searchterms`, `drnbench-generate-select-patterns`, `grn2drn`, `droonga-send`,
//! `grndump`.

mod convert;
mod dump;
mod extract_terms;
mod generate_patterns;
mod send;

use std::path::PathBuf;

use tenbin_plan::sentence;

pub use self::convert::Convert;
pub use self::dump::Dump;
pub use self::extract_terms::ExtractTerms;
pub use self::generate_patterns::GeneratePatterns;
pub use self::send::Send;
use crate::flag::Flag;
use crate::help::{self, Help};
use crate::mistakes::Mistakes;
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
    extract_terms::HELPER,
    generate_patterns::HELPER,
    convert::HELPER,
    send::HELPER,
    dump::HELPER,
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

/// The files that are named after the flags.
fn files(given: &Given) -> Vec<PathBuf> {
    given.operands.iter().map(PathBuf::from).collect()
}
