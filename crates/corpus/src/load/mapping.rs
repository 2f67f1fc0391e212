//! The mapping of an OpenSearch index, as a user gives it.

use serde_json::{Map, Value, json};

/// The body of a request that creates an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping(Map<String, Value>);

impl Mapping {
    /// Reads the body of a request that creates an index (`mappings`, `settings`), only its
    /// `mappings` (`properties`), or the response of `GET /index/_mapping`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let of_index = |value: &Value| match value.as_object() {
            Some(members) if members.len() == 1 => members.values().next().cloned(),
            _ => None,
        };
        let is_body = |value: &Value| value.get("mappings").is_some_and(Value::is_object);
        let is_mappings = |value: &Value| value.get("properties").is_some_and(Value::is_object);
        let body = match value {
            body if is_body(&body) => body,
            mappings if is_mappings(&mappings) => json!({ "mappings": mappings }),
            other => of_index(&other).filter(is_body).ok_or(
                "it has neither \"mappings\" nor \"properties\"; write the body of a request \
                 that creates an index",
            )?,
        };
        match body {
            Value::Object(members) => Ok(Self(members)),
            _ => Err("it is not an object".to_owned()),
        }
    }

    /// The body with these settings, which replace its own.
    pub(super) fn with(&self, settings: Map<String, Value>) -> Value {
        let mut body = self.0.clone();
        if !settings.is_empty() {
            let own = body.entry("settings").or_insert_with(|| json!({}));
            let own = if own.get("index").is_some_and(Value::is_object) {
                &mut own["index"]
            } else {
                own
            };
            if let Some(own) = own.as_object_mut() {
                own.extend(settings);
            }
        }
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Map<String, Value> {
        let mut settings = Map::new();
        settings.insert("number_of_shards".to_owned(), json!(3));
        settings
    }

    #[test]
    fn every_form_becomes_a_body() {
        let expected = json!({"mappings": {"properties": {"t": {"type": "text"}}}});
        for text in [
            r#"{"mappings": {"properties": {"t": {"type": "text"}}}}"#,
            r#"{"properties": {"t": {"type": "text"}}}"#,
            r#"{"docs": {"mappings": {"properties": {"t": {"type": "text"}}}}}"#,
        ] {
            let mapping = Mapping::parse(text.as_bytes()).unwrap();
            assert_eq!(mapping.with(Map::new()), expected, "{text}");
        }
        for text in ["", "[]", "{}", r#"{"a": 1}"#, r#"{"mappings": 1}"#] {
            assert!(Mapping::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn settings_are_replaced_where_they_stand() {
        let with = |text: &str| Mapping::parse(text.as_bytes()).unwrap().with(settings());
        assert_eq!(
            with(r#"{"mappings": {}, "settings": {"index": {"number_of_shards": 1}}}"#)["settings"],
            json!({"index": {"number_of_shards": 3}})
        );
        assert_eq!(
            with(r#"{"mappings": {}}"#)["settings"],
            json!({"number_of_shards": 3})
        );
    }
}
