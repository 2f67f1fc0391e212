//! Scripts of other load generators, given where Tenbin cannot use a script.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;

use tenbin_plan::{Script, read_bounded, sentence};
use tenbin_report::for_terminal;

use crate::exit::Exit;
use crate::output;

/// Largest size of a script that is read, bytes.
const LARGEST: u64 = 1 << 20;

/// Refuses a file that could not be read: a script with the closest command line, any other file with
/// the error.
pub(crate) fn refuse_unread(file: &Path, error: &(dyn Error + 'static)) -> Exit {
    match script_in(file) {
        Some(script) => refuse(file, &script),
        None => output::refuse_error(error),
    }
}

/// Refuses the first script among the arguments of an unknown command, as in `k6 run test.js`. `None`
/// without a script.
pub(crate) fn refuse_among(arguments: &[OsString]) -> Option<Exit> {
    arguments.iter().skip(1).find_map(|argument| {
        let file = Path::new(argument);
        script_in(file).map(|script| refuse(file, &script))
    })
}

/// The script in a file; `None` for any other file.
fn script_in(file: &Path) -> Option<Script> {
    // A pipe can be read only once.
    if !file.is_file() {
        return None;
    }
    let text = String::from_utf8(read_bounded(file, LARGEST).ok()?).ok()?;
    Script::of(&text)
}

/// Prints the closest command line on a separate line.
fn refuse(file: &Path, script: &Script) -> Exit {
    output::say_error(&sentence!(
        "script-closest",
        "{file} is a script of {tool}, and Tenbin does not run scripts; the closest command is:",
        file = file.display(),
        tool = script.tool
    ));
    output::say(&format!("\n  {}\n", for_terminal(&script.command)));
    output::say_note(&script.further());
    Exit::Refused
}
