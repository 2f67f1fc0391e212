//! What tables and searches of Groonga become in OpenSearch.

use serde_json::{Value, json};

/// The index that a table becomes: names of indexes are in small letters.
pub(crate) fn index_of(table: &str) -> String {
    table.to_lowercase()
}

/// What finds the records that Groonga's `query` finds: every word of the term stands in
/// one of the columns, and where columns are indexed by pairs of characters a word is
/// those pairs one behind the other.
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
    fn every_word_has_to_be_found() {
        assert_eq!(
            query(&["title", "text"], "町  (中)"),
            json!({"bool": {"must": [
                {"multi_match": {"query": "町", "type": "phrase", "fields": ["title", "text"]}},
                {"multi_match": {"query": "(中)", "type": "phrase", "fields": ["title", "text"]}},
            ]}})
        );
    }
}
