//! The trait [`Action`] of S3 operations.
//!
//! To add an operation, add its row in `tenbin_plan`, create a file in `actions/` with an
//! implementation of [`Action`], and name the file in `actions/mod.rs`.

use std::sync::{Arc, Mutex};

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, ResponseHead, Role, Transaction,
};
use tenbin_plan::s3::Feature;
use tenbin_plan::{S3Operation, S3Work};

use crate::s3::content::Content;
use crate::s3::context::WorkerContext;
use crate::s3::objects::appended::Lengths;
use crate::s3::objects::marks::Marks;
use crate::s3::objects::orders::Orders;
use crate::s3::place::Place;
use crate::site::Site;

/// What must exist before an operation can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Nothing.
    Nothing,
    /// Every object of the workload, in each of its versions.
    Objects,
    /// Every object of the workload, stored by multipart upload.
    InParts,
    /// Every object of the workload, in ZIP archives.
    Archives,
}

impl Layout {
    /// What must exist for this operation.
    pub(crate) fn of(operation: S3Operation) -> Self {
        if !operation.needs_objects() {
            Self::Nothing
        } else if operation.has(Feature::Archive) {
            Self::Archives
        } else if operation.has(Feature::Parts) {
            Self::InParts
        } else {
            Self::Objects
        }
    }
}

/// Arguments for the creation of an action for one worker of one slice.
pub(crate) struct Setting<'a> {
    pub(crate) work: &'a Arc<S3Work>,
    pub(crate) place: &'a Arc<Place>,
    pub(crate) content: &'a Arc<Content>,
    pub(crate) target: &'a Site,
    pub(crate) keep_alive: bool,
    /// Number of appends to each object so far.
    pub(crate) lengths: &'a Arc<Lengths>,
    pub(crate) seed: u64,
    /// Hash of the workload's name, on which random choices depend.
    pub(crate) name: u64,
    /// Objects that Tenbin may have created, and progress of the run.
    pub(crate) marks: &'a mut Marks,
    /// Index of the worker, below `workers`.
    pub(crate) worker: usize,
    pub(crate) workers: usize,
    /// Connections of this worker, at least 1.
    pub(crate) connections: usize,
    /// Index among the operations of the mix; `None` outside measured slices.
    pub(crate) part: Option<usize>,
    /// The order in which each worker selects objects and its position in that order, kept from
    /// slice to slice.
    pub(crate) orders: &'a Arc<Mutex<Orders>>,
    /// Whether the action only checks that the server supports the operation.
    pub(crate) probing: bool,
}

/// Writes the requests and judges the responses of one S3 operation or of several related
/// operations. Each worker has its own instance. [`Exchange::op`] is an index into
/// [`Action::operations`]; the action can use [`Exchange::tag`] freely.
pub(crate) trait Action: Send {
    /// Names of the operations: usually the titles of an [`S3Operation`].
    fn operations(&self) -> &'static [&'static str];

    /// Role of the operation with this index.
    fn role(&self, op: usize) -> Role {
        let _ = op;
        Role::Request
    }

    /// Prepares the next request. Returns [`Next::Wait`] if the request must wait for a response,
    /// or for another operation of a mix.
    fn next(&mut self, context: &mut WorkerContext, now: Moment, exchange: &mut Exchange) -> Next;

    /// As [`tenbin_engine::Workload::payload`].
    fn payload<'a>(&'a self, context: &'a WorkerContext, exchange: &Exchange) -> &'a [u8] {
        let _ = (context, exchange);
        &[]
    }

    /// As [`tenbin_engine::Workload::payload_file`].
    fn payload_file<'a>(
        &'a self,
        context: &'a WorkerContext,
        exchange: &Exchange,
    ) -> Option<InFile<'a>> {
        let _ = (context, exchange);
        None
    }

    /// As [`tenbin_engine::Workload::head`].
    fn head(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        head: &ResponseHead<'_>,
    ) -> BodyUse {
        context.refusals.head(exchange, head)
    }

    /// As [`tenbin_engine::Workload::body`].
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

    /// As [`tenbin_engine::Workload::judge`]; without an own rule, 200 and 204 are correct.
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

    /// As [`tenbin_engine::Workload::lost`].
    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (context, exchange, class);
    }

    /// As [`tenbin_engine::Workload::transaction`].
    fn transaction(&mut self) -> Option<Transaction> {
        None
    }
}
