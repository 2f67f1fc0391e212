//! Location of a run's objects: host, bucket, prefix and keys.

use std::sync::Arc;

use tenbin_plan::{KeyOrder, S3Work, Style};

use crate::kind::BucketAddress;
use crate::rng::mix;
use crate::s3::objects::catalogue::Catalogue;
use crate::s3::signing::uri::{decode, push_encoded};
use crate::site::Site;
use crate::text::fill_decimal;

/// Number of digits of an object's number in its key, equal for all keys.
const DIGITS: usize = 8;

/// Maximum number of objects: all numbers with [`DIGITS`] digits.
pub(crate) const MOST_OBJECTS: u64 = 10_u64.pow(DIGITS as u32);

/// Number of hexadecimal digits of a prefix level. [`SCATTER_DIGITS`] is the number of digits that
/// scattered keys have before the number of the object.
const HEX_DIGITS: usize = 4;
const SCATTER_DIGITS: usize = 8;

/// Location of the objects of one workload on one target.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Common prefix of all new keys: the prefix in the plan, then `tenbin-<seed>/<workload>/`.
    pub(crate) prefix: String,
    /// The buckets, in order.
    pub(crate) buckets: Vec<Bucket>,
    /// The prefix in the plan, empty without one.
    pub(crate) given_prefix: String,
    /// By bucket: number of keys below the prefix that do not belong to the workload. Empty if all
    /// keys belong to the workload.
    pub(crate) foreign_keys: Vec<u64>,
    /// Headers of every request.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    /// Objects that existed before the run, numbered from 0; `None` if the run stores its objects.
    found: Option<Arc<Catalogue>>,
    shape: KeyShape,
}

/// One bucket.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    pub(crate) name: String,
    /// Path of the bucket, encoded.
    pub(crate) path: Vec<u8>,
    /// The common part of the paths of all objects in the bucket, encoded.
    root: Vec<u8>,
    /// Path of an object, encoded, with placeholders for the part that differs.
    object_path: Vec<u8>,
    /// Values of the `Host` header, by [`tenbin_engine::Exchange::host`].
    pub(crate) hosts: Vec<String>,
    /// `/` and the bucket name if the host name contains the bucket, otherwise empty. Prepended to
    /// a path of the bucket, so that the result always names the bucket.
    pub(crate) in_host: Vec<u8>,
}

/// The part of a key that differs between objects: four hexadecimal digits and a slash for each
/// prefix level, eight hexadecimal digits and a dash for scattered keys, and the number of the
/// object.
#[derive(Debug, Clone)]
struct KeyShape {
    levels: Vec<u64>,
    scattered: bool,
    salt: u64,
}

impl KeyShape {
    fn length(&self) -> usize {
        let scatter = if self.scattered {
            SCATTER_DIGITS + 1
        } else {
            0
        };
        self.levels.len() * (HEX_DIGITS + 1) + scatter + DIGITS
    }

    /// Writes the part of the key that differs between objects. Its characters need no encoding.
    fn write(&self, out: &mut [u8], object: u64) {
        let mut rest = out;
        for (level, names) in self.levels.iter().enumerate() {
            let (own, others) = rest.split_at_mut(HEX_DIGITS + 1);
            let name = mix(object ^ mix(self.salt ^ level as u64)) % names;
            fill_hex(&mut own[..HEX_DIGITS], name);
            own[HEX_DIGITS] = b'/';
            rest = others;
        }
        if self.scattered {
            let (own, others) = rest.split_at_mut(SCATTER_DIGITS + 1);
            fill_hex(&mut own[..SCATTER_DIGITS], mix(object ^ self.salt));
            own[SCATTER_DIGITS] = b'-';
            rest = others;
        }
        fill_decimal(rest, object);
    }
}

/// Fills `out` with the last hexadecimal digits of `number`, in lower case.
fn fill_hex(out: &mut [u8], number: u64) {
    let mut rest = number;
    for digit in out.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(rest % 16) as usize];
        rest /= 16;
    }
}

