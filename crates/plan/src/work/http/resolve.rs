//! Resolves plain HTTP requests.

use std::rc::Rc;

use super::HttpDraft;
use super::status::STATUS_CLASSES;
use super::{HttpWork, method, patterns};
use crate::check::{Check, Condition};
use crate::comparison::may_differ::{MAY_DIFFER, MayDiffer};
use crate::keys::relations;
use crate::keys::scalar::{Field, Scalar};
use crate::resolver::Resolver;
use crate::work::header::{self, Form};
use crate::{Sentence, sentence};

/// The headers of HTTP requests.
const HEADERS: Form = Form {
    own: &[
        ("content-length", "it follows from the body"),
        ("transfer-encoding", "it follows from the body"),
        ("connection", "use keep_alive (--no-keep-alive)"),
    ],
    example: "write for example \"Accept: text/html\"",
};

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &HttpDraft) -> HttpWork {
    relations::check(resolver, draft);
    let (body, body_file) = body(resolver, draft);
    let looked_up = Rc::clone(&resolver.looked_up);
    let (headers, printed_headers) = resolver
        .each("headers", draft.headers.as_ref(), |line, context| {
            header::read(&HEADERS, line, context, &looked_up)
        })
        .into_iter()
        .map(|header| (header.sent, header.printed))
        .unzip();
    let method = resolver
        .read("method", &draft.method, method::read)
        .unwrap_or_else(|| "GET".to_owned());
    let expect = resolver
        .each("expect", draft.expect.as_ref(), |scalar, _| {
            statuses(scalar)
        })
        .concat();
    let checks = resolver.each("check", draft.check.as_ref(), |scalar, _| {
        let check: Check = scalar.parsed()?;
        can_hold(&check, &expect, &method).map(|()| check)
    });
    let mut work = HttpWork {
        patterns: patterns::resolve(resolver, draft, &method),
        path: resolver.read("path", &draft.path, path),
        redirected_from: resolver.read("redirected_from", &draft.redirected_from, path),
        headers,
        printed_headers,
        body,
        body_file,
        secrets: draft.secrets.clone(),
        expect,
        checks,
        may_differ: resolver
            .each("may_differ", draft.may_differ.as_ref(), |scalar, _| {
                scalar.choice(MAY_DIFFER)
            })
            .into_iter()
            .fold(MayDiffer::default(), MayDiffer::or),
        ..HttpWork::default()
    };
    work.read_keys(resolver, draft);
    work
}

/// Refuses a check that no response can pass.
fn can_hold(check: &Check, expect: &[u16], method: &str) -> Result<(), Sentence> {
    let counts = |status: u16| match expect {
        [] => (200..300).contains(&status),
        named => named.contains(&status),
    };
    if let Condition::Status(test) = check.condition
        && !(200..600).any(|status| counts(status) && test.holds(f64::from(status)))
    {
        return Err(sentence!(
            "check-never",
            "{check:?} never holds: only responses with a success status are checked, and no \
                success status meets the condition; name the success statuses with expect \
                (--expect)",
            check = check.to_string()
        ));
    }
    if check.needs_body() && method == "HEAD" {
        return Err(sentence!(
            "check-head",
            "{check:?} never holds: a response to HEAD has no body",
            check = check.to_string()
        ));
    }
    Ok(())
}

fn path(scalar: &Scalar) -> Result<String, Sentence> {
    let path = scalar.text()?;
    if !path.starts_with('/') {
        return Err(sentence!(
            "path-slash",
            "{path:?} does not begin with a slash; did you mean {meant:?}?",
            path,
            meant = format!("/{path}")
        ));
    }
    if let Some(bad) = path.chars().find(|c| !c.is_ascii_graphic() || *c == '#') {
        return Err(sentence!(
            "not-encoded",
            "{base:?} has {bad:?} in it; percent-encode it, for example %20 for a space",
            base = path,
            bad
        ));
    }
    Ok(path.to_owned())
}

/// Reads one status, or all statuses of a class such as `"3xx"`.
fn statuses(scalar: &Scalar) -> Result<Vec<u16>, Sentence> {
    let class = match scalar {
        Scalar::Text(text) => STATUS_CLASSES.iter().find(|(name, _)| name == text),
        _ => None,
    };
    match class {
        Some((_, statuses)) => Ok(statuses.clone().collect()),
        None => status(scalar).map(|status| vec![status]),
    }
}

fn status(scalar: &Scalar) -> Result<u16, Sentence> {
    let Scalar::Whole(number) = *scalar else {
        return Err(sentence!(
            "no-status",
            "{scalar} is not a status; write for example 200, or \"3xx\" for all from 300 to 399",
            scalar
        ));
    };
    u16::try_from(number)
        .ok()
        .filter(|status| (200..600).contains(status))
        .ok_or_else(|| {
            sentence!(
                "no-final-status",
                "{number} is not a final status; those are 200 to 599",
                number
            )
        })
}

fn body(resolver: &mut Resolver<'_>, draft: &HttpDraft) -> (Vec<u8>, Option<std::path::PathBuf>) {
    if draft.body.is_some() && draft.body_file.is_some() {
        return (Vec::new(), None);
    }
    if let Some(text) = resolver.text("body", &draft.body) {
        return (text.into_bytes(), None);
    }
    from_file(resolver, &draft.body_file)
        .map_or((Vec::new(), None), |(bytes, path)| (bytes, Some(path)))
}

fn from_file(resolver: &mut Resolver<'_>, field: &Field) -> Option<(Vec<u8>, std::path::PathBuf)> {
    let place = field.as_ref()?.place;
    let path = resolver.path("body_file", field)?;
    Some((resolver.file(place, "body_file", &path)?, path))
}
