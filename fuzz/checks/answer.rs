//! What must hold for the reading of any bytes as an HTTP/1.1 answer.
//!
//! An input is one line that says how the answer is cut up, then the answer. Each
//! byte of the line is the length of a piece: `!` is 1, `"` is 2, and so on in the
//! order of ASCII; after the last one they repeat. An empty line cuts nothing. A
//! line that begins with `H` makes the answer one to a HEAD request.

use tenbin_engine::http1::response::{
    Complete, HeadMemory, Listener, Malformed, Progress, ResponseReader,
};
use tenbin_engine::stream::Framing as _;
use tenbin_engine::{BodyUse, ResponseHead};

/// Panics when the reader contradicts itself over this input.
pub(crate) fn check(input: &[u8]) {
    let recipe = Recipe::of(input);
    let whole = recipe.read(&[recipe.answer], HeadMemory::default());
    let pieces = recipe.pieces();
    let split = recipe.read(&pieces, HeadMemory::default());
    check_split(&whole, &split);

    let again = recipe.read(&[recipe.answer], whole.memory);
    assert_eq!(again.end, whole.end, "a head seen before reads differently");
    assert_eq!(
        again.heard, whole.heard,
        "a head seen before says differently"
    );

    let discarded = recipe.read_and(BodyUse::Discard, &pieces, HeadMemory::default());
    assert_eq!(
        (&discarded.end, discarded.at),
        (&split.end, split.at),
        "a discarded body reads differently"
    );
    assert!(
        discarded.heard.body.is_empty(),
        "a discarded body was handed out"
    );

    check_sequence(&recipe, &pieces);
    check_next_answer(&recipe, &pieces);
}

/// The bytes decide what an answer is and where it ends, not how they arrive.
fn check_split(whole: &Reading, split: &Reading) {
    assert_eq!(whole.end, split.end, "the pieces matter");
    assert_eq!(whole.at, split.at, "the pieces matter to where it ends");
    assert_eq!(whole.heard, split.heard, "the pieces matter");
    for reading in [whole, split] {
        if let Ok(Progress::Complete(complete)) = &reading.end {
            assert_eq!(complete.length, reading.heard.body.len() as u64);
            assert_eq!(reading.heard.statuses, [complete.status]);
        }
    }
}

/// Answers that follow each other in the same bytes are told apart in the same way,
/// however the bytes arrive.
fn check_sequence(recipe: &Recipe<'_>, pieces: &[&[u8]]) {
    let whole = recipe.sequence(&[recipe.answer]);
    assert_eq!(whole, recipe.sequence(pieces), "the pieces matter");
    let length: usize = whole.iter().map(|(_, length)| length).sum();
    assert!(length <= recipe.answer.len(), "answers made of nothing");
}

/// Whatever came before, a reader that was told to forget it reads the next answer
/// as if it were the first; one that completed an answer needs no telling.
fn check_next_answer(recipe: &Recipe<'_>, pieces: &[&[u8]]) {
    const NEXT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let mut memory = HeadMemory::default();
    let mut reader = ResponseReader::default();
    let (end, _) = feed(
        &mut reader,
        pieces,
        recipe.is_head,
        &mut memory,
        &mut Heard::new(BodyUse::Inspect),
    );
    if !matches!(end, Ok(Progress::Complete(_))) {
        reader.reset();
    }
    let mut heard = Heard::new(BodyUse::Inspect);
    let next = reader.feed(NEXT, false, &mut memory, &mut heard);
    let expected = Complete {
        status: 200,
        length: 2,
        reusable: true,
        consumed: NEXT.len(),
    };
    assert_eq!(next, Ok(Progress::Complete(expected)), "the next answer");
    assert_eq!(heard.body, b"ok");
}

/// An input taken apart.
struct Recipe<'a> {
    cuts: &'a [u8],
    is_head: bool,
    answer: &'a [u8],
}

impl<'a> Recipe<'a> {
    fn of(input: &'a [u8]) -> Self {
        let end = input.iter().position(|&byte| byte == b'\n');
        let (line, answer) = match end {
            Some(end) => (&input[..end], &input[end + 1..]),
            None => (&input[..0], input),
        };
        let is_head = line.first() == Some(&b'H');
        Self {
            cuts: &line[usize::from(is_head)..],
            is_head,
            answer,
        }
    }

