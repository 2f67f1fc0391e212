//! Creates pages of a bucket's objects, for `ListObjects` and `ListObjectsV2`.

use std::collections::BTreeMap;
use std::ops::Bound;

/// A list request. Keys are sorted by their UTF-8 bytes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Query<'a> {
    pub(super) prefix: &'a str,
    /// Keys with this delimiter after the prefix are grouped into a common prefix.
    pub(super) delimiter: Option<&'a str>,
    pub(super) after: After<'a>,
    /// Maximum number of keys and common prefixes per page.
    pub(super) limit: usize,
}

/// Position after which a page starts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum After<'a> {
    #[default]
    Nothing,
    Key(&'a str),
    /// After all keys with this common prefix.
    CommonPrefix(&'a str),
}

/// One page of a listing.
#[derive(Debug)]
pub(super) struct Page<'a, V> {
    pub(super) objects: Vec<(&'a str, &'a V)>,
    pub(super) common_prefixes: Vec<String>,
    /// Position for the next page; `None` on the last page.
    pub(super) next: Option<Next>,
}

/// The last entry of a page, if another page follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    AfterKey(String),
    AfterCommonPrefix(String),
}

impl Next {
    /// The continuation token for the next page.
    pub(super) fn token(&self) -> String {
        match self {
            Self::AfterKey(key) => format!("k{key}"),
            Self::AfterCommonPrefix(prefix) => format!("p{prefix}"),
        }
    }
}

impl<'a> After<'a> {
    /// Parses a continuation token.
    pub(super) fn from_token(token: &'a str) -> Option<Self> {
        match token.split_at_checked(1)? {
            ("k", key) => Some(Self::Key(key)),
            ("p", prefix) => Some(Self::CommonPrefix(prefix)),
            _ => None,
        }
    }

    /// Parses a marker of `ListObjects`: a key, or the common prefix at the end of the previous
    /// page.
    pub(super) fn from_marker(marker: &'a str, prefix: &str, delimiter: Option<&str>) -> Self {
        if common_prefix(marker, prefix, delimiter) == Some(marker) {
            Self::CommonPrefix(marker)
        } else {
            Self::Key(marker)
        }
    }
}

/// Lists one page of `objects`.
pub(super) fn page<'a, V>(objects: &'a BTreeMap<String, V>, query: &Query<'_>) -> Page<'a, V> {
    let mut page = Page {
        objects: Vec::new(),
        common_prefixes: Vec::new(),
        next: None,
    };
    if query.limit == 0 {
        return page;
    }
    let mut last = None;
    let mut start = start(query);
    while let Some((key, value)) = start
        .take()
        .and_then(|start| {
            objects
                .range::<str, _>((as_ref(&start), Bound::Unbounded))
                .next()
        })
        .filter(|(key, _)| key.starts_with(query.prefix))
    {
        if page.objects.len() + page.common_prefixes.len() == query.limit {
            page.next = last;
            break;
        }
        if let Some(common) = common_prefix(key, query.prefix, query.delimiter) {
            page.common_prefixes.push(common.to_owned());
            last = Some(Next::AfterCommonPrefix(common.to_owned()));
            start = beyond(common).map(Bound::Included);
        } else {
            page.objects.push((key, value));
            last = Some(Next::AfterKey(key.clone()));
            start = Some(Bound::Excluded(key.clone()));
        }
    }
    page
}

fn as_ref(bound: &Bound<String>) -> Bound<&str> {
    match bound {
        Bound::Included(key) => Bound::Included(key),
        Bound::Excluded(key) => Bound::Excluded(key),
        Bound::Unbounded => Bound::Unbounded,
    }
}

/// Start of the range of keys to list; `None` if no key can follow.
fn start(query: &Query<'_>) -> Option<Bound<String>> {
    let bound = match query.after {
        After::Nothing => Bound::Unbounded,
        After::Key(key) => Bound::Excluded(key.to_owned()),
        After::CommonPrefix(prefix) => Bound::Included(beyond(prefix)?),
    };
    let before_prefix = match &bound {
        Bound::Included(key) | Bound::Excluded(key) => key.as_str() < query.prefix,
        Bound::Unbounded => true,
    };
    Some(if before_prefix {
        Bound::Included(query.prefix.to_owned())
    } else {
        bound
    })
}

