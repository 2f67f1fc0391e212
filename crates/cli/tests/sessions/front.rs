//! A stand-in for a token service and for S3 Express, in front of Tenbin's own S3 server: it issues
//! keys that live for seconds, checks every signature, and forwards requests under its own keys.

use std::collections::BTreeMap;
use std::io::{BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tenbin_plan::Credentials;
use tenbin_workloads::s3::sigv4::{Signed, Signer};

use super::http::{Message, respond};

/// Keys of the account, for the stand-in and for the server behind it.
pub(crate) const KEY: &str = "front-account-key";
pub(crate) const SECRET: &str = "front-account-secret";
const REGION: &str = "us-east-1";

/// What the stand-in does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    /// Whether keys are those of sessions of buckets, instead of a token service.
    pub(crate) express: bool,
    /// Seconds that keys live.
    pub(crate) life: u64,
    /// Number of first requests for keys that are answered with status 503.
    pub(crate) unavailable: u64,
    /// Number of keys after which no more are issued.
    pub(crate) most: u64,
    /// Text that the form of a request to the token service must contain.
    pub(crate) form: &'static str,
}

/// What has happened.
#[derive(Debug, Default, Clone)]
pub(crate) struct Seen {
    /// Secret keys and session tokens that were issued.
    pub(crate) secrets: Vec<String>,
    /// Correct requests for objects, by access key.
    pub(crate) served: BTreeMap<String, u64>,
    /// Refused requests, by error code.
    pub(crate) refused: BTreeMap<String, u64>,
    asked: u64,
}

#[derive(Clone)]
struct Issued {
    secret: String,
    token: String,
    expires: Instant,
}

struct State {
    rules: Rules,
    server: SocketAddr,
    address: SocketAddr,
    seen: Mutex<Seen>,
    keys: Mutex<BTreeMap<String, Issued>>,
}

/// The running stand-in; its threads end with the test process.
pub(crate) struct Front(Arc<State>);

impl Front {
    /// Starts the stand-in in front of an S3 server that has its keys.
    pub(crate) fn start(server: SocketAddr, rules: Rules) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let state = Arc::new(State {
            rules,
            server,
            address: listener.local_addr().expect("its address"),
            seen: Mutex::default(),
            keys: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(client));
            }
        });
        Self(state)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    pub(crate) fn seen(&self) -> Seen {
        self.0.seen().clone()
    }
}

