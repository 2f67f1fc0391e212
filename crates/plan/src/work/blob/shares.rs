//! The shares of operations that run at the same time on one set of blobs.

use std::fmt;
use std::str::FromStr;

use super::Phase;
use crate::{Sentence, sentence};

/// How often each operation of a mix is sent, relative to the others; 0 for an operation that is
/// not in the mix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The share of PUTs.
    pub put: u32,
    /// The share of GETs.
    pub get: u32,
    /// The share of DELETEs, at most that of PUTs: a DELETE removes a blob that the mix has put.
    pub delete: u32,
}

impl Shares {
    /// The operations of the mix with their shares, in the order put, get, delete.
    pub fn each(self) -> impl Iterator<Item = (Phase, u32)> {
        let all = [
            (Phase::Put, self.put),
            (Phase::Get, self.get),
            (Phase::Delete, self.delete),
        ];
        all.into_iter().filter(|(_, share)| *share > 0)
    }

    /// The share of this operation.
    pub(super) fn of(self, operation: Phase) -> u32 {
        let mut each = self.each();
        each.find(|(own, _)| *own == operation)
            .map_or(0, |(_, share)| share)
    }

    /// The shares for the name of a workload: `put20-get75-delete5`.
    pub(super) fn in_name(self) -> String {
        let each = self.each().map(|(own, share)| format!("{own}{share}"));
        each.collect::<Vec<_>>().join("-")
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.each().map(|(own, share)| format!("{own}:{share}"));
        f.write_str(&each.collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Shares {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let wrong = || {
            sentence!(
                "no-shares",
                "{text:?} is not a mix; write at least two of put, get and delete with whole \
                    numbers as shares, for example \"put:20,get:75,delete:5\"",
                text
            )
        };
        let mut shares = Self {
            put: 0,
            get: 0,
            delete: 0,
        };
        for part in text.split(',') {
            let (name, share) = part.split_once(':').ok_or_else(wrong)?;
            let share = share.trim().trim_end_matches('%').parse();
            let share = share.ok().filter(|share| *share > 0).ok_or_else(wrong)?;
            let own = match name.trim() {
                "put" => &mut shares.put,
                "get" => &mut shares.get,
                "delete" => &mut shares.delete,
                _ => return Err(wrong()),
            };
            if std::mem::replace(own, share) > 0 {
                return Err(sentence!(
                    "operation-twice",
                    "{text:?} names an operation twice",
                    text
                ));
            }
        }
        if shares.each().count() < 2 {
            return Err(wrong());
        }
        if shares.delete > shares.put {
            return Err(sentence!(
                "deletes-more",
                "{text:?} deletes more than it puts, and a mix deletes only blobs that it has \
                    put; use at most put's share for delete",
                text
            ));
        }
        Ok(shares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_or_three_operations_have_shares() {
        let mix: Shares = "get:75, put:20%, delete:5".parse().unwrap();
        assert_eq!(mix.to_string(), "put:20,get:75,delete:5");
        assert_eq!(mix.in_name(), "put20-get75-delete5");
        assert_eq!((mix.of(Phase::Get), mix.of(Phase::Put)), (75, 20));
        for (text, part) in [
            ("put:20", "at least two"),
            ("put:20,get:0", "whole numbers"),
            ("put:1.5,get:1", "whole numbers"),
            ("put:1,list:1", "put, get and delete"),
            ("put:1,put:2", "twice"),
            ("put:1,get:1,delete:2", "deletes more than it puts"),
            ("get:1,delete:1", "deletes more than it puts"),
        ] {
            let error = text.parse::<Shares>().unwrap_err();
            assert!(error.text().contains(part), "{text}: {error}");
        }
    }
}
