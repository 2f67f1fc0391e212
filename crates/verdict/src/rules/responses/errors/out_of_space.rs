//! Whether a target failed because its disk is full.

use std::collections::BTreeMap;

use tenbin_plan::Reach;
use tenbin_record::DiskUse;
use tenbin_result::{Message, Value, message};

use crate::cell::Cell;

/// HTTP status 507, "Insufficient Storage" (RFC 4918, 11.5).
const INSUFFICIENT_STORAGE: u16 = 507;

/// Parts of error codes and error texts that mean "no space", in lower case: MinIO's
/// `XMinioStorageFull`, the system's ENOSPC and EDQUOT, quotas of gateways, and CubeFS without a volume
/// that has space, in CubeFS's spelling and in the usual one.
const TEXTS: [&str; 8] = [
    "storagefull", "insufficientstorage", "enospc", "no space left", "diskfull", "quotaexceeded",
    "no avaliable volume", "no available volume",
];

/// Free bytes below which the next write can fail.
const FULL: u64 = 64 << 20;

/// The evidence that a target has no space left; `None` without evidence. The evidence comes from
/// statuses and error texts. For a failing target on this machine, the nearly full `disk` that its
/// processes use counts too, and for a launched target the free space on the disk of the run directory,
/// which holds the target's data.
pub(super) fn sign(
    cell: &Cell<'_>,
    statuses: &BTreeMap<u16, u64>,
    texts: &BTreeMap<String, u64>,
    disk: Option<DiskUse>,
) -> Option<Message> {
    if let Some(count) = statuses.get(&INSUFFICIENT_STORAGE) {
        return Some(message!("full-by-status", count = Value::Plain(*count)));
    }
    let says_so = |text: &str| {
        let text = text.to_ascii_lowercase();
        TEXTS.iter().any(|part| text.contains(part))
    };
    if texts.keys().any(|text| says_so(text)) {
        return Some(message!("full-by-text"));
    }
    let breaks = statuses.keys().any(|status| *status >= 500);
    if let Some(disk) = disk.filter(|disk| breaks && disk.available_bytes < FULL) {
        return Some(message!(
            "full-at-target",
            free = Value::Bytes(disk.available_bytes),
            size = Value::Bytes(disk.size_bytes)
        ));
    }
    let disks = cell.slices.iter().filter_map(|slice| slice.machine()?.disk);
    let least = disks.map(|disk| disk.available_bytes).min();
    let is_launched = !matches!(cell.target.reach, Reach::Endpoint { .. });
    let left = least.filter(|left| breaks && is_launched && *left < FULL)?;
    Some(message!("full-disk", free = Value::Bytes(left)))
}
