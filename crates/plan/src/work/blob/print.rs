//! Prints the keys of blob workloads.

use super::{BlobDraft, BlobWork};
use crate::choose::Choose;
use crate::duration::Time;
use crate::page::{Page, list, text};
use crate::size::Size;

pub(super) fn print(page: &mut Page, work: &BlobWork) {
    let usual = BlobWork::new(work.phase, 0);
    page.key(&BlobDraft::operation, text(work.phase.name()));
    page.key(&BlobDraft::size, text(&work.sizes));
    if let Some(objects) = work.objects {
        page.key(&BlobDraft::objects, objects);
    }
    if let Some(prefix) = &work.prefix {
        page.key(&BlobDraft::prefix, text(prefix));
    }
    if let Some(directory) = &work.locations {
        page.key(&BlobDraft::locations, text(directory.display()));
    }
    if work.bucket != usual.bucket {
        page.key(&BlobDraft::bucket, text(&work.bucket));
    }
    page.unless(&BlobDraft::verify, work.verify, usual.verify);
    if !work.hashes.is_empty() {
        page.key(
            &BlobDraft::hashes,
            list(work.hashes.iter().map(|hash| text(hash.name()))),
        );
    }
    if let Some(range) = work.range {
        page.key(&BlobDraft::range, text(range));
    }
    if work.around {
        page.key(&BlobDraft::choose, text(Choose::Sequential));
    }
    page.unless(&BlobDraft::batch, work.batch, usual.batch);
    if work.alloc_above != usual.alloc_above {
        page.key(&BlobDraft::alloc_above, text(Size(work.alloc_above)));
    }
    page.unless(&BlobDraft::crc_framed, work.crc_framed, usual.crc_framed);
    page.unless(&BlobDraft::until_gone, work.until_gone, usual.until_gone);
    if work.gone_within != usual.gone_within {
        page.key(&BlobDraft::gone_within, text(Time(work.gone_within)));
    }
    if work.poll_interval != usual.poll_interval {
        page.key(&BlobDraft::poll_interval, text(Time(work.poll_interval)));
    }
    page.unless(
        &BlobDraft::poll_connections,
        work.poll_connections,
        usual.poll_connections,
    );
    if let Some(errors) = work.errors {
        page.key(&BlobDraft::errors, errors);
    }
}
