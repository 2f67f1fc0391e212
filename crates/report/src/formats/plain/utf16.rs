//! Decodes UTF-16, which PowerShell writes, to UTF-8.

use std::io::{self, BufRead, Read};

use super::Fault;

/// The encoding that is converted, not removed.
pub(super) const UTF_16: &str = "UTF-16";

/// An encoding that is not plain UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8 with a byte order mark.
    MarkedUtf8,
    /// UTF-16 with the low byte first; `marked` with a byte order mark.
    Utf16Little { marked: bool },
    /// UTF-16 with the high byte first; `marked` with a byte order mark.
    Utf16Big { marked: bool },
}

impl Encoding {
    pub(super) fn of(beginning: &[u8]) -> Option<Self> {
        match beginning {
            [0xef, 0xbb, 0xbf, ..] => Some(Self::MarkedUtf8),
            [0xff, 0xfe, ..] => Some(Self::Utf16Little { marked: true }),
            [0xfe, 0xff, ..] => Some(Self::Utf16Big { marked: true }),
            // Text in Latin letters has every other byte 0.
            [a, 0, b, 0, c, 0, ..] if [a, b, c].iter().all(|c| is_text(**c)) => {
                Some(Self::Utf16Little { marked: false })
            }
            [0, a, 0, b, 0, c, ..] if [a, b, c].iter().all(|c| is_text(**c)) => {
                Some(Self::Utf16Big { marked: false })
            }
            _ => None,
        }
    }

    /// The encoding in words: a mark that is removed, or [`UTF_16`].
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::MarkedUtf8 => "its byte order mark",
            Self::Utf16Little { .. } | Self::Utf16Big { .. } => UTF_16,
        }
    }

    pub(super) fn decoding<'a>(
        self,
        mut text: Box<dyn BufRead + 'a>,
    ) -> Result<Box<dyn Read + 'a>, Fault> {
        let (mark, is_big) = match self {
            Self::MarkedUtf8 => (3, None),
            Self::Utf16Little { marked } => (2 * u64::from(marked), Some(false)),
            Self::Utf16Big { marked } => (2 * u64::from(marked), Some(true)),
        };
        let skipped = io::copy(&mut text.by_ref().take(mark), &mut io::sink());
        skipped.map_err(|error| Fault::unreadable(&error))?;
        Ok(match is_big {
            None => Box::new(text),
            Some(is_big) => Box::new(Utf16 {
                text,
                is_big,
                high: None,
                decoded: Vec::new(),
                at: 0,
            }),
        })
    }
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Number of units decoded at once.
const UNITS: usize = 4096;

/// UTF-8 from UTF-16. A unit that is half of a character, and a last odd byte, become U+FFFD.
struct Utf16<'a> {
    text: Box<dyn BufRead + 'a>,
    is_big: bool,
    /// The first half of a character whose second half follows.
    high: Option<u16>,
    decoded: Vec<u8>,
    /// Number of bytes of `decoded` that have been read.
    at: usize,
}

impl Utf16<'_> {
    fn fill(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        let wanted = 2 * UNITS as u64;
        self.text.by_ref().take(wanted).read_to_end(&mut bytes)?;
        let is_end = (bytes.len() as u64) < wanted;
        let unit = |pair: &[u8]| match (pair, self.is_big) {
            ([high, low], true) | ([low, high], false) => u16::from_be_bytes([*high, *low]),
            _ => 0xfffd,
        };
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        units.extend(bytes.chunks(2).map(unit));
        if !is_end
            && units
                .last()
                .is_some_and(|last| (0xd800..0xdc00).contains(last))
        {
            self.high = units.pop();
        }
        let characters = char::decode_utf16(units).map(|one| one.unwrap_or('\u{fffd}'));
        self.decoded = characters.collect::<String>().into_bytes();
        self.at = 0;
        Ok(())
    }
}

impl Read for Utf16<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.at == self.decoded.len() {
            self.fill()?;
        }
        let mut rest = &self.decoded[self.at..];
        let read = rest.read(to)?;
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_two_units_survive_the_end_of_a_buffer() {
        let text = "a".repeat(UNITS - 1) + "😀µ" + &"😀".repeat(UNITS);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let encoding = Encoding::Utf16Little { marked: false };
        assert_eq!(Encoding::of(&bytes), Some(encoding));
        let mut decoded = String::new();
        let mut read = encoding.decoding(Box::new(bytes.as_slice())).unwrap();
        read.read_to_string(&mut decoded).unwrap();
        assert!(decoded == text);
    }

    #[test]
    fn half_a_character_is_replaced() {
        let bytes = [b'a', 0, b'b', 0, b'c', 0, 0x3d, 0xd8, b'd'];
        let encoding = Encoding::of(&bytes).unwrap();
        let mut decoded = String::new();
        let mut read = encoding.decoding(Box::new(bytes.as_slice())).unwrap();
        read.read_to_string(&mut decoded).unwrap();
        assert_eq!(decoded, "abc\u{fffd}\u{fffd}");
    }
}
