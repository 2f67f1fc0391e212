//! One HTTP/2 connection: the h2 state, and the wakers and queued requests of its streams.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use h2::client::{Builder, Connection, SendRequest};

use super::adapter::{Adapter, Readable, Shared};
use super::ready::ReadyTasks;
use crate::dialing::Dialing;
use crate::error::ErrorClass;
use crate::opened::Opened;
use crate::transport::{Transport, describe};

/// Budget for the flow-control windows of all connections of a generator thread, bytes: limits the
/// thread's memory.
const MOST_AHEAD: usize = 256 * 1024 * 1024;
/// Largest flow-control window of one connection and of each of its streams, bytes. 10 Gb/s at a
/// round trip of 10 ms need 12.5 MB.
const LARGEST_WINDOW: usize = 16 * 1024 * 1024;
/// Smallest flow-control window: the default of RFC 9113, section 6.9.2.
const SMALLEST_WINDOW: usize = 65_535;
/// Largest response head, bytes, counted as in RFC 9113, section 6.5.2.
const LARGEST_HEAD: u32 = 256 * 1024;
/// How many cancelled streams h2 remembers, so that late frames for them are not an error.
const MOST_GIVEN_UP: usize = 10_000;

type Handshake = Pin<Box<dyn Future<Output = Result<Box<Session>, h2::Error>>>>;

pub(super) struct Session {
    connection: Connection<Adapter, Bytes>,
    pub(super) requests: SendRequest<Bytes>,
}

pub(super) enum Phase {
    Down,
    Dialing(Box<Transport>, Dialing),
    /// The connection preface is being written.
    Handshake(Handshake, Dialing, Opened),
    Up(Box<Session>),
}

/// Flow-control window of a connection and of each stream, bytes, if the thread has `connections`
/// connections.
pub(super) fn window(connections: usize) -> u32 {
    let share = MOST_AHEAD / connections.max(1);
    share.clamp(SMALLEST_WINDOW, LARGEST_WINDOW) as u32
}

/// A connection and its streams.
pub(super) struct Link {
    pub(super) phase: Phase,
    /// Flow-control window of the connection and of each stream, bytes.
    window: u32,
    pub(super) readable: Rc<Readable>,
    pub(super) ready: Arc<ReadyTasks>,
    waker: Waker,
    /// One waker per stream.
    pub(super) wakers: Vec<Waker>,
    /// Slots with a request to send.
    pub(super) waiting: VecDeque<usize>,
    /// Number of open streams.
    pub(super) out: usize,
    /// Whether a response has arrived on the connection, and with it the server's settings.
    pub(super) has_response: bool,
    /// Number of concurrent streams that the server allows; `usize::MAX` until its settings are
    /// known.
    pub(super) streams_allowed: usize,
    /// Time of the last bytes from the server, nanoseconds since the origin.
    pub(super) received_at: u64,
    /// No more requests are sent on the connection, because the server accepts none or is silent.
    pub(super) is_ending: bool,
    /// The server has sent nothing for a whole request timeout.
    pub(super) is_silent: bool,
    /// Whether the connection is in the list of connections with work to do.
    pub(super) is_listed: bool,
    /// Number of times that the connection was opened or closed.
    pub(super) age: u64,
}

impl Link {
    pub(super) fn new(depth: usize, window: u32) -> Self {
        let ready = ReadyTasks::new(depth);
        Self {
            phase: Phase::Down,
            window,
            readable: Rc::default(),
            waker: Waker::from(ready.clone()),
            wakers: (0..depth).map(|stream| ready.waker(stream)).collect(),
            ready,
            waiting: VecDeque::with_capacity(depth),
            out: 0,
            has_response: false,
            streams_allowed: usize::MAX,
            received_at: 0,
            is_ending: false,
            is_silent: false,
            is_listed: false,
            age: 0,
        }
    }

    pub(super) fn reset(&mut self) {
        self.phase = Phase::Down;
        self.readable = Rc::default();
        self.waiting.clear();
        self.out = 0;
        self.has_response = false;
        self.streams_allowed = usize::MAX;
        self.is_ending = false;
        self.is_silent = false;
        self.age += 1;
    }

    /// Starts HTTP/2 on a transport that is ready.
    pub(super) fn start_handshake(&self, transport: Transport, shared: Shared) -> Handshake {
        // The server's first bytes may have arrived together with the end of the TLS handshake.
        self.readable.has_data.set(true);
        let adapter = Adapter::new(transport, self.readable.clone(), shared);
        let window = self.window;
        Box::pin(async move {
            let (requests, connection) = Builder::new()
                .enable_push(false)
                .initial_window_size(window)
                .initial_connection_window_size(window)
                .max_header_list_size(LARGEST_HEAD)
                .max_concurrent_reset_streams(MOST_GIVEN_UP)
                .max_local_error_reset_streams(None)
                .handshake(adapter)
                .await?;
            Ok(Box::new(Session {
                connection,
                requests,
            }))
        })
    }

    pub(super) fn poll_handshake(
        &self,
        handshake: &mut Handshake,
    ) -> Poll<Result<Box<Session>, h2::Error>> {
        handshake
            .as_mut()
            .poll(&mut Context::from_waker(&self.waker))
    }

    /// Starts a turn. Resumes reading if the last turn left bytes in the socket, because no further
    /// event reports these bytes.
    pub(super) fn begin_turn(&self) {
        if self.readable.is_cut_short() {
            self.ready.set_connection();
        }
        self.readable.begin_turn();
    }

    /// Lets h2 read and write. Returns `Ready` with the reason when the connection has ended.
    pub(super) fn poll(&mut self) -> Poll<Result<(), h2::Error>> {
        match &mut self.phase {
            Phase::Up(session) => {
                Pin::new(&mut session.connection).poll(&mut Context::from_waker(&self.waker))
            }
            _ => Poll::Pending,
        }
    }

    /// Whether the connection can open another stream now.
    pub(super) fn can_open_stream(&mut self) -> bool {
        if self.is_ending {
            return false;
        }
        let Phase::Up(session) = &mut self.phase else {
            return false;
        };
        let allowed = session.requests.current_max_send_streams();
        if self.has_response {
            self.streams_allowed = allowed;
        }
        if self.out >= allowed {
            return false;
        }
        match session
            .requests
            .poll_ready(&mut Context::from_waker(&self.waker))
        {
            Poll::Ready(Ok(())) => true,
            Poll::Pending => false,
            Poll::Ready(Err(_)) => {
                self.is_ending = true;
                false
            }
        }
    }
}

/// Failure class and text for the streams of a connection that ended.
pub(super) fn reason(end: &Result<(), h2::Error>) -> (ErrorClass, String) {
    match end {
        Ok(()) => (
            ErrorClass::Reset,
            "connection closed without a response".to_owned(),
        ),
        Err(error) => match error.get_io() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => (
                ErrorClass::Reset,
                "connection closed without a response".to_owned(),
            ),
            Some(error) => (ErrorClass::Reset, describe(error)),
            None if error.is_library() => (
                ErrorClass::Protocol,
                format!("not HTTP/2 ({error}); if the server speaks only HTTP/1.1, use --http 1.1"),
            ),
            None => (ErrorClass::Reset, error.to_string()),
        },
    }
}
