//! `tenbin search ramp`.

use crate::args::SearchRampArgs;
use crate::commands::measure::{measure_and_show, print_result};
use crate::commands::other_tools::shared::{can_keep, show_recorded};
use crate::commands::results::export::keep_sweeps;
use crate::exit::Exit;

/// Measures every target at every number of clients, or at every rate.
pub(super) fn ramp(args: &SearchRampArgs) -> Exit {
    let path = args.output_path.as_deref();
    if let Err(exit) = can_keep(&[path.and_then(|path| path.to_str())]) {
        return exit;
    }
    measure_and_show(args.draft(), &args.output, &|plan, document, directory| {
        print_result(&args.output, document);
        if let Some(path) = path {
            show_recorded(plan, document, directory, |run| keep_sweeps(run, path));
        }
    })
}
