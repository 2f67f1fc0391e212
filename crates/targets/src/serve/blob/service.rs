//! The calls of the access layer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, SERVER};
use hyper::http::request::Parts;
use hyper::service::Service;
use hyper::{Request, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tenbin_plan::Secret;

use super::faults::{FaultKind, Faults};
use super::location::Location;
use super::query::Query;
use super::reply::{self, Refusal, Reply};
use super::store::{LARGEST_PIECE, PIECE, Place, Store};
use super::{Gone, framing, hashes, token};

/// The largest blob that is taken in.
const LARGEST_BLOB: u64 = 5 << 30;

/// Pieces of one blob, at most.
const MOST_PIECES: u64 = 1 << 20;

/// Locations in one deletion, at most.
const MOST_LOCATIONS: usize = 1024;

/// The service behind every connection.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) store: Arc<Store>,
    pub(super) faults: Arc<Faults>,
    pub(super) secret: Option<Secret>,
    pub(super) gone: Gone,
}

/// The connection is closed without an answer, as the access layer does when a body
/// has no length.
#[derive(Debug, thiserror::Error)]
#[error("no content-length")]
pub(super) struct NoLength;

impl Service<Request<Incoming>> for Access {
    type Response = Reply;
    type Error = NoLength;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, NoLength>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let access = self.clone();
        Box::pin(async move {
            let begun = Instant::now();
            let mut reply = access.answer(request).await?;
            let headers = reply.headers_mut();
            headers.insert(SERVER, HeaderValue::from_static("tenbin"));
            let spent = begun.elapsed().as_millis();
            // Times of the stages, milliseconds, as the access layer traces them.
            for line in [
                format!("ACCESS:{spent}"),
                "CLUSTERMGR;cm:0;PROXY:0".to_owned(),
                format!("a_0_r_0_w_{spent}"),
            ] {
                if let Ok(line) = HeaderValue::from_str(&line) {
                    headers.append("trace-log", line);
                }
            }
            Ok(reply)
        })
    }
}

#[derive(Deserialize)]
struct GetCall {
    location: Location,
    #[serde(default)]
    offset: u64,
    #[serde(default)]
    read_size: u64,
}

#[derive(Deserialize)]
struct DeleteCall {
    #[serde(default)]
    locations: Vec<Location>,
}

#[derive(Deserialize)]
struct AllocateCall {
    #[serde(default)]
    size: u64,
    #[serde(default)]
    blob_size: u32,
}

#[derive(Deserialize)]
struct SignCall {
    #[serde(default)]
    locations: Vec<Location>,
    location: Location,
}

#[derive(Serialize)]
struct Stored {
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    hashsum: BTreeMap<String, String>,
}

impl Access {
    async fn answer(&self, request: Request<Incoming>) -> Result<Reply, NoLength> {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let query = head.uri.query().unwrap_or_default().to_owned();
        let sized = head.headers.contains_key(CONTENT_LENGTH);
        let takes_content = matches!(path.as_str(), "/put" | "/putat");
        if takes_content && !sized {
            return Err(NoLength);
        }
        // Unread bytes would make hyper close the connection.
        let Ok(body) = whole(body).await else {
            return Ok(Refusal::BrokenBody.reply());
        };
        let asks_nothing = matches!(path.as_str(), "/" | "/access/status" | "/metrics");
        if let Some(secret) = self.secret.as_ref().filter(|_| !asks_nothing) {
            let given = head.headers.get(token::HEADER).map(HeaderValue::as_bytes);
            let fits = |given| token::fits(given, &path, &query, secret.reveal());
            if !given.is_some_and(fits) {
                return Ok(Refusal::Forbidden.reply());
            }
        }
        if let Some(refusal) = self.general_fault().filter(|_| !asks_nothing) {
            return Ok(refusal.reply());
        }
        if head.headers.contains_key(framing::ENCODED) && !self.faults.strike(FaultKind::Unframed) {
            let broken = self.faults.strike(FaultKind::BadBlock);
            let content = framing::content(&body).filter(|_| !broken);
            let mut reply = match content {
                Some(content) => self.route(&head, &path, &query, content),
                None => Refusal::BrokenBody.reply(),
            };
            let acknowledged = HeaderValue::from_static("1");
            reply
                .headers_mut()
                .insert(framing::ACKNOWLEDGED, acknowledged);
            return Ok(reply);
        }
        Ok(self.route(&head, &path, &query, body))
    }

