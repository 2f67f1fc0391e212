//! The S3 operations, implemented on top of the store.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream;
use hyper::HeaderMap;
use hyper::header::{HeaderValue, RETRY_AFTER};
use s3s::dto::{
    Bucket, CopyObjectInput, CopyObjectOutput, CopyObjectResult, CopySource, CreateBucketInput,
    CreateBucketOutput, DeleteBucketInput, DeleteBucketOutput, DeleteObjectInput,
    DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput, DeletedObject, ETagCondition,
    GetBucketLocationInput, GetBucketLocationOutput, GetObjectInput, GetObjectOutput,
    HeadBucketInput, HeadBucketOutput, HeadObjectInput, HeadObjectOutput, ListBucketsInput,
    ListBucketsOutput, ListObjectsInput, ListObjectsOutput, ListObjectsV2Input,
    ListObjectsV2Output, Metadata, MetadataDirective, PutObjectInput, PutObjectOutput,
    Range as RangeHeader, StreamingBlob,
};
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};

use super::failure::on_disk_thread;
use super::faults::{FaultKind, Faults, Writer};
use super::listing::{After, Next, Query};
use super::object::{Content, Object, e_tag, signed};
use super::pages::{KeyEncoding, ListRequest, count, page_size};
use super::receive::receive;
use super::store::{Listing, Reader, Store, StoreError};

/// Number of bytes of a response body that are read in one step.
const STEP: u64 = 1024 * 1024;
/// The service called by `s3s`.
pub(super) struct Service {
    store: Arc<Store>,
    faults: Arc<Faults>,
}

impl Service {
    pub(super) fn new(store: Arc<Store>, faults: Arc<Faults>) -> Self {
        Self { store, faults }
    }

    /// Allows the current request to write, unless a fault refuses the request.
    async fn writer(&self) -> S3Result<Writer> {
        if self.faults.applies(FaultKind::SlowDown) {
            let mut refused = s3_error!(SlowDown, "reduce your request rate");
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            refused.set_headers(headers);
            return Err(refused);
        }
        let busy = || s3_error!(InternalError, "the store is busy with another request");
        self.faults.writer().await.ok_or_else(busy)
    }

    /// Runs an operation of the store: directly for a store in memory, on a blocking thread for a
    /// durable store.
    async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> S3Result<T> {
        match self.store.disk() {
            None => Ok(work(&self.store)?),
            Some(_) => on_disk_thread(&self.store, work).await,
        }
    }

    async fn list(&self, bucket: String, request: ListRequest) -> S3Result<(Listing, ListRequest)> {
        self.with_store(move |store| {
            let after = match (&request.token, &request.marker) {
                (Some(token), _) => After::from_token(token).unwrap_or_default(),
                (None, Some(marker)) => {
                    After::from_marker(marker, &request.prefix, request.delimiter.as_deref())
                }
                (None, None) => After::Nothing,
            };
            let query = Query {
                prefix: &request.prefix,
                delimiter: request.delimiter.as_deref(),
                after,
                limit: request.limit,
            };
            Ok((store.list(&bucket, &query)?, request))
        })
        .await
    }
}

/// Deletes an object, or only acknowledges the deletion if the fault applies.
fn delete(store: &Store, faults: &Faults, bucket: &str, key: &str) -> Result<(), StoreError> {
    if faults.applies(FaultKind::KeepDeleted) {
        store.has_bucket(bucket)
    } else {
        store.delete(bucket, key)
    }
}

#[async_trait::async_trait]
impl S3 for Service {
    async fn create_bucket(
        &self,
        request: S3Request<CreateBucketInput>,
    ) -> S3Result<S3Response<CreateBucketOutput>> {
        let bucket = request.input.bucket;
        let location = Some(format!("/{bucket}"));
        self.with_store(move |store| store.create_bucket(&bucket))
            .await?;
        Ok(S3Response::new(CreateBucketOutput { location }))
    }

    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        self.store.has_bucket(&request.input.bucket)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn get_bucket_location(
        &self,
        request: S3Request<GetBucketLocationInput>,
    ) -> S3Result<S3Response<GetBucketLocationOutput>> {
        self.store.has_bucket(&request.input.bucket)?;
        Ok(S3Response::new(GetBucketLocationOutput::default()))
    }

