//! Certificates of a test authority, created with openssl.

use std::process::{Command, Stdio};

use super::scratch::Scratch;

/// Files in a scratch directory: the certificate of an authority and the certificates signed by it.
#[derive(Debug)]
pub(crate) struct Certificates {
    home: String,
}

impl Certificates {
    /// Creates an authority, a server certificate for `db.test`, `localhost`, 127.0.0.1 and ::1,
    /// and a client certificate.
    pub(crate) fn make(scratch: &Scratch) -> Self {
        let home = scratch.join("certificates");
        std::fs::create_dir(&home).expect("a directory for certificates");
        let made = Self { home };
        made.self_signed(
            "ca",
            "/CN=Test Authority",
            "basicConstraints=critical,CA:TRUE",
        );
        made.signed(
            "server",
            "subjectAltName=DNS:db.test,DNS:localhost,IP:127.0.0.1,IP:::1",
        );
        made.signed("client", "extendedKeyUsage=clientAuth");
        made.self_signed("alone", "/CN=alone", "subjectAltName=IP:127.0.0.1");
        made
    }

    /// Path of `ca.pem`, `server.pem`, `server.key`, `client.pem`, `client.key`, or
    /// `alone.pem` and `alone.key`, which are not signed by the authority.
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.home)
    }

    fn self_signed(&self, name: &str, subject: &str, extension: &str) {
        let (key, certificate) = (format!("{name}.key"), format!("{name}.pem"));
        self.openssl(
            &[
                &[
                    "req", "-x509", "-days", "2", "-subj", subject, "-addext", extension,
                ][..],
                &["-keyout", &key, "-out", &certificate],
                &NEW_KEY,
            ]
            .concat(),
        );
    }

    fn signed(&self, name: &str, extension: &str) {
        let (key, request) = (format!("{name}.key"), format!("{name}.csr"));
        let (subject, certificate) = (format!("/CN={name}"), format!("{name}.pem"));
        let extensions = format!("{name}.ext");
        std::fs::write(self.file(&extensions), extension).expect("a file of extensions");
        self.openssl(
            &[
                &[
                    "req", "-new", "-subj", &subject, "-keyout", &key, "-out", &request,
                ][..],
                &NEW_KEY,
            ]
            .concat(),
        );
        self.openssl(&[
            "x509", "-req", "-days", "2", "-in", &request, "-CA", "ca.pem", "-CAkey", "ca.key",
            "-extfile", &extensions, "-out", &certificate,
        ]);
    }

    fn openssl(&self, arguments: &[&str]) {
        let output = Command::new("openssl")
            .args(arguments)
            .current_dir(&self.home)
            .stdin(Stdio::null())
            .output()
            .expect("openssl, which `cargo xtask setup` installs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "openssl {arguments:?}: {said}");
    }
}

/// Options for a small key that is fast to create.
const NEW_KEY: [&str; 5] = [
    "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
];
