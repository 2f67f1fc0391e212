//! Where a run's objects are: host, bucket, prefix and the keys below it.

use super::uri::{decode, push_encoded};
use crate::site::Site;
use crate::text::fill_decimal;

/// Digits of an object's number in its key: all keys are equally long.
const DIGITS: usize = 8;

/// Objects that the digits can number.
pub(crate) const MOST_OBJECTS: u64 = 10_u64.pow(DIGITS as u32);

/// Where the objects of one workload are on one target.
#[derive(Debug)]
pub(crate) struct Place {
    /// Of keys: `tenbin-<seed>/<workload>/`.
    pub(crate) prefix: String,
    /// Values of the `Host` header, by [`tenbin_engine::Exchange::host`].
    pub(crate) hosts: Vec<String>,
    /// Path of the bucket, encoded.
    pub(crate) bucket_path: Vec<u8>,
    /// Path of an object, encoded, with digits for its number at the end.
    object_path: Vec<u8>,
}

impl Place {
    pub(crate) fn new(
        target: &Site,
        bucket: &str,
        virtual_host: bool,
        seed: u64,
        workload: &str,
    ) -> Self {
        let prefix = format!("tenbin-{seed:016x}/{workload}/");
        let base = decode(target.url.path().trim_end_matches('/').as_bytes());
        let mut bucket_path = Vec::new();
        push_encoded(&mut bucket_path, &base, true);
        bucket_path.push(b'/');
        let mut object_path = bucket_path.clone();
        let hosts = target.host_headers().iter();
        let hosts = if virtual_host {
            hosts.map(|host| format!("{bucket}.{host}")).collect()
        } else {
            bucket_path.extend_from_slice(bucket.as_bytes());
            object_path.clone_from(&bucket_path);
            object_path.push(b'/');
            hosts.cloned().collect()
        };
        push_encoded(&mut object_path, prefix.as_bytes(), true);
        object_path.extend_from_slice(&[b'0'; DIGITS]);
        Self {
            prefix,
            hosts,
            bucket_path,
            object_path,
        }
    }

    pub(crate) fn key(&self, object: u64) -> String {
        format!("{}{object:0DIGITS$}", self.prefix)
    }

    pub(crate) fn object_path(&self) -> ObjectPath {
        ObjectPath(self.object_path.clone())
    }
}

/// The path of an object, rewritten in place for the next one.
pub(crate) struct ObjectPath(Vec<u8>);

impl ObjectPath {
    pub(crate) fn of(&mut self, object: u64) -> &[u8] {
        let number = self.0.len() - DIGITS;
        fill_decimal(&mut self.0[number..], object);
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;
    use crate::s3::uri::encode_path;

    fn place(url: &str, virtual_host: bool, workload: &str) -> Place {
        let site = Site::new(Url::parse(url).unwrap(), None, "us-east-1");
        Place::new(&site, "box", virtual_host, 0xab, workload)
    }

    #[test]
    fn both_styles_of_address() {
        let mut path_style = place("http://localhost:9000", false, "put");
        assert_eq!(path_style.hosts, ["localhost:9000"]);
        assert_eq!(path_style.bucket_path, b"/box");
        assert_eq!(
            path_style.object_path().of(7),
            b"/box/tenbin-00000000000000ab/put/00000007"
        );
        assert_eq!(path_style.key(7), "tenbin-00000000000000ab/put/00000007");

        path_style = place("http://localhost:9000/", true, "put");
        assert_eq!(path_style.hosts, ["box.localhost:9000"]);
        assert_eq!(path_style.bucket_path, b"/");
        assert_eq!(
            path_style.object_path().of(7),
            b"/tenbin-00000000000000ab/put/00000007"
        );
    }

    #[test]
    fn a_base_path_is_kept_and_encoded_once() {
        let place = place("http://localhost/s3 root/", false, "put");
        assert_eq!(place.bucket_path, b"/s3%20root/box");
    }

    proptest! {
        #[test]
        fn a_path_is_the_encoded_key(workload: String, object in 0..MOST_OBJECTS) {
            let place = place("http://localhost", false, &workload);
            let path = encode_path(format!("/box/{}", place.key(object)).as_bytes());
            let mut object_path = place.object_path();
            prop_assert_eq!(object_path.of(object), path);
        }
    }
}