    fn route(&self, head: &Parts, path: &str, query: &str, body: Bytes) -> Reply {
        let is_json = head
            .headers
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let method = head.method.as_str();
        // Another type loses the body.
        let document = if is_json { &body[..] } else { b"" };
        let served = match (method, path) {
            ("PUT" | "POST", "/put") => self.put(&Query::of(query), body),
            ("PUT" | "POST", "/putat") => self.put_at(&Query::of(query), body),
            ("DELETE", "/deleteblob") => self.delete_piece(&Query::of(query)),
            ("POST", "/get") => read(document).and_then(|call| self.get(&call)),
            ("POST", "/delete") => read(document).and_then(|call| self.delete(call)),
            ("POST", "/alloc") => read(document).and_then(|call| self.allocate(&call)),
            ("POST", "/sign") => read(document).and_then(sign),
            ("GET", "/" | "/access/status") => Ok(reply::json(
                StatusCode::OK,
                &serde_json::json!({"config": {}, "pools": []}),
            )),
            ("GET", "/metrics") => {
                let pieces = self.store.pieces();
                Ok(reply::text(format!("tenbin_blob_pieces {pieces}\n")))
            }
            _ => Ok(reply::bare(StatusCode::NOT_FOUND)),
        };
        served.unwrap_or_else(|refusal| refusal.reply())
    }

    fn general_fault(&self) -> Option<Refusal> {
        let all = [
            (FaultKind::Refuse, Refusal::Illegal),
            (FaultKind::Forbid, Refusal::Forbidden),
            (FaultKind::TooMany, Refusal::TooMany),
            (FaultKind::Limit, Refusal::Limited),
        ];
        let mut all = all.into_iter();
        all.find_map(|(kind, refusal)| self.faults.strike(kind).then_some(refusal))
    }

    fn put(&self, query: &Query<'_>, body: Bytes) -> Result<Reply, Refusal> {
        let bits = query.number("hashes")?;
        let size: u64 = query.number("size")?;
        if size > LARGEST_BLOB {
            return Err(Refusal::TooLarge);
        }
        let content = self.taken_in(size, body)?;
        let hashsum = self.sums(bits, &content);
        let location = Some(self.store.put(content));
        Ok(reply::json(StatusCode::OK, &Stored { location, hashsum }))
    }

    fn put_at(&self, query: &Query<'_>, body: Bytes) -> Result<Reply, Refusal> {
        let bits = query.number("hashes")?;
        let place = Place::of(query)?;
        if !self.store.allows(&place) {
            return Err(Refusal::Illegal);
        }
        let content = self.taken_in(place.size, body)?;
        let hashsum = self.sums(bits, &content);
        self.store.put_at(&place, content);
        let location = None;
        Ok(reply::json(StatusCode::OK, &Stored { location, hashsum }))
    }

    fn delete_piece(&self, query: &Query<'_>) -> Result<Reply, Refusal> {
        match self.store.delete_piece(&Place::of(query)?) {
            true => Ok(reply::bare(StatusCode::OK)),
            false => Err(Refusal::Illegal),
        }
    }

    /// As much of a body as the query says there is. More is cut silently.
    fn taken_in(&self, size: u64, mut body: Bytes) -> Result<Bytes, Refusal> {
        if size == 0 {
            return Err(Refusal::Illegal);
        }
        if (body.len() as u64) < size || self.faults.strike(FaultKind::ShortBody) {
            return Err(Refusal::BrokenBody);
        }
        body.truncate(size as usize);
        Ok(body)
    }

    fn sums(&self, bits: u8, content: &[u8]) -> BTreeMap<String, String> {
        match self.faults.strike(FaultKind::WrongHash) {
            true => hashes::of(bits, b"something else"),
            false => hashes::of(bits, content),
        }
    }

    fn get(&self, call: &GetCall) -> Result<Reply, Refusal> {
        let (location, wanted) = (&call.location, call.read_size);
        let end = call.offset.checked_add(wanted);
        if !location.is_signed() || end.is_none_or(|end| end > location.size) {
            return Err(Refusal::Illegal);
        }
        if self.faults.strike(FaultKind::Break) {
            return Err(Refusal::Broken);
        }
        let parts = self.store.get(location, call.offset, wanted);
        let parts = match (bytes_in(&parts) == wanted, self.gone) {
            (true, _) => self.spoilt(call, parts),
            (false, Gone::Cut) => parts,
            (false, Gone::NotFound) => return Err(Refusal::NotFound),
        };
        Ok(reply::content(parts, call.offset, wanted, location.size))
    }

    /// What was asked for, after the faults.
    fn spoilt(&self, call: &GetCall, parts: Vec<Bytes>) -> Vec<Bytes> {
        let mut parts = self.with_another_faced(call, parts);
        if self.faults.strike(FaultKind::Corrupt)
            && let Some(part) = parts.first_mut().filter(|part| !part.is_empty())
        {
            let mut wrong = BytesMut::from(&part[..]);
            let middle = wrong.len() / 2;
            wrong[middle] ^= 1;
            *part = wrong.freeze();
        }
        if self.faults.strike(FaultKind::Truncate) {
            cut(&mut parts, call.read_size / 2);
        }
        parts
    }