    fn pieces(&self) -> Vec<&'a [u8]> {
        let mut rest = self.answer;
        let mut pieces = Vec::new();
        for &cut in self.cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let length = usize::from(cut.saturating_sub(b' ')).clamp(1, rest.len());
            let (piece, after) = rest.split_at(length);
            pieces.push(piece);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(rest);
        }
        pieces
    }

    fn read(&self, pieces: &[&[u8]], memory: HeadMemory) -> Reading {
        self.read_and(BodyUse::Inspect, pieces, memory)
    }

    fn read_and(&self, body: BodyUse, pieces: &[&[u8]], mut memory: HeadMemory) -> Reading {
        let mut reader = ResponseReader::default();
        let mut heard = Heard::new(body);
        let (mut end, at) = feed(&mut reader, pieces, self.is_head, &mut memory, &mut heard);
        if end == Ok(Progress::Partial)
            && let Some(complete) = reader.close()
        {
            assert!(!complete.reusable, "a closed connection cannot be reused");
            end = Ok(Progress::Complete(complete));
        }
        Reading {
            end,
            at,
            heard,
            memory,
        }
    }

    /// All complete answers in the pieces, one after the other, with their lengths
    /// in bytes.
    fn sequence(&self, pieces: &[&[u8]]) -> Vec<(Complete, usize)> {
        let mut reader = ResponseReader::default();
        let mut memory = HeadMemory::default();
        let mut answers = Vec::new();
        let mut length = 0;
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let mut heard = Heard::new(BodyUse::Discard);
                let end = reader.feed(rest, self.is_head, &mut memory, &mut heard);
                match end {
                    Err(_) => return answers,
                    Ok(Progress::Partial) => {
                        length += rest.len();
                        break;
                    }
                    Ok(Progress::Complete(mut complete)) => {
                        assert!(complete.consumed > 0, "an answer made of nothing");
                        rest = &rest[complete.consumed..];
                        length += std::mem::take(&mut complete.consumed);
                        answers.push((complete, std::mem::take(&mut length)));
                    }
                }
            }
        }
        answers
    }
}

/// Feeds pieces up to the end of the answer; tells where that is. Bytes that nobody
/// wants to see are skipped, as the engine does with large bodies.
fn feed(
    reader: &mut ResponseReader,
    pieces: &[&[u8]],
    is_head: bool,
    memory: &mut HeadMemory,
    heard: &mut Heard,
) -> (Result<Progress, Malformed>, usize) {
    let mut at = 0;
    for piece in pieces {
        let mut rest = *piece;
        while !rest.is_empty() {
            let (mut end, took) = match reader.droppable() {
                Some(left) => {
                    let took = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    (Ok(reader.skip(took as u64)), took)
                }
                None => (reader.feed(rest, is_head, memory, heard), rest.len()),
            };
            match &mut end {
                Ok(Progress::Partial) => {
                    at += took;
                    rest = &rest[took..];
                }
                Ok(Progress::Complete(complete)) => {
                    at += match std::mem::take(&mut complete.consumed) {
                        0 => took,
                        consumed => consumed,
                    };
                    return (end, at);
                }
                Err(_) => return (end, 0),
            }
        }
    }
    (Ok(Progress::Partial), at)
}

/// What came of reading an input.
struct Reading {
    end: Result<Progress, Malformed>,
    /// Bytes up to the end of the answer; 0 when they are none.
    at: usize,
    heard: Heard,
    memory: HeadMemory,
}

/// What the reader told.
#[derive(Debug, PartialEq)]
struct Heard {
    wish: BodyUse,
    statuses: Vec<u16>,
    body: Vec<u8>,
}

impl Heard {
    fn new(wish: BodyUse) -> Self {
        Self {
            wish,
            statuses: Vec::new(),
            body: Vec::new(),
        }
    }
}

impl Listener for Heard {
    fn head(&mut self, head: &ResponseHead<'_>) -> BodyUse {
        assert!(self.body.is_empty(), "a head after a body");
        assert!(head.bytes.ends_with(b"\n"), "a head without its end");
        self.statuses.push(head.status);
        self.wish
    }

    fn body(&mut self, offset: u64, part: &[u8]) {
        assert_eq!(self.statuses.len(), 1, "a body without its head");
        assert_eq!(offset, self.body.len() as u64, "a gap in the body");
        assert!(!part.is_empty(), "an empty part");
        self.body.extend_from_slice(part);
    }
}
