//! Classes of statuses.

use std::ops::Range;

/// Classes of statuses, by their names in plans.
pub(super) const STATUS_CLASSES: [(&str, Range<u16>); 4] = [
    ("2xx", 200..300),
    ("3xx", 300..400),
    ("4xx", 400..500),
    ("5xx", 500..600),
];
