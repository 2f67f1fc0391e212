//! Bodies of answers, those among them that end before they should.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// What follows a head.
#[derive(Debug, Default)]
pub(super) struct Parts {
    parts: VecDeque<Bytes>,
    /// Bytes that the head announces beyond those that come.
    owed: u64,
    /// How long the connection stays open before it is closed for what is owed.
    delay: Duration,
    /// The rest of that time, once the head has been written.
    rest: Option<Pin<Box<Sleep>>>,
}

/// The connection is closed inside a body, as the access layer does when it finds
/// after the head that it cannot read the content.
#[derive(Debug, thiserror::Error)]
#[error("the body ends before it should")]
pub(super) struct CutOff;

impl Parts {
    /// All these bytes, and no more.
    pub(super) fn whole(parts: impl IntoIterator<Item = Bytes>) -> Self {
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            parts,
            ..Self::default()
        }
    }

    /// A head that announces so many bytes. If there are fewer, the connection is closed
    /// behind them.
    pub(super) fn announced(parts: impl IntoIterator<Item = Bytes>, announced: u64) -> Self {
        let mut body = Self::whole(parts);
        body.owed = announced.saturating_sub(body.there());
        body
    }

    /// The same, with the connection left open for so long before it is closed.
    pub(super) fn delayed(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    fn there(&self) -> u64 {
        self.parts.iter().map(|part| part.len() as u64).sum()
    }
}

impl From<Vec<u8>> for Parts {
    fn from(bytes: Vec<u8>) -> Self {
        Self::whole([bytes.into()])
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
        // hyper writes out what it has gathered, the head with it, only when nothing more
        // is at hand; an error now would throw that away.
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
