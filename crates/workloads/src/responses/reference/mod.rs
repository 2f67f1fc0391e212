//! The reference: what the unloaded server sends, against which responses under load are compared.

mod difference;
mod learn;
mod variant;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(super) use self::difference::{Difference, Likeness};
use self::variant::Variant;
use super::observed::Observed;

/// Maximum number of statuses, media types, encodings and bodies that are listed.
const MOST_LISTED: usize = 8;
/// Largest number in a reference from another machine.
const MOST: u64 = 1 << 48;

/// What a server sends in response to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reference {
    /// Number of responses from which the reference was learned.
    pub(super) responses: u64,
    /// Whether the server had no other load.
    pub(super) is_unloaded: bool,
    statuses: Vec<u16>,
    /// Media types; `None` if there are too many to list.
    media: Option<Vec<String>>,
    /// Encodings that could not be decoded.
    pub(super) undecoded: Vec<String>,
    /// The constant content; `None` if the content varies.
    pub(super) constant: Option<Constant>,
    /// Shortest and longest body as transferred, bytes.
    pub(super) lengths: (u64, u64),
    variants: Vec<Variant>,
    /// Features of the bodies whose frequencies are compared, in ascending order of the hash.
    pub(super) features: Vec<Feature>,
}

/// A constant content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Constant {
    /// Checksum of the decoded body.
    pub(super) sum: u64,
    /// As [`super::shape::Shape::masked`].
    pub(super) masked: u64,
    /// Status, length and checksum of the body as transferred, in each encoding.
    pub(super) raw: Vec<(u16, u64, u64)>,
}

/// A feature of bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Feature {
    pub(super) hash: u64,
    pub(super) name: String,
}

impl Reference {
    /// Learns the reference from responses in the order in which they were received; `None`
    /// without responses. `names` has the names of features.
    pub(super) fn of(
        responses: &[Observed],
        is_unloaded: bool,
        names: &BTreeMap<u64, String>,
    ) -> Option<Self> {
        learn::learned(responses, is_unloaded, names)
    }

    /// The expected status, if it is the same for all responses.
    pub(super) fn status(&self) -> Option<u16> {
        match self.statuses.as_slice() {
            [status] => Some(*status),
            _ => None,
        }
    }

    /// Whether a body of this length, as transferred, needs no closer look.
    #[inline]
    pub(super) fn is_usual_length(&self, length: u64) -> bool {
        match &self.constant {
            Some(constant) => constant.raw.iter().any(|raw| raw.1 == length),
            None => length >= self.least_length() && (length > 0 || self.lengths.0 == 0),
        }
    }

    /// Length, as transferred, below which a body is too short, bytes.
    #[inline]
    pub(super) fn least_length(&self) -> u64 {
        variant::least_length(self.lengths.0, self.lengths.1)
    }

    /// Whether this is the constant content.
    #[inline]
    pub(super) fn is_constant(&self, status: u16, (length, sum): (u64, u64)) -> bool {
        let constant = self.constant.as_ref();
        constant.is_some_and(|constant| constant.raw.contains(&(status, length, sum)))
    }

    /// Whether a status is one of the reference.
    pub(super) fn has_status(&self, status: u16) -> bool {
        self.statuses.contains(&status)
    }

    /// Compares a response with the reference. `names` has the names of its features.
    pub(super) fn compare(&self, response: &Observed, names: &BTreeMap<u64, String>) -> Likeness {
        match self.compare_shape(response) {
            Likeness::Other(difference)
                if self.constant.is_none()
                    && difference.can_be_a_rare_page()
                    && !learn::is_error(response, names) =>
            {
                Likeness::Strange(difference)
            }
            likeness => likeness,
        }
    }

    fn compare_shape(&self, response: &Observed) -> Likeness {
        if !self.has_status(response.status) {
            return Likeness::Other(Difference::Status);
        }
        if let Some(constant) = &self.constant
            && constant.sum == response.shape.sum
        {
            return Likeness::Same;
        }
        let media = response.notes.media();
        let is_usual = |known: &Vec<String>| known.contains(&media);
        if !self.media.as_ref().is_none_or(is_usual) {
            return Likeness::Other(Difference::Media(media));
        }
        let mut nearest = None;
        for variant in &self.variants {
            match variant.compare(response, self.constant.as_ref()) {
                Ok(()) => {
                    return match &self.constant {
                        Some(constant) if constant.masked != response.shape.masked => {
                            Likeness::Changed
                        }
                        _ => Likeness::Alike,
                    };
                }
                Err(difference) => nearest = nearest.max(Some(difference)),
            }
        }
        match nearest {
            // Nothing is known about the bodies.
            None => Likeness::Alike,
            Some(difference) => Likeness::Other(difference),
        }
    }

    /// Whether this reference, which may come from another machine, can be used.
    pub(crate) fn is_possible(&self) -> bool {
        const MOST_ITEMS: usize = 4_096;
        let (low, high) = self.lengths;
        self.responses < MOST
            && low <= high
            && high < MOST
            && self.variants.len() <= MOST_LISTED
            && self.features.len() <= MOST_ITEMS
            && self.features.is_sorted_by_key(|feature| feature.hash)
            && self.variants.iter().all(Variant::is_possible)
    }
}
