//! An in-memory store with multipart uploads and listings.

use std::collections::BTreeMap;

use tenbin_workloads::s3::uri::decode;

use crate::support::{Request, Response, response};

/// Upload id with special characters: servers choose upload ids freely.
const STRANGE: &str = "a/b+c&d=\"<ü>%20";

/// An object, and the sizes of its parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) body: Vec<u8>,
    pub(crate) parts: Vec<usize>,
}

/// An open upload.
#[derive(Debug, Clone, Default)]
pub(crate) struct Upload {
    pub(crate) key: String,
    pub(crate) parts: BTreeMap<u64, Vec<u8>>,
}

/// A store with a bucket `box`.
#[derive(Default)]
pub(crate) struct Store {
    pub(crate) no_bucket: bool,
    pub(crate) objects: BTreeMap<String, Object>,
    pub(crate) uploads: BTreeMap<String, Upload>,
    pub(crate) seen: Vec<String>,
    /// Maximum number of keys on a page of a listing.
    pub(crate) page: usize,
    pub(crate) begun: u64,
}

pub(crate) fn error(status: u16, code: &str) -> Response {
    response(
        status,
        format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>"),
    )
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text.split_once(from).map_or("", |(_, rest)| rest);
    rest.split_once(to).map_or("", |(inner, _)| inner)
}

