//! Blob work as keys of its table.

use super::BlobWork;
use crate::choose::Choose;
use crate::duration::Time;
use crate::page::{Page, list, text};
use crate::size::Size;

pub(super) fn print(page: &mut Page, work: &BlobWork) {
    let usual = BlobWork::new(work.phase, 0);
    page.pair("operation", text(work.phase.name()));
    page.pair("size", text(&work.sizes));
    if let Some(objects) = work.objects {
        page.pair("objects", objects);
    }
    if let Some(prefix) = &work.prefix {
        page.pair("prefix", text(prefix));
    }
    if let Some(directory) = &work.locations {
        page.pair("locations", text(directory.display()));
    }
    if work.bucket != usual.bucket {
        page.pair("bucket", text(&work.bucket));
    }
    page.unless("verify", work.verify, usual.verify);
    if !work.hashes.is_empty() {
        page.pair(
            "hashes",
            list(work.hashes.iter().map(|hash| text(hash.name()))),
        );
    }
    if let Some(range) = work.range {
        page.pair("range", text(range));
    }
    if work.around {
        page.pair("choose", text(Choose::Sequential));
    }
    page.unless("batch", work.batch, usual.batch);
    if work.alloc_above != usual.alloc_above {
        page.pair("alloc_above", text(Size(work.alloc_above)));
    }
    page.unless("crc_framed", work.crc_framed, usual.crc_framed);
    page.unless("until_gone", work.until_gone, usual.until_gone);
    if work.gone_within != usual.gone_within {
        page.pair("gone_within", text(Time(work.gone_within)));
    }
    if work.poll_interval != usual.poll_interval {
        page.pair("poll_interval", text(Time(work.poll_interval)));
    }
    page.unless(
        "poll_connections",
        work.poll_connections,
        usual.poll_connections,
    );
    if let Some(errors) = work.errors {
        page.pair("errors", errors);
    }
}
