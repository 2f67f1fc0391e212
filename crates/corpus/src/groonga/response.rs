//! Parses Groonga's responses, in command versions 1 to 3.

use crate::json::Json;
use tenbin_http::excerpt;

/// A parsed response of Groonga.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Return code: 0, or the number of an error.
    pub code: i64,
    /// Error message of the server.
    pub message: Option<String>,
    /// Result of the command.
    pub body: Json,
}

impl Response {
    /// Parses a response and removes the envelope: `[[0,start,elapsed],body]` in command versions 1
    /// and 2, `{"header":{…},"body":…}` in version 3.
    ///
    /// # Errors
    /// What is wrong with the response.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let begin = || excerpt(&String::from_utf8_lossy(text));
        let json = Json::parse(text)
            .map_err(|error| format!("the response is not JSON ({error}): {}", begin()))?;
        let unlike = || format!("the response is not Groonga's: {}", begin());
        let (code, message) = match &json {
            Json::List(_) => {
                let header = json.at(0).ok_or_else(unlike)?;
                (header.at(0), header.at(3))
            }
            Json::Map(_) => {
                let header = json.get("header").ok_or_else(unlike)?;
                let message = header.get("error").and_then(|error| error.get("message"));
                (header.get("return_code"), message)
            }
            _ => return Err(unlike()),
        };
        let code = match code {
            Some(Json::Number(code)) => code.as_i64(),
            _ => None,
        };
        let message = message.and_then(Json::as_text).map(excerpt);
        let code = code.ok_or_else(unlike)?;
        let body = match json {
            Json::List(parts) => parts.into_iter().nth(1),
            Json::Map(members) => members
                .into_iter()
                .find(|(name, _)| name == "body")
                .map(|(_, body)| body),
            _ => None,
        };
        Ok(Self {
            code,
            message,
            body: body.unwrap_or(Json::Null),
        })
    }

    /// Returns the body, unless the response is an error.
    ///
    /// # Errors
    /// The error message of the server.
    pub fn into_body(self) -> Result<Json, String> {
        if self.code == 0 {
            return Ok(self.body);
        }
        let message = self.message.unwrap_or_else(|| "no message".to_owned());
        Err(format!("{message} (Groonga's error {})", self.code))
    }

    /// Number of records stored, from the body of a `load` response.
    pub fn loaded(body: &Json) -> Option<u64> {
        body.as_u64()
            .or_else(|| body.get("n_loaded_records")?.as_u64())
    }
}

/// The result of a `select`.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns<'a> {
    /// Number of matching records.
    pub hits: u64,
    /// Names of the returned columns.
    pub names: Vec<&'a str>,
    /// The returned records.
    pub records: &'a [Json],
}

impl<'a> Columns<'a> {
    /// Parses the body of a `select` response.
    ///
    /// # Errors
    /// What is wrong with the body.
    pub fn of(body: &'a Json) -> Result<Self, String> {
        let found = match body {
            Json::Map(_) => Self::of_version_3(body),
            _ => Self::of_versions_1_and_2(body),
        };
        found.ok_or_else(|| {
            let text = excerpt(&body.to_string());
            format!("the response is not that of a select: {text}")
        })
    }

    fn of_versions_1_and_2(body: &'a Json) -> Option<Self> {
        let set = body.at(0)?.as_list()?;
        let (hits, rest) = set.split_first()?;
        let (columns, records) = rest.split_first()?;
        let names = columns
            .as_list()?
            .iter()
            .map(|column| column.at(0)?.as_text());
        Some(Self {
            hits: hits.at(0)?.as_u64()?,
            names: names.collect::<Option<_>>()?,
            records,
        })
    }

    fn of_version_3(body: &'a Json) -> Option<Self> {
        let columns = body.get("columns")?.as_list()?;
        let names = columns.iter().map(|column| column.get("name")?.as_text());
        Some(Self {
            hits: body.get("n_hits")?.as_u64()?,
            names: names.collect::<Option<_>>()?,
            records: body.get("records")?.as_list()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: &str =
        r#"[[0,1795174616.66,6.05e-05],[[[5000],[["title","ShortText"]],["町中"],["Groonga"]]]]"#;
    const MAPS: &str = r#"{"header":{"return_code":0,"start_time":1795174616.665945,"elapsed_time":6.151199340820312e-05},"body":{"n_hits":5000,"columns":[{"name":"title","type":"ShortText"}],"records":[["町中"],["Groonga"]]}}"#;
    const ERROR: &str = r#"[[-22,1795174616.678681,4.67e-05,"[select][table] invalid name: <Nope>",[["execute","proc_select.cpp",4983]]]]"#;

    #[test]
    fn every_version_gives_the_same_result() {
        for text in [LISTS, MAPS] {
            let body = Response::parse(text.as_bytes())
                .unwrap()
                .into_body()
                .unwrap();
            let columns = Columns::of(&body).unwrap();
            assert_eq!((columns.hits, &*columns.names), (5000, &["title"][..]));
            let first: Vec<_> = columns.records.iter().map(|record| record.at(0)).collect();
            assert_eq!(
                first,
                [Some(&Json::text("町中")), Some(&Json::text("Groonga"))]
            );
        }
    }

    #[test]
    fn errors_of_the_server_are_returned() {
        let answer = Response::parse(ERROR.as_bytes()).unwrap();
        assert_eq!(
            answer.into_body().unwrap_err(),
            "[select][table] invalid name: <Nope> (Groonga's error -22)"
        );
        for (text, begin) in [
            ("<html>", "the response is not JSON"),
            ("3", "the response is not Groonga's: 3"),
            ("{}", "the response is not Groonga's: {}"),
            ("[]", "the response is not Groonga's: []"),
        ] {
            let error = Response::parse(text.as_bytes()).unwrap_err();
            assert!(error.starts_with(begin), "{error}");
        }
        assert!(Columns::of(&Json::Null).is_err());
    }

    #[test]
    fn loads_are_counted_in_every_version() {
        assert_eq!(Response::loaded(&Json::parse(b"3").unwrap()), Some(3));
        let body = Json::parse(br#"{"n_loaded_records":3}"#).unwrap();
        assert_eq!(Response::loaded(&body), Some(3));
    }
}
