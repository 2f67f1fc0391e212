//! Requests in flight, and requests that wait for a retry.

use tenbin_engine::Exchange;

use crate::s3::slots::Slots;

/// State of a request until its last attempt is judged.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Tag, note and operation that the inner workload set.
    pub(super) tag: u64,
    note: u64,
    pub(super) op: usize,
    /// Attempts refused so far.
    pub(super) refusals: u32,
    /// Time at which the first attempt was prepared, nanoseconds since the start of the slice.
    pub(super) started: u64,
    /// As `started`, of the last attempt.
    last_started: u64,
    /// Number of times that the limit of concurrent requests had been halved when the current
    /// attempt was admitted.
    pub(super) mark: u64,
    /// Whether the current attempt was refused and will be retried.
    pub(super) again: bool,
    /// The wait that the server requested, nanoseconds.
    pub(super) requested_wait: Option<u64>,
    /// Start of the body of a refusal.
    pub(super) body: Vec<u8>,
}

/// A request that waits for a retry.
#[derive(Debug)]
struct Waiting {
    place: usize,
    /// Length of the wait, nanoseconds; the next [`Ledger::wake`] sets `due`, the end of the wait.
    wait: u64,
    due: Option<u64>,
    host: usize,
    head: Vec<u8>,
    bodyless_response: bool,
    timeout: u64,
    content: Option<u64>,
}

/// Bytes of a refusal's body that are searched for the error code.
const SEARCHED_BYTES: usize = 4096;

/// All requests of one worker. While a request is in flight, [`Exchange::tag`] is its index in
/// `sent`.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    sent: Slots<Sent>,
    waiting: Vec<Waiting>,
    out: usize,
}

impl Ledger {
    /// Requests in flight.
    pub(super) fn out(&self) -> usize {
        self.out
    }

    /// Requests that wait for a retry.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Starts the waits of newly refused requests at time `now`, nanoseconds.
    pub(super) fn wake(&mut self, now: u64) {
        for waiting in &mut self.waiting {
            let wait = waiting.wait;
            waiting.due.get_or_insert_with(|| now.saturating_add(wait));
        }
    }

    /// Time at which the first waiting request is due, nanoseconds; valid after [`Ledger::wake`].
    pub(super) fn next_due(&self) -> Option<u64> {
        self.waiting.iter().filter_map(|waiting| waiting.due).min()
    }

    /// Adds a request that the inner workload has just prepared.
    pub(super) fn enter(&mut self, exchange: &mut Exchange, now: u64) -> &mut Sent {
        let place = self.sent.take();
        let sent = &mut self.sent[place];
        (sent.tag, sent.note, sent.op) = (exchange.tag, exchange.note, exchange.op);
        (sent.refusals, sent.started, sent.mark) = (0, now, 0);
        sent.last_started = now;
        (sent.again, sent.requested_wait) = (false, None);
        exchange.tag = place as u64;
        exchange.repeats = 0;
        self.out += 1;
        sent
    }

    /// State of the request of this exchange.
    pub(super) fn of(&self, exchange: &Exchange) -> &Sent {
        &self.sent[exchange.tag as usize]
    }

    pub(super) fn of_mut(&mut self, exchange: &Exchange) -> &mut Sent {
        &mut self.sent[exchange.tag as usize]
    }

    /// Marks the current attempt as refused, and marks the request for a retry.
    pub(super) fn refuse(&mut self, exchange: &Exchange, requested_wait: Option<u64>) {
        let sent = self.of_mut(exchange);
        (sent.again, sent.requested_wait) = (true, requested_wait);
        sent.refusals += 1;
        sent.body.clear();
    }

    /// Adds a part of the body of a refusal.
    pub(super) fn body(&mut self, exchange: &Exchange, part: &[u8]) {
        let body = &mut self.of_mut(exchange).body;
        let space = SEARCHED_BYTES.saturating_sub(body.len());
        body.extend_from_slice(&part[..part.len().min(space)]);
    }

    /// Keeps a refused request for `wait` nanoseconds.
    pub(super) fn park(&mut self, exchange: &Exchange, wait: u64) {
        self.out -= 1;
        self.waiting.push(Waiting {
            place: exchange.tag as usize,
            wait,
            due: None,
            host: exchange.host,
            // A copy, since the inner workload may rely on the head staying in place.
            head: exchange.head.clone(),
            bodyless_response: exchange.bodyless_response,
            timeout: exchange.timeout,
            content: exchange.content,
        });
    }

    /// Puts a due request back into an exchange, if a request for the exchange's host is due.
    pub(super) fn resume(&mut self, exchange: &mut Exchange, now: u64) -> Option<&mut Sent> {
        let ready = |waiting: &Waiting| {
            waiting.due.is_some_and(|due| due <= now) && waiting.host == exchange.host
        };
        let at = self.waiting.iter().position(ready)?;
        let waiting = self.waiting.swap_remove(at);
        let sent = &mut self.sent[waiting.place];
        exchange.head = waiting.head;
        exchange.tag = waiting.place as u64;
        exchange.note = sent.note;
        exchange.op = sent.op;
        exchange.bodyless_response = waiting.bodyless_response;
        exchange.timeout = waiting.timeout;
        exchange.content = waiting.content;
        exchange.repeats = sent.refusals;
        (sent.again, sent.requested_wait) = (false, None);
        sent.last_started = now;
        self.out += 1;
        Some(sent)
    }

    /// Ends a request: restores the tag of the exchange and returns the request's state.
    pub(super) fn close(&mut self, exchange: &mut Exchange) -> Over {
        let place = exchange.tag as usize;
        let sent = &self.sent[place];
        exchange.tag = sent.tag;
        let over = Over {
            op: sent.op,
            refusals: sent.refusals,
            started: sent.started,
            last_started: sent.last_started,
        };
        self.sent.give_back(place);
        self.out -= 1;
        over
    }

    /// Calls `call` with the tag and operation that the inner workload set.
    pub(super) fn inside<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut Exchange) -> T,
    ) -> T {
        let place = exchange.tag;
        let op = exchange.op;
        exchange.tag = self.sent[place as usize].tag;
        exchange.op = self.sent[place as usize].op;
        let result = call(exchange);
        self.sent[place as usize].tag = std::mem::replace(&mut exchange.tag, place);
        exchange.op = op;
        result
    }

    /// A copy of the exchange with the tag and operation that the inner workload set, without the
    /// head.
    pub(super) fn likeness(&self, exchange: &Exchange) -> Exchange {
        let sent = self.of(exchange);
        Exchange {
            head: Vec::new(),
            op: sent.op,
            host: exchange.host,
            bodyless_response: exchange.bodyless_response,
            timeout: exchange.timeout,
            content: exchange.content,
            repeats: exchange.repeats,
            tag: sent.tag,
            note: exchange.note,
            sum: exchange.sum,
        }
    }
}

/// Final state of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    /// Operation of the inner workload.
    pub(super) op: usize,
    pub(super) refusals: u32,
    pub(super) started: u64,
    pub(super) last_started: u64,
}
