//! When each request is answered, and how: decided when it has been received.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use tenbin_plan::rng::Rng;

use super::TruthOptions;
use super::answer::Answer;
use super::stall::after_stalls;

/// What a request asks for by its headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wish {
    /// Service time, nanoseconds.
    pub(super) delay: Option<u64>,
    pub(super) answer: Option<Answer>,
}

/// What was decided about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decision {
    /// From 0, in the order of decisions.
    pub(super) number: u64,
    /// When to answer, nanoseconds since the start.
    pub(super) due: u64,
    pub(super) answer: Answer,
}

struct Books {
    random: Rng,
    /// The number of the next request.
    next: u64,
    /// When each worker is free again; empty where there is no limit to them.
    free: Vec<u64>,
    /// When the next request may begin.
    begin: f64,
    /// When the last rare pause is over.
    paused_until: u64,
}

/// Decides about requests, in the order in which they come.
pub(super) struct Desk {
    options: TruthOptions,
    books: Mutex<Books>,
}

impl Desk {
    pub(super) fn new(options: &TruthOptions) -> Self {
        Self {
            options: options.clone(),
            books: Mutex::new(Books {
                random: Rng::new(options.seed, &[]),
                next: 0,
                free: vec![0; options.workers.map_or(0, NonZeroUsize::get)],
                begin: 0.0,
                paused_until: 0,
            }),
        }
    }

    /// Decides about a request received at this time, nanoseconds since the start.
    /// From planned times only: that an answer was sent late delays no other.
    pub(super) fn decide(&self, received: u64, wish: Wish) -> Decision {
        let mut books = self.books.lock().unwrap_or_else(PoisonError::into_inner);
        // Both are drawn for every request, so that one's wish changes no other's luck.
        let drawn = self.options.service.draw(&mut books.random);
        let fate = self.options.shares.draw(&mut books.random);
        let service = wish.delay.unwrap_or(drawn);

        let mut start = received as f64;
        if let Some(capacity) = self.options.capacity {
            start = start.max(books.begin);
            books.begin = start + 1e9 / capacity;
        }
        if let Some(pause) = self.options.rare_pause
            && (books.next + 1).is_multiple_of(pause.every.get())
        {
            books.paused_until = received + pause.length.as_nanos() as u64;
        }
        let paused_until = books.paused_until;
        let worker = books.free.iter_mut().min_by_key(|free| **free);
        if let Some(free) = &worker {
            start = start.max(**free as f64);
        }
        let due = (start as u64 + service).max(paused_until);
        let due = after_stalls(&self.options.stalls, due);
        if let Some(free) = worker {
            *free = due;
        }
        let number = books.next;
        books.next += 1;
        Decision {
            number,
            due,
            answer: wish.answer.unwrap_or(fate),
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
            stalls: Vec::new(),
            rare_pause: None,
            shares: Shares::default(),
            two_writes: false,
            log: None,
        }
    }

    fn due(options: &TruthOptions, received: &[u64]) -> Vec<u64> {
        let desk = Desk::new(options);
        let decide = |&at: &u64| desk.decide(at * MILLISECOND, Wish::default()).due / MILLISECOND;
        received.iter().map(decide).collect()
    }

    #[test]
    fn as_many_requests_overlap_as_there_are_workers() {
        let mut options = options();
        assert_eq!(due(&options, &[0, 1, 30]), [10, 11, 40]);
        options.workers = NonZeroUsize::new(1);
        assert_eq!(due(&options, &[0, 1, 30]), [10, 20, 40]);
        options.workers = NonZeroUsize::new(2);
        assert_eq!(due(&options, &[0, 1, 2, 3, 30]), [10, 11, 20, 21, 40]);
    }

    #[test]
    fn capacity_spaces_what_begins() {
        let mut options = options();
        options.capacity = Some(200.0);
        assert_eq!(due(&options, &[0, 0, 0, 100]), [10, 15, 20, 110]);
    }

    #[test]
    fn a_stall_holds_everything_back_and_the_queue_with_it() {
        let mut options = options();
        options.workers = NonZeroUsize::new(1);
        options.stalls = vec!["20ms+100ms".parse().unwrap()];
        assert_eq!(due(&options, &[0, 5, 6]), [10, 120, 130]);
    }

    #[test]
    fn every_third_request_begins_a_pause() {
        let mut options = options();
        options.service = "fixed:1ms".parse().unwrap();
        options.rare_pause = Some("50ms/3".parse().unwrap());
        assert_eq!(due(&options, &[0, 1, 10, 59, 70]), [1, 2, 60, 60, 71]);
    }

    #[test]
    fn a_wish_goes_before_chance_and_leaves_the_rest_as_it_was() {
        let mut options = options();
        options.service = "exponential:5ms".parse().unwrap();
        let decide = |wish| {
            let desk = Desk::new(&options);
            [desk.decide(0, wish), desk.decide(0, Wish::default())]
        };
        let wish = Wish {
            delay: Some(7),
            answer: Some(Answer::Reset),
        };
        let (plain, wished) = (decide(Wish::default()), decide(wish));
        assert_eq!((wished[0].due, wished[0].answer), (7, Answer::Reset));
        assert_eq!(plain[1], wished[1]);
    }

    #[test]
    fn one_queue_of_exponential_service_is_as_slow_as_theory_says() {
        // M/M/1 at ρ = 0.5: mean response 1 ÷ (μ − λ) = 2 ms. Its means over 400,000
        // requests scatter by about 1 %.
        let mut options = options();
        options.service = "exponential:1ms".parse().unwrap();
        options.workers = NonZeroUsize::new(1);
        let desk = Desk::new(&options);
        let mut random = Rng::new(2, &[]);
        let (mut at, mut sum) = (0.0, 0.0);
        for _ in 0..400_000 {
            at += 2e6 * random.exponential();
            sum += desk.decide(at as u64, Wish::default()).due as f64 - at;
        }
        let mean = sum / 400_000.0 / 1e6;
        assert!((mean - 2.0).abs() < 0.06, "{mean} ms");
    }
}