    async fn delete_bucket(
        &self,
        request: S3Request<DeleteBucketInput>,
    ) -> S3Result<S3Response<DeleteBucketOutput>> {
        let bucket = request.input.bucket;
        self.with_store(move |store| store.delete_bucket(&bucket))
            .await?;
        Ok(S3Response::new(DeleteBucketOutput::default()))
    }

    async fn list_buckets(
        &self,
        _request: S3Request<ListBucketsInput>,
    ) -> S3Result<S3Response<ListBucketsOutput>> {
        let buckets = self
            .store
            .buckets()
            .into_iter()
            .map(|(name, created)| Bucket {
                name: Some(name),
                creation_date: Some(created.into()),
                ..Bucket::default()
            })
            .collect();
        Ok(S3Response::new(ListBucketsOutput {
            buckets: Some(buckets),
            ..ListBucketsOutput::default()
        }))
    }

    async fn put_object(
        &self,
        request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        let input = request.input;
        // Checked before the content is received, so that the client does not send much in vain.
        self.store.has_bucket(&input.bucket)?;
        let received = receive(
            &self.store,
            input.body,
            input.content_length,
            input.content_md5.as_deref(),
        )
        .await?;
        let writer = self.writer().await?;
        let object = Object {
            size: received.size,
            md5: received.md5,
            modified: SystemTime::now(),
            content_type: input.content_type,
            metadata: input.metadata.unwrap_or_default().into_iter().collect(),
            content: Content::OnDisk,
            entry: None,
        };
        let e_tag = Some(e_tag(&object));
        let only_if_absent = matches!(input.if_none_match, Some(ETagCondition::Any));
        let (bucket, key) = (input.bucket, input.key);
        self.with_store(move |store| {
            store.put(&bucket, &key, received.upload, object, only_if_absent)
        })
        .await?;
        writer.commit().await;
        Ok(S3Response::new(PutObjectOutput {
            e_tag,
            ..PutObjectOutput::default()
        }))
    }

