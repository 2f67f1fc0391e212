//! How the response to a search reports its number of hits (matching records).

use std::fmt;
use std::str::FromStr;

use super::groonga_log::READING;
use crate::keys::value::read_from_text;
use crate::{Sentence, sentence};

/// How the response to a search reports its number of hits (matching records).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HitSource {
    /// Derived from the path of each pattern: `/d/select` as for Groonga, `_search` as for
    /// OpenSearch. Hits of patterns with other paths are not read.
    #[default]
    Auto,
    /// Hits are not read.
    Off,
    /// Groonga's `select`, command versions 1, 2 and 3.
    Groonga,
    /// OpenSearch and Elasticsearch: `hits.total`, a number or an object with `value`.
    OpenSearch,
    /// A number in a JSON response, found by its JSON pointer (RFC 6901).
    Pointer(String),
}

impl HitSource {
    /// How the response to a request with this path reports its hits; `None` if hits are not read.
    pub fn of(&self, path: &str) -> Option<Self> {
        match self {
            Self::Off => None,
            Self::Auto => known_search(path),
            said => Some(said.clone()),
        }
    }
}

/// How a known search path reports hits. Droonga's HTTP server responds to `/d/select` as Groonga
/// does.
fn known_search(path: &str) -> Option<HitSource> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if path.ends_with("/_search") {
        return Some(HitSource::OpenSearch);
    }
    let command = path.rsplit("/d/").next().filter(|_| path.contains("/d/"))?;
    let is_select = matches!(command, "select" | "select.json");
    let mut parameters = query.split('&');
    let is_json = parameters.all(|each| match each.split_once('=') {
        Some(("output_type", format)) => format == "json",
        _ => true,
    });
    (is_select && is_json).then_some(HitSource::Groonga)
}

/// Whether a path is one of Groonga, Droonga, OpenSearch or Elasticsearch: a command of Groonga that
/// reads, or an API of OpenSearch that searches or counts.
pub fn is_of_search_server(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or(path);
    let command = path.rsplit_once("/d/").map(|(_, command)| command);
    let command = command.map(|command| command.split('.').next().unwrap_or(command));
    let mut segments = path.split('/');
    command.is_some_and(|command| READING.contains(&command))
        || segments.any(|segment| SEARCHING.contains(&segment))
}

/// APIs of OpenSearch that search or count.
const SEARCHING: &[&str] = &["_search", "_msearch", "_count", "_async_search", "_mget"];

impl FromStr for HitSource {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        match text {
            "auto" => Ok(Self::Auto),
            "none" => Ok(Self::Off),
            "groonga" => Ok(Self::Groonga),
            "opensearch" => Ok(Self::OpenSearch),
            pointer if pointer.starts_with('/') => Ok(Self::Pointer(pointer.to_owned())),
            _ => Err(sentence!(
                "no-hits",
                "{text:?} is not one of \"auto\", \"none\", \"groonga\", \"opensearch\", or a \
                    JSON pointer such as \"/hits/total/value\"",
                text
            )),
        }
    }
}

impl fmt::Display for HitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Off => "none",
            Self::Groonga => "groonga",
            Self::OpenSearch => "opensearch",
            Self::Pointer(pointer) => pointer,
        })
    }
}

read_from_text!(HitSource);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["auto", "none", "groonga", "opensearch", "/hits/total/value"] {
            let source: HitSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
        }
        assert!("solr".parse::<HitSource>().is_err());
    }

    #[test]
    fn searches_are_known_by_their_paths() {
        for (path, kind) in [
            ("/d/select?table=Pages&query=a", Some(HitSource::Groonga)),
            ("/d/select.json", Some(HitSource::Groonga)),
            ("/d/select?output_type=json", Some(HitSource::Groonga)),
            ("/d/select?output_type=xml&table=Pages", None),
            ("/d/status", None),
            ("/select", None),
            (
                "/pages/_search?request_cache=true",
                Some(HitSource::OpenSearch),
            ),
            ("/pages/_count", None),
            ("/", None),
        ] {
            assert_eq!(HitSource::Auto.of(path), kind, "{path}");
            assert_eq!(HitSource::Off.of(path), None);
        }
        let said = HitSource::Pointer("/n".to_owned());
        assert_eq!(said.of("/anything"), Some(said.clone()));
    }

    #[test]
    fn search_servers_are_known_by_their_paths() {
        for path in [
            "/d/select?table=Pages", "/d/select.xml", "/d/status", "/proxy/d/suggest?query=a",
            "/_search", "/pages/_msearch", "/pages/_count?q=a",
        ] {
            assert!(is_of_search_server(path), "{path}");
        }
        for path in ["/", "/d/", "/d/abc123", "/search?q=_search", "/api/select"] {
            assert!(!is_of_search_server(path), "{path}");
        }
    }
}
