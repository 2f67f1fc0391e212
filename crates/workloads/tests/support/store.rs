//! An in-memory S3 store with versions, tags, locks, appends and archives.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::ops::Bound;

use tenbin_workloads::s3::uri::decode;

use super::{Request, Response, response};

/// A feature that the store lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lack {
    Versioning,
    Lock,
    Tags,
    Append,
    Archives,
    FanOut,
}

#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) id: String,
    pub(crate) body: Vec<u8>,
    pub(crate) marker: bool,
    pub(crate) held: bool,
    pub(crate) retained: bool,
}

/// A store with a bucket `box`.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) bucket: bool,
    pub(crate) versioning: bool,
    pub(crate) lock: bool,
    pub(crate) keys: BTreeMap<String, Vec<Version>>,
    pub(crate) tags: BTreeMap<String, Vec<u8>>,
    /// Keys listed outside the requested prefix.
    pub(crate) also_listed: Vec<String>,
    /// A version that no request deletes.
    pub(crate) sticky: Option<String>,
    pub(crate) lacks: Vec<Lack>,
    pub(crate) seen: Vec<String>,
    pub(crate) made: u64,
}

fn error(status: u16, code: &str) -> Response {
    response(status, format!("<Error><Code>{code}</Code></Error>"))
}

fn not_implemented() -> Response {
    error(501, "NotImplemented")
}

impl Store {
    pub(crate) fn without(lack: Lack) -> Self {
        Self {
            lacks: vec![lack],
            ..Self::default()
        }
    }

    fn lacks(&self, what: Lack) -> bool {
        self.lacks.contains(&what)
    }

