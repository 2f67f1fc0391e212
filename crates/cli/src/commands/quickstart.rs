//! `tenbin quickstart`: compares two servers that Tenbin starts.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tenbin_plan::sentence;

use super::measure;
use crate::args::{QuickstartArgs, QuickstartKind};
use crate::exit::Exit;
use crate::output;

/// Measures, unless the search server is not installed.
pub(crate) fn quickstart(args: &QuickstartArgs) -> Exit {
    if args.kind == QuickstartKind::Search && !is_installed("groonga") {
        output::say_error(&sentence!(
            "no-groonga",
            "quickstart search starts two Groongas, and PATH has no groonga; install it with \
             apt install groonga-bin (Debian, Ubuntu) or brew install groonga (Homebrew, macOS)"
        ));
        return Exit::Target;
    }
    measure(Ok(args.draft()), &args.output)
}

/// Whether a directory of `PATH` has this program.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_program(&directory.join(program)))
}

fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}
