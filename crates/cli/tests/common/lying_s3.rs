//! A proxy in front of an S3 server that acknowledges writes and does something else.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use md5::{Digest as _, Md5};

/// What the proxy does with writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    /// No PUT of an object reaches the server.
    ForwardsNothing,
    /// Every second PUT or CompleteMultipartUpload does not reach the server.
    LosesHalf,
    /// No PUT of an object reaches the server, and HEAD is answered as if it had.
    HeadLies,
    /// GET returns other content of the same size.
    OtherContent,
    /// HEAD and GET return one byte less.
    OtherSize,
    /// Every third response to a PUT has the MD5 of other content as its ETag.
    OtherEtag,
}

/// A running proxy; its threads end with the test process.
#[derive(Debug)]
pub(crate) struct LyingProxy {
    address: SocketAddr,
}

#[derive(Debug)]
struct Shared {
    server: SocketAddr,
    lie: Lie,
    writes: AtomicU64,
    sizes: Mutex<BTreeMap<String, usize>>,
}

impl LyingProxy {
    /// Starts a proxy in front of the server at this address.
    pub(crate) fn start(server: SocketAddr, lie: Lie) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            server,
            lie,
            writes: AtomicU64::new(0),
            sizes: Mutex::default(),
        });
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(client));
            }
        });
        Self { address }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// A request or a response.
struct Message {
    head: String,
    body: Vec<u8>,
}

impl Message {
    /// Reads a message; `None` at the end of the connection. With `bodyless`, no body follows.
    fn read(from: &mut BufReader<TcpStream>, bodyless: bool) -> Option<Self> {
        let mut head = String::new();
        loop {
            let mut line = String::new();
            if from.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let is_end = line == "\r\n";
            head.push_str(&line);
            if is_end {
                break;
            }
        }
        let mut message = Self {
            head,
            body: Vec::new(),
        };
        if bodyless {
            return Some(message);
        }
        if message.header("transfer-encoding").is_some() {
            message.body = chunks(from)?;
            let length = message.body.len().to_string();
            message.set_header("Transfer-Encoding", "");
            message.head = message.head.replace("Transfer-Encoding: \r\n", "");
            message.set_header("Content-Length", &length);
            return Some(message);
        }
        let length = message.header("content-length");
        let length = length.map_or(0, |length| length.parse().expect("a length"));
        message.body = vec![0; length];
        from.read_exact(&mut message.body).ok()?;
        Some(message)
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
    }

    fn set_header(&mut self, name: &str, value: &str) {
        let lines = self.head.lines().filter(|line| {
            let key = line.split_once(':').map_or("", |(key, _)| key);
            !line.is_empty() && !key.eq_ignore_ascii_case(name)
        });
        let mut head: String = lines.map(|line| format!("{line}\r\n")).collect();
        head.push_str(&format!("{name}: {value}\r\n\r\n"));
        self.head = head;
    }

    fn send(&self, to: &mut TcpStream) -> std::io::Result<()> {
        to.write_all(&[self.head.as_bytes(), &self.body].concat())
    }
}

/// The content of a chunked body.
fn chunks(from: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let mut line = String::new();
        from.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim(), 16).ok()?;
        let mut chunk = vec![0; length + 2];
        from.read_exact(&mut chunk).ok()?;
        if length == 0 {
            return Some(all);
        }
        all.extend_from_slice(&chunk[..length]);
    }
}

fn hex_md5(bytes: &[u8]) -> String {
    let digest = Md5::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn acknowledgement(etag: &str) -> Message {
    Message {
        head: format!("HTTP/1.1 200 OK\r\nETag: \"{etag}\"\r\nContent-Length: 0\r\n\r\n"),
        body: Vec::new(),
    }
}

/// A response with this XML document.
fn xml(text: &str) -> Message {
    Message {
        head: format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: {}\r\n\r\n",
            text.len()
        ),
        body: text.as_bytes().to_vec(),
    }
}

impl Shared {
    fn serve(&self, client: TcpStream) -> Option<()> {
        let mut out = client.try_clone().ok()?;
        let mut input = BufReader::new(client);
        let server = TcpStream::connect(self.server).ok()?;
        let mut to_server = server.try_clone().ok()?;
        let mut from_server = BufReader::new(server);
        loop {
            let request = Message::read(&mut input, false)?;
            let line = request.head.lines().next()?.to_owned();
            let mut words = line.split(' ');
            let (method, target) = (words.next()?, words.next()?);
            if let Some(invented) = self.invented(method, target, &request) {
                invented.send(&mut out).ok()?;
                continue;
            }
            request.send(&mut to_server).ok()?;
            let response = Message::read(&mut from_server, method == "HEAD")?;
            let response = self.changed(method, target, response);
            response.send(&mut out).ok()?;
        }
    }

    /// The response to a request that is not forwarded.
    fn invented(&self, method: &str, target: &str, request: &Message) -> Option<Message> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let is_object = path.trim_matches('/').contains('/');
        let is_put = method == "PUT" && is_object && query.is_empty();
        let is_complete = method == "POST" && query.starts_with("uploadId=");
        let every_second = || {
            self.writes
                .fetch_add(1, Ordering::Relaxed)
                .is_multiple_of(2)
        };
        match self.lie {
            Lie::ForwardsNothing | Lie::HeadLies if is_put => {
                let mut sizes = self.sizes.lock().expect("nobody panicked");
                sizes.insert(path.to_owned(), request.body.len());
                Some(acknowledgement(&hex_md5(&request.body)))
            }
            Lie::HeadLies if method == "HEAD" => {
                let sizes = self.sizes.lock().expect("nobody panicked");
                let size = sizes.get(path)?;
                let mut response = acknowledgement("0");
                response.set_header("Content-Length", &size.to_string());
                Some(response)
            }
            // Copies of an object are the writes of a copying workload; its sources must be there.
            Lie::LosesHalf if is_put && request.header("x-amz-copy-source").is_some() => {
                every_second()
                    .then(|| xml("<CopyObjectResult><ETag>\"0\"</ETag></CopyObjectResult>"))
            }
            Lie::LosesHalf if is_put && path.contains("/put") => {
                every_second().then(|| acknowledgement(&hex_md5(&request.body)))
            }
            Lie::LosesHalf if is_complete => every_second().then(|| {
                xml("<CompleteMultipartUploadResult><ETag>\"0-1\"</ETag>\
                     </CompleteMultipartUploadResult>")
            }),
            _ => None,
        }
    }

    /// The response of the server as the proxy passes it on.
    fn changed(&self, method: &str, target: &str, mut response: Message) -> Message {
        let is_object = target.trim_matches('/').contains('/') && !target.contains('?');
        let is_good = response.head.starts_with("HTTP/1.1 200");
        match self.lie {
            Lie::OtherContent if method == "GET" && is_object && is_good => {
                if let Some(last) = response.body.last_mut() {
                    *last ^= 1;
                }
            }
            Lie::OtherSize if matches!(method, "HEAD" | "GET") && is_object && is_good => {
                response.body.pop();
                let length = response.header("content-length");
                let length: usize = length.map_or(1, |text| text.parse().expect("a length"));
                response.set_header("Content-Length", &(length - 1).to_string());
            }
            Lie::OtherEtag
                if method == "PUT"
                    && is_object
                    && is_good
                    && self
                        .writes
                        .fetch_add(1, Ordering::Relaxed)
                        .is_multiple_of(3) =>
            {
                response.set_header("ETag", &format!("\"{}\"", hex_md5(b"other")));
            }
            _ => {}
        }
        response
    }
}