    async fn copy_object(
        &self,
        request: S3Request<CopyObjectInput>,
    ) -> S3Result<S3Response<CopyObjectOutput>> {
        let input = request.input;
        let CopySource::Bucket { bucket, key, .. } = input.copy_source else {
            return Err(s3_error!(
                NotImplemented,
                "only a bucket can be copied from"
            ));
        };
        let replace = input
            .metadata_directive
            .is_some_and(|directive| directive.as_str() == MetadataDirective::REPLACE);
        let new_metadata = replace.then_some((input.content_type, input.metadata));
        let (to_bucket, to_key) = (input.bucket, input.key);
        let writer = self.writer().await?;
        let copy = self
            .with_store(move |store| {
                let (source, reader) = store.get(&bucket, &key)?;
                let upload = store.duplicate(&source, &reader)?;
                let mut copy = (*source).clone();
                copy.modified = SystemTime::now();
                if let Some((content_type, metadata)) = new_metadata {
                    copy.content_type = content_type;
                    copy.metadata = metadata.unwrap_or_default().into_iter().collect();
                }
                store.put(&to_bucket, &to_key, upload, copy.clone(), false)?;
                Ok(copy)
            })
            .await?;
        writer.commit().await;
        Ok(S3Response::new(CopyObjectOutput {
            copy_object_result: Some(CopyObjectResult {
                e_tag: Some(e_tag(&copy)),
                last_modified: Some(copy.modified.into()),
                ..CopyObjectResult::default()
            }),
            ..CopyObjectOutput::default()
        }))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        let (bucket, key, range) = (input.bucket, input.key, input.range);
        let (object, reader, part, first) = self
            .with_store(move |store| {
                let (object, reader) = store.get(&bucket, &key)?;
                let part = selected(range, object.size);
                // Reading the first step here avoids another thread change for small objects.
                let first = match &part {
                    Ok((part, _)) => reader.read(part.start..part.end.min(part.start + STEP))?,
                    Err(_) => Bytes::new(),
                };
                Ok((object, reader, part, first))
            })
            .await?;
        let (part, content_range) = part?;
        let length = part.end - part.start;
        let body = if first.len() as u64 == length {
            StreamingBlob::from(s3s::Body::from(first))
        } else {
            StreamingBlob::wrap(in_steps(reader, first, part))
        };
        Ok(S3Response::new(GetObjectOutput {
            accept_ranges: Some("bytes".into()),
            body: Some(body),
            content_length: Some(signed(length)),
            content_range,
            content_type: object.content_type.clone(),
            e_tag: Some(e_tag(&object)),
            last_modified: Some(object.modified.into()),
            metadata: metadata(&object),
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = request.input;
        let object = self.store.head(&input.bucket, &input.key)?;
        let (part, content_range) = selected(input.range, object.size)?;
        Ok(S3Response::new(HeadObjectOutput {
            accept_ranges: Some("bytes".into()),
            content_length: Some(signed(part.end - part.start)),
            content_range,
            content_type: object.content_type.clone(),
            e_tag: Some(e_tag(&object)),
            last_modified: Some(object.modified.into()),
            metadata: metadata(&object),
            ..HeadObjectOutput::default()
        }))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = request.input;
        let faults = Arc::clone(&self.faults);
        self.with_store(move |store| delete(store, &faults, &input.bucket, &input.key))
            .await?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let input = request.input;
        let quiet = input.delete.quiet.unwrap_or(false);
        let faults = Arc::clone(&self.faults);
        let deleted = self
            .with_store(move |store| {
                store.has_bucket(&input.bucket)?;
                input
                    .delete
                    .objects
                    .into_iter()
                    .map(|object| {
                        delete(store, &faults, &input.bucket, &object.key)?;
                        Ok(DeletedObject {
                            key: Some(object.key),
                            ..DeletedObject::default()
                        })
                    })
                    .collect::<Result<Vec<_>, StoreError>>()
            })
            .await?;
        Ok(S3Response::new(DeleteObjectsOutput {
            deleted: (!quiet).then_some(deleted),
            ..DeleteObjectsOutput::default()
        }))
    }

    async fn list_objects(
        &self,
        request: S3Request<ListObjectsInput>,
    ) -> S3Result<S3Response<ListObjectsOutput>> {
        let input = request.input;
        let encoding = KeyEncoding::of(input.encoding_type);
        let (listing, asked) = self
            .list(
                input.bucket.clone(),
                ListRequest {
                    prefix: input.prefix.unwrap_or_default(),
                    delimiter: input.delimiter,
                    token: None,
                    marker: input.marker.clone(),
                    limit: page_size(input.max_keys)?,
                },
            )
            .await?;
        let next_marker = listing.next.as_ref().map(|next| match next {
            Next::AfterKey(text) | Next::AfterCommonPrefix(text) => encoding.encode(text),
        });
        Ok(S3Response::new(ListObjectsOutput {
            name: Some(input.bucket),
            is_truncated: Some(listing.next.is_some()),
            marker: Some(encoding.encode(&input.marker.unwrap_or_default())),
            next_marker,
            max_keys: Some(count(asked.limit)),
            contents: Some(encoding.objects(&listing)),
            common_prefixes: Some(encoding.common_prefixes(&listing)),
            prefix: Some(encoding.encode(&asked.prefix)),
            delimiter: asked.delimiter.map(|text| encoding.encode(&text)),
            encoding_type: encoding.0,
            ..ListObjectsOutput::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        let encoding = KeyEncoding::of(input.encoding_type);
        if let Some(token) = &input.continuation_token
            && After::from_token(token).is_none()
        {
            return Err(s3_error!(
                InvalidArgument,
                "the continuation token is invalid"
            ));
        }
        let (listing, asked) = self
            .list(
                input.bucket.clone(),
                ListRequest {
                    prefix: input.prefix.unwrap_or_default(),
                    delimiter: input.delimiter,
                    token: input.continuation_token.clone(),
                    marker: input.start_after.clone(),
                    limit: page_size(input.max_keys)?,
                },
            )
            .await?;
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            is_truncated: Some(listing.next.is_some()),
            continuation_token: input.continuation_token,
            next_continuation_token: listing.next.as_ref().map(Next::token),
            start_after: input.start_after.map(|text| encoding.encode(&text)),
            max_keys: Some(count(asked.limit)),
            key_count: Some(count(listing.objects.len() + listing.common_prefixes.len())),
            contents: Some(encoding.objects(&listing)),
            common_prefixes: Some(encoding.common_prefixes(&listing)),
            prefix: Some(encoding.encode(&asked.prefix)),
            delimiter: asked.delimiter.map(|text| encoding.encode(&text)),
            encoding_type: encoding.0,
            ..ListObjectsV2Output::default()
        }))
    }
}

fn metadata(object: &Object) -> Option<Metadata> {
    (!object.metadata.is_empty()).then(|| object.metadata.iter().cloned().collect())
}

/// The byte range that a `Range` header selects, and the `Content-Range` of the response.
fn selected(range: Option<RangeHeader>, size: u64) -> S3Result<(Range<u64>, Option<String>)> {
    match range {
        None => Ok((0..size, None)),
        Some(range) => {
            let part = range.check(size)?;
            if part.is_empty() {
                return Err(s3_error!(InvalidRange, "the range is outside the object"));
            }
            let header = format!("bytes {}-{}/{size}", part.start, part.end - 1);
            Ok((part, Some(header)))
        }
    }
}

/// Streams `first`, then the rest of `part` in steps; each step is read on a blocking thread.
fn in_steps(
    reader: Reader,
    first: Bytes,
    part: Range<u64>,
) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> + Send + Sync {
    let start = part.start;
    stream::unfold(Some((first, start)), move |state| {
        let reader = reader.clone();
        async move {
            let (mut bytes, at) = state?;
            if bytes.is_empty() {
                if at >= part.end {
                    return None;
                }
                let step = at..part.end.min(at + STEP);
                let read = tokio::task::spawn_blocking(move || reader.read(step)).await;
                match read.map_err(std::io::Error::other).flatten() {
                    Ok(read) => bytes = read,
                    Err(error) => return Some((Err(error), None)),
                }
            }
            let next = at + bytes.len() as u64;
            Some((Ok(bytes), Some((Bytes::new(), next))))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt;

    #[test]
    fn long_responses_are_read_in_steps() {
        let bytes: Vec<u8> = (0..3_456_789_u32).map(|n| (n % 251) as u8).collect();
        let reader = Reader::InMemory(bytes.clone().into());
        let part = 1_000..3_400_000;
        let first = reader.read(part.start..part.start + STEP).unwrap();
        let steps = in_steps(reader, first, part.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let steps: Vec<Bytes> = runtime.unwrap().block_on(steps.try_collect()).unwrap();
        assert_eq!(steps.len(), 4);
        assert!(steps.concat() == bytes[1_000..3_400_000]);
    }

    #[test]
    fn ranges_follow_http() {
        let select = |text: &str, size| selected(Some(RangeHeader::parse(text).unwrap()), size);
        let (part, header) = select("bytes=2-99", 10).unwrap();
        assert_eq!((part, header.as_deref()), (2..10, Some("bytes 2-9/10")));
        assert_eq!(select("bytes=-3", 10).unwrap().0, 7..10);
        assert!(select("bytes=10-", 10).is_err());
        assert!(select("bytes=-3", 0).is_err());
    }
}
