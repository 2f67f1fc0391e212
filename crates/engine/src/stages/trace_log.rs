//! Parses `Trace-Log` of CubeFS's blobstore: entries separated by semicolons, such as `ACCESS:55`
//! or `a_0_r_0_w_42`.
//!
//! An entry is a module, a colon and a time in milliseconds or as a Go duration. If the time rounds
//! down to 0 ms, the colon and the time are missing. If the module failed, a slash and an error
//! text of up to 32 bytes follow. The text can contain semicolons, so its end cannot be found, and
//! the rest of the line is ignored.

use super::amount::{MILLISECOND, nanos};
use super::{Timing, Unreadable};
use crate::histogram::HIGHEST_NANOS;

/// The module that sends the response, the access layer. The time of this module includes all other
/// stages.
pub(super) const OUTERMOST: &str = "ACCESS";
/// Letters in entries such as `a_0_r_0_w_42`, each with the name of the stage whose time follows
/// the letter.
const PARTS: [(&str, &str); 3] = [("a", "alloc"), ("r", "read"), ("w", "write")];
/// Units of a time, with their length in nanoseconds. Both Unicode micro signs are accepted.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", MILLISECOND),
    ("s", 1_000 * MILLISECOND),
    ("m", 60_000 * MILLISECOND),
    ("h", 3_600_000 * MILLISECOND),
];

/// Calls `tell` for every entry.
pub(super) fn parse(value: &[u8], tell: &mut dyn FnMut(Timing<'_>)) -> Result<(), Unreadable> {
    // An error text can be cut inside a UTF-8 character.
    let readable = value.split(|&byte| byte == b'/').next();
    let value = std::str::from_utf8(readable.unwrap_or_default()).map_err(|_| Unreadable)?;
    // A proxy may have joined several header lines with commas.
    for entry in value.split([';', ',']).map(str::trim) {
        if entry.is_empty() {
            continue;
        }
        if let Some(parts) = parts(entry) {
            for ((_, name), nanos) in PARTS.iter().zip(parts) {
                tell(Timing::Stage(name, nanos));
            }
            continue;
        }
        let (name, nanos) = match entry.split_once(':') {
            Some((name, time)) => (name, time_of(time).ok_or(Unreadable)?),
            None => (entry, 0),
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Unreadable);
        }
        tell(if name == OUTERMOST {
            Timing::Total(nanos)
        } else {
            Timing::Stage(name, nanos)
        });
    }
    Ok(())
}

/// Parses a time to nanoseconds: milliseconds, or consecutive numbers with units, such as `1m2.5s`.
fn time_of(text: &str) -> Option<u64> {
    if let Some(plain) = nanos(text.as_bytes(), MILLISECOND) {
        return Some(plain);
    }
    let (mut rest, mut sum) = (text, 0_u64);
    while !rest.is_empty() {
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let (number, behind) = rest.split_at(rest.find(|letter| !is_number(letter))?);
        let (unit, next) = behind.split_at(behind.find(is_number).unwrap_or(behind.len()));
        let (_, length) = UNITS.into_iter().find(|(known, _)| *known == unit)?;
        sum = sum.checked_add(nanos(number.as_bytes(), length)?)?;
        rest = next;
    }
    (!text.is_empty() && sum <= HIGHEST_NANOS).then_some(sum)
}

/// The three durations in an entry such as `a_0_r_0_w_42`, converted from ms to nanoseconds.
fn parts(entry: &str) -> Option<[u64; PARTS.len()]> {
    let mut words = entry.split('_');
    let mut times = [0; PARTS.len()];
    for ((letter, _), time) in PARTS.iter().zip(&mut times) {
        words.next().filter(|word| word == letter)?;
        *time = nanos(words.next()?.as_bytes(), MILLISECOND)?;
    }
    words.next().is_none().then_some(times)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn micros(value: &str) -> Option<Vec<(String, u64)>> {
        crate::stages::tests::micros(parse, value)
    }

    #[test]
    fn entries_of_a_real_cluster_are_parsed() {
        let cases: [(&str, &[(&str, u64)]); 13] = [
            ("ACCESS:55", &[("=", 55_000)]),
            ("ACCESS", &[("=", 0)]),
            (
                "CLUSTERMGR;cm:3;PROXY:4",
                &[("CLUSTERMGR", 0), ("cm", 3_000), ("PROXY", 4_000)],
            ),
            (
                "a_0_r_0_w_42",
                &[("alloc", 0), ("read", 0), ("write", 42_000)],
            ),
            ("a_0_r_0", &[("a_0_r_0", 0)]),
            ("PROXY:4/no such volume: 1", &[("PROXY", 4_000)]),
            (
                "x:5us, y:7µs;z:1.5s",
                &[("x", 5), ("y", 7), ("z", 1_500_000)],
            ),
            ("x:1m2s", &[("x", 62_000_000)]),
            (
                "x:1m2.5s;y:350\u{3bc}s;z:0s",
                &[("x", 62_500_000), ("y", 350), ("z", 0)],
            ),
            // After an error text, the rest of the line is ignored.
            (
                "cm:3;PROXY:4/dial tcp; i/o, timeout: 9;x:1h;cm:5",
                &[("cm", 3_000), ("PROXY", 4_000)],
            ),
            (
                "a_1_r_2_w_3/EOF",
                &[("alloc", 1_000), ("read", 2_000), ("write", 3_000)],
            ),
            ("/why", &[]),
            ("", &[]),
        ];
        for (value, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(n, t)| ((*n).to_owned(), *t))
                .collect();
            assert_eq!(micros(value), Some(expected), "{value:?}");
        }
    }

    #[test]
    fn an_error_text_may_be_cut_inside_a_character() {
        let mut names = Vec::new();
        let value = [&b"cm:3/"[..], &"誤".as_bytes()[..2]].concat();
        let outcome = parse(&value, &mut |told| names.push(format!("{told:?}")));
        assert_eq!(outcome, Ok(()));
        assert_eq!(names, [r#"Stage("cm", 3000000)"#]);
    }

    #[test]
    fn malformed_entries_are_an_error() {
        for value in [
            "x:", "x:-1", "x:1h", ":1", "x y:1", "x\u{7}:1", "ä:1", "x:1:2", ":/why", "x:1m2",
            "x:s", "x:1.s", "x:m1s", "x:1d", "x:9m61s", "x:-1s", "x:1 s",
        ] {
            assert_eq!(micros(value), None, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn generated_entries_are_parsed(
            entries in prop::collection::vec(("[A-Z]{1,5}[a-z]{1,5}", 1u64..600_000), 0..20),
        ) {
            let text: Vec<String> =
                entries.iter().map(|(name, millis)| format!("{name}:{millis}")).collect();
            let expected: Vec<_> =
                entries.into_iter().map(|(name, millis)| (name, millis * 1_000)).collect();
            prop_assert_eq!(micros(&text.join(";")), Some(expected));
        }
    }
}
