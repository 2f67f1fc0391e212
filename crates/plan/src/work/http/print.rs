//! HTTP work as keys of its table.

use super::{HttpWork, STATUS_CLASSES};
use crate::page::{Page, key_text, list, text};
use crate::patterns::{ByTarget, Patterns};
use crate::percent::Percent;
use crate::secrets::Secrets;

pub(super) fn print(page: &mut Page, work: &HttpWork) {
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
