//! A time limit for writes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::connection::Io;

/// A connection on which a write fails if the reader takes nothing for some time.
pub(super) struct Impatient {
    io: Box<dyn Io>,
    limit: Duration,
    /// Until a write that has to wait fails.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    pub(super) fn new(io: Box<dyn Io>, limit: Duration) -> Self {
        Self {
            io,
            limit,
            waiting: None,
        }
    }

    fn within_limit<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut Box<dyn Io>>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let done @ Poll::Ready(_) = write(Pin::new(&mut self.io), context) {
            self.waiting = None;
            return done;
        }
        let limit = self.limit;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(limit)));
        let late = |()| Err(io::ErrorKind::TimedOut.into());
        waiting.as_mut().poll(context).map(late)
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.within_limit(context, |io, context| io.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.within_limit(context, |io, context| io.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.within_limit(context, |io, context| io.poll_shutdown(context))
    }
}
