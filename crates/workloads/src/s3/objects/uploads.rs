//! Uploads in parts that have been begun and are not known to have ended.

use std::sync::{Mutex, MutexGuard, PoisonError};

use slab::Slab;

/// An upload that may be open at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) object: u64,
    /// Its id, percent-encoded; none as long as the server has not told it.
    pub(crate) id: Option<Vec<u8>>,
    /// Whether a request of it went without an answer, and may take effect late.
    pub(crate) in_doubt: bool,
}

/// The uploads that may be open. Those of a worker are noted as they begin, so that
/// they are known whatever becomes of it. Locked twice or three times an upload, by one
/// thread.
#[derive(Debug, Default)]
pub(crate) struct Uploads(Mutex<Slab<Open>>);

impl Uploads {
    /// Notes that one is about to begin; where it is noted.
    pub(crate) fn begin(&self, object: u64) -> usize {
        self.add(Open {
            object,
            id: None,
            in_doubt: false,
        })
    }

    pub(crate) fn add(&self, open: Open) -> usize {
        self.all().insert(open)
    }

    /// The server has told its id.
    pub(crate) fn named(&self, at: usize, id: &[u8]) {
        if let Some(open) = self.all().get_mut(at) {
            open.id = Some(id.to_vec());
        }
    }

    /// A request of it went without an answer.
    pub(crate) fn doubt(&self, at: usize) {
        if let Some(open) = self.all().get_mut(at) {
            open.in_doubt = true;
        }
    }

    pub(crate) fn is_in_doubt(&self, at: usize) -> bool {
        self.all().get(at).is_some_and(|open| open.in_doubt)
    }

    /// It is open no more, or never was.
    pub(crate) fn ended(&self, at: usize) {
        self.all().try_remove(at);
    }

    /// All of them, with where they are noted.
    pub(crate) fn list(&self) -> Vec<(usize, Open)> {
        let all = self.all();
        all.iter().map(|(at, open)| (at, open.clone())).collect()
    }

    /// Takes all of them out.
    pub(crate) fn take(&self) -> Vec<Open> {
        self.all().drain().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> MutexGuard<'_, Slab<Open>> {
        // Each change is one step: there is nothing half done to be afraid of.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
