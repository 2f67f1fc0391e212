//! The figures of a gate, and what its undecided results count as.

use std::fmt;
use std::str::FromStr;

use super::figure::Figure;
use crate::Sentence;
use crate::keys::names::Named;
use crate::keys::value::read_from_text;
use crate::units::percent::Percent;

/// The smallest and the largest margin of a figure.
const MARGINS: (Percent, Percent) = (Percent::of(0.1), Percent::of(100.0));

/// A figure that a gate decides by. `Display` gives the form in plans: `p99` or `p99=10%`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateFigure {
    /// The figure.
    pub figure: Figure,
    /// How much worse the candidate may be; `None`: the margin of the plan.
    pub margin: Option<Percent>,
}

read_from_text!(GateFigure);

impl FromStr for GateFigure {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let (name, margin) = match text.split_once('=') {
            Some((name, margin)) => (name, Some(margin)),
            None => (text, None),
        };
        let figure = Figure::named(name.trim()).map_err(|error| error.sentence())?;
        let margin = margin
            .map(|margin| Percent::within(margin, MARGINS.0, MARGINS.1))
            .transpose()?;
        Ok(Self { figure, margin })
    }
}

impl fmt::Display for GateFigure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.figure.fmt(f)?;
        match self.margin {
            Some(margin) => write!(f, "={margin}"),
            None => Ok(()),
        }
    }
}

/// What a result of a gate that is neither proven good nor proven bad counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountsAs {
    /// The gate passes.
    Pass,
    /// The gate fails.
    Fail,
}

impl Named for CountsAs {
    const NAMES: &'static [(&'static str, Self)] = &[("pass", Self::Pass), ("fail", Self::Fail)];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_printed_as_it_is_read() {
        for text in ["throughput", "p99=10%", "cpu=3%", "p99.9"] {
            assert_eq!(text.parse::<GateFigure>().unwrap().to_string(), text);
        }
        for wrong in ["p99=0%", "p99=200%", "speed", "p99=", "=3%"] {
            assert!(wrong.parse::<GateFigure>().is_err(), "{wrong}");
        }
    }
}
