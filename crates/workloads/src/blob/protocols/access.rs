//! Requests to the access layer of CubeFS's blobstore, over HTTP.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE;
use md5::{Digest, Md5};
use tenbin_engine::Exchange;
use tenbin_plan::{BlobWork, Secret};

use crate::blob::protocols::access_response;
use crate::blob::protocols::allocation::Piece;
use crate::blob::protocols::checksums;
use crate::blob::protocols::{BlobProtocol, Gone, Part, Stored};
use crate::blob::stored::batch::Entry;
use crate::site::Site;
use crate::text::push_decimal;

/// The HTTP protocol of the access layer.
pub(crate) struct Access {
    /// Path of the target's URL, without a trailing slash.
    base: String,
    /// HTTP version and constant headers, indexed by [`Exchange::host`].
    fixed_headers: Vec<Vec<u8>>,
    hashes: u8,
    /// Whether content is sent in blocks with checksums.
    framed: bool,
    secret: Option<Secret>,
    path: Vec<u8>,
}

impl Access {
    pub(crate) fn new(target: &Site, work: &BlobWork, keep_alive: bool) -> Self {
        let fixed_headers = |host: &String| {
            let mut lines = format!(
                " HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {}\r\n",
                crate::USER_AGENT
            );
            if !keep_alive {
                lines += "Connection: close\r\n";
            }
            lines.into_bytes()
        };
        let credentials = target.credentials.as_ref();
        Self {
            base: target.url.path().trim_end_matches('/').to_owned(),
            fixed_headers: target.host_headers().iter().map(fixed_headers).collect(),
            hashes: work.hashes.iter().map(|hash| hash.bit()).sum(),
            framed: work.crc_framed,
            secret: credentials.map(|keys| keys.secret_key.clone()),
            path: Vec::with_capacity(64),
        }
    }

    /// Writes the head of a request for the path in `self.path`, whose query starts at `query_at`.
    fn write(
        &self,
        exchange: &mut Exchange,
        second: u64,
        method: &str,
        query_at: usize,
        body: Carried,
    ) {
        let out = &mut exchange.head;
        out.clear();
        out.extend_from_slice(method.as_bytes());
        out.push(b' ');
        out.extend_from_slice(&self.path);
        out.extend_from_slice(&self.fixed_headers[exchange.host]);
        let (kind, length) = match body {
            Carried::Json(length) => (&b"application/json"[..], length),
            Carried::Content(length) if self.framed => {
                out.extend_from_slice(b"X-Crc-Encoded: 1\r\n");
                (OCTETS, checksums::framed_length(length))
            }
            Carried::Content(length) => (OCTETS, length),
        };
        out.extend_from_slice(b"Content-Type: ");
        out.extend_from_slice(kind);
        out.extend_from_slice(b"\r\nContent-Length: ");
        push_decimal(out, length);
        if let Some(secret) = &self.secret {
            out.extend_from_slice(b"\r\nBLOB-STORE-AUTH-TOKEN: ");
            let (path, query) = self.path.split_at(query_at);
            let query = query.strip_prefix(b"?").unwrap_or(query);
            out.extend_from_slice(token(path, query, second, secret).as_bytes());
        }
        out.extend_from_slice(b"\r\n\r\n");
    }

    /// Writes a request with a JSON body.
    fn post(&mut self, exchange: &mut Exchange, second: u64, call: &str, document: &[u8]) {
        let query_at = self.call(call);
        let carried = Carried::Json(document.len() as u64);
        self.write(exchange, second, "POST", query_at, carried);
    }

    fn call(&mut self, call: &str) -> usize {
        self.path.clear();
        self.path.extend_from_slice(self.base.as_bytes());
        self.path.extend_from_slice(call.as_bytes());
        self.path.len()
    }
}

/// The authentication token, in URL-safe base64: seconds since 1970-01-01 UTC as eight bytes
/// (little-endian), and the MD5 of path, query, these eight bytes and the secret.
fn token(path: &[u8], query: &[u8], second: u64, secret: &Secret) -> String {
    let time = second.to_le_bytes();
    let mut digest = Md5::new();
    digest.update(path);
    digest.update(query);
    digest.update(time);
    digest.update(secret.reveal());
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&time);
    bytes[8..].copy_from_slice(&digest.finalize());
    BASE64_URL_SAFE.encode(bytes)
}

/// Error text for status 404: the server is probably no access layer, because every access layer
/// knows the calls that Tenbin sends.
const NO_CALL: &str = "no such call (404): is this an access layer? Those listen on port 9500, and \
                       cluster managers on 9998";

const OCTETS: &[u8] = b"application/octet-stream";

/// Kind and length, in bytes, of a request body.
#[derive(Debug, Clone, Copy)]
enum Carried {
    Json(u64),
    /// Content of a blob, with its length before framing.
    Content(u64),
}

/// The requests for a blob that is stored in pieces.
impl Access {
    /// Writes the request that allocates space for `size` bytes, and the request body into `body`,
    /// which must be empty.
    pub(crate) fn allocate(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        size: u64,
        body: &mut Vec<u8>,
    ) {
        body.extend_from_slice(b"{\"size\":");
        push_decimal(body, size);
        body.extend_from_slice(b",\"blob_size\":0,\"assign_cluster_id\":0,\"code_mode\":0}");
        self.post(exchange, second, "/alloc", body);
    }

