//! Checks that the built-in blob server responds to each call like CubeFS's access layer.

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use common::{OwnServer, Scratch};
use serde_json::{Value, json};

struct Server(OwnServer);

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    /// Value of Content-Length.
    fn announced(&self) -> usize {
        let mut lines = self.head.lines();
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let length = length.unwrap_or_else(|| panic!("no length: {}", self.head));
        length.parse().expect("a number")
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.head))
    }
}

impl Server {
    fn start(scratch: &Scratch, options: &[&str]) -> Self {
        let fixed = ["serve", "blob", "--listen", "127.0.0.1:0"];
        Self(OwnServer::start(scratch, fixed.iter().chain(options)))
    }

    /// Sends a request; adds Host and Connection to `head`. Returns `None` for an empty response.
    fn raw(&self, head: &str, body: &[u8]) -> Option<Reply> {
        let mut stream = TcpStream::connect(self.0.address).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a limit");
        let head = format!("{head}\r\nHost: h\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("asked");
        stream.write_all(body).expect("asked");
        let mut answer = Vec::new();
        // A server that closes the connection early can also cause a reset.
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        Some(Reply {
            status: head.get(9..12)?.parse().ok()?,
            head,
            body: answer[end + 4..].to_vec(),
        })
    }

    fn put(&self, query: &str, body: &[u8]) -> Reply {
        let head = format!(
            "PUT /put?{query} HTTP/1.1\r\nContent-Length: {}",
            body.len()
        );
        self.raw(&head, body).expect("an answer")
    }

    fn call(&self, path: &str, document: &Value) -> Reply {
        let body = document.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}",
            body.len()
        );
        self.raw(&head, body.as_bytes()).expect("an answer")
    }

    fn get(&self, location: &Value, offset: u64, length: u64) -> Reply {
        let call = json!({"location": location, "offset": offset, "read_size": length});
        self.call("/get", &call)
    }

    fn location_of(&self, content: &[u8]) -> Value {
        let reply = self.put(&format!("size={}&hashes=0", content.len()), content);
        assert_eq!(reply.status, 200);
        reply.json()["location"].clone()
    }
}

#[test]
fn blobs_are_put_and_read_whole_and_in_parts() {
    let scratch = Scratch::new("blob-server-read");
    let server = Server::start(&scratch, &[]);
    let reply = server.put("size=3&hashes=30", b"abc");
    let sums = &reply.json()["hashsum"];
    assert_eq!(sums["4"], "kAFQmDzST7DWlj99KOF/cg==");
    assert_eq!(sums["2"], "NSRBwg==");
    assert_eq!(sums.as_object().map(serde_json::Map::len), Some(4));
    let location = reply.json()["location"].clone();
    let whole = server.get(&location, 0, 3);
    assert_eq!((whole.status, whole.body.as_slice()), (200, &b"abc"[..]));
    // The head of a GET is sent before the content is read, so it has no times of reads.
    assert!(whole.head.contains("trace-log: access"), "{}", whole.head);
    assert!(!whole.head.contains("a_0_r_0_w_"), "{}", whole.head);
    assert!(
        reply.head.contains("trace-log: a_0_r_0_w_"),
        "{}",
        reply.head
    );
    let part = server.get(&location, 1, 2);
    assert_eq!((part.status, part.body.as_slice()), (206, &b"bc"[..]));
    assert!(
        part.head.contains("content-range: bytes 1-2/3"),
        "{}",
        part.head
    );
    // An empty read gets 200, not 206.
    let nothing = server.get(&location, 1, 0);
    assert_eq!((nothing.status, nothing.announced()), (200, 0));
    for reply in [whole, nothing] {
        assert!(!reply.head.contains("content-range"), "{}", reply.head);
    }
    // A body longer than `size` is cut silently.
    let cut = server.put("size=2&hashes=0", b"abc").json()["location"].clone();
    assert_eq!(server.get(&cut, 0, 2).body, b"ab");
}

