//! Request templates, which turn one list of search terms into requests for different kinds of
//! search servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::builder::{Builder, MOST_PATTERNS};
use super::hits::HitSource;
use super::request;
use super::set::PatternSet;
use super::term::groonga_query;
use crate::search_servers::SearchServer;
use crate::{Sentence, sentence};

/// The search request of the Droonga tutorial, without the search term at its end; with snippets,
/// sorting and a drill-down (facet).
pub const GROONGA_SEARCH: &str = "/d/select?command_version=2&table=Pages&limit=10\
    &match_columns=title,text\
    &output_columns=snippet_html(title),snippet_html(text),categories,_key\
    &query_flags=NONE&sortby=title&drilldown=categories&drilldown_limit=10\
    &drilldown_output_columns=_id,_key,_nsubrecs&drilldown_sortby=_nsubrecs&query=";
/// The path of the OpenSearch request that is equivalent to [`GROONGA_SEARCH`].
pub const OPENSEARCH_PATH: &str = "/pages/_search";
/// The body of the OpenSearch request that is equivalent to [`GROONGA_SEARCH`].
const OPENSEARCH_BODY: &str = r#"{"query":{"simple_query_string":{"query":"{term:phrases}","fields":["title","text"],"default_operator":"and","flags":"PHRASE|WHITESPACE"}},"size":10,"_source":["categories"],"track_total_hits":true,"sort":["title.keyword"],"highlight":{"fields":{"title":{},"text":{}}},"aggs":{"categories":{"terms":{"field":"categories","size":10}}}}"#;

/// Maximum length of a term, bytes: a longer line is a mistake.
const LONGEST_TERM: usize = 16 * 1024;
const PLACEHOLDERS: &str = "{term}, {term:groonga}, {term:phrases}";

/// A request with a placeholder for a search term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Request method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Request body; empty for none.
    pub body: String,
    /// How responses report their number of hits.
    pub hits: HitSource,
}

impl Template {
    /// The search request of the Droonga tutorial, in the syntax of this server.
    pub fn tutorial(server: SearchServer) -> Self {
        match server {
            SearchServer::Groonga | SearchServer::Droonga => Self {
                method: "GET".to_owned(),
                path: format!("{GROONGA_SEARCH}{{term:groonga}}"),
                body: String::new(),
                hits: HitSource::Groonga,
            },
            SearchServer::OpenSearch => Self {
                method: "POST".to_owned(),
                path: OPENSEARCH_PATH.to_owned(),
                body: OPENSEARCH_BODY.to_owned(),
                hits: HitSource::OpenSearch,
            },
        }
    }

    /// How responses report their number of hits: `hits`, or derived from the path if `hits` is
    /// [`HitSource::Auto`].
    pub(crate) fn said_hits(&self) -> HitSource {
        match &self.hits {
            HitSource::Auto => self.hits.of(&self.path).unwrap_or_default(),
            said => said.clone(),
        }
    }

    /// Checks that the template has a placeholder for the term.
    pub(crate) fn check(&self) -> Result<(), Sentence> {
        let parts = [&self.path, &self.body];
        if !parts.iter().any(|part| part.contains("{term")) {
            return Err(sentence!(
                "template-no-term",
                "path and body have no placeholder for the term; use {placeholders}",
                placeholders = PLACEHOLDERS
            ));
        }
        for part in parts {
            fill(part, "x", |term| term.to_owned())?;
        }
        self.request("x").map(drop)
    }

    /// The path and the body of the request for a term.
    fn request(&self, term: &str) -> Result<(String, String), Sentence> {
        let url = |text: &str| {
            let mut encoded = String::new();
            request::push_query_value(&mut encoded, text);
            encoded
        };
        let path = request::path(&fill(&self.path, term, url)?)?;
        Ok((path, fill(&self.body, term, in_json)?))
    }
}

