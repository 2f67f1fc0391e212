//! Versions of objects, by the ids that a server assigns.
//!
//! If objects have versions, requests refer to *things*: version `v` of object `o` is thing
//! `o + v × objects`, and this number determines the content. Consecutive versions of an object
//! differ, so that a response with the previous or next version is detected.

use std::sync::OnceLock;

use smallvec::SmallVec;
use tenbin_engine::ResponseHead;
use tenbin_plan::S3Work;

use crate::rng::mix;
use crate::s3::signing::uri::push_encoded;

/// Longest accepted version id, bytes (Amazon S3 user guide, "Version IDs").
const MOST_BYTES: usize = 1024;

/// A version id as received; ids of usual length need no allocation.
pub(crate) type VersionId = SmallVec<[u8; 40]>;

/// Number of stored things: versions or, without versions, objects.
pub(crate) fn things(work: &S3Work) -> u64 {
    work.objects.saturating_mul(work.versions.max(1).into())
}

/// The object that `thing`, the number of an object or version, refers to.
pub(crate) fn object_of(work: &S3Work, thing: u64) -> u64 {
    match work.versions {
        0 => thing,
        _ => thing % work.objects,
    }
}

/// The version id in a response; `None` if the id is missing, invalid or `null`, as without
/// versioning.
pub(crate) fn in_response<'a>(head: &ResponseHead<'a>) -> Option<&'a [u8]> {
    let id = head.header("x-amz-version-id")?;
    let fits = (1..=MOST_BYTES).contains(&id.len()) && id.iter().all(u8::is_ascii_graphic);
    (fits && id != b"null").then_some(id)
}

/// Replaces `query` with `versionId=…`.
pub(crate) fn write_query(query: &mut Vec<u8>, id: &[u8]) {
    query.clear();
    query.extend_from_slice(b"versionId=");
    push_encoded(query, id, false);
}

/// The ids of all stored versions: written during loading, read by the measured workers.
#[derive(Debug, Default)]
pub(crate) struct VersionIds {
    ids: Vec<OnceLock<Box<[u8]>>>,
}

impl VersionIds {
    /// Reserves space for the ids of all versions that will be loaded; empty without versions.
    pub(crate) fn for_work(work: &S3Work) -> Self {
        let room = match work.versions {
            0 => 0,
            _ => usize::try_from(things(work)).unwrap_or(usize::MAX),
        };
        Self {
            ids: std::iter::repeat_with(OnceLock::new).take(room).collect(),
        }
    }

    /// All ids, by number; for agents, which do not load the versions.
    pub(crate) fn list(&self) -> Vec<Option<String>> {
        let ids = self.ids.iter().map(|id| {
            let id = id.get()?;
            Some(String::from_utf8_lossy(id).into_owned())
        });
        ids.collect()
    }

    /// Ids from [`VersionIds::list`].
    pub(crate) fn listed(ids: &[Option<String>]) -> Self {
        let ids = ids.iter().map(|id| {
            let place = OnceLock::new();
            if let Some(id) = id {
                // The place is empty.
                let _ = place.set(id.as_bytes().into());
            }
            place
        });
        Self { ids: ids.collect() }
    }

    pub(crate) fn note(&self, thing: u64, id: &[u8]) {
        if let Some(place) = self.place(thing) {
            // A thing that is stored again, after a retry, keeps its first id.
            let _ = place.set(id.into());
        }
    }

    pub(crate) fn of(&self, thing: u64) -> Option<&[u8]> {
        self.place(thing)?.get().map(AsRef::as_ref)
    }

    fn place(&self, thing: u64) -> Option<&OnceLock<Box<[u8]>>> {
        self.ids.get(usize::try_from(thing).ok()?)
    }
}

/// Version ids in recent responses, to check that each id is new for its object.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Hashes of object and id, each at the index `hash % LATELY`; empty until the first id.
    lately: Vec<u64>,
}

/// Number of hashes kept, a power of two. A newer hash can replace an older hash.
const LATELY: usize = 1 << 16;

impl Given {
    /// Whether this id is new for the object, as far as recent ids are kept. Records the id.
    pub(crate) fn is_new(&mut self, object: u64, id: &[u8]) -> bool {
        self.lately.resize(LATELY, 0);
        let number = id
            .iter()
            .fold(mix(object), |number, &byte| mix(number ^ u64::from(byte)));
        let place = &mut self.lately[number as usize % LATELY];
        std::mem::replace(place, number) != number
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::S3Operation;

    use super::*;

    fn work(versions: u32) -> S3Work {
        S3Work {
            versions,
            ..S3Work::new(S3Operation::Get, 1, 10)
        }
    }

    #[test]
    fn things_are_objects_times_versions() {
        assert_eq!((things(&work(0)), things(&work(3))), (10, 30));
        assert_eq!((object_of(&work(0), 12), object_of(&work(3), 12)), (12, 2));
    }

    #[test]
    fn identifiers_are_kept_and_encoded() {
        let ids = VersionIds::for_work(&work(2));
        ids.note(19, b"a/b+c");
        ids.note(20, b"beyond");
        let ids = VersionIds::listed(&ids.list());
        assert_eq!(
            (ids.of(19), ids.of(0), ids.of(20)),
            (Some(&b"a/b+c"[..]), None, None)
        );
        let mut query = b"old".to_vec();
        write_query(&mut query, b"a/b+c");
        assert_eq!(query, b"versionId=a%2Fb%2Bc");
    }

    #[test]
    fn an_identifier_is_new_to_an_object_once() {
        let mut given = Given::default();
        for object in 0..100 {
            for id in ["1", "2"] {
                assert!(given.is_new(object, id.as_bytes()));
            }
        }
        assert!(!given.is_new(99, b"2"));
        assert!(given.is_new(100, b"2"));
    }

    #[test]
    fn hostile_identifiers_are_not_taken() {
        let answered = |id: &str| {
            let bytes = format!("HTTP/1.1 200 OK\r\nX-Amz-Version-Id: {id}\r\n\r\n");
            let head = ResponseHead {
                status: 200,
                length: None,
                bytes: bytes.as_bytes(),
            };
            in_response(&head).map(<[u8]>::to_vec)
        };
        assert_eq!(answered("3/L4kqtJ"), Some(b"3/L4kqtJ".to_vec()));
        for hostile in ["", "null", "a b", "a\u{1b}[31m", &"x".repeat(1025)] {
            assert_eq!(answered(hostile), None, "{hostile:?}");
        }
    }
}
