//! Creates requests from search terms: Groonga `select` requests with snippets, sorting and
//! drill-down, equivalent OpenSearch requests, or the format of drnbench-generate-select-patterns.

use serde_json::json;
use tenbin_plan::patterns::groonga_query;

use crate::escape::{are_escaped, cgi, query_component, unescaped};
use crate::opensearch::query;

pub use tenbin_plan::patterns::{GROONGA_SEARCH as HEAVY, OPENSEARCH_PATH as OPENSEARCH};

/// Creates one request per line: `base` and the URL-escaped term. If `base` ends with the `query=`
/// of Groonga's `select`, the term is also escaped for Groonga's query syntax. `escaped`: the terms
/// in `terms` are already URL-escaped.
pub fn lines(base: &str, terms: &[String], escaped: bool) -> String {
    let line = |term: &String| {
        let raw = if escaped {
            unescaped(term)
        } else {
            Some(term.clone())
        };
        match raw {
            // The decoded term is not UTF-8: keep the given escapes.
            None => format!("{base}{term}\n"),
            Some(term) if is_groonga_query(base) => {
                format!("{base}{}\n", cgi(&groonga_query(&term)))
            }
            Some(term) => format!("{base}{}\n", cgi(&term)),
        }
    };
    terms.iter().map(line).collect()
}

/// Whether text appended to `base` is the `query` of Groonga's `select`.
fn is_groonga_query(base: &str) -> bool {
    let is_query = base.ends_with("&query=") || base.ends_with("?query=");
    is_query && base.contains("/d/select")
}

/// The equivalent of [`HEAVY`] (the Groonga request) for OpenSearch: a list of `POST` requests to
/// `path`, one per term. Each request searches and highlights title and text, sorts by title, and
/// aggregates the ten most frequent categories. The request counts all hits, because OpenSearch
/// stops counting at 10,000 by default.
pub fn opensearch(path: &str, terms: &[String]) -> String {
    let pattern = |term: &String| {
        json!({
            "headers": {"Content-Type": "application/json"},
            "body": {
                "query": query(&["title", "text"], term),
                "size": 10,
                "_source": ["categories"],
                "track_total_hits": true,
                "sort": ["title.keyword"],
                "highlight": {"fields": {"title": {}, "text": {}}},
                "aggs": {"categories": {"terms": {"field": "categories", "size": 10}}},
            },
        })
        .to_string()
    };
    let patterns: Vec<String> = terms.iter().map(pattern).collect();
    format!(
        "{{\"search\": {{\"method\": \"POST\", \"path\": {}, \"patterns\": [\n{}\n]}}}}\n",
        json!(path),
        patterns.join(",\n")
    )
}

/// Creates requests in the format of drnbench-generate-select-patterns: one group, or one per host.
/// Terms can be URL-escaped, as by `drnbench-extract-searchterms --escape`. All characters special
/// to a URL or to Groonga's query syntax are escaped. The original tool leaves some characters
/// unescaped: `AT&T` becomes the term `AT`, and a term with a leading `-` is a syntax error.
pub fn drnbench(base_params: &str, terms: &[String], hosts: &[String]) -> String {
    let escaped = are_escaped(terms);
    let raw = |term: &String| {
        if escaped {
            unescaped(term).unwrap_or_else(|| term.clone())
        } else {
            term.clone()
        }
    };
    let patterns: Vec<serde_json::Value> = terms
        .iter()
        .map(|term| {
            let plain = raw(term).replace([':', ';'], " ");
            let query = query_component(&groonga_query(plain.trim()));
            json!({"path": format!("/d/select?{base_params}&query={query}")})
        })
        .collect();
    let mut groups = serde_json::Map::new();
    let named = match hosts {
        [] => vec![("with-query".to_owned(), None)],
        hosts => hosts
            .iter()
            .map(|host| (format!("with-query-{host}"), Some(host)))
            .collect(),
    };
    let frequency = 1.0 / named.len() as f64;
    for (name, host) in named {
        let mut group = json!({"frequency": frequency, "method": "get", "patterns": patterns});
        if let Some(host) = host {
            group["host"] = json!(host);
        }
        groups.insert(name, group);
    }
    format!("{}\n", serde_json::Value::Object(groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_tutorial() {
        let terms = ["町 (中)".to_owned()];
        assert_eq!(
            lines(HEAVY, &terms, false),
            "/d/select?command_version=2&table=Pages&limit=10&match_columns=title,text\
             &output_columns=snippet_html(title),snippet_html(text),categories,_key\
             &query_flags=NONE&sortby=title&drilldown=categories&drilldown_limit=10\
             &drilldown_output_columns=_id,_key,_nsubrecs&drilldown_sortby=_nsubrecs\
             &query=%E7%94%BA+%5C%28%E4%B8%AD%5C%29\n"
        );
        assert_eq!(lines("/q=", &["a+b".to_owned()], true), "/q=a+b\n");
    }

    #[test]
    fn special_characters_in_terms_are_escaped() {
        let base = "/d/select?table=Pages&query=";
        let terms = ["AT&T", "C++", "#1", "-a", "a%b"].map(str::to_owned);
        let paths = "/d/select?table=Pages&query=AT%26T\n/d/select?table=Pages&query=C%5C%2B%5C%2B\n\
            /d/select?table=Pages&query=%231\n/d/select?table=Pages&query=%5C-a\n\
            /d/select?table=Pages&query=a%25b\n";
        assert_eq!(lines(base, &terms, false), paths);
        assert_eq!(
            lines(base, &terms.clone().map(|term| cgi(&term)), true),
            paths
        );
        // Other servers have a different query syntax.
        assert_eq!(
            lines("/search?query=", &terms[1..2], false),
            "/search?query=C%2B%2B\n"
        );

        let json = drnbench("x=1", &terms, &[]);
        for query in [
            "query=AT%26T\"", "query=C%5C%2B%5C%2B\"", "query=%231\"", "query=%5C-a\"",
        ] {
            assert!(json.contains(query), "{query}: {json}");
        }
        assert_eq!(
            drnbench("x=1", &terms.clone().map(|term| cgi(&term)), &[]),
            json
        );
    }

    #[test]
    fn the_tutorials_search_for_opensearch() {
        let terms = ["町 \"(中)\"".to_owned(), "b".to_owned()];
        let text = opensearch(OPENSEARCH, &terms);
        assert_eq!(text.lines().count(), 4, "{text}");
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let group = &json["search"];
        assert_eq!(group["method"], "POST");
        assert_eq!(group["path"], "/pages/_search");
        let body = &group["patterns"][0]["body"];
        let words = body["query"]["bool"]["must"].as_array().unwrap();
        assert_eq!(words[1]["multi_match"]["query"], "\"(中)\"");
        assert_eq!(body["track_total_hits"], true);
        assert_eq!(group["patterns"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn the_format_of_drnbench() {
        let terms = ["a:b c".to_owned()];
        assert_eq!(
            drnbench("limit=10&offset=0", &terms, &[]),
            "{\"with-query\":{\"frequency\":1.0,\"method\":\"get\",\"patterns\":\
             [{\"path\":\"/d/select?limit=10&offset=0&query=a%20b%20c\"}]}}\n"
        );
        let hosts = ["h0".to_owned(), "h1".to_owned()];
        let text = drnbench("x=1", &terms, &hosts);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["with-query-h1"]["frequency"], 0.5);
        assert_eq!(json["with-query-h1"]["host"], "h1");
        assert_eq!(json.as_object().unwrap().len(), 2);
    }
}