/// The common prefix of all keys of a workload: the prefix in the plan, followed by a part that
/// belongs to this run and workload alone.
pub fn prefix(work: &S3Work, seed: u64, workload: &str) -> String {
    let given = work.prefix.as_deref().unwrap_or_default();
    format!("{given}tenbin-{seed:016x}/{workload}/")
}

impl Place {
    pub(crate) fn new(target: &Site, work: &S3Work, seed: u64, workload: &str) -> Self {
        let given_prefix = work.prefix.clone().unwrap_or_default();
        let prefix = prefix(work, seed, workload);
        let shape = KeyShape {
            levels: work
                .prefixes
                .iter()
                .flat_map(|prefixes| &prefixes.0)
                .map(|&names| names.into())
                .collect(),
            scattered: work.keys == KeyOrder::Random,
            salt: mix(seed),
        };
        let base = decode(target.url.path().trim_end_matches('/').as_bytes());
        let buckets = bucket_names(work)
            .map(|name| {
                Bucket::new(
                    name,
                    &base,
                    target,
                    work.style == Style::Virtual,
                    &prefix,
                    &shape,
                )
            })
            .collect();
        Self {
            prefix,
            buckets,
            given_prefix,
            foreign_keys: Vec::new(),
            headers: headers(work),
            found: None,
            shape,
        }
    }

    /// How requests name the buckets.
    pub(crate) fn addresses(&self) -> Vec<BucketAddress> {
        let buckets = self.buckets.iter().map(|bucket| BucketAddress {
            name: bucket.name.clone(),
            path: String::from_utf8_lossy(&bucket.path).into_owned(),
            host: bucket.hosts.first().cloned().unwrap_or_default(),
        });
        buckets.collect()
    }

    /// A copy with the objects that existed before the run.
    pub(crate) fn with_found(&self, found: Arc<Catalogue>) -> Self {
        Self {
            found: Some(found),
            ..self.clone()
        }
    }

    /// A copy with this value of [`Place::foreign_keys`].
    pub(crate) fn with_foreign_keys(&self, foreign_keys: Vec<u64>) -> Self {
        Self {
            foreign_keys,
            ..self.clone()
        }
    }

    /// The common prefix of the keys of all objects of the workload.
    pub(crate) fn common_prefix(&self) -> &str {
        match self.found {
            Some(_) => &self.given_prefix,
            None => &self.prefix,
        }
    }

    fn found(&self, object: u64) -> Option<&Catalogue> {
        self.found.as_deref().filter(|found| found.has(object))
    }

    /// The bucket of an object.
    pub(crate) fn bucket_of(&self, object: u64) -> usize {
        if let Some(found) = self.found(object) {
            return found.bucket(object);
        }
        match self.buckets.len() {
            1 => 0,
            several => (object % several as u64) as usize,
        }
    }

    /// The object with this key; `None` if this place did not generate the key.
    pub(crate) fn object_of(&self, bucket: usize, key: &str) -> Option<u64> {
        let digits = key.get(key.len().checked_sub(DIGITS)?..)?;
        let object = digits.parse().ok()?;
        (self.bucket_of(object) == bucket && self.key(object) == key).then_some(object)
    }

    pub(crate) fn key(&self, object: u64) -> String {
        if let Some(found) = self.found(object) {
            return found.key(object).to_owned();
        }
        let mut end = vec![0; self.shape.length()];
        self.shape.write(&mut end, object);
        let mut key = self.prefix.clone();
        key.extend(end.into_iter().map(char::from));
        key
    }

    /// A buffer for the paths of objects, for one worker.
    pub(crate) fn object_path(&self) -> ObjectPath {
        ObjectPath {
            paths: self
                .buckets
                .iter()
                .map(|bucket| bucket.object_path.clone())
                .collect(),
            shape: self.shape.clone(),
            found: self.found.clone(),
            roots: self.buckets.iter().map(|b| b.root.clone()).collect(),
            of_found: Vec::new(),
        }
    }

    /// The encoded path, in a bucket, of the key that consists of the prefix of the workload and
    /// `rest`.
    pub(crate) fn path_of(&self, bucket: usize, rest: &str) -> Vec<u8> {
        let bucket = &self.buckets[bucket];
        let mut path =
            bucket.object_path[..bucket.object_path.len() - self.shape.length()].to_vec();
        push_encoded(&mut path, rest.as_bytes(), true);
        path
    }
}

