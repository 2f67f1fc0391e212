//! Search terms as parts of requests.

/// A term as a value of Groonga's `query`, searched for literally: the special characters of
/// Groonga's query syntax and the word `OR` are escaped. White space still separates words, all of
/// which must be found. Source of the special characters: `grn_expr_syntax_escape_query`, Groonga
/// 13.
pub fn groonga_query(term: &str) -> String {
    let mut escaped = String::with_capacity(term.len());
    for (at, word) in term.split(' ').enumerate() {
        if at > 0 {
            escaped.push(' ');
        }
        if word == "OR" {
            escaped.push('\\');
        }
        for c in word.chars() {
            if matches!(
                c,
                '+' | '-' | '>' | '<' | '~' | '*' | '(' | ')' | '"' | '\\' | ':'
            ) {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::groonga_query;

    #[test]
    fn what_groongas_query_syntax_has_a_meaning_for_is_escaped() {
        for (term, query) in [
            ("町 中", "町 中"),
            ("AT&T", "AT&T"),
            ("#1", "#1"),
            ("C++", r"C\+\+"),
            ("-dash", r"\-dash"),
            ("町 (中)", r"町 \(中\)"),
            ("sink OR swim", r"sink \OR swim"),
            ("ORDER", "ORDER"),
            (r#"say "a\b":"#, r#"say \"a\\b\"\:"#),
        ] {
            assert_eq!(groonga_query(term), query, "{term}");
        }
    }
}
