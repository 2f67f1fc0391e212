//! A publish/subscribe server that replaces Droonga's HTTP server, which can no longer be
//! installed.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A server that listens until the test ends. Sends the body of `POST /publish` as a chunk to every
/// client with an open `GET /subscribe`.
#[derive(Debug)]
pub(crate) struct Broadcast {
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Room {
    subscribers: Vec<TcpStream>,
    published: u64,
}

impl Broadcast {
    /// Starts the server. The first subscriber misses every `forgets`-th message; 0 for none.
    pub(crate) fn start(forgets: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let room = Arc::new(Mutex::new(Room::default()));
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let room = Arc::clone(&room);
                std::thread::spawn(move || {
                    let _ = serve(&socket, &room, forgets);
                });
            }
        });
        Self { address }
    }

    /// `127.0.0.1:port`.
    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }
}

fn serve(socket: &TcpStream, room: &Mutex<Room>, forgets: u64) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket);
    loop {
        let mut head = Vec::new();
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            head.push(std::mem::take(&mut line).to_ascii_lowercase());
        }
        let Some(first) = head.first() else {
            return Ok(());
        };
        let mut writer = socket;
        if first.starts_with("get /subscribe") {
            // After the response head, a subscriber must get every message.
            let mut room = room.lock().expect("the room");
            writer.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            room.subscribers.push(socket.try_clone()?);
            return Ok(());
        }
        let length = head.iter().find_map(|line| {
            let value = line.strip_prefix("content-length:")?;
            value.trim().parse::<usize>().ok()
        });
        let mut message = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut message)?;
        tell_all(&mut room.lock().expect("the room"), &message, forgets);
        writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
    }
}

fn tell_all(room: &mut Room, message: &[u8], forgets: u64) {
    room.published += 1;
    let forgotten = forgets > 0 && room.published.is_multiple_of(forgets);
    let mut chunk = format!("{:x}\r\n", message.len()).into_bytes();
    chunk.extend_from_slice(message);
    chunk.extend_from_slice(b"\r\n");
    for (at, subscriber) in room.subscribers.iter_mut().enumerate() {
        if !(forgotten && at == 0) {
            let _ = subscriber.write_all(&chunk);
        }
    }
}
