//! `Trace-Log` of CubeFS's blobstore: entries such as `ACCESS:55`, several on a line
//! with semicolons between, and `a_0_r_0_w_42`.
//!
//! An entry is a module, its time behind a colon and, if it failed, why behind a slash.
//! The time is in milliseconds if no unit stands behind it. One that rounds down to no
//! millisecond is left out, with its colon.

use super::amount::{MILLISECOND, nanos};
use super::{Told, Unreadable};

/// The access layer: it answers, and its time holds that of all others.
const OUTERMOST: &str = "ACCESS";
/// What the parts of `a_0_r_0_w_42` stand for.
const PARTS: [(&str, &str); 3] = [("a", "alloc"), ("r", "read"), ("w", "write")];
/// Units that a time may have, nanoseconds.
const UNITS: [(&str, u64); 5] = [
    ("ms", MILLISECOND),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
    ("s", 1_000 * MILLISECOND),
];

/// Tells `tell` of every entry.
pub(super) fn parse(value: &[u8], tell: &mut dyn FnMut(Told<'_>)) -> Result<(), Unreadable> {
    let value = std::str::from_utf8(value).map_err(|_| Unreadable)?;
    // Lines of one name may have been joined with commas on their way.
    for entry in value.split([';', ',']).map(str::trim) {
        if entry.is_empty() {
            continue;
        }
        let timed = entry.split_once('/').map_or(entry, |(timed, _)| timed);
        if let Some(parts) = parts(timed) {
            for ((_, name), nanos) in PARTS.iter().zip(parts) {
                tell(Told::Stage(name, nanos));
            }
            continue;
        }
        let (name, nanos) = match timed.split_once(':') {
            Some((name, time)) => (name, time_of(time).ok_or(Unreadable)?),
            None => (timed, 0),
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Unreadable);
        }
        tell(match name == OUTERMOST {
            true => Told::Total(nanos),
            false => Told::Stage(name, nanos),
        });
    }
    Ok(())
}

fn time_of(text: &str) -> Option<u64> {
    let with_unit = UNITS
        .iter()
        .find_map(|(unit, length)| Some((text.strip_suffix(unit)?, *length)));
    let (number, unit) = with_unit.unwrap_or((text, MILLISECOND));
    nanos(number.as_bytes(), unit)
}

/// The times of `a_0_r_0_w_42`, which are milliseconds.
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
    fn entries_are_read_as_a_real_cluster_writes_them() {
        let cases: [(&str, &[(&str, u64)]); 8] = [
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
    fn what_is_no_entry_is_refused() {
        for value in [
            "x:", "x:-1", "x:1h", ":1", "x y:1", "x\u{7}:1", "ä:1", "x:1:2", "/why",
        ] {
            assert_eq!(micros(value), None, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
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
