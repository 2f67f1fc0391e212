//! Workloads that record the outcome of each request.

use super::*;
use crate::exchange::RequestOutcome;

/// A workload whose requests have alternately the timeout of the load and a timeout of 10 ms.
#[derive(Default)]
struct Follower {
    sent: u64,
    outcomes: Vec<(u64, RequestOutcome)>,
}

impl Workload for Follower {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        exchange.tag = self.sent;
        exchange.timeout = (self.sent % 2) * 10 * MILLIS;
        self.sent += 1;
        Next::Ready
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        match status {
            200 => Judgement::Correct,
            _ => Judgement::Failed(ErrorClass::Status, String::new()),
        }
    }

    fn follows(&self) -> bool {
        true
    }

    fn completed(&mut self, exchange: &Exchange, outcome: RequestOutcome) {
        self.outcomes.push((exchange.tag, outcome));
    }
}

#[test]
fn a_request_may_have_a_shorter_timeout_and_all_are_recorded() {
    let mut play = Play::closed(1);
    play.lead = 100 * MILLIS;
    let mut follower = Follower::default();
    let played = play.on(&mut follower, &mut |_, _| Fate::Answer(50 * MILLIS, 200));
    let lost: Vec<&(u64, RequestOutcome)> = follower
        .outcomes
        .iter()
        .filter(|(_, s)| s.status.is_none())
        .collect();
    assert!(!lost.is_empty());
    assert!(
        lost.iter()
            .all(|(tag, outcome)| tag % 2 == 1 && !outcome.correct)
    );
    assert!(
        lost.iter()
            .all(|(_, outcome)| near(outcome.nanos, 10 * MILLIS))
    );
    assert_eq!(played.errors(ErrorClass::Timeout), lost.len() as u64);
    let right = follower
        .outcomes
        .iter()
        .filter(|(_, outcome)| outcome.correct);
    assert!(
        right
            .clone()
            .all(|(tag, outcome)| tag % 2 == 0 && near(outcome.nanos, 50 * MILLIS))
    );
    // The outcomes do not include requests from before the window.
    assert_eq!(right.count() as u64, played.total.times.service.len());
    assert!(follower.outcomes.iter().all(|(tag, _)| *tag > 0));
}
