//! TLS configurations from the plan, for the load and for Tenbin's own requests.

use std::path::Path;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{CertificateError, ClientConfig, Error, SupportedProtocolVersion};
use tenbin_http::tls::{certificates, is_authority_itself, unreadable, verifier};
use tenbin_plan::{ClientCertificate, HttpVersion, Sentence, Tls, TlsVersion, sentence};

/// The ALPN id of an HTTP version; no other protocol is offered.
pub(crate) fn alpn(http: HttpVersion) -> &'static [u8] {
    match http {
        HttpVersion::Http1 => b"http/1.1",
        HttpVersion::Http2 => b"h2",
    }
}

/// The TLS client configuration for all connections to a target.
///
/// # Errors
/// One sentence that names the unusable file.
pub(crate) fn client_config(tls: &Tls, http: HttpVersion) -> Result<ClientConfig, Sentence> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions(tls.version))
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier(tls.ca.as_deref(), tls.insecure, provider)?);
    let mut config = match &tls.client {
        None => builder.with_no_client_auth(),
        Some(client) => {
            let (chain, key) = client_certificate(client)?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| mismatch(client, &error))?
        }
    };
    config.alpn_protocols = vec![alpn(http).to_vec()];
    if !tls.resume {
        config.resumption = Resumption::disabled();
    }
    Ok(config)
}

fn versions(only: Option<TlsVersion>) -> &'static [&'static SupportedProtocolVersion] {
    static ALL: [&SupportedProtocolVersion; 2] = [&TLS13, &TLS12];
    match only {
        None => &ALL,
        Some(TlsVersion::Tls13) => &ALL[..1],
        Some(TlsVersion::Tls12) => &ALL[1..],
    }
}

fn client_certificate(
    client: &ClientCertificate,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Sentence> {
    let key = PrivateKeyDer::from_pem_file(&client.key).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            let file = client.key.display();
            sentence!(
                "no-private-key",
                "{file} holds no private key in PEM form; give it with --key FILE",
                file
            )
        }
        error => unreadable(&client.key, &error).into(),
    })?;
    Ok((certificates(&client.cert)?, key))
}

fn mismatch(client: &ClientCertificate, error: &Error) -> Sentence {
    let (cert, key) = (client.cert.display(), client.key.display());
    match error {
        Error::InconsistentKeys(_) => sentence!(
            "keys-mismatch",
            "the private key in {key} does not belong to the certificate in {cert}; give the \
                two that were made together, with --cert FILE and --key FILE",
            key,
            cert
        ),
        error => sentence!(
            "keys-unusable",
            "{cert} and {key} cannot be used together: {error}",
            cert,
            key,
            error
        ),
    }
}

/// Explains a failed handshake: the cause and what to do, without the address. `ca`: the file with
/// the only trusted authorities.
pub(crate) fn explain(error: &Error, ca: Option<&Path>) -> Sentence {
    let trust = sentence!(
        "trust-it",
        "trust it with --cacert FILE, or skip the check with --insecure"
    );
    match error {
        Error::InvalidCertificate(reason) => match (reason, ca) {
            // A bad signature shows that another issuer with the same name signed the certificate.
            (CertificateError::UnknownIssuer | CertificateError::BadSignature, Some(file)) => {
                not_signed_by(file, sentence!("its-certificate", "its certificate"))
            }
            (reason, Some(file)) if is_authority_itself(reason) => not_signed_by(
                file,
                sentence!(
                    "its-self-signed-certificate",
                    "its certificate, which is self-signed"
                ),
            ),
            (reason, _) => refused_certificate(reason, &trust),
        },
        Error::InvalidMessage(_) => {
            sentence!(
                "no-tls-spoken",
                "it does not speak TLS; use http:// in its url, or check the port"
            )
        }
        Error::AlertReceived(alert) => {
            use rustls::AlertDescription as Alert;
            match alert {
                Alert::CertificateRequired | Alert::NoCertificate => {
                    sentence!(
                        "client-certificate-required",
                        "it requires a client certificate; set one with --cert FILE and --key FILE"
                    )
                }
                Alert::BadCertificate | Alert::UnknownCA | Alert::CertificateUnknown => {
                    sentence!(
                        "client-certificate-refused",
                        "it refuses the client certificate, or requires one; see --cert FILE \
                            and --key FILE"
                    )
                }
                Alert::NoApplicationProtocol => {
                    sentence!(
                        "no-alpn",
                        "it does not offer the configured HTTP version over TLS (ALPN); \
                            choose another with --http"
                    )
                }
                Alert::ProtocolVersion => {
                    sentence!(
                        "no-tls-version",
                        "it does not speak the offered TLS versions; see --tls-version"
                    )
                }
                Alert::UnrecognisedName => {
                    sentence!(
                        "unknown-sni",
                        "it does not know the requested server name; see --server-name HOST"
                    )
                }
                alert => sentence!(
                    "tls-alert",
                    "it refused the TLS handshake ({alert})",
                    alert = format!("{alert:?}")
                ),
            }
        }
        error => sentence!(
            "tls-failed",
            "the TLS handshake failed: {error}",
            error = error.to_string().escape_debug()
        ),
    }
}

