//! Response bodies, including bodies that end too early.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// The body of a response; shorter than announced if `owed` is not 0.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: VecDeque<Bytes>,
    /// Number of bytes that the head announces but the body lacks.
    owed: u64,
    /// Delay before the connection of an incomplete body is closed.
    delay: Duration,
    /// The rest of `delay`, once the head has been written.
    rest: Option<Pin<Box<Sleep>>>,
}

/// Error that closes the connection inside a body. CubeFS also closes the connection if reading the
/// content fails after the head has been sent.
#[derive(Debug, thiserror::Error)]
#[error("the body ends before it should")]
pub(super) struct CutOff;

impl Parts {
    /// Creates a complete body.
    pub(super) fn complete(parts: impl IntoIterator<Item = Bytes>) -> Self {
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            parts,
            ..Self::default()
        }
    }

    /// Creates a body whose head announces `announced` bytes. If `parts` has fewer bytes, the
    /// connection is closed after the last byte.
    pub(super) fn announced(parts: impl IntoIterator<Item = Bytes>, announced: u64) -> Self {
        let mut body = Self::complete(parts);
        body.owed = announced.saturating_sub(body.there());
        body
    }

    /// Sets the delay before the connection is closed.
    pub(super) fn delayed(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    fn there(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

impl From<Vec<u8>> for Parts {
    fn from(bytes: Vec<u8>) -> Self {
        Self::complete([bytes.into()])
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        if let Some(part) = self.parts.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(part))));
        }
        if self.owed == 0 {
            return Poll::Ready(None);
        }
        // hyper writes its buffer, which includes the head, only when no more data is ready. An
        // error now would discard the buffer.
        let Some(rest) = &mut self.rest else {
            self.rest = Some(Box::pin(sleep(self.delay)));
            context.waker().wake_by_ref();
            return Poll::Pending;
        };
        rest.as_mut().poll(context).map(|()| Some(Err(CutOff)))
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_empty() && self.owed == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.there() + self.owed)
    }
}
