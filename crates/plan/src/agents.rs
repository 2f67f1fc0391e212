//! What happens when a load machine is lost.

use crate::keys::names::named;

named! {
    /// What happens when an agent is lost during a run. In every case, its slice is void.
    OnLoss {
        /// Look for another agent for up to [`Agents::wait`](crate::Agents::wait), and measure the block again.
        #[default]
        Repeat = "repeat",
        /// Measure the block again with the other agents.
        Continue = "continue",
        /// End the run.
        Stop = "stop",
    }
}
