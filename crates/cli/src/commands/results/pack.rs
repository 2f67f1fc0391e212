//! `tenbin pack`: writes a run to one file.

use std::path::{Path, PathBuf};

use tenbin_record::{can_write_atomically, is_running, pack as pack_run};
use tenbin_result::format;

use crate::args::PackArgs;
use crate::commands::results::opened::{OpenedRun, PACKED_RESULTS};
use crate::commands::results::show::document_of;
use crate::exit::Exit;
use crate::output;

/// Writes a run to one file.
pub(crate) fn pack(args: &PackArgs) -> Exit {
    let run = match OpenedRun::open(&args.run) {
        Ok(run) if run.is_packed() => return refuse("the run is packed already"),
        Ok(run) => run.directory,
        Err(exit) => return exit,
    };
    if is_running(&run) {
        return refuse(&format!(
            "the run in {} is still running; pack it when it has ended",
            run.display()
        ));
    }
    // A run that Tenbin cannot read must not be packed and published.
    if let Err(exit) = document_of(&run) {
        return exit;
    }
    let file = args.out.clone().unwrap_or_else(|| default_file(&run));
    if let Err(error) = can_write_atomically(&file) {
        output::failure(&error);
        return Exit::Refused;
    }
    match pack_run(&run, PACKED_RESULTS, &file) {
        Ok(size) => {
            output::print(
                format!(
                    "{}: {} files, {} ({} unpacked)\nanybody can check it: tenbin verify {0}\n",
                    tenbin_report::for_terminal(&file.display().to_string()),
                    size.files,
                    format::bytes(size.packed),
                    format::bytes(size.content),
                )
                .as_bytes(),
            );
            Exit::Done
        }
        Err(error) => {
            output::failure(&error);
            Exit::Record
        }
    }
}

fn default_file(run: &Path) -> PathBuf {
    let full = run.canonicalize().unwrap_or_else(|_| run.to_owned());
    let name = full.file_name().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{name}.tar.zst"))
}

fn refuse(sentence: &str) -> Exit {
    output::error(sentence);
    Exit::Refused
}
