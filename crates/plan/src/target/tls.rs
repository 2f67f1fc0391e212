//! TLS settings of a target.

use std::path::PathBuf;

use crate::keys::form::Form;
use crate::keys::names::Named;
use crate::keys::page::{self, Page};
use crate::keys::row::{Flag, Takes, Yields, choice, switch, text};
use crate::keys::scalar::{FromFlag, Scalar};
use crate::keys::section::section;
use crate::{Sentence, sentence};

section! {
    /// The `tls` of a target.
    pub struct TlsDraft("in tls", "a table such as { ca = \"ca.pem\" }") {
        /// PEM file of the authorities to trust instead of the system's; may contain a self-signed
        /// server certificate
        ca: Scalar => Option<PathBuf> = text("path")
            .default_rule("the system's")
            .synonyms(&["cacert", "ca_file"])
            .yields(Yields::ToNamed("insecure"))
            .flag(Flag::per_target(
                "--cacert",
                "[NAME=]FILE",
                "PEM file of the certificate authorities to trust instead of the system's",
            ));
        /// PEM file of the client certificate, with its intermediate certificates
        cert: Scalar, shown client = text("path").synonyms(&["cert_file"])
            .flag(Flag::per_target(
                "--cert",
                "[NAME=]FILE",
                "PEM file of the client certificate",
            ));
        /// PEM file of the client certificate's private key
        key: Scalar = text("path")
            .needs(&["cert"], "requires the certificate of this key; set it with cert (--cert)")
            .default_rule("the file of `cert`")
            .synonyms(&["key_file"])
            .flag(
                Flag::per_target("--key", "[NAME=]FILE", "PEM file of the client certificate's \
                 private key")
                    .default("the file of --cert"),
            );
        /// `true`: accept any certificate. Every result contains a warning
        insecure: Scalar => bool = switch()
            .default("false")
            .changes_only()
            .flag(Flag::of(
                "--insecure",
                Takes::PerTargetMeans("true"),
                "Accept any server certificate; the report mentions this option",
            ));
        /// server name for SNI and for certificate verification
        server_name: Scalar => Option<String>, read server_name = text("host name")
            .default_rule("the URL's host")
            .synonyms(&["sni"])
            .flag(
                Flag::per_target(
                    "--server-name",
                    "[NAME=]HOST",
                    "Server name to send (SNI) and to verify in the certificate",
                )
                .default("the URL's host"),
            );
        /// resume earlier sessions where the server offers it. If `false`, every handshake is a
        /// full handshake, so that two servers do the same work whatever their settings
        resume: Scalar => bool = switch()
            .default("false")
            .changes_only()
            .flag(Flag::of(
                "--tls-resume",
                Takes::PerTargetMeans("true"),
                "Resume TLS sessions [default: full handshake on every connection]",
            ));
        /// offer only this TLS version
        version: Scalar => Option<TlsVersion> = choice::<TlsVersion>().default_rule("both")
            .flag(
                Flag::per_target(
                    "--tls-version",
                    "[NAME=]VERSION",
                    "TLS version to offer: 1.2 or 1.3",
                )
                .default("both"),
            );
    }    stored {
        /// TLS settings. A plan contains the names of certificate files, never their content.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Tls {
            /// The client certificate.
            pub client: Option<ClientCertificate> = None,
        }
    }
}

impl FromFlag for TlsDraft {
    const FORM: Form = Form::Table("tls");
}

/// A client certificate with its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// PEM file with the certificate and its intermediate certificates.
    pub cert: PathBuf,
    /// PEM file with the private key; can be the same file as `cert`.
    pub key: PathBuf,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

impl Named for TlsVersion {
    const NAMES: &'static [(&'static str, Self)] = &[("1.2", Self::Tls12), ("1.3", Self::Tls13)];
}

impl Tls {
    /// The settings as an inline table; `None` if all are the defaults.
    pub(crate) fn table(&self) -> Option<String> {
        let mut page = Page::default();
        self.print_keys(&mut page);
        let pairs: Vec<&str> = page.text.lines().collect();
        (!pairs.is_empty()).then(|| format!("{{ {} }}", pairs.join(", ")))
    }
}

fn client(tls: &Tls, page: &mut Page) {
    if let Some(client) = &tls.client {
        page.key(&TlsDraft::cert, page::text(client.cert.display()));
        page.key(&TlsDraft::key, page::text(client.key.display()));
    }
}

fn server_name(scalar: &Scalar) -> Result<String, Sentence> {
    let name = scalar.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    if name.is_empty() || !name.chars().all(allowed) {
        return Err(sentence!(
            "no-server-name",
            "{name:?} is not the name of a server; write for example \"db.example\"",
            name
        ));
    }
    Ok(name.to_owned())
}
