//! Adds requests to the list of the slowest and the failed requests, and to the log.

use super::Scheduler;
use crate::error::ErrorClass;
use crate::request_list::EndedRequest;
use crate::request_log::{RequestEntry, RequestLog, RequestLogger};
use crate::tally::{Ended, Times};

/// The end of a request on a slot. The operation is that of the request, which the workload can
/// change when it judges the response.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestEnd {
    pub(super) op: usize,
    pub(super) host: usize,
    pub(super) times: Times,
    /// Time of the first byte of the response; 0 without a byte.
    pub(super) first_byte: u64,
    /// `None` without a complete response.
    pub(super) status: Option<u16>,
}

impl RequestEnd {
    pub(super) fn answered(ended: &Ended, status: u16) -> Self {
        Self {
            op: ended.op,
            host: ended.host,
            times: ended.times,
            first_byte: ended.first_byte,
            status: Some(status),
        }
    }
}

impl Scheduler<'_> {
    /// Lists the request on `slot`, whose response is correct, if it is one of the slowest that were
    /// due in the window.
    #[inline]
    pub(super) fn list_if_slow(&mut self, slot: usize, end: RequestEnd) {
        let requests = self.requests.as_ref();
        if requests.is_some_and(|requests| requests.is_slow(end.times))
            && self.tally.is_due_inside(end.times.intended)
        {
            self.list(slot, end, None);
        }
    }

    /// Lists the request on `slot`.
    #[cold]
    pub(super) fn list(
        &mut self,
        slot: usize,
        end: RequestEnd,
        failure: Option<(ErrorClass, &str)>,
    ) {
        let Some(requests) = &mut self.requests else {
            return;
        };
        let entry = &self.slots[slot];
        let is_first = entry.opens_connection && entry.writes > 0;
        let ended = EndedRequest {
            slot: entry.has_head.then_some(slot),
            op: end.op,
            host: end.host,
            times: end.times,
            first_byte: end.first_byte,
            opened: is_first.then(|| self.links[entry.link].opened),
            status: end.status,
            attempts: entry.exchange.repeats + entry.writes,
            head: &entry.exchange.head,
        };
        match failure {
            Some((class, text)) => requests.failed(&ended, class, text),
            None => requests.slow(&ended),
        }
    }

    /// Logs the requests that are due in the window, unless the connections do not belong to the
    /// load. Called once, before the start.
    pub(crate) fn log_to(&mut self, log: &RequestLog, hosts: &[String]) {
        let open_loop = !self.closed_loop;
        self.log = (!self.schedule.beside).then(|| {
            let operations = self.workload.operations();
            let thread = self.schedule.thread;
            Box::new(RequestLogger::new(
                log, thread, open_loop, operations, hosts,
            ))
        });
    }

    /// Logs the request on `slot`, if there is a log.
    #[inline]
    pub(super) fn log(
        &mut self,
        slot: usize,
        end: RequestEnd,
        bytes: u64,
        failure: Option<(ErrorClass, &str)>,
    ) {
        let Some(log) = &mut self.log else {
            return;
        };
        if self.tally.is_due_inside(end.times.intended) {
            let entry = RequestEntry {
                op: end.op,
                host: end.host,
                slot,
                times: end.times,
                first_byte: end.first_byte,
                bytes,
                failure,
                head: &self.slots[slot].exchange.head,
            };
            log.add(&entry, self.schedule.origin_unix.as_nanos() as u64);
        }
    }
}
