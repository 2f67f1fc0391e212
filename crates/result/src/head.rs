//! The first members of a result, read without the rest.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::{Run, Target, Trust, Workload};

/// What a result says first. What a file does not have, or cannot be read, is left out.
#[derive(Debug, Default)]
pub struct Head {
    /// The run.
    pub run: Option<Run>,
    /// How far the result can be trusted.
    pub trust: Option<Trust>,
    /// Whether the figures of the run are its result.
    pub only_figures: bool,
    /// The verdicts, one sentence each.
    pub verdicts: Vec<String>,
    /// The targets, in plan order.
    pub targets: Vec<Target>,
    /// The workloads.
    pub workloads: Vec<Workload>,
}

impl Head {
    /// Reads the members up to `workloads`: not the slices, which are most of a result.
    pub fn read(from: impl Read) -> Self {
        let mut head = Self::default();
        let mut reader = serde_json::Deserializer::from_reader(from);
        // It ends with an error on purpose, before the end of the file.
        let _ = (&mut head).deserialize(&mut reader);
        head
    }
}

impl<'de> DeserializeSeed<'de> for &mut Head {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Head {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a result of Tenbin")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "run" => self.run = Some(map.next_value()?),
                "trust" => self.trust = Some(map.next_value()?),
                "only_figures" => self.only_figures = map.next_value()?,
                "verdicts" => self.verdicts = map.next_value()?,
                "targets" => self.targets = map.next_value()?,
                "workloads" => {
                    self.workloads = map.next_value()?;
                    return Err(M::Error::custom("the rest is not needed"));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_behind_the_workloads_is_read() {
        let text = r#"{"schema": "x", "only_figures": true, "trust": "suspect", "verdicts": ["a"],
            "results": [{"b": [1, 2]}], "targets": [{"name": "app", "description": "it"}],
            "workloads": [], "rest: cut"#;
        let head = Head::read(text.as_bytes());
        assert!(head.only_figures);
        assert_eq!(
            (head.trust, head.verdicts.as_slice()),
            (Some(Trust::Suspect), ["a".to_owned()].as_slice())
        );
        assert_eq!(head.targets[0].name, "app");
        assert!(head.run.is_none());
        assert!(Head::read(&b"no JSON"[..]).trust.is_none());
    }
}
