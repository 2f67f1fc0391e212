//! Operations and their shares.

use std::fmt;
use std::str::FromStr;

use super::operation::{Feature, S3Operation};
use crate::keys::names::Named;
use crate::keys::scalar::Scalar;
use crate::{Sentence, sentence};

/// The operations that are sent, with their shares: `get`, or `get:70,put:30`. Shares are relative
/// and can have any sum.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix(Vec<(S3Operation, f64)>);

impl Mix {
    /// Only this operation.
    pub fn only(operation: S3Operation) -> Self {
        Self(vec![(operation, 1.0)])
    }

    /// Several operations by shares; `None` without operations, with a repeated operation, or with
    /// a share that is not a positive number.
    pub fn new(shares: impl IntoIterator<Item = (S3Operation, f64)>) -> Option<Self> {
        let shares: Vec<_> = shares.into_iter().collect();
        let right = |share: f64| share.is_finite() && share > 0.0;
        let twice = (1..shares.len())
            .any(|at| shares[..at].iter().any(|(other, _)| *other == shares[at].0));
        let fits = !shares.is_empty() && !twice && shares.iter().all(|&(_, share)| right(share));
        fits.then_some(Self(shares))
    }

    /// The operation, if the mix has only one.
    pub fn single(&self) -> Option<S3Operation> {
        match self.0.as_slice() {
            [(operation, _)] => Some(*operation),
            _ => None,
        }
    }

    /// The operations, in the order given.
    pub fn operations(&self) -> impl Iterator<Item = S3Operation> {
        self.0.iter().map(|&(operation, _)| operation)
    }

    /// Whether the mix contains this operation.
    pub fn has(&self, operation: S3Operation) -> bool {
        self.operations().any(|each| each == operation)
    }

    /// Whether an operation of the mix has this feature.
    pub fn any(&self, feature: Feature) -> bool {
        self.operations().any(|each| each.has(feature))
    }

    /// The operations with their shares, in the order given.
    pub fn shares(&self) -> &[(S3Operation, f64)] {
        &self.0
    }

    /// The share of an operation; 0 if the mix does not contain the operation.
    pub fn share(&self, operation: S3Operation) -> f64 {
        let mut own = self.0.iter().filter(|(each, _)| *each == operation);
        own.next().map_or(0.0, |&(_, share)| share)
    }
}

impl FromStr for Mix {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let several = text.contains(',');
        let shares = text
            .split(',')
            .map(|part| one(part.trim(), several))
            .collect::<Result<Vec<_>, _>>()?;
        Self::new(shares)
            .ok_or_else(|| sentence!("operation-twice", "{text:?} names an operation twice", text))
    }
}

fn one(text: &str, needs_share: bool) -> Result<(S3Operation, f64), Sentence> {
    if let Some((name, share)) = text.split_once('=') {
        let meant = format!("{}:{}", name.trim(), share.trim());
        return Err(sentence!(
            "mix-equals",
            "{text:?} has \"=\" where a colon belongs; write {meant:?}",
            text,
            meant
        ));
    }
    let (name, share) = match text.split_once(':') {
        Some((name, share)) => (name.trim(), share.trim().trim_end_matches('%').parse().ok()),
        None if needs_share => (text, None),
        None => (text, Some(1.0)),
    };
    let operation = Scalar::from(name).choice(S3Operation::NAMES)?;
    let share = share.filter(|share: &f64| share.is_finite() && *share > 0.0);
    share.map(|share| (operation, share)).ok_or_else(|| {
        sentence!(
            "mix-no-share",
            "{text:?} has no share, a number above 0; write for example \"get:70,put:30\"",
            text
        )
    })
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(only) = self.single() {
            return f.write_str(only.name());
        }
        for (at, (operation, share)) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{}:{share}", operation.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_or_several_with_shares() {
        let mix: Mix = "get:70, put:30%".parse().unwrap();
        assert_eq!(mix.to_string(), "get:70,put:30");
        assert!(mix.share(S3Operation::Get) > 69.0 && mix.share(S3Operation::List) < 1.0);
        assert_eq!("stat".parse(), Ok(Mix::only(S3Operation::Stat)));
        for (text, part) in [
            ("get,put", "has no share"),
            ("get:1,get:2", "twice"),
            ("get=70,put=30", "write \"get:70\""),
            ("got", "did you mean \"get\""),
            ("get:0,put:1", "has no share"),
        ] {
            let error = text.parse::<Mix>().unwrap_err();
            assert!(error.text().contains(part), "{text}: {error}");
        }
    }
}
