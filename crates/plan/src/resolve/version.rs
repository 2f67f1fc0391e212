//! Reads protocol versions, written in a plan as text or as a number.

use crate::names::Named;
use crate::scalar::Scalar;

/// Reads a version, written as text or as a number.
pub(super) fn version<T: Named>(scalar: &Scalar) -> Result<T, String> {
    let text = match scalar {
        Scalar::Whole(_) | Scalar::Decimal(_) => Scalar::from(scalar.to_string()),
        other => other.clone(),
    };
    text.choice(T::NAMES)
}
