//! Requests of one connection that are being written or are waiting for a response.

use std::collections::VecDeque;
use std::io::{self, IoSlice};

use crate::clock::Clock;
use crate::exchange::InFile;
use crate::scheduler::Scheduler;
use crate::transport::Transport;

/// Smallest body that is sent directly from its file, bytes. For smaller bodies, a copy costs less
/// than a second system call.
const WORTH_A_FILE: usize = 32 * 1024;
/// Most buffers per write; a request has two: head and body.
const MOST_PIECES: usize = 64;

/// Result of a write.
pub(super) enum Wrote {
    /// Everything was written that the socket took, which can be all.
    Partial,
    /// The write failed.
    Failed(io::Error),
}

/// The requests in flight on a connection, in the order of their responses.
#[derive(Debug)]
pub(super) struct Outbox {
    slots: VecDeque<usize>,
    /// Number of requests whose write has started.
    started: usize,
    /// Number of completely written requests.
    completed: usize,
    /// Bytes written of the first request that is not completely written.
    written: usize,
}

impl Outbox {
    pub(super) fn with_capacity(depth: usize) -> Self {
        Self {
            slots: VecDeque::with_capacity(depth),
            started: 0,
            completed: 0,
            written: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        (self.started, self.completed, self.written) = (0, 0, 0);
    }

    #[inline]
    pub(super) fn push(&mut self, slot: usize) {
        self.slots.push_back(slot);
    }

    /// The slot of the next response.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        self.slots.front().copied()
    }

    /// Removes the first request, whose response is complete.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<usize> {
        let slot = self.slots.pop_front()?;
        if self.completed == 0 {
            // The response arrived before the request was completely written.
            self.written = 0;
        }
        self.started = self.started.saturating_sub(1);
        self.completed = self.completed.saturating_sub(1);
        Some(slot)
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether all requests are completely written.
    #[inline]
    pub(super) fn is_written(&self) -> bool {
        self.completed == self.slots.len()
    }

    /// Bytes written of the first request; `None` if it is completely written.
    #[inline]
    pub(super) fn first_is_cut_at(&self) -> Option<u64> {
        (self.completed == 0).then_some(self.written as u64)
    }

    /// Writes until all requests are written or the socket is full.
    #[inline]
    pub(super) fn write(
        &mut self,
        transport: &mut Transport,
        clock: &Clock,
        scheduler: &mut Scheduler<'_>,
    ) -> Wrote {
        if self.started < self.slots.len() {
            let now = clock.now();
            for &slot in self.slots.range(self.started..) {
                scheduler.writing(slot, now);
            }
            self.started = self.slots.len();
        }
        while !self.is_written() {
            match self.write_once(transport, scheduler) {
                Ok(count) => self.advance(count, scheduler),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Wrote::Failed(error),
            }
        }
        match transport.flush() {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Wrote::Failed(error),
            _ => Wrote::Partial,
        }
    }

    #[inline]
    fn write_once(
        &self,
        transport: &mut Transport,
        scheduler: &Scheduler<'_>,
    ) -> io::Result<usize> {
        let slot = self.slots[self.completed];
        let (head, payload) = scheduler.request(slot);
        if payload.len() >= WORTH_A_FILE
            && transport.sends_files()
            && let Some(body) = scheduler.payload_file(slot)
        {
            return self.write_from_file(transport, head, payload.len(), body);
        }
        if self.completed + 1 == self.slots.len() {
            if payload.is_empty() {
                return transport.write(&head[self.written..]);
            }
            if self.written >= head.len() {
                return transport.write(&payload[self.written - head.len()..]);
            }
        }
        self.write_several(transport, scheduler)
    }

    /// Writes the rest of the head or, after the head, lets the kernel send the body from its file.
    fn write_from_file(
        &self,
        transport: &mut Transport,
        head: &[u8],
        length: usize,
        body: InFile<'_>,
    ) -> io::Result<usize> {
        let Some(sent) = self.written.checked_sub(head.len()) else {
            return transport.write_and_more(&head[self.written..]);
        };
        let from = body.offset + sent as u64;
        match transport.send_file(body.file, from, length - sent)? {
            0 => Err(io::Error::other(
                "the file of a request body is shorter than the body",
            )),
            count => Ok(count),
        }
    }

    fn write_several(
        &self,
        transport: &mut Transport,
        scheduler: &Scheduler<'_>,
    ) -> io::Result<usize> {
        let mut pieces = [IoSlice::new(&[]); MOST_PIECES];
        let mut used = 0;
        let mut skip = self.written;
        for &slot in self.slots.range(self.completed..) {
            if used + 2 > MOST_PIECES {
                break;
            }
            let (head, payload) = scheduler.request(slot);
            for piece in [head, payload] {
                let from = skip.min(piece.len());
                skip -= from;
                if from < piece.len() {
                    pieces[used] = IoSlice::new(&piece[from..]);
                    used += 1;
                }
            }
        }
        transport.write_vectored(&pieces[..used])
    }

    #[inline]
    fn advance(&mut self, count: usize, scheduler: &Scheduler<'_>) {
        self.written += count;
        while self.completed < self.slots.len() {
            let (head, payload) = scheduler.request(self.slots[self.completed]);
            let length = head.len() + payload.len();
            if self.written < length {
                return;
            }
            self.written -= length;
            self.completed += 1;
        }
    }
}
