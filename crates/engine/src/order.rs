//! What a conductor tells its wire to do.

/// What a wire is to do with one of its slots. A slot is a lane of a connection:
/// room for one request that is out.
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
    /// Nobody waits for the slot's answer any more. A wire that can give up one
    /// answer alone does so and reports the slot as vacated; any other closes
    /// the connection and reports that it hung up.
    Cancel,
}
