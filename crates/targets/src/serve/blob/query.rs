//! Query parameters of a request.

use std::str::FromStr;

use super::location::Place;
use super::reply::Refusal;

/// Names and values. A missing parameter counts as zero or empty, as in CubeFS.
pub(super) struct Query<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Query<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Self(pairs.collect())
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self.0.iter();
        pairs.find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// The value of `name` as a number; refuses values that do not fit the type.
    pub(super) fn number<N: FromStr + Default>(&self, name: &str) -> Result<N, Refusal> {
        let Some(text) = self.text(name) else {
            return Ok(N::default());
        };
        let unread = |_| Refusal::Unread(format!("{name}: not a number that fits"));
        text.parse().map_err(unread)
    }
}

impl<'a> Place<'a> {
    pub(super) fn of(query: &Query<'a>) -> Result<Self, Refusal> {
        Ok(Self {
            cluster: query.number("clusterid")?,
            volume: query.number("volumeid")?,
            number: query.number("blobid")?,
            size: query.number("size")?,
            token: query.text("token").unwrap_or_default(),
        })
    }
}
