//! Output: the only module that writes to standard output and to standard error. No failure of
//! these streams ends a run: a run goes on and writes its record when the terminal is closed, the
//! disk is full, or the reader of a pipe has ended.

use std::borrow::Cow;
use std::error::Error;
use std::io::{self, IsTerminal, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tenbin_plan::{Sentence, sentence};
use tenbin_record::write_atomically;
use tenbin_report::{Extent, View, terminal};
use tenbin_result::Document;

use crate::errors;
use crate::exit::Exit;
use crate::front;
use crate::language::language;
use crate::markdown;
use crate::sentences::said_in;

/// Report width in columns if the width of the terminal is unknown.
const COLUMNS: usize = 100;

/// Prints an error on standard error in the language of the reader, with control characters escaped.
pub(crate) fn failure(error: &(dyn Error + 'static)) {
    say_lines(&in_words(error, ["error", "エラー"]));
}

/// Prints an error as [`failure`] does, and returns the exit code of refused arguments.
pub(crate) fn refuse_error(error: &(dyn Error + 'static)) -> Exit {
    failure(error);
    Exit::Refused
}

/// Prints an error with its cause in the language of the reader.
pub(crate) fn failed(error: &anyhow::Error) {
    match (error.downcast_ref::<Sentence>(), error.chain().nth(1)) {
        (Some(what), Some(cause)) => say_error(&sentence!(
            "of-cause",
            "{what}: {cause}",
            what,
            cause = errors::sentence_of(cause)
        )),
        (Some(what), None) => say_error(what),
        (None, _) => failure(error.as_ref()),
    }
}

/// The warning that an error becomes if the command goes on, in the language of the reader.
pub(crate) fn warning_of(error: &(dyn Error + 'static)) -> String {
    in_words(error, ["warning", "警告"])
}

fn say_lines(text: &str) {
    let lines = text.lines().map(tenbin_report::for_terminal);
    lines.for_each(|line| say(&line));
}

/// Prints an error on standard error in the language of the reader.
pub(crate) fn say_error(sentence: &Sentence) {
    say_lines(&titled(sentence, ["error", "エラー"]));
}

/// Prints an error as [`say_error`] does, and returns the exit code of refused arguments.
pub(crate) fn refuse(sentence: &Sentence) -> Exit {
    say_error(sentence);
    Exit::Refused
}

/// Prints a warning on standard error in the language of the reader.
pub(crate) fn say_warning(sentence: &Sentence) {
    say_lines(&warning_line(sentence));
}

/// Prints a note on standard error in the language of the reader.
pub(crate) fn say_note(sentence: &Sentence) {
    say_lines(&note_line(sentence));
}

/// A warning in the language of the reader, with its kind.
pub(crate) fn warning_line(sentence: &Sentence) -> String {
    titled(sentence, ["warning", "警告"])
}

/// A note in the language of the reader, with its kind.
pub(crate) fn note_line(sentence: &Sentence) -> String {
    titled(sentence, ["note", "注記"])
}

/// The sentence after its kind; in English as a whole if it has no text in the language of the
/// reader.
fn titled(sentence: &Sentence, [english, japanese]: [&str; 2]) -> String {
    match said_in(sentence, language()) {
        Some(said) => format!("{japanese}: {}", front::spelled(&said)),
        None => format!("{english}: {}", front::spelled(sentence.text())),
    }
}

/// An error in the language of the reader, in English if it has no message in that language.
pub(crate) fn said(error: &(dyn Error + 'static)) -> String {
    errors::said(error, language()).unwrap_or_else(|| error.to_string())
}

/// The error after its kind; in English as a whole if the error has no message in the language of the
/// reader.
fn in_words(error: &(dyn Error + 'static), [english, japanese]: [&str; 2]) -> String {
    match errors::said(error, language()) {
        Some(said) => format!("{japanese}: {}", front::spelled(&said)),
        None => format!("{english}: {}", front::spelled(&error.to_string())),
    }
}

/// Prints a line on standard error, in one write so that lines of several threads do not mix.
/// Control characters must be escaped already. A failure is ignored: there is no other place to
/// report it, and standard error holds no result.
pub(crate) fn say(line: &str) {
    say_command(&for_reader(line));
}

/// Like [`say`], for a line that can be a workflow command of GitHub Actions.
pub(crate) fn say_command(line: &str) {
    let _ = io::stderr()
        .lock()
        .write_all(format!("{line}\n").as_bytes());
}

/// Whether a job of GitHub Actions reads the output, and carries out the workflow commands in it.
pub(crate) fn is_in_actions() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// The text without workflow commands if a job of GitHub Actions reads it: a server can have sent them.
fn for_reader(text: &str) -> Cow<'_, str> {
    if is_in_actions() {
        Cow::Owned(without_commands(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text with a space in the marks of workflow commands: `::` at the beginning of a line, and `##[`
/// at any place.
fn without_commands(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (indent, words) = line.split_at(line.len() - line.trim_start().len());
        safe += indent;
        match words.strip_prefix("::") {
            Some(rest) => safe += &format!(": :{rest}"),
            None => safe += words,
        }
    }
    safe.replace("##[", "## [")
}

/// Prints a question on standard error; the answer follows on its line. Control characters must be
/// escaped already.
pub(crate) fn prompt(question: &str) {
    let _ = io::stderr().lock().write_all(question.as_bytes());
}

/// Whether a write to standard output failed.
static STDOUT_FAILED: AtomicBool = AtomicBool::new(false);

/// Prints text for a reader on standard output, as [`print`] does, without workflow commands of GitHub
/// Actions.
pub(crate) fn print_text(text: impl AsRef<str>) {
    print(for_reader(text.as_ref()).as_bytes());
}

/// Prints a page in Markdown on standard output, on a terminal without the marks of Markdown.
pub(crate) fn print_page(page: &str) {
    if io::stdout().is_terminal() {
        print_text(markdown::for_terminal(page, has_colour()));
    } else {
        print_text(page);
    }
}

/// Prints data on standard output. A closed pipe is not an error. Any other failure is reported
/// once, and the program then ends with [`Exit::Record`].
pub(crate) fn print(text: &[u8]) {
    let mut out = io::stdout().lock();
    note_failure(out.write_all(text).and_then(|()| out.flush()));
}

/// Records the result of a write to standard output.
pub(crate) fn note_failure(written: io::Result<()>) {
    let Err(failure) = written else { return };
    if failure.kind() == io::ErrorKind::BrokenPipe {
        return;
    }
    if !STDOUT_FAILED.swap(true, Ordering::Relaxed) {
        say_error(&sentence!(
            "no-stdout-space",
            "cannot write to standard output: {failure}; free space, or write to another file",
            failure
        ));
    }
}

/// Whether a file that the command line names could not be written.
static FILE_FAILED: AtomicBool = AtomicBool::new(false);

/// Reports a file named on the command line that could not be written after a run. The program then ends
/// with [`Exit::Record`].
pub(crate) fn file_failure(error: &(dyn Error + 'static)) {
    FILE_FAILED.store(true, Ordering::Relaxed);
    failure(error);
}

/// The exit code of the program: [`Exit::Record`] if the command succeeded (`exit`) but a write to
/// standard output or to a file that the command line names failed, otherwise `exit`.
pub(crate) fn exit_after_output(exit: Exit) -> Exit {
    let has_failed = STDOUT_FAILED.load(Ordering::Relaxed) || FILE_FAILED.load(Ordering::Relaxed);
    match exit {
        Exit::Done | Exit::Invalid | Exit::Unmet | Exit::Undecided | Exit::Suspect
            if has_failed =>
        {
            Exit::Record
        }
        other => other,
    }
}

/// Whether a stream is a terminal that supports escape sequences: any terminal without `TERM=dumb`.
pub(crate) fn is_smart(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether standard output is a terminal on which text can have colours and be bold.
fn has_colour() -> bool {
    is_smart(&io::stdout()) && std::env::var_os("NO_COLOR").is_none()
}

/// Standard output with a buffer, for large outputs.
pub(crate) fn stream() -> impl io::Write {
    io::BufWriter::with_capacity(64 << 10, io::stdout())
}

/// Prints the document of a run as JSON on standard output.
pub(crate) fn json(document: &Document) {
    if let Some(format) = tenbin_report::formats::format("json") {
        let mut out = stream();
        let written = format.write_document(document, &mut out);
        note_failure(written.and_then(|()| out.flush()));
    }
}

/// Writes a page to the file that the command line names. A pipe or a device is written to, not
/// replaced by a regular file.
///
/// # Errors
/// One sentence with the path and the reason.
pub(crate) fn write_page(file: &Path, page: &str) -> Result<(), Sentence> {
    write_atomically(file, page.as_bytes()).map_err(|error| error.sentence())
}

/// Width of the terminal that standard output goes to, characters; `None` if it goes elsewhere.
pub(crate) fn terminal_width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    let size = terminal_size::terminal_size().filter(|_| is_terminal);
    size.map(|(width, _)| usize::from(width.0))
}

/// Prints the requested part of a report on standard output.
pub(crate) fn report(document: &Document, extent: Extent<'_>) {
    let width = terminal_width().unwrap_or(COLUMNS);
    let view = View {
        width,
        colour: has_colour(),
        extent,
    };
    print(for_reader(&terminal(document, view)).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_server_is_a_workflow_command() {
        let text = "note: a::b\n  ::error title=x::y\n::stop-commands::z\n:::a\n\n##[error]c ##[d";
        let safe = without_commands(text);
        assert_eq!(
            safe,
            "note: a::b\n  : :error title=x::y\n: :stop-commands::z\n: ::a\n\n## [error]c ## [d"
        );
        assert_eq!(without_commands(&safe), safe);
        assert_eq!(
            without_commands("::1 is an address\n"),
            ": :1 is an address\n"
        );
    }
}
