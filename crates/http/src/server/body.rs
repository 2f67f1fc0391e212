//! Bodies of responses: complete, or a stream of server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Sleep, sleep};

/// Interval of comments in an event stream without events. Sending a comment detects a closed
/// connection.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The body of a response.
#[derive(Debug)]
pub struct Body {
    /// What is sent first.
    first: Option<Bytes>,
    events: Option<Receiver<Arc<str>>>,
    /// Until the next comment.
    quiet: Option<Pin<Box<Sleep>>>,
}

/// The sender of the events of one body. Dropping it ends the body.
#[derive(Debug)]
pub struct EventSender(Sender<Arc<str>>);

impl EventSender {
    /// Sends an event without waiting. Returns false if the client is gone, or so far behind that
    /// the queue is full.
    pub fn send(&self, event: Arc<str>) -> bool {
        self.0.try_send(event).is_ok()
    }
}

impl Body {
    /// A complete body.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self {
            first: Some(bytes.into()).filter(|bytes| !bytes.is_empty()),
            events: None,
            quiet: None,
        }
    }

    /// A stream of server-sent events: first the text, then every event, of which at most `queue`
    /// wait for the client.
    pub fn events(first: String, queue: usize) -> (Self, EventSender) {
        let (sender, receiver) = channel(queue);
        let body = Self {
            events: Some(receiver),
            ..Self::whole(first)
        };
        (body, EventSender(sender))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = |bytes| Poll::Ready(Some(Ok(Frame::data(bytes))));
        if let Some(first) = self.first.take() {
            return data(first);
        }
        let Some(events) = &mut self.events else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(event) = events.poll_recv(context) {
            self.quiet = None;
            return match event {
                Some(event) => data(Bytes::copy_from_slice(event.as_bytes())),
                None => Poll::Ready(None),
            };
        }
        let quiet = self.quiet.get_or_insert_with(|| Box::pin(sleep(HEARTBEAT)));
        if quiet.as_mut().poll(context).is_ready() {
            self.quiet = None;
            return data(Bytes::from_static(b":\n\n"));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.events.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match self.events {
            None => SizeHint::with_exact(self.first.as_ref().map_or(0, Bytes::len) as u64),
            Some(_) => SizeHint::default(),
        }
    }
}
