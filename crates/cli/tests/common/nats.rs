//! Clients of a hub with the keys of its roles.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event};

const SOON: Duration = Duration::from_secs(30);

/// The private key in a file of credentials.
pub(crate) fn seed_in(creds: &Path) -> String {
    let text = std::fs::read_to_string(creds).expect("credentials");
    let seed = text.lines().nth(1).expect("a seed").to_owned();
    assert!(seed.starts_with("SU") && seed.len() == 58);
    seed
}

/// Options that trust the authority in a file of credentials, without a key.
pub(crate) fn without_key(creds: &Path, inbox: &str) -> ConnectOptions {
    ConnectOptions::new()
        .add_root_certificates(creds.to_owned())
        .custom_inbox_prefix(inbox)
        .request_timeout(Some(SOON))
        .connection_timeout(SOON)
}

/// A client with the key in a file of credentials, and the errors that the server reports to it.
pub(crate) async fn client(url: &str, creds: &Path, inbox: &str) -> (Client, Receiver<String>) {
    let (sender, errors) = mpsc::channel();
    let options = without_key(creds, inbox)
        .nkey(seed_in(creds))
        .event_callback(move |event| {
            if let Event::ServerError(error) = event {
                let _ = sender.send(error.to_string());
            }
            async {}
        });
    let client = options.connect(url).await.expect("a connection");
    (client, errors)
}

/// Runs asynchronous work to its end on this thread.
pub(crate) fn in_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(work)
}
