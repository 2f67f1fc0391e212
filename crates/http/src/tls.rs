//! TLS configurations, and the check of a server's certificate.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, ServerConfig,
    SignatureScheme,
};

/// The ALPN id of HTTP/1.1.
const ALPN: &[u8] = b"http/1.1";

/// The configuration of a client that speaks HTTP/1.1. `ca`: PEM file of the authorities to trust,
/// instead of the system's.
///
/// # Errors
/// One sentence that names the unusable file.
pub fn client_config(ca: Option<&Path>, insecure: bool) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier(ca, insecure, provider)?)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(config)
}

/// The TLS configuration of an HTTP/1.1 server with the certificate `cert`.
///
/// # Errors
/// One sentence that names the unusable file.
pub fn server_config(cert: &Path, key: &Path) -> Result<ServerConfig, String> {
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| match error {
        pem::Error::NoItemsFound => format!("{} holds no private key in PEM form", key.display()),
        error => unreadable(key, &error),
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(certificates(cert)?, private)
        .map_err(|error| {
            let (cert, key) = (cert.display(), key.display());
            format!("{cert} and {key} cannot be used together: {error}")
        })?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(config)
}

/// The certificates in a PEM file, at least one.
///
/// # Errors
/// One sentence that names the unusable file.
pub fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unreadable(file, &error))?;
    if found.is_empty() {
        return Err(format!(
            "{} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)",
            file.display()
        ));
    }
    Ok(found)
}

/// Says that a PEM file cannot be read.
pub fn unreadable(file: &Path, error: &pem::Error) -> String {
    format!("{} cannot be used: {error}", file.display())
}

/// The check of servers' certificates. `ca`: PEM file of the authorities to trust, instead of the
/// system's. `insecure`: accept every certificate.
///
/// # Errors
/// One sentence that names the unusable file.
pub fn verifier(
    ca: Option<&Path>,
    insecure: bool,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    if insecure {
        return Ok(Arc::new(AcceptAnyCertificate(provider)));
    }
    let mut roots = RootCertStore::empty();
    let given = match ca {
        Some(file) => certificates(file)?,
        None => Vec::new(),
    };
    match ca {
        Some(file) => {
            for certificate in &given {
                roots
                    .add(certificate.clone())
                    .map_err(|error| format!("{} cannot be used: {error}", file.display()))?;
            }
        }
        None => {
            // Certificates of the system that rustls cannot parse are skipped.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        return Err(
            "this system has no list of certificate authorities; install one (Debian: \
             ca-certificates), or give the server's with --cacert FILE"
                .to_owned(),
        );
    }
    let by_authority = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(CheckAuthority {
        by_authority,
        given,
    }))
}

/// Checks that a trusted authority has signed the server's certificate.
#[derive(Debug)]
struct CheckAuthority {
    by_authority: Arc<WebPkiServerVerifier>,
    /// Certificates from the authority file of the plan.
    given: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for CheckAuthority {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let checked = self
            .by_authority
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match checked {
            // The server uses a self-signed certificate, as made by `openssl req -x509`, that the
            // user has listed as trusted. rustls checked its dates before returning this error.
            Err(Error::InvalidCertificate(reason))
                if is_authority_itself(&reason) && self.given.contains(end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority
            .verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority
            .verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

/// Whether a server's certificate was refused for being the certificate of an authority.
pub fn is_authority_itself(reason: &CertificateError) -> bool {
    matches!(reason, CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity"))
}

/// Accepts every certificate (`--insecure`). The handshake signature still proves that the server
/// has the private key.
#[derive(Debug)]
struct AcceptAnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AcceptAnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
