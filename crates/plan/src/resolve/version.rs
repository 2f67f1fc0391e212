//! Versions of protocols, which a plan may write as numbers.

use crate::names::Named;
use crate::scalar::Scalar;

/// A version as text, or as the number that it looks like.
pub(super) fn version<T: Named>(scalar: &Scalar) -> Result<T, String> {
    let text = match scalar {
        Scalar::Whole(_) | Scalar::Decimal(_) => Scalar::from(scalar.to_string()),
        other => other.clone(),
    };
    text.choice(T::NAMES)
}
