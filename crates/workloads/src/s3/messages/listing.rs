//! Pages of listings, parsed only as far as needed to count keys.
//!
//! Keys are escaped in XML and cannot contain a tag, so a search for tags finds every key at a
//! fraction of the cost of an XML parser.

use std::borrow::Cow;
use std::cmp::Ordering;

use memchr::memmem;
use tenbin_plan::ListForm;

/// Contents of a page of a listing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Page {
    /// Whether the page is complete.
    pub(crate) whole: bool,
    /// Number of keys, versions and common prefixes.
    pub(crate) keys: u64,
    /// Whether more pages follow.
    pub(crate) more: bool,
    /// Token or key for the next page; empty on the last page.
    pub(crate) marker: String,
    /// Version for the next page, in addition to the key.
    pub(crate) version: String,
}

/// A page that is being received.
pub(crate) struct Reader {
    form: ListForm,
    body: Vec<u8>,
}

/// Bytes kept of a page: a thousand of the longest keys, escaped.
const MOST_BYTES: usize = 16 << 20;

impl Reader {
    pub(crate) fn new(form: ListForm) -> Self {
        Self {
            form,
            body: Vec::new(),
        }
    }

    pub(crate) fn read(&mut self, part: &[u8]) {
        let room = MOST_BYTES.saturating_sub(self.body.len());
        self.body.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// The bytes received so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// Whether the page contains a delete marker.
    pub(crate) fn marks_deletions(&self) -> bool {
        memmem::find(&self.body, b"<DeleteMarker>").is_some()
    }

    pub(crate) fn finish(&mut self) -> Page {
        let body = self.body.as_slice();
        let (end, item, markers): (&[u8], &[&[u8]], [&str; 2]) = match self.form {
            ListForm::V2 => (
                b"</ListBucketResult>",
                &[b"<Contents>", b"<CommonPrefixes>"],
                ["NextContinuationToken", ""],
            ),
            ListForm::V1 => (
                b"</ListBucketResult>",
                &[b"<Contents>", b"<CommonPrefixes>"],
                ["NextMarker", ""],
            ),
            ListForm::Versions => (
                b"</ListVersionsResult>",
                &[b"<Version>", b"<DeleteMarker>", b"<CommonPrefixes>"],
                ["NextKeyMarker", "NextVersionIdMarker"],
            ),
        };
        let count = |tag: &&[u8]| memmem::find_iter(body, tag).count() as u64;
        let more = text_of(body, "IsTruncated").as_deref() == Some("true");
        let mut marker = text_of(body, markers[0]).unwrap_or_default();
        if marker.is_empty() && more && self.form == ListForm::V1 {
            marker = last_text_of(body, "Key").unwrap_or_default();
        }
        Page {
            whole: memmem::rfind(body, end).is_some(),
            keys: item.iter().map(count).sum(),
            more,
            marker,
            version: match markers[1] {
                "" => String::new(),
                name => text_of(body, name).unwrap_or_default(),
            },
        }
    }
}

/// A check of the keys of a page, one by one.
pub(crate) struct Keys<'a> {
    /// The required prefix of each key.
    pub(crate) prefix: &'a str,
    /// The last key of the previous page; after the check, the last key of this page.
    pub(crate) last: &'a mut String,
    /// Whether keys must ascend (Amazon S3 API reference, "ListObjectsV2"). `again`: whether a key
    /// can be repeated, as in a listing of versions.
    pub(crate) ascend: bool,
    pub(crate) again: bool,
}

impl Keys<'_> {
    /// What is wrong with the keys of a page, if anything.
    pub(crate) fn fault(&mut self, page: &[u8]) -> Option<&'static str> {
        const OPEN: &[u8] = b"<Key>";
        let mut last: Option<Cow<'_, str>> = None;
        for at in memmem::find_iter(page, OPEN) {
            let Some(key) = text_in(page, at + OPEN.len(), b"</Key>") else {
                return Some("a key that cannot be parsed");
            };
            if !key.starts_with(self.prefix) {
                return Some("a key without the requested prefix");
            }
            match key.as_ref().cmp(last.as_deref().unwrap_or(self.last)) {
                Ordering::Less if self.ascend => return Some("keys out of order"),
                Ordering::Equal if self.ascend && !self.again => {
                    return Some("a key is listed twice");
                }
                _ => last = Some(key),
            }
        }
        if let Some(key) = last {
            self.last.clear();
            self.last.push_str(&key);
        }
        None
    }
}