    /// Writes the request that stores a piece.
    pub(crate) fn put_at(&mut self, exchange: &mut Exchange, second: u64, piece: &Piece<'_>) {
        let query_at = self.call("/putat");
        let numbers = [
            ("?clusterid=", u64::from(piece.cluster)),
            ("&volumeid=", piece.volume.into()),
            ("&blobid=", piece.number),
            ("&size=", piece.length),
            ("&hashes=", self.hashes.into()),
        ];
        for (name, number) in numbers {
            self.path.extend_from_slice(name.as_bytes());
            push_decimal(&mut self.path, number);
        }
        self.path.extend_from_slice(b"&token=");
        self.path.extend_from_slice(piece.token.as_bytes());
        self.write(
            exchange,
            second,
            "PUT",
            query_at,
            Carried::Content(piece.length),
        );
    }

    /// Writes the request that signs a location whose pieces are stored, and the request body into
    /// `body`, which must be empty.
    pub(crate) fn sign(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        location: &[u8],
        body: &mut Vec<u8>,
    ) {
        body.extend_from_slice(b"{\"locations\":[");
        body.extend_from_slice(location);
        body.extend_from_slice(b"],\"location\":");
        body.extend_from_slice(location);
        body.push(b'}');
        self.post(exchange, second, "/sign", body);
    }
}

impl BlobProtocol for Access {
    fn put(&mut self, exchange: &mut Exchange, second: u64, _number: u64, content: &[u8]) {
        let query_at = self.call("/put");
        self.path.extend_from_slice(b"?size=");
        push_decimal(&mut self.path, content.len() as u64);
        self.path.extend_from_slice(b"&hashes=");
        push_decimal(&mut self.path, self.hashes.into());
        let body = Carried::Content(content.len() as u64);
        self.write(exchange, second, "PUT", query_at, body);
    }

    fn get(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entry: Entry<'_>,
        part: Part,
        body: &mut Vec<u8>,
    ) {
        body.extend_from_slice(b"{\"location\":");
        body.extend_from_slice(entry.location);
        body.extend_from_slice(b",\"offset\":");
        push_decimal(body, part.offset);
        body.extend_from_slice(b",\"read_size\":");
        push_decimal(body, part.length);
        body.push(b'}');
        self.post(exchange, second, "/get", body);
    }

    fn delete(
        &mut self,
        exchange: &mut Exchange,
        second: u64,
        entries: &[Entry<'_>],
        body: &mut Vec<u8>,
    ) {
        body.extend_from_slice(b"{\"locations\":[");
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 {
                body.push(b',');
            }
            body.extend_from_slice(entry.location);
        }
        body.extend_from_slice(b"]}");
        self.post(exchange, second, "/delete", body);
    }

