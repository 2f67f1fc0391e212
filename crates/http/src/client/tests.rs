//! The client with servers that keep to the rules and servers that do not.

use std::io::Write as _;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use super::*;

/// What a server does after it has read a request.
#[derive(Clone, Copy)]
enum Act {
    Send(&'static str),
    Pause(Duration),
    /// Closes the connection; the next acts are for the next connection.
    Close,
    /// Reads the next request of the connection.
    Next,
}
use Act::{Close, Next, Pause, Send};

/// A server that plays `acts` once. The requests arrive at the receiver.
fn server(acts: &[Act]) -> (Client, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/base/", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    let acts = acts.to_vec();
    thread::spawn(move || {
        for connection in acts.split(|act| matches!(act, Close)) {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = sender.send(request(&mut stream));
            for act in connection {
                match act {
                    Send(text) => drop(stream.write_all(text.as_bytes())),
                    Pause(time) => thread::sleep(*time),
                    Next => drop(sender.send(request(&mut stream))),
                    Close => {}
                }
            }
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
    let mut client = Client::new(&url, &Login::default()).unwrap();
    client.set_timeout(Duration::from_secs(20));
    (client, requests)
}

/// A request with its body, as text.
fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.parse().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(1..) if bytes.len() > 1 << 20 => panic!("a long request"),
            Ok(0) | Err(_) => return text,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

fn failure<T: std::fmt::Debug>(result: Result<T, Error>) -> Failure {
    match result {
        Err(Error::Request { failure, .. }) => failure,
        other => panic!("{other:?}"),
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn bodies_end_where_the_server_says() {
    for (response, body) in [
        (OK, &b"ok"[..]),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
            b"abc",
        ),
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx",
            b"x",
        ),
        ("HTTP/1.1 200 OK\nContent-Length: 1\n\nx", b"x"),
    ] {
        let (client, _requests) = server(&[Send(response)]);
        let reply = client.get("/a").unwrap();
        assert_eq!((reply.status, &*reply.body), (200, body));
    }
}

#[test]
fn a_request_has_the_base_path_and_no_redirect_is_followed() {
    let redirect = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n";
    let (mut client, requests) = server(&[Send(redirect), Next, Send(OK)]);
    assert!(client.add_header("x-key", "k\u{e9}y"));
    assert!(!client.add_header("x key", "y") && !client.add_header("x", "a\nb"));
    assert_eq!(client.get("/a?b=c").unwrap().status, 302);
    assert!(client.put("", "text/plain", b"body").unwrap().is_success());
    let get = requests.recv().unwrap();
    assert!(get.starts_with("GET /base/a?b=c HTTP/1.1\r\n"), "{get}");
    let put = requests.recv().unwrap().to_lowercase();
    assert!(put.starts_with("put /base http/1.1\r\n"), "{put}");
    for line in [
        "\r\nhost: 127.0.0.1:",
        "\r\nuser-agent: tenbin\r\n",
        "\r\naccept: */*\r\n",
        "\r\nx-key: k\u{e9}y\r\n",
        "\r\ncontent-type: text/plain\r\n",
        "\r\ncontent-length: 4\r\n",
    ] {
        assert!(put.contains(line), "{put}");
    }
}

#[test]
fn a_request_is_sent_again_only_if_the_server_cannot_have_acted_on_it() {
    let pause = Duration::from_millis(200);
    // The server closes the idle connection: each method uses a new one.
    let (client, requests) = server(&[Send(OK), Close, Send(OK)]);
    assert!(client.get("").unwrap().is_success());
    thread::sleep(pause);
    let post = client.post("", "text/plain", b"once");
    assert!(post.unwrap().is_success());
    assert_eq!(requests.iter().take(2).count(), 2);
    // The server reads the second request and closes without a response.
    let twice = [Send(OK), Next, Close, Send(OK)];
    let (client, requests) = server(&twice);
    assert!(client.get("").unwrap().is_success());
    assert!(client.get("").unwrap().is_success());
    assert_eq!(requests.iter().take(3).count(), 3);
    let (client, requests) = server(&twice);
    assert!(client.get("").unwrap().is_success());
    let post = failure(client.post("", "text/plain", b"once"));
    assert!(matches!(post, Failure::Head(_)), "{post:?}");
    assert!(requests.iter().take(2).last().unwrap().ends_with("once"));
    assert!(requests.recv_timeout(pause).is_err(), "sent again");
}

#[test]
fn untidy_responses_are_errors() {
    let silent = Pause(Duration::from_secs(5));
    let closed = |failure: &Failure| matches!(failure, Failure::Head(_));
    let cut = |failure: &Failure| matches!(failure, Failure::Body(_));
    let late = |failure: &Failure| matches!(failure, Failure::Timeout(_));
    let long = |failure: &Failure| matches!(failure, Failure::TooLong(10));
    type Expected<'a> = &'a dyn Fn(&Failure) -> bool;
    let rows: [(&[Act], Expected<'_>); 9] = [
        (&[], &closed),
        (&[Send("SSH-2.0-x\r\n\r\n")], &closed),
        (&[Send("HTTP/1.1 200 OK\r\nContent-Le")], &closed),
        (
            &[Send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")],
            &cut,
        ),
        (
            &[Send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            )],
            &cut,
        ),
        (
            &[Send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
            )],
            &cut,
        ),
        (&[silent], &late),
        (
            &[
                Send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"),
                silent,
            ],
            &late,
        ),
        (&[Send("HTTP/1.0 200 OK\r\n\r\n0123456789a"), silent], &long),
    ];
    for (at, (acts, is_expected)) in rows.into_iter().enumerate() {
        let (mut client, _requests) = server(acts);
        client.set_timeout(Duration::from_secs(1));
        client.set_max_body(10);
        let started = Instant::now();
        let failure = failure(client.get("/"));
        assert!(is_expected(&failure), "{at}: {failure:?}");
        assert!(started.elapsed() < Duration::from_secs(4), "{at}");
    }
}

#[test]
fn a_stream_has_a_time_limit_for_each_read() {
    let pause = Pause(Duration::from_millis(700));
    let head = Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = Send("2\r\nab\r\n");
    let acts = [head, pause, chunk, pause, chunk, pause, Send("0\r\n\r\n")];
    let (mut client, _requests) = server(&acts);
    client.set_timeout(Duration::from_millis(1500));
    let mut body = client.stream("/").unwrap();
    let mut text = String::new();
    body.read_to_string(&mut text).unwrap();
    assert_eq!(text, "abab");
    let (mut client, _requests) = server(&[head, chunk, Pause(Duration::from_secs(5))]);
    client.set_timeout(Duration::from_millis(500));
    let mut body = client.stream("/").unwrap();
    assert!(body.read_to_string(&mut text).is_err());
    let (client, _requests) = server(&[head, chunk]);
    let mut body = client.stream("/").unwrap();
    assert!(body.read_to_string(&mut text).is_err(), "cut off");
    let missing = Send("HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nno\x1b[1m\n");
    let (client, _requests) = server(&[missing]);
    let error = client.stream("/a").err().unwrap().to_string();
    assert!(
        error.ends_with(": /a has status 404: no\\u{1b}[1m"),
        "{error}"
    );
}

#[test]
fn servers_that_are_not_there_are_named() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let client = Client::new(&url, &Login::default()).unwrap();
    let text = client.get("").unwrap_err().to_string();
    let server = url.trim_end_matches('/');
    assert!(
        text.starts_with(&format!("{server}: no server listens there")),
        "{text}"
    );
    let client = Client::new("http://nobody.invalid/", &Login::default()).unwrap();
    let text = client.get("").unwrap_err().to_string();
    assert!(text.contains("the host is unknown"), "{text}");
}

#[test]
fn a_unix_socket_is_reached() {
    let path = std::env::temp_dir().join(format!("tenbin-http-{}", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let served = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 1024]);
        stream.write_all(OK.as_bytes())
    });
    let destination = Destination {
        address: Address::Unix(path.clone()),
        source: None,
        tls: None,
    };
    let url = "http://h/".parse().unwrap();
    let reply = Client::at(destination, &url).unwrap().get("/");
    std::fs::remove_file(path).unwrap();
    assert_eq!(reply.unwrap().body, b"ok");
    served.join().unwrap().unwrap();
}

#[test]
fn servers_are_urls_without_passwords_and_secrets_are_not_printed() {
    let refused = |url: &str| match Client::new(url, &Login::default()) {
        Ok(client) => panic!("{client:?}"),
        Err(error) => error.to_string(),
    };
    assert!(refused("127.0.0.1:10041").contains("write a URL"));
    assert!(refused("ftp://h/").contains("http:// or https://"));
    let hush = refused("http://me:hush@h:1/");
    assert!(!hush.contains("hush"), "{hush}");
    let client = Client::new("http://h:1/base/?x#y", &Login::default()).unwrap();
    assert_eq!(client.url(), "http://h:1/base");
    let login = Login::default().basic("me", "hush");
    assert_eq!(login.authorization.as_ref().unwrap(), "Basic bWU6aHVzaA==");
    let mut client = Client::new("http://h/", &login).unwrap();
    client.add_header("x-token", "hush");
    let printed = format!("{login:?} {client:?}");
    assert!(
        !printed.contains("bWU") && !printed.contains("hush"),
        "{printed}"
    );
}