/// The text of the first element with this name, unescaped.
pub(crate) fn text_of(xml: &[u8], name: &str) -> Option<String> {
    let open = format!("<{name}>");
    let start = memmem::find(xml, open.as_bytes())? + open.len();
    text_at(xml, start, name)
}

fn last_text_of(xml: &[u8], name: &str) -> Option<String> {
    let open = format!("<{name}>");
    let start = memmem::rfind(xml, open.as_bytes())? + open.len();
    text_at(xml, start, name)
}

fn text_at(xml: &[u8], start: usize, name: &str) -> Option<String> {
    let close = format!("</{name}>");
    Some(text_in(xml, start, close.as_bytes())?.into_owned())
}

fn text_in<'a>(xml: &'a [u8], start: usize, close: &[u8]) -> Option<Cow<'a, str>> {
    let length = memmem::find(&xml[start..], close)?;
    let text = std::str::from_utf8(&xml[start..start + length]).ok()?;
    quick_xml::escape::unescape(text).ok()
}

/// The texts of all elements with this name, unescaped, in order. Texts that are not UTF-8 are
/// skipped.
pub(crate) fn texts_of(xml: &[u8], name: &str) -> Vec<String> {
    let open = format!("<{name}>");
    let starts = memmem::find_iter(xml, open.as_bytes()).map(|at| at + open.len());
    starts
        .filter_map(|start| text_at(xml, start, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(form: ListForm, xml: &str) -> Page {
        let mut reader = Reader::new(form);
        for part in xml.as_bytes().chunks(7) {
            reader.read(part);
        }
        reader.finish()
    }

    #[test]
    fn pages_of_every_form() {
        let v2 = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a&lt;b</Key>\
                  </Contents><Contents><Key>c</Key></Contents>\
                  <NextContinuationToken>t&amp;1</NextContinuationToken></ListBucketResult>";
        let read = page(ListForm::V2, v2);
        assert!(read.whole && read.more);
        assert_eq!((read.keys, read.marker.as_str()), (2, "t&1"));
        assert_eq!(page(ListForm::V1, v2).marker, "c");
        assert_eq!(texts_of(v2.as_bytes(), "Key"), ["a<b", "c"]);

        let versions = "<ListVersionsResult><IsTruncated>true</IsTruncated><Version><Key>a</Key>\
                        </Version><DeleteMarker><Key>a</Key></DeleteMarker>\
                        <NextKeyMarker>a</NextKeyMarker>\
                        <NextVersionIdMarker>7</NextVersionIdMarker></ListVersionsResult>";
        let read = page(ListForm::Versions, versions);
        assert_eq!((read.keys, &*read.marker, &*read.version), (2, "a", "7"));
    }

    #[test]
    fn keys_are_below_the_prefix_and_ascend() {
        let fault = |keys: &[&str], last: &str, again| {
            let page: String = keys.iter().map(|key| format!("<Key>{key}</Key>")).collect();
            let mut last = last.to_owned();
            let mut keys = Keys {
                prefix: "p/",
                last: &mut last,
                ascend: true,
                again,
            };
            let fault = keys.fault(page.as_bytes());
            (fault, last)
        };
        let fine = fault(&["p/a!", "p/a&amp;", "p/a0", "p/ü"], "p/a", false);
        assert_eq!(fine, (None, "p/ü".to_owned()));
        for (keys, last, expected) in [
            (&["p/b", "p/a"][..], "", "keys out of order"),
            (&["p/a"], "p/b", "keys out of order"),
            (&["p/a", "p/a"], "", "a key is listed twice"),
            (&["p/a"], "p/a", "a key is listed twice"),
            (&["p/a", "q/b"], "", "a key without the requested prefix"),
            (&["p/&nbsp;"], "", "a key that cannot be parsed"),
        ] {
            assert_eq!(fault(keys, last, false).0, Some(expected), "{keys:?}");
        }
        assert_eq!(fault(&["p/a", "p/a"], "p/a", true).0, None);
    }

    #[test]
    fn an_incomplete_page_is_recognised() {
        let read = page(ListForm::V2, "<ListBucketResult><Contents><Key>a</Key>");
        assert!(!read.whole && !read.more);
        assert!(!page(ListForm::V2, "").whole);
    }
}