impl Store {
    #[allow(dead_code, reason = "not every test that uses stores lists them")]
    pub(crate) fn paged(page: usize) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }

    pub(crate) fn with(&mut self, key: &str, body: &[u8]) {
        let object = Object {
            body: body.to_vec(),
            parts: Vec::new(),
        };
        self.objects.insert(key.to_owned(), object);
    }

    /// Number of requests whose request line starts with this text.
    pub(crate) fn asked(&self, beginning: &str) -> usize {
        let seen = self.seen.iter();
        seen.filter(|seen| seen.starts_with(beginning)).count()
    }

    pub(crate) fn response(&mut self, request: &Request) -> Response {
        self.seen
            .push(format!("{} {}", request.method, request.path));
        if self.no_bucket {
            return match request.method.as_str() {
                "HEAD" => response(404, ""),
                _ => error(404, "NoSuchBucket"),
            };
        }
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let query: BTreeMap<String, String> = query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        match path.strip_prefix("/box/") {
            Some(key) => self.object(request, &text(key), &query),
            None => self.bucket(request, &query),
        }
    }

    fn object(
        &mut self,
        request: &Request,
        key: &str,
        query: &BTreeMap<String, String>,
    ) -> Response {
        let id = query.get("uploadId").map(String::as_str);
        match (request.method.as_str(), id) {
            ("POST", None) if query.contains_key("uploads") => self.create(key),
            ("PUT", Some(id)) => {
                let Some(upload) = self.uploads.get_mut(id) else {
                    return error(404, "NoSuchUpload");
                };
                let number: u64 = query["partNumber"].parse().unwrap();
                assert_eq!(upload.key, key);
                upload.parts.insert(number, request.body.clone());
                let tag = format!("ETag: \"<{number}>&\"\r\n");
                Response::Headed(200, tag, Vec::new())
            }
            ("POST", Some(id)) => self.complete(id, request),
            ("DELETE", Some(id)) => match self.uploads.remove(id) {
                Some(_) => response(204, ""),
                None => error(404, "NoSuchUpload"),
            },
            ("PUT", None) => {
                self.with(key, &request.body);
                response(200, "")
            }
            ("DELETE", None) => {
                self.objects.remove(key);
                response(204, "")
            }
            ("GET" | "HEAD", None) => {
                let number = query.get("partNumber").map(|n| n.parse().unwrap());
                self.get(key, number)
            }
            other => panic!("{other:?} of an object"),
        }
    }

    fn create(&mut self, key: &str) -> Response {
        self.begun += 1;
        let id = format!("{STRANGE}{}", self.begun);
        let upload = Upload {
            key: key.to_owned(),
            parts: BTreeMap::new(),
        };
        self.uploads.insert(id.clone(), upload);
        let xml = format!(
            "<InitiateMultipartUploadResult><Key>{}</Key><UploadId>{}</UploadId>\
             </InitiateMultipartUploadResult>",
            escape(key),
            escape(&id)
        );
        response(200, xml)
    }

    fn complete(&mut self, id: &str, request: &Request) -> Response {
        let Some(upload) = self.uploads.remove(id) else {
            return error(404, "NoSuchUpload");
        };
        let xml = String::from_utf8(request.body.clone()).unwrap();
        let mut object = Object::default();
        for (at, part) in (1..).zip(xml.split("<Part>").skip(1)) {
            let number: u64 = between(part, "<PartNumber>", "<").parse().unwrap();
            let tag = unescape(between(part, "<ETag>", "</ETag>"));
            assert_eq!((number, tag), (at, format!("\"<{at}>&\"")));
            object.parts.push(upload.parts[&number].len());
            object.body.extend_from_slice(&upload.parts[&number]);
        }
        self.objects.insert(upload.key, object);
        response(200, "<CompleteMultipartUploadResult/>")
    }

    fn get(&self, key: &str, number: Option<usize>) -> Response {
        let Some(object) = self.objects.get(key) else {
            return error(404, "NoSuchKey");
        };
        let Some(number) = number else {
            return response(200, object.body.clone());
        };
        let from: usize = object.parts[..number - 1].iter().sum();
        let part = &object.body[from..from + object.parts[number - 1]];
        response(206, part)
    }

    fn bucket(&mut self, request: &Request, query: &BTreeMap<String, String>) -> Response {
        let get = |name: &str| query.get(name).cloned().unwrap_or_default();
        match request.method.as_str() {
            "HEAD" => response(200, ""),
            "GET" if query.contains_key("uploads") => self.list_uploads(&get("prefix")),
            "GET" => self.list(&get("prefix"), &get("continuation-token")),
            "POST" => {
                let xml = String::from_utf8(request.body.clone()).unwrap();
                for key in xml.split("<Key>").skip(1) {
                    self.objects.remove(key.split_once("</Key>").unwrap().0);
                }
                response(200, "<DeleteResult></DeleteResult>")
            }
            other => panic!("{other} of the bucket"),
        }
    }

    fn list(&self, prefix: &str, token: &str) -> Response {
        let below = self.objects.iter();
        let below = below.filter(|(key, _)| key.starts_with(prefix) && key.as_str() > token);
        let page: Vec<_> = below.take(self.page.max(1) + 1).collect();
        let more = page.len() > self.page.max(1);
        let page = &page[..page.len().min(self.page.max(1))];
        let mut xml = format!("<ListBucketResult><IsTruncated>{more}</IsTruncated>");
        for (key, object) in page {
            let dash = match object.parts.len() {
                0 => String::new(),
                parts => format!("-{parts}"),
            };
            xml.push_str(&format!(
                "<Contents><Key>{}</Key><ETag>&quot;abc{dash}&quot;</ETag><Size>{}</Size></Contents>",
                escape(key),
                object.body.len()
            ));
        }
        if more {
            let (last, _) = page.last().unwrap();
            xml.push_str(&format!(
                "<NextContinuationToken>{}</NextContinuationToken>",
                escape(last)
            ));
        }
        response(200, xml + "</ListBucketResult>")
    }

    fn list_uploads(&self, prefix: &str) -> Response {
        let mut xml = "<ListMultipartUploadsResult>".to_owned();
        let uploads = self.uploads.iter();
        for (id, upload) in uploads.filter(|(_, upload)| upload.key.starts_with(prefix)) {
            xml.push_str(&format!(
                "<Upload><Key>{}</Key><UploadId>{}</UploadId></Upload>",
                escape(&upload.key),
                escape(id)
            ));
        }
        response(200, xml + "</ListMultipartUploadsResult>")
    }
}

fn text(encoded: &str) -> String {
    String::from_utf8(decode(encoded.as_bytes())).unwrap()
}
