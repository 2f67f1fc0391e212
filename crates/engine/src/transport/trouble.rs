//! Describes transport errors in one sentence.

use std::io;

use rustls::{AlertDescription, CertificateError, Error};

use crate::failure::NO_PORT;

/// Error text for a server that does not offer HTTP/2.
pub(crate) const NO_HTTP2: &str = "the server does not offer HTTP/2; use --http 1.1";

/// The text of a transport error, with the next step if known.
pub(crate) fn describe(error: &io::Error) -> String {
    match error.kind() {
        _ if error.get_ref().is_some() => error.to_string(),
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::AddrNotAvailable => {
            format!("{NO_PORT} (too many connections in TIME_WAIT)")
        }
        io::ErrorKind::TimedOut => "no connection in time".to_owned(),
        _ if error.raw_os_error() == Some(nix::errno::Errno::EMFILE as i32) => {
            "too many open files (raise `ulimit -n`)".to_owned()
        }
        kind => kind.to_string(),
    }
}

/// Converts a TLS error to an I/O error.
pub(super) fn of_tls(error: &Error) -> io::Error {
    let text = match error {
        Error::InvalidCertificate(reason) => of_certificate(reason),
        Error::InvalidMessage(_) => {
            "the server does not speak TLS here (use http:// or another port)".to_owned()
        }
        Error::AlertReceived(AlertDescription::NoApplicationProtocol)
        | Error::NoApplicationProtocol => NO_HTTP2.to_owned(),
        Error::AlertReceived(alert) => format!("the server refused TLS: alert {alert:?}"),
        Error::PeerIncompatible(_) => {
            format!("the server and tenbin have no TLS version or cipher suite in common: {error}")
        }
        other => format!("TLS failed: {other}"),
    };
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The error for a connection closed without the TLS close_notify message.
pub(super) fn cut_off() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "connection closed without TLS close_notify",
    )
}

fn of_certificate(reason: &CertificateError) -> String {
    let fault = match reason {
        // A bad signature means that the issuer has the name of a trusted CA, but another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "is self-signed or from an unknown issuer; pass its CA with --cacert FILE,".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "has expired: renew it,".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet; check the clocks of both machines,".to_owned()
        }
        CertificateError::NotValidForName => {
            "does not match the host name; use a name from the certificate,".to_owned()
        }
        CertificateError::NotValidForNameContext {
            expected,
            presented,
        } => format!(
            "does not match {} (it is for {}); use a name from the certificate,",
            expected.to_str(),
            listed(presented)
        ),
        other => format!("is not accepted ({other:?}); pass its CA with --cacert FILE,"),
    };
    format!("the server's certificate {fault} or skip the check with --insecure")
}

/// The first three names of a certificate, each cut to 80 characters, and the number of further
/// names.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    if names.is_empty() {
        return "it has none".to_owned();
    }
    let mut text: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| name.chars().take(80).collect())
        .collect();
    if names.len() > SHOWN {
        text.push(format!("{} more", names.len() - SHOWN));
    }
    text.join(", ")
}
