//! What must hold for the reading of any bytes as an HTTP/1.1 answer.
//!
//! An input is one line that says how the answer is cut up, then the answer. Each
//! byte of the line is the length of a piece: `!` is 1, `"` is 2, and so on in the
//! order of ASCII; after the last one they repeat. An empty line cuts nothing. A
//! line that begins with `H` makes the answer one to a HEAD request.

use tenbin_engine::http1::answer::{
    AnswerReader, Complete, HeadMemory, Listener, Malformed, Progress,
};
use tenbin_engine::{AnswerHead, BodyUse};

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
        discarded.end, split.end,
        "a discarded body reads differently"
    );
    assert!(
        discarded.heard.body.is_empty(),
        "a discarded body was handed out"
    );

    check_next_answer(&recipe, &pieces);
}

/// The bytes decide what an answer is, not how they arrive. One thing may differ:
/// what follows an answer is only seen when it arrives together with its end.
fn check_split(whole: &Reading, split: &Reading) {
    match (&whole.end, &split.end) {
        (Err(Malformed::Excess), Err(Malformed::Excess)) => {}
        (Err(Malformed::Excess), Ok(end)) => {
            assert!(
                matches!(end, Progress::Complete(_)),
                "an end was overlooked"
            );
        }
        (one, other) => assert_eq!(one, other, "the pieces matter"),
    }
    assert_eq!(
        whole.heard.statuses, split.heard.statuses,
        "the pieces matter"
    );
    assert_eq!(whole.heard.body, split.heard.body, "the pieces matter");
    for reading in [whole, split] {
        if let Ok(Progress::Complete(complete)) = &reading.end {
            assert_eq!(complete.length, reading.heard.body.len() as u64);
            assert_eq!(reading.heard.statuses, [complete.status]);
            assert!(reading.left.is_none(), "a complete answer is outstanding");
        }
    }
}

/// Whatever came before, a reader that was told to forget it reads the next answer
/// as if it were the first; one that completed an answer needs no telling.
fn check_next_answer(recipe: &Recipe<'_>, pieces: &[&[u8]]) {
    const NEXT: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let mut memory = HeadMemory::default();
    let mut reader = AnswerReader::default();
    let end = feed(
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
        let mut reader = AnswerReader::default();
        let mut heard = Heard::new(body);
        let mut end = feed(&mut reader, pieces, self.is_head, &mut memory, &mut heard);
        let left = match &end {
            Ok(Progress::Complete(_)) => reader.outstanding(),
            _ => None,
        };
        if end == Ok(Progress::Partial)
            && let Some(complete) = reader.close()
        {
            assert!(!complete.reusable, "a closed connection cannot be reused");
            end = Ok(Progress::Complete(complete));
        }
        Reading {
            end,
            heard,
            left,
            memory,
        }
    }
}

/// Feeds pieces up to the end of the answer.
fn feed(
    reader: &mut AnswerReader,
    pieces: &[&[u8]],
    is_head: bool,
    memory: &mut HeadMemory,
    heard: &mut Heard,
) -> Result<Progress, Malformed> {
    for piece in pieces {
        let end = reader.feed(piece, is_head, memory, heard);
        if end != Ok(Progress::Partial) {
            return end;
        }
    }
    Ok(Progress::Partial)
}

/// What came of reading an input.
struct Reading {
    end: Result<Progress, Malformed>,
    heard: Heard,
    /// What the reader still expects after a complete answer.
    left: Option<u64>,
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
    fn head(&mut self, head: &AnswerHead<'_>) -> BodyUse {
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
