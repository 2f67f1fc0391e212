//! A workload with the lowest possible cost, to measure the engine itself.

use tenbin_engine::{Exchange, Judgement, Moment, Next, Workload};

use crate::prepared::{NoSequence, Observation, Prepared, SetUp, Stage, Stateless, StoresNothing};

/// Sends the same constant request forever and judges every response correct.
#[derive(Debug, Clone, Copy, Default)]
pub struct Null;

const HEAD: &[u8] = b"GET / HTTP/1.1\r\nHost: null\r\n\r\n";

impl Workload for Null {
    fn operations(&self) -> &[&'static str] {
        &["NULL"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if exchange.head == HEAD {
            return Next::Same;
        }
        exchange.head.clear();
        exchange.head.extend_from_slice(HEAD);
        exchange.op = 0;
        exchange.bodyless_response = false;
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
        Judgement::Correct
    }
}

/// A prepared workload with one [`Null`] worker for each of `threads` threads.
pub fn prepared(threads: usize) -> Box<dyn Prepared> {
    Box::new(PreparedNull { threads })
}

struct PreparedNull {
    threads: usize,
}

impl Prepared for PreparedNull {
    fn slice(&mut self) -> Vec<Box<dyn Workload>> {
        (0..self.threads)
            .map(|_| Box::new(Null) as Box<dyn Workload>)
            .collect()
    }

    fn slice_done(&mut self, _workers: Vec<Box<dyn Workload>>) {}
}

impl SetUp for PreparedNull {
    fn check(&mut self) -> Option<Stage> {
        None
    }

    fn before_run(&mut self) -> Option<Stage> {
        None
    }
}

impl NoSequence for PreparedNull {}

impl Observation for PreparedNull {}

impl Stateless for PreparedNull {}

impl StoresNothing for PreparedNull {}
