//! Workloads around another workload.

/// Defines methods of [`tenbin_engine::Workload`] that a decorator leaves to its inner workload:
/// `delegate!(self.worker: operations role)`.
///
/// A decorator denies `clippy::missing_trait_methods`: a method that it neither defines nor
/// delegates would fall back to the default, and the inner workload would never be asked.
macro_rules! delegate {
    ($this:ident.$inner:ident: $($method:ident)+) => {
        $($crate::delegate::delegate!(@ $method $this $inner);)+
    };
    (@ operations $this:ident $inner:ident) => {
        fn operations(&$this) -> &[&'static str] {
            $this.$inner.operations()
        }
    };
    (@ role $this:ident $inner:ident) => {
        fn role(&$this, op: usize) -> ::tenbin_engine::Role {
            $this.$inner.role(op)
        }
    };
    (@ transaction $this:ident $inner:ident) => {
        fn transaction(&mut $this) -> Option<::tenbin_engine::Transaction> {
            $this.$inner.transaction()
        }
    };
    (@ own_connections $this:ident $inner:ident) => {
        fn own_connections(&$this) -> Option<usize> {
            $this.$inner.own_connections()
        }
    };
    (@ payload $this:ident $inner:ident) => {
        fn payload<'a>(&'a $this, exchange: &::tenbin_engine::Exchange) -> &'a [u8] {
            $this.$inner.payload(exchange)
        }
    };
    (@ payload_file $this:ident $inner:ident) => {
        fn payload_file<'a>(
            &'a $this,
            exchange: &::tenbin_engine::Exchange,
        ) -> Option<::tenbin_engine::InFile<'a>> {
            $this.$inner.payload_file(exchange)
        }
    };
    (@ head $this:ident $inner:ident) => {
        fn head(
            &mut $this,
            exchange: &mut ::tenbin_engine::Exchange,
            head: &::tenbin_engine::ResponseHead<'_>,
        ) -> ::tenbin_engine::BodyUse {
            $this.$inner.head(exchange, head)
        }
    };
    (@ body $this:ident $inner:ident) => {
        fn body(&mut $this, exchange: &mut ::tenbin_engine::Exchange, offset: u64, part: &[u8]) {
            $this.$inner.body(exchange, offset, part);
        }
    };
    (@ server_time $this:ident $inner:ident) => {
        fn server_time(&mut $this) -> Option<u64> {
            $this.$inner.server_time()
        }
    };
    (@ follows $this:ident $inner:ident) => {
        fn follows(&$this) -> bool {
            $this.$inner.follows()
        }
    };
    (@ completed $this:ident $inner:ident) => {
        fn completed(
            &mut $this,
            exchange: &::tenbin_engine::Exchange,
            outcome: ::tenbin_engine::RequestOutcome,
        ) {
            $this.$inner.completed(exchange, outcome);
        }
    };
    (@ loss $this:ident $inner:ident) => {
        fn loss(
            &$this,
            exchange: &::tenbin_engine::Exchange,
            class: ::tenbin_engine::ErrorClass,
        ) -> Option<::tenbin_engine::Loss> {
            $this.$inner.loss(exchange, class)
        }
    };
    (@ unprepared $this:ident $inner:ident) => {
        fn unprepared(&mut $this, class: ::tenbin_engine::ErrorClass) {
            $this.$inner.unprepared(class);
        }
    };
    (@ gives_up $this:ident $inner:ident) => {
        fn gives_up(&$this) -> bool {
            $this.$inner.gives_up()
        }
    };
    (@ slice_over $this:ident $inner:ident) => {
        fn slice_over(&mut $this) {
            $this.$inner.slice_over();
        }
    };
}

