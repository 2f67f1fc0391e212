//! One HTTP/2 connection: what h2 keeps of it, and who waits for it.

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

/// Most bytes that the servers of one generator thread may send ahead, over all of its
/// connections: it bounds what the thread can be made to hold.
const MOST_AHEAD: usize = 256 * 1024 * 1024;
/// Largest flow-control window of one connection and of each of its streams, bytes: 10 Gb/s
/// over a round trip of 10 ms need 12.5 MB.
const LARGEST_WINDOW: usize = 16 * 1024 * 1024;
/// Smallest one: the default of RFC 9113, section 6.9.2.
const SMALLEST_WINDOW: usize = 65_535;
/// Most bytes of a response head, as RFC 9113, section 6.5.2 counts them.
const LARGEST_HEAD: u32 = 256 * 1024;
/// How many streams that were given up are remembered, so that what still comes
/// for them is no error.
const MOST_GIVEN_UP: usize = 10_000;

type Greeting = Pin<Box<dyn Future<Output = Result<Box<Session>, h2::Error>>>>;

pub(super) struct Session {
    connection: Connection<Adapter, Bytes>,
    pub(super) requests: SendRequest<Bytes>,
}

pub(super) enum Phase {
    Down,
    Dialing(Box<Transport>, Dialing),
    /// The preface is being written.
    Greeting(Greeting, Dialing, Opened),
    Up(Box<Session>),
}

/// The flow-control window of each of `connections`, and of each stream, bytes.
pub(super) fn window(connections: usize) -> u32 {
    let share = MOST_AHEAD / connections.max(1);
    share.clamp(SMALLEST_WINDOW, LARGEST_WINDOW) as u32
}

/// A connection and its streams.
pub(super) struct Link {
    pub(super) phase: Phase,
    /// Its flow-control window, and that of each stream, bytes.
    window: u32,
    pub(super) readable: Rc<Readable>,
    pub(super) ready: Arc<ReadyTasks>,
    waker: Waker,
    /// One for each stream.
    pub(super) wakers: Vec<Waker>,
    /// Lanes whose request is to be sent.
    pub(super) waiting: VecDeque<usize>,
    /// Streams that are out.
    pub(super) out: usize,
    /// When the server was last heard on it, nanoseconds since the origin.
    pub(super) heard_at: u64,
    /// It gets no more requests: the server takes none, or is not heard any more.
    pub(super) is_ending: bool,
    /// The server is not heard any more.
    pub(super) is_silent: bool,
    /// It is on the list of those that have something to go on with, or going on.
    pub(super) is_listed: bool,
    /// Counts how often it was opened or closed.
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
            heard_at: 0,
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
        self.is_ending = false;
        self.is_silent = false;
        self.age += 1;
    }

    /// Begins HTTP/2 on a transport that is ready.
    pub(super) fn greet(&self, transport: Transport, shared: Shared) -> Greeting {
        // What the server said first may have come with the end of the handshake.
        self.readable.news.set(true);
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

    pub(super) fn poll_greeting(
        &self,
        greeting: &mut Greeting,
    ) -> Poll<Result<Box<Session>, h2::Error>> {
        greeting
            .as_mut()
            .poll(&mut Context::from_waker(&self.waker))
    }

    /// Allows reading to continue. What the last turn was not allowed to read comes
    /// without an event.
    pub(super) fn begin_turn(&self) {
        if self.readable.is_cut_short() {
            self.ready.set_connection();
        }
        self.readable.begin_turn();
    }

    /// Lets h2 read and write; how the connection ended, if it did.
    pub(super) fn poll(&mut self) -> Poll<Result<(), h2::Error>> {
        match &mut self.phase {
            Phase::Up(session) => {
                Pin::new(&mut session.connection).poll(&mut Context::from_waker(&self.waker))
            }
            _ => Poll::Pending,
        }
    }

    /// Whether another stream may be opened now.
    pub(super) fn has_room(&mut self) -> bool {
        if self.is_ending {
            return false;
        }
        let Phase::Up(session) = &mut self.phase else {
            return false;
        };
        if self.out >= session.requests.current_max_send_streams() {
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

/// Why a connection ended, for those that fell with it.
pub(super) fn reason(end: &Result<(), h2::Error>) -> (ErrorClass, String) {
    match end {
        Ok(()) => (
            ErrorClass::Reset,
            "connection closed without an answer".to_owned(),
        ),
        Err(error) => match error.get_io() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => (
                ErrorClass::Reset,
                "connection closed without an answer".to_owned(),
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