/// `text` with the term in place of each placeholder: unchanged for `{term}`, in Groonga's query
/// syntax for `{term:groonga}`, as phrases for `{term:phrases}`. `escape` is applied to each
/// replacement, not to the rest of `text`.
fn fill(text: &str, term: &str, escape: impl Fn(&str) -> String) -> Result<String, Sentence> {
    let mut filled = String::with_capacity(text.len() + term.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{term") {
        let Some((variant, behind)) = after.split_once('}') else {
            return Err(sentence!("term-open", "{{term has no closing brace"));
        };
        let value = match variant {
            "" => term.to_owned(),
            ":groonga" => groonga_query(term),
            ":phrases" => phrases(term),
            _ => {
                return Err(sentence!(
                    "template-placeholder",
                    "\"{{term{variant}}}\" is not a placeholder for the term; use {placeholders}",
                    variant,
                    placeholders = PLACEHOLDERS
                ));
            }
        };
        filled.push_str(before);
        filled.push_str(&escape(&value));
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// `term` with each word in quotes, as a phrase in a Lucene query string.
fn phrases(term: &str) -> String {
    let quoted = term.split_whitespace().map(|word| {
        let escaped = word.replace('\\', r"\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// The text as the content of a JSON string, without the quotes.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The request templates of targets, and the requests made from one list of terms.
#[derive(Clone, PartialEq, Default)]
pub struct ByTarget {
    /// Templates by the name of a target or of a kind of server.
    pub templates: BTreeMap<String, Template>,
    /// The requests of each template, in the order of the terms; empty until the terms are known.
    sets: BTreeMap<String, Arc<PatternSet>>,
}

impl fmt::Debug for ByTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.templates).finish()
    }
}

impl ByTarget {
    /// These templates, without terms.
    pub fn new(templates: BTreeMap<String, Template>) -> Self {
        Self {
            templates,
            sets: BTreeMap::new(),
        }
    }

    /// Generates one request per term from every template.
    ///
    /// # Errors
    /// A term from which no request can be made, and why.
    pub(crate) fn fill(&mut self, terms: &[String]) -> Result<(), Sentence> {
        for (name, template) in &self.templates {
            let set = requests(template, terms)
                .map_err(|why| sentence!("of-request", "{name}: {why}", name, why))?;
            self.sets.insert(name.clone(), Arc::new(set));
        }
        Ok(())
    }

    /// The first of `names` that is the name of a template.
    pub(crate) fn name_for<'a>(&self, names: &[&'a str]) -> Option<&'a str> {
        let mut names = names.iter();
        names
            .find(|name| self.templates.contains_key(**name))
            .copied()
    }

    /// The template with this name, and its requests.
    pub(crate) fn requests(&self, name: &str) -> Option<(&Template, &Arc<PatternSet>)> {
        Some((self.templates.get(name)?, self.sets.get(name)?))
    }

    /// The requests of any template: every template has one request per term, in the same order.
    pub(crate) fn any_set(&self) -> Option<&Arc<PatternSet>> {
        self.sets.values().next()
    }
}

fn requests(template: &Template, terms: &[String]) -> Result<PatternSet, Sentence> {
    let mut builder = Builder::default();
    for term in terms {
        let failed = |why: Sentence| {
            sentence!(
                "of-term",
                "term {term}: {why}",
                term = request::quoted(term),
                why
            )
        };
        let (path, body) = template.request(term).map_err(failed)?;
        let group = builder.group("search")?;
        let is_json = body.trim_start().starts_with('{');
        let json = ("Content-Type".to_owned(), "application/json".to_owned());
        let mut pattern = request::plain(group, &template.method, path);
        pattern.term = Some(term.clone());
        pattern.headers = is_json.then_some(json).into_iter().collect();
        pattern.body = body.into_bytes();
        builder.push(pattern).map_err(failed)?;
    }
    builder.build()
}

/// Reads the terms of a file: one per line, without duplicates.
pub(crate) fn terms(file: &[u8]) -> Result<Vec<String>, Sentence> {
    let text = str::from_utf8(file).map_err(|_| sentence!("not-utf8", "it is not UTF-8 text"))?;
    let mut known = std::collections::HashSet::new();
    let mut terms = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        let term = line.trim();
        if term.len() > LONGEST_TERM || term.chars().any(char::is_control) {
            return Err(sentence!(
                "no-term",
                "line {at} is no search term: at most {longest_term} bytes without control \
                    characters",
                at,
                longest_term = LONGEST_TERM
            ));
        }
        if !term.is_empty() && known.insert(term) {
            if terms.len() == MOST_PATTERNS {
                return Err(sentence!(
                    "many-terms",
                    "line {at}: it has more than {most_patterns} search terms",
                    at,
                    most_patterns = MOST_PATTERNS
                ));
            }
            terms.push(term.to_owned());
        }
    }
    if terms.is_empty() {
        Err(sentence!(
            "no-terms",
            "it has no search term; write one a line"
        ))
    } else {
        Ok(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::names::Named;

    #[test]
    fn terms_are_escaped_for_where_they_stand() {
        let template = Template {
            method: "POST".to_owned(),
            path: "/s?q={term}&g={term:groonga}".to_owned(),
            body: r#"{"a":"{term}","b":"{term:phrases}"}"#.to_owned(),
            hits: HitSource::Auto,
        };
        let (path, body) = template.request("C++ \"町&").unwrap();
        assert_eq!(
            path,
            "/s?q=C%2B%2B%20%22%E7%94%BA%26&g=C%5C%2B%5C%2B%20%5C%22%E7%94%BA%26"
        );
        let json: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert_eq!(json["a"], "C++ \"町&");
        assert_eq!(json["b"], "\"C++\" \"\\\"町&\"");
    }

    #[test]
    fn the_tutorials_searches_have_a_place_for_the_term() {
        for (_, kind) in SearchServer::NAMES {
            let template = Template::tutorial(*kind);
            template.check().unwrap();
            let (path, body) = template.request("tea").unwrap();
            assert!(
                path.contains("tea") || body.contains("tea"),
                "{path} {body}"
            );
        }
    }

    #[test]
    fn what_has_no_place_for_a_term_is_refused() {
        let with = |path: &str| Template {
            path: path.to_owned(),
            ..Template::tutorial(SearchServer::Groonga)
        };
        for (path, why) in [
            ("/s", "path and body have no placeholder for the term"),
            ("/s?q={term:url}", "\"{term:url}\" is not a placeholder"),
            ("/s?q={term", "has no closing brace"),
            ("s?q={term}", "does not begin with a slash"),
        ] {
            let said = with(path).check().unwrap_err();
            assert!(said.text().contains(why), "{said}");
        }
        assert_eq!(terms("a\n\n b \na\n".as_bytes()).unwrap(), ["a", "b"]);
        assert!(terms(b"\n").is_err() && terms(b"a\tb").is_err());
    }

    #[test]
    fn too_many_terms_are_refused_at_the_first_that_is_too_many() {
        let many: String = (0..=1_000_000).map(|at| format!("{at}\n")).collect();
        let why = terms(many.as_bytes()).unwrap_err();
        assert_eq!(why, "line 1000001: it has more than 1000000 search terms");
    }
}
