//! Recognizes that a server refuses every request on a connection.

use std::time::Duration;

use tenbin_plan::{Sentence, sentence};
use tokio::time::{Instant, timeout_at};

use super::ResponseHead;
use super::stream::Stream;

/// Longest body of an error response that is read, bytes.
const REFUSAL_LIMIT: usize = 4 * 1024;
/// Longest wait for the body of an error response.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Why a server refuses every request on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// Plain HTTP was sent to a TLS port.
    WantsTls,
    /// The client sent no certificate.
    WantsCertificate,
}

impl ConnectionRefusal {
    /// Recognizes the wording of nginx, Apache and Go, regardless of hyphens and upper case.
    fn named_in(body: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(body).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|words| text.contains(words));
        if says(&[
            "plain http request was sent to https port",
            "speaking plain http to an ssl-enabled server port",
            "sent an http request to an https server",
        ]) {
            Some(Self::WantsTls)
        } else if says(&["no required ssl certificate was sent"]) {
            Some(Self::WantsCertificate)
        } else {
            None
        }
    }

    /// What the server does, after its address.
    pub(super) fn sentence(self) -> Sentence {
        match self {
            Self::WantsTls => sentence!("wants-tls", "speaks TLS; write https:// in its url"),
            Self::WantsCertificate => {
                sentence!(
                    "wants-client-certificate",
                    "requires a client certificate; set one with --cert FILE and --key FILE"
                )
            }
        }
    }
}

/// Reads the body of a 400 response to find the reason. An unreadable body is no error, because the
/// server has responded.
pub(super) async fn refusal(
    response: &ResponseHead,
    mut body: Vec<u8>,
    stream: &mut Stream<'_>,
) -> Option<ConnectionRefusal> {
    if response.status != Some(400) {
        return None;
    }
    let deadline = stream.deadline.min(Instant::now() + REFUSAL_TIMEOUT);
    let search = async {
        loop {
            let refusal = ConnectionRefusal::named_in(&body);
            if refusal.is_some() || body.len() > REFUSAL_LIMIT {
                return refusal;
            }
            match stream.read(&mut body).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    };
    timeout_at(deadline, search).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_recognized_by_their_wording() {
        for (body, refusal) in [
            (
                "<center>The plain HTTP request was sent to HTTPS port</center>",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "You're speaking plain HTTP to an SSL-enabled server port.<br />",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "Client sent an HTTP request to an HTTPS server.\n",
                Some(ConnectionRefusal::WantsTls),
            ),
            (
                "<center>No required SSL certificate was sent</center>",
                Some(ConnectionRefusal::WantsCertificate),
            ),
            ("<h1>400 Bad Request</h1>", None),
        ] {
            assert_eq!(
                ConnectionRefusal::named_in(body.as_bytes()),
                refusal,
                "{body}"
            );
        }
    }
}
