//! Parser of the SPDX licence expressions that crates use: names, `OR`, `AND`, `WITH`, parentheses,
//! and the old `/` for `OR`. `AND` binds tighter than `OR`.
//! Source: <https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/>.

use anyhow::{Result, bail};

/// Whether at least one alternative of the expression consists only of allowed licences. A licence
/// with an exception is passed to `is_allowed` as `NAME WITH EXCEPTION`.
pub(super) fn allows(expression: &str, is_allowed: impl Fn(&str) -> bool) -> Result<bool> {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = Words {
        rest: spaced.split_whitespace().collect(),
    };
    let answer = either(&mut words, &is_allowed)?;
    match words.peek() {
        None => Ok(answer),
        Some(word) => bail!("unexpected `{word}`"),
    }
}

/// The words that are not parsed yet.
struct Words<'a> {
    rest: std::collections::VecDeque<&'a str>,
}

impl<'a> Words<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.rest.front().copied()
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.peek() == Some(word);
        if there {
            self.rest.pop_front();
        }
        there
    }

    fn name(&mut self) -> Result<&'a str> {
        match self.rest.pop_front() {
            Some(word) if !["(", ")", "AND", "OR", "WITH"].contains(&word) => Ok(word),
            Some(word) => bail!("a licence is expected before `{word}`"),
            None => bail!("a licence is expected at the end"),
        }
    }
}

fn either(words: &mut Words<'_>, is_allowed: &impl Fn(&str) -> bool) -> Result<bool> {
    let mut answer = both(words, is_allowed)?;
    while words.take("OR") {
        answer |= both(words, is_allowed)?;
    }
    Ok(answer)
}

fn both(words: &mut Words<'_>, is_allowed: &impl Fn(&str) -> bool) -> Result<bool> {
    let mut answer = one(words, is_allowed)?;
    while words.take("AND") {
        answer &= one(words, is_allowed)?;
    }
    Ok(answer)
}

fn one(words: &mut Words<'_>, is_allowed: &impl Fn(&str) -> bool) -> Result<bool> {
    if words.take("(") {
        let answer = either(words, is_allowed)?;
        if !words.take(")") {
            bail!("a parenthesis stays open");
        }
        return Ok(answer);
    }
    let name = words.name()?;
    if words.take("WITH") {
        let exception = words.name()?;
        return Ok(is_allowed(&format!("{name} WITH {exception}")));
    }
    Ok(is_allowed(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(expression: &str) -> bool {
        let list = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        allows(expression, |licence| list.contains(&licence)).expect(expression)
    }

    #[test]
    fn one_allowed_choice_is_enough_and_every_part_of_it_counts() {
        assert!(allowed("MIT"));
        assert!(allowed("Apache-2.0/MIT"));
        assert!(allowed("(GPL-3.0-only OR MIT) AND Unicode-3.0"));
        assert!(allowed("Apache-2.0 WITH LLVM-exception"));
        assert!(allowed("MIT OR GPL-3.0-only AND Unicode-3.0"));

        assert!(!allowed("GPL-3.0-only"));
        assert!(!allowed("MIT AND GPL-3.0-only"));
        assert!(!allowed("(MIT OR GPL-3.0-only) AND GPL-3.0-only"));
        assert!(!allowed("MIT WITH LLVM-exception"));
    }

    #[test]
    fn broken_expressions_are_errors() {
        for expression in ["", "MIT OR", "(MIT", "MIT)", "MIT MIT", "AND MIT"] {
            assert!(allows(expression, |_| true).is_err(), "{expression}");
        }
    }
}
