//! Workloads, as tables.

use std::time::Duration;

use crate::blob::BlobWork;
use crate::duration::Time;
use crate::model::{HttpWork, Workload, WorkloadKind};
use crate::names::{Kind, Named, STATUS_CLASSES, Style};
use crate::patterns::{ByTarget, Patterns};
use crate::percent::Percent;
use crate::s3::{Choose, S3Operation, S3Work, Stored};
use crate::secrets::Secrets;
use crate::size::Size;

use super::{Page, key_text, list, load::load, text};

pub(super) fn workload(page: &mut Page, workload: &Workload, own_load: bool, slice: Duration) {
    page.table("[[workload]]");
    page.pair("name", text(&workload.name));
    work(page, &workload.kind);
    page.unless("stages", workload.stages, false);
    if own_load {
        page.text += "[workload.load]\n";
        load(page, &workload.load, slice);
    }
}

fn work(page: &mut Page, kind: &WorkloadKind) {
    match kind {
        WorkloadKind::Http(work) => http(page, work),
        WorkloadKind::S3(work) => s3(page, work),
        WorkloadKind::Blob(work) => blob(page, work),
    }
}

/// What is sent, as keys of a workload's table.
pub(crate) fn work_as_toml(kind: &WorkloadKind) -> String {
    let mut page = Page::default();
    work(&mut page, kind);
    page.text
}

fn http(page: &mut Page, work: &HttpWork) {
    page.pair("kind", text(Kind::Http.name()));
    page.pair("method", text(&work.method));
    if let Some(path) = work.shown_path() {
        page.pair("path", text(path));
    }
    if !work.printed_headers.is_empty() {
        let lines = work.printed_headers.iter();
        page.pair(
            "headers",
            list(lines.map(|(name, value)| text(format!("{name}: {value}")))),
        );
    }
    match &work.body_file {
        Some(path) => page.pair("body_file", text(path.display())),
        None if work.body.is_empty() => {}
        None => page.pair(
            "body",
            text(work.secrets.conceal(&String::from_utf8_lossy(&work.body))),
        ),
    }
    if !work.expect.is_empty() {
        page.pair("expect", list(expected(&work.expect)));
    }
    let may_differ = work.may_differ.names();
    if !may_differ.is_empty() {
        page.pair("may_differ", list(may_differ.into_iter().map(text)));
    }
    page.unless("verify", work.verify, false);
    if let Some(drawn) = &work.patterns {
        patterns(page, drawn, &work.secrets);
    }
}

/// The statuses, with whole classes by their names.
fn expected(statuses: &[u16]) -> Vec<String> {
    let is_whole = |class: &std::ops::Range<u16>| class.clone().all(|one| statuses.contains(&one));
    let (whole, _): (Vec<_>, Vec<_>) = STATUS_CLASSES
        .iter()
        .partition(|(_, class)| is_whole(class));
    let single = statuses
        .iter()
        .filter(|status| !whole.iter().any(|(_, class)| class.contains(status)));
    let names = whole.iter().map(|(name, _)| text(name));
    names.chain(single.map(u16::to_string)).collect()
}

fn patterns(page: &mut Page, work: &Patterns, secrets: &Secrets) {
    page.pair("patterns", text(work.path.display()));
    page.name_unless("patterns_format", work.format);
    page.pair("order", text(work.order));
    page.pair("slowest", work.slowest);
    page.pair("hits", text(&work.hits));
    page.unless(
        "hits_tolerance",
        text(work.hits_tolerance),
        text(Percent::of(0.0)),
    );
    if let Some(by_target) = &work.by_target {
        page.pair("by_target", templates(by_target, secrets));
    }
    if let Some(cache) = work.cache {
        if let Some(hit) = cache.hit {
            page.pair("cache_hit", text(hit));
        }
        page.pair("cache_size", cache.size);
    }
    if let Some(counters) = &work.counters {
        page.pair("cache_counters", text(counters));
    }
}

/// As a table on one line, so that it stands among the other keys.
fn templates(by_target: &ByTarget, secrets: &Secrets) -> String {
    let each = by_target.templates.iter().map(|(name, template)| {
        let mut pairs = vec![
            format!("method = {}", text(&template.method)),
            format!("path = {}", text(secrets.conceal(&template.path))),
        ];
        if !template.body.is_empty() {
            pairs.push(format!("body = {}", text(secrets.conceal(&template.body))));
        }
        pairs.push(format!("hits = {}", text(&template.hits)));
        format!("{} = {{ {} }}", key_text(name), pairs.join(", "))
    });
    format!("{{ {} }}", each.collect::<Vec<_>>().join(", "))
}

fn s3(page: &mut Page, work: &S3Work) {
    let usual = S3Work::new(S3Operation::Put, 0, 1);
    let has = |which: fn(S3Operation) -> bool| work.mix.operations().any(which);
    let style = match work.virtual_host {
        true => Style::Virtual,
        false => Style::Path,
    };
    page.pair("kind", text(Kind::S3.name()));
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

fn blob(page: &mut Page, work: &BlobWork) {
    let usual = BlobWork::new(work.phase, 0);
    page.pair("kind", text(Kind::Blob.name()));
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
