//! Puts, reads and deletes blobs at the same time, by shares.

use tenbin_engine::{
    BodyUse, ErrorClass, Exchange, InFile, Judgement, Loss, Moment, Next, ResponseHead, Role,
    Transaction, Workload,
};

use crate::rng::Rng;

/// A worker of one operation, and how often it is chosen relative to the others.
pub(crate) type Part = (Box<dyn Workload>, u32);

/// A worker that sends the requests of several workers in given shares.
pub(crate) struct Mixed {
    parts: Vec<Part>,
    /// Sum of the shares.
    all: u64,
    /// Selects the operation.
    rng: Rng,
    /// Names of all operations; `owners` are their part and their index within the part.
    names: Vec<&'static str>,
    owners: Vec<(usize, usize)>,
    /// Index of the first name of each part.
    bases: Vec<usize>,
}

impl Mixed {
    pub(crate) fn new(parts: Vec<Part>, rng: Rng) -> Self {
        let (mut names, mut owners, mut bases) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (worker, _)) in parts.iter().enumerate() {
            bases.push(names.len());
            for (op, name) in worker.operations().iter().enumerate() {
                names.push(*name);
                owners.push((at, op));
            }
        }
        Self {
            all: parts.iter().map(|(_, share)| u64::from(*share)).sum(),
            parts,
            rng,
            names,
            owners,
            bases,
        }
    }

    /// Selects the next part by the shares.
    fn pick(&mut self) -> usize {
        let mut drawn = self.rng.below(self.all);
        let mut shares = self.parts.iter().map(|(_, share)| u64::from(*share));
        let picked = shares.position(|share| match drawn.checked_sub(share) {
            Some(left) => {
                drawn = left;
                false
            }
            None => true,
        });
        picked.unwrap_or(0)
    }

    fn prepare(&mut self, at: usize, now: Moment, exchange: &mut Exchange) -> Next {
        let next = self.parts[at].0.next(now, exchange);
        exchange.op += self.bases[at];
        match next {
            // The previous request can be that of another part.
            Next::Same => Next::Ready,
            next => next,
        }
    }

    /// Calls the worker of the exchange. During the call, [`Exchange::op`] is the index within the
    /// worker's operations.
    fn within<T>(
        &mut self,
        exchange: &mut Exchange,
        call: impl FnOnce(&mut dyn Workload, &mut Exchange) -> T,
    ) -> T {
        let (at, op) = self.owners[exchange.op];
        let outside = std::mem::replace(&mut exchange.op, op);
        let result = call(&mut *self.parts[at].0, exchange);
        exchange.op = outside;
        result
    }

    /// The worker of an exchange that it only reads by its tag.
    fn owner(&self, exchange: &Exchange) -> &dyn Workload {
        let (at, _) = self.owners[exchange.op];
        &*self.parts[at].0
    }
}

impl Workload for Mixed {
    fn operations(&self) -> &[&'static str] {
        &self.names
    }

    fn role(&self, op: usize) -> Role {
        let (at, op) = self.owners[op];
        self.parts[at].0.role(op)
    }

    fn transaction(&mut self) -> Option<Transaction> {
        let mut parts = self.parts.iter_mut().zip(&self.bases);
        parts.find_map(|((worker, _), base)| {
            let whole = worker.transaction()?;
            Some(Transaction {
                op: whole.op + base,
                ..whole
            })
        })
    }

    fn next(&mut self, now: Moment, exchange: &mut Exchange) -> Next {
        let picked = self.pick();
        let next = self.prepare(picked, now, exchange);
        if next != Next::Wait {
            return next;
        }
        // The selected operation has no blob now: another operation is sent.
        for at in (0..self.parts.len()).filter(|&at| at != picked) {
            let next = self.prepare(at, now, exchange);
            if next != Next::Wait {
                return next;
            }
        }
        Next::Wait
    }

    fn payload<'a>(&'a self, exchange: &Exchange) -> &'a [u8] {
        self.owner(exchange).payload(exchange)
    }

    fn payload_file<'a>(&'a self, exchange: &Exchange) -> Option<InFile<'a>> {
        self.owner(exchange).payload_file(exchange)
    }

    fn head(&mut self, exchange: &mut Exchange, head: &ResponseHead<'_>) -> BodyUse {
        self.within(exchange, |worker, exchange| worker.head(exchange, head))
    }

    fn body(&mut self, exchange: &mut Exchange, offset: u64, part: &[u8]) {
        self.within(exchange, |worker, exchange| {
            worker.body(exchange, offset, part);
        });
    }

    fn judge(&mut self, exchange: &mut Exchange, status: u16, length: u64) -> Judgement {
        self.within(exchange, |worker, exchange| {
            worker.judge(exchange, status, length)
        })
    }

    fn loss(&self, exchange: &Exchange, class: ErrorClass) -> Option<Loss> {
        self.owner(exchange).loss(exchange, class)
    }

    fn lost(&mut self, exchange: &mut Exchange, class: ErrorClass) {
        self.within(exchange, |worker, exchange| worker.lost(exchange, class));
    }

    fn unprepared(&mut self, class: ErrorClass) {
        if let Some((first, _)) = self.parts.first_mut() {
            first.unprepared(class);
        }
    }

    fn gives_up(&self) -> bool {
        self.parts.iter().any(|(worker, _)| worker.gives_up())
    }

    fn slice_over(&mut self) {
        for (worker, _) in &mut self.parts {
            worker.slice_over();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `left` requests, then waits.
    struct Few {
        names: [&'static str; 1],
        left: u64,
    }

    impl Workload for Few {
        fn operations(&self) -> &[&'static str] {
            &self.names
        }

        fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
            exchange.op = 0;
            match self.left {
                0 => Next::Wait,
                _ => {
                    self.left -= 1;
                    Next::Ready
                }
            }
        }

        fn judge(&mut self, exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
            assert_eq!(exchange.op, 0, "the index within its own operations");
            Judgement::Failed(ErrorClass::Status, self.names[0].to_owned())
        }
    }

    #[test]
    fn operations_are_sent_by_their_shares_and_judged_by_their_workers() {
        let part = |name, left, share| -> Part {
            let names = [name];
            (Box::new(Few { names, left }), share)
        };
        let parts = vec![
            part("PUT", 100_000, 20),
            part("GET", 100_000, 75),
            part("DELETE", 100, 5),
        ];
        let mut mixed = Mixed::new(parts, Rng::new(7, &[]));
        assert_eq!(mixed.operations(), ["PUT", "GET", "DELETE"]);
        let now = Moment {
            nanos: 1,
            unix_seconds: 1,
        };
        let mut exchange = Exchange::default();
        let mut counts = [0_u64; 3];
        for _ in 0..10_000 {
            assert_eq!(mixed.next(now, &mut exchange), Next::Ready);
            let op = exchange.op;
            counts[op] += 1;
            let judged = mixed.judge(&mut exchange, 200, 0);
            let name = mixed.operations()[op].to_owned();
            assert_eq!(judged, Judgement::Failed(ErrorClass::Status, name));
            assert_eq!(exchange.op, op);
        }
        let [put, get, delete] = counts;
        assert_eq!(delete, 100, "no blob was left to delete");
        assert!(put > 1_800 && get > 7_200, "{counts:?}");
    }
}