#[test]
fn what_is_wrong_is_refused_as_there() {
    let scratch = Scratch::new("blob-server-refusals");
    let server = Server::start(&scratch, &[]);
    let location = server.location_of(b"abc");
    let mut changed = location.clone();
    changed["size"] = 2.into();
    for (reply, status, error) in [
        (server.get(&changed, 0, 2), 400, "Illegal Arguments"),
        (server.get(&location, 2, 2), 400, "Illegal Arguments"),
        (server.put("size=0&hashes=0", b""), 400, "Illegal Arguments"),
        (
            server.put("size=4&hashes=0", b"abc"),
            466,
            "access read request body",
        ),
        (
            server.put(&format!("size={}&hashes=0", (5_u64 << 30) + 1), b"abc"),
            400,
            "access exceed object size",
        ),
        (server.put("size=-3", b"abc"), 400, "Illegal Arguments"),
    ] {
        assert_eq!(reply.status, status);
        assert_eq!(reply.json(), json!({ "error": error }));
    }
    for query in ["size=3&hashes=256", "size=three", "hashes=0"] {
        let unread = server.put(query, b"abc");
        assert_eq!(
            (unread.status, &unread.json()["code"]),
            (400, &json!("Argument"))
        );
    }
    // The server ignores a body with curl's default Content-Type.
    let body = json!({ "locations": [location] }).to_string();
    let head = format!(
        "POST /delete HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Content-Length: {}",
        body.len()
    );
    let lost = server.raw(&head, body.as_bytes()).expect("an answer");
    assert_eq!(lost.status, 400);
    assert_eq!(lost.json(), json!({"error": "EOF", "code": "Argument"}));
    let many: Vec<&Value> = std::iter::repeat_n(&location, 1025).collect();
    let too_many = server.call("/delete", &json!({ "locations": many }));
    assert_eq!(too_many.status, 400);
    for broken in ["", "{"] {
        let length = broken.len();
        let head = format!(
            "POST /get HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {length}"
        );
        let reply = server.raw(&head, broken.as_bytes()).expect("an answer");
        let error = "unexpected end of JSON input";
        assert_eq!(reply.status, 400);
        assert_eq!(reply.json(), json!({"error": error, "code": "Argument"}));
    }
    let sizeless = server.put("hashes=0", b"abc").json();
    assert_eq!(sizeless["error"], "args(PutArgs) field(Size) do not omit");
    let chunked = "PUT /put?size=3&hashes=0 HTTP/1.1\r\nTransfer-Encoding: chunked";
    let stored = server.raw(chunked, b"3\r\nabc\r\n0\r\n\r\n");
    let stored = stored.expect("an answer");
    assert_eq!(stored.status, 200);
    assert_eq!(server.get(&stored.json()["location"], 0, 3).body, b"abc");
    let short = server.raw(chunked, b"2\r\nab\r\n0\r\n\r\n");
    assert_eq!(short.expect("an answer").status, 466);
}

#[test]
fn a_deleted_blob_is_there_for_a_while() {
    let scratch = Scratch::new("blob-server-delete");
    let lasting = Server::start(&scratch, &["--delete-lag", "1h"]);
    let location = lasting.location_of(b"abc");
    let deleted = lasting.call("/delete", &json!({ "locations": [location] }));
    assert_eq!((deleted.status, deleted.json()), (200, json!({})));
    assert_eq!(lasting.get(&location, 0, 3).status, 200);
    let prompt = Server::start(&scratch, &["--delete-lag", "0s"]);
    let location = prompt.location_of(b"abc");
    prompt.call("/delete", &json!({ "locations": [location] }));
    // The server sends the head before it looks for the content.
    for (offset, length, status) in [(0, 3, 200), (1, 2, 206)] {
        let gone = prompt.get(&location, offset, length);
        assert_eq!((gone.status, gone.announced()), (status, length as usize));
        assert!(gone.body.is_empty());
    }
    let options = ["--delete-lag", "0s", "--gone", "404"];
    let looking = Server::start(&scratch, &options);
    let location = looking.location_of(b"abc");
    looking.call("/delete", &json!({ "locations": [location] }));
    assert_eq!(looking.get(&location, 0, 3).status, 404);
    // All deletions of a call fail together, because the locations are in one cluster.
    let some = Server::start(&scratch, &["--fault", "226:50%", "--delete-lag", "0s"]);
    let locations = [b"a", b"b"].map(|content| some.location_of(content));
    let call = json!({ "locations": locations });
    assert_eq!(
        some.call("/delete", &json!({ "locations": [] })).status,
        400
    );
    let other = json!({ "locations": [some.location_of(b"c")] });
    assert_eq!(some.call("/delete", &other).status, 200);
    let reply = some.call("/delete", &call);
    assert_eq!(reply.status, 226);
    assert_eq!(reply.json(), json!({ "failed_locations": locations }));
    assert_eq!(some.get(&locations[0], 0, 1).body, b"a");
    assert_eq!(some.call("/delete", &call).status, 200);
}

