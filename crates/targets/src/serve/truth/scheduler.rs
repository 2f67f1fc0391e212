//! Schedules the time and kind of each response when the request has been received.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use tenbin_plan::rng::Rng;

use super::TruthOptions;
use super::response::ResponseKind;
use super::stall::after_stalls;

/// Values in the headers of a request that replace the drawn values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Overrides {
    /// Service time, nanoseconds.
    pub(super) delay: Option<u64>,
    pub(super) response: Option<ResponseKind>,
}

/// When and how a request will be responded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Schedule {
    /// Sequence number, from 0.
    pub(super) number: u64,
    /// Time at which the response is due, nanoseconds since the server's start.
    pub(super) due: u64,
    pub(super) response: ResponseKind,
}

struct Queue {
    random: Rng,
    /// Sequence number of the next request.
    next: u64,
    /// Time at which each worker becomes free; empty without a limit of workers.
    free: Vec<u64>,
    /// Earliest start of the next request, nanoseconds.
    begin: f64,
    /// End of the last rare pause, nanoseconds.
    paused_until: u64,
}

/// Schedules requests in the order of their arrival.
pub(super) struct Scheduler {
    options: TruthOptions,
    queue: Mutex<Queue>,
}

impl Scheduler {
    pub(super) fn new(options: &TruthOptions) -> Self {
        Self {
            options: options.clone(),
            queue: Mutex::new(Queue {
                random: Rng::new(options.seed, &[]),
                next: 0,
                free: vec![0; options.workers.map_or(0, NonZeroUsize::get)],
                begin: 0.0,
                paused_until: 0,
            }),
        }
    }

    /// Schedules a request received at `received`, nanoseconds since the server's start. Only
    /// planned times are used, so a response that was sent late delays no other response.
    pub(super) fn schedule(&self, received: u64, overrides: Overrides) -> Schedule {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        // Both values are drawn for every request, so that an override does not change the random
        // values of other requests.
        let drawn = self.options.service.draw(&mut queue.random);
        let fate = self.options.shares.draw(&mut queue.random);
        let service = overrides.delay.unwrap_or(drawn);

        let mut start = received as f64;
        if let Some(capacity) = self.options.capacity {
            let each = 1e9 / capacity;
            // The generic cell rate algorithm (ITU-T I.371): `begin` is the theoretical start of the
            // next request, and a saved request may start before it.
            start = start.max(queue.begin - self.options.credit as f64 * each);
            queue.begin = queue.begin.max(start) + each;
        }
        if let Some(pause) = self.options.rare_pause
            && (queue.next + 1).is_multiple_of(pause.every.get())
        {
            queue.paused_until = received + pause.length.as_nanos() as u64;
        }
        let paused_until = queue.paused_until;
        let worker = queue.free.iter_mut().min_by_key(|free| **free);
        if let Some(free) = &worker {
            start = start.max(**free as f64);
        }
        let due = (start as u64 + service).max(paused_until);
        let due = after_stalls(&self.options.stalls, due);
        if let Some(free) = worker {
            *free = due;
        }
        let number = queue.next;
        queue.next += 1;
        Schedule {
            number,
            due,
            response: overrides.response.unwrap_or(fate),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{Service, Shares};
    use super::*;

    const MILLISECOND: u64 = 1_000_000;

    fn options() -> TruthOptions {
        TruthOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            service: Service::Fixed(Duration::from_millis(10)),
            seed: 1,
            workers: None,
            prefork: None,
            capacity: None,
            credit: 0,
            stalls: Vec::new(),
            rare_pause: None,
            shares: Shares::default(),
            two_writes: false,
            log: None,
        }
    }

    fn due(options: &TruthOptions, received: &[u64]) -> Vec<u64> {
        let scheduler = Scheduler::new(options);
        let due_ms = |&at: &u64| {
            scheduler
                .schedule(at * MILLISECOND, Overrides::default())
                .due
                / MILLISECOND
        };
        received.iter().map(due_ms).collect()
    }

    #[test]
    fn each_worker_serves_one_request_at_a_time() {
        let mut options = options();
        assert_eq!(due(&options, &[0, 1, 30]), [10, 11, 40]);
        options.workers = NonZeroUsize::new(1);
        assert_eq!(due(&options, &[0, 1, 30]), [10, 20, 40]);
        options.workers = NonZeroUsize::new(2);
        assert_eq!(due(&options, &[0, 1, 2, 3, 30]), [10, 11, 20, 21, 40]);
    }

    #[test]
    fn capacity_spaces_the_starts_of_requests() {
        let mut options = options();
        options.capacity = Some(200.0);
        assert_eq!(due(&options, &[0, 0, 0, 100]), [10, 15, 20, 110]);
    }

    #[test]
    fn saved_requests_start_at_once_until_they_are_used_up() {
        let mut options = options();
        options.capacity = Some(200.0);
        options.credit = 2;
        // One request that is due and two that are saved; then every 5 ms.
        assert_eq!(
            due(&options, &[0, 0, 0, 0, 0, 100, 100, 100, 100]),
            [10, 10, 10, 15, 20, 110, 110, 110, 115]
        );
    }

    #[test]
    fn a_stall_delays_responses_and_the_queue() {
        let mut options = options();
        options.workers = NonZeroUsize::new(1);
        options.stalls = vec!["20ms+100ms".parse().unwrap()];
        assert_eq!(due(&options, &[0, 5, 6]), [10, 120, 130]);
    }

    #[test]
    fn every_third_request_starts_a_pause() {
        let mut options = options();
        options.service = "fixed:1ms".parse().unwrap();
        options.rare_pause = Some("50ms/3".parse().unwrap());
        assert_eq!(due(&options, &[0, 1, 10, 59, 70]), [1, 2, 60, 60, 71]);
    }

    #[test]
    fn an_override_replaces_only_the_values_of_its_request() {
        let mut options = options();
        options.service = "exponential:5ms".parse().unwrap();
        let schedules = |overrides| {
            let scheduler = Scheduler::new(&options);
            [
                scheduler.schedule(0, overrides),
                scheduler.schedule(0, Overrides::default()),
            ]
        };
        let overrides = Overrides {
            delay: Some(7),
            response: Some(ResponseKind::Reset),
        };
        let (plain, overridden) = (schedules(Overrides::default()), schedules(overrides));
        assert_eq!(
            (overridden[0].due, overridden[0].response),
            (7, ResponseKind::Reset)
        );
        assert_eq!(plain[1], overridden[1]);
    }

    #[test]
    fn a_queue_with_exponential_service_matches_theory() {
        // M/M/1 at ρ = 0.5: the mean response time is 1 ÷ (μ − λ) = 2 ms. The standard error of the
        // mean over 400,000 requests is about 1 %.
        let mut options = options();
        options.service = "exponential:1ms".parse().unwrap();
        options.workers = NonZeroUsize::new(1);
        let scheduler = Scheduler::new(&options);
        let mut random = Rng::new(2, &[]);
        let (mut at, mut sum) = (0.0, 0.0);
        for _ in 0..400_000 {
            at += 2e6 * random.exponential();
            sum += scheduler.schedule(at as u64, Overrides::default()).due as f64 - at;
        }
        let mean = sum / 400_000.0 / 1e6;
        assert!((mean - 2.0).abs() < 0.06, "{mean} ms");
    }
}
