//! Values that have names in plans: one table for each type, used for reading, printing and
//! messages.

/// A type whose values have names in plans.
pub(crate) trait Named: Copy + PartialEq + 'static {
    /// Every name with its value.
    const NAMES: &'static [(&'static str, Self)];

    /// The name of the value.
    fn name(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|&&(_, value)| value == self)
            .map(|&(name, _)| name)
            .expect("every value is in the table of its type")
    }
}