pub(crate) use delegate;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    use tenbin_engine::{
        BodyUse, ErrorClass, Exchange, InFile, Judgement, Loss, Moment, Next, RequestOutcome,
        ResponseHead, Role, Transaction, Workload,
    };
    use tenbin_plan::s3::SupportProbe;

    use crate::resend::{Governor, Patient, Retrying};
    use crate::rng::Rng;
    use crate::s3::setup::must_succeed::MustSucceed;
    use crate::s3::setup::probe::Probing;

    /// Every method of [`Workload`].
    const METHODS: [&str; 18] = [
        "body", "completed", "follows", "gives_up", "head", "judge", "loss", "lost", "next",
        "operations", "own_connections", "payload", "payload_file", "role", "server_time",
        "slice_over", "transaction", "unprepared",
    ];

    /// What arrived at an inner workload.
    #[derive(Default)]
    struct Arrived {
        methods: BTreeSet<&'static str>,
        nanos: Vec<u64>,
    }

    #[derive(Clone, Default)]
    struct Witness(Arc<Mutex<Arrived>>);

    impl Witness {
        fn saw<T>(&self, method: &'static str, result: T) -> T {
            self.0.lock().unwrap().methods.insert(method);
            result
        }
    }

    #[deny(clippy::missing_trait_methods)]
    impl Workload for Witness {
        fn operations(&self) -> &[&'static str] {
            self.saw("operations", &["GET"])
        }

        fn role(&self, _op: usize) -> Role {
            self.saw("role", Role::Request)
        }

        fn transaction(&mut self) -> Option<Transaction> {
            self.saw("transaction", None)
        }

        fn own_connections(&self) -> Option<usize> {
            self.saw("own_connections", Some(3))
        }

        fn next(&mut self, _now: Moment, _exchange: &mut Exchange) -> Next {
            self.saw("next", Next::Ready)
        }

        fn payload<'a>(&'a self, _exchange: &Exchange) -> &'a [u8] {
            self.saw("payload", b"content")
        }

        fn payload_file<'a>(&'a self, _exchange: &Exchange) -> Option<InFile<'a>> {
            self.saw("payload_file", None)
        }

        fn head(&mut self, _exchange: &mut Exchange, _head: &ResponseHead<'_>) -> BodyUse {
            self.saw("head", BodyUse::Inspect)
        }

        fn body(&mut self, _exchange: &mut Exchange, _offset: u64, _part: &[u8]) {
            self.saw("body", ());
        }

        fn judge(&mut self, _exchange: &mut Exchange, _status: u16, _length: u64) -> Judgement {
            self.saw("judge", Judgement::Correct)
        }

        fn server_time(&mut self) -> Option<u64> {
            self.saw("server_time", Some(7))
        }

        fn follows(&self) -> bool {
            self.saw("follows", true)
        }

        fn completed(&mut self, _exchange: &Exchange, outcome: RequestOutcome) {
            self.0.lock().unwrap().nanos.push(outcome.nanos);
            self.saw("completed", ());
        }

        fn loss(&self, _exchange: &Exchange, _class: ErrorClass) -> Option<Loss> {
            self.saw("loss", Some(Loss::Failed(ErrorClass::Short, "the cause")))
        }

        fn lost(&mut self, _exchange: &mut Exchange, _class: ErrorClass) {
            self.saw("lost", ());
        }

        fn unprepared(&mut self, _class: ErrorClass) {
            self.saw("unprepared", ());
        }

        fn gives_up(&self) -> bool {
            self.saw("gives_up", true)
        }

        fn slice_over(&mut self) {
            self.saw("slice_over", ());
        }
    }

    fn at(nanos: u64) -> Moment {
        Moment {
            nanos,
            unix_seconds: 0,
        }
    }

    fn head(status: u16) -> ResponseHead<'static> {
        ResponseHead {
            status,
            length: None,
            bytes: b"HTTP/1.1\r\n\r\n",
        }
    }

    /// Ends the request of the exchange with a response `nanos` after its start.
    fn respond(workload: &mut dyn Workload, exchange: &mut Exchange, status: u16, nanos: u64) {
        workload.head(exchange, &head(status));
        let judgement = workload.judge(exchange, status, 0);
        let outcome = RequestOutcome {
            status: Some(status),
            correct: judgement == Judgement::Correct,
            nanos,
        };
        workload.completed(exchange, outcome);
    }

    /// Calls every method, as the engine does, with results that differ from the defaults.
    fn call_all(workload: &mut dyn Workload) {
        let mut exchange = Exchange::default();
        assert_eq!(workload.operations()[0], "GET");
        workload.role(0);
        assert_eq!(workload.own_connections(), Some(3));
        assert!(workload.follows());
        assert_eq!(workload.next(at(0), &mut exchange), Next::Ready);
        assert_eq!(workload.payload(&exchange), b"content");
        assert!(workload.payload_file(&exchange).is_none());
        workload.head(&mut exchange, &head(200));
        workload.body(&mut exchange, 0, b"a");
        respond(workload, &mut exchange, 200, 5);
        assert_eq!(workload.server_time(), Some(7));
        while workload.transaction().is_some() {}
        assert_eq!(workload.next(at(9), &mut exchange), Next::Ready);
        let loss = workload.loss(&exchange, ErrorClass::Wrong);
        assert_eq!(loss, Some(Loss::Failed(ErrorClass::Short, "the cause")));
        workload.lost(&mut exchange, ErrorClass::Wrong);
        workload.unprepared(ErrorClass::Connect);
        assert!(workload.gives_up());
        workload.slice_over();
    }

    #[test]
    fn every_method_of_a_decorator_arrives_at_the_inner_workload() {
        type Decorate = fn(Witness) -> Box<dyn Workload>;
        let decorators: [(&str, Decorate); 4] = [
            ("must succeed", |inner| {
                Box::new(MustSucceed::new(inner, "an object cannot be put"))
            }),
            ("probing", |inner| {
                let probe = SupportProbe {
                    what: "append",
                    requests: 2,
                };
                Box::new(Probing::new(inner, probe))
            }),
            ("patient", |inner| {
                let governor = Arc::new(Governor::new(1));
                Box::new(Patient::new(Box::new(inner), governor, 0))
            }),
            ("retrying", |inner| Box::new(retrying(inner))),
        ];
        for (name, decorate) in decorators {
            let witness = Witness::default();
            let mut decorated = decorate(witness.clone());
            call_all(&mut *decorated);
            let arrived = witness.0.lock().unwrap();
            assert_eq!(arrived.methods, BTreeSet::from(METHODS), "{name}");
            assert_eq!(arrived.nanos, [5], "{name}");
        }
    }

    fn retrying(inner: Witness) -> Retrying<Witness> {
        Retrying::new(inner, 2, 1, Rng::new(1, &[]))
    }

    #[test]
    fn a_retried_request_is_completed_once_with_the_time_of_all_attempts() {
        let witness = Witness::default();
        let mut retrying = retrying(witness.clone());
        let mut exchange = Exchange::default();
        assert_eq!(retrying.next(at(100), &mut exchange), Next::Ready);
        respond(&mut retrying, &mut exchange, 503, 7);
        let Next::Rest(due) = retrying.next(at(200), &mut exchange) else {
            panic!("the retry waits");
        };
        assert_eq!(witness.0.lock().unwrap().nanos, [0; 0]);
        assert_eq!(retrying.next(at(due), &mut exchange), Next::Ready);
        respond(&mut retrying, &mut exchange, 200, 5);
        assert_eq!(witness.0.lock().unwrap().nanos, [due - 100 + 5]);
    }
}
