//! The declaration of a section of a plan: `section!` makes its draft, its table of keys and its model.

/// Declares a section: its draft, with one field per key, the table of its keys, and its model. The
/// doc comment of a key is the meaning of the key in `docs/plan-file.md`. Fields under `tables` are
/// not keys.
///
/// A row `key: Scalar => Duration = …` stores the value in a field of the model, which `stored`
/// declares: the row resolves the value by its type (or with the function after `read`; `read_in` for a
/// function that needs the directory of the plan) and prints
/// it (if the function after `when` holds). A row with `shown` is not stored, and prints what that
/// function prints. The model resolves rows without storage in its own function; the fields of such
/// values stand with their defaults in `stored`. A section can have several groups of rows, each with
/// its own model.
macro_rules! section {
    (
        $(#[$about:meta])*
        pub struct $draft:ident($title:literal, $expecting:literal) $({
            $(
                $(#[doc = $meaning:literal])+
                $key:ident: $value:ty
                    $(=> $stored:ty
                        $(, read $read:path)? $(, read_in $read_in:path)? $(, when $when:path)?)?
                    $(, shown $shown:path)?
                    = $entry:expr;
            )+
        }
        $(stored { $($model:tt)+ })?)+
        $(tables {
            $( $(#[$other_about:meta])* $visible:vis $other:ident: $other_type:ty, )+
        })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = $expecting)]
        pub struct $draft {
            $($( $(#[doc = $meaning])+ pub $key: Option<$crate::keys::scalar::At<$value>>, )+)+
            $( $( $(#[$other_about])* $visible $other: $other_type, )+ )?
        }

        // One constant per key with the name of the key, so that a misspelt key does not compile.
        #[allow(non_upper_case_globals, dead_code)]
        impl $draft {
            $($(
                pub(crate) const $key: $crate::keys::row::Key =
                    $entry
                        .named(stringify!($key), concat!($($meaning),+))
                        .written(<$value as $crate::keys::scalar::FromFlag>::FORM);
            )+)+
        }

        $($crate::keys::stored::model! { $draft [$($($model)+)?] $( {
            ($($meaning),+) $key
            $( [$stored] [$($read)? $(in $read_in)?] [$($when)?] )?
            $( ($shown) )?
        } )+ })+

        impl $crate::keys::row::Section for $draft {
            const TITLE: &'static str = $title;
            const KEYS: &'static [$crate::keys::row::Key] = &[$($(Self::$key),+),+];

            fn given(&self) -> Vec<(&'static str, $crate::plan_file::problem::Place)> {
                let mut given = Vec::new();
                $($(if let Some(value) = &self.$key {
                    given.push((stringify!($key), value.place));
                })+)+
                given
            }

            fn set(
                &mut self,
                key: &str,
                flag: &'static str,
                values: Vec<$crate::keys::scalar::Scalar>,
            ) -> Result<(), $crate::Sentence> {
                match key {
                    $($(stringify!($key) => {
                        let value = $crate::keys::scalar::FromFlag::from_flag(flag, values)?;
                        let place = $crate::plan_file::problem::Place::Flag(flag);
                        self.$key = Some($crate::keys::scalar::At { value, place });
                    })+)+
                    _ => {}
                }
                Ok(())
            }

            fn copy(&mut self, from: &Self, is_copied: impl Fn(&str) -> bool) {
                $($(if from.$key.is_some() && is_copied(stringify!($key)) {
                    self.$key = from.$key.clone();
                })+)+
            }
        }
    };
}
pub(crate) use section;
