//! The keys that a struct deserializes from.

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

/// The keys that a struct deserializes from, as its own derive declares them.
pub(crate) fn keys_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut keys: &'static [&'static str] = &[];
    // It always fails: all it is asked for is which struct was wanted.
    let _ = T::deserialize(KeyReader { keys: &mut keys });
    keys
}

struct KeyReader<'a> {
    keys: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for KeyReader<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Self::Error> {
        *self.keys = keys;
        Err(de::Error::custom("keys read"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
        ignored_any
    }
}
