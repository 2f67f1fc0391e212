//! Chooses the virtual user that sends the next request, and the host that receives it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::think::Thinker;

/// Assigns requests to virtual users and slots. A user has at most one request in flight. With
/// several hosts there are more slots than users, so that every user can reach every host.
pub(super) struct Dispatch {
    users: usize,
    /// Slots with an open connection and no request, by host, longest idle first.
    idle: Vec<VecDeque<usize>>,
    hosts: Rotation,
    /// Slots whose returned request can be sent again, because the connection is open.
    again: VecDeque<usize>,
    think: Option<Thinker>,
    /// End of the think time of each thinking user, earliest first.
    thinking: BinaryHeap<Reverse<u64>>,
}

impl Dispatch {
    pub(super) fn new(users: usize, weights: &[u32], mut think: Option<Thinker>) -> Self {
        // Users start at different times. A simultaneous start would be a burst, and equal think
        // times would repeat the burst.
        let thinking = match &mut think {
            Some(think) => (0..users)
                .map(|user| Reverse((think.next_rest() as f64 * user as f64 / users as f64) as u64))
                .collect(),
            None => BinaryHeap::new(),
        };
        let each = users.max(1);
        Self {
            users,
            idle: weights
                .iter()
                .map(|_| VecDeque::with_capacity(each))
                .collect(),
            hosts: Rotation::new(weights),
            again: VecDeque::new(),
            think,
            thinking,
        }
    }

    /// Whether a slot that becomes free can send the next request itself: true with one host and
    /// without think time.
    #[inline]
    pub(super) fn is_direct(&self) -> bool {
        self.think.is_none() && self.idle.len() == 1
    }

    #[inline]
    pub(super) fn rest(&mut self, slot: usize, host: usize) {
        self.idle[host].push_back(slot);
    }

    /// Removes `slots`, whose connection to `host` takes no more requests.
    pub(super) fn forget(&mut self, slots: std::ops::Range<usize>, host: usize) {
        self.idle[host].retain(|slot| !slots.contains(slot));
        self.again.retain(|slot| !slots.contains(slot));
    }

    pub(super) fn send_again(&mut self, slot: usize) {
        self.again.push_back(slot);
    }

    pub(super) fn take_again(&mut self) -> Option<usize> {
        self.again.pop_front()
    }

    #[inline]
    pub(super) fn begin_to_think(&mut self, now: u64) {
        if let Some(think) = &mut self.think {
            self.thinking
                .push(Reverse(now.saturating_add(think.next_rest())));
        }
    }

    /// The time at which the next think time ends.
    pub(super) fn next_thought(&self) -> Option<u64> {
        self.thinking.peek().map(|until| until.0)
    }

    /// Whether a request could be sent now if one were due.
    pub(super) fn is_ready(&self, in_flight: usize) -> bool {
        in_flight + self.thinking.len() < self.users
            && self.idle.iter().any(|depth| !depth.is_empty())
    }

    /// The slot for the next request, if a user and a slot are free.
    pub(super) fn take(&mut self, in_flight: usize, now: u64) -> Option<usize> {
        while self.thinking.peek().is_some_and(|until| until.0 <= now) {
            self.thinking.pop();
        }
        if in_flight + self.thinking.len() >= self.users {
            return None;
        }
        let idle = &self.idle;
        let host = self.hosts.next(|host| !idle[host].is_empty())?;
        self.idle[host].pop_front()
    }
}

/// Smooth weighted round robin: in every turn, each host gains its weight as credit; the host with
/// the most credit is chosen and pays the sum of all weights.
struct Rotation {
    weights: Vec<i64>,
    credit: Vec<i64>,
}

impl Rotation {
    fn new(weights: &[u32]) -> Self {
        Self {
            weights: weights.iter().map(|&weight| i64::from(weight)).collect(),
            credit: vec![0; weights.len()],
        }
    }

    /// The next host for which `able` is true. Unavailable hosts gain no credit, so that a host
    /// receives no burst when it becomes available again.
    fn next(&mut self, able: impl Fn(usize) -> bool) -> Option<usize> {
        if self.weights.len() == 1 {
            return able(0).then_some(0);
        }
        let mut gained = 0;
        let mut richest: Option<usize> = None;
        for host in (0..self.weights.len()).filter(|&host| able(host)) {
            self.credit[host] += self.weights[host];
            gained += self.weights[host];
            if richest.is_none_or(|other| self.credit[host] > self.credit[other]) {
                richest = Some(host);
            }
        }
        let host = richest?;
        self.credit[host] -= gained;
        Some(host)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tenbin_plan::Think;

    use super::*;

    #[test]
    fn hosts_come_as_often_as_they_weigh_and_evenly() {
        let mut rotation = Rotation::new(&[5, 1, 1]);
        let turns: Vec<_> = (0..7).filter_map(|_| rotation.next(|_| true)).collect();
        assert_eq!(turns, [0, 0, 1, 0, 2, 0, 0]);
    }

    #[test]
    fn a_host_that_was_away_is_not_flooded() {
        let mut rotation = Rotation::new(&[1, 1]);
        for _ in 0..100 {
            assert_eq!(rotation.next(|host| host == 0), Some(0));
        }
        let turns: Vec<_> = (0..4).filter_map(|_| rotation.next(|_| true)).collect();
        assert_eq!(turns.iter().filter(|&&host| host == 1).count(), 2);
        assert_eq!(rotation.next(|_| false), None);
    }

    #[test]
    fn users_who_think_hold_no_slot_and_send_nothing() {
        let think = Think::Fixed(Duration::from_nanos(100));
        let mut dispatch = Dispatch::new(2, &[1], Some(Thinker::new(&think, 1, 0)));
        dispatch.rest(0, 0);
        dispatch.rest(1, 0);
        // The first user starts at once, the second after half a think time.
        assert_eq!(dispatch.take(0, 0), Some(0));
        assert_eq!(dispatch.take(1, 49), None);
        assert_eq!(dispatch.take(1, 50), Some(1));
        dispatch.rest(0, 0);
        dispatch.begin_to_think(60);
        assert_eq!(dispatch.take(1, 159), None);
        assert_eq!(dispatch.next_thought(), Some(160));
        assert_eq!(dispatch.take(1, 160), Some(0));
    }
}
