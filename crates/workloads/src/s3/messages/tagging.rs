//! Tags of objects in requests and responses.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memmem;
use quick_xml::escape::escape;
use tenbin_plan::S3Work;
use tenbin_plan::s3::Feature;

use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::messages::listing::texts_of;

/// Tag of every object if an operation needs tags and the plan sets no tags.
const DEFAULT: (&str, &str) = ("made-by", "tenbin");

/// The tags of every object of the workload.
pub(crate) fn of(work: &S3Work) -> Vec<(String, String)> {
    match work.tags.as_slice() {
        [] if work.mix.any(Feature::Tags) => {
            vec![(DEFAULT.0.to_owned(), DEFAULT.1.to_owned())]
        }
        tags => tags.to_vec(),
    }
}

/// The body of PutObjectTagging.
pub(crate) fn document(tags: &[(String, String)]) -> Document {
    let mut xml = format!("<Tagging xmlns=\"{NAMESPACE}\"><TagSet>");
    for (name, value) in tags {
        // Writing into a string never fails.
        let _ = write!(
            xml,
            "<Tag><Key>{}</Key><Value>{}</Value></Tag>",
            escape(name),
            escape(value)
        );
    }
    xml.push_str("</TagSet></Tagging>");
    Document::new(xml)
}

/// The tags in the response to GetObjectTagging, ascending; `None` for another response.
pub(crate) fn in_response(xml: &[u8]) -> Option<Vec<(String, String)>> {
    memmem::find(xml, b"Tagging>")?;
    let names = texts_of(xml, "Key");
    let values = texts_of(&with_empty_values(xml), "Value");
    if names.len() != values.len() {
        return None;
    }
    let mut tags: Vec<_> = names.into_iter().zip(values).collect();
    tags.sort();
    Some(tags)
}

/// Normalizes empty elements, which servers write in two ways.
fn with_empty_values(xml: &[u8]) -> Cow<'_, [u8]> {
    const SHORT: &[u8] = b"<Value/>";
    const LONG: &[u8] = b"<Value></Value>";
    let mut rest = xml;
    let mut out = Vec::new();
    while let Some(at) = memmem::find(rest, SHORT) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(LONG);
        rest = &rest[at + SHORT.len()..];
    }
    if out.is_empty() {
        return Cow::Borrowed(xml);
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;

    fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs.map(|&(a, b)| (a.to_owned(), b.to_owned())).collect()
    }

    #[test]
    fn what_is_sent_can_be_read_back() {
        let tags = owned(&[("a", "1 < 2"), ("b&c", ""), ("d", "ü")]);
        assert_eq!(in_response(&document(&tags).body), Some(tags));
        assert_eq!(in_response(&document(&[]).body), Some(Vec::new()));
    }

    #[test]
    fn tags_are_read_from_every_form_of_response() {
        let response = b"<?xml version=\"1.0\"?><Tagging><TagSet><Tag><Value/><Key>b</Key></Tag>\
            <Tag><Key>a</Key><Value>x</Value></Tag></TagSet></Tagging>";
        // Elements in unusual order are assigned correctly.
        assert_eq!(in_response(response), Some(owned(&[("a", "x"), ("b", "")])));
        assert_eq!(in_response(b"<html></html>"), None);
        assert_eq!(in_response(b"<Tagging><Key>a</Key></Tagging>"), None);
    }

    #[test]
    fn objects_have_tags_where_tags_are_the_point() {
        let of = |operation| of(&S3Work::new(operation, 1, 1)).len();
        assert_eq!((of(S3Operation::GetTags), of(S3Operation::Get)), (1, 0));
    }
}
