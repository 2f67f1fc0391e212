//! Decodes chunked bodies (RFC 9112 section 7.1) incrementally.

use std::ops::Range;

/// Longest size line or trailer line accepted, bytes.
const LONGEST_LINE: u32 = 8 * 1024;

/// The decoder's state.
#[derive(Debug, Default)]
pub(super) struct Chunked {
    place: Place,
    /// Size of the current chunk while its size line is read, then its remaining bytes.
    size: u64,
    digits: u32,
    line: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Size,
    /// After the chunk size: ignores a chunk extension up to the end of the line.
    Extension,
    SizeFeed,
    Data,
    DataReturn,
    DataFeed,
    /// At the first byte of a trailer line.
    TrailerStart,
    Trailer,
    LastFeed,
}

/// The result of [`Chunked::step`].
pub(super) struct Step {
    /// Position of the body bytes in the input.
    pub(super) data: Range<usize>,
    /// Number of input bytes consumed.
    pub(super) consumed: usize,
    /// Whether the body is complete.
    pub(super) done: bool,
}

impl Chunked {
    /// Consumes bytes up to the end of the next run of body bytes, the end of the body or the end
    /// of `bytes`, whichever comes first.
    pub(super) fn step(&mut self, bytes: &[u8]) -> Result<Step, ()> {
        for (at, &byte) in bytes.iter().enumerate() {
            match self.place {
                Place::Data => return Ok(self.take_data(at, bytes.len())),
                Place::Size => self.size_byte(byte)?,
                Place::Extension => {
                    self.count_line()?;
                    match byte {
                        b'\r' => self.place = Place::SizeFeed,
                        b'\n' => return Err(()),
                        _ => {}
                    }
                }
                Place::SizeFeed => {
                    expect(byte, b'\n')?;
                    self.line = 0;
                    self.place = if self.size == 0 {
                        Place::TrailerStart
                    } else {
                        Place::Data
                    };
                }
                Place::DataReturn => {
                    expect(byte, b'\r')?;
                    self.place = Place::DataFeed;
                }
                Place::DataFeed => {
                    expect(byte, b'\n')?;
                    *self = Self::default();
                }
                Place::TrailerStart if byte == b'\r' => self.place = Place::LastFeed,
                Place::TrailerStart | Place::Trailer => {
                    self.count_line()?;
                    self.place = if byte == b'\n' {
                        Place::TrailerStart
                    } else {
                        Place::Trailer
                    };
                }
                Place::LastFeed => {
                    expect(byte, b'\n')?;
                    return Ok(Step {
                        data: at..at,
                        consumed: at + 1,
                        done: true,
                    });
                }
            }
        }
        let end = bytes.len();
        Ok(Step {
            data: end..end,
            consumed: end,
            done: false,
        })
    }

    fn take_data(&mut self, from: usize, available: usize) -> Step {
        let here = (available - from) as u64;
        let take = here.min(self.size);
        self.size -= take;
        if self.size == 0 {
            self.place = Place::DataReturn;
        }
        let to = from + take as usize;
        Step {
            data: from..to,
            consumed: to,
            done: false,
        }
    }

    fn size_byte(&mut self, byte: u8) -> Result<(), ()> {
        if let Some(digit) = (byte as char).to_digit(16) {
            if self.size >> 60 != 0 {
                return Err(());
            }
            self.count_line()?;
            self.size = self.size << 4 | u64::from(digit);
            self.digits += 1;
            return Ok(());
        }
        if self.digits == 0 {
            return Err(());
        }
        self.place = match byte {
            b'\r' => Place::SizeFeed,
            b';' | b' ' | b'\t' => Place::Extension,
            _ => return Err(()),
        };
        Ok(())
    }

    fn count_line(&mut self) -> Result<(), ()> {
        self.line += 1;
        if self.line > LONGEST_LINE {
            return Err(());
        }
        Ok(())
    }
}

fn expect(byte: u8, wanted: u8) -> Result<(), ()> {
    if byte == wanted { Ok(()) } else { Err(()) }
}
