//! Reads checks. The grammar: a subject (`status`, `length`, `header:NAME`, `body`,
//! `json:/POINTER`), then a test (`exists`, `absent`, or an operator with a value).

use std::str::FromStr;

use serde_json::Value;

use super::{Check, Comparison, Condition, Expression, JsonTest, NumberTest, TextTest};
use crate::comparison::expectation::Relation;
use crate::{Sentence, sentence};

/// Largest compiled regular expression, bytes.
const LARGEST_EXPRESSION: usize = 1 << 20;

/// Characters that end an unquoted subject.
const SUBJECT_END: &str = " =!<>~:";

/// The operators, longest first, so that `!=` is not read as `!`.
const OPERATORS: &[(&str, Operator)] = &[
    ("!contains", Operator::Contains(false)),
    ("contains", Operator::Contains(true)),
    ("exists", Operator::Exists),
    ("absent", Operator::Absent),
    ("!=", Operator::Compare(Comparison::Unequal)),
    ("!~", Operator::Matches(false)),
    (
        "<=",
        Operator::Compare(Comparison::Ordered(Relation::AtMost)),
    ),
    (
        ">=",
        Operator::Compare(Comparison::Ordered(Relation::AtLeast)),
    ),
    ("=", Operator::Compare(Comparison::Equal)),
    ("<", Operator::Compare(Comparison::Ordered(Relation::Below))),
    (">", Operator::Compare(Comparison::Ordered(Relation::Above))),
    ("~", Operator::Matches(true)),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Operator {
    Exists,
    Absent,
    Contains(bool),
    Matches(bool),
    Compare(Comparison),
}

impl Operator {
    fn takes_value(self) -> bool {
        !matches!(self, Self::Exists | Self::Absent)
    }
}

enum Subject {
    Status,
    Length,
    Header(String),
    Body,
    Json(String),
}

/// A value as written.
struct Written {
    text: String,
    is_quoted: bool,
    /// Offset of the value in the check, bytes.
    at: usize,
}

impl FromStr for Check {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Sentence> {
        let text = text.trim();
        if text.is_empty() {
            return Err(sentence!(
                "check-empty",
                "is empty; write for example status=200 or json:/error absent"
            ));
        }
        let mut reader = Reader { text, at: 0 };
        let subject = reader.subject()?;
        reader.blanks();
        let at = reader.at;
        let operator = reader.operator()?;
        let value = if operator.takes_value() {
            Some(reader.value(operator)?)
        } else {
            None
        };
        reader.end()?;
        let condition = reader.condition(subject, (operator, at), value)?;
        Ok(Self {
            text: text.to_owned(),
            condition,
        })
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Offset of the next character, bytes.
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// An error at the character with this offset.
    fn wrong(&self, at: usize, what: Sentence) -> Sentence {
        let column = self.text[..at].chars().count() + 1;
        sentence!(
            "check-at",
            "{text:?}, column {column}: {what}",
            text = self.text,
            column,
            what
        )
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The characters up to the first one for which `is_end` holds.
    fn until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(is_end).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn subject(&mut self) -> Result<Subject, Sentence> {
        let word = self.until(|c| SUBJECT_END.contains(c));
        let has_colon = self.rest().starts_with(':');
        let (named, after) = (word.len(), self.at + 1);
        match word {
            "status" | "length" | "body" if has_colon => Err(self.wrong(
                named,
                sentence!(
                    "check-no-part",
                    "{word} has no part after a colon; write for example {word}=…",
                    word
                ),
            )),
            "status" => Ok(Subject::Status),
            "length" => Ok(Subject::Length),
            "body" => Ok(Subject::Body),
            "header" if has_colon => {
                self.at = after;
                let name = self.until(|c| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
                if name.is_empty() {
                    Err(self.wrong(
                        after,
                        sentence!("check-header-name", "the name of the header is missing"),
                    ))
                } else {
                    Ok(Subject::Header(name.to_owned()))
                }
            }
            "json" if has_colon => {
                self.at = after;
                self.pointer().map(Subject::Json)
            }
            "header" => Err(self.wrong(
                named,
                sentence!(
                    "check-header",
                    "write header:NAME, for example header:X-Cache=HIT"
                ),
            )),
            "json" => Err(self.wrong(
                named,
                sentence!(
                    "check-json",
                    "write json: and a JSON pointer, for example json:/hits/total>0"
                ),
            )),
            _ => Err(self.wrong(
                0,
                sentence!(
                    "check-no-subject",
                    "{word:?} is no part of a response; write status, length, header:NAME, body \
                     or json:/POINTER",
                    word
                ),
            )),
        }
    }

    /// A JSON pointer, quoted or up to a blank or an operator. `~0` and `~1` are escapes of RFC
    /// 6901, not operators.
    fn pointer(&mut self) -> Result<String, Sentence> {
        let at = self.at;
        let pointer = if self.rest().starts_with('"') {
            self.quoted(Operator::Compare(Comparison::Equal))?
        } else {
            let bytes = self.text.as_bytes();
            let is_escape = |at: usize| matches!(bytes.get(at + 1), Some(b'0' | b'1'));
            let mut end = at;
            while let Some(&byte) = bytes.get(end) {
                let is_end = matches!(byte, b' ' | b'=' | b'!' | b'<' | b'>');
                if is_end || (byte == b'~' && !is_escape(end)) {
                    break;
                }
                end += 1;
            }
            self.at = end;
            self.text[at..end].to_owned()
        };
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(self.wrong(
                at,
                sentence!(
                    "check-pointer",
                    "a JSON pointer begins with a slash, for example json:/hits/total>0"
                ),
            ));
        }
        Ok(pointer)
    }

    fn operator(&mut self) -> Result<Operator, Sentence> {
        let rest = self.rest();
        let found = OPERATORS.iter().find(|(sign, _)| {
            let Some(after) = rest.strip_prefix(sign) else {
                return false;
            };
            let is_word = sign.ends_with(|c: char| c.is_ascii_alphabetic());
            !is_word || !after.starts_with(|c: char| c.is_alphanumeric())
        });
        match found {
            Some((sign, operator)) => {
                self.at += sign.len();
                Ok(*operator)
            }
            None if rest.is_empty() => Err(self.wrong(
                self.at,
                sentence!(
                    "check-no-test",
                    "the test is missing; write for example exists, =VALUE or contains \"TEXT\""
                ),
            )),
            None => Err(self.wrong(
                self.at,
                sentence!(
                    "check-no-operator",
                    "expected one of = != < <= > >= ~ !~ contains, !contains, exists and absent"
                ),
            )),
        }
    }

    /// A quoted text, or the rest of the check.
    fn value(&mut self, operator: Operator) -> Result<Written, Sentence> {
        self.blanks();
        let at = self.at;
        if self.rest().starts_with('"') {
            return Ok(Written {
                text: self.quoted(operator)?,
                is_quoted: true,
                at,
            });
        }
        let text = self.rest().trim_end().to_owned();
        self.at = self.text.len();
        if text.is_empty() {
            Err(self.wrong(
                at,
                sentence!(
                    "check-no-value",
                    "the value is missing; write \"\" for an empty text"
                ),
            ))
        } else {
            Ok(Written {
                text,
                is_quoted: false,
                at,
            })
        }
    }

    /// A text in quotation marks, with the escapes `\"`, `\\`, `\n`, `\r` and `\t`. In a regular
    /// expression only `\"` is an escape.
    fn quoted(&mut self, operator: Operator) -> Result<String, Sentence> {
        let is_expression = matches!(operator, Operator::Matches(_));
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            let at = start + 1 + offset;
            match character {
                '"' => {
                    self.at = at + 1;
                    return Ok(text);
                }
                '\\' => match characters.next().map(|(_, escaped)| escaped) {
                    Some('"') => text.push('"'),
                    Some(escaped) if is_expression => text.extend(['\\', escaped]),
                    Some('\\') => text.push('\\'),
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    _ => {
                        return Err(self.wrong(
                            at,
                            sentence!(
                                "check-backslash",
                                "a backslash must be followed by one of \" \\ n r t"
                            ),
                        ));
                    }
                },
                character => text.push(character),
            }
        }
        Err(self.wrong(
            start,
            sentence!("check-open-quote", "the quotation mark is not closed"),
        ))
    }

    fn end(&mut self) -> Result<(), Sentence> {
        self.blanks();
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.wrong(
                self.at,
                sentence!("check-rest", "the check ends before this text"),
            )),
        }
    }

    fn condition(
        &self,
        subject: Subject,
        (operator, at): (Operator, usize),
        value: Option<Written>,
    ) -> Result<Condition, Sentence> {
        let refused = |what: Sentence| Err(self.wrong(at, what));
        match subject {
            Subject::Status => match (operator, value) {
                (Operator::Compare(comparison), Some(value)) => {
                    let bound = self.number(&value)?;
                    if !(100.0..600.0).contains(&bound) || bound.fract() != 0.0 {
                        return Err(self.wrong(
                            value.at,
                            sentence!("check-status", "a status is a number from 100 to 599"),
                        ));
                    }
                    Ok(Condition::Status(NumberTest { comparison, bound }))
                }
                _ => refused(sentence!(
                    "check-status-compared",
                    "a status is compared with one of = != < <= > >="
                )),
            },
            Subject::Length => match (operator, value) {
                (Operator::Compare(comparison), Some(value)) => {
                    let bound = self.number(&value)?;
                    if bound < 0.0 || bound.fract() != 0.0 {
                        return Err(self.wrong(
                            value.at,
                            sentence!("check-length", "a length is a whole number of bytes"),
                        ));
                    }
                    Ok(Condition::Length(NumberTest { comparison, bound }))
                }
                _ => refused(sentence!(
                    "check-length-compared",
                    "a length is compared with one of = != < <= > >="
                )),
            },
            Subject::Header(name) => match self.text_test(operator, value)? {
                Some(test) => Ok(Condition::Header { name, test }),
                None => refused(sentence!(
                    "check-header-order",
                    "a header is text, without an order: use = != ~ or contains"
                )),
            },
            Subject::Body => match self.text_test(operator, value)? {
                Some(TextTest::Exists | TextTest::Absent) => refused(sentence!(
                    "check-body-present",
                    "write length>0 or length=0, to test whether a body is present"
                )),
                Some(test) => Ok(Condition::Body(test)),
                None => refused(sentence!(
                    "check-body-order",
                    "a body is text, without an order: use = != ~ or contains"
                )),
            },
            Subject::Json(pointer) => Ok(Condition::Json {
                pointer,
                test: self.json_test(operator, value)?,
            }),
        }
    }

    /// The test of a text; `None` for an order.
    fn text_test(
        &self,
        operator: Operator,
        value: Option<Written>,
    ) -> Result<Option<TextTest>, Sentence> {
        let text = || {
            value
                .as_ref()
                .map_or_else(String::new, |one| one.text.clone())
        };
        Ok(Some(match operator {
            Operator::Exists => TextTest::Exists,
            Operator::Absent => TextTest::Absent,
            Operator::Contains(expected) => TextTest::Contains(text(), expected),
            Operator::Matches(expected) => {
                let at = value.as_ref().map_or(0, |one| one.at);
                TextTest::Matches(self.expression(&text(), at)?, expected)
            }
            Operator::Compare(Comparison::Equal) => TextTest::Is(text(), true),
            Operator::Compare(Comparison::Unequal) => TextTest::Is(text(), false),
            Operator::Compare(Comparison::Ordered(_)) => return Ok(None),
        }))
    }

    fn json_test(&self, operator: Operator, value: Option<Written>) -> Result<JsonTest, Sentence> {
        Ok(match (operator, value) {
            (Operator::Exists, _) => JsonTest::Exists,
            (Operator::Absent, _) => JsonTest::Absent,
            (Operator::Compare(Comparison::Ordered(relation)), Some(value)) => {
                JsonTest::Number(NumberTest {
                    comparison: Comparison::Ordered(relation),
                    bound: self.number(&value)?,
                })
            }
            (Operator::Compare(comparison), Some(value)) => {
                let scalar = if value.is_quoted {
                    Value::String(value.text)
                } else {
                    self.scalar(value)?
                };
                JsonTest::Is(scalar, comparison == Comparison::Equal)
            }
            (operator, value) => match self.text_test(operator, value)? {
                Some(test) => JsonTest::Text(test),
                None => JsonTest::Exists,
            },
        })
    }

    /// An unquoted value: a number, `true`, `false` or `null`, and text otherwise.
    fn scalar(&self, value: Written) -> Result<Value, Sentence> {
        match serde_json::from_str::<Value>(&value.text) {
            Ok(Value::Array(_) | Value::Object(_)) => Err(self.wrong(
                value.at,
                sentence!(
                    "check-no-list",
                    "lists and objects cannot be compared; compare a value inside them"
                ),
            )),
            Ok(scalar) => Ok(scalar),
            Err(_) => Ok(Value::String(value.text)),
        }
    }

    fn number(&self, value: &Written) -> Result<f64, Sentence> {
        let number = value.text.parse::<f64>().ok();
        number
            .filter(|number| number.is_finite() && !value.is_quoted)
            .ok_or_else(|| self.wrong(value.at, sentence!("check-number", "expected a number")))
    }

    fn expression(&self, text: &str, at: usize) -> Result<Expression, Sentence> {
        regex::bytes::RegexBuilder::new(text)
            .size_limit(LARGEST_EXPRESSION)
            .build()
            .map(Expression)
            .map_err(|error| {
                // The last line of the message is the reason; the lines before draw the place.
                let message = error.to_string();
                let reason = message.lines().last().unwrap_or_default();
                let reason = reason.trim_start_matches("error: ");
                self.wrong(
                    at,
                    sentence!(
                        "check-expression",
                        "the regular expression is not valid: {reason}",
                        reason
                    ),
                )
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> Condition {
        match text.parse::<Check>() {
            Ok(check) => check.condition,
            Err(why) => panic!("{why}"),
        }
    }

    #[test]
    fn every_kind_of_check_is_read() {
        let number = |comparison, bound| NumberTest { comparison, bound };
        let at_least = Comparison::Ordered(Relation::AtLeast);
        let json = |pointer: &str, test| Condition::Json {
            pointer: pointer.to_owned(),
            test,
        };
        let header = |name: &str, test| Condition::Header {
            name: name.to_owned(),
            test,
        };
        for (text, expected) in [
            (
                "status=201",
                Condition::Status(number(Comparison::Equal, 201.0)),
            ),
            (
                " length >= 100 ",
                Condition::Length(number(at_least, 100.0)),
            ),
            (
                "header:X-Cache=HIT",
                header("X-Cache", TextTest::Is("HIT".to_owned(), true)),
            ),
            ("header:Age absent", header("Age", TextTest::Absent)),
            (
                r#"body contains "a \"b\"\n""#,
                Condition::Body(TextTest::Contains("a \"b\"\n".to_owned(), true)),
            ),
            (
                "body !contains rate limit",
                Condition::Body(TextTest::Contains("rate limit".to_owned(), false)),
            ),
            ("json:/a/b=1", json("/a/b", JsonTest::Is(1.into(), true))),
            (
                r#"json:/a!="1""#,
                json("/a", JsonTest::Is("1".into(), false)),
            ),
            (
                "json:/state=ok",
                json("/state", JsonTest::Is("ok".into(), true)),
            ),
            (
                "json:/x = null",
                json("/x", JsonTest::Is(Value::Null, true)),
            ),
            ("json:/error absent", json("/error", JsonTest::Absent)),
            ("json:/a~1b~0c exists", json("/a~1b~0c", JsonTest::Exists)),
            (
                r#"json:"/a = b">=-1.5"#,
                json("/a = b", JsonTest::Number(number(at_least, -1.5))),
            ),
            (
                "json:/name contains x",
                json(
                    "/name",
                    JsonTest::Text(TextTest::Contains("x".to_owned(), true)),
                ),
            ),
        ] {
            assert_eq!(condition(text), expected, "{text}");
        }
        let Condition::Body(TextTest::Matches(expression, false)) =
            condition(r#"body!~"^\{\"id\":\d+\}$""#)
        else {
            panic!("an expression");
        };
        assert!(expression.matches(br#"{"id":12}"#));
        assert!(!expression.matches(br#"{"id":"x"}"#));
    }

    #[test]
    fn an_error_names_what_is_wrong_and_where() {
        for (text, expected) in [
            ("", "is empty; write for example"),
            (
                "jsn:/a=1",
                "\"jsn:/a=1\", column 1: \"jsn\" is no part of a response",
            ),
            ("status", "column 7: the test is missing"),
            ("status~2", "column 7: a status is compared with"),
            (
                "status=700",
                "column 8: a status is a number from 100 to 599",
            ),
            ("status=ok", "column 8: expected a number"),
            ("status:200", "column 7: status has no part after a colon"),
            (
                "length>=1.5",
                "column 9: a length is a whole number of bytes",
            ),
            ("header=HIT", "column 7: write header:NAME"),
            ("header:=HIT", "column 8: the name of the header is missing"),
            ("header:Age>3", "column 11: a header is text"),
            ("body exists", "column 6: write length>0"),
            (
                "body~\"(\"",
                "column 6: the regular expression is not valid: unclosed group",
            ),
            ("body contains", "column 14: the value is missing"),
            (
                "body contains \"x",
                "column 15: the quotation mark is not closed",
            ),
            (
                "body contains \"x\" y",
                "column 19: the check ends before this text",
            ),
            (
                "body contains \"\\x\"",
                "column 16: a backslash must be followed",
            ),
            ("body containsx", "column 6: expected one of = !="),
            ("json:a=1", "column 6: a JSON pointer begins with a slash"),
            ("json=1", "column 5: write json: and a JSON pointer"),
            (
                "json:/a=[1]",
                "column 9: lists and objects cannot be compared",
            ),
            ("json:/a>x", "column 9: expected a number"),
            ("json:/é>x", "column 9: expected a number"),
        ] {
            let why = text.parse::<Check>().err().unwrap_or_default();
            assert!(why.text().contains(expected), "{text}: {why}");
        }
    }

    #[test]
    fn a_check_is_written_as_it_was_read() {
        for text in ["status=201", r#"body~"^\d+ \"x\"""#, "json:/a/b absent"] {
            let read: Check = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(read.to_string().parse::<Check>().unwrap(), read);
        }
    }
}
