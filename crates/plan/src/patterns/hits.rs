//! How an answer tells its number of hits.

use std::fmt;
use std::str::FromStr;

/// How an answer tells its number of hits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HitSource {
    /// Groonga's `select`, command versions 1, 2 and 3.
    Groonga,
    /// OpenSearch and Elasticsearch: `hits.total`, a number or an object with `value`.
    OpenSearch,
    /// A number in a JSON answer, found by its JSON pointer (RFC 6901).
    Pointer(String),
}

impl FromStr for HitSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "groonga" => Ok(Self::Groonga),
            "opensearch" => Ok(Self::OpenSearch),
            pointer if pointer.starts_with('/') => Ok(Self::Pointer(pointer.to_owned())),
            _ => Err(format!(
                "{text:?} is not one of \"groonga\", \"opensearch\", or a JSON pointer such as \
                 \"/hits/total/value\""
            )),
        }
    }
}

impl fmt::Display for HitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Groonga => "groonga",
            Self::OpenSearch => "opensearch",
            Self::Pointer(pointer) => pointer,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        for text in ["groonga", "opensearch", "/hits/total/value"] {
            let source: HitSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
        }
        assert!("solr".parse::<HitSource>().is_err());
    }
}