impl Bucket {
    fn new(
        name: String,
        base: &[u8],
        target: &Site,
        virtual_host: bool,
        prefix: &str,
        shape: &KeyShape,
    ) -> Self {
        let mut path = Vec::new();
        push_encoded(&mut path, base, true);
        path.push(b'/');
        let mut object_path = path.clone();
        let hosts = target.host_headers().iter();
        let mut in_host = Vec::new();
        let hosts = if virtual_host {
            in_host = format!("/{name}").into_bytes();
            hosts.map(|host| format!("{name}.{host}")).collect()
        } else {
            path.extend_from_slice(name.as_bytes());
            object_path.clone_from(&path);
            object_path.push(b'/');
            hosts.cloned().collect()
        };
        let root = object_path.clone();
        push_encoded(&mut object_path, prefix.as_bytes(), true);
        object_path.extend(std::iter::repeat_n(b'0', shape.length()));
        Self {
            name,
            path,
            root,
            object_path,
            hosts,
            in_host,
        }
    }
}

/// The headers of every request of `work`.
fn headers(work: &S3Work) -> Vec<(String, Vec<u8>)> {
    let headers = work.headers.iter();
    headers
        .map(|header| (header.name.clone(), header.value.reveal().into()))
        .collect()
}

/// The name of a single bucket, or names with numbers for several buckets.
fn bucket_names(work: &S3Work) -> impl Iterator<Item = String> + '_ {
    (0..work.buckets.max(1)).map(|number| match work.buckets {
        0 | 1 => work.bucket.clone(),
        _ => format!("{}-{number:03}", work.bucket),
    })
}

/// The path of an object, rewritten in place for each object.
pub(crate) struct ObjectPath {
    /// By bucket: path of the object that was written last.
    paths: Vec<Vec<u8>>,
    shape: KeyShape,
    found: Option<Arc<Catalogue>>,
    /// By bucket: common part of all paths. `of_found` is a buffer for the path of an object that
    /// existed before the run.
    roots: Vec<Vec<u8>>,
    of_found: Vec<u8>,
}

