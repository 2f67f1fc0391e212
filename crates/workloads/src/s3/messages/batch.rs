//! Deletion of several objects in one request.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use crate::s3::messages::completion::count_in_whole;
use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::place::Place;

/// The body of a DeleteObjects request with its headers.
pub(crate) type Batch = Document;

impl Batch {
    pub(crate) fn of_objects(place: &Place, objects: &[u64]) -> Self {
        let keys = objects.iter().map(|&object| (place.key(object), None));
        Self::of_keys(keys)
    }

    /// A request to delete these keys, each with an optional version. With `Quiet`, the response
    /// names only objects that could not be deleted.
    pub(crate) fn of_keys(keys: impl Iterator<Item = (String, Option<String>)>) -> Self {
        let mut xml = format!("<Delete xmlns=\"{NAMESPACE}\"><Quiet>true</Quiet>");
        for (key, version) in keys {
            // Writing into a string never fails.
            let _ = write!(xml, "<Object><Key>{}</Key>", escape(key));
            if let Some(version) = version {
                let _ = write!(xml, "<VersionId>{}</VersionId>", escape(version));
            }
            xml.push_str("</Object>");
        }
        xml.push_str("</Delete>");
        Self::new(xml)
    }
}

/// Root element of the response.
pub(crate) const RESULT: &str = "DeleteResult";

/// Whether the response to a batch of `requested` objects is complete and names no object that
/// still exists. A response that names deleted objects must name all of them.
pub(crate) fn all_gone(response: &[u8], requested: usize) -> bool {
    count_in_whole(response, RESULT, "Deleted")
        .is_some_and(|gone| gone == 0 || gone >= requested as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(gone: usize, rest: &str) -> String {
        let gone = "<Deleted><Key>a/Error</Key></Deleted>".repeat(gone);
        format!("<?xml version=\"1.0\"?><DeleteResult>{gone}{rest}</DeleteResult>")
    }

    #[test]
    fn an_error_behind_many_that_are_gone_is_seen() {
        let error = "<Error><Key>b</Key><Code>AccessDenied</Code></Error>";
        assert!(all_gone(response(1000, "").as_bytes(), 1000));
        assert!(!all_gone(response(999, error).as_bytes(), 1000));
        assert!(!all_gone(response(0, error).as_bytes(), 1000));
    }

    #[test]
    fn a_quiet_response_names_no_object_and_a_full_one_all() {
        assert!(all_gone(response(0, "").as_bytes(), 3));
        assert!(all_gone(b"<DeleteResult/>", 3));
        assert!(!all_gone(response(2, "").as_bytes(), 3));
    }

    #[test]
    fn an_incomplete_response_is_inconclusive() {
        let whole = response(3, "");
        for end in 0..whole.len() {
            assert!(!all_gone(&whole.as_bytes()[..end], 3), "{end}");
        }
    }
}
