//! Resolves TLS settings.

use std::path::PathBuf;

use super::version::version;
use crate::connect::{ClientCertificate, Tls};
use crate::draft::TlsDraft;
use crate::key::Section as _;
use crate::reach::Reach;
use crate::resolver::Resolver;
use crate::scalar::Field;
use crate::scalar::{At, Scalar};

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: Option<&At<TlsDraft>>,
    reach: &Reach,
) -> Tls {
    let Some(At { value: draft, .. }) = draft else {
        return Tls::default();
    };
    if !is_spoken(reach) {
        for (key, place) in draft.given() {
            let why = "is for https, and the url of this target does not begin with https://";
            resolver.wrong(place, &dotted(key), why);
        }
        return Tls::default();
    }
    let tls = Tls {
        ca: readable(resolver, "ca", &draft.ca),
        client: client(resolver, draft),
        insecure: switch(resolver, "insecure", &draft.insecure),
        server_name: resolver.read("tls.server_name", &draft.server_name, server_name),
        resume: switch(resolver, "resume", &draft.resume),
        version: resolver.read("tls.version", &draft.version, version),
    };
    if let (Some(ca), true) = (&draft.ca, tls.insecure) {
        let why = "no certificate is checked when insecure is set; leave out one of the two";
        resolver.wrong(ca.place, "tls.ca", why);
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

fn switch(resolver: &mut Resolver<'_>, key: &str, field: &Field) -> bool {
    resolver
        .read(&dotted(key), field, Scalar::switch)
        .unwrap_or(false)
}

fn client(resolver: &mut Resolver<'_>, draft: &TlsDraft) -> Option<ClientCertificate> {
    if let (None, Some(key)) = (&draft.cert, &draft.key) {
        let why = "requires the certificate of this key; set it with cert (--cert)";
        resolver.wrong(key.place, "tls.key", why);
        return None;
    }
    let cert = readable(resolver, "cert", &draft.cert);
    let key = match draft.key {
        Some(_) => readable(resolver, "key", &draft.key),
        None => cert.clone(),
    };
    Some(ClientCertificate {
        cert: cert?,
        key: key?,
    })
}

/// A file that is read now, so that a wrong path is reported before anything starts. The content of
/// the file is checked when TLS is set up.
fn readable(resolver: &mut Resolver<'_>, key: &str, field: &Field) -> Option<PathBuf> {
    let path = resolver.path(&dotted(key), field)?;
    resolver.file(field.as_ref()?.place, &dotted(key), &path)?;
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
