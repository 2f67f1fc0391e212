//! Equivalents of Groonga's tables and queries in OpenSearch.

use serde_json::{Value, json};

/// Name of the index for a table. OpenSearch requires lower case.
pub(crate) fn index_of(table: &str) -> String {
    table.to_lowercase()
}

/// A query that finds the same records as Groonga's `query`: each word of the term must occur in at
/// least one column. Each word is a phrase query, so that a column indexed by bigrams must contain
/// the word's bigrams in order.
pub(crate) fn query(columns: &[&str], term: &str) -> Value {
    let words = term
        .split_whitespace()
        .map(|word| json!({"multi_match": {"query": word, "type": "phrase", "fields": columns}}));
    json!({"bool": {"must": words.collect::<Vec<_>>()}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_must_match() {
        assert_eq!(
            query(&["title", "text"], "町  (中)"),
            json!({"bool": {"must": [
                {"multi_match": {"query": "町", "type": "phrase", "fields": ["title", "text"]}},
                {"multi_match": {"query": "(中)", "type": "phrase", "fields": ["title", "text"]}},
            ]}})
        );
    }
}
