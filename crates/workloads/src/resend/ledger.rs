//! Requests that are out, and those that wait to be sent again.

use tenbin_engine::Exchange;

use crate::s3::slots::Slots;

/// What is known of a request until its last attempt is judged.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Tag, note and operation that the workload inside gave it.
    pub(super) tag: u64,
    note: u64,
    pub(super) op: usize,
    /// Attempts that were refused so far.
    pub(super) refusals: u32,
    /// When its first attempt was prepared, nanoseconds of the slice.
    pub(super) started: u64,
    /// The owner's own mark of the attempt that is out.
    pub(super) mark: u64,
    /// The attempt that is out was refused, and is to be sent again.
    pub(super) again: bool,
    /// The wait that the server asked for, nanoseconds.
    pub(super) asked: Option<u64>,
    /// The beginning of the body of a refusal.
    pub(super) body: Vec<u8>,
}

/// A request that waits to be sent again.
#[derive(Debug)]
struct Waiting {
    place: usize,
    /// How long it waits, and until when: known at the next look at the time.
    wait: u64,
    due: Option<u64>,
    host: usize,
    head: Vec<u8>,
    bodyless_answer: bool,
    patience: u64,
    content: Option<u64>,
}

/// As much of the body of a refusal as is searched for its code, bytes.
const SEARCHED_BYTES: usize = 4096;

/// All requests of one worker. While a request is out, [`Exchange::tag`] is its place here.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    sent: Slots<Sent>,
    waiting: Vec<Waiting>,
    out: usize,
}

impl Ledger {
    /// Requests that are out now.
    pub(super) fn out(&self) -> usize {
        self.out
    }

    /// Requests that wait to be sent again.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// It is that late: requests that have just been refused wait from now on.
    pub(super) fn wake(&mut self, now: u64) {
        for waiting in &mut self.waiting {
            let wait = waiting.wait;
            waiting.due.get_or_insert_with(|| now.saturating_add(wait));
        }
    }

    /// When the first waiting request is due, after a [`Ledger::wake`].
    pub(super) fn next_due(&self) -> Option<u64> {
        self.waiting.iter().filter_map(|waiting| waiting.due).min()
    }

    /// Takes a request down that the workload inside has just prepared.
    pub(super) fn enter(&mut self, exchange: &mut Exchange, now: u64) -> &mut Sent {
        let place = self.sent.take();
        let sent = &mut self.sent[place];
        (sent.tag, sent.note, sent.op) = (exchange.tag, exchange.note, exchange.op);
        (sent.refusals, sent.started, sent.mark) = (0, now, 0);
        (sent.again, sent.asked) = (false, None);
        exchange.tag = place as u64;
        self.out += 1;
        sent
    }

    /// What is known of the request of this exchange.
    pub(super) fn of(&self, exchange: &Exchange) -> &Sent {
        &self.sent[exchange.tag as usize]
    }

    pub(super) fn of_mut(&mut self, exchange: &Exchange) -> &mut Sent {
        &mut self.sent[exchange.tag as usize]
    }

    /// The attempt that is out was refused and will be sent again.
    pub(super) fn refuse(&mut self, exchange: &Exchange, asked: Option<u64>) {
        let sent = self.of_mut(exchange);
        (sent.again, sent.asked) = (true, asked);
        sent.refusals += 1;
        sent.body.clear();
    }

    /// A part of the body of a refusal.
    pub(super) fn body(&mut self, exchange: &Exchange, part: &[u8]) {
        let body = &mut self.of_mut(exchange).body;
        let space = SEARCHED_BYTES.saturating_sub(body.len());
        body.extend_from_slice(&part[..part.len().min(space)]);
    }

    /// Keeps a refused request for so long, nanoseconds.
    pub(super) fn park(&mut self, exchange: &Exchange, wait: u64) {
        self.out -= 1;
        self.waiting.push(Waiting {
            place: exchange.tag as usize,
            wait,
            due: None,
            host: exchange.host,
            // A copy: the workload inside may count on the head staying where it is.
            head: exchange.head.clone(),
            bodyless_answer: exchange.bodyless_answer,
            patience: exchange.patience,
            content: exchange.content,
        });
    }

    /// Puts the first request that is due back into an exchange, if there is one for its host.
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
        exchange.bodyless_answer = waiting.bodyless_answer;
        exchange.patience = waiting.patience;
        exchange.content = waiting.content;
        (sent.again, sent.asked) = (false, None);
        self.out += 1;
        Some(sent)
    }

    /// The request is over: gives the exchange its tag back. Returns what was known of it.
    pub(super) fn close(&mut self, exchange: &mut Exchange) -> Over {
        let place = exchange.tag as usize;
        let sent = &self.sent[place];
        exchange.tag = sent.tag;
        let over = Over {
            op: sent.op,
            refusals: sent.refusals,
            started: sent.started,
        };
        self.sent.give_back(place);
        self.out -= 1;
        over
    }

    /// Calls with the exchange as the workload inside knows it.
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

    /// The exchange as the workload inside knows it, without its head.
    pub(super) fn likeness(&self, exchange: &Exchange) -> Exchange {
        let sent = self.of(exchange);
        Exchange {
            head: Vec::new(),
            op: sent.op,
            host: exchange.host,
            bodyless_answer: exchange.bodyless_answer,
            patience: exchange.patience,
            content: exchange.content,
            tag: sent.tag,
            note: exchange.note,
            sum: exchange.sum,
        }
    }
}

/// What was known of a request that is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Over {
    /// The operation of the workload inside.
    pub(super) op: usize,
    pub(super) refusals: u32,
    pub(super) started: u64,
}
