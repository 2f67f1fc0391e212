//! Many objects deleted in one request.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use crate::s3::messages::completion::count_in_whole;
use crate::s3::messages::document::{Document, NAMESPACE};
use crate::s3::place::Place;

/// The body of a DeleteObjects request and what its head says of it.
pub(crate) type Batch = Document;

impl Batch {
    pub(crate) fn of_objects(place: &Place, objects: &[u64]) -> Self {
        let keys = objects.iter().map(|&object| (place.key(object), None));
        Self::of_keys(keys)
    }

    /// Keys, each with the version that is meant, if one is. `Quiet`: the answer names
    /// only what could not be deleted.
    pub(crate) fn of_keys(keys: impl Iterator<Item = (String, Option<String>)>) -> Self {
        let mut xml = format!("<Delete xmlns=\"{NAMESPACE}\"><Quiet>true</Quiet>");
        for (key, version) in keys {
            // Writing into a string cannot fail.
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

/// The root of the answer.
pub(crate) const RESULT: &str = "DeleteResult";

/// Whether an answer about so many things is whole and names nothing that is still
/// there. A server that names what is gone, asked or not, has to name all of it.
pub(crate) fn all_gone(answer: &[u8], asked: usize) -> bool {
    count_in_whole(answer, RESULT, "Deleted").is_some_and(|gone| gone == 0 || gone >= asked as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(gone: usize, rest: &str) -> String {
        let gone = "<Deleted><Key>a/Error</Key></Deleted>".repeat(gone);
        format!("<?xml version=\"1.0\"?><DeleteResult>{gone}{rest}</DeleteResult>")
    }

    #[test]
    fn an_error_behind_many_that_are_gone_is_seen() {
        let error = "<Error><Key>b</Key><Code>AccessDenied</Code></Error>";
        assert!(all_gone(answer(1000, "").as_bytes(), 1000));
        assert!(!all_gone(answer(999, error).as_bytes(), 1000));
        assert!(!all_gone(answer(0, error).as_bytes(), 1000));
    }

    #[test]
    fn a_quiet_answer_names_none_and_any_other_all() {
        assert!(all_gone(answer(0, "").as_bytes(), 3));
        assert!(all_gone(b"<DeleteResult/>", 3));
        assert!(!all_gone(answer(2, "").as_bytes(), 3));
    }

    #[test]
    fn an_answer_that_is_cut_says_nothing() {
        let whole = answer(3, "");
        for end in 0..whole.len() {
            assert!(!all_gone(&whole.as_bytes()[..end], 3), "{end}");
        }
    }
}
