//! Request headers and their secrets.

use std::cell::Cell;

use crate::context::Context;
use crate::keys::scalar::Scalar;
use crate::secrets::environment::{variable, with_values};
use crate::secrets::is_secret_name;
use crate::{Sentence, sentence};

/// What the headers of a protocol look like.
pub(super) struct Form {
    /// Names that Tenbin sets itself, in lower case, each with the reason; a name that ends with a
    /// hyphen stands for all names that begin with it.
    pub(super) own: &'static [(&'static str, &'static str)],
    /// What to write instead of a line that is no header.
    pub(super) example: &'static str,
}

/// A header as sent, and as printed in a plan.
pub(super) struct Header {
    pub(super) sent: (String, String),
    pub(super) printed: (String, String),
}

/// Reads a `Name: value` line; `{env:NAME}` in the value is looked up. `looked_up` is the total
/// length of the values of the plan so far.
// Messages never repeat the value, which can be a token.
pub(super) fn read(
    form: &Form,
    scalar: &Scalar,
    context: &Context,
    looked_up: &Cell<usize>,
) -> Result<Header, Sentence> {
    let example = Sentence::fixed(form.example);
    let Scalar::Text(line) = scalar else {
        return Err(sentence!(
            "header-no-text", "a header is text; {example}", example
        ));
    };
    let Some((name, written)) = line.split_once(':') else {
        return Err(sentence!(
            "header-no-colon",
            "a header has a colon after its name; {example}",
            example
        ));
    };
    check_name(form, name)?;
    let written = written.trim();
    let sent = with_values(written, &context.environment, looked_up, |_, _| {})?;
    if sent.chars().any(|c| c.is_control() && c != '\t') {
        return Err(sentence!(
            "header-control",
            "the value of header {name:?} contains a line break or another control character",
            name
        ));
    }
    let literal_secret = sent == written && is_secret_name(name);
    let printed = if literal_secret {
        format!("{{env:{}}}", variable("HEADER", name))
    } else {
        written.to_owned()
    };
    Ok(Header {
        sent: (name.to_owned(), sent),
        printed: (name.to_owned(), printed),
    })
}

fn check_name(form: &Form, name: &str) -> Result<(), Sentence> {
    if name.is_empty() || !name.chars().all(is_token) {
        return Err(sentence!(
            "no-header-name",
            "{name:?} is not a header name; {example}",
            name,
            example = Sentence::fixed(form.example)
        ));
    }
    let lower = name.to_ascii_lowercase();
    let is_own = |own: &str| lower == own || own.ends_with('-') && lower.starts_with(own);
    let mut all = form.own.iter();
    match all.find(|(own, _)| is_own(own)) {
        Some((_, why)) => Err(sentence!(
            "header-of-tenbin",
            "Tenbin sets {name:?} itself: {why}",
            name,
            why = Sentence::fixed(why)
        )),
        None => Ok(()),
    }
}

/// Characters of a token, by RFC 9110, section 5.6.2.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}
