//! Parses `Server-Timing` as defined by the W3C (<https://www.w3.org/TR/server-timing/>): entries
//! with a name and parameters, of which `dur` is a time in milliseconds.

use super::amount::{MILLISECOND, nanos};
use super::{Timing, Unreadable};

/// The name of the entry for the whole request.
const TOTAL: &str = "total";

/// Calls `tell` for every entry that has a time.
pub(super) fn parse(value: &[u8], tell: &mut dyn FnMut(Timing<'_>)) -> Result<(), Unreadable> {
    let mut rest = Rest(value);
    loop {
        rest.skip_space();
        if rest.0.is_empty() {
            return Ok(());
        }
        // RFC 9110 section 5.6.1: list elements may be empty.
        if rest.eat(b',') {
            continue;
        }
        let name = rest.token()?;
        if let Some(nanos) = rest.parameters()? {
            tell(if name.eq_ignore_ascii_case(TOTAL) {
                Timing::Total(nanos)
            } else {
                Timing::Stage(name, nanos)
            });
        }
        if !rest.0.is_empty() && !rest.eat(b',') {
            return Err(Unreadable);
        }
    }
}

/// The unparsed part of a `Server-Timing` value.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn skip_space(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// Parses the parameters of an entry. Returns `dur` in nanoseconds; with two `dur` parameters,
    /// the first; without `dur`, `None`.
    fn parameters(&mut self) -> Result<Option<u64>, Unreadable> {
        let mut duration = None;
        loop {
            self.skip_space();
            if !self.eat(b';') {
                return Ok(duration);
            }
            self.skip_space();
            // RFC 9110 section 5.6.6: parameters may be empty too.
            if matches!(self.0, [] | [b';' | b',', ..]) {
                continue;
            }
            let name = self.token()?;
            self.skip_space();
            if !self.eat(b'=') {
                return Err(Unreadable);
            }
            self.skip_space();
            let value = match self.0 {
                [b'"', ..] => self.quoted()?,
                _ => self.token()?.as_bytes(),
            };
            if name.eq_ignore_ascii_case("dur") && duration.is_none() {
                duration = Some(nanos(value, MILLISECOND).ok_or(Unreadable)?);
            }
        }
    }

    fn token(&mut self) -> Result<&'a str, Unreadable> {
        let end = self.0.iter().position(|&byte| !is_token(byte));
        let (token, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        match std::str::from_utf8(token) {
            Ok(token) if !token.is_empty() => Ok(token),
            _ => Err(Unreadable),
        }
    }

    /// The text between quotation marks, including backslashes.
    fn quoted(&mut self) -> Result<&'a [u8], Unreadable> {
        let inside = &self.0[1..];
        let mut at = 0;
        loop {
            match inside.get(at) {
                None => return Err(Unreadable),
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(byte) if byte.is_ascii_control() && *byte != b'\t' => return Err(Unreadable),
                Some(_) => at += 1,
            }
        }
        self.0 = &inside[at + 1..];
        Ok(&inside[..at])
    }
}

/// Whether `byte` is allowed in a token (RFC 9110 section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn micros(value: &str) -> Option<Vec<(String, u64)>> {
        crate::stages::tests::micros(parse, value)
    }

    #[test]
    fn entries_are_parsed_as_the_standard_defines() {
        let cases: [(&str, &[(&str, u64)]); 11] = [
            ("", &[]),
            (
                "db;dur=53.2, app;dur=47.2",
                &[("db", 53_200), ("app", 47_200)],
            ),
            ("miss, db;dur=53", &[("db", 53_000)]),
            ("cache;desc=\"Cache Read\";dur=23.2", &[("cache", 23_200)]),
            ("a;desc=\"x, b;dur=9; \\\"c\\\\\";dur=1", &[("a", 1_000)]),
            ("a ; dur = 1 ,\tb;DUR=\"2\"", &[("a", 1_000), ("b", 2_000)]),
            (",, a;dur=1,,", &[("a", 1_000)]),
            ("a;;dur=1;", &[("a", 1_000)]),
            ("a;dur=1;dur=2", &[("a", 1_000)]),
            (
                "Total;dur=5,sub-total;dur=4",
                &[("=", 5_000), ("sub-total", 4_000)],
            ),
            ("a;dur=0", &[("a", 0)]),
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
    fn malformed_entries_are_an_error() {
        for value in [
            "a;dur=", "a;dur", "a;dur=-1", "a;dur=1e3", "a;dur=1 b", "a b", ";dur=1", "a;=1",
            "a;desc=\"open", "a;desc=\"open\\", "a;dur=\"1\\0\"", "(others);dur=1", "a=1",
            "ä;dur=1", "a;dur=600001",
        ] {
            assert_eq!(micros(value), None, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn generated_entries_are_parsed(
            entries in prop::collection::vec(("[a-z][a-z0-9_.-]{0,9}", 0u64..600_000_000, any::<String>()), 0..20),
        ) {
            let text: Vec<String> = entries
                .iter()
                .map(|(name, micros, description)| {
                    let clean: String = description.chars().filter(|c| !c.is_control()).collect();
                    let quoted = clean.replace('\\', "\\\\").replace('"', "\\\"");
                    format!("{name};desc=\"{quoted}\";dur={}.{:03}", micros / 1_000, micros % 1_000)
                })
                .collect();
            let expected: Vec<_> = entries
                .into_iter()
                .map(|(name, micros, _)| (if name == TOTAL { "=".to_owned() } else { name }, micros))
                .collect();
            prop_assert_eq!(micros(&text.join(", ")), Some(expected));
        }
    }
}
