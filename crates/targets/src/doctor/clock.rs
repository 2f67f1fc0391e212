//! Checks that the server's clock agrees with this machine's.

use std::time::Duration;

use tenbin_plan::{Sentence, sentence};

use super::{Check, CheckConfig, Outcome, TargetFacts};
use crate::preflight::SKEW_REFUSED_BY_S3;

/// Largest clock difference without a warning.
const SKEW_WORTH_A_WARNING: Duration = Duration::from_secs(5);

pub(super) const CODES: &[&str] = &[
    "RequestTimeTooSkewed", "RequestTimeSkewed", "RequestExpired",
];

fn advice() -> Sentence {
    sentence!(
        "set-clock",
        "set one of the two clocks right, for example with an NTP service"
    )
}

pub(super) struct Clock;

impl Check for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn of_target(&self, _visit: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let Ok(reached) = &target.reached else {
            return Vec::new();
        };
        let refused = target.reply.as_ref().filter(|reply| reply.has_code(CODES));
        let Some(skew) = reached.first.skew else {
            return vec![match refused {
                Some(reply) => Outcome::failed(reply.shown(), advice()),
                None => Outcome::unknown(sentence!("no-date", "the server sends no Date header")),
            }];
        };
        let off = skew.at_least();
        let sentence = skew.sentence();
        vec![
            if off > SKEW_REFUSED_BY_S3.as_secs_f64() || refused.is_some() {
                Outcome::failed(
                    sentence!(
                        "clock-refused",
                        "{skew}, and S3 refuses signatures more than 15 minutes off",
                        skew = sentence
                    )
                    .with_part("skew", [sentence]),
                    advice(),
                )
            } else if off > SKEW_WORTH_A_WARNING.as_secs_f64() {
                Outcome::warning(sentence, advice())
            } else if off > 0.0 {
                Outcome::ok(sentence)
            } else {
                Outcome::ok(sentence!(
                    "clock-agrees",
                    "agrees with this machine's, within the precision of the Date header"
                ))
            },
        ]
    }
}
