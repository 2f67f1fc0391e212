//! Notes which targets on this machine use a disk that is nearly full.

use tenbin_record::{DiskUse, Environment, Slice};
use tenbin_targets::doctor::nearly_full_disk;

use crate::target::live::LiveTarget;

/// Lowest status of a server that failed.
const SERVER_ERROR: u16 = 500;

/// Notes the disk of each target whose responses say that the server failed. Returns whether any disk
/// was nearly full.
pub(crate) fn note(
    slices: &[Slice],
    live_targets: &[LiveTarget],
    environment: &mut Environment,
) -> bool {
    let mut any = false;
    for live in live_targets {
        let name = &live.running.name;
        let mut own = slices.iter().filter(|slice| slice.target == *name);
        if !own.any(has_server_error) {
            continue;
        }
        if let Some(disk) = nearly_full_disk(&live.running) {
            let target = environment.targets.entry(name.clone()).or_default();
            target.nearly_full_disk = Some(DiskUse {
                available_bytes: disk.available,
                size_bytes: disk.size,
            });
            any = true;
        }
    }
    any
}

fn has_server_error(slice: &Slice) -> bool {
    let mut statuses = slice.requests().flat_map(|op| op.statuses.keys());
    statuses.any(|status| *status >= SERVER_ERROR)
}
