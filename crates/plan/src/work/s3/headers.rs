//! Headers of every request of an S3 workload.

use std::rc::Rc;

use crate::keys::scalar::{At, List};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::secret::Secret;
use crate::work::header::{self, Form};
use crate::{Sentence, sentence};

/// Why conditional headers are refused.
const CONDITION: &str = "the header would also apply to requests that create and delete objects";

const FORM: Form = Form {
    own: &[
        ("host", "it follows from the URL of the target"),
        ("content-length", "it follows from the content"),
        ("transfer-encoding", "it follows from the content"),
        ("connection", "use keep_alive (--no-keep-alive)"),
        ("user-agent", "it names Tenbin"),
        ("authorization", "use the keys of the target (--access-key)"),
        ("date", "it belongs to the signature"),
        ("x-amz-date", "it belongs to the signature"),
        (
            "x-amz-security-token",
            "use session_token of the target (--session-token)",
        ),
        ("x-amz-content-sha256", "use payload (--payload)"),
        ("content-md5", "use checksum (--checksum)"),
        ("x-amz-checksum-", "use checksum (--checksum)"),
        ("x-amz-sdk-checksum-algorithm", "use checksum (--checksum)"),
        (
            "x-amz-decoded-content-length", "it follows from the content",
        ),
        ("x-amz-trailer", "use payload (--payload)"),
        ("content-encoding", "it belongs to the payload (--payload)"),
        (
            "x-amz-object-lock-",
            "the run could not delete the objects that it locks",
        ),
        ("content-type", "use content_type (--content-type)"),
        ("x-amz-meta-", "use metadata (--metadata)"),
        ("x-amz-tagging", "use tags (--tag)"),
        ("x-amz-storage-class", "use storage_class (--storage-class)"),
        (
            "x-amz-server-side-encryption",
            "use encryption (--encryption)",
        ),
        (
            "x-amz-server-side-encryption-",
            "use encryption (--encryption)",
        ),
        ("x-amz-copy-source", "it names the object to copy"),
        ("x-amz-copy-source-", "it names the object to copy"),
        ("range", "use range (--range)"),
        ("if-", CONDITION),
    ],
    example: "write for example \"x-amz-request-payer: requester\"",
};

/// A header of every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    /// Name in lower case, as in the signature.
    pub name: String,
    /// Value as sent, which can be secret.
    pub value: Secret,
    /// Value as in a printed plan.
    pub printed: String,
}

/// The headers of every request, ascending by name.
pub(super) fn resolve(resolver: &mut Resolver<'_>, list: Option<&At<List>>) -> Vec<RequestHeader> {
    let looked_up = Rc::clone(&resolver.looked_up);
    let mut headers = resolver.each("headers", list, |line, context| {
        let header = header::read(&FORM, line, context, &looked_up)?;
        let (name, value) = header.sent;
        check_value(&name, &value)?;
        Ok::<_, Sentence>(RequestHeader {
            name: name.to_ascii_lowercase(),
            value: Secret::new(value),
            printed: header.printed.1,
        })
    });
    headers.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(twice) = headers.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let place = list.map_or(Place::Nowhere, |list| list.place);
        let wrong = sentence!(
            "twice-there",
            "{name:?} is there twice",
            name = twice[0].name
        );
        resolver.wrong(place, "headers", wrong);
    }
    headers
}

/// Refuses values that servers may normalise before they check the signature.
// The message does not repeat the value, which can be a token.
fn check_value(name: &str, value: &str) -> Result<(), Sentence> {
    let is_plain = value.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
    if value.is_empty() || !is_plain || value.contains("  ") {
        return Err(sentence!(
            "header-signed",
            "the value of header {name:?} must be ASCII, not empty and without consecutive \
                spaces, because it is signed",
            name
        ));
    }
    Ok(())
}
