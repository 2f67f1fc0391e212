//! S3 requests with access to every part of the signature.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenbin_plan::Credentials;
use tenbin_workloads::s3::sigv4::{EMPTY_SHA256, Signed, Signer};

pub(super) const KEY: &str = "AKIDEXAMPLE";
pub(super) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
/// SHA-256 of `hello`.
const HELLO_SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// A request before signing.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// Query string as sent.
    pub(super) query: String,
    /// Query string in canonical form, for the signature.
    pub(super) canonical_query: String,
    /// Additional headers as sent.
    pub(super) headers: Vec<(String, String)>,
    /// Additional headers in canonical form, for the signature.
    pub(super) canonical_headers: Vec<(String, String)>,
    /// Names in `SignedHeaders`, in order; `None` for all headers, sorted.
    pub(super) names: Option<Vec<&'static str>>,
    pub(super) body: &'static str,
    pub(super) payload_hash: Option<String>,
    pub(super) key: &'static str,
    pub(super) secret: &'static str,
    pub(super) region: &'static str,
    pub(super) service: &'static str,
    /// Seconds by which the clock of the client is ahead.
    pub(super) fast: i64,
}

impl Case {
    pub(super) fn get(path: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            query: String::new(),
            canonical_query: String::new(),
            headers: Vec::new(),
            canonical_headers: Vec::new(),
            names: None,
            body: "",
            payload_hash: Some(String::from_utf8_lossy(EMPTY_SHA256).into_owned()),
            key: KEY,
            secret: SECRET,
            region: "us-east-1",
            service: "s3",
            fast: 0,
        }
    }

    /// A PUT whose `body` is empty or `hello`.
    pub(super) fn put(path: &str, body: &'static str) -> Self {
        let mut case = Self {
            method: "PUT",
            body,
            ..Self::get(path)
        };
        if !body.is_empty() {
            case.payload_hash = Some(HELLO_SHA256.to_owned());
        }
        case
    }

    /// Adds header lines as sent, and one header in canonical form.
    pub(super) fn with_header(mut self, lines: &[(&str, &str)], canonical: (&str, &str)) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        self.headers.extend(lines.iter().copied().map(owned));
        self.canonical_headers.push(owned(canonical));
        self
    }

    pub(super) fn with_query(mut self, sent: &str, canonical: &str) -> Self {
        self.query = sent.to_owned();
        self.canonical_query = canonical.to_owned();
        self
    }

    pub(super) fn sign(&self, at: SocketAddr) -> Sent {
        let mut signer = signer(self.key, self.secret, self.region, self.service);
        let date = signer.at(now(self.fast));
        let date = String::from_utf8_lossy(&date).into_owned();
        let mut always = vec![
            ("host".to_owned(), at.to_string()),
            ("x-amz-date".to_owned(), date.clone()),
        ];
        let hash = self.payload_hash.clone();
        always.extend(
            hash.clone()
                .map(|hash| ("x-amz-content-sha256".to_owned(), hash)),
        );
        let mut canonical = [always.clone(), self.canonical_headers.clone()].concat();
        canonical.sort();
        let names: Vec<&str> = match &self.names {
            Some(names) => names.clone(),
            None => canonical.iter().map(|(name, _)| name.as_str()).collect(),
        };
        let value_of = |name: &str| {
            let found = canonical.iter().find(|(known, _)| known == name);
            found.map_or(&b""[..], |(_, value)| value.as_bytes())
        };
        let headers: Vec<(&str, &[u8])> =
            names.iter().map(|name| (*name, value_of(name))).collect();
        let signature = signer.sign(&Signed {
            method: self.method.as_bytes(),
            path: self.path.as_bytes(),
            query: self.canonical_query.as_bytes(),
            headers: &headers,
            payload_hash: hash.as_deref().unwrap_or_default().as_bytes(),
        });
        Sent {
            method: self.method.to_owned(),
            path: self.path.clone(),
            query: self.query.clone(),
            headers: [always, self.headers.clone()].concat(),
            authorization: Some(Authorization {
                algorithm: "AWS4-HMAC-SHA256".to_owned(),
                credential: scope(self.key, &date[..8], self.region, self.service),
                names: names.join(";"),
                signature: String::from_utf8_lossy(&signature).into_owned(),
            }),
            fields: None,
            body: self.body.to_owned(),
        }
    }
}

fn signer(key: &str, secret: &str, region: &str, service: &str) -> Signer {
    Signer::new(&Credentials::literal(key, secret), region, service)
}

fn now(fast: i64) -> u64 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time");
    now.as_secs().saturating_add_signed(fast)
}

fn scope(key: &str, day: &str, region: &str, service: &str) -> String {
    format!("{key}/{day}/{region}/{service}/aws4_request")
}

