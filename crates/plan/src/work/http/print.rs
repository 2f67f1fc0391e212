//! Prints the keys of HTTP workloads.

use super::{HttpDraft, HttpWork, STATUS_CLASSES};
use crate::page::{Page, key_text, list, text};
use crate::patterns::{ByTarget, Patterns};
use crate::percent::Percent;
use crate::secrets::Secrets;

pub(super) fn print(page: &mut Page, work: &HttpWork) {
    page.key(&HttpDraft::method, text(&work.method));
    if let Some(path) = work.shown_path() {
        page.key(&HttpDraft::path, text(path));
    }
    page.unless(&HttpDraft::follow, work.follow, false);
    if let Some(from) = &work.redirected_from {
        let from = work.secrets.conceal(from);
        page.key(&HttpDraft::redirected_from, text(from));
    }
    if !work.printed_headers.is_empty() {
        let lines = work.printed_headers.iter();
        page.key(
            &HttpDraft::headers,
            list(lines.map(|(name, value)| text(format!("{name}: {value}")))),
        );
    }
    match &work.body_file {
        Some(path) => page.key(&HttpDraft::body_file, text(path.display())),
        None if work.body.is_empty() => {}
        None => page.key(
            &HttpDraft::body,
            text(work.secrets.conceal(&String::from_utf8_lossy(&work.body))),
        ),
    }
    if !work.expect.is_empty() {
        page.key(&HttpDraft::expect, list(expected(&work.expect)));
    }
    let may_differ = work.may_differ.names();
    if !may_differ.is_empty() {
        page.key(
            &HttpDraft::may_differ,
            list(may_differ.into_iter().map(text)),
        );
    }
    page.unless(&HttpDraft::verify, work.verify, false);
    if !work.checks.is_empty() {
        let checks = work.checks.iter().map(ToString::to_string);
        page.key(
            &HttpDraft::check,
            list(checks.map(|check| text(work.secrets.conceal(&check)))),
        );
    }
    page.unless(&HttpDraft::body_errors, work.body_errors, true);
    if let Some(drawn) = &work.patterns {
        patterns(page, drawn, &work.secrets);
    }
}

/// The statuses, with complete classes by their names.
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
    page.key(&HttpDraft::patterns, text(work.path.display()));
    page.name_unless(&HttpDraft::patterns_format, work.format);
    page.key(&HttpDraft::order, text(work.order));
    page.key(&HttpDraft::slowest, work.slowest);
    page.key(&HttpDraft::hits, text(&work.hits));
    page.unless(
        &HttpDraft::hits_tolerance,
        text(work.hits_tolerance),
        text(Percent::of(0.0)),
    );
    if let Some(by_target) = &work.by_target {
        page.key(&HttpDraft::by_target, templates(by_target, secrets));
    }
    if let Some(cache) = work.cache {
        if let Some(hit) = cache.hit {
            page.key(&HttpDraft::cache_hit, text(hit));
        }
        page.key(&HttpDraft::cache_size, cache.size);
    }
    if let Some(counters) = &work.counters {
        page.key(&HttpDraft::cache_counters, text(counters));
    }
}

/// The templates as an inline table.
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
