//! Code shared by the built-in servers: threads, listening socket, connections and shutdown.

use std::error::Error;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::ServeError;

/// Default number of worker threads of a built-in server.
pub const DEFAULT_WORKERS: usize = 2;

/// Longest wait for active requests to finish at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause after a failed accept, which is usually caused by too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Alias for the trait bounds of the built-in servers' hyper services.
pub(super) trait Serve<B>:
    Service<
        Request<Incoming>,
        Response = Response<B>,
        Error: Into<Box<dyn Error + Send + Sync>>,
        Future: Send,
    > + Clone
    + Send
    + 'static
{
}

impl<B, S> Serve<B> for S where
    S: Service<
            Request<Incoming>,
            Response = Response<B>,
            Error: Into<Box<dyn Error + Send + Sync>>,
            Future: Send,
        > + Clone
        + Send
        + 'static
{
}

/// Serves requests until SIGTERM or SIGINT.
pub(super) fn run<B>(
    listen: SocketAddr,
    workers: usize,
    service: impl Serve<B>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers.max(1))
        .enable_io()
        .enable_time()
        .build()
        .map_err(ServeError::Runtime)?;
    let result = runtime.block_on(async {
        let stop = stop_signal().map_err(ServeError::Runtime)?;
        let unusable = |source| ServeError::Listen {
            address: listen,
            source,
        };
        let listener = TcpListener::bind(listen).await.map_err(unusable)?;
        ready(listener.local_addr().map_err(unusable)?);
        serve_until(listener, service, stop).await;
        Ok(())
    });
    // Blocking work can hang in the kernel (a dead disk), but the process must end anyway.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    result
}

/// Completes on SIGTERM or SIGINT.
pub(crate) fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

async fn serve_until<B>(
    listener: TcpListener,
    service: impl Serve<B>,
    stop: impl Future<Output = ()>,
) where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let (closing, closing_seen) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, service.clone(), closing_seen.clone()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    drop(listener);
    let _ = closing.send(true);
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

async fn connection<B>(
    stream: TcpStream,
    service: impl Serve<B>,
    mut closing: watch::Receiver<bool>,
) where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    // With Nagle's algorithm, a response in two writes would wait for the peer's delayed ACK.
    let _ = stream.set_nodelay(true);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = closing.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
