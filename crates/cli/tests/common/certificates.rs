//! Certificates of an authority of our own, made by openssl.

use std::process::{Command, Stdio};

use super::scratch::Scratch;

/// Files in a scratch directory: an authority, and what it has signed.
#[derive(Debug)]
pub(crate) struct Certificates {
    home: String,
}

impl Certificates {
    /// An authority, a server's certificate for `db.test`, `localhost`, 127.0.0.1
    /// and ::1, and a client's.
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
    /// `alone.pem` and `alone.key`, which nobody has signed.
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
            "x509",
            "-req",
            "-days",
            "2",
            "-in",
            &request,
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-extfile",
            &extensions,
            "-out",
            &certificate,
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

/// Small and fast to make.
const NEW_KEY: [&str; 5] = [
    "-nodes",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
];
