//! A receiver of fluentd's forward protocol, like a Droonga engine: reads messages, sends no
//! responses, and closes its side of the connection after the sender has closed its side.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use tenbin_corpus::json::Json;

/// Listens until the test process ends.
#[derive(Debug)]
pub(crate) struct Receiver {
    port: u16,
    messages: Arc<Mutex<Vec<(String, Json)>>>,
}

impl Receiver {
    /// Starts the receiver on a free port of 127.0.0.1.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let messages = Arc::<Mutex<Vec<(String, Json)>>>::default();
        let all = Arc::clone(&messages);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = Arc::clone(&all);
                std::thread::spawn(move || receive(stream, &all));
            }
        });
        Self { port, messages }
    }

    /// Address of the receiver, for `--server`.
    pub(crate) fn server(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Tags and envelopes of the messages received so far.
    pub(crate) fn messages(&self) -> Vec<(String, Json)> {
        self.messages.lock().expect("nobody panicked").clone()
    }
}

fn receive(stream: TcpStream, all: &Mutex<Vec<(String, Json)>>) {
    let mut input = std::io::BufReader::new(stream);
    // An incomplete message of a killed sender does not count.
    while let Ok((tag, _time, envelope)) =
        rmp_serde::from_read::<_, (String, u64, Json)>(&mut input)
    {
        all.lock().expect("nobody panicked").push((tag, envelope));
    }
}
