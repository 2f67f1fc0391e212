//! Conditions on single responses: `status=201`, `json:/error absent`, `body contains "total"`.

mod parse;

use std::fmt;

use serde_json::Value;

use crate::comparison::expectation::Relation;

/// A condition that every response of a workload must meet. `Display` writes the condition as in a
/// plan file.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    text: String,
    /// The condition.
    pub condition: Condition,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Check {
    /// Whether the condition needs the body of every response.
    pub fn needs_body(&self) -> bool {
        matches!(self.condition, Condition::Body(_) | Condition::Json { .. })
    }
}

/// The part of a response that a check examines, and the test.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The status.
    Status(NumberTest),
    /// The length of the body as transferred, bytes.
    Length(NumberTest),
    /// The first header with this name, ignoring case.
    Header {
        /// Name of the header.
        name: String,
        /// The test of its value.
        test: TextTest,
    },
    /// The body after its content encoding is removed.
    Body(TextTest),
    /// A value in a JSON body.
    Json {
        /// JSON pointer (RFC 6901) of the value; empty for the whole body.
        pointer: String,
        /// The test of the value.
        test: JsonTest,
    },
}

/// A comparison with a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberTest {
    /// The required relation.
    pub comparison: Comparison,
    /// The number that the value is compared with.
    pub bound: f64,
}

impl NumberTest {
    /// Whether `value` has the required relation to the bound.
    pub fn holds(self, value: f64) -> bool {
        match self.comparison {
            Comparison::Equal => value == self.bound,
            Comparison::Unequal => value != self.bound,
            Comparison::Ordered(relation) => relation.holds(value, self.bound),
        }
    }
}

/// A relation of a number to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`, `<=`, `>` or `>=`
    Ordered(Relation),
}

/// A test of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTest {
    /// The text is present.
    Exists,
    /// The text is not present.
    Absent,
    /// The text equals, or with `false` differs from, this text.
    Is(String, bool),
    /// The text contains, or with `false` does not contain, this text.
    Contains(String, bool),
    /// The text matches, or with `false` does not match, this expression.
    Matches(Expression, bool),
}

/// A test of a JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonTest {
    /// A value is at the pointer; the value can be `null`.
    Exists,
    /// No value is at the pointer.
    Absent,
    /// The value equals, or with `false` differs from, this scalar. A missing value is neither.
    Is(Value, bool),
    /// The value is a number with this relation to the bound.
    Number(NumberTest),
    /// The value is a text that passes this test.
    Text(TextTest),
}

/// A regular expression; two are equal if their texts are equal.
#[derive(Debug, Clone)]
pub struct Expression(regex::bytes::Regex);

impl Expression {
    /// Whether the expression matches any part of `text`.
    pub fn matches(&self, text: &[u8]) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}
