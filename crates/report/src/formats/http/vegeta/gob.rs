//! Reads streams of Go's package `encoding/gob`, whose documentation has the encoding. Values are
//! read one after the other and skipped where they are not wanted, so that memory does not grow
//! with the stream.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::rc::Rc;

use tenbin_plan::sentence;

use crate::formats::reader::{Fault, Reason};

/// Identifiers of Go's basic types.
pub(super) const INT: i64 = 2;
pub(super) const UINT: i64 = 3;
pub(super) const BYTES: i64 = 5;
pub(super) const STRING: i64 = 6;
const BOOL: i64 = 1;
const FLOAT: i64 = 4;
const COMPLEX: i64 = 7;

/// Types and fields of a type that one stream may define, and levels of types within types.
const MOST_TYPES: usize = 64;
const MOST_FIELDS: u64 = 64;
const MOST_LEVELS: usize = 8;
/// Bytes of a text that are kept.
const LONGEST_TEXT: u64 = 256;

/// A type that the stream defines.
#[derive(Debug, Clone, PartialEq)]
enum Type {
    Struct {
        name: String,
        fields: Rc<[Field]>,
    },
    /// Slice or array.
    List {
        element: i64,
    },
    Map {
        key: i64,
        element: i64,
    },
    /// A type with an encoding of its own, such as a time.
    Opaque,
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) type_id: i64,
}

/// A stream.
pub(super) struct Gob<'a> {
    input: &'a mut dyn BufRead,
    types: BTreeMap<i64, Type>,
    /// Bytes of the message that have not been read.
    left: u64,
    /// Messages so far, for errors.
    message: u64,
}

