//! How far reading back has come.

use std::sync::{Arc, Mutex};

use super::checked::Checked;
use crate::read_back::ReadBack;

/// How far reading back has come.
#[derive(Default)]
pub(crate) struct Progress {
    pub(super) step: Step,
    pub(super) checked: Arc<Mutex<Vec<Checked>>>,
    pub(super) results: Vec<ReadBack>,
    /// By result: number of objects of the operation that are known, at most the size of a sample.
    pub(super) known: Vec<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Step {
    #[default]
    Begin,
    ReadAgain,
    End,
}
