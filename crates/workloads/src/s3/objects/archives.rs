//! Objects of a workload in archives.

use std::io::{Cursor, Write};

use sha2::{Digest, Sha256};
use tenbin_plan::{Payload, S3Work};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::s3::content::Content;
use crate::s3::place::Place;
use crate::s3::signing::request_writer::Body;
use crate::s3::signing::sigv4::UNSIGNED_PAYLOAD;
use crate::text::{fill_decimal, hex};

/// Number of digits of a number in a name, equal for all names.
const DIGITS: usize = 8;

/// Assignment of objects to archives: each archive has `entries` consecutive objects. The objects
/// of an archive are in the archive's bucket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Archives {
    objects: u64,
    entries: u64,
    buckets: u64,
}

impl Archives {
    pub(crate) fn of(work: &S3Work) -> Self {
        Self {
            objects: work.objects,
            entries: u64::from(work.entries.max(1)),
            buckets: u64::from(work.buckets.max(1)),
        }
    }

    pub(crate) fn count(self) -> u64 {
        self.objects.div_ceil(self.entries)
    }

    /// The archive of an object.
    pub(crate) fn of_object(self, object: u64) -> u64 {
        object / self.entries
    }

    /// The objects of an archive.
    pub(crate) fn objects(self, archive: u64) -> std::ops::Range<u64> {
        let first = archive * self.entries;
        first..(first + self.entries).min(self.objects)
    }

    pub(crate) fn bucket(self, archive: u64) -> usize {
        (archive % self.buckets) as usize
    }
}

/// The name of an archive below the prefix of the workload.
pub(crate) fn name(archive: u64, ending: &str) -> String {
    format!("{}.{ending}", number(archive))
}

/// The name of an object in its archive.
pub(crate) fn number(number: u64) -> String {
    let mut digits = [0; DIGITS];
    fill_decimal(&mut digits, number);
    digits.iter().copied().map(char::from).collect()
}

/// A prepared body, with its hash if payloads are signed.
pub(crate) struct Made {
    pub(crate) body: Vec<u8>,
    hash: Option<[u8; 64]>,
}

impl Made {
    pub(crate) fn new(body: Vec<u8>, payload: Payload) -> Self {
        let signed = payload == Payload::Signed;
        Self {
            hash: signed.then(|| hex(&Sha256::digest(&body).into())),
            body,
        }
    }

    /// Length and hash of the body, for the head of the request.
    pub(crate) fn announced(&self) -> Body<'_> {
        Body {
            length: self.body.len() as u64,
            hash: match &self.hash {
                Some(hash) => hash,
                None => UNSIGNED_PAYLOAD,
            },
        }
    }
}

/// A ZIP archive of these objects, uncompressed; `None` if it cannot be created.
pub(crate) fn zip(content: &Content, objects: std::ops::Range<u64>) -> Option<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for object in objects {
        zip.start_file(number(object), options).ok()?;
        zip.write_all(content.body(object)).ok()?;
    }
    Some(zip.finish().ok()?.into_inner())
}

/// A tar archive of these objects under their complete keys; `None` if it cannot be created.
pub(crate) fn tar(
    content: &Content,
    place: &Place,
    archive: u64,
    objects: std::ops::Range<u64>,
) -> Option<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    for object in objects {
        let body = content.body(object);
        let mut header = tar::Header::new_gnu();
        header.set_size(body.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        let key = unpacked(place, archive, object);
        tar.append_data(&mut header, key, body).ok()?;
    }
    tar.into_inner().ok()
}

/// The key of an object that is unpacked from a tar archive.
pub(crate) fn unpacked(place: &Place, archive: u64, object: u64) -> String {
    format!("{}{}/{}", place.prefix, number(archive), number(object))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use tenbin_plan::S3Operation;
    use url::Url;

    use super::*;
    use crate::s3::content::Recipe;
    use crate::site::Site;

    fn work() -> S3Work {
        S3Work {
            entries: 4,
            prefix: Some("long-".repeat(30)),
            ..S3Work::new(S3Operation::Snowball, 100, 10)
        }
    }

    #[test]
    fn every_object_is_in_one_archive() {
        let archives = Archives::of(&work());
        assert_eq!(archives.count(), 3);
        let all: Vec<u64> = (0..3).flat_map(|each| archives.objects(each)).collect();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        assert!(all.iter().all(|&object| {
            let archive = archives.of_object(object);
            archives.objects(archive).contains(&object)
        }));
    }

    #[test]
    fn a_zip_holds_its_objects_as_they_are() {
        let content = Content::new(1, &Recipe::plain(100));
        let bytes = zip(&content, 4..8).unwrap();
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(zip.len(), 4);
        for object in 4..8 {
            let mut file = zip.by_name(&number(object)).unwrap();
            assert_eq!(file.compression(), CompressionMethod::Stored);
            let mut body = Vec::new();
            file.read_to_end(&mut body).unwrap();
            assert_eq!(body, content.body(object));
        }
    }

    #[test]
    fn a_tar_holds_its_objects_under_whole_keys() {
        let content = Content::new(1, &Recipe::plain(100));
        let site = Site::new(Url::parse("http://localhost").unwrap(), None, "us-east-1");
        let place = Place::new(&site, &work(), 1, "work");
        let bytes = tar(&content, &place, 2, 8..10).unwrap();
        let mut tar = tar::Archive::new(bytes.as_slice());
        let mut found = Vec::new();
        for entry in tar.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut body = Vec::new();
            entry.read_to_end(&mut body).unwrap();
            let key = entry.path().unwrap().to_string_lossy().into_owned();
            found.push((key, body));
        }
        let expected = [8, 9].map(|object| {
            let body = content.body(object).to_vec();
            (unpacked(&place, 2, object), body)
        });
        assert_eq!(found, expected);
        assert!(found[0].0.starts_with(&place.prefix));
    }
}