impl ObjectPath {
    /// The encoded path of an object in its bucket.
    pub(crate) fn of(&mut self, bucket: usize, object: u64) -> &[u8] {
        if let Some(found) = self.found.as_deref().filter(|found| found.has(object)) {
            self.of_found.clear();
            self.of_found.extend_from_slice(&self.roots[bucket]);
            push_encoded(&mut self.of_found, found.key(object).as_bytes(), true);
            return &self.of_found;
        }
        let path = &mut self.paths[bucket];
        let start = path.len() - self.shape.length();
        self.shape.write(&mut path[start..], object);
        path
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tenbin_plan::{Prefixes, S3Operation};
    use url::Url;

    use super::*;
    use crate::s3::signing::uri::encode_path;

    fn work() -> S3Work {
        S3Work {
            bucket: "box".to_owned(),
            ..S3Work::new(S3Operation::Put, 10, 10)
        }
    }

    fn place(url: &str, work: &S3Work, workload: &str) -> Place {
        let site = Site::new(Url::parse(url).unwrap(), None, "us-east-1");
        Place::new(&site, work, 0xab, workload)
    }

    #[test]
    fn both_styles_of_address() {
        let path_style = place("http://localhost:9000", &work(), "put");
        let [bucket] = path_style.buckets.as_slice() else {
            panic!("one bucket")
        };
        assert_eq!(bucket.hosts, ["localhost:9000"]);
        assert_eq!(bucket.path, b"/box");
        assert_eq!(
            path_style.object_path().of(0, 7),
            b"/box/tenbin-00000000000000ab/put/00000007"
        );
        assert_eq!(path_style.key(7), "tenbin-00000000000000ab/put/00000007");

        let virtual_host = S3Work {
            style: Style::Virtual,
            ..work()
        };
        let place = place("http://localhost:9000/", &virtual_host, "put");
        assert_eq!(place.buckets[0].hosts, ["box.localhost:9000"]);
        assert_eq!(place.buckets[0].path, b"/");
        assert_eq!(
            place.object_path().of(0, 7),
            b"/tenbin-00000000000000ab/put/00000007"
        );
    }

    #[test]
    fn a_base_path_is_kept_and_encoded_once() {
        let place = place("http://localhost/s3 root/", &work(), "put");
        assert_eq!(place.buckets[0].path, b"/s3%20root/box");
    }

    #[test]
    fn objects_that_were_there_keep_their_keys_and_others_come_behind() {
        let mut found = Catalogue::default();
        for key in ["a b", "tenbin/ü"] {
            let item = crate::s3::objects::catalogue::Item {
                key: key.to_owned(),
                size: 1,
                parts: 0,
            };
            assert!(found.add(0, &item));
        }
        let place = place("http://localhost", &work(), "get").with_found(Arc::new(found));
        let mut path = place.object_path();
        assert_eq!(path.of(0, 0), b"/box/a%20b");
        assert_eq!(path.of(0, 1), b"/box/tenbin/%C3%BC");
        assert_eq!(
            (place.key(1).as_str(), place.common_prefix()),
            ("tenbin/ü", "")
        );
        let own = "tenbin-00000000000000ab/get/00000002";
        assert_eq!(place.key(2), own);
        assert_eq!(path.of(0, 2), format!("/box/{own}").as_bytes());
    }

    #[test]
    fn a_key_of_our_own_is_known_again() {
        let spread = S3Work {
            prefixes: Some(Prefixes(vec![3])),
            keys: KeyOrder::Random,
            buckets: 2,
            ..work()
        };
        let place = place("http://localhost", &spread, "put");
        for object in 0..20 {
            let key = place.key(object);
            let bucket = place.bucket_of(object);
            assert_eq!(place.object_of(bucket, &key), Some(object));
            assert_eq!(place.object_of(1 - bucket, &key), None);
            assert_eq!(place.object_of(bucket, &format!("x{key}")), None);
        }
        for other in ["", "ü2345678", "00000001"] {
            assert_eq!(place.object_of(1, other), None, "{other}");
        }
    }

    #[test]
    fn several_buckets_are_gone_round() {
        let several = S3Work {
            buckets: 3,
            ..work()
        };
        let place = place("http://localhost", &several, "put");
        let names: Vec<&str> = place.buckets.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["box-000", "box-001", "box-002"]);
        assert_eq!(place.bucket_of(4), 1);
        let path = place.object_path().of(1, 4).to_vec();
        assert!(path.starts_with(b"/box-001/tenbin-"));
    }

    #[test]
    fn keys_differ_and_spread_over_their_prefixes() {
        let spread = S3Work {
            prefix: Some("mine/".to_owned()),
            prefixes: Some(Prefixes(vec![3, 2])),
            keys: KeyOrder::Random,
            ..work()
        };
        let place = place("http://localhost", &spread, "put");
        let keys: Vec<String> = (0..500).map(|object| place.key(object)).collect();
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), 500);
        let mut parents: Vec<_> = keys
            .iter()
            .map(|key| key.rsplit_once('/').unwrap().0)
            .collect();
        parents.sort_unstable();
        parents.dedup();
        assert_eq!(parents.len(), 6, "{parents:?}");
        assert!(keys[0].starts_with("mine/tenbin-00000000000000ab/put/000"));
    }

    proptest! {
        #[test]
        fn a_path_is_the_encoded_key(
            workload: String, object in 0..MOST_OBJECTS, prefix: Option<String>,
            levels in proptest::collection::vec(1_u32..300, 0..4), random: bool,
        ) {
            let work = S3Work {
                prefix,
                prefixes: Some(Prefixes(levels)),
                keys: [KeyOrder::Sequential, KeyOrder::Random][usize::from(random)],
                ..work()
            };
            let place = place("http://localhost", &work, &workload);
            let path = encode_path(format!("/box/{}", place.key(object)).as_bytes());
            let mut object_path = place.object_path();
            prop_assert_eq!(object_path.of(0, object), path);
        }
    }
}