/// Status and error code of a refusal.
type Refusal = (u16, &'static str);

impl State {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("the record")
    }

    fn serve(&self, mut client: TcpStream) -> Option<()> {
        let mut requests = BufReader::new(client.try_clone().ok()?);
        let server = TcpStream::connect(self.server).ok()?;
        let mut responses = BufReader::new(server);
        while let Some(request) = Message::read(&mut requests, false) {
            let outcome = match self.issuer(&request) {
                Some(kind) => self.issue(&request, kind).map(Some),
                None => self.check(&request).map(|()| None),
            };
            match outcome {
                Ok(Some(document)) => respond(&mut client, 200, "text/xml", &document)?,
                Ok(None) => self.forward(&request, &mut responses, &mut client)?,
                Err((status, code)) => {
                    *self.seen().refused.entry(code.to_owned()).or_default() += 1;
                    let body = match request.target().0 {
                        "HEAD" => String::new(),
                        _ => format!("<Error><Code>{code}</Code><Message>no</Message></Error>"),
                    };
                    respond(&mut client, status, "application/xml", &body)?;
                }
            }
        }
        Some(())
    }

    /// The service whose keys the request wants, if it wants any.
    fn issuer(&self, request: &Message) -> Option<&'static str> {
        match (request.target(), self.rules.express) {
            (("GET", path, "session="), true) if path.len() > 1 => Some("s3express"),
            (("POST", "/", ""), false) => Some("sts"),
            _ => None,
        }
    }

    fn issue(&self, request: &Message, service: &str) -> Result<String, Refusal> {
        let number = {
            let mut seen = self.seen();
            seen.asked += 1;
            seen.asked
        };
        if number <= self.rules.unavailable {
            return Err((503, "SlowDown"));
        }
        verify(request, service, KEY, SECRET)?;
        let form = String::from_utf8_lossy(&request.body);
        if !form.contains(self.rules.form) {
            return Err((400, "ValidationError"));
        }
        if number > self.rules.unavailable.saturating_add(self.rules.most) {
            return Err((403, "AccessDenied"));
        }
        let life = Duration::from_secs(self.rules.life);
        let key = format!("TEMPORARY{number}");
        let issued = Issued {
            secret: format!("temporary-secret-{number}/+"),
            token: format!("temporary-token-{number}=="),
            expires: Instant::now() + life,
        };
        let secrets = [issued.secret.clone(), issued.token.clone()];
        self.seen().secrets.extend(secrets);
        let document = format!(
            "<Result><Credentials><SessionToken>{}</SessionToken><SecretAccessKey>{}\
             </SecretAccessKey><AccessKeyId>{key}</AccessKeyId><Expiration>{}</Expiration>\
             </Credentials></Result>",
            issued.token,
            issued.secret,
            extended(now() + self.rules.life)
        );
        let mut keys = self.keys.lock().expect("the keys");
        keys.insert(key, issued);
        Ok(document)
    }

    /// Checks a request for objects.
    fn check(&self, request: &Message) -> Result<(), Refusal> {
        let (service, header, other) = if self.rules.express {
            ("s3express", "x-amz-s3session-token", "x-amz-security-token")
        } else {
            ("s3", "x-amz-security-token", "x-amz-s3session-token")
        };
        let key = access_key(request).ok_or((403, "AccessDenied"))?;
        let issued = self.keys.lock().expect("the keys").get(key).cloned();
        let issued = issued.ok_or((403, "InvalidAccessKeyId"))?;
        let is_right = request.header(header) == Some(issued.token.as_str());
        if !is_right || request.header(other).is_some() {
            return Err((400, "InvalidToken"));
        }
        verify(request, service, key, &issued.secret)?;
        if Instant::now() >= issued.expires {
            return Err((400, "ExpiredToken"));
        }
        *self.seen().served.entry(key.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Sends a request to the server under the keys of the account, and its response back.
    fn forward(
        &self,
        request: &Message,
        responses: &mut BufReader<TcpStream>,
        client: &mut TcpStream,
    ) -> Option<()> {
        let (method, path, query) = request.target();
        let mut signer = Signer::new(&Credentials::literal(KEY, SECRET), REGION, "s3");
        let date = String::from_utf8_lossy(&signer.at(now())).into_owned();
        let dropped = [
            "host", "authorization", "x-amz-date", "x-amz-security-token", "x-amz-s3session-token",
        ];
        let kept = request.headers();
        let mut headers: Vec<(String, String)> = kept
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .filter(|(name, _)| !dropped.contains(&name.as_str()))
            .collect();
        headers.push(("host".to_owned(), self.server.to_string()));
        headers.push(("x-amz-date".to_owned(), date));
        headers.sort();
        let signed: Vec<(&str, &[u8])> = headers
            .iter()
            .filter(|(name, _)| name == "host" || name.starts_with("x-amz-"))
            .map(|(name, value)| (name.as_str(), value.as_bytes()))
            .collect();
        let hash = request.header("x-amz-content-sha256").unwrap_or_default();
        let signature = signer.sign(&Signed {
            method: method.as_bytes(),
            path: path.as_bytes(),
            query: query.as_bytes(),
            headers: &signed,
            payload_hash: hash.as_bytes(),
        });
        let mut message = format!("{}\r\nAuthorization: ", request.lines[0]).into_bytes();
        signer.push_authorization(&mut message, &signed, &signature);
        for (name, value) in &headers {
            message.extend(format!("\r\n{name}: {value}").bytes());
        }
        message.extend(b"\r\n\r\n");
        message.extend(&request.body);
        responses.get_mut().write_all(&message).ok()?;
        let response = Message::read(responses, method == "HEAD")?;
        let is_framing = |name: &str| {
            ["transfer-encoding", "content-length"].contains(&name.to_ascii_lowercase().as_str())
        };
        let mut head = response.lines[0].clone();
        for (name, value) in response.headers() {
            if method == "HEAD" || !is_framing(name) {
                head += &format!("\r\n{name}: {value}");
            }
        }
        if method != "HEAD" {
            head += &format!("\r\nContent-Length: {}", response.body.len());
        }
        client.write_all(head.as_bytes()).ok()?;
        client.write_all(b"\r\n\r\n").ok()?;
        client.write_all(&response.body).ok()
    }
}

/// The part of the `Authorization` header after `name=`.
fn part<'a>(request: &'a Message, name: &str) -> Option<&'a str> {
    let authorization = request.header("authorization")?;
    let (_, rest) = authorization.split_once(&format!("{name}="))?;
    rest.split(',').next()
}

fn access_key(request: &Message) -> Option<&str> {
    part(request, "Credential")?.split('/').next()
}

/// Checks the signature of a request, and that it covers all headers of S3.
fn verify(request: &Message, service: &str, key: &str, secret: &str) -> Result<(), Refusal> {
    const WRONG: Refusal = (403, "SignatureDoesNotMatch");
    let names = part(request, "SignedHeaders").ok_or(WRONG)?;
    let names: Vec<&str> = names.split(';').collect();
    let is_covered = |(name, _): (&str, &str)| {
        let name = name.to_ascii_lowercase();
        !name.starts_with("x-amz-") || names.contains(&name.as_str())
    };
    if !request.headers().all(is_covered) || !names.contains(&"host") {
        return Err(WRONG);
    }
    let mut signer = Signer::new(&Credentials::literal(key, secret), REGION, service);
    let date = request.header("x-amz-date").ok_or(WRONG)?;
    let is_date = |second: &u64| signer.at(*second) == date.as_bytes();
    (now() - 60..=now() + 60).find(is_date).ok_or(WRONG)?;
    let headers = names.iter();
    let headers: Option<Vec<_>> = headers
        .map(|name| Some((*name, request.header(name)?.as_bytes())))
        .collect();
    let headers = headers.ok_or(WRONG)?;
    let (method, path, query) = request.target();
    let hash = request.header("x-amz-content-sha256").ok_or(WRONG)?;
    let signature = signer.sign(&Signed {
        method: method.as_bytes(),
        path: path.as_bytes(),
        query: query.as_bytes(),
        headers: &headers,
        payload_hash: hash.as_bytes(),
    });
    let is_right = part(request, "Signature").map(str::as_bytes) == Some(signature.as_slice())
        && part(request, "Credential").is_some_and(|scope| scope.contains(service));
    is_right.then_some(()).ok_or(WRONG)
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time").as_secs()
}

/// `2015-08-30T12:36:00Z`.
fn extended(second: u64) -> String {
    let mut signer = Signer::new(&Credentials::literal("", ""), "", "");
    let digits = String::from_utf8_lossy(&signer.at(second)).into_owned();
    let part = |from: usize, to: usize| &digits[from..to];
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(9, 11),
        part(11, 13),
        part(13, 15)
    )
}