    fn stored<'a>(&self, status: u16, response: &'a [u8]) -> Result<Stored<'a>, String> {
        if status == 404 {
            return Err(NO_CALL.to_owned());
        }
        if status == 400 {
            let text = self.refused(status, response);
            return Err(format!(
                "{text}; the access layer refuses a blob that is too large with the same status"
            ));
        }
        if status != 200 {
            return Err(self.refused(status, response));
        }
        let (location, sums) =
            access_response::stored(response).ok_or("the response to the PUT has no location")?;
        Ok(Stored { location, sums })
    }

    fn deleted(&self, status: u16, response: &[u8], entries: &[Entry<'_>]) -> Result<Gone, String> {
        match status {
            // Status 200 is not enough: the body can name blobs that still exist.
            200 if access_response::failed_locations(response)
                .is_none_or(|failed| failed.is_empty()) =>
            {
                Ok(Gone::All)
            }
            200 | 226 => {
                let failed = access_response::failed_locations(response)
                    .filter(|failed| !failed.is_empty())
                    .ok_or(
                        "a part was not deleted (226), and the response does not name the part",
                    )?;
                let is_failed = |entry: &Entry<'_>| {
                    failed
                        .iter()
                        .any(|failed| access_response::same(failed, entry.location))
                };
                let kept = entries.iter().enumerate();
                let kept: Vec<usize> = kept
                    .filter(|(_, entry)| is_failed(entry))
                    .map(|(at, _)| at)
                    .collect();
                if kept.is_empty() {
                    Err("a part was not deleted (226), and none of the parts named is in the request".into())
                } else {
                    Ok(Gone::AllBut(kept))
                }
            }
            404 => Err(NO_CALL.to_owned()),
            _ => Err(self.refused(status, response)),
        }
    }

    /// Returns `true`: the access layer sends the head of a response before it looks for the
    /// content, so it can report a missing blob only by closing the connection.
    fn breaks_off_when_gone(&self) -> bool {
        true
    }

    fn refused(&self, status: u16, response: &[u8]) -> String {
        let words = access_response::refusal(response);
        let meaning = match status {
            400 if words.contains("exceed object size") => "larger than the access layer allows",
            400 => "bad arguments",
            403 => "forbidden: the token is missing or wrong",
            404 => "no such blob",
            429 | 552 => "limited: too many requests",
            466 if self.framed => {
                "the body was shorter than its size, or the checksum of a block is wrong"
            }
            466 => "the body was shorter than its size",
            551 => "the access layer cannot find what it needs",
            553 => "larger than the access layer allows",
            500 | 550 => "the access layer failed",
            _ => "refused",
        };
        if words.is_empty() {
            format!("{meaning} ({status})")
        } else {
            format!("{meaning} ({status} {words})")
        }
    }
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{BlobHash, Phase};
    use url::Url;

    use super::*;

    fn access(secret: Option<&str>) -> Access {
        let url = Url::parse("http://127.0.0.1:9500/").unwrap();
        let keys = secret.map(|secret| tenbin_plan::Credentials::literal("-", secret));
        let work = BlobWork {
            hashes: vec![BlobHash::Md5, BlobHash::Crc32],
            ..BlobWork::new(Phase::Put, 0)
        };
        Access::new(&Site::new(url, keys, ""), &work, true)
    }

    fn text(bytes: &[u8]) -> &str {
        std::str::from_utf8(bytes).unwrap()
    }

    #[test]
    fn requests_are_what_the_access_layer_takes() {
        let mut access = access(None);
        let mut exchange = Exchange::default();
        access.put(&mut exchange, 0, 7, b"tea");
        let head = text(&exchange.head);
        assert!(head.starts_with("PUT /put?size=3&hashes=6 HTTP/1.1\r\nHost: 127.0.0.1:9500\r\n"));
        assert!(head.ends_with("Content-Length: 3\r\n\r\n"), "{head}");
        let entry = Entry {
            number: 7,
            size: 3,
            location: b"{L}",
        };
        let mut body = Vec::new();
        let part = Part {
            offset: 1,
            length: 2,
        };
        access.get(&mut exchange, 0, entry, part, &mut body);
        assert_eq!(text(&body), r#"{"location":{L},"offset":1,"read_size":2}"#);
        body.clear();
        access.delete(&mut exchange, 0, &[entry, entry], &mut body);
        assert_eq!(text(&body), r#"{"locations":[{L},{L}]}"#);
    }

    #[test]
    fn the_token_covers_path_query_and_time() {
        let mut access = access(Some("secret"));
        let mut token_at = |second| {
            let mut exchange = Exchange::default();
            access.put(&mut exchange, second, 7, b"tea");
            let head = text(&exchange.head).to_owned();
            let line = head.lines().find(|line| line.starts_with("BLOB-STORE"));
            line.unwrap().rsplit_once(' ').unwrap().1.to_owned()
        };
        let token = BASE64_URL_SAFE.decode(token_at(5)).unwrap();
        assert_eq!(token.len(), 24);
        assert_eq!(token[..8], 5_u64.to_le_bytes());
        let mut digest = Md5::new();
        digest.update("/putsize=3&hashes=6");
        digest.update(5_u64.to_le_bytes());
        digest.update("secret");
        assert_eq!(token[8..], *digest.finalize());
        assert_ne!(token_at(5), token_at(6));
    }

    #[test]
    fn a_deletion_of_which_a_part_failed_names_that_part() {
        let access = access(None);
        let entry = |location| Entry {
            number: 0,
            size: 0,
            location,
        };
        let entries = [entry(&b"{\"a\":1}"[..]), entry(b"{\"a\":2}")];
        let response = br#"{"failed_locations":[{ "a": 2 }]}"#;
        assert_eq!(
            access.deleted(226, response, &entries),
            Ok(Gone::AllBut(vec![1]))
        );
        assert_eq!(access.deleted(200, b"{}", &entries), Ok(Gone::All));
        assert_eq!(
            access.deleted(200, response, &entries),
            Ok(Gone::AllBut(vec![1])),
            "whatever the status says"
        );
        assert!(access.deleted(226, b"{}", &entries).is_err());
        assert!(
            access
                .deleted(226, br#"{"failed_locations":[{"a":3}]}"#, &entries)
                .is_err()
        );
    }

    #[test]
    fn every_refusal_has_its_name() {
        let access = access(None);
        let argument = br#"{"error":"x","code":"Argument"}"#;
        assert_eq!(
            access.refused(400, argument),
            "bad arguments (400 Argument: x)"
        );
        let unexpected = br#"{"error":"Unexpected Error"}"#;
        assert_eq!(
            access.refused(550, unexpected),
            "the access layer failed (550 Unexpected Error)"
        );
        assert!(access.refused(403, b"").starts_with("forbidden"));
        for status in [429, 552] {
            assert!(access.refused(status, b"").starts_with("limited"));
        }
        assert!(
            access
                .stored(404, b"")
                .unwrap_err()
                .contains("no such call")
        );
        assert!(access.refused(553, b"").starts_with("larger"));
        let current = br#"{"error":"access exceed object size"}"#;
        assert!(access.refused(400, current).starts_with("larger"));
        assert!(access.refused(466, b"").contains("shorter"));
    }
}