/// A signed request, which a test case can change before sending.
pub(super) struct Sent {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) authorization: Option<Authorization>,
    /// Fields of the `Authorization` header that replace those of `authorization`.
    pub(super) fields: Option<String>,
    pub(super) body: String,
}

pub(super) struct Authorization {
    pub(super) algorithm: String,
    pub(super) credential: String,
    pub(super) names: String,
    pub(super) signature: String,
}

impl Sent {
    pub(super) fn authorization(&mut self) -> &mut Authorization {
        self.authorization.as_mut().expect("a signature")
    }

    pub(super) fn add(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.headers.retain(|(known, _)| known != name);
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.add(name, value);
    }

    /// Value of the first header of this name.
    pub(super) fn header(&self, name: &str) -> String {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).expect("a header")
    }

    /// Replaces the first occurrence of `from` in the query.
    pub(super) fn in_query(&mut self, from: &str, to: &str) {
        assert!(self.query.contains(from), "{from} in {}", self.query);
        self.query = self.query.replacen(from, to, 1);
    }

    pub(super) fn send(&self, at: SocketAddr) -> Answer {
        let target = if self.query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, self.query)
        };
        let mut text = format!("{} {target} HTTP/1.1\r\nconnection: close\r\n", self.method);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(it) = &self.authorization {
            let fields = self.fields.clone().unwrap_or_else(|| {
                format!(
                    "Credential={}, SignedHeaders={}, Signature={}",
                    it.credential, it.names, it.signature
                )
            });
            text += &format!("authorization: {} {fields}\r\n", it.algorithm);
        }
        text += &format!("content-length: {}\r\n\r\n{}", self.body.len(), self.body);
        let mut stream = TcpStream::connect(at).expect("connected");
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).expect("a time limit");
        stream.write_all(text.as_bytes()).expect("sent");
        let mut response = Vec::new();
        stream.read_to_end(&mut response).expect("a response");
        Answer::read(&String::from_utf8_lossy(&response))
    }
}

/// A presigned URL before signing; `host` is the only signed header.
pub(super) struct Presigned {
    case: Case,
    pub(super) expires: &'static str,
    pub(super) fast: i64,
    pub(super) key: &'static str,
    pub(super) service: &'static str,
    pub(super) algorithm: &'static str,
}

impl Presigned {
    pub(super) fn new(method: &'static str, path: &str) -> Self {
        Self {
            case: Case {
                method,
                body: "hello",
                ..Case::get(path)
            },
            expires: "3600",
            fast: 0,
            key: KEY,
            service: "s3",
            algorithm: "AWS4-HMAC-SHA256",
        }
    }

    pub(super) fn sign(&self, at: SocketAddr) -> Sent {
        let mut signer = signer(self.key, SECRET, self.case.region, self.service);
        let date = signer.at(now(self.fast));
        let date = String::from_utf8_lossy(&date).into_owned();
        let credential = scope(self.key, &date[..8], self.case.region, self.service);
        let query = format!(
            "X-Amz-Algorithm={}&X-Amz-Credential={}&X-Amz-Date={date}&X-Amz-Expires={}\
             &X-Amz-SignedHeaders=host",
            self.algorithm,
            credential.replace('/', "%2F"),
            self.expires
        );
        let host = at.to_string();
        let signature = signer.sign(&Signed {
            method: self.case.method.as_bytes(),
            path: self.case.path.as_bytes(),
            query: query.as_bytes(),
            headers: &[("host", host.as_bytes())],
            payload_hash: b"UNSIGNED-PAYLOAD",
        });
        let signature = String::from_utf8_lossy(&signature).into_owned();
        Sent {
            method: self.case.method.to_owned(),
            path: self.case.path.clone(),
            query: format!("{query}&X-Amz-Signature={signature}"),
            headers: vec![("host".to_owned(), host)],
            authorization: None,
            fields: None,
            body: self.case.body.to_owned(),
        }
    }
}

/// Status and error code of a response.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    status: u16,
    code: String,
}

impl Answer {
    pub(super) fn ok() -> Self {
        Self::of((200, ""))
    }

    pub(super) fn of((status, code): (u16, &str)) -> Self {
        Self {
            status,
            code: code.to_owned(),
        }
    }

    fn read(response: &str) -> Self {
        let status = response.split(' ').nth(1).and_then(|it| it.parse().ok());
        let code = response.split_once("<Code>");
        let code = code.and_then(|(_, rest)| Some(rest.split_once("</Code>")?.0));
        Self {
            status: status.unwrap_or_else(|| panic!("no response: {response:?}")),
            code: code.unwrap_or_default().to_owned(),
        }
    }
}
