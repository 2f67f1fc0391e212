//! Checks texts in S3 requests.

use crate::keys::scalar::Scalar;
use crate::{Sentence, sentence};

/// Maximum total length of the names and values of metadata, bytes (Amazon S3 user guide, "Working
/// with object metadata").
const MOST_METADATA: usize = 2048;

/// Maximum length of a tag's name, characters (Amazon S3 user guide, "Categorizing your storage
/// using tags").
const LONGEST_TAG_NAME: usize = 128;
/// Maximum length of a tag's value, characters.
const LONGEST_TAG_VALUE: usize = 256;

/// Maximum length of a prefix, bytes. The rest of a key is for names that Tenbin generates.
const LONGEST_PREFIX: usize = 800;

pub(super) fn prefix(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    if text.is_empty() || text.len() > LONGEST_PREFIX {
        return Err(sentence!(
            "prefix-length",
            "a prefix has 1 to {longest_prefix} bytes; leave it out to use a generated prefix",
            longest_prefix = LONGEST_PREFIX
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(sentence!(
            "text-with-control",
            "{text:?} contains a control character",
            text
        ));
    }
    let odd = |part: &str| part == "." || part == "..";
    if text.starts_with('/') || text.contains("//") || text.split('/').any(odd) {
        return Err(sentence!(
            "prefix-as-path",
            "{text:?} begins with `/` or contains `//`, `.` or `..`, which some servers \
                interpret as a file system path; use another prefix",
            text
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn delimiter(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    match text.chars().count() {
        1 if text.chars().all(|c| !c.is_control()) => Ok(text.to_owned()),
        _ => Err(sentence!(
            "no-character",
            "{text:?} is not one character; write for example \"/\"",
            text
        )),
    }
}

pub(super) fn storage_class(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() || text.len() > 64 || !text.chars().all(allowed) {
        return Err(sentence!(
            "no-storage-class",
            "{text:?} is not a storage class; write for example \"STANDARD\" or \
                \"REDUCED_REDUNDANCY\"",
            text
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn content_type(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?.trim();
    let whole = text
        .split_once('/')
        .is_some_and(|(kind, rest)| !kind.is_empty() && !rest.is_empty());
    if !whole || !text.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
        return Err(sentence!(
            "no-content-type",
            "{text:?} is not a content type; write for example \"application/octet-stream\"",
            text
        ));
    }
    Ok(text.to_owned())
}

/// Reads a `name: value` line; the name becomes lower case, as in the signature.
pub(super) fn metadata(scalar: &Scalar) -> Result<(String, String), Sentence> {
    let line = scalar.text()?;
    let example = sentence!("metadata-example", "write for example \"owner: tenbin\"");
    let (name, value) = line.split_once(':').ok_or_else(|| {
        sentence!(
            "metadata-no-colon",
            "{line:?} has no colon after its name; {example}",
            line,
            example
        )
    })?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if name.is_empty() || !name.bytes().all(allowed) {
        return Err(sentence!(
            "metadata-name",
            "{name:?} is not a name for metadata: letters, digits, `-` and `_`; {example}",
            name,
            example
        ));
    }
    // Single spaces only, because the signature covers values with single spaces.
    let single = !value.contains("  ");
    if !single || !value.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
        return Err(sentence!(
            "metadata-value",
            "the value of {name:?} must be ASCII without consecutive spaces",
            name
        ));
    }
    if name.len() + value.len() > MOST_METADATA {
        return Err(sentence!(
            "metadata-length",
            "{name:?} with its value is longer than {most_metadata} bytes",
            name,
            most_metadata = MOST_METADATA
        ));
    }
    Ok((name, value.to_owned()))
}

/// Reads a `name=value` pair.
pub(super) fn tag(scalar: &Scalar) -> Result<(String, String), Sentence> {
    let pair = scalar.text()?;
    let wrong = |why: Sentence| {
        sentence!(
            "no-tag",
            "{pair:?} {why}; write for example \"team=storage\"",
            pair,
            why
        )
    };
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| wrong(sentence!("tag-no-equals", "has no `=` after its name")))?;
    if name.is_empty() || name.chars().count() > LONGEST_TAG_NAME {
        return Err(wrong(sentence!(
            "tag-name-length",
            "has a name that is empty or longer than {longest_tag_name} characters",
            longest_tag_name = LONGEST_TAG_NAME
        )));
    }
    if value.chars().count() > LONGEST_TAG_VALUE {
        return Err(wrong(sentence!("tag-value-length", "has too long a value")));
    }
    let allowed = |c: char| c.is_alphanumeric() || " +-=._:/@".contains(c);
    if !name.chars().chain(value.chars()).all(allowed) {
        return Err(wrong(sentence!(
            "tag-letters",
            "contains a character that is not allowed in tags; use letters, digits, spaces \
                and +-=._:/@"
        )));
    }
    Ok((name.to_owned(), value.to_owned()))
}
