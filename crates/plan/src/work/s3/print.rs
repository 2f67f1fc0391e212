//! Prints the keys of S3 workloads.

use super::{S3Draft, S3Operation, S3Work, Stored, Style};
use crate::names::Named as _;
use crate::page::{Page, list, text};
use crate::size::Size;

pub(super) fn print(page: &mut Page, work: &S3Work) {
    let usual = S3Work::new(S3Operation::Put, 0, 1);
    let has = |which: fn(S3Operation) -> bool| work.mix.operations().any(which);
    let style = if work.virtual_host {
        Style::Virtual
    } else {
        Style::Path
    };
    page.key(&S3Draft::operation, text(&work.mix));
    page.key(&S3Draft::size, text(&work.sizes));
    page.key(&S3Draft::bucket, text(&work.bucket));
    page.unless(&S3Draft::buckets, work.buckets, usual.buckets);
    if let Some(prefix) = &work.prefix {
        page.key(&S3Draft::prefix, text(prefix));
    }
    page.key(&S3Draft::objects, work.objects);
    page.name_unless(&S3Draft::keys, work.keys);
    if work.prefixes != usual.prefixes {
        page.key(&S3Draft::prefixes, text(&work.prefixes));
    }
    if work.choose != usual.choose {
        page.key(&S3Draft::choose, text(work.choose));
    }
    page.key(&S3Draft::style, text(style.name()));
    page.key(&S3Draft::payload, text(work.payload.name()));
    if has(S3Operation::reads) {
        page.key(&S3Draft::verify, work.verify);
    }
    page.name_unless(&S3Draft::checksum, work.checksum);
    page.name_unless(&S3Draft::content, work.content);
    page.unless(
        &S3Draft::compressible,
        work.compressible,
        usual.compressible,
    );
    stored(page, &work.stored);
    page.name_unless(&S3Draft::data, work.data);
    if has(|operation| matches!(operation, S3Operation::Multipart | S3Operation::GetPart)) {
        page.key(&S3Draft::part_size, text(Size(work.part_size)));
        page.key(&S3Draft::parts_at_once, work.parts_at_once);
    }
    if let Some(range) = work.range {
        page.key(&S3Draft::range, text(range));
    }
    page.name_unless(&S3Draft::list, work.listing.form);
    if has(|operation| matches!(operation, S3Operation::List | S3Operation::ZipList)) {
        page.key(&S3Draft::page, work.listing.page);
    }
    if let Some(delimiter) = &work.listing.delimiter {
        page.key(&S3Draft::delimiter, text(delimiter));
    }
    if work.mix.has(S3Operation::DeleteBatch) {
        page.key(&S3Draft::batch, work.batch);
    }
    page.unless(&S3Draft::versions, work.versions, usual.versions);
    page.unless(&S3Draft::rewrite, work.rewrite, usual.rewrite);
    page.unless(&S3Draft::retries, work.retries, usual.retries);
    page.unless(&S3Draft::entries, work.entries, usual.entries);
}

fn stored(page: &mut Page, stored: &Stored) {
    page.name_unless(&S3Draft::encryption, stored.encryption);
    if let Some(class) = &stored.storage_class {
        page.key(&S3Draft::storage_class, text(class));
    }
    if let Some(kind) = &stored.content_type {
        page.key(&S3Draft::content_type, text(kind));
    }
    let pairs = |pairs: &[(String, String)], between: &str| {
        let pairs = pairs.iter();
        list(pairs.map(|(name, value)| text(format!("{name}{between}{value}"))))
    };
    if !stored.metadata.is_empty() {
        page.key(&S3Draft::metadata, pairs(&stored.metadata, ": "));
    }
    if !stored.tags.is_empty() {
        page.key(&S3Draft::tags, pairs(&stored.tags, "="));
    }
}
