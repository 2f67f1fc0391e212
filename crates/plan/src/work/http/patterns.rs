//! Resolves the requests that a workload draws from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::draft::{ByTargetDraft, HttpDraft, Patterns, TemplateDraft};
use crate::keys::relations;
use crate::keys::scalar::{At, Field};
use crate::patterns::{
    self, ByTarget, CacheDial, DEFAULT_CACHE_SIZE, Fault, HitSource, PatternFormat, PatternSet,
    Spot, Template,
};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::search_servers::{CORPUS_PATTERNS, SearchServer, is_of_corpus};
use crate::sentence;

impl Patterns {
    /// Patterns from the file `path` with default settings, before the file is read.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Size and target hit ratio of the server's cache; `None` if the plan sets neither.
    pub fn cache(&self) -> Option<CacheDial> {
        let usual = self.cache_hit.map(|_| DEFAULT_CACHE_SIZE);
        Some(CacheDial {
            hit: self.cache_hit,
            size: self.cache_size.or(usual)?,
        })
    }
}

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &HttpDraft,
    method: &str,
) -> Option<Patterns> {
    let place = draft.patterns.as_ref()?.place;
    let mut patterns = Patterns {
        by_target: draft
            .by_target
            .as_ref()
            .map(|templates| by_target(resolver, templates)),
        secrets: draft.secrets.clone(),
        ..Patterns::default()
    };
    patterns.read_keys(resolver, draft);
    patterns.of_corpus = is_of_corpus(&draft.patterns);
    if patterns.of_corpus || patterns.by_target.is_some() {
        refuse_format(resolver, &draft.patterns_format);
    }
    patterns.path = if patterns.of_corpus {
        PathBuf::from(CORPUS_PATTERNS)
    } else {
        resolver.path("patterns", &draft.patterns)?
    };
    let path = &patterns.path;
    patterns.set = match &mut patterns.by_target {
        _ if patterns.of_corpus => Arc::default(),
        Some(by_target) => read_terms(resolver, place, path, by_target)?,
        None => Arc::new(read(
            resolver, place, path, patterns.patterns_format, method,
        )?),
    };
    let cache = patterns.cache();
    // A printed plan has the size too.
    patterns.cache_size = cache.map(|cache| cache.size);
    if let (Some(cache), Some(hit)) = (cache, &draft.cache_hit)
        && let Err(why) = cache.check(&patterns.set)
    {
        resolver.wrong(hit.place, "cache_hit", why);
    }
    Some(patterns)
}

fn read(
    resolver: &mut Resolver<'_>,
    place: Place,
    path: &Path,
    format: PatternFormat,
    method: &str,
) -> Option<PatternSet> {
    if resolver.context.without_files {
        return Some(PatternSet::default());
    }
    let mut file = resolver.open(place, "patterns", path)?;
    match patterns::read_from(file.as_mut(), format, method) {
        Ok(set) => Some(set),
        Err(Fault { spot, why }) => {
            let file = path.display();
            let message = match spot {
                Spot::File => sentence!("of-file", "{path}: {why}", path = file, why),
                Spot::Line(line) => {
                    sentence!(
                        "in-line",
                        "{file}:{number}: {why}",
                        file,
                        number = line,
                        why
                    )
                }
                Spot::Column(line, column) => {
                    sentence!(
                        "in-column",
                        "{file}:{line}:{column}: {why}",
                        file,
                        line,
                        column,
                        why
                    )
                }
            };
            resolver.wrong(place, "patterns", message);
            None
        }
    }
}

/// Fills the templates with the terms of a file, and returns the requests of any one template,
/// because every template gives the same number of requests.
fn read_terms(
    resolver: &mut Resolver<'_>,
    place: Place,
    path: &Path,
    by_target: &mut ByTarget,
) -> Option<Arc<PatternSet>> {
    if resolver.context.without_files {
        return Some(Arc::default());
    }
    let bytes = resolver.file(place, "patterns", path)?;
    let filled = patterns::terms(&bytes).and_then(|terms| by_target.fill(&terms));
    if let Err(why) = filled {
        resolver.wrong(
            place,
            "patterns",
            sentence!("of-file", "{path}: {why}", path = path.display(), why),
        );
        return None;
    }
    by_target.any_set().map(Arc::clone)
}

fn by_target(resolver: &mut Resolver<'_>, table: &At<ByTargetDraft>) -> ByTarget {
    if table.value.0.is_empty() {
        let why = sentence!(
            "by-target-empty",
            "is empty; write a request for each target, for example groonga = {{ search = \
                \"groonga\" }}"
        );
        resolver.wrong(table.place, "by_target", why);
    }
    let mut templates = BTreeMap::new();
    for (name, At { value, place }) in &table.value.0 {
        let place = *place;
        if let Some(template) = template(resolver, value) {
            match template.check() {
                Ok(()) => drop(templates.insert(name.clone(), template)),
                Err(why) => resolver.wrong(place, &format!("by_target.{name}"), why),
            }
        }
    }
    ByTarget::new(templates)
}

fn template(resolver: &mut Resolver<'_>, written: &TemplateDraft) -> Option<Template> {
    relations::check(resolver, written);
    let server: Option<SearchServer> = resolver.value(&TemplateDraft::search, &written.search);
    let hits: Option<HitSource> = resolver.value(&TemplateDraft::hits, &written.hits);
    if written.search.is_some() {
        let usual = Template::tutorial(server?);
        return Some(Template {
            hits: hits.unwrap_or(usual.hits),
            ..usual
        });
    }
    let body = resolver.text("body", &written.body).unwrap_or_default();
    let path = resolver.text("path", &written.path).unwrap_or_default();
    let method = resolver.read("method", &written.method, super::method::read);
    let usual = if body.is_empty() { "GET" } else { "POST" };
    Some(Template {
        method: method.unwrap_or_else(|| usual.to_owned()),
        hits: hits.unwrap_or_default(),
        path,
        body,
    })
}

/// Refuses `patterns_format` for requests that are generated, from pages or from search terms.
fn refuse_format(resolver: &mut Resolver<'_>, format: &Field) {
    if let Some(format) = format {
        let why = sentence!(
            "format-of-generated",
            "is for a file; generated requests have no format"
        );
        resolver.wrong(format.place, "patterns_format", why);
    }
}