fn not_signed_by(file: &Path, certificate: Sentence) -> Sentence {
    sentence!(
        "not-signed-by",
        "nothing in {file} has signed {certificate}; give its own authority's file with \
            --cacert FILE, or skip the check with --insecure",
        file = file.display(),
        certificate
    )
}

fn refused_certificate(reason: &CertificateError, trust: &Sentence) -> Sentence {
    match reason {
        CertificateError::UnknownIssuer => {
            sentence!(
                "unknown-authority",
                "its certificate comes from an authority that is not trusted here; {trust}",
                trust
            )
        }
        reason if is_authority_itself(reason) => {
            sentence!(
                "self-signed",
                "its certificate is self-signed; {trust}",
                trust
            )
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            sentence!(
                "wrong-certificate-name",
                "{reason}; set the right name with --server-name HOST, or skip the check with \
                    --insecure",
                reason = other_name(reason)
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            sentence!(
                "certificate-expired",
                "its certificate has expired; renew it, or skip the check with --insecure"
            )
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            sentence!(
                "certificate-not-yet",
                "its certificate is not valid yet; check the clock of this machine"
            )
        }
        reason => sentence!(
            "certificate-refused",
            "its certificate is refused ({reason}); skip the check with --insecure",
            reason = format!("{reason:?}").escape_debug()
        ),
    }
}

fn other_name(reason: &CertificateError) -> Sentence {
    let CertificateError::NotValidForNameContext {
        expected,
        presented,
    } = reason
    else {
        return sentence!(
            "certificate-other-name",
            "its certificate is for another name"
        );
    };
    let presented: Vec<String> = presented
        .iter()
        .take(3)
        .map(|name| plain(name).escape_debug().to_string())
        .collect();
    let names = match presented.as_slice() {
        [] => "no name".to_owned(),
        names => names.join(", "),
    };
    sentence!(
        "certificate-for",
        "its certificate is for {names}, not for {expected}",
        names,
        expected = expected.to_str()
    )
}

/// Extracts the name or address from the notation of webpki's error messages: `a.test` from
/// `DnsName("a.test")`, `127.0.0.1` from `IpAddress(127.0.0.1)`.
fn plain(name: &str) -> &str {
    let inner = name
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    inner.map_or(name, |inner| inner.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::ServerName;

    use super::*;

    #[test]
    fn names_in_a_certificate_are_shown_without_the_library_notation() {
        assert_eq!(plain("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(plain("DnsName(\"a.test\")"), "a.test");
        assert_eq!(plain("a.test"), "a.test");
        let reason = CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("wrong.test").unwrap(),
            presented: vec![
                "IpAddress(127.0.0.1)".into(),
                "DnsName(\"\u{1b}[1m\")".into(),
            ],
        };
        assert_eq!(
            other_name(&reason),
            "its certificate is for 127.0.0.1, \\u{1b}[1m, not for wrong.test"
        );
    }

    #[test]
    fn the_file_of_an_authority_that_did_not_sign_is_named() {
        let unknown = Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let of = |ca| explain(&unknown, ca);
        assert!(
            of(Some(Path::new("my-ca.pem")))
                .text()
                .starts_with("nothing in my-ca.pem has signed")
        );
        assert!(of(None).text().contains("trust it with --cacert FILE"));
    }
}