    pub(crate) fn response(&mut self, request: &Request) -> Response {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let path = String::from_utf8(decode(path.as_bytes())).unwrap();
        let query: BTreeMap<String, String> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| {
                let value = String::from_utf8(decode(value.as_bytes())).unwrap();
                (name.to_owned(), value)
            })
            .collect();
        self.seen
            .push(format!("{} {}", request.method, request.path));
        match path.strip_prefix("/box/") {
            Some(key) => self.object(request, key, &query),
            None => self.of_bucket(request, &query),
        }
    }

    pub(crate) fn put(&mut self, key: &str, body: Vec<u8>) -> Response {
        self.made += 1;
        // An id with characters that must be encoded in a query.
        let id = format!("v/{:08}+=", self.made);
        let versions = self.keys.entry(key.to_owned()).or_default();
        if !self.versioning {
            versions.clear();
        }
        versions.push(Version {
            id: id.clone(),
            body,
            marker: false,
            held: false,
            retained: false,
        });
        if self.versioning {
            Response::Headed(200, format!("x-amz-version-id: {id}"), Vec::new())
        } else {
            response(200, "")
        }
    }

    fn find(&mut self, key: &str, id: Option<&String>) -> Option<&mut Version> {
        let versions = self.keys.get_mut(key)?;
        match id {
            Some(id) => versions.iter_mut().find(|version| version.id == *id),
            None => versions.last_mut(),
        }
    }

    fn object(
        &mut self,
        request: &Request,
        key: &str,
        query: &BTreeMap<String, String>,
    ) -> Response {
        let id = query.get("versionId");
        let sub = |name: &str| query.contains_key(name);
        let on = |status: &str| String::from_utf8_lossy(&request.body).contains(status);
        match request.method.as_str() {
            _ if !self.bucket => error(404, "NoSuchBucket"),
            _ if sub("tagging") => self.tagging(request, key),
            "PUT" if sub("legal-hold") || sub("retention") => {
                assert!(request.header("content-md5").is_some());
                if !self.lock {
                    return error(400, "InvalidRequest");
                }
                let Some(version) = self.find(key, id) else {
                    return error(404, "NoSuchKey");
                };
                if sub("retention") {
                    version.retained = on(">GOVERNANCE<")
                } else {
                    version.held = on(">ON<")
                }
                response(200, "")
            }
            "PUT" => self.put_object(request, key),
            "GET" | "HEAD" if request.header("x-minio-extract").is_some() => self.packed(key),
            "GET" | "HEAD" => match self.find(key, id) {
                Some(version) if !version.marker => response(200, version.body.clone()),
                _ => error(404, "NoSuchKey"),
            },
            "DELETE" => {
                let bypass = request.header("x-amz-bypass-governance-retention");
                if self.delete(key, id, bypass.is_some()) {
                    response(204, "")
                } else {
                    error(403, "AccessDenied")
                }
            }
            other => panic!("{other} of an object"),
        }
    }

    fn put_object(&mut self, request: &Request, key: &str) -> Response {
        if let Some(offset) = request.header("x-amz-write-offset-bytes")
            && !self.lacks(Lack::Append)
        {
            let offset: usize = offset.parse().unwrap();
            let version = self.find(key, None).unwrap();
            assert_eq!(offset, version.body.len(), "{key}");
            version.body.extend_from_slice(&request.body);
            let size = version.body.len();
            return Response::Headed(200, format!("x-amz-object-size: {size}"), Vec::new());
        }
        let unpack = request.header("x-amz-meta-snowball-auto-extract") == Some("true");
        if unpack && !self.lacks(Lack::Archives) {
            let mut archive = tar::Archive::new(request.body.as_slice());
            for entry in archive.entries().unwrap() {
                let mut entry = entry.unwrap();
                let key = entry.path().unwrap().to_str().unwrap().to_owned();
                let mut body = Vec::new();
                entry.read_to_end(&mut body).unwrap();
                self.put(&key, body);
            }
            return response(200, "");
        }
        let put = self.put(key, request.body.clone());
        match request.header("x-amz-tagging") {
            Some(tags) => {
                let tags: String = tags
                    .split('&')
                    .map(|tag| tag.split_once('=').unwrap())
                    .map(|(name, value)| {
                        format!("<Tag><Key>{name}</Key><Value>{value}</Value></Tag>")
                    })
                    .collect();
                let xml = format!("<Tagging><TagSet>{tags}</TagSet></Tagging>");
                self.tags.insert(key.to_owned(), xml.into_bytes());
            }
            None => {
                self.tags.remove(key);
            }
        }
        put
    }

    fn tagging(&mut self, request: &Request, key: &str) -> Response {
        if self.lacks(Lack::Tags) {
            return not_implemented();
        }
        match request.method.as_str() {
            "PUT" => {
                assert!(request.header("content-md5").is_some());
                self.tags.insert(key.to_owned(), request.body.clone());
                response(200, "")
            }
            "GET" => {
                let none = b"<Tagging><TagSet></TagSet></Tagging>".to_vec();
                response(200, self.tags.get(key).cloned().unwrap_or(none))
            }
            _ => {
                self.tags.remove(key);
                response(204, "")
            }
        }
    }

    /// Responds with a file inside an archive.
    fn packed(&mut self, key: &str) -> Response {
        let (archive, file) = key.split_once(".zip/").unwrap();
        let stored = self.find(&format!("{archive}.zip"), None).cloned();
        let Some(stored) = stored.filter(|_| !self.lacks(Lack::Archives)) else {
            return error(404, "NoSuchKey");
        };
        let mut zip = zip::ZipArchive::new(Cursor::new(stored.body)).unwrap();
        let mut body = Vec::new();
        let mut file = zip.by_name(file).unwrap();
        file.read_to_end(&mut body).unwrap();
        response(200, body)
    }

    /// Deletes a version or adds a delete marker; returns whether the deletion was allowed.
    fn delete(&mut self, key: &str, id: Option<&String>, bypass: bool) -> bool {
        if id.is_some() && id == self.sticky.as_ref() {
            return false;
        }
        let Some(versions) = self.keys.get_mut(key) else {
            return true;
        };
        match id {
            Some(id) => {
                let locked = |version: &Version| version.held || (version.retained && !bypass);
                let found = versions.iter().position(|version| version.id == *id);
                if found.is_some_and(|at| locked(&versions[at])) {
                    return false;
                }
                versions.retain(|version| version.id != *id);
            }
            None if self.versioning => {
                self.made += 1;
                versions.push(Version {
                    id: format!("m{}", self.made),
                    body: Vec::new(),
                    marker: true,
                    held: false,
                    retained: false,
                });
            }
            None => versions.clear(),
        }
        self.keys.retain(|_, versions| !versions.is_empty());
        true
    }

    fn of_bucket(&mut self, request: &Request, query: &BTreeMap<String, String>) -> Response {
        let sub = |name: &str| query.contains_key(name);
        let enabled = |on: bool, element: &str| {
            if on {
                response(200, format!("<X><{element}>Enabled</{element}></X>"))
            } else {
                response(200, "<X/>")
            }
        };
        match request.method.as_str() {
            "HEAD" => response(if self.bucket { 200 } else { 404 }, ""),
            "PUT" if sub("versioning") => {
                if self.lacks(Lack::Versioning) {
                    return not_implemented();
                }
                self.versioning = true;
                response(200, "")
            }
            "PUT" => {
                let lock = request.header("x-amz-bucket-object-lock-enabled").is_some();
                if lock && self.lacks(Lack::Lock) {
                    return not_implemented();
                }
                (self.bucket, self.lock) = (true, lock);
                self.versioning |= lock;
                response(200, "")
            }
            "GET" if sub("versioning") => enabled(self.versioning, "Status"),
            "GET" if sub("object-lock") => {
                if self.lock {
                    enabled(true, "ObjectLockEnabled")
                } else {
                    error(404, "ObjectLockConfigurationNotFoundError")
                }
            }
            "GET" => self.list(request, query),
            "DELETE" if self.keys.is_empty() => {
                self.bucket = false;
                response(204, "")
            }
            "DELETE" => error(409, "BucketNotEmpty"),
            "POST" if sub("delete") => self.delete_batch(request),
            "POST" => self.fan_out(request),
            other => panic!("{other} of the bucket"),
        }
    }

    fn delete_batch(&mut self, request: &Request) -> Response {
        let xml = String::from_utf8(request.body.clone()).unwrap();
        let bypass = request.header("x-amz-bypass-governance-retention");
        let mut errors = String::new();
        for object in xml.split("<Object>").skip(1) {
            let text = |name: &str| {
                let (_, rest) = object.split_once(&format!("<{name}>"))?;
                Some(rest.split('<').next().unwrap().to_owned())
            };
            let key = text("Key").unwrap();
            if !self.delete(&key, text("VersionId").as_ref(), bypass.is_some()) {
                errors += "<Error><Code>AccessDenied</Code></Error>";
            }
        }
        response(200, format!("<DeleteResult>{errors}</DeleteResult>"))
    }

    /// Responds with a page of five entries.
    fn list(&mut self, request: &Request, query: &BTreeMap<String, String>) -> Response {
        let prefix = &query["prefix"];
        let packed = request.header("x-minio-extract").is_some() && !self.lacks(Lack::Archives);
        let versions = query.contains_key("versions");
        let (tag, root) = if versions {
            ("Version", "ListVersionsResult")
        } else {
            ("Contents", "ListBucketResult")
        };
        // Listed elements, ordered by key and version.
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |key: &str, id: &str, tag: &str| {
            let xml = format!("<{tag}><Key>{key}</Key><VersionId>{id}</VersionId></{tag}>");
            all.insert(format!("{key}|{id}"), xml);
        };
        if packed {
            let archive = prefix.strip_suffix('/').unwrap();
            let stored = self.find(archive, None).unwrap().body.clone();
            let zip = zip::ZipArchive::new(Cursor::new(stored)).unwrap();
            for name in zip.file_names() {
                add(&format!("{prefix}{}", name.unwrap()), "", tag);
            }
        }
        for (key, of_key) in self.keys.iter().filter(|(key, _)| key.starts_with(prefix)) {
            match (versions, of_key.last()) {
                (true, _) => {
                    for version in of_key {
                        let tag = ["Version", "DeleteMarker"][usize::from(version.marker)];
                        add(key, &version.id, tag);
                    }
                }
                (false, Some(last)) if !last.marker => add(key, "", tag),
                _ => {}
            }
        }
        for key in &self.also_listed {
            add(key, "null", tag);
        }
        let marker = ["continuation-token", "key-marker"][usize::from(versions)];
        let from = query.get(marker).cloned().unwrap_or_default();
        let rest = all.range::<String, _>((Bound::Excluded(from), Bound::Unbounded));
        let rest: Vec<_> = rest.collect();
        let more = rest.len() > 5;
        let page = &rest[..rest.len().min(5)];
        let end = page.last().map_or("", |(place, _)| place);
        let page: String = page.iter().map(|(_, xml)| xml.as_str()).collect();
        response(
            200,
            format!(
                "<{root}><IsTruncated>{more}</IsTruncated>{page}\
                 <NextContinuationToken>{end}</NextContinuationToken>\
                 <NextKeyMarker>{end}</NextKeyMarker>\
                 <NextVersionIdMarker>x</NextVersionIdMarker></{root}>"
            ),
        )
    }

    fn fan_out(&mut self, request: &Request) -> Response {
        assert!(request.header("authorization").is_none());
        if self.lacks(Lack::FanOut) {
            return error(405, "MethodNotAllowed");
        }
        let kind = request.header("content-type").unwrap();
        let boundary = format!("--{}", kind.split_once("boundary=").unwrap().1);
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let field = |name: &str| {
            let part = body
                .split(&boundary)
                .find(|part| part.contains(&format!("name=\"{name}\"")));
            let (_, value) = part.unwrap().split_once("\r\n\r\n").unwrap();
            value.strip_suffix("\r\n").unwrap().to_owned()
        };
        assert_eq!(field("x-amz-signature").len(), 64);
        let mut answered = String::new();
        for line in field("x-minio-fanout-list").lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            let key = entry["key"].as_str().unwrap();
            self.put(key, field("file").into_bytes());
            answered += &format!("{{\"key\":\"{key}\",\"etag\":\"e\"}}\n");
        }
        response(200, answered)
    }
}
