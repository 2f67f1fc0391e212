//! Finds the categories of a page: the category links in its text.

/// The categories that a text links to, in order and without duplicates. `namespaces`: names of the
/// category namespace, such as "Category" or "カテゴリ".
pub(super) fn categories(text: &str, namespaces: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("[[") {
        let rest = &text[at + 2..];
        // A link must be on one line; unterminated links are ignored.
        let Some(end) = rest
            .find(['\n', ']'])
            .filter(|&end| rest[end..].starts_with("]]"))
        else {
            continue;
        };
        let Some((namespace, link)) = rest[..end].split_once(':') else {
            continue;
        };
        let is_category = |known: &String| namespace.trim().to_lowercase() == known.to_lowercase();
        if !namespaces.iter().any(is_category) {
            continue;
        }
        let name = link.split('|').next().unwrap_or_default();
        let name = name.replace('_', " ").trim().to_owned();
        if !name.is_empty() && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_categories_are_found() {
        let text = "[[Category:日本|にほん]] [[カテゴリ:駅]] [[:Category:no]] [[File:x.png]] \
            [[category: a_b ]] [[Category:日本]] [[Category:]] [[Category:broken] [[x [[Category:in]] \
            [[Category:no\nend]] [[Category:last";
        let names = ["Category".to_owned(), "カテゴリ".to_owned()];
        assert_eq!(categories(text, &names), ["日本", "駅", "a b", "in"]);
    }
}
