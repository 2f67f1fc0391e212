//! Buckets and objects, in memory or durable. The list of objects is always in memory; a durable
//! store keeps the content of objects on disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use bytes::Bytes;

use super::disk::{Disk, Staged};
use super::listing::{Next, Query, page};
use super::object::{Content, Object};
use crate::serve::budget::{Budget, EACH_OBJECT, Full, Share};

/// Why the store refuses or fails an operation.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoreError {
    #[error("the bucket does not exist")]
    NoSuchBucket,
    #[error("the key does not exist")]
    NoSuchKey,
    #[error("the bucket already exists")]
    BucketExists,
    #[error("the bucket is not empty")]
    BucketNotEmpty,
    #[error("the key already exists")]
    KeyExists,
    #[error("the store has no memory left")]
    Full,
    #[error("storage failed: {0}")]
    Storage(#[from] io::Error),
}

impl From<Full> for StoreError {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// Content of an object that is being stored.
#[derive(Debug)]
pub(super) enum Upload {
    /// All of the content, with its share of the memory limit; `None` without a limit.
    Whole(Bytes, Option<Arc<Share>>),
    /// Content in a file of a durable store, before the footer is appended.
    Staged(Staged),
}

/// Content of an object that is being read. Returns the content as of the time of opening, even if
/// the key is overwritten or deleted meanwhile.
#[derive(Debug, Clone)]
pub(super) enum Reader {
    InMemory(Bytes),
    OnDisk(Arc<File>),
}

impl Reader {
    /// Reads a range of bytes, which must be inside the object.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let start = usize::try_from(range.start).map_err(io::Error::other)?;
        match self {
            Self::InMemory(bytes) => Ok(bytes.slice(start..start + length)),
            Self::OnDisk(file) => {
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, range.start)?;
                Ok(bytes.into())
            }
        }
    }
}

/// One page of a listing, without references into the store.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) objects: Vec<(String, Arc<Object>)>,
    pub(super) common_prefixes: Vec<String>,
    pub(super) next: Option<Next>,
}

/// All buckets with their objects.
#[derive(Debug)]
pub(super) struct Store {
    disk: Option<Disk>,
    /// Memory limit of the objects; `None` without a limit.
    budget: Option<Arc<Budget>>,
    buckets: RwLock<BTreeMap<String, Arc<Bucket>>>,
}

#[derive(Debug)]
struct Bucket {
    created: SystemTime,
    /// `None` after the bucket has been deleted, so that requests that still refer to the bucket
    /// cannot add objects.
    objects: RwLock<Option<BTreeMap<String, Arc<Object>>>>,
}

impl Bucket {
    fn with(created: SystemTime, objects: BTreeMap<String, Arc<Object>>) -> Arc<Self> {
        Arc::new(Self {
            created,
            objects: RwLock::new(Some(objects)),
        })
    }
}

impl Store {
    /// Creates an empty store in memory for at most `limit` bytes of objects; `None` means no
    /// limit.
    pub(super) fn in_memory(limit: Option<u64>) -> Self {
        Self {
            disk: None,
            budget: limit.map(Budget::new),
            buckets: RwLock::default(),
        }
    }

    pub(super) fn durable(disk: Disk) -> io::Result<Self> {
        let buckets = disk
            .load()?
            .into_iter()
            .map(|stored| {
                let objects = stored
                    .objects
                    .into_iter()
                    .map(|(key, object)| (key, Arc::new(object)))
                    .collect();
                (stored.name, Bucket::with(stored.created, objects))
            })
            .collect();
        Ok(Self {
            disk: Some(disk),
            budget: None,
            buckets: RwLock::new(buckets),
        })
    }

    /// The disk of a durable store. Its methods can block the caller.
    pub(super) fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// Creates an empty share of the memory limit; `None` without a limit.
    pub(super) fn share(&self) -> Option<Share> {
        self.budget.as_ref().map(Share::of)
    }

