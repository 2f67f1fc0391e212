//! The API calls of CubeFS's access layer.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, SERVER};
use hyper::http::request::Parts;
use hyper::service::Service;
use hyper::{Request, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use tenbin_plan::Secret;

use super::faults::{FaultKind, Faults};
use super::location::Location;
use super::location::Place;
use super::query::Query;
use super::reply::{self, Refusal, Reply};
use super::sign::sign;
use super::store::{CLUSTER, LARGEST_PIECE, PIECE, Reservation, Store};
use super::ticket::Ticket;
use super::trace::Trace;
use super::turns::Turns;
use super::{Gone, framing, hashes, token};

/// Largest blob, bytes.
const LARGEST_BLOB: u64 = 5 << 30;

/// Maximum number of pieces of one blob.
const MOST_PIECES: u64 = 1 << 20;

/// Largest JSON document, bytes: enough for several thousand locations.
const LARGEST_DOCUMENT: u64 = 4 << 20;

/// Maximum number of locations in one deletion.
const MOST_LOCATIONS: usize = 1024;

/// Calls for clients; the other calls are for administration.
const CALLS: [&str; 7] = [
    "/put", "/putat", "/get", "/delete", "/deleteblob", "/alloc", "/sign",
];

/// The service that handles the requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct Access {
    pub(super) store: Arc<Store>,
    pub(super) faults: Arc<Faults>,
    pub(super) secret: Option<Secret>,
    pub(super) gone: Gone,
    pub(super) gone_delay: Duration,
    pub(super) turns: Arc<Turns>,
}

impl Service<Request<Incoming>> for Access {
    type Response = Reply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let access = self.clone();
        Box::pin(async move {
            let started = Instant::now();
            let trace = Trace::of(request.uri().path());
            let mut reply = access.respond(request).await;
            let headers = reply.headers_mut();
            headers.insert(SERVER, HeaderValue::from_static("tenbin"));
            for line in trace.lines(started.elapsed().as_millis()) {
                if let Ok(line) = HeaderValue::from_str(&line) {
                    headers.append("trace-log", line);
                }
            }
            Ok(reply)
        })
    }
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

#[derive(Serialize)]
struct Stored {
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    hashsum: BTreeMap<String, String>,
}

impl Access {
    async fn respond(&self, request: Request<Incoming>) -> Reply {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let query = head.uri.query().unwrap_or_default().to_owned();
        let takes_content = matches!(path.as_str(), "/put" | "/putat");
        let framed = head.headers.contains_key(framing::ENCODED);
        let most = most_used(&path, &Query::of(&query), framed);
        // Reserved before the body is read, because reading takes memory.
        let room = takes_content
            .then(|| self.store.reserve_memory(most))
            .transpose();
        let most = if room.is_ok() { most } else { 0 };
        let Ok(body) = read_whole(body, most).await else {
            return Refusal::BrokenBody.reply();
        };
        let _turn = self.turns.begin().await;
        let is_open = matches!(path.as_str(), "/access/status" | "/metrics");
        if let Some(secret) = self.secret.as_ref().filter(|_| !is_open) {
            let given = head.headers.get(token::HEADER).map(HeaderValue::as_bytes);
            let fits = |given| token::is_valid(given, &path, &query, secret.reveal());
            if !given.is_some_and(fits) {
                return Refusal::Forbidden.reply();
            }
        }
        if CALLS.contains(&path.as_str())
            && let Some(refusal) = self.general_fault()
        {
            return refusal.reply();
        }
        let Ok(room) = room else {
            return Refusal::Full.reply();
        };
        if framed && !self.faults.applies(FaultKind::Unframed) {
            let broken = self.faults.applies(FaultKind::BadBlock);
            let content = framing::content(&body).filter(|_| !broken);
            let mut reply = match content {
                Some(content) => self.route(&head, &path, &query, content, room),
                None => Refusal::BrokenBody.reply(),
            };
            let acknowledged = HeaderValue::from_static("1");
            reply
                .headers_mut()
                .insert(framing::ACKNOWLEDGED, acknowledged);
            return reply;
        }
        self.route(&head, &path, &query, body, room)
    }

