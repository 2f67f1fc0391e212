//! How the rows of a section store, resolve and print their values: the model of the section.

use crate::keys::page::{Page, list};
use crate::keys::row::Key;
use crate::keys::scalar::{At, List, Scalar};
use crate::keys::value::{Reader, Shown, default_of};
use crate::resolver::Resolver;

/// The type of a field of a model that a key sets.
pub(crate) trait Stored: Sized + PartialEq {
    /// The value as written in a draft.
    type Written;
    /// One value: of a list, an item.
    type Item;

    /// The value if a plan does not set the key.
    fn unset(key: &Key, read: Reader<Self::Item>) -> Self;

    /// Reads the value; `None` if the value is wrong, which is reported.
    fn read(
        resolver: &mut Resolver<'_>,
        key: &Key,
        written: &At<Self::Written>,
        read: Reader<Self::Item>,
    ) -> Option<Self>;

    /// The value in plan-file syntax; `None` if the key is not printed.
    fn show(&self, key: &Key) -> Option<String>;
}

/// Always a value: without a value in the plan, the default of the key.
impl<T: Shown> Stored for T {
    type Written = Scalar;
    type Item = T;

    fn unset(key: &Key, read: Reader<T>) -> Self {
        default_of(key, read)
    }

    fn read(
        resolver: &mut Resolver<'_>,
        key: &Key,
        written: &At<Scalar>,
        read: Reader<T>,
    ) -> Option<Self> {
        resolver.item(key, written.place, &written.value, read)
    }

    fn show(&self, key: &Key) -> Option<String> {
        Some(Shown::show(self, &key.value))
    }
}

/// Without a value in the plan, no value.
impl<T: Shown> Stored for Option<T> {
    type Written = Scalar;
    type Item = T;

    fn unset(_: &Key, _: Reader<T>) -> Self {
        None
    }

    fn read(
        resolver: &mut Resolver<'_>,
        key: &Key,
        written: &At<Scalar>,
        read: Reader<T>,
    ) -> Option<Self> {
        Some(resolver.item(key, written.place, &written.value, read))
    }

    fn show(&self, key: &Key) -> Option<String> {
        Some(self.as_ref()?.show(&key.value))
    }
}

/// A list; wrong items are reported and left out.
impl<T: Shown> Stored for Vec<T> {
    type Written = List;
    type Item = T;

    fn unset(_: &Key, _: Reader<T>) -> Self {
        Vec::new()
    }

    fn read(
        resolver: &mut Resolver<'_>,
        key: &Key,
        written: &At<List>,
        read: Reader<T>,
    ) -> Option<Self> {
        let items = written.items().into_iter();
        Some(
            items
                .filter_map(|item| resolver.item(key, item.place, item.value, read))
                .collect(),
        )
    }

    fn show(&self, key: &Key) -> Option<String> {
        (!self.is_empty()).then(|| list(self.iter().map(|item| item.show(&key.value))))
    }
}

/// Prints a key with its stored value. A key that prints only changes is left out if its value is
/// `usual`, unless the page has a note about the key.
pub(crate) fn print<T: Stored>(page: &mut Page, key: &Key, value: &T, usual: &T) {
    if key.prints_changes_only && value == usual && !page.has_note(key) {
        return;
    }
    if let Some(text) = value.show(key) {
        page.key(key, text);
    }
}

/// Declares the model of a section, from its rows: fields, defaults, resolution and printing.
/// `section!` calls this macro.
macro_rules! model {
    ($draft:ident [] $($row:tt)*) => {};
    ($draft:ident [
        $(#[$about:meta])*
        pub struct $model:ident {
            $( $(#[$field_about:meta])* pub $field:ident: $type:ty = $default:expr, )*
        }
    ] $( {
        $docs:tt $key:ident
        $( [$stored:ty] [$($read:tt)*] [$($when:path)?] )?
        $( ($shown:path) )?
    } )+) => {
        $(#[$about])*
        pub struct $model {
            $( $( #[doc = concat! $docs] pub $key: $stored, )? )+
            $( $(#[$field_about])* pub $field: $type, )*
        }

        impl Default for $model {
            fn default() -> Self {
                use $crate::keys::stored::{Stored, reader};
                Self {
                    $( $( $key: <$stored as Stored>::unset(&$draft::$key, reader!($($read)*)), )? )+
                    $( $field: $default, )*
                }
            }
        }

        impl $model {
            /// Replaces the values whose keys are given. Wrong values are reported.
            pub(crate) fn read_keys(
                &mut self,
                resolver: &mut $crate::resolver::Resolver<'_>,
                draft: &$draft,
            ) {
                use $crate::keys::stored::{Stored, reader};
                $( $(
                    if let Some(written) = &draft.$key {
                        let value = <$stored as Stored>::read(
                            resolver,
                            &$draft::$key,
                            written,
                            reader!($($read)*),
                        );
                        if let Some(value) = value {
                            self.$key = value;
                        }
                    }
                )? )+
            }

            /// Prints the keys in the order of their rows.
            pub(crate) fn print_keys(&self, page: &mut $crate::keys::page::Page) {
                use $crate::keys::stored::{applies, print};
                let usual = Self::default();
                $(
                    $(
                        if applies!(self $($when)?) {
                            print::<$stored>(page, &$draft::$key, &self.$key, &usual.$key);
                        }
                    )?
                    $( $shown(self, page); )?
                )+
            }
        }
    };
}
pub(crate) use model;

/// The reader of a row: the one that the row names, otherwise that of the type.
macro_rules! reader {
    () => {
        $crate::keys::value::KeyValue::read
    };
    (in $read:path) => {
        |scalar, reading| Ok($read(scalar, reading)?)
    };
    ($read:path) => {
        |scalar, _| $crate::keys::value::read_with(scalar, $read)
    };
}
pub(crate) use reader;

/// Whether a model prints the key of a row.
macro_rules! applies {
    ($model:ident) => {
        true
    };
    ($model:ident $when:path) => {
        $when($model)
    };
}
pub(crate) use applies;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use crate::keys::row::Value;
    use crate::keys::sections::all_keys;
    use crate::keys::value::{KeyValue as _, Reading};

    #[test]
    fn every_default_is_a_value_of_its_key() {
        let mut checked = 0;
        for key in all_keys() {
            let Some(value) = key.default_value() else {
                continue;
            };
            let reading = Reading::new(key, Path::new(""));
            let read = match key.value {
                Value::Whole { .. } => u64::read(&value, &reading).map(|_| ()),
                Value::Time { .. } => Duration::read(&value, &reading).map(|_| ()),
                Value::Switch => bool::read(&value, &reading).map(|_| ()),
                Value::Rate => value.rate().map(|_| ()),
                Value::Size => value.size().map(|_| ()).map_err(Into::into),
                Value::Choice(names) => {
                    let names: Vec<(&str, ())> =
                        names().into_iter().map(|name| (name, ())).collect();
                    value.choice(&names)
                }
                Value::Text(_) => value.text().map(|_| ()).map_err(Into::into),
            };
            assert_eq!(read, Ok(()), "{}", key.name);
            checked += 1;
        }
        assert!(checked > 40, "{checked} defaults");
    }
}
