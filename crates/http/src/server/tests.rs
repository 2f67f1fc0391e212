use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream as Client};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use super::*;

/// Responds with the target, or with much, and tells what was sent.
struct Echo(Sender<String>);

const MUCH: usize = 64 << 20;

impl Handler for Echo {
    fn response(&self, request: &Request<Bytes>) -> Response<Body> {
        match request.uri().path() {
            "/much" => response(StatusCode::OK, "text/plain", Body::whole(vec![b'x'; MUCH])),
            "/body" => text(StatusCode::OK, &format!("{:?}", request.body())),
            "/bug" => panic!("on purpose"),
            _ => text(StatusCode::OK, &request.uri().to_string()),
        }
    }

    fn sent(&self, target: &str) {
        let _ = self.0.send(target.to_owned());
    }
}

const OPTIONS: ServerOptions = ServerOptions {
    name: "test",
    tls: None,
    request_timeout: Duration::from_secs(1),
    write_timeout: Duration::from_secs(2),
    keep_alive: false,
    largest_body: 0,
    slow: false,
};

fn server(keep_alive: bool) -> (Server, std::sync::mpsc::Receiver<String>) {
    server_with(ServerOptions {
        keep_alive,
        ..OPTIONS
    })
}

fn server_with(options: ServerOptions) -> (Server, std::sync::mpsc::Receiver<String>) {
    let (sender, sent) = channel();
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let server = Server::start(address, options, Arc::new(Echo(sender))).unwrap();
    (server, sent)
}

fn open(server: &Server) -> Client {
    let stream = Client::connect(server.address()).unwrap();
    let limit = Some(Duration::from_secs(20));
    stream.set_read_timeout(limit).unwrap();
    stream
}

fn exchange(server: &Server, request: &[u8]) -> String {
    let mut stream = open(server);
    // The server can respond with an error before the entire request is written.
    let _ = stream.write_all(request);
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}

#[test]
fn what_is_not_http_or_too_long_is_refused() {
    let (server, sent) = server(false);
    let get = exchange(&server, b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(get.starts_with("HTTP/1.1 200 OK\r\n"), "{get}");
    assert!(get.ends_with("\r\n\r\n/a?b\n"), "{get}");
    for line in [
        "Connection: close",
        "Cache-Control: no-store",
        "Content-Length: 5",
        "X-Content-Type-Options: nosniff",
    ] {
        assert!(get.contains(&format!("\r\n{line}\r\n")), "{get}");
    }
    assert_eq!(sent.recv().unwrap(), "/a?b");
    let other = exchange(&server, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n");
    assert!(other.starts_with("HTTP/1.1 400 "), "{other}");
    let mut long = b"GET / HTTP/1.1\r\nA: ".to_vec();
    // The response arrives although the server leaves bytes of the request unread.
    for length in [MAX_HEAD, 20 * MAX_HEAD] {
        long.resize(length, b'a');
        let long = exchange(&server, &long);
        assert!(long.starts_with("HTTP/1.1 431 "), "{long}");
    }
    let many = "A: b\r\n".repeat(MAX_HEADERS + 1);
    let many = exchange(&server, format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes());
    assert!(many.starts_with("HTTP/1.1 4"), "{many}");
}

#[test]
fn a_connection_stays_open_for_the_time_limit_of_a_request_if_asked_for() {
    let (server, _sent) = server(true);
    let get = b"GET /a HTTP/1.1\r\n\r\n";
    let started = Instant::now();
    let both = exchange(&server, &[&get[..], get].concat());
    assert_eq!(both.matches("200 OK").count(), 2, "{both}");
    assert!(started.elapsed() >= Duration::from_millis(900));
    let started = Instant::now();
    exchange(&server, b"GET / HT");
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "half a request"
    );
}

#[test]
fn a_body_is_read_up_to_its_limits_of_length_and_time() {
    let post = |length: usize, body: &str| {
        format!("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}")
    };
    let (server, _sent) = server_with(ServerOptions {
        largest_body: 8,
        slow: true,
        ..OPTIONS
    });
    for (request, status, line) in [
        (post(3, "a=b"), 200, "b\"a=b\""),
        (post(0, ""), 200, "b\"\""),
        (post(9, "123456789"), 413, "too long"),
        (post(5, "a"), 408, "in time"),
        (
            "POST /body HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n"
                .to_owned(),
            413,
            "too long",
        ),
        ("GET /bug HTTP/1.1\r\n\r\n".to_owned(), 500, "bug"),
    ] {
        let found = exchange(&server, request.as_bytes());
        assert!(found.starts_with(&format!("HTTP/1.1 {status} ")), "{found}");
        assert!(found.contains(line), "{found}");
    }
    let (server, _sent) = server_with(OPTIONS);
    let found = exchange(&server, post(3, "a=b").as_bytes());
    assert!(found.ends_with("b\"\"\n"), "it is not read: {found}");
}

#[test]
fn a_reader_that_takes_nothing_is_cut_off() {
    let (server, sent) = server(false);
    let mut stream = open(&server);
    stream.write_all(b"GET /much HTTP/1.1\r\n\r\n").unwrap();
    thread::sleep(2 * OPTIONS.write_timeout);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(bytes.len() < MUCH, "{}", bytes.len());
    assert!(sent.try_recv().is_err());
}

/// Responds when the sender is dropped.
struct Held(Mutex<std::sync::mpsc::Receiver<()>>);

impl Handler for Held {
    fn response(&self, _: &Request<Bytes>) -> Response<Body> {
        let _ = self.0.lock().unwrap().recv();
        text(StatusCode::OK, "held")
    }
}

#[test]
fn more_slow_responses_than_the_limit_are_refused_also_after_their_clients_left() {
    let (may, held) = channel::<()>();
    let options = ServerOptions {
        slow: true,
        ..OPTIONS
    };
    let address = (Ipv4Addr::LOCALHOST, 0).into();
    let server = Server::start(address, options, Arc::new(Held(Mutex::new(held)))).unwrap();
    let get = b"GET / HTTP/1.1\r\n\r\n";
    let leave = |_| {
        let mut client = open(&server);
        let soon = Some(Duration::from_millis(200));
        client.set_read_timeout(soon).unwrap();
        client.write_all(get).unwrap();
        let mut found = String::new();
        let _ = client.read_to_string(&mut found);
        (!found.is_empty()).then_some(found)
    };
    let refused = (0..10 * SLOW_RESPONSES).find_map(leave);
    let refused = refused.expect("a response while the others wait");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("\r\nRetry-After: 5\r\n"), "{refused}");
    drop(may);
    let served = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        exchange(&server, get).starts_with("HTTP/1.1 200 ")
    });
    assert!(served);
}

