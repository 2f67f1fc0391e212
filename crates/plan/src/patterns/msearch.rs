//! Bodies of OpenSearch's `_msearch`: a line that names the index, and a line with a search, in
//! turn. Each search becomes one request.

use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::builder::Builder;
use super::fault::{Fault, utf8};
use super::lines::Lines;
use super::opensearch_log::{path_of, search};
use crate::{Sentence, conceal_text, sentence};

/// Group of all searches.
const GROUP: &str = "search";

/// The line before a search.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    #[serde(default)]
    index: Indexes,
    #[serde(default)]
    search_type: String,
    #[serde(default)]
    routing: Option<IgnoredAny>,
    #[serde(default)]
    preference: Option<IgnoredAny>,
    #[serde(default)]
    request_cache: Option<bool>,
    #[serde(default)]
    ignore_unavailable: Option<IgnoredAny>,
    #[serde(default)]
    allow_no_indices: Option<IgnoredAny>,
    #[serde(default)]
    expand_wildcards: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Indexes {
    One(String),
    Several(Vec<String>),
}

impl Default for Indexes {
    fn default() -> Self {
        Self::One(String::new())
    }
}

impl Header {
    fn path(&self) -> Result<String, Sentence> {
        let is_set = self.routing.is_some()
            || self.preference.is_some()
            || self.ignore_unavailable.is_some()
            || self.allow_no_indices.is_some()
            || self.expand_wildcards.is_some();
        if is_set {
            return Err(sentence!(
                "search-header",
                "only index, search_type and request_cache of a header are supported"
            ));
        }
        let indexes = match &self.index {
            Indexes::One(name) => name.clone(),
            Indexes::Several(names) => names.join(","),
        };
        let mut path = path_of(&indexes, &self.search_type)?;
        if let Some(cached) = self.request_cache {
            path.push(if path.contains('?') { '&' } else { '?' });
            path += &format!("request_cache={cached}");
        }
        Ok(path)
    }
}

/// Whether a line stands before a search: a header that names one index. A list of indexes could
/// also be a group of patterns.
pub(super) fn is_line(line: &[u8]) -> bool {
    let header = serde_json::from_slice::<Header>(line);
    header.is_ok_and(|header| matches!(header.index, Indexes::One(name) if !name.is_empty()))
}

/// Reads the searches.
pub(super) fn read<R: BufRead + ?Sized>(
    lines: &mut Lines<'_, R>,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let mut path: Option<(usize, String)> = None;
    while let Some((index, line)) = lines.next()? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let text = utf8(line, index)?;
        let wrong = |why: Sentence| Fault::in_line(index, why);
        let Some((_, to)) = path.take() else {
            let header: Header = serde_json::from_str(text).map_err(|error| {
                wrong(sentence!(
                    "no-search-header",
                    "is not a header of a search: {error}",
                    error = conceal_text(&error.to_string())
                ))
            })?;
            path = Some((index, header.path().map_err(wrong)?));
            continue;
        };
        let body: &RawValue = serde_json::from_str(text).map_err(|error| {
            wrong(sentence!(
                "no-search-json",
                "is not a search as JSON: {error}",
                error = conceal_text(&error.to_string())
            ))
        })?;
        if !body.get().starts_with('{') {
            return Err(wrong(sentence!(
                "search-no-object",
                "is not a search: it is not a JSON object"
            )));
        }
        let group = builder.group(GROUP).map_err(wrong)?;
        let pushed = builder.push(search(group, to, body.get().as_bytes().to_vec()));
        pushed.map_err(wrong)?;
    }
    match path {
        Some((index, _)) => Err(Fault::in_line(
            index,
            sentence!(
                "header-alone",
                "is a header without a search on the next line"
            ),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fault::Spot;
    use super::super::{PatternFormat, read};

    #[test]
    fn each_search_becomes_a_request() {
        let text = "{\"index\":\"pages\"}\n{\"query\":{\"match_all\":{}}}\n\n{}\r\n{\"size\":0}\r\n\
                    {\"index\":[\"a\",\"b*\"],\"request_cache\":true}\n{\"size\":1}\n";
        let set = read(text.as_bytes(), PatternFormat::Auto, "GET").unwrap();
        let requests: Vec<(String, &str)> = set
            .patterns()
            .iter()
            .map(|pattern| (pattern.label(), std::str::from_utf8(&pattern.body).unwrap()))
            .collect();
        assert_eq!(
            requests,
            [
                (
                    "POST /pages/_search".to_owned(),
                    "{\"query\":{\"match_all\":{}}}"
                ),
                ("POST /_search".to_owned(), "{\"size\":0}"),
                (
                    "POST /a,b%2A/_search?request_cache=true".to_owned(),
                    "{\"size\":1}"
                ),
            ]
        );
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, line, words) in [
            ("{\"index\":\"a\"}\n", 1, "without a search"),
            ("{\"index\":\"a\"}\n[1]\n", 2, "is not a search"),
            ("{\"index\":\"a\"}\nx\n", 2, "is not a search as JSON"),
            ("{}\n{}\n{\"query\":{}}\n{}\n", 3, "is not a header"),
            ("{\"index\":\"a\",\"routing\":\"b\"}\n{}\n", 1, "only index"),
        ] {
            let fault = read(text.as_bytes(), PatternFormat::Msearch, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::Line(line), "{text}: {fault:?}");
            assert!(fault.why.text().contains(words), "{text}: {fault:?}");
        }
    }
}