#[test]
fn a_blob_is_put_together_from_pieces() {
    let scratch = Scratch::new("blob-server-pieces");
    let server = Server::start(&scratch, &[]);
    let ask = json!({"size": 5, "blob_size": 3, "assign_cluster_id": 0, "code_mode": 0});
    let reserved = server.call("/alloc", &ask).json();
    let (location, tokens) = (&reserved["location"], &reserved["tokens"]);
    let slice = &location["blobs"][0];
    assert_eq!(slice["count"], 2);
    let first = slice["min_bid"].as_u64().expect("a number");
    let put_into = |cluster: u32, number: u64, token: &str, content: &str| {
        let head = format!(
            "PUT /putat?clusterid={cluster}&volumeid={}&blobid={number}&size={}&hashes=4&token={token} \
             HTTP/1.1\r\nContent-Length: {}",
            slice["vid"],
            content.len(),
            content.len()
        );
        server.raw(&head, content.as_bytes()).expect("an answer")
    };
    let put_at = |number, token: &str, content: &str| put_into(1, number, token, content);
    let [token, last] = [0, 1].map(|at| tokens[at].as_str().expect("a token"));
    assert_eq!(put_at(first, "wrong", "abc").status, 400);
    assert_eq!(put_into(2, first, token, "abc").status, 400);
    assert!(put_at(first, token, "abc").json()["hashsum"]["4"].is_string());
    // The server sends the stored piece and then closes the connection.
    let part = server.get(location, 0, 5);
    assert_eq!((part.status, part.announced()), (200, 5));
    assert_eq!(part.body, b"abc");
    assert_eq!(put_at(first + 1, token, "de").status, 400);
    assert_eq!(put_at(first + 1, last, "de").status, 200);
    assert_eq!(server.get(location, 0, 5).body, b"abcde");
    let mut part = location.clone();
    part["size"] = 3.into();
    part["blobs"][0]["count"] = 1.into();
    let sign = json!({"locations": [location], "location": part});
    let signed = server.call("/sign", &sign).json()["location"].clone();
    assert_eq!(server.get(&signed, 0, 3).body, b"abc");
    let mut foreign = part.clone();
    foreign["blobs"][0]["min_bid"] = (first + 9).into();
    let sign = json!({"locations": [location], "location": foreign});
    assert_eq!(server.call("/sign", &sign).status, 400);
    let delete = |token: &str| {
        let query = format!(
            "clusterid=1&volumeid={}&blobid={first}&size=3",
            slice["vid"]
        );
        let head = format!("DELETE /deleteblob?{query}&token={token} HTTP/1.1");
        server.raw(&head, b"").expect("an answer")
    };
    assert_eq!(delete(last).status, 400);
    assert_eq!(
        (delete(token).status, delete(token).body),
        (200, Vec::new())
    );
    let large = json!({"size": 5, "blob_size": (32 << 20) + 1});
    assert_eq!(server.call("/alloc", &large).status, 400);
    let largest = 5_u64 << 30;
    assert_eq!(
        server.call("/alloc", &json!({"size": largest + 1})).status,
        400
    );
    let many = server.call("/alloc", &json!({"size": largest})).json();
    let slices = many["location"]["blobs"].as_array().expect("slices");
    assert!(slices.len() <= 4, "{many}");
    let pieces: u64 = slices
        .iter()
        .filter_map(|slice| slice["count"].as_u64())
        .sum();
    assert_eq!(pieces * (4 << 20), largest);
}

#[test]
fn what_clients_may_leave_out_or_add_is_taken() {
    let scratch = Scratch::new("blob-server-liberal");
    let server = Server::start(&scratch, &["--delete-lag", "0s"]);
    let posted = "POST /put?size=3&hashes=0 HTTP/1.1\r\nContent-Length: 3";
    let stored = server.raw(posted, b"abc").expect("an answer").json();
    let mut location = stored["location"].clone();
    location["validSize"] = 3.into();
    assert_eq!(server.get(&location, 0, 3).body, b"abc");
    // Absent fields are zero, so this location has size 0.
    let mut without = location.clone();
    without.as_object_mut().expect("fields").remove("size");
    assert_eq!(server.get(&without, 0, 3).status, 400);
    // A repeated deletion succeeds; one call can delete 1,024 blobs.
    let many: Vec<&Value> = std::iter::repeat_n(&location, 1024).collect();
    for _ in 0..2 {
        let deleted = server.call("/delete", &json!({ "locations": many }));
        assert_eq!((deleted.status, deleted.json()), (200, json!({})));
    }
    let status = server
        .raw("GET /access/status HTTP/1.1", b"")
        .expect("an answer");
    assert_eq!(status.status, 200);
    for key in ["limit", "pool", "config", "clusters", "services"] {
        assert!(status.json().get(key).is_some(), "{key}");
    }
    let nothing = server.raw("GET / HTTP/1.1", b"").expect("an answer");
    assert_eq!(nothing.status, 404);
    // A body longer than `size` is cut without a reset of the connection.
    let long = server.put("size=3&hashes=0", &vec![b'x'; 3 << 20]);
    assert_eq!(server.get(&long.json()["location"], 0, 3).body, b"xxx");
}

