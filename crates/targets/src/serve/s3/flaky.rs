//! Handles requests before `s3s` parses them: delays them, closes connections as an injected fault, and
//! refuses signatures that do not meet S3's requirements.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::service::Service;
use hyper::{Method, Request};
use s3s::service::S3Service;
use s3s::{HttpResponse, StdError};
use tokio::time::sleep;

use super::faults::{FaultKind, Faults};
use super::signature;

/// The S3 service with a delay, injected connection faults and additional signature checks.
#[derive(Clone)]
pub(super) struct Flaky {
    service: S3Service,
    faults: Arc<Faults>,
    delay: Duration,
}

impl Flaky {
    pub(super) fn new(service: S3Service, faults: Arc<Faults>, delay: Duration) -> Self {
        Self {
            service,
            faults,
            delay,
        }
    }
}

impl Service<Request<Incoming>> for Flaky {
    type Response = HttpResponse;
    type Error = StdError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let path = request.uri().path().trim_matches('/');
        let stores = request.method() == Method::PUT && path.contains('/');
        if stores && self.faults.applies(FaultKind::Reset) {
            return Box::pin(async { Err("connection closed by an injected fault".into()) });
        }
        let signed = signature::check(request.method(), request.uri(), request.headers());
        if let Err(refused) = signed {
            return Box::pin(async { refused.to_http_response().map_err(StdError::from) });
        }
        let response = Service::call(&self.service, request);
        let delay = self.delay;
        Box::pin(async move {
            if !delay.is_zero() {
                sleep(delay).await;
            }
            response.await.map_err(StdError::from)
        })
    }
}