    /// Reserves the memory of an object in addition to its content.
    fn entry(&self, key: &str) -> Result<Option<Share>, StoreError> {
        let Some(mut share) = self.share() else {
            return Ok(None);
        };
        share.grow(EACH_OBJECT + key.len() as u64)?;
        Ok(Some(share))
    }

    pub(super) fn create_bucket(&self, name: &str) -> Result<(), StoreError> {
        let mut buckets = write(&self.buckets);
        if buckets.contains_key(name) {
            return Err(StoreError::BucketExists);
        }
        let created = SystemTime::now();
        if let Some(disk) = &self.disk {
            disk.create_bucket(name, created)?;
        }
        buckets.insert(name.to_owned(), Bucket::with(created, BTreeMap::new()));
        Ok(())
    }

    pub(super) fn delete_bucket(&self, name: &str) -> Result<(), StoreError> {
        let mut buckets = write(&self.buckets);
        let bucket = buckets.get(name).ok_or(StoreError::NoSuchBucket)?;
        let mut objects = write(&bucket.objects);
        if objects.as_ref().is_some_and(|objects| !objects.is_empty()) {
            return Err(StoreError::BucketNotEmpty);
        }
        if let Some(disk) = &self.disk {
            disk.remove_bucket(name)?;
        }
        *objects = None;
        drop(objects);
        buckets.remove(name);
        Ok(())
    }

    /// Names and creation times of all buckets.
    pub(super) fn buckets(&self) -> Vec<(String, SystemTime)> {
        read(&self.buckets)
            .iter()
            .map(|(name, bucket)| (name.clone(), bucket.created))
            .collect()
    }

    pub(super) fn has_bucket(&self, name: &str) -> Result<(), StoreError> {
        self.bucket(name).map(drop)
    }

    /// Stores an object. In a durable store, the object is on the disk when the function returns.
    pub(super) fn put(
        &self,
        bucket_name: &str,
        key: &str,
        upload: Upload,
        mut object: Object,
        only_if_absent: bool,
    ) -> Result<(), StoreError> {
        let bucket = self.bucket(bucket_name)?;
        let mut staged = None;
        match (&self.disk, upload) {
            (None, Upload::Whole(bytes, share)) => {
                object.content = Content::InMemory(bytes, share);
                object.entry = self.entry(key)?.map(Arc::new);
            }
            (Some(disk), upload) => {
                let mut file = match upload {
                    Upload::Staged(file) => file,
                    Upload::Whole(bytes, _) => {
                        let mut file = disk.stage()?;
                        file.append(&bytes)?;
                        file
                    }
                };
                file.finish(&object)?;
                object.content = Content::OnDisk;
                staged = Some((disk, file));
            }
            (None, Upload::Staged(_)) => {
                return Err(io::Error::other("a file was staged for a store in memory").into());
            }
        }

        let mut guard = write(&bucket.objects);
        let objects = guard.as_mut().ok_or(StoreError::NoSuchBucket)?;
        if only_if_absent && objects.contains_key(key) {
            return Err(StoreError::KeyExists);
        }
        let disk = match staged {
            Some((disk, file)) => {
                // Under the lock, so that the file name and the list change together.
                disk.publish(file, bucket_name, key)?;
                Some(disk)
            }
            None => None,
        };
        objects.insert(key.to_owned(), Arc::new(object));
        drop(guard);
        if let Some(disk) = disk {
            disk.sync_name(bucket_name, key)?;
        }
        Ok(())
    }

    pub(super) fn head(&self, bucket: &str, key: &str) -> Result<Arc<Object>, StoreError> {
        let bucket = self.bucket(bucket)?;
        let guard = read(&bucket.objects);
        let objects = guard.as_ref().ok_or(StoreError::NoSuchBucket)?;
        objects.get(key).cloned().ok_or(StoreError::NoSuchKey)
    }

