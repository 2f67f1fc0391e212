//! Checks texts in S3 requests.

use crate::keys::scalar::Scalar;

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

pub(super) fn prefix(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    if text.is_empty() || text.len() > LONGEST_PREFIX {
        return Err(format!(
            "a prefix has 1 to {LONGEST_PREFIX} bytes; leave it out to use a generated prefix"
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(format!("{text:?} contains a control character"));
    }
    let odd = |part: &str| part == "." || part == "..";
    if text.starts_with('/') || text.contains("//") || text.split('/').any(odd) {
        return Err(format!(
            "{text:?} begins with `/` or contains `//`, `.` or `..`, which some servers interpret \
             as a file system path; use another prefix"
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn delimiter(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    match text.chars().count() {
        1 if text.chars().all(|c| !c.is_control()) => Ok(text.to_owned()),
        _ => Err(format!(
            "{text:?} is not one character; write for example \"/\""
        )),
    }
}

pub(super) fn storage_class(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if text.is_empty() || text.len() > 64 || !text.chars().all(allowed) {
        return Err(format!(
            "{text:?} is not a storage class; write for example \"STANDARD\" or \"REDUCED_REDUNDANCY\""
        ));
    }
    Ok(text.to_owned())
}

pub(super) fn content_type(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?.trim();
    let whole = text
        .split_once('/')
        .is_some_and(|(kind, rest)| !kind.is_empty() && !rest.is_empty());
    if !whole || !text.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
        return Err(format!(
            "{text:?} is not a content type; write for example \"application/octet-stream\""
        ));
    }
    Ok(text.to_owned())
}

/// Reads a `name: value` line; the name becomes lower case, as in the signature.
pub(super) fn metadata(scalar: &Scalar) -> Result<(String, String), String> {
    let line = scalar.text()?;
    let example = "write for example \"owner: tenbin\"";
    let (name, value) = line
        .split_once(':')
        .ok_or_else(|| format!("{line:?} has no colon after its name; {example}"))?;
    let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if name.is_empty() || !name.bytes().all(allowed) {
        return Err(format!(
            "{name:?} is not a name for metadata: letters, digits, `-` and `_`; {example}"
        ));
    }
    // Single spaces only, because the signature covers values with single spaces.
    let single = !value.contains("  ");
    if !single || !value.bytes().all(|b| b.is_ascii_graphic() || b == b' ') {
        return Err(format!(
            "the value of {name:?} must be ASCII without consecutive spaces"
        ));
    }
    if name.len() + value.len() > MOST_METADATA {
        return Err(format!(
            "{name:?} with its value is longer than {MOST_METADATA} bytes"
        ));
    }
    Ok((name, value.to_owned()))
}

/// Reads a `name=value` pair.
pub(super) fn tag(scalar: &Scalar) -> Result<(String, String), String> {
    let pair = scalar.text()?;
    let wrong = |why: &str| format!("{pair:?} {why}; write for example \"team=storage\"");
    let (name, value) = pair
        .split_once('=')
        .ok_or_else(|| wrong("has no `=` after its name"))?;
    if name.is_empty() || name.chars().count() > LONGEST_TAG_NAME {
        return Err(wrong(&format!(
            "has a name that is empty or longer than {LONGEST_TAG_NAME} characters"
        )));
    }
    if value.chars().count() > LONGEST_TAG_VALUE {
        return Err(wrong("has too long a value"));
    }
    let allowed = |c: char| c.is_alphanumeric() || " +-=._:/@".contains(c);
    if !name.chars().chain(value.chars()).all(allowed) {
        return Err(wrong(
            "contains a character that is not allowed in tags; use letters, digits, spaces and \
             +-=._:/@",
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
}
