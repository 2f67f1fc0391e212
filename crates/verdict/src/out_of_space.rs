//! Whether a target failed because it has nowhere to put data.

use std::collections::BTreeMap;

use tenbin_plan::Reach;
use tenbin_result::format::bytes;

use crate::cell::Cell;

/// HTTP status 507, "Insufficient Storage" (RFC 4918, 11.5).
const INSUFFICIENT_STORAGE: u16 = 507;

/// Parts of error codes and texts that servers have for it, in small letters: MinIO's
/// `XMinioStorageFull`, the system's ENOSPC and EDQUOT, quotas of gateways.
const TEXTS: [&str; 6] = [
    "storagefull",
    "insufficientstorage",
    "enospc",
    "no space left",
    "diskfull",
    "quotaexceeded",
];

/// Bytes below which the next write may fail.
const FULL: u64 = 64 << 20;

/// What says that a target has no space left, if anything does: its statuses and error
/// texts, or else, of a launched target that fails, the free space of the disk with
/// the run directory, where data of launched targets lie.
pub(crate) fn sign(
    cell: &Cell<'_>,
    statuses: &BTreeMap<u16, u64>,
    texts: &BTreeMap<String, u64>,
) -> Option<String> {
    if let Some(count) = statuses.get(&INSUFFICIENT_STORAGE) {
        return Some(format!(
            "status 507 ({count} times) says that the target has no space left"
        ));
    }
    let says_so = |text: &str| {
        let text = text.to_ascii_lowercase();
        TEXTS.iter().any(|part| text.contains(part))
    };
    if texts.keys().any(|text| says_so(text)) {
        return Some("the error says that the target has no space left".to_owned());
    }
    let breaks = statuses.keys().any(|status| *status >= 500);
    let disks = cell
        .slices
        .iter()
        .filter_map(|slice| slice.machine.as_ref()?.disk);
    let least = disks.map(|disk| disk.available_bytes).min();
    let is_launched = !matches!(cell.target.reach, Reach::Endpoint { .. });
    let left = least.filter(|left| breaks && is_launched && *left < FULL)?;
    Some(format!(
        "{} were left on the disk with the run directory, where the data of launched targets are",
        bytes(left)
    ))
}

/// What to do about it.
pub(crate) const ADVICE: &str = "delete data on the target's disk, or give it more space: it \
                                 refuses to store; or measure with fewer or smaller objects";