    pub(super) fn get(
        &self,
        bucket_name: &str,
        key: &str,
    ) -> Result<(Arc<Object>, Reader), StoreError> {
        let bucket = self.bucket(bucket_name)?;
        let guard = read(&bucket.objects);
        let objects = guard.as_ref().ok_or(StoreError::NoSuchBucket)?;
        let object = objects.get(key).ok_or(StoreError::NoSuchKey)?;
        let reader = match (&object.content, &self.disk) {
            (Content::InMemory(bytes, _), _) => Reader::InMemory(bytes.clone()),
            (Content::OnDisk, Some(disk)) => {
                // Under the lock, so that the opened file belongs to this entry.
                Reader::OnDisk(Arc::new(disk.open_object(bucket_name, key)?))
            }
            (Content::OnDisk, None) => return Err(StoreError::NoSuchKey),
        };
        Ok((Arc::clone(object), reader))
    }

    /// Deletes an object. Deleting a missing object succeeds.
    pub(super) fn delete(&self, bucket_name: &str, key: &str) -> Result<(), StoreError> {
        let bucket = self.bucket(bucket_name)?;
        let mut guard = write(&bucket.objects);
        let objects = guard.as_mut().ok_or(StoreError::NoSuchBucket)?;
        if !objects.contains_key(key) {
            return Ok(());
        }
        if let Some(disk) = &self.disk {
            disk.remove_object(bucket_name, key)?;
        }
        objects.remove(key);
        drop(guard);
        if let Some(disk) = &self.disk {
            disk.sync_name(bucket_name, key)?;
        }
        Ok(())
    }

    /// Creates an upload with the content of an existing object.
    pub(super) fn duplicate(&self, object: &Object, reader: &Reader) -> Result<Upload, StoreError> {
        match (reader, &self.disk) {
            (Reader::OnDisk(file), Some(disk)) => {
                let mut staged = disk.stage()?;
                staged.append_from(file, object.size)?;
                Ok(Upload::Staged(staged))
            }
            // In memory, both objects share the content and its share of the memory limit.
            _ => {
                let share = match &object.content {
                    Content::InMemory(_, share) => share.clone(),
                    Content::OnDisk => None,
                };
                Ok(Upload::Whole(reader.read(0..object.size)?, share))
            }
        }
    }

    pub(super) fn list(&self, bucket: &str, query: &Query<'_>) -> Result<Listing, StoreError> {
        let bucket = self.bucket(bucket)?;
        let guard = read(&bucket.objects);
        let objects = guard.as_ref().ok_or(StoreError::NoSuchBucket)?;
        let page = page(objects, query);
        Ok(Listing {
            objects: page
                .objects
                .into_iter()
                .map(|(key, object)| (key.to_owned(), Arc::clone(object)))
                .collect(),
            common_prefixes: page.common_prefixes,
            next: page.next,
        })
    }

