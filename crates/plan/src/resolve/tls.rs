//! Resolves TLS settings.

use std::path::PathBuf;

use crate::keys::relations;
use crate::keys::row::Section as _;
use crate::keys::scalar::{At, Field};
use crate::resolver::Resolver;
use crate::sentence;
use crate::target::{ClientCertificate, Reach, Tls, TlsDraft};

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: Option<&At<TlsDraft>>,
    reach: &Reach,
) -> Tls {
    let mut tls = Tls::default();
    let Some(At { value: draft, .. }) = draft else {
        return tls;
    };
    resolver.inside("tls.", |resolver| {
        if !is_spoken(reach) {
            for (key, place) in draft.given() {
                let why = sentence!(
                    "url-not-https",
                    "is for https, and the url of this target does not begin with https://"
                );
                resolver.wrong(place, key, why);
            }
            return;
        }
        relations::check(resolver, draft);
        tls.read_keys(resolver, draft);
        tls.client = client(resolver, draft);
        if let (Some(path), Some(ca)) = (&tls.ca, &draft.ca) {
            let _ = resolver.file(ca.place, TlsDraft::ca.name, path);
        }
        if let (Some(ca), true) = (&draft.ca, tls.insecure) {
            let why = sentence!(
                "insecure-with-ca",
                "no certificate is checked when insecure is set; leave out one of the two"
            );
            resolver.wrong(ca.place, TlsDraft::ca.name, why);
        }
    });
    tls
}

fn is_spoken(reach: &Reach) -> bool {
    match reach {
        Reach::Endpoint { url } => url.scheme() == "https",
        Reach::Launched(launch) => launch.url.to_ascii_lowercase().starts_with("https:"),
        Reach::Builtin(_) | Reach::Files(_) => false,
    }
}

fn client(resolver: &mut Resolver<'_>, draft: &TlsDraft) -> Option<ClientCertificate> {
    let cert = readable(resolver, TlsDraft::cert.name, &draft.cert)?;
    let key = match draft.key {
        Some(_) => readable(resolver, TlsDraft::key.name, &draft.key)?,
        None => cert.clone(),
    };
    Some(ClientCertificate { cert, key })
}

/// A file that is read now, so that a wrong path is reported before anything starts. The content of
/// the file is checked when TLS is set up.
fn readable(resolver: &mut Resolver<'_>, key: &str, field: &Field) -> Option<PathBuf> {
    let path = resolver.path(key, field)?;
    resolver.file(field.as_ref()?.place, key, &path)?;
    Some(path)
}
