//! Stores objects as files that survive a power failure.
//!
//! `incoming/` holds files that are being written. `buckets/<bucket>/objects/` holds one file per
//! object: the content, a JSON footer with the metadata, the length of the footer, and an end mark.
//! A file gets its final name after its content is on the disk. The response is sent after the name
//! is on the disk too.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::keys;
use super::object::{Content, Object};

/// End of every object file; the last byte is the version of the file format.
const MARK: &[u8; 8] = b"tenbin\0\x01";
const TRAILER: u64 = MARK.len() as u64 + 4;
const BUCKETS: &str = "buckets";
const INCOMING: &str = "incoming";
const OBJECTS: &str = "objects";
const CREATED: &str = "created";

/// The directory of a durable store.
#[derive(Debug)]
pub(super) struct Disk {
    root: PathBuf,
    staged: AtomicU64,
}

/// A file that is being written. Removed on drop unless the file has become an object.
#[derive(Debug)]
pub(super) struct Staged {
    file: File,
    path: PathBuf,
    kept: bool,
}

/// A bucket read from the disk.
pub(super) struct StoredBucket {
    pub(super) name: String,
    pub(super) created: SystemTime,
    pub(super) objects: Vec<(String, Object)>,
}

#[derive(Serialize, Deserialize)]
struct Footer {
    size: u64,
    md5: [u8; 16],
    modified_ns: u64,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    metadata: Vec<(String, String)>,
}

impl Disk {
    /// Opens the store in `root`, which is created if missing. Removes incomplete files that a
    /// killed server has left.
    pub(super) fn open(root: PathBuf) -> io::Result<Self> {
        create_directory(&root)?;
        create_directory(&root.join(BUCKETS))?;
        let incoming = root.join(INCOMING);
        create_directory(&incoming)?;
        for leftover in fs::read_dir(&incoming)? {
            fs::remove_file(leftover?.path())?;
        }
        Ok(Self {
            root,
            staged: AtomicU64::new(0),
        })
    }

    /// Reads the list of all buckets and objects.
    pub(super) fn load(&self) -> io::Result<Vec<StoredBucket>> {
        fs::read_dir(self.root.join(BUCKETS))?
            .map(|entry| {
                let path = entry?.path();
                let name = path
                    .file_name()
                    .and_then(|name| keys::key_of(Path::new(name)))
                    .ok_or_else(|| foreign(&path))?;
                let mut objects = Vec::new();
                load_objects(&path.join(OBJECTS), Path::new(""), &mut objects)?;
                let created = fs::read_to_string(path.join(CREATED))?;
                let created = created.trim().parse().map_err(|_| foreign(&path))?;
                Ok(StoredBucket {
                    name,
                    created: from_nanos(created),
                    objects,
                })
            })
            .collect()
    }

    pub(super) fn create_bucket(&self, name: &str, created: SystemTime) -> io::Result<()> {
        let path = self.bucket(name);
        create_directory(&path)?;
        create_directory(&path.join(OBJECTS))?;
        let mut file = File::create(path.join(CREATED))?;
        write!(file, "{}", to_nanos(created))?;
        file.sync_all()?;
        sync_directory(&path)
    }

    pub(super) fn remove_bucket(&self, name: &str) -> io::Result<()> {
        fs::remove_dir_all(self.bucket(name))?;
        sync_directory(&self.root.join(BUCKETS))
    }

    /// Creates a file for incoming content.
    pub(super) fn stage(&self) -> io::Result<Staged> {
        let number = self.staged.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(INCOMING).join(number.to_string());
        Ok(Staged {
            file: File::create(&path)?,
            path,
            kept: false,
        })
    }

    /// Gives a finished file its final name. The name is durable only after [`Self::sync_name`].
    pub(super) fn publish(&self, mut staged: Staged, bucket: &str, key: &str) -> io::Result<()> {
        let path = self.object(bucket, key);
        if let Err(error) = fs::rename(&staged.path, &path) {
            if error.kind() != io::ErrorKind::NotFound {
                return Err(error);
            }
            // The path of a long key has directories, which may not exist yet.
            create_directories(&self.bucket(bucket).join(OBJECTS), &keys::path_of(key))?;
            fs::rename(&staged.path, &path)?;
        }
        staged.kept = true;
        Ok(())
    }

