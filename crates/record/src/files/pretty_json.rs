//! Writes indented JSON in which deeply nested values take one line.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use crate::files::harmless_text::escape;

/// Lists and objects nested deeper than this are written on one line.
const DEEPEST: usize = 4;

/// `value` as JSON with one line per member; values nested deeper than [`DEEPEST`] are on one line.
pub(crate) fn to_vec(value: &impl Serialize) -> Vec<u8> {
    let mut text = Vec::new();
    let formatter = Shallow {
        pretty: PrettyFormatter::new(),
        depth: 0,
    };
    let mut serializer = Serializer::with_formatter(&mut text, formatter);
    value
        .serialize(&mut serializer)
        .expect("plain data becomes JSON");
    escape(&mut text, 0);
    text
}

/// A formatter that indents outer levels and is compact at greater depth.
struct Shallow<'a> {
    pretty: PrettyFormatter<'a>,
    depth: usize,
}

/// Calls the indenting or the compact formatter, depending on the depth.
macro_rules! at_depth {
    ($self:ident, $call:ident($($argument:expr),*)) => {
        if $self.depth <= DEEPEST {
            $self.pretty.$call($($argument),*)
        } else {
            CompactFormatter.$call($($argument),*)
        }
    };
}

impl Formatter for Shallow<'_> {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, begin_array(writer))
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let ended = at_depth!(self, end_array(writer));
        self.depth -= 1;
        ended
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_depth!(self, begin_array_value(writer, first))
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, end_array_value(writer))
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_depth!(self, begin_object(writer))
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let ended = at_depth!(self, end_object(writer));
        self.depth -= 1;
        ended
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_depth!(self, begin_object_key(writer, first))
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, begin_object_value(writer))
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_depth!(self, end_object_value(writer))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::to_vec;

    #[test]
    fn deeply_nested_values_are_on_one_line_and_unchanged() {
        let value = json!({"a": {"b": [{"c": [[0, 1], [2, null]], "d": {}}, []]}, "e": 5});
        let text = String::from_utf8(to_vec(&value)).unwrap();
        assert!(text.contains("\"c\": [[0,1],[2,null]]"), "{text}");
        assert!(text.starts_with("{\n  \"a\": {\n"), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