    /// Dispatches a request. `room`: reserved memory, for calls that write content.
    fn route(
        &self,
        head: &Parts,
        path: &str,
        query: &str,
        body: Bytes,
        room: Option<Reservation>,
    ) -> Reply {
        let is_json = head
            .headers
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        let method = head.method.as_str();
        // With another content type, the access layer ignores the body.
        let document = is_json.then_some(&body[..]);
        let served = match (method, path, room) {
            ("PUT" | "POST", "/put", Some(room)) => self.put(&Query::of(query), body, &room),
            ("PUT" | "POST", "/putat", Some(room)) => self.put_at(&Query::of(query), body, room),
            ("DELETE", "/deleteblob", _) => self.delete_piece(&Query::of(query)),
            ("POST", "/get", _) => read(document).and_then(|call| self.get(&call)),
            ("POST", "/delete", _) => read(document).and_then(|call| self.delete(call)),
            ("POST", "/alloc", _) => read(document).and_then(|call| self.allocate(&call)),
            ("POST", "/sign", _) => read(document).and_then(sign),
            ("GET", "/access/status", _) => Ok(reply::json(StatusCode::OK, &status())),
            ("GET", "/metrics", _) => {
                let pieces = self.store.pieces();
                Ok(reply::text(format!("tenbin_blob_pieces {pieces}\n")))
            }
            _ => Ok(reply::status_only(StatusCode::NOT_FOUND)),
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
        all.find_map(|(kind, refusal)| self.faults.applies(kind).then_some(refusal))
    }

    fn put(&self, query: &Query<'_>, body: Bytes, room: &Reservation) -> Result<Reply, Refusal> {
        let bits = query.number("hashes")?;
        if query.text("size").is_none() {
            let why = "args(PutArgs) field(Size) do not omit";
            return Err(Refusal::Unread(why.to_owned()));
        }
        let size: i64 = query.number("size")?;
        let size = u64::try_from(size).map_err(|_| Refusal::Illegal)?;
        if size > LARGEST_BLOB {
            return Err(Refusal::TooLarge);
        }
        let content = self.taken_in(size, body)?;
        let hashsum = self.sums(bits, &content);
        let location = Some(self.store.put(content, room));
        Ok(reply::json(StatusCode::OK, &Stored { location, hashsum }))
    }

    fn put_at(&self, query: &Query<'_>, body: Bytes, room: Reservation) -> Result<Reply, Refusal> {
        let bits = query.number("hashes")?;
        let place = Place::of(query)?;
        if !Ticket::allows(&place) {
            return Err(Refusal::Illegal);
        }
        let content = self.taken_in(place.size, body)?;
        let hashsum = self.sums(bits, &content);
        self.store.put_at(&place, content, room);
        let location = None;
        Ok(reply::json(StatusCode::OK, &Stored { location, hashsum }))
    }

    fn delete_piece(&self, query: &Query<'_>) -> Result<Reply, Refusal> {
        if self.store.delete_piece(&Place::of(query)?) {
            Ok(reply::status_only(StatusCode::OK))
        } else {
            Err(Refusal::Illegal)
        }
    }

    /// The first `size` bytes of the body, where `size` comes from the query; the rest is discarded
    /// silently.
    fn taken_in(&self, size: u64, mut body: Bytes) -> Result<Bytes, Refusal> {
        if size == 0 {
            return Err(Refusal::Illegal);
        }
        if (body.len() as u64) < size || self.faults.applies(FaultKind::ShortBody) {
            return Err(Refusal::BrokenBody);
        }
        body.truncate(size as usize);
        Ok(body)
    }

    fn sums(&self, bits: u8, content: &[u8]) -> BTreeMap<String, String> {
        if self.faults.applies(FaultKind::WrongHash) {
            hashes::of(bits, b"something else")
        } else {
            hashes::of(bits, content)
        }
    }

    fn delete(&self, call: DeleteCall) -> Result<Reply, Refusal> {
        let count = call.locations.len();
        if count == 0 || count > MOST_LOCATIONS || !call.locations.iter().all(Location::is_signed) {
            return Err(Refusal::Illegal);
        }
        let clusters: BTreeSet<u32> = call.locations.iter().map(|one| one.cluster_id).collect();
        // The deletions in one cluster become one message, so they fail together.
        let mut faulty = clusters;
        faulty.retain(|_| self.faults.applies(FaultKind::KeepSome));
        let (failed, done): (Vec<_>, Vec<_>) = call
            .locations
            .into_iter()
            .partition(|location| faulty.contains(&location.cluster_id));
        for location in &done {
            if !self.faults.applies(FaultKind::NeverGone) {
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

/// Reads a JSON document; `None` for a request with another content type.
fn read<T: DeserializeOwned>(document: Option<&[u8]>) -> Result<T, Refusal> {
    let document = document.ok_or_else(|| Refusal::Unread("EOF".to_owned()))?;
    let unread = |error: serde_json::Error| match error.classify() {
        Category::Eof => "unexpected end of JSON input".to_owned(),
        Category::Io | Category::Syntax | Category::Data => error.to_string(),
    };
    serde_json::from_slice(document).map_err(|error| Refusal::Unread(unread(error)))
}

/// Maximum number of bytes of a body that are used; the rest is discarded silently.
fn most_used(path: &str, query: &Query<'_>, framed: bool) -> u64 {
    let largest = match path {
        "/put" => LARGEST_BLOB,
        "/putat" => LARGEST_PIECE.into(),
        _ => return LARGEST_DOCUMENT,
    };
    let size = query.number("size").unwrap_or(0);
    match (size <= largest, framed) {
        (false, _) => 0,
        (true, false) => size,
        (true, true) => framing::length(size),
    }
}

/// Reads a body completely, because hyper closes the connection if bytes are left unread. Returns
/// the first `most` bytes.
async fn read_whole(mut body: Incoming, most: u64) -> Result<Bytes, hyper::Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            let room = most - bytes.len() as u64;
            let used = room.min(data.len() as u64) as usize;
            bytes.extend_from_slice(&data[..used]);
        }
    }
    Ok(bytes.freeze())
}

fn status() -> serde_json::Value {
    serde_json::json!({
        "limit": {},
        "pool": {},
        "config": {},
        "clusters": [{ "cluster_id": CLUSTER }],
        "services": {},
    })
}
