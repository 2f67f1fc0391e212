//! The names by which plans call the things they choose among: one table each,
//! for the reader, the printer and the messages.

/// A thing that a plan names.
pub(crate) trait Named: Copy + PartialEq + 'static {
    /// Every name with what it means.
    const NAMES: &'static [(&'static str, Self)];

    /// Its name.
    fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|&&(_, value)| value == self)
            .map(|&(name, _)| name)
            .expect("every value stands in its own table")
    }
}