impl<'a> Gob<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            types: BTreeMap::new(),
            left: 0,
            message: 0,
        }
    }

    /// The fields of the struct in the next message, whose values are read next; `None` at the end
    /// of the stream. Definitions of types are taken in.
    pub(super) fn next(&mut self, name: &str) -> Result<Option<Rc<[Field]>>, Fault> {
        loop {
            match self.input.fill_buf() {
                Ok([]) => return Ok(None),
                Ok(_) => {}
                Err(error) => return Err(self.cut(&error)),
            }
            self.message += 1;
            // The length itself is no part of the message.
            self.left = u64::MAX;
            self.left = self.uint()?;
            let id = self.int()?;
            if id >= 0 {
                return match self.types.get(&id) {
                    Some(Type::Struct { name: own, fields }) if own == name => {
                        Ok(Some(Rc::clone(fields)))
                    }
                    _ => Err(self.fault(sentence!("gob-without", "holds no {name}", name))),
                };
            }
            self.define(id.checked_neg().ok_or_else(|| self.malformed())?)?;
            self.finish()?;
        }
    }

    /// The message must have been read to its end.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        match self.left {
            0 => Ok(()),
            _ => Err(self.fault("has bytes behind its value")),
        }
    }

    /// Calls `read` with the number of each field of a struct that has a value, from 0.
    pub(super) fn each_field(
        &mut self,
        mut read: impl FnMut(&mut Self, usize) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut next = 0_u64;
        loop {
            match self.uint()? {
                0 => return Ok(()),
                step if step <= MOST_FIELDS && next + step <= MOST_FIELDS => {
                    next += step;
                    read(self, next as usize - 1)?;
                }
                _ => return Err(self.malformed()),
            }
        }
    }

    pub(super) fn uint(&mut self) -> Result<u64, Fault> {
        let first = self.byte()?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let length = usize::from(first.wrapping_neg());
        if length > 8 {
            return Err(self.malformed());
        }
        let mut number = 0;
        for _ in 0..length {
            number = number << 8 | u64::from(self.byte()?);
        }
        Ok(number)
    }

    pub(super) fn int(&mut self) -> Result<i64, Fault> {
        let number = self.uint()?;
        let half = (number >> 1) as i64;
        Ok(if number & 1 == 1 { !half } else { half })
    }

    /// A text or bytes, of which the first are kept.
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, Fault> {
        let length = self.uint()?;
        let mut kept = Vec::new();
        for _ in 0..length.min(LONGEST_TEXT) {
            kept.push(self.byte()?);
        }
        self.pass(length - length.min(LONGEST_TEXT))?;
        Ok(kept)
    }

    pub(super) fn text(&mut self) -> Result<String, Fault> {
        let bytes = self.bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a type with an encoding of its own.
    pub(super) fn opaque(&mut self, type_id: i64) -> Result<Vec<u8>, Fault> {
        match self.types.get(&type_id) {
            Some(Type::Opaque) => self.bytes(),
            _ => Err(self.malformed()),
        }
    }

    /// Reads past a value.
    pub(super) fn skip(&mut self, type_id: i64) -> Result<(), Fault> {
        self.skip_at(type_id, 0)
    }

    fn skip_at(&mut self, type_id: i64, level: usize) -> Result<(), Fault> {
        if level > MOST_LEVELS {
            return Err(self.malformed());
        }
        match type_id {
            BOOL | INT | UINT | FLOAT => return self.uint().map(|_| ()),
            COMPLEX => return self.uint().and_then(|_| self.uint()).map(|_| ()),
            BYTES | STRING => {
                let length = self.uint()?;
                return self.pass(length);
            }
            _ => {}
        }
        match self.types.get(&type_id).cloned() {
            Some(Type::Opaque) => {
                let length = self.uint()?;
                self.pass(length)
            }
            Some(Type::List { element }) => {
                for _ in 0..self.uint()? {
                    self.skip_at(element, level + 1)?;
                }
                Ok(())
            }
            Some(Type::Map { key, element }) => {
                for _ in 0..self.uint()? {
                    self.skip_at(key, level + 1)?;
                    self.skip_at(element, level + 1)?;
                }
                Ok(())
            }
            Some(Type::Struct { fields, .. }) => self.each_field(|gob, at| {
                let field = fields.get(at).ok_or_else(|| gob.malformed())?;
                gob.skip_at(field.type_id, level + 1)
            }),
            None => Err(self.malformed()),
        }
    }

    /// A definition: a struct with one field for each kind of types. The first part of each kind
    /// has the name and the identifier.
    fn define(&mut self, id: i64) -> Result<(), Fault> {
        const ARRAY: usize = 0;
        const SLICE: usize = 1;
        const STRUCT: usize = 2;
        const MAP: usize = 3;
        let mut defined = None;
        self.each_field(|gob, kind| {
            let (mut name, mut fields, mut ids) = (String::new(), Vec::new(), [0; 2]);
            gob.each_field(|gob, part| {
                match (kind, part) {
                    (_, 0) => name = gob.named()?.name,
                    (STRUCT, 1) => {
                        let count = gob.uint()?;
                        if count > MOST_FIELDS {
                            return Err(gob.malformed());
                        }
                        for _ in 0..count {
                            fields.push(gob.named()?);
                        }
                    }
                    (ARRAY | SLICE | MAP, 1 | 2) => ids[part - 1] = gob.int()?,
                    _ => return Err(gob.malformed()),
                }
                Ok(())
            })?;
            let [first, second] = ids;
            defined = Some(match kind {
                // The second part of an array is its length.
                ARRAY | SLICE => Type::List { element: first },
                STRUCT => Type::Struct {
                    name,
                    fields: fields.into(),
                },
                MAP => Type::Map {
                    key: first,
                    element: second,
                },
                _ => Type::Opaque,
            });
            Ok(())
        })?;
        let defined = defined.ok_or_else(|| self.malformed())?;
        if self.types.len() >= MOST_TYPES || self.types.insert(id, defined).is_some() {
            return Err(self.fault("defines a type again; write each stream to a separate file"));
        }
        Ok(())
    }

    /// A name with an identifier: a type, or a field with its type.
    fn named(&mut self) -> Result<Field, Fault> {
        let (mut name, mut type_id) = (String::new(), 0);
        self.each_field(|gob, part| {
            match part {
                0 => name = gob.text()?,
                1 => type_id = gob.int()?,
                _ => return Err(gob.malformed()),
            }
            Ok(())
        })?;
        Ok(Field { name, type_id })
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        if self.left == 0 {
            return Err(self.malformed());
        }
        let first = match self.input.fill_buf() {
            Ok(buffer) => buffer.first().copied(),
            Err(error) => return Err(self.cut(&error)),
        };
        let first = first.ok_or_else(|| self.fault("ends too early; the file is cut off"))?;
        self.input.consume(1);
        self.left -= 1;
        Ok(first)
    }

    fn pass(&mut self, mut length: u64) -> Result<(), Fault> {
        if length > self.left {
            return Err(self.malformed());
        }
        self.left -= length;
        while length > 0 {
            let available = match self.input.fill_buf() {
                Ok(buffer) => buffer.len() as u64,
                Err(error) => return Err(self.cut(&error)),
            };
            if available == 0 {
                return Err(self.fault("ends too early; the file is cut off"));
            }
            let step = available.min(length);
            self.input.consume(step as usize);
            length -= step;
        }
        Ok(())
    }

    pub(super) fn fault(&self, what: impl Reason) -> Fault {
        let what = what.sentence();
        Fault::of_the_file(sentence!(
            "of-gob-message",
            "message {number} {what}",
            number = self.message,
            what
        ))
    }

    pub(super) fn malformed(&self) -> Fault {
        self.fault("is not in the encoding of Go's gob; the file may be damaged")
    }

    fn cut(&self, error: &std::io::Error) -> Fault {
        self.fault(sentence!(
            "gob-unreadable",
            "cannot be read: {error}; the file may be cut off",
            error
        ))
    }
}
