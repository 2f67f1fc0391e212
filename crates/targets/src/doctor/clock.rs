//! Does the server's clock agree with ours?

use std::time::Duration;

use super::{Check, Examined, Found, Visit};
use crate::preflight::SKEW_REFUSED_BY_S3;

/// A clock this far off is not kept right by anybody.
const SKEW_WORTH_A_WARNING: Duration = Duration::from_secs(5);

pub(super) const CODES: &[&str] = &[
    "RequestTimeTooSkewed",
    "RequestTimeSkewed",
    "RequestExpired",
];

const ADVICE: &str = "set one of the two clocks right, for example with an NTP service";

pub(super) struct Clock;

impl Check for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn of_target(&self, _visit: &Visit, target: &Examined) -> Vec<Found> {
        let Ok(reached) = &target.reached else {
            return Vec::new();
        };
        let refused = target.reply.as_ref().filter(|reply| reply.says(CODES));
        let Some(skew) = reached.first.skew else {
            return vec![match refused {
                Some(reply) => Found::failed(reply.shown(), ADVICE),
                None => Found::unknown("the server does not tell the time in a Date header"),
            }];
        };
        let off = skew.at_least();
        let sentence = skew.sentence();
        vec![
            if off > SKEW_REFUSED_BY_S3.as_secs_f64() || refused.is_some() {
                Found::failed(
                    format!("{sentence}, and S3 refuses signatures more than 15 minutes off"),
                    ADVICE,
                )
            } else if off > SKEW_WORTH_A_WARNING.as_secs_f64() {
                Found::warning(sentence, ADVICE)
            } else if off > 0.0 {
                Found::ok(sentence)
            } else {
                Found::ok("agrees with this machine's, as far as its Date header tells")
            },
        ]
    }
}
