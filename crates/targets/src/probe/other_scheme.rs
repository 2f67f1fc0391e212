//! Finds out that a silent server speaks TLS although its URL begins with `http`, or the reverse.

use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use tenbin_plan::{HttpVersion, Sentence, Tls, sentence};
use url::Url;

use super::{Endpoint, ProbeError, ResponseHead, get, stream};
use crate::tls;

/// Silence after which the other scheme is tried. Most servers respond sooner.
const SILENCE: Duration = Duration::from_secs(1);
/// Time limit of the attempt with the other scheme.
const ATTEMPT: Duration = Duration::from_secs(1);

/// What a server speaks instead of what its URL says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherScheme {
    /// TLS, although the URL begins with `http`.
    Tls,
    /// HTTP without TLS, although the URL begins with `https`.
    Plain,
}

impl OtherScheme {
    /// What the server speaks, after its address.
    pub(super) fn sentence(self) -> Sentence {
        match self {
            Self::Tls => sentence!("wants-tls", "speaks TLS; write https:// in its url"),
            Self::Plain => sentence!("wants-no-tls", "does not speak TLS; use http:// in its url"),
        }
    }
}

/// As [`get`], but a server that stays silent for a second, or closes the connection, is tried with the
/// other scheme: if it speaks that, the error says so at once.
///
/// # Errors
/// When no complete response head is received.
pub fn get_or_name_scheme(
    url: &Url,
    endpoint: &Endpoint,
    limit: Duration,
    abandon: &dyn Fn() -> bool,
) -> Result<ResponseHead, ProbeError> {
    let soon = limit.min(SILENCE);
    let error = match get(url, endpoint, soon, abandon) {
        Err(error) if is_no_word(&error) => error,
        done => return done,
    };
    if !matches!(error, ProbeError::ConnectTimeout { .. })
        && let Some(other) = other_scheme(url, endpoint)
    {
        return Err(ProbeError::OtherScheme {
            address: endpoint.address.clone(),
            other,
        });
    }
    let may_be_late = matches!(
        error,
        ProbeError::Silent { .. } | ProbeError::ConnectTimeout { .. }
    );
    if may_be_late && soon < limit {
        get(url, endpoint, limit, abandon)
    } else {
        Err(error)
    }
}

/// Whether the server said nothing that tells what it speaks.
fn is_no_word(error: &ProbeError) -> bool {
    matches!(
        error,
        ProbeError::Silent { .. }
            | ProbeError::Closed { .. }
            | ProbeError::Broken { .. }
            | ProbeError::Tls { .. }
            | ProbeError::ConnectTimeout { .. }
    )
}

fn other_scheme(url: &Url, endpoint: &Endpoint) -> Option<OtherScheme> {
    if endpoint.tls.is_some() {
        let plain = Endpoint {
            tls: None,
            http: HttpVersion::Http1,
            ..endpoint.clone()
        };
        let response = get(url, &plain, ATTEMPT, &|| false).ok()?;
        return response.refusal.is_none().then_some(OtherScheme::Plain);
    }
    let unchecked = Tls {
        insecure: true,
        ..Tls::default()
    };
    let config = tls::client_config(&unchecked, endpoint.http).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
    let secured = Endpoint {
        tls: Some((Arc::new(config), ServerName::try_from(host).ok()?)),
        ..endpoint.clone()
    };
    let shaken = stream::run(&secured, ATTEMPT, &|| false, async |_| Ok(()));
    shaken.ok().map(|()| OtherScheme::Tls)
}
