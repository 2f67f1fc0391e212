//! Compares the length of each response with the length of the first response to the same
//! request.

use tenbin_engine::{ErrorClass, Judgement};

use super::{MOST_UNEXPECTED, ResponseComparison, UnexpectedResponses};

/// Bytes by which the length of a non-empty body can always differ from the length of the first
/// response.
const SLACK_BYTES: u64 = 64;

/// Compares the lengths of responses to each request with the length of the first response.
///
/// Search results contain times and scores and change with the data. A body is therefore unexpected
/// only if it is empty, or if its length differs from the first length by more than 64 bytes and is
/// below half or above twice the first length.
#[derive(Debug, Default)]
pub(crate) struct Lengths {
    /// By request: length of the first response + 1; 0 before the first response. Empty if nothing
    /// is compared.
    first: Vec<u64>,
    seen: ResponseComparison,
}

impl Lengths {
    /// Compares responses to `requests` requests; with 0, compares nothing.
    pub(crate) fn of(requests: usize) -> Self {
        Self {
            first: vec![0; requests],
            seen: ResponseComparison::default(),
        }
    }

    /// Whether this length is unexpected, compared with the first response to the request.
    #[inline]
    pub(crate) fn is_unexpected(&self, request: u64, length: u64) -> bool {
        match self.first.get(request as usize) {
            None | Some(0) => false,
            Some(&first) => {
                let first = first - 1;
                let low = (first / 2).min(first.saturating_sub(SLACK_BYTES));
                let high = first.saturating_mul(2).max(first + SLACK_BYTES);
                !(low.max(u64::from(first > 0))..=high).contains(&length)
            }
        }
    }

    /// Counts a response of expected length, or stores the length of the first response.
    #[inline]
    pub(crate) fn came(&mut self, request: u64, length: u64) {
        if let Some(first) = self.first.get_mut(request as usize) {
            self.seen.compared += u64::from(*first > 0);
            if *first == 0 {
                *first = length + 1;
            }
        }
    }

    /// The judgement of an unexpected response; `example` is the start of its body.
    #[cold]
    pub(crate) fn unexpected(
        &mut self,
        request: u64,
        (status, length): (u16, u64),
        example: String,
    ) -> Judgement {
        self.seen.compared += 1;
        let first = self.first.get(request as usize).copied().unwrap_or(0);
        let expected = first.saturating_sub(1);
        let mut text = format!("response body of {length} bytes, about {expected} expected");
        if !example.is_empty() {
            text = format!("{text}: {example}");
        }
        let kinds = &mut self.seen.unexpected;
        let same = |kind: &UnexpectedResponses| (kind.status, kind.length) == (status, length);
        match kinds.iter().position(same) {
            Some(at) => kinds[at].count += 1,
            None if kinds.len() < MOST_UNEXPECTED => kinds.push(UnexpectedResponses {
                status,
                length,
                count: 1,
                difference: "another length".to_owned(),
                example,
            }),
            None => self.seen.others += 1,
        }
        Judgement::Failed(ErrorClass::Unexpected, text)
    }

    /// The comparison since the last call; `None` if nothing is compared.
    pub(crate) fn take_seen(&mut self) -> Option<ResponseComparison> {
        (!self.first.is_empty()).then(|| std::mem::take(&mut self.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_much_shorter_or_longer_responses_are_of_another_kind() {
        let mut lengths = Lengths::of(2);
        lengths.came(0, 2_000);
        for (length, is_unexpected) in [(0, true), (22, true), (999, true), (1_000, false)] {
            assert_eq!(lengths.is_unexpected(0, length), is_unexpected, "{length}");
        }
        assert!(!lengths.is_unexpected(0, 4_000) && lengths.is_unexpected(0, 4_001));
        assert!(!lengths.is_unexpected(1, 22), "the first to this request");
        lengths.came(1, 40);
        assert!(!lengths.is_unexpected(1, 1) && !lengths.is_unexpected(1, 104));
        assert!(lengths.is_unexpected(1, 0) && lengths.is_unexpected(1, 105));
        assert!(!Lengths::default().is_unexpected(0, 0));
    }
}
