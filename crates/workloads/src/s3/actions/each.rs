//! Operations with one request per object.

use tenbin_engine::{BodyUse, Exchange, Judgement, Moment, Next, ResponseHead};
use tenbin_plan::S3Operation;

use crate::s3::action::Action;
use crate::s3::context::WorkerContext;
use crate::s3::objects::selection::Chooser;

/// The request for one object, and its correct response.
pub(super) trait OneRequest: Send {
    /// The operation that the request is.
    const OPERATION: S3Operation;

    /// Bytes kept of every response; `None` to keep only errors.
    const KEPT_RESPONSE: Option<usize> = None;

    /// Writes the request for the object or version whose number is [`Exchange::tag`].
    fn spec(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange);

    /// The body of every request.
    fn payload(&self) -> &[u8] {
        &[]
    }

    /// As [`Action::head`].
    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        let Some(most) = Self::KEPT_RESPONSE else {
            return context.refusals.head(exchange, head);
        };
        context.refusals.catch_up_to(most, exchange);
        BodyUse::Inspect
    }

    /// As [`Action::body`].
    fn body(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        offset: u64,
        part: &[u8],
    ) {
        let _ = offset;
        context.refusals.body(exchange, part);
    }

    /// As [`Action::judge`].
    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        let _ = length;
        context.refusals.judge_done(exchange, status)
    }
}

/// Sends the request for each selected object, or version of an object. [`Exchange::tag`] is the
/// number of the object or version.
pub(super) struct Each<R> {
    chooser: Chooser,
    request: R,
}

impl<R: OneRequest> Each<R> {
    pub(super) fn new(chooser: Chooser, request: R) -> Self {
        Self { chooser, request }
    }
}

impl<R: OneRequest> Action for Each<R> {
    fn operations(&self) -> &'static [&'static str] {
        R::OPERATION.facts().titles
    }

    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next {
        let Some(thing) = self.chooser.next() else {
            return Next::Exhausted;
        };
        exchange.tag = thing;
        self.request.spec(context, now, exchange);
        Next::Ready
    }

    fn payload<'a>(&'a self, _context: &'a WorkerContext, _exchange: &Exchange) -> &'a [u8] {
        self.request.payload()
    }

    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        self.request.head(context, exchange, head)
    }

    fn body(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        offset: u64,
        part: &[u8],
    ) {
        self.request.body(context, exchange, offset, part);
    }

    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement {
        self.request.judge(context, exchange, status, length)
    }
}
