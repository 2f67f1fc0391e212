//! The kinds of histograms of operations and of connection set-up.

use crate::packed::PackedHistogram;
use crate::slice::{OpFigures, SetupFigures};

/// A kind of histogram of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Service,
    Response,
    Lag,
    FirstByte,
    Failed,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [
        Self::Service,
        Self::Response,
        Self::Lag,
        Self::FirstByte,
        Self::Failed,
    ];

    /// The name that ends the histogram's tag in `latency.hlog`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Response => "response",
            Self::Lag => "lag",
            Self::FirstByte => "first_byte",
            Self::Failed => "failed",
        }
    }

    /// Whether reports show percentiles of this kind for each slice.
    pub(crate) fn is_digested(self) -> bool {
        matches!(self, Self::Service | Self::Response)
    }

    pub(crate) fn of(self, op: &OpFigures) -> &PackedHistogram {
        match self {
            Self::Service => &op.service,
            Self::Response => &op.response,
            Self::Lag => &op.lag,
            Self::FirstByte => &op.first_byte,
            Self::Failed => &op.failed,
        }
    }

    pub(crate) fn of_mut(self, op: &mut OpFigures) -> &mut PackedHistogram {
        match self {
            Self::Service => &mut op.service,
            Self::Response => &mut op.response,
            Self::Lag => &mut op.lag,
            Self::FirstByte => &mut op.first_byte,
            Self::Failed => &mut op.failed,
        }
    }
}

/// A kind of histogram of connection set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Connect,
    Tls,
    FirstByte,
    Response,
    Total,
}

impl Step {
    pub(crate) const ALL: [Self; 5] = [
        Self::Connect,
        Self::Tls,
        Self::FirstByte,
        Self::Response,
        Self::Total,
    ];

    /// The name that ends the histogram's tag in `latency.hlog`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Connect => "setup_connect",
            Self::Tls => "setup_tls",
            Self::FirstByte => "setup_first_byte",
            Self::Response => "setup_response",
            Self::Total => "setup_total",
        }
    }

    pub(crate) fn of(self, setup: &SetupFigures) -> &PackedHistogram {
        match self {
            Self::Connect => &setup.connect,
            Self::Tls => &setup.tls,
            Self::FirstByte => &setup.first_byte,
            Self::Response => &setup.response,
            Self::Total => &setup.total,
        }
    }

    pub(crate) fn of_mut(self, setup: &mut SetupFigures) -> &mut PackedHistogram {
        match self {
            Self::Connect => &mut setup.connect,
            Self::Tls => &mut setup.tls,
            Self::FirstByte => &mut setup.first_byte,
            Self::Response => &mut setup.response,
            Self::Total => &mut setup.total,
        }
    }
}