    fn bucket(&self, name: &str) -> Result<Arc<Bucket>, StoreError> {
        read(&self.buckets)
            .get(name)
            .cloned()
            .ok_or(StoreError::NoSuchBucket)
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use md5::{Digest, Md5};
    use std::path::Path;

    fn object(bytes: &[u8]) -> Object {
        Object {
            size: bytes.len() as u64,
            md5: Md5::digest(bytes).into(),
            modified: SystemTime::now(),
            content_type: Some("text/plain".into()),
            metadata: vec![("colour".into(), "red".into())],
            content: Content::OnDisk,
            entry: None,
        }
    }

    fn put(store: &Store, key: &str, bytes: &'static [u8]) -> Result<(), StoreError> {
        let upload = Upload::Whole(Bytes::from_static(bytes), None);
        store.put("b", key, upload, object(bytes), false)
    }

    fn content(store: &Store, key: &str) -> Bytes {
        let (object, reader) = store.get("b", key).unwrap();
        reader.read(0..object.size).unwrap()
    }

    fn open(root: &Path) -> Store {
        Store::durable(Disk::open(root.to_owned()).unwrap()).unwrap()
    }

    fn both(test: impl Fn(&Store)) {
        test(&Store::in_memory(None));
        let directory = tempfile::tempdir().unwrap();
        test(&open(directory.path()));
    }

    #[test]
    fn objects_are_stored_replaced_and_deleted() {
        both(|store| {
            assert!(matches!(
                put(store, "k", b"x"),
                Err(StoreError::NoSuchBucket)
            ));
            store.create_bucket("b").unwrap();
            assert!(matches!(
                store.create_bucket("b"),
                Err(StoreError::BucketExists)
            ));
            assert!(matches!(store.get("b", "k"), Err(StoreError::NoSuchKey)));
            put(store, "k", b"first").unwrap();
            let (before, reader) = store.get("b", "k").unwrap();
            put(store, "k", b"second!").unwrap();
            assert_eq!(content(store, "k"), "second!");
            assert_eq!(reader.read(0..before.size).unwrap(), "first");
            assert_eq!(reader.read(1..3).unwrap(), "ir");
            assert!(matches!(
                store.delete_bucket("b"),
                Err(StoreError::BucketNotEmpty)
            ));
            store.delete("b", "k").unwrap();
            store.delete("b", "k").unwrap();
            assert!(matches!(store.head("b", "k"), Err(StoreError::NoSuchKey)));
            store.delete_bucket("b").unwrap();
            assert!(matches!(
                store.has_bucket("b"),
                Err(StoreError::NoSuchBucket)
            ));
        });
    }

    #[test]
    fn a_conditional_write_stores_a_key_once() {
        both(|store| {
            store.create_bucket("b").unwrap();
            let once = |bytes: &'static [u8]| {
                store.put(
                    "b",
                    "k",
                    Upload::Whole(bytes.into(), None),
                    object(bytes),
                    true,
                )
            };
            once(b"1").unwrap();
            assert!(matches!(once(b"2"), Err(StoreError::KeyExists)));
            assert_eq!(content(store, "k"), "1");
        });
    }

    #[test]
    fn copies_are_independent() {
        both(|store| {
            store.create_bucket("b").unwrap();
            put(store, "k", b"content").unwrap();
            let (source, reader) = store.get("b", "k").unwrap();
            let upload = store.duplicate(&source, &reader).unwrap();
            store
                .put("b", "copy", upload, (*source).clone(), false)
                .unwrap();
            store.delete("b", "k").unwrap();
            assert_eq!(content(store, "copy"), "content");
        });
    }

    #[test]
    fn a_durable_store_reloads_complete_objects_only() {
        let directory = tempfile::tempdir().unwrap();
        let long = "deep/".repeat(200);
        let store = open(directory.path());
        store.create_bucket("b").unwrap();
        put(&store, "a/../b", b"one").unwrap();
        put(&store, &long, b"two").unwrap();
        put(&store, "empty", b"").unwrap();
        let unfinished = store.disk().unwrap().stage().unwrap();
        std::mem::forget(unfinished);
        let before = store.head("b", "a/../b").unwrap();

        let again = open(directory.path());
        let after = again.head("b", "a/../b").unwrap();
        assert_eq!(after.md5, before.md5);
        assert_eq!(after.metadata, before.metadata);
        assert_eq!(after.content_type, before.content_type);
        assert_eq!(content(&again, "a/../b"), "one");
        assert_eq!(content(&again, &long), "two");
        assert_eq!(content(&again, "empty"), "");
        assert_eq!(again.buckets(), store.buckets());
        let incoming = directory.path().join("incoming");
        assert_eq!(std::fs::read_dir(incoming).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_object_file_is_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let store = open(directory.path());
        store.create_bucket("b").unwrap();
        put(&store, "k", b"content").unwrap();
        let file = directory.path().join("buckets/b=/objects/k=");
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[1..]).unwrap();
        let error = Store::durable(Disk::open(directory.path().to_owned()).unwrap()).unwrap_err();
        assert!(error.to_string().contains("objects/k="), "{error}");
    }
}
