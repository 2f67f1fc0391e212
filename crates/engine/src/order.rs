//! What a scheduler tells its driver to do.

/// What a driver is to do with one of its slots. A slot is the
/// place of one request in flight on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Write the slot's request on its connection.
    Send,
    /// Keep it open and quiet.
    Rest,
    /// Close the slot's connection if it is open, and connect anew.
    Reopen,
    /// Close the slot's connection for good.
    Close,
    /// Nobody waits for the slot's answer any more. A driver that can give up one
    /// answer alone does so and reports the slot as vacated; any other closes
    /// the connection and reports that it hung up.
    Cancel,
}
