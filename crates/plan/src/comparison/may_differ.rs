//! Allowed differences between responses to the same request.

/// Allowed differences between responses to the same request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MayDiffer {
    /// The length of the body as transferred, which compression can change.
    pub size: bool,
    /// `Content-Type` and `Content-Encoding`.
    pub headers: bool,
    /// The content of the body, decoded.
    pub body: bool,
}

impl MayDiffer {
    /// Only the transferred length.
    pub const SIZE: Self = Self {
        size: true,
        ..Self::NOTHING
    };
    /// Only headers.
    pub const HEADERS: Self = Self {
        headers: true,
        ..Self::NOTHING
    };
    /// The content, and with it the transferred length.
    pub const BODY: Self = Self {
        size: true,
        body: true,
        ..Self::NOTHING
    };
    const NOTHING: Self = Self {
        size: false,
        headers: false,
        body: false,
    };

    /// The differences that `self` or `other` allows.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            size: self.size || other.size,
            headers: self.headers || other.headers,
            body: self.body || other.body,
        }
    }

    /// The names of the allowed differences, as in plans.
    pub fn names(self) -> Vec<&'static str> {
        let is_whole = self.body && self.size;
        let named = [
            (self.size && !is_whole, "size"),
            (self.headers, "headers"),
            (self.body, "body"),
        ];
        let set = named.into_iter().filter(|(is_set, _)| *is_set);
        set.map(|(_, name)| name).collect()
    }
}

/// The allowed differences by their names in plans.
pub(crate) const MAY_DIFFER: &[(&str, MayDiffer)] = &[
    ("size", MayDiffer::SIZE),
    ("headers", MayDiffer::HEADERS),
    ("body", MayDiffer::BODY),
];
