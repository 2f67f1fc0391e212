//! The map of columns: which column of a file has which role.

use std::str::FromStr;

use super::unit::Unit;
use crate::formats::cells::cells;
use crate::formats::readable::readable;

/// What a column says about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// When the request started.
    Time,
    /// How long the request took.
    Duration,
    /// Its status: 200 to 399 is right, anything else is a failure.
    Status,
    /// Why the request failed; empty if it was right.
    Error,
    /// Size of the response, bytes.
    Bytes,
    /// Name of the operation.
    Operation,
}

/// Roles with their names.
const ROLES: &[(&str, Role)] = &[
    ("time", Role::Time),
    ("duration", Role::Duration),
    ("status", Role::Status),
    ("error", Role::Error),
    ("bytes", Role::Bytes),
    ("operation", Role::Operation),
];

/// How a map is written.
const USAGE: &str = "write it as ROLE=COLUMN,…, such as time=ts,duration_ms=elapsed,status=code; the \
                     roles are time, duration, status, error, bytes and operation";

/// Which columns of a list of requests have which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnMap(Vec<Column>);

/// A column with its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) role: Role,
    /// Unit of a time; `None` if the map does not say it.
    pub(super) unit: Option<Unit>,
    pub(super) name: String,
}

impl FromStr for ColumnMap {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns: Vec<Column> = Vec::new();
        for part in text.split(',') {
            let column = Column::of(part).ok_or(USAGE)?;
            if columns.iter().any(|known| known.role == column.role) {
                return Err(format!("{part:?} gives a role a second column; {USAGE}"));
            }
            columns.push(column);
        }
        Ok(Self(columns))
    }
}

impl Column {
    /// Parses `duration_ms=elapsed`.
    fn of(part: &str) -> Option<Self> {
        let (role, name) = part.split_once('=')?;
        let (role, name) = (role.trim(), name.trim());
        if name.is_empty() {
            return None;
        }
        let (word, unit) = match role.split_once('_') {
            Some((word, unit)) => (word, Some(Unit::of_word(unit)?)),
            None => (role, None),
        };
        let (_, role) = ROLES.iter().find(|(known, _)| *known == word)?;
        let can_have_unit = matches!(role, Role::Time | Role::Duration);
        (unit.is_none() || can_have_unit).then(|| Self {
            role: *role,
            unit,
            name: name.to_owned(),
        })
    }
}

impl ColumnMap {
    /// Whether a file with this beginning has all columns of the map.
    pub(in crate::formats) fn fits(&self, beginning: &[u8]) -> bool {
        let first = readable(beginning).lines().next().unwrap_or_default();
        let first = first.trim_start_matches('\u{feff}');
        let names = cells(first, separator(first)).unwrap_or_default();
        let mut columns = self.0.iter();
        columns.all(|column| names.iter().any(|name| name.trim() == column.name))
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.0
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.0.iter().any(|column| column.role == role)
    }
}

/// The character that separates the names in the first line.
pub(super) fn separator(first: &str) -> char {
    let how_many = |separator: char| first.matches(separator).count();
    if how_many('\t') > 0 {
        '\t'
    } else if how_many(';') > how_many(',') {
        ';'
    } else {
        ','
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_names_each_role_once() {
        let map: ColumnMap = "time=ts,duration_ms=took,status=code".parse().unwrap();
        assert!(map.has(Role::Time) && !map.has(Role::Bytes));
        assert!(map.fits(b"code,\"ts\",took,other\n1,2,3,4\n"));
        assert!(map.fits(b"code\tts\ttook\n"));
        assert!(!map.fits(b"code,ts\n"));
        for wrong in [
            "", "time", "time=", "speed=x", "status_ms=x", "duration_days=x", "time=a,time=b",
        ] {
            let error = wrong.parse::<ColumnMap>().unwrap_err();
            assert!(error.contains("ROLE=COLUMN"), "{wrong}: {error}");
        }
    }
}
