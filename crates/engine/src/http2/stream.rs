//! One request and its response: a stream of an HTTP/2 connection.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use h2::client::ResponseFuture;
use h2::{Error, Reason, RecvStream, SendStream};

use super::heads;
use crate::clock::Clock;
use crate::error::ErrorClass;
use crate::exchange::{BodyUse, ResponseHead};
use crate::scheduler::{ResponseSummary, Return, Scheduler};

/// Most bytes of a request body passed to h2 at once. h2 keeps a copy, so this limits memory.
const PART: usize = 64 * 1024;

/// The state of one request.
pub(super) struct Stream {
    /// The request body that is being sent; `None` when the whole body has been passed to h2.
    upload: Option<Upload>,
    download: Download,
}

struct Upload {
    stream: SendStream<Bytes>,
    handed_over: usize,
}

enum Download {
    Awaited(ResponseFuture),
    ResponseBody(ResponseBody),
}

/// A response body that is being received.
struct ResponseBody {
    body: RecvStream,
    status: u16,
    announced: Option<u64>,
    inspect: bool,
    length: u64,
}

/// State of a stream after a call of [`Stream::advance`].
pub(super) enum Outcome {
    Pending,
    ResponseSummary(ResponseSummary),
    /// The stream failed; its connection stays open.
    Failed(ErrorClass, String),
    /// The server has not processed the request, so the request can be sent again.
    Returned(Return),
    /// The stream was lost with its connection.
    Lost,
}

impl Stream {
    pub(super) fn new(response: ResponseFuture, stream: SendStream<Bytes>, body: bool) -> Self {
        let upload = body.then_some(Upload {
            stream,
            handed_over: 0,
        });
        Self {
            upload,
            download: Download::Awaited(response),
        }
    }

    /// Sends and receives as much of the stream as possible without blocking.
    pub(super) fn advance(
        &mut self,
        slot: usize,
        clock: &Clock,
        rendered: &mut Vec<u8>,
        scheduler: &mut Scheduler<'_>,
        cx: &mut Context<'_>,
    ) -> Outcome {
        if let Some(upload) = &mut self.upload {
            let (_, payload) = scheduler.request(slot);
            // An error that stopped the upload is reported when the response is polled.
            if upload.advance(payload, cx) {
                self.upload = None;
            }
        }
        if let Download::Awaited(response) = &mut self.download {
            let answer = match Pin::new(response).poll(cx) {
                Poll::Pending => return Outcome::Pending,
                Poll::Ready(Err(error)) => return outcome_of(&error),
                Poll::Ready(Ok(answer)) => answer,
            };
            heads::render(&answer, rendered);
            let head = ResponseHead {
                status: answer.status().as_u16(),
                length: heads::announced_length(&answer),
                bytes: rendered,
            };
            let inspect = scheduler.head(slot, &head) == BodyUse::Inspect;
            let (status, announced) = (head.status, head.length);
            let body = answer.into_body();
            if !body.is_end_stream() {
                scheduler.first_byte(slot, clock.now());
            }
            self.download = Download::ResponseBody(ResponseBody {
                body,
                status,
                announced,
                inspect,
                length: 0,
            });
        }
        match &mut self.download {
            Download::Awaited(_) => Outcome::Pending,
            Download::ResponseBody(body) => body.advance(slot, scheduler, cx),
        }
    }
}

impl Upload {
    /// Passes as much of the body to h2 as the server's flow-control window allows. Returns whether
    /// the upload has ended.
    fn advance(&mut self, payload: &[u8], cx: &mut Context<'_>) -> bool {
        loop {
            let rest = &payload[self.handed_over..];
            self.stream.reserve_capacity(rest.len().min(PART));
            if self.stream.capacity() == 0 {
                match self.stream.poll_capacity(cx) {
                    Poll::Pending => return false,
                    Poll::Ready(Some(Ok(_))) => continue,
                    Poll::Ready(_) => return true,
                }
            }
            let part = &rest[..rest.len().min(PART).min(self.stream.capacity())];
            self.handed_over += part.len();
            let is_last = self.handed_over == payload.len();
            let sent = self.stream.send_data(Bytes::copy_from_slice(part), is_last);
            if is_last || sent.is_err() {
                return true;
            }
        }
    }
}

impl ResponseBody {
    fn advance(
        &mut self,
        slot: usize,
        scheduler: &mut Scheduler<'_>,
        cx: &mut Context<'_>,
    ) -> Outcome {
        loop {
            match self.body.poll_data(cx) {
                Poll::Pending => return Outcome::Pending,
                Poll::Ready(Some(Ok(part))) => {
                    if self.inspect {
                        scheduler.body(slot, self.length, &part);
                    }
                    self.length += part.len() as u64;
                    // Fails only if the stream has ended, which the next poll reports.
                    let _ = self.body.flow_control().release_capacity(part.len());
                }
                Poll::Ready(Some(Err(error))) => {
                    // RFC 9113 section 8.1: a reset with NO_ERROR after a complete response means
                    // that the server does not need the rest of the request.
                    let is_whole = error.reason() == Some(Reason::NO_ERROR)
                        && error.is_reset()
                        && self.announced == Some(self.length);
                    return if is_whole {
                        self.answered()
                    } else {
                        outcome_of(&error)
                    };
                }
                Poll::Ready(None) => return self.answered(),
            }
        }
    }

    fn answered(&self) -> Outcome {
        Outcome::ResponseSummary(ResponseSummary {
            status: self.status,
            length: self.length,
            // Body bytes only: header compression depends on earlier heads, so a head has no fixed
            // size.
            received: self.length,
            cut_at: None,
            reusable: true,
        })
    }
}

fn outcome_of(error: &Error) -> Outcome {
    let reason = error.reason().unwrap_or(Reason::NO_ERROR);
    if error.is_go_away() && error.is_remote() {
        return Outcome::Returned(Return::GoAway);
    }
    if error.is_reset() && error.is_remote() {
        if reason == Reason::REFUSED_STREAM {
            return Outcome::Returned(Return::RefusedStream);
        }
        let text = format!("stream reset by the server: {}", reason.description());
        return Outcome::Failed(ErrorClass::Reset, text);
    }
    if error.is_reset() {
        return Outcome::Failed(ErrorClass::Protocol, error.to_string());
    }
    Outcome::Lost
}