    /// The content, or that of another blob, repeated as often as needed.
    fn with_another_faced(&self, call: &GetCall, parts: Vec<Bytes>) -> Vec<Bytes> {
        let other = if self.faults.strike(FaultKind::Swap) {
            self.store.another(&call.location)
        } else if self.faults.strike(FaultKind::Stale) {
            self.store.last_gone()
        } else {
            None
        };
        let Some(other) = other.filter(|other| !other.is_empty()) else {
            return parts;
        };
        let length = other.len() as u64;
        let skipped = (call.offset % length) as usize;
        let times = call.read_size.div_ceil(length);
        let repeated = (0..times).map(|_| other.clone());
        let mut parts: Vec<_> = std::iter::once(other.slice(skipped..))
            .chain(repeated)
            .collect();
        cut(&mut parts, call.read_size);
        parts
    }

    fn delete(&self, call: DeleteCall) -> Result<Reply, Refusal> {
        let count = call.locations.len();
        if count == 0 || count > MOST_LOCATIONS || !call.locations.iter().all(Location::is_signed) {
            return Err(Refusal::Illegal);
        }
        let clusters: BTreeSet<u32> = call.locations.iter().map(|one| one.cluster_id).collect();
        // Those of one cluster become one message, and fail together.
        let mut faulty = clusters;
        faulty.retain(|_| self.faults.strike(FaultKind::KeepSome));
        let (failed, done): (Vec<_>, Vec<_>) = call
            .locations
            .into_iter()
            .partition(|location| faulty.contains(&location.cluster_id));
        for location in &done {
            if !self.faults.strike(FaultKind::NeverGone) {
                self.store.delete(location);
            }
        }
        if failed.is_empty() {
            return Ok(reply::json(StatusCode::OK, &serde_json::json!({})));
        }
        let status = StatusCode::from_u16(reply::SOME_DELETED).unwrap_or(StatusCode::IM_USED);
        let document = serde_json::json!({ "failed_locations": failed });
        Ok(reply::json(status, &document))
    }

    fn allocate(&self, call: &AllocateCall) -> Result<Reply, Refusal> {
        let piece = match call.blob_size {
            0 => PIECE,
            asked if asked <= LARGEST_PIECE => asked,
            _ => return Err(Refusal::Illegal),
        };
        if call.size > LARGEST_BLOB {
            return Err(Refusal::TooLarge);
        }
        if call.size == 0 || call.size.div_ceil(piece.into()) > MOST_PIECES {
            return Err(Refusal::Illegal);
        }
        let (location, tokens) = self.store.reserve(call.size, piece);
        let document = serde_json::json!({ "location": location, "tokens": tokens });
        Ok(reply::json(StatusCode::OK, &document))
    }
}

fn bytes_in(parts: &[Bytes]) -> u64 {
    parts.iter().map(|part| part.len() as u64).sum()
}

/// Leaves so many bytes, the first ones.
fn cut(parts: &mut Vec<Bytes>, bytes: u64) {
    let mut left = bytes;
    parts.retain_mut(|part| {
        part.truncate(left.min(part.len() as u64) as usize);
        left -= part.len() as u64;
        !part.is_empty()
    });
}

/// Signs a location that is made of parts of others.
fn sign(call: SignCall) -> Result<Reply, Refusal> {
    let of_others: HashMap<u64, u64> = call.locations.iter().flat_map(Location::pieces).collect();
    let signed = call.locations.iter().all(Location::is_signed);
    let alike = |other: &Location| {
        let of =
            |location: &Location| (location.cluster_id, location.code_mode, location.blob_size);
        of(other) == of(&call.location)
    };
    let signed = signed && call.locations.iter().all(alike);
    let known = call
        .location
        .pieces()
        .all(|(number, _)| of_others.contains_key(&number));
    if !signed || !known || of_others.is_empty() {
        return Err(Refusal::Illegal);
    }
    let location = call.location.signed();
    let document = serde_json::json!({ "location": location });
    Ok(reply::json(StatusCode::OK, &document))
}

fn read<T: DeserializeOwned>(document: &[u8]) -> Result<T, Refusal> {
    if document.is_empty() {
        return Err(Refusal::Unread("EOF".to_owned()));
    }
    serde_json::from_slice(document).map_err(|error| Refusal::Unread(error.to_string()))
}

async fn whole(mut body: Incoming) -> Result<Bytes, hyper::Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes.freeze())
}
