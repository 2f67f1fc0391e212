//! `tenbin pack`: writes a run to one file.

use std::path::{Path, PathBuf};

use tenbin_plan::sentence;
use tenbin_record::{can_write_atomically, is_running, pack as pack_run};
use tenbin_result::format;

use crate::args::PackArgs;
use crate::commands::results::opened::{OpenedRun, PACKED_RESULTS};
use crate::commands::results::show::document_of;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Writes a run to one file.
pub(crate) fn pack(args: &PackArgs) -> Exit {
    let run = match OpenedRun::open(&args.run) {
        Ok(run) if run.is_packed() => {
            return output::refuse(&sentence!("packed-already", "the run is packed already"));
        }
        Ok(run) => run.directory,
        Err(exit) => return exit,
    };
    if is_running(&run) {
        return output::refuse(&sentence!(
            "pack-later",
            "the run in {run} is still running; pack it when it has ended",
            run = run.display()
        ));
    }
    // A run that Tenbin cannot read must not be packed and published.
    if let Err(exit) = document_of(&run) {
        return exit;
    }
    let file = args.out.clone().unwrap_or_else(|| default_file(&run));
    if let Err(error) = can_write_atomically(&file) {
        return output::refuse_error(&error);
    }
    match pack_run(&run, PACKED_RESULTS, &file) {
        Ok(size) => {
            let name = tenbin_report::for_terminal(&file.display().to_string());
            let packed = sentence!(
                "packed",
                "{file}: {files} files, {packed} ({content} unpacked)",
                file = name,
                files = size.files,
                packed = format::bytes(size.packed),
                content = format::bytes(size.content)
            );
            let check = sentence!(
                "anybody-can-check",
                "anybody can check it: tenbin verify {file}",
                file = name
            );
            output::print_text(format!("{}\n{}\n", said(&packed), said(&check)));
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
