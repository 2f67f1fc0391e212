//! Orders from the scheduler to the driver.

/// What a driver does next with one of its slots. A slot holds one request in flight on a
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
    /// Give up the response of the slot. A driver that can cancel a single request does so and
    /// calls [`Scheduler::vacated`]; any other driver closes the connection and calls
    /// [`Scheduler::hung_up`].
    Cancel,
}
