//! `tenbin search ramp`.

use crate::args::SearchRampArgs;
use crate::commands::foreign::{can_keep, show_recorded};
use crate::commands::measure::measure_and_show;
use crate::commands::ramp::{keep_ramps, ramps_of};
use crate::exit::Exit;
use crate::output;

/// Measures every number of clients on every target.
pub(super) fn ramp(args: &SearchRampArgs) -> Exit {
    let path = args.output_path.as_deref();
    if let Err(exit) = can_keep(&[path.and_then(|path| path.to_str())]) {
        return exit;
    }
    measure_and_show(args.draft(), &args.output, &|plan, document, directory| {
        output::report(document, args.output.json);
        if let Some(path) = path {
            show_recorded(document, directory, |recorded| {
                keep_ramps(&ramps_of(plan, recorded), path);
            });
        }
    })
}
