//! How busy the load generator's threads were.

use tenbin_record::{AgentPart, ClientUse, Environment, Slice};
use tenbin_result::{Message, Value, message};

use crate::agents::part_of;
use crate::cell::Cell;
use crate::server::backend::Backends;
use crate::words::middle;

/// Share of the time above which a thread counts as saturated: Tenbin's own convention.
pub(crate) const BUSY: f64 = 0.90;

/// Share of the time below which findings do not mention a wait for a core.
const LITTLE: f64 = 0.01;

/// The busiest load generator thread, as shares of the time, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Thread {
    /// Share of the time in which the thread ran on a core.
    pub(crate) used: f64,
    /// Share of the time in which the thread was ready to run and waited for a core that other
    /// programs used; 0 if unknown. Waits for a core that the target used do not count, because
    /// then the target or the machine is the limit.
    pub(crate) waited: f64,
}

impl Thread {
    /// Medians over the full slices of a cell; `None` without a full slice.
    pub(crate) fn of(cell: &Cell<'_>, backends: &Backends<'_>) -> Option<Self> {
        let threads = cell.full().into_iter().map(|slice| {
            let others = slice.machine().and_then(|machine| {
                let share = backends.share_of_others(&machine)?;
                Some(share * machine.cpu?.cores as f64)
            });
            Self::of_slice(slice, others)
        });
        let threads: Vec<Self> = threads.collect();
        Self::middle(&threads)
    }

    /// The busiest thread of one agent: medians over some slices; `None` without a slice.
    pub(crate) fn of_agent(
        environment: &Environment,
        slices: &[&Slice],
        agent: usize,
    ) -> Option<Self> {
        let parts = slices.iter();
        let parts = parts.filter_map(|slice| part_of(environment, slice, agent));
        Self::middle(&parts.map(Self::of_part).collect::<Vec<Self>>())
    }

    fn middle(threads: &[Self]) -> Option<Self> {
        let used = middle(threads.iter().map(|thread| thread.used))?;
        let ready = middle(threads.iter().map(Self::ready))?;
        Some(Self {
            used,
            waited: (ready - used).max(0.0),
        })
    }

    /// The busiest thread in one slice in which other programs used `others` cores. The wait is
    /// limited to the CPU time of other programs, because a thread waits for other programs only
    /// while they run. With agents, `others` is ignored, because it is known of each agent.
    pub(crate) fn of_slice(slice: &Slice, others: Option<f64>) -> Self {
        let of_agents = slice.agents.iter().map(Self::of_part);
        let busiest = of_agents.max_by(|one, other| one.ready().total_cmp(&other.ready()));
        busiest.unwrap_or_else(|| Self::of_client(&slice.client, others))
    }

    fn of_part(part: &AgentPart) -> Self {
        Self::of_client(&part.client, part.machine.others_cores)
    }

    fn of_client(client: &ClientUse, others: Option<f64>) -> Self {
        let busiest = Self {
            used: client.busiest_thread,
            waited: 0.0,
        };
        let readiest = client.readiest_thread.map(|turn| Self {
            used: turn.used,
            waited: turn.waited.min(others.unwrap_or(0.0)),
        });
        match readiest {
            Some(readiest) if readiest.ready() > busiest.ready() => readiest,
            _ => busiest,
        }
    }

    /// Whether the thread was saturated.
    pub(crate) fn is_busy(&self) -> bool {
        self.ready() > BUSY
    }

    /// Whether the thread was saturated because other programs used the cores.
    pub(crate) fn is_displaced(&self) -> bool {
        self.is_busy() && self.used <= BUSY
    }

    /// Share of the time in which the thread ran, or waited for a core that other programs used.
    pub(crate) fn ready(&self) -> f64 {
        self.used + self.waited
    }

    /// "used 62 % of a core", followed by the wait for a core if the wait is long enough.
    pub(crate) fn message(&self) -> Message {
        message!(
            "thread-use",
            used = Value::Share(self.used),
            waits = self.waited >= LITTLE,
            waited = Value::Share(self.waited)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::messages::Messages;
    use crate::testing::Run;

    fn words(thread: Thread) -> String {
        Messages::NONE.in_english(&thread.message())
    }

    fn of_slice(used: f64, waited: f64, others: Option<f64>) -> Thread {
        let mut run = Run::single(1);
        run.each(|slice| slice.waiting_thread(used, waited));
        Thread::of_slice(&run.slices[0], others)
    }

    #[test]
    fn a_thread_that_waits_while_others_run_is_busy() {
        let thread = of_slice(0.62, 0.35, Some(0.8));
        assert!(thread.is_busy() && thread.is_displaced(), "{thread:?}");
        assert_eq!(
            words(thread),
            "used 62 % of a core and waited in 35 % of the time for one that other programs used"
        );
        assert!(!of_slice(0.50, 0.35, Some(0.8)).is_busy());
    }

    #[test]
    fn a_wait_for_the_target_is_not_counted() {
        // The target used the cores; other programs used 5 % of a core.
        let thread = of_slice(0.62, 0.35, Some(0.05));
        assert!(!thread.is_busy(), "{thread:?}");
        assert!(!of_slice(0.62, 0.35, None).is_busy());
    }

    #[test]
    fn a_thread_that_uses_a_core_is_saturated() {
        let thread = of_slice(0.95, 0.04, Some(0.0));
        assert!(thread.is_busy() && !thread.is_displaced(), "{thread:?}");
        assert_eq!(words(thread), "used 95 % of a core");
    }
}