    /// Makes the creation or removal of a name durable.
    pub(super) fn sync_name(&self, bucket: &str, key: &str) -> io::Result<()> {
        let path = self.object(bucket, key);
        sync_directory(path.parent().unwrap_or(&self.root))
    }

    pub(super) fn open_object(&self, bucket: &str, key: &str) -> io::Result<File> {
        File::open(self.object(bucket, key))
    }

    pub(super) fn remove_object(&self, bucket: &str, key: &str) -> io::Result<()> {
        fs::remove_file(self.object(bucket, key))
    }

    fn bucket(&self, name: &str) -> PathBuf {
        self.root.join(BUCKETS).join(keys::path_of(name))
    }

    fn object(&self, bucket: &str, key: &str) -> PathBuf {
        self.bucket(bucket).join(OBJECTS).join(keys::path_of(key))
    }
}

impl Staged {
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Appends the first `size` bytes of the object file `source`.
    pub(super) fn append_from(&mut self, mut source: &File, size: u64) -> io::Result<()> {
        let copied = io::copy(&mut Read::by_ref(&mut source).take(size), &mut self.file)?;
        if copied < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Appends the footer and waits until the whole file is on the disk.
    pub(super) fn finish(&mut self, object: &Object) -> io::Result<()> {
        let footer = serde_json::to_vec(&Footer {
            size: object.size,
            md5: object.md5,
            modified_ns: to_nanos(object.modified),
            content_type: object.content_type.clone(),
            metadata: object.metadata.clone(),
        })?;
        let mut end = footer;
        let length = u32::try_from(end.len()).map_err(io::Error::other)?;
        end.extend_from_slice(&length.to_le_bytes());
        end.extend_from_slice(MARK);
        self.file.write_all(&end)?;
        self.file.sync_all()
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn load_objects(root: &Path, below: &Path, objects: &mut Vec<(String, Object)>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let relative = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            load_objects(root, &relative, objects)?;
        } else {
            let key = keys::key_of(&relative).ok_or_else(|| foreign(&entry.path()))?;
            objects.push((key, load_object(&entry.path())?));
        }
    }
    Ok(())
}

fn load_object(path: &Path) -> io::Result<Object> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let trailer_at = length.checked_sub(TRAILER).ok_or_else(|| foreign(path))?;
    let mut trailer = [0; TRAILER as usize];
    file.read_exact_at(&mut trailer, trailer_at)?;
    let (footer_length, mark) = trailer.split_at(4);
    let footer_length = footer_length
        .try_into()
        .map(u32::from_le_bytes)
        .map_err(io::Error::other)?;
    let footer_at = trailer_at
        .checked_sub(u64::from(footer_length))
        .filter(|_| mark == MARK)
        .ok_or_else(|| foreign(path))?;
    let mut footer = vec![0; footer_length as usize];
    file.read_exact_at(&mut footer, footer_at)?;
    let footer: Footer = serde_json::from_slice(&footer)?;
    if footer.size != footer_at {
        return Err(foreign(path));
    }
    Ok(Object {
        size: footer.size,
        md5: footer.md5,
        modified: from_nanos(footer.modified_ns),
        content_type: footer.content_type,
        metadata: footer.metadata,
        content: Content::OnDisk,
        entry: None,
    })
}

fn foreign(path: &Path) -> io::Error {
    io::Error::other(format!(
        "{} was not written by this store; use a separate directory",
        path.display()
    ))
}

/// Creates a directory, if missing, and makes its name durable.
fn create_directory(path: &Path) -> io::Result<()> {
    match fs::create_dir(path) {
        Ok(()) => sync_directory(
            path.parent()
                .filter(|p| !p.as_os_str().is_empty())
                .unwrap_or(Path::new(".")),
        ),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Creates all directories between `root` and the file `relative`.
fn create_directories(root: &Path, relative: &Path) -> io::Result<()> {
    let Some(directories) = relative.parent() else {
        return Ok(());
    };
    let mut path = root.to_owned();
    for part in directories {
        path.push(part);
        create_directory(&path)?;
    }
    Ok(())
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn to_nanos(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
        })
}

fn from_nanos(nanos: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos)
}
