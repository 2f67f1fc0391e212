//! The seam for an S3 operation, and the table of them.
//!
//! A new operation is one file in `actions/` with one `Action` and its line in
//! [`ACTIONS`].

use std::sync::{Arc, Mutex};

use tenbin_engine::{
    AnswerHead, BodyUse, ErrorClass, Exchange, InFile, Judgement, Moment, Next, Role, Whole,
};
use tenbin_plan::{S3Operation, S3Work};

use crate::s3::actions;
use crate::s3::content::Content;
use crate::s3::context::WorkerContext;
use crate::s3::objects::appended::Lengths;
use crate::s3::objects::marks::Marks;
use crate::s3::objects::orders::Orders;
use crate::s3::place::Place;
use crate::site::Site;

/// How an operation comes to be. The only place where one is registered.
pub(crate) struct ActionKind {
    pub(crate) operation: S3Operation,
    /// What has to be there before it can be sent.
    pub(crate) layout: Layout,
    /// How to find out whether the server has it, for one that a server may lack.
    pub(crate) probe: Option<Probe>,
    /// Makes the one of a worker.
    pub(crate) make: fn(&mut Setting<'_>) -> Box<dyn Action>,
}

/// The requests that find out whether a server has an operation, before the first
/// slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe {
    /// What the server lacks if they fail: `append`.
    pub(crate) what: &'static str,
    /// How many.
    pub(crate) requests: u32,
}

impl Probe {
    /// One request of the operation.
    pub(crate) const fn once(what: &'static str) -> Option<Self> {
        Some(Self { what, requests: 1 })
    }
}

/// Every operation.
pub(crate) const ACTIONS: &[ActionKind] = &[
    actions::put::KIND,
    actions::get::KIND,
    actions::delete::KIND,
    actions::delete_batch::KIND,
    actions::list::KIND,
    actions::stat::KIND,
    actions::copy::KIND,
    actions::multipart::KIND,
    actions::get_part::KIND,
    actions::tags::PUT,
    actions::tags::GET,
    actions::tags::DELETE,
    actions::lock::RETAIN,
    actions::lock::LEGAL_HOLD,
    actions::append::KIND,
    actions::snowball::KIND,
    actions::zip_get::KIND,
    actions::zip_list::KIND,
    actions::fan_out::KIND,
];

/// The kind of an operation, if there is one yet.
pub(crate) fn kind_of(operation: S3Operation) -> Option<&'static ActionKind> {
    ACTIONS.iter().find(|kind| kind.operation == operation)
}

/// What has to be there before an operation can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Nothing.
    Nothing,
    /// Every object of the workload, in each of its versions.
    Objects,
    /// Every object of the workload, uploaded in parts.
    InParts,
    /// Every object of the workload, so many to a ZIP archive.
    Archives,
}

/// What an operation is made from, for one worker of one slice.
pub(crate) struct Setting<'a> {
    pub(crate) work: &'a Arc<S3Work>,
    pub(crate) place: &'a Arc<Place>,
    pub(crate) content: &'a Arc<Content>,
    pub(crate) target: &'a Site,
    pub(crate) keep_alive: bool,
    /// How often each object has been appended to.
    pub(crate) lengths: &'a Arc<Lengths>,
    pub(crate) seed: u64,
    /// The workload's name, as a number.
    pub(crate) name: u64,
    /// What may have been made, and how far the run has come.
    pub(crate) marks: &'a mut Marks,
    /// Which worker of how many.
    pub(crate) worker: usize,
    pub(crate) workers: usize,
    /// Connections of this worker, at least 1.
    pub(crate) connections: usize,
    /// Its place among the operations of a mix, in a measured slice.
    pub(crate) part: Option<usize>,
    /// Which objects are next, from slice to slice.
    pub(crate) orders: &'a Arc<Mutex<Orders>>,
    /// Whether it is to find out what the server knows.
    pub(crate) probing: bool,
}

/// One S3 operation, or a few that belong together: how it asks, and what counts as
/// an answer. Each worker has its own. [`Exchange::op`] counts from 0 within
/// [`Action::operations`]; [`Exchange::tag`] is the action's own.
pub(crate) trait Action: Send {
    /// Names of its operations.
    fn operations(&self) -> &'static [&'static str];

    /// What the operation at that place is to the work.
    fn role(&self, op: usize) -> Role {
        let _ = op;
        Role::Request
    }

    /// Prepares the next request. [`Next::Wait`] where something else has to come
    /// first: an answer, or in a mix another operation.
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
        head: &AnswerHead<'_>,
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

    /// As [`tenbin_engine::Workload::judge`].
    fn judge(
        &mut self,
        context: &mut WorkerContext,
        exchange: &mut Exchange,
        status: u16,
        length: u64,
    ) -> Judgement;

    /// As [`tenbin_engine::Workload::lost`].
    fn lost(&mut self, context: &mut WorkerContext, exchange: &mut Exchange, class: ErrorClass) {
        let _ = (context, exchange, class);
    }

    /// As [`tenbin_engine::Workload::whole`].
    fn whole(&mut self) -> Option<Whole> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_there_once() {
        for operation in S3Operation::all() {
            let of_it = ACTIONS.iter().filter(|kind| kind.operation == operation);
            assert_eq!(of_it.count(), 1, "{}", operation.name());
        }
    }
}
