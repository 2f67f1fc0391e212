//! Many objects deleted in one request.

use std::fmt::Write as _;

use memchr::memmem;
use quick_xml::escape::escape;

use super::document::{Document, NAMESPACE};
use super::place::Place;

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

/// Whether an answer is whole and names nothing that is still there.
pub(crate) fn all_gone(answer: &[u8]) -> bool {
    memmem::find(answer, b"<Error").is_none() && memmem::find(answer, b"DeleteResult").is_some()
}
