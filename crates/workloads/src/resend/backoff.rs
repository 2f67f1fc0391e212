//! Temporary failures, and the wait before a retry.

use tenbin_engine::{ErrorClass, ResponseHead};

use crate::rng::Rng;

/// Longest respected `Retry-After`, seconds.
const LONGEST_RETRY_AFTER: u64 = 60;

/// Whether a request that got this status can succeed later: the statuses that S3 libraries retry
/// (RFC 9110 sections 15.5.9 and 15.6, RFC 6585 section 4).
pub(super) fn is_temporary(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// Whether a request without a complete response may be retried.
pub(super) fn is_temporary_loss(class: ErrorClass) -> bool {
    class == ErrorClass::Reset
}

/// The wait in `Retry-After`, nanoseconds (RFC 9110 section 10.2.3); `None` without the header or
/// for a date.
pub(super) fn requested_wait(head: &ResponseHead<'_>) -> Option<u64> {
    let text = std::str::from_utf8(head.header("retry-after")?).ok()?;
    let seconds: u64 = text.parse().ok()?;
    Some(seconds.min(LONGEST_RETRY_AFTER) * 1_000_000_000)
}

/// Exponential back-off.
#[derive(Debug, Clone, Copy)]
pub(super) struct BackOff {
    /// Upper bound of the first wait, nanoseconds.
    pub(super) first: u64,
    /// Upper bound of each random wait, nanoseconds; a longer `Retry-After` is respected.
    pub(super) most: u64,
}

impl BackOff {
    /// A random wait after `attempts` attempts, nanoseconds: uniform between 0 and the smaller of
    /// `first` × 2^(attempts - 1) and `most` ("full jitter").
    pub(super) fn wait(&self, attempts: u32, rng: &mut Rng) -> u64 {
        let doublings = attempts.saturating_sub(1).min(32);
        let most = self.first.saturating_mul(1 << doublings).min(self.most);
        rng.below(most.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_most_and_are_spread_evenly() {
        let back_off = BackOff {
            first: 200,
            most: 1_000,
        };
        let mut rng = Rng::new(1, &[]);
        for (attempts, most) in [(1, 200), (2, 400), (3, 800), (4, 1_000), (60, 1_000)] {
            let waits: Vec<u64> = (0..2_000)
                .map(|_| back_off.wait(attempts, &mut rng))
                .collect();
            let mean = waits.iter().sum::<u64>() as f64 / 2_000.0;
            assert!(waits.iter().all(|&wait| wait < most), "{attempts}");
            assert!(
                (mean / most as f64 - 0.5).abs() < 0.05,
                "{attempts}: {mean}"
            );
        }
    }

    #[test]
    fn seconds_of_retry_after_are_read_and_bounded() {
        let wait = |value: &str| {
            let bytes = format!("HTTP/1.1 503 Slow Down\r\nRetry-After: {value}\r\n\r\n");
            let (status, length) = (503, None);
            requested_wait(&ResponseHead {
                status,
                length,
                bytes: bytes.as_bytes(),
            })
        };
        assert_eq!(wait("2"), Some(2_000_000_000));
        assert_eq!(wait("86400"), Some(60_000_000_000));
        assert_eq!(wait("Fri, 31 Dec 1999 23:59:59 GMT"), None);
    }
}