fn common_prefix<'k>(key: &'k str, prefix: &str, delimiter: Option<&str>) -> Option<&'k str> {
    let delimiter = delimiter.filter(|text| !text.is_empty())?;
    let rest = key.strip_prefix(prefix)?;
    let end = prefix.len() + rest.find(delimiter)? + delimiter.len();
    Some(&key[..end])
}

/// The first text after all texts that start with `prefix`. UTF-8 text sorts in the order of its
/// characters, so the last character with a successor is replaced by that successor.
fn beyond(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            other => char::from_u32(u32::from(other) + 1),
        };
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bucket(keys: &[&str]) -> BTreeMap<String, ()> {
        keys.iter().map(|&key| (key.to_owned(), ())).collect()
    }

    /// Lists all pages, using continuation tokens.
    fn all(objects: &BTreeMap<String, ()>, query: Query<'_>) -> (Vec<String>, Vec<String>, usize) {
        let (mut keys, mut prefixes, mut pages) = (Vec::new(), Vec::new(), 0);
        let mut token: Option<String> = None;
        loop {
            let after = token
                .as_deref()
                .map_or(query.after, |token| After::from_token(token).unwrap());
            let page = page(objects, &Query { after, ..query });
            pages += 1;
            keys.extend(page.objects.iter().map(|(key, ())| (*key).to_owned()));
            prefixes.extend(page.common_prefixes);
            match page.next {
                Some(next) => token = Some(next.token()),
                None => return (keys, prefixes, pages),
            }
        }
    }

    #[test]
    fn keys_are_grouped_at_the_delimiter() {
        let objects = bucket(&["a", "b/1", "b/2", "b/c/3", "d", "é/x"]);
        let root = Query {
            delimiter: Some("/"),
            limit: 1000,
            ..Query::default()
        };
        assert_eq!(
            all(&objects, root),
            (
                vec!["a".into(), "d".into()],
                vec!["b/".into(), "é/".into()],
                1
            )
        );
        let below = Query {
            prefix: "b/",
            ..root
        };
        let (keys, prefixes, _) = all(&objects, below);
        assert_eq!((keys.len(), prefixes), (2, vec!["b/c/".to_owned()]));
    }

    #[test]
    fn a_page_that_holds_the_last_key_is_the_last() {
        let objects = bucket(&["a", "b"]);
        let query = Query {
            limit: 2,
            ..Query::default()
        };
        assert!(page(&objects, &query).next.is_none());
        let query = Query {
            limit: 1,
            ..Query::default()
        };
        assert_eq!(
            page(&objects, &query).next,
            Some(Next::AfterKey("a".into()))
        );
        let query = Query {
            limit: 0,
            ..Query::default()
        };
        assert!(page(&objects, &query).objects.is_empty());
    }

    #[test]
    fn a_common_prefix_as_marker_skips_all_its_keys() {
        let objects = bucket(&["b/1", "b/2", "c"]);
        let after = After::from_marker("b/", "", Some("/"));
        let query = Query {
            delimiter: Some("/"),
            after,
            limit: 9,
            ..Query::default()
        };
        let (keys, prefixes, _) = all(&objects, query);
        assert_eq!((keys, prefixes.len()), (vec!["c".to_owned()], 0));
    }

    proptest! {
        #[test]
        fn pages_of_any_size_add_up_to_the_plain_definition(
            keys in prop::collection::btree_set("[ab/\u{d7ff}\u{10ffff}]{1,5}", 0..30),
            prefix in "[ab/]{0,2}", with_delimiter: bool, limit in 1usize..8,
        ) {
            let objects = keys.iter().map(|key| (key.clone(), ())).collect();
            let delimiter = with_delimiter.then_some("/");
            let query = Query { prefix: &prefix, delimiter, after: After::Nothing, limit };
            let (found, common, pages) = all(&objects, query);

            let inside = keys.iter().filter(|key| key.starts_with(&prefix));
            let (mut plain, mut rolled) = (Vec::new(), BTreeSet::new());
            for key in inside {
                match key[prefix.len()..].find('/').filter(|_| with_delimiter) {
                    Some(at) => { rolled.insert(key[..=prefix.len() + at].to_owned()); }
                    None => plain.push(key.clone()),
                }
            }
            prop_assert_eq!(pages, (plain.len() + rolled.len()).div_ceil(limit).max(1));
            prop_assert_eq!(found, plain);
            prop_assert_eq!(common, rolled.into_iter().collect::<Vec<_>>());
        }
    }
}
