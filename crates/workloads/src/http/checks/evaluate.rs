//! Evaluates conditions on the parts of a response.

use memchr::memmem;
use serde_json::Value;
use tenbin_plan::{Condition, JsonTest, TextTest};

use super::json::{self, Found};

/// Whether a text, if present, passes a test.
pub(super) fn text(test: &TextTest, text: Option<&[u8]>) -> bool {
    let Some(text) = text else {
        return *test == TextTest::Absent;
    };
    match test {
        TextTest::Exists => true,
        TextTest::Absent => false,
        TextTest::Is(other, expected) => (text == other.as_bytes()) == *expected,
        TextTest::Contains(part, expected) => {
            memmem::find(text, part.as_bytes()).is_some() == *expected
        }
        TextTest::Matches(expression, expected) => expression.matches(text) == *expected,
    }
}

/// Whether a decoded body meets a condition; conditions on other parts of a response hold. A body
/// that is unknown, because it is too long or could not be decoded, meets no condition.
pub(super) fn body(condition: &Condition, body: Option<&[u8]>) -> bool {
    match condition {
        Condition::Body(test) => body.is_some_and(|body| text(test, Some(body))),
        Condition::Json { pointer, test } => body.is_some_and(|body| json(pointer, test, body)),
        Condition::Status(_) | Condition::Length(_) | Condition::Header { .. } => true,
    }
}

/// Whether the value at a pointer passes a test. A body that is not JSON passes none.
fn json(pointer: &str, test: &JsonTest, body: &[u8]) -> bool {
    let value = match json::find(body, pointer) {
        Found::NotJson => return false,
        Found::Absent => return *test == JsonTest::Absent,
        Found::Value(value) => value,
    };
    let scalar = || serde_json::from_str::<Value>(value).ok();
    match test {
        JsonTest::Exists => true,
        JsonTest::Absent => false,
        JsonTest::Is(expected, is) => scalar().is_some_and(|value| equal(&value, expected) == *is),
        JsonTest::Number(test) => {
            let number = scalar().and_then(|value| value.as_f64());
            number.is_some_and(|number| test.holds(number))
        }
        JsonTest::Text(test) => match scalar() {
            Some(Value::String(value)) => text(test, Some(value.as_bytes())),
            _ => false,
        },
    }
}

/// Whether two scalars are equal; numbers by value, so that `1` equals `1.0`.
fn equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
