//! Resolves `[output]`.

use std::net::{Ipv4Addr, SocketAddr};

use url::Url;

use crate::draft::OutputDraft;
use crate::output::Output;
use crate::resolver::Resolver;
use crate::scalar::Scalar;

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &OutputDraft) -> Output {
    let directory = resolver.directory.clone();
    let export = resolver.each(
        OutputDraft::export.name,
        draft.export.as_ref(),
        |scalar, _| {
            let text = scalar.text()?;
            match text.split_once('=') {
                Some(("", _)) | None if text.trim().is_empty() || text.starts_with('=') => {
                    Err("write the name of a format, for example \"csv\"".to_owned())
                }
                Some((format, "-")) => Err(format!(
                    "only the command line can send a format to standard output: --export {format}=-"
                )),
                Some((_, "")) => Err(format!("{text:?} names no file; write {text}FILE")),
                Some((format, file)) => {
                    Ok(format!("{format}={}", directory.join(file).display()))
                }
                None => Ok(text.to_owned()),
            }
        },
    );
    let live = resolver.read(OutputDraft::live.name, &draft.live, port);
    Output {
        export,
        live: live.flatten(),
        prometheus: resolver.read(OutputDraft::prometheus.name, &draft.prometheus, address),
        otlp: resolver.read(OutputDraft::otlp.name, &draft.otlp, collector),
    }
}

/// Reads an address to listen on; 127.0.0.1 if only the port is given.
fn address(scalar: &Scalar) -> Result<SocketAddr, String> {
    let text = match scalar {
        Scalar::Text(text) => text.clone(),
        other => other.to_string(),
    };
    let port = text.trim_start_matches(':').parse::<u16>();
    let own = port.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    own.ok()
        .or_else(|| text.parse().ok())
        .ok_or_else(|| format!("{text:?} is not a port and not an address such as 127.0.0.1:9464"))
}

/// The path at which collectors receive metrics.
const METRICS: &str = "/v1/metrics";

/// Reads the URL of a collector, and appends [`METRICS`] unless the URL already ends with that
/// path.
fn collector(scalar: &Scalar) -> Result<String, String> {
    let text = scalar.text()?;
    let hint = "write for example http://127.0.0.1:4318";
    let mut url = Url::parse(text).map_err(|error| format!("not a URL ({error}); {hint}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("the URL is neither http:// nor https://; {hint}"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL contains a user or a password, which plan.toml would show".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("the URL contains a query or a fragment; {hint}"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if path.ends_with(METRICS) {
        url.set_path(&path)
    } else {
        url.set_path(&format!("{path}{METRICS}"))
    }
    Ok(url.to_string())
}

/// Reads the key `live`: `None` for `false`, 0 (a free port) for `true`, otherwise the port.
fn port(scalar: &Scalar) -> Result<Option<u16>, String> {
    let number = match scalar {
        Scalar::Switch(false) => return Ok(None),
        Scalar::Switch(true) => return Ok(Some(0)),
        Scalar::Text(text) if text == "true" => return Ok(Some(0)),
        Scalar::Text(text) => text.parse().ok(),
        Scalar::Whole(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    match number {
        Some(port @ 1..) => Ok(Some(port)),
        _ => Err(format!(
            "{scalar} is not a port; write true, or 1 to 65,535"
        )),
    }
}
