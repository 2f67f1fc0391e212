//! Functions shared by the commands that run command lines of other tools.

use std::path::Path;

use tenbin_compat::{Help, Mistakes, Parsed, Printer, World};
use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_report::Extent;
use tenbin_report::formats::Run;
use tenbin_result::{Document, Language};

use crate::args::{AddedArgs, ForeignArgs, foreign_world};
use crate::commands::results::export::parts;
use crate::commands::results::given_twice;
use crate::exit::Exit;
use crate::front;
use crate::help::wrap;
use crate::language::language;
use crate::output;
use crate::same_file::{is_same_file, replaces};
use crate::sentences::said;

/// Acts on the parsed command line of a tool: calls `measure` for a benchmark, or prints help or
/// errors.
pub(crate) fn answer<Job>(
    tool: &str,
    asked: Result<Parsed<Job>, Mistakes>,
    measure: impl FnOnce(&Job) -> Exit,
) -> Exit {
    match asked {
        Ok(Parsed::Measure(job)) => measure(&job),
        Ok(Parsed::Help(asked)) => help(&asked),
        Ok(Parsed::Version) => version(tool),
        Err(mistakes) => refuse(&mistakes),
    }
}

/// Like [`answer`] for a tool with requests: parses the arguments without the flags that Tenbin
/// adds, which `measure` receives.
pub(crate) fn answer_with_added<Job>(
    tool: &str,
    args: &ForeignArgs,
    parse: impl FnOnce(&[String], &World<'_>) -> Result<Parsed<Job>, Mistakes>,
    measure: impl FnOnce(&Job, AddedArgs) -> Exit,
) -> Exit {
    front::choose(tool);
    match args.divide() {
        Ok((added, arguments)) => match parse(&arguments, &foreign_world()) {
            Ok(Parsed::Help(asked)) => help_with_added(&asked),
            parsed => answer(tool, parsed, |job| measure(job, added)),
        },
        Err(mistakes) => refuse(&mistakes),
    }
}

/// Prints the requested help of a tool with requests.
pub(crate) fn help_with_added(asked: &Help) -> Exit {
    let added = match language() {
        Language::English => ADDED,
        Language::Japanese => include_str!("added.ja.txt"),
    };
    output::print_text(format!("{}\n{added}", in_words(asked)));
    Exit::Done
}

/// The flags of Tenbin that every tool with requests has.
const ADDED: &str = "\
Load from several machines, on which `tenbin agent` runs:
  --agents N --nats URL --creds FILE

The distribution of the times of each operation, after the tool's own lines:
  --latency

CPU, memory and storage use of a server, repeatable (the sum is reported):
  --observe [NAME=]HOW
      HOW is port (the process that listens on the port of the server's URL), port:N, pid:N or
      name:PROGRAM on this machine (for one of several servers name:PROGRAM,dir:PATH or
      name:PROGRAM,cgroup:PATH); tenbin:URL of a `tenbin observe` on another machine; or
      prometheus:URL. --observe-token-file FILE and the other settings of a URL are those of
      `tenbin http --help`
";

/// Prints the requested help.
pub(crate) fn help(asked: &Help) -> Exit {
    output::print_text(in_words(asked));
    Exit::Done
}

/// The help in the language of the reader.
fn in_words(asked: &Help) -> String {
    match language() {
        Language::English => asked.to_string(),
        Language::Japanese => asked.printed(&Printer {
            say: &said,
            wrap: &wrap::lines,
        }),
    }
}

/// Prints the errors of a command line.
pub(crate) fn refuse(mistakes: &Mistakes) -> Exit {
    mistakes.sentences().iter().for_each(output::say_error);
    Exit::Refused
}

/// The findings and the verdict at the end of a tool's output, line by line with flags of the tool.
pub(crate) fn last_findings(document: &Document) -> String {
    let text = tenbin_report::last_lines(document);
    let lines = text.split_inclusive('\n');
    let spelled = lines.map(|line| {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        format!("{}{end}", front::spelled(line))
    });
    spelled.collect()
}

/// Prints notes before the run.
pub(crate) fn tell(notes: &[Sentence]) {
    notes.iter().for_each(output::say_note);
}

/// Prints the version with the name of the emulated tool.
pub(crate) fn version(tool: &str) -> Exit {
    let version = env!("CARGO_PKG_VERSION");
    let line = sentence!(
        "version-with-tool",
        "tenbin {version}, with {tool}'s command line",
        version,
        tool
    );
    output::print_text(format!("{}\n", said(&line)));
    Exit::Done
}

/// Prints the recorded run, or the result in memory if the recorded run cannot be read.
pub(crate) fn show_recorded(
    plan: &Plan,
    document: &Document,
    directory: &Path,
    show: impl FnOnce(&Run<'_>),
) {
    match tenbin_record::read(directory) {
        Ok(record) => show(&Run {
            directory,
            document,
            plan,
            record: &record,
        }),
        Err(error) => {
            output::failure(&error);
            output::report(document, Extent::Screen);
        }
    }
}

/// Prints the distribution of the times of each operation on each target, if `--latency` is given.
pub(crate) fn print_latency(run: &Run<'_>, is_given: bool) {
    if !is_given {
        return;
    }
    for part in parts("hgrm", run) {
        let title = sentence!(
            "latency-distribution",
            "Latency distribution of {name}, milliseconds:",
            name = part.name
        );
        output::print_text(format!("\n{}\n", said(&title)));
        output::print(&part.content);
    }
}

/// Checks before the run that [`keep`] can write these files, none in place of another.
pub(crate) fn can_keep(files: &[Option<&str>]) -> Result<(), Exit> {
    let files: Vec<&str> = files.iter().copied().flatten().collect();
    for (at, file) in files.iter().enumerate() {
        let is_same = |earlier: &str| is_same_file(Path::new(earlier), Path::new(file));
        if replaces(Path::new(file)) && files[..at].iter().any(|earlier| is_same(earlier)) {
            return Err(output::refuse(&given_twice(Path::new(file))));
        }
        if let Err(error) = tenbin_record::can_write_atomically(Path::new(file)) {
            return Err(output::refuse(&sentence!(
                "name-writable-file",
                "{reason}; name a file that can be written",
                reason = error
            )));
        }
    }
    Ok(())
}
