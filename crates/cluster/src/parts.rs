//! Messages that are larger than NATS servers allow travel in parts, in order.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenbin_plan::{Sentence, sentence};

/// Largest part, bytes. NATS servers allow messages of 1 MB by default.
pub(crate) const LARGEST_PART: usize = 512 << 10;
/// Largest message, bytes.
const LARGEST: usize = 256 << 20;

/// A part of a message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct MessagePart {
    /// Number of the part, from 0.
    number: u32,
    /// Number of parts of the message.
    of: u32,
    bytes: Bytes,
}

/// `message`, or its parts if the message is large.
///
/// # Errors
/// One sentence if the message is too large even in parts.
pub(crate) fn split<M: Serialize>(
    message: M,
    as_message: impl Fn(MessagePart) -> M,
) -> Result<Vec<M>, Sentence> {
    let bytes = rmp_serde::to_vec(&message).expect("messages can be serialized");
    if bytes.len() <= LARGEST_PART {
        return Ok(vec![message]);
    }
    if bytes.len() > LARGEST {
        return Err(sentence!(
            "message-above-limit",
            "a message between coordinator and agents would have {size} MiB, and {most} MiB are \
             allowed; use fewer objects, or shorter slices",
            size = bytes.len() >> 20,
            most = LARGEST >> 20
        ));
    }
    let bytes = Bytes::from(bytes);
    let of = bytes.len().div_ceil(LARGEST_PART) as u32;
    let part = |number: u32| {
        let from = number as usize * LARGEST_PART;
        let to = bytes.len().min(from + LARGEST_PART);
        as_message(MessagePart {
            number,
            of,
            bytes: bytes.slice(from..to),
        })
    };
    Ok((0..of).map(part).collect())
}

/// The parts of a message that have arrived.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    number: u32,
    of: u32,
    bytes: Vec<u8>,
}

impl Parts {
    /// Adds a part, and returns the message after its last part. The first part of a message
    /// replaces the parts of an unfinished message.
    ///
    /// # Errors
    /// One sentence if a part is missing, the message is too large, or the message cannot be read.
    pub(crate) fn add<M: DeserializeOwned>(
        &mut self,
        part: &MessagePart,
    ) -> Result<Option<M>, Sentence> {
        let before = std::mem::take(self);
        let mut parts = match part.number {
            0 => Self {
                of: part.of,
                ..Self::default()
            },
            _ => before,
        };
        if part.number >= part.of || (parts.number, parts.of) != (part.number, part.of) {
            return Err(sentence!(
                "message-part-missing",
                "a part of a message is missing"
            ));
        }
        if part.of as usize > LARGEST.div_ceil(LARGEST_PART) || part.bytes.len() > LARGEST_PART {
            return Err(sentence!(
                "message-in-parts-too-large", "a message is too large"
            ));
        }
        parts.bytes.extend_from_slice(&part.bytes);
        parts.number += 1;
        if parts.number < parts.of {
            *self = parts;
            return Ok(None);
        }
        let message = rmp_serde::from_slice(&parts.bytes);
        message.map(Some).map_err(|_| {
            sentence!(
                "message-in-parts-unreadable",
                "a message in parts cannot be read"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Message {
        Text(String),
        Part(u32, u32, Bytes),
    }

    fn parts_of(length: usize) -> (Message, Vec<MessagePart>) {
        let message = Message::Text("ab".repeat(length / 2));
        let as_message = |part: MessagePart| Message::Part(part.number, part.of, part.bytes);
        let parts = split(message.clone(), as_message).expect("parts");
        let parts = parts.into_iter().map(|part| match part {
            Message::Part(number, of, bytes) => MessagePart { number, of, bytes },
            Message::Text(_) => panic!("not split"),
        });
        (message, parts.collect())
    }

    fn joined(parts: &[&MessagePart]) -> Vec<Result<Option<Message>, Sentence>> {
        let mut arrived = Parts::default();
        parts.iter().map(|part| arrived.add(part)).collect()
    }

    #[test]
    fn large_messages_are_joined_and_small_messages_stay() {
        let small = Message::Text("a".repeat(LARGEST_PART - 100));
        let as_message = |_| panic!("not large");
        assert_eq!(split(small.clone(), as_message), Ok(vec![small]));
        let (message, parts) = parts_of(3 * LARGEST_PART);
        assert_eq!(parts.len(), 4);
        assert!(parts.iter().all(|part| part.bytes.len() <= LARGEST_PART));
        let all: Vec<_> = parts.iter().collect();
        let mut arrived = joined(&all);
        assert_eq!(arrived.pop(), Some(Ok(Some(message.clone()))));
        assert!(arrived.iter().all(|part| *part == Ok(None)));
        // An unfinished message is replaced by the next message.
        let again = [&all[..2], &all].concat();
        assert_eq!(joined(&again).pop(), Some(Ok(Some(message))));
    }

    #[test]
    fn missing_and_impossible_parts_are_refused() {
        let (_, parts) = parts_of(2 * LARGEST_PART);
        let [first, second, third] = [&parts[0], &parts[1], &parts[2]];
        for wrong in [&[second][..], &[first, third], &[first, second, second]] {
            assert!(joined(wrong).pop().is_some_and(|last| last.is_err()));
        }
        let changed = |number, of, length| MessagePart {
            number,
            of,
            bytes: vec![0xc1; length].into(),
        };
        for wrong in [
            changed(0, 0, 1),
            changed(0, u32::MAX, 1),
            changed(0, 2, LARGEST_PART + 1),
            changed(0, 1, 10),
        ] {
            assert!(
                joined(&[&wrong])[0].is_err(),
                "{:?}",
                (wrong.number, wrong.of)
            );
        }
    }
}
