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

/// Declares an enum, with the name of each variant in plans.
macro_rules! named {
    ($(#[$about:meta])* $type:ident { $($(#[$each:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $type {
            $($(#[$each])* $variant),+
        }

        impl $crate::keys::names::Named for $type {
            const NAMES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),+];
        }

        impl $type {
            /// Name in plans and on the command line.
            pub fn name(self) -> &'static str {
                $crate::keys::names::Named::name(self)
            }
        }
    };
}

pub(crate) use named;
