//! Types of values that a key can have: how a value is read, and how it is printed in plan-file
//! syntax.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::keys::names::Named;
use crate::keys::page::text;
use crate::keys::row::{Key, Value};
use crate::keys::scalar::Scalar;
use crate::plan_file::mistake::Mistake;
use crate::sentence;
use crate::units::duration::Time;
use crate::units::size::Size;

/// What a value is read with, in addition to its text.
pub(crate) struct Reading<'a> {
    /// The limits of the key.
    limits: &'a Value,
    /// Where relative paths start.
    pub(crate) directory: &'a Path,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(key: &'a Key, directory: &'a Path) -> Self {
        Self {
            limits: &key.value,
            directory,
        }
    }
}

/// Reads a value, and checks its limits.
pub(crate) type Reader<T> = fn(&Scalar, &Reading<'_>) -> Result<T, Mistake>;

/// Reads a value with a function of one key.
pub(crate) fn read_with<T, E: Into<Mistake>>(
    scalar: &Scalar,
    read: impl FnOnce(&Scalar) -> Result<T, E>,
) -> Result<T, Mistake> {
    read(scalar).map_err(Into::into)
}

/// A type whose values can be printed.
pub(crate) trait Shown: Clone + PartialEq {
    /// The value in plan-file syntax.
    fn show(&self, limits: &Value) -> String;
}

/// A type whose values are read in the same way for every key.
pub(crate) trait KeyValue: Shown {
    /// Reads a value and checks the limits of the key.
    fn read(scalar: &Scalar, reading: &Reading<'_>) -> Result<Self, Mistake>;
}

impl Shown for u64 {
    fn show(&self, limits: &Value) -> String {
        match limits {
            Value::Size => text(Size(*self)),
            _ => self.to_string(),
        }
    }
}

impl KeyValue for u64 {
    fn read(scalar: &Scalar, reading: &Reading<'_>) -> Result<Self, Mistake> {
        match *reading.limits {
            Value::Whole { least, most } => scalar.whole(least, most),
            Value::Size => Ok(scalar.size()?),
            _ => scalar.whole(0, Self::MAX),
        }
    }
}

macro_rules! smaller_numbers {
    ($($number:ty),+) => {$(
        impl Shown for $number {
            fn show(&self, _: &Value) -> String {
                self.to_string()
            }
        }

        impl KeyValue for $number {
            fn read(scalar: &Scalar, reading: &Reading<'_>) -> Result<Self, Mistake> {
                let number = u64::read(scalar, reading)?;
                let too_large = || {
                    sentence!("number-too-large", "{number} is too large", number)
                };
                Self::try_from(number).map_err(|_| too_large().into())
            }
        }
    )+};
}
smaller_numbers!(u8, u16, u32, usize);

impl Shown for Duration {
    fn show(&self, _: &Value) -> String {
        text(Time(*self))
    }
}

impl KeyValue for Duration {
    fn read(scalar: &Scalar, reading: &Reading<'_>) -> Result<Self, Mistake> {
        let time = scalar.time()?;
        match *reading.limits {
            Value::Time { least } if time < least => Err(Mistake::too_short(time, least)),
            _ => Ok(time),
        }
    }
}

impl Shown for bool {
    fn show(&self, _: &Value) -> String {
        self.to_string()
    }
}

impl KeyValue for bool {
    fn read(scalar: &Scalar, _: &Reading<'_>) -> Result<Self, Mistake> {
        Ok(scalar.switch()?)
    }
}

impl<T: Named> Shown for T {
    fn show(&self, _: &Value) -> String {
        text(self.name())
    }
}

impl<T: Named> KeyValue for T {
    fn read(scalar: &Scalar, _: &Reading<'_>) -> Result<Self, Mistake> {
        scalar.choice(T::NAMES)
    }
}

impl Shown for PathBuf {
    fn show(&self, _: &Value) -> String {
        text(self.display())
    }
}

impl KeyValue for PathBuf {
    fn read(scalar: &Scalar, reading: &Reading<'_>) -> Result<Self, Mistake> {
        Ok(reading.directory.join(scalar.text()?))
    }
}

/// Types whose values are printed as the text that `Display` writes.
macro_rules! shown_as_text {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::keys::value::Shown for $type {
            fn show(&self, _: &$crate::keys::row::Value) -> String {
                $crate::keys::page::text(self)
            }
        }
    )+};
}
pub(crate) use shown_as_text;

/// Types whose values are read with `FromStr`, and printed as `Display` writes them.
macro_rules! read_from_text {
    ($($type:ty),+ $(,)?) => {$(
        $crate::keys::value::shown_as_text!($type);

        impl $crate::keys::value::KeyValue for $type {
            fn read(
                scalar: &$crate::keys::scalar::Scalar,
                _: &$crate::keys::value::Reading<'_>,
            ) -> Result<Self, $crate::plan_file::mistake::Mistake> {
                Ok(scalar.parsed()?)
            }
        }
    )+};
}
pub(crate) use read_from_text;

shown_as_text!(String, std::net::IpAddr, std::net::SocketAddr);

/// The default value of a key. The default must not be a rule alone.
pub(crate) fn default_of<T>(key: &Key, read: Reader<T>) -> T {
    let reading = Reading::new(key, Path::new(""));
    key.default_value()
        .and_then(|value| read(&value, &reading).ok())
        .expect("the default in the table of keys is one of the key's values")
}
