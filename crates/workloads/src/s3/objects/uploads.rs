//! Multipart uploads that were created and may still be open.

use std::sync::{Mutex, MutexGuard, PoisonError};

use slab::Slab;

/// A multipart upload that may be open on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) object: u64,
    /// Upload id, percent-encoded; `None` until the server has sent the id.
    pub(crate) id: Option<Vec<u8>>,
    /// Whether a request of the upload had no response and may take effect late.
    pub(crate) in_doubt: bool,
}

/// The multipart uploads that may be open. A worker records each upload when it creates the upload,
/// so that uploads are known even if the worker fails. One thread takes the lock, two or three
/// times per upload.
#[derive(Debug, Default)]
pub(crate) struct Uploads(Mutex<Slab<Open>>);

impl Uploads {
    /// Records an upload before its creation is sent; returns its index.
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

    /// Sets the id that the server has sent.
    pub(crate) fn named(&self, at: usize, id: &[u8]) {
        if let Some(open) = self.all().get_mut(at) {
            open.id = Some(id.to_vec());
        }
    }

    /// Records that a request of the upload had no response.
    pub(crate) fn doubt(&self, at: usize) {
        if let Some(open) = self.all().get_mut(at) {
            open.in_doubt = true;
        }
    }

    pub(crate) fn is_in_doubt(&self, at: usize) -> bool {
        self.all().get(at).is_some_and(|open| open.in_doubt)
    }

    /// Removes an upload that is no longer open.
    pub(crate) fn ended(&self, at: usize) {
        self.all().try_remove(at);
    }

    /// All uploads with their indices.
    pub(crate) fn list(&self) -> Vec<(usize, Open)> {
        let all = self.all();
        all.iter().map(|(at, open)| (at, open.clone())).collect()
    }

    /// Removes and returns all uploads.
    pub(crate) fn take(&self) -> Vec<Open> {
        self.all().drain().collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> MutexGuard<'_, Slab<Open>> {
        // Each change is complete in itself, so that a poisoned lock holds consistent data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