#[test]
fn more_connections_than_places_wait() {
    let (server, _sent) = server(false);
    let idle: Vec<Client> = (0..CONNECTIONS).map(|_| open(&server)).collect();
    let get = exchange(&server, b"GET /a HTTP/1.1\r\n\r\n");
    assert!(get.ends_with("/a\n"), "{get}");
    drop(idle);
}

#[test]
fn a_dropped_server_accepts_no_connection() {
    let (server, _sent) = server(false);
    let address = server.address();
    drop(server);
    let refused = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(50));
        Client::connect(address).is_err()
    });
    assert!(refused);
}

#[test]
fn only_one_host_that_names_this_machine_is_this_machine() {
    let is_to_this_machine = |hosts: &[&str]| {
        let mut request = Request::get("/");
        for host in hosts {
            request = request.header(HOST, *host);
        }
        is_to_this_machine(&request.body(()).unwrap())
    };
    for host in ["127.0.0.1:9000", "127.0.0.1", "[::1]:9", "LocalHost:9000"] {
        assert!(is_to_this_machine(&[host]), "{host}");
    }
    for host in [
        "evil.example:9000", "127.0.0.1.evil.example", "localhost@evil.example:80", "127.0.0.1:",
        "::1", "",
    ] {
        assert!(!is_to_this_machine(&[host]), "{host}");
    }
    assert!(!is_to_this_machine(&[]));
    assert!(!is_to_this_machine(&["localhost", "localhost"]));
    let is_to_port = |host: &str, port| {
        let request = Request::get("/").header(HOST, host);
        is_to_this_port(&request.body(()).unwrap(), port)
    };
    assert!(is_to_port("127.0.0.1:9000", 9000) && is_to_port("localhost", 80));
    assert!(!is_to_port("127.0.0.1:9001", 9000) && !is_to_port("[::1]", 9000));
    assert!(!is_to_port("evil.example:9000", 9000));
}
