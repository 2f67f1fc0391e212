//! S3 work as keys of its table.

use super::{S3Operation, S3Work, Stored, Style};
use crate::names::Named as _;
use crate::page::{Page, list, text};
use crate::size::Size;

pub(super) fn print(page: &mut Page, work: &S3Work) {
    let usual = S3Work::new(S3Operation::Put, 0, 1);
    let has = |which: fn(S3Operation) -> bool| work.mix.operations().any(which);
    let style = match work.virtual_host {
        true => Style::Virtual,
        false => Style::Path,
    };
    page.pair("operation", text(&work.mix));
    page.pair("size", text(&work.sizes));
    page.pair("bucket", text(&work.bucket));
    page.unless("buckets", work.buckets, usual.buckets);
    if let Some(prefix) = &work.prefix {
        page.pair("prefix", text(prefix));
    }
    page.pair("objects", work.objects);
    page.name_unless("keys", work.keys);
    if work.prefixes != usual.prefixes {
        page.pair("prefixes", text(&work.prefixes));
    }
    if work.choose != usual.choose {
        page.pair("choose", text(work.choose));
    }
    page.pair("style", text(style.name()));
    page.pair("payload", text(work.payload.name()));
    if has(S3Operation::reads) {
        page.explained(
            "verify",
            work.verify,
            "compare every byte with what was put",
        );
    }
    page.name_unless("checksum", work.checksum);
    page.name_unless("content", work.content);
    page.unless("compressible", work.compressible, usual.compressible);
    stored(page, &work.stored);
    page.name_unless("data", work.data);
    if has(|operation| matches!(operation, S3Operation::Multipart | S3Operation::GetPart)) {
        page.pair("part_size", text(Size(work.part_size)));
        page.pair("parts_at_once", work.parts_at_once);
    }
    if let Some(range) = work.range {
        page.pair("range", text(range));
    }
    page.name_unless("list", work.listing.form);
    if has(|operation| matches!(operation, S3Operation::List | S3Operation::ZipList)) {
        page.pair("page", work.listing.page);
    }
    if let Some(delimiter) = &work.listing.delimiter {
        page.pair("delimiter", text(delimiter));
    }
    if work.mix.has(S3Operation::DeleteBatch) {
        page.pair("batch", work.batch);
    }
    page.unless("versions", work.versions, usual.versions);
    page.unless("rewrite", work.rewrite, usual.rewrite);
    page.unless("retries", work.retries, usual.retries);
    page.unless("entries", work.entries, usual.entries);
}

fn stored(page: &mut Page, stored: &Stored) {
    page.name_unless("encryption", stored.encryption);
    if let Some(class) = &stored.storage_class {
        page.pair("storage_class", text(class));
    }
    if let Some(kind) = &stored.content_type {
        page.pair("content_type", text(kind));
    }
    let pairs = |pairs: &[(String, String)], between: &str| {
        let pairs = pairs.iter();
        list(pairs.map(|(name, value)| text(format!("{name}{between}{value}"))))
    };
    if !stored.metadata.is_empty() {
        page.pair("metadata", pairs(&stored.metadata, ": "));
    }
    if !stored.tags.is_empty() {
        page.pair("tags", pairs(&stored.tags, "="));
    }
}
