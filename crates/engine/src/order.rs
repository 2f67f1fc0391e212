//! Orders from the scheduler to the driver.

/// What a driver must do next with a slot. A slot holds at most one request in flight on a
/// connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Write the slot's request on its connection.
    Send,
    /// Keep the connection open and send nothing.
    Rest,
    /// Close the slot's connection if it is open, and connect again.
    Reopen,
    /// Close the slot's connection and do not reopen it.
    Close,
    /// Give up the response of the slot. A driver that can cancel a single request cancels the
    /// request and calls [`Scheduler::vacated`]; other drivers close the connection and call
    /// [`Scheduler::hung_up`].
    Cancel,
}
