//! S3 credentials.

use tenbin_plan::CREDENTIALS;

use super::per_target::{PerTarget, TargetGroup};

/// S3 credentials.
pub type KeyArgs = PerTarget<Credentials>;

/// The flags of S3 credentials.
pub struct Credentials;

impl TargetGroup for Credentials {
    const HEADING: &'static str = CREDENTIALS;
}