#[test]
fn framed_bodies_are_acknowledged_and_every_block_is_checked() {
    let scratch = Scratch::new("blob-server-framed");
    let server = Server::start(&scratch, &[]);
    let put = |framed: &[u8]| {
        let length = framed.len();
        let head = format!(
            "PUT /put?size=3&hashes=4 HTTP/1.1\r\nX-Crc-Encoded: 1\r\nContent-Length: {length}"
        );
        server.raw(&head, framed).expect("an answer")
    };
    // CRC-32 of "abc" is 0x352441c2.
    let taken = put(b"\xc2\x41\x24\x35abc");
    assert_eq!(taken.status, 200);
    assert!(
        taken.head.contains("x-ack-crc-encoded: 1"),
        "{}",
        taken.head
    );
    let stored = taken.json();
    assert_eq!(stored["hashsum"]["4"], "kAFQmDzST7DWlj99KOF/cg==");
    assert_eq!(server.get(&stored["location"], 0, 3).body, b"abc");
    assert_eq!(put(b"\xc2\x41\x24\x35abd").status, 466);
    let plain = server.put("size=3&hashes=0", b"abc");
    assert!(!plain.head.contains("x-ack-crc-encoded"), "{}", plain.head);
}

#[test]
fn a_truncated_body_is_announced_whole() {
    let scratch = Scratch::new("blob-server-truncated");
    let server = Server::start(&scratch, &["--fault", "truncate:50%"]);
    let content = vec![b'x'; 5 << 20];
    let location = server.location_of(&content);
    for (offset, length) in [(0, content.len()), (3, 10)] {
        let whole = server.get(&location, offset, length as u64);
        assert_eq!((whole.announced(), whole.body.len()), (length, length));
        let half = server.get(&location, offset, length as u64);
        assert_eq!(half.announced(), length);
        assert!(half.body.len() <= length / 2, "{}", half.body.len());
    }
}

#[test]
fn whoever_limits_says_it_with_a_status_of_its_own() {
    let scratch = Scratch::new("blob-server-limited");
    for (status, error) in [
        (400, "Illegal Arguments"),
        (429, "too many requests"),
        (552, "access limited"),
    ] {
        let server = Server::start(&scratch, &["--fault", &format!("{status}:100%")]);
        let reply = server.put("size=3&hashes=0", b"abc");
        assert_eq!(reply.status, status);
        assert_eq!(reply.json(), json!({ "error": error }));
    }
}

#[test]
fn tokens_are_asked_for_where_there_is_a_secret() {
    let scratch = Scratch::new("blob-server-tokens");
    let server = Server::start(&scratch, &["--secret-key", "hush-this-is-the-key"]);
    let reply = server.put("size=3&hashes=0", b"abc");
    assert_eq!((reply.status, reply.body.len()), (403, 0));
    for (path, status) in [("/", 403), ("/access/status", 200), ("/metrics", 200)] {
        let reply = server.raw(&format!("GET {path} HTTP/1.1"), b"");
        assert_eq!(reply.expect("an answer").status, status, "{path}");
    }
}

#[test]
fn a_server_without_memory_left_answers_507_until_a_blob_is_gone() {
    let scratch = Scratch::new("blob-memory");
    let server = Server::start(&scratch, &["--memory", "1MiB", "--delete-lag", "0s"]);
    let content = vec![7; 700_000];
    let stored = server.put("size=700000&hashes=0", &content);
    assert_eq!(stored.status, 200);
    let refused = server.put("size=700000&hashes=0", &content);
    assert_eq!(refused.status, 507);
    assert_eq!(refused.json()["code"], "InsufficientStorage");
    assert_eq!(
        server
            .put("size=100000&hashes=0", &content[..100_000])
            .status,
        200
    );
    let locations = json!({ "locations": [stored.json()["location"]] });
    assert_eq!(server.call("/delete", &locations).status, 200);
    assert_eq!(server.put("size=700000&hashes=0", &content).status, 200);
}

#[test]
fn requests_beyond_the_limit_wait_for_their_turn() {
    let scratch = Scratch::new("blob-server-turns");
    let four = |limit: &str| {
        let server = Server::start(&scratch, &["--delay", "100ms", "--max-in-flight", limit]);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(server.put("size=1&hashes=0", b"x").status, 200));
            }
        });
        begun.elapsed()
    };
    let (alone, together) = (four("1"), four("4"));
    assert!(alone >= Duration::from_millis(400), "{alone:?}");
    assert!(together >= Duration::from_millis(100), "{together:?}");
    assert!(together < alone, "{together:?} {alone:?}");
}
