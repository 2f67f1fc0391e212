//! How TLS is spoken.

use std::path::PathBuf;

use super::version::version;
use crate::desk::Desk;
use crate::draft::TlsDraft;
use crate::reach::Reach;
use crate::scalar::Field;
use crate::scalar::{At, Scalar};
use crate::way::{ClientCertificate, Tls};

pub(super) fn resolve(desk: &mut Desk<'_>, draft: Option<&At<TlsDraft>>, reach: &Reach) -> Tls {
    let Some(At { value: draft, .. }) = draft else {
        return Tls::default();
    };
    if !is_spoken(reach) {
        for (key, place) in draft.given() {
            let why = "is for https, and the url of this target does not begin with https://";
            desk.wrong(place, &dotted(key), why);
        }
        return Tls::default();
    }
    let tls = Tls {
        ca: readable(desk, "ca", &draft.ca),
        client: client(desk, draft),
        insecure: switch(desk, "insecure", &draft.insecure),
        server_name: desk.read("tls.server_name", &draft.server_name, server_name),
        resume: switch(desk, "resume", &draft.resume),
        version: desk.read("tls.version", &draft.version, version),
    };
    if let (Some(ca), true) = (&draft.ca, tls.insecure) {
        let why = "no certificate is checked when insecure is set; leave out one of the two";
        desk.wrong(ca.place, "tls.ca", why);
    }
    tls
}

fn is_spoken(reach: &Reach) -> bool {
    match reach {
        Reach::Endpoint { url } => url.scheme() == "https",
        Reach::Launched(launch) => launch.url.to_ascii_lowercase().starts_with("https:"),
        Reach::Builtin(_) | Reach::Files(_) => false,
    }
}

fn dotted(key: &str) -> String {
    format!("tls.{key}")
}

fn switch(desk: &mut Desk<'_>, key: &str, field: &Field) -> bool {
    desk.read(&dotted(key), field, Scalar::switch)
        .unwrap_or(false)
}

fn client(desk: &mut Desk<'_>, draft: &TlsDraft) -> Option<ClientCertificate> {
    if let (None, Some(key)) = (&draft.cert, &draft.key) {
        let why = "a key needs the certificate that it belongs to; give that with cert (--cert)";
        desk.wrong(key.place, "tls.key", why);
        return None;
    }
    let cert = readable(desk, "cert", &draft.cert);
    let key = match draft.key {
        Some(_) => readable(desk, "key", &draft.key),
        None => cert.clone(),
    };
    Some(ClientCertificate {
        cert: cert?,
        key: key?,
    })
}

/// A file that can be read now, so that a wrong path is known before anything
/// starts. What stands in it is for who speaks TLS.
fn readable(desk: &mut Desk<'_>, key: &str, field: &Field) -> Option<PathBuf> {
    let path = desk.path(&dotted(key), field)?;
    desk.file(field.as_ref()?.place, &dotted(key), &path)?;
    Some(path)
}

fn server_name(scalar: &Scalar) -> Result<String, String> {
    let name = scalar.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(format!(
            "{name:?} is not the name of a server; write for example \"db.example\""
        ));
    }
    Ok(name.to_owned())
}
