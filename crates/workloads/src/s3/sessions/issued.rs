//! The response to a request for temporary keys.

use tenbin_plan::{Credentials, KeySource, Secret, Sentence, SessionToken, sentence};

use crate::s3::messages::judging::{code, explain};
use crate::s3::messages::listing::text_of;
use crate::s3::signing::timestamp::parse_utc;
use crate::text::is_visible;

/// Longest explanation that is quoted from a response, characters.
const LONGEST_QUOTE: usize = 200;

/// Temporary keys.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The keys.
    pub keys: Credentials,
    /// When they expire, seconds since 1970-01-01 UTC by the clock of the server.
    pub expires: u64,
}

/// Reads the response to a request for temporary keys.
///
/// # Errors
/// Why there are no keys, in one clause. It contains no secret of the response; text of the server
/// is untrusted until escaped.
pub fn issued(status: u16, body: &[u8]) -> Result<Issued, Sentence> {
    if status != 200 {
        return Err(refusal(status, body));
    }
    let text = |name: &str| {
        let found = text_of(body, name).filter(|text| !text.is_empty() && is_visible(text));
        found.ok_or_else(|| sentence!("keys-without", "the response has no usable {name}", name))
    };
    let (access_key, secret_key) = (text("AccessKeyId")?, text("SecretAccessKey")?);
    let token = text("SessionToken")?;
    let expires = parse_utc(&text("Expiration")?).ok_or_else(|| {
        sentence!(
            "keys-expiration",
            "the Expiration in the response is not a time in UTC"
        )
    })?;
    let mut keys = Credentials::generated(access_key, secret_key);
    keys.session_token = Some(SessionToken {
        secret: Secret::new(token),
        source: KeySource::Generated,
    });
    Ok(Issued { keys, expires })
}

/// What a server says that issues no keys.
fn refusal(status: u16, body: &[u8]) -> Sentence {
    let Some(code) = code(body) else {
        return sentence!(
            "keys-without-code",
            "the server responded with {status} without an error code; does it issue keys there?",
            status
        );
    };
    let message = text_of(body, "Message").filter(|text| !text.is_empty());
    match (explain(&code), message) {
        (Some(meaning), _) => sentence!(
            "keys-refused-because",
            "{meaning} ({status} {code})",
            meaning = Sentence::fixed(meaning),
            status,
            code
        ),
        (None, Some(message)) => {
            let short: String = message.chars().take(LONGEST_QUOTE).collect();
            sentence!(
                "keys-refused-with",
                "the server responded with {status} {code}: {message}",
                status,
                code,
                message = short
            )
        }
        (None, None) => sentence!(
            "keys-refused",
            "the server responded with {status} {code}",
            status,
            code
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "<CreateSessionResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
        <Credentials><SessionToken>to/ken+=</SessionToken><SecretAccessKey>se/cret</SecretAccessKey>\
        <AccessKeyId>ASIA1</AccessKeyId><Expiration>2015-08-30T12:41:00Z</Expiration></Credentials>\
        </CreateSessionResult>";

    #[test]
    fn keys_are_read_whatever_their_order() {
        let issued = issued(200, SESSION.as_bytes()).unwrap();
        assert_eq!(issued.keys.access_key, "ASIA1");
        assert_eq!(issued.keys.secret_key.reveal(), "se/cret");
        let token = issued.keys.session_token.as_ref().unwrap();
        assert_eq!(token.secret.reveal(), "to/ken+=");
        assert_eq!(issued.expires, 1_440_938_460);
        assert!(!format!("{issued:?}").contains("se/cret"));
    }

    #[test]
    fn what_is_missing_is_named_without_the_keys() {
        for (cut, expected) in [
            ("SessionToken", "the response has no usable SessionToken"),
            ("Expiration", "the response has no usable Expiration"),
        ] {
            let text = SESSION.replace(cut, "Other");
            let error = issued(200, text.as_bytes()).unwrap_err();
            assert_eq!(error, expected);
        }
        let local = SESSION.replace("12:41:00Z", "12:41:00+09:00");
        let error = issued(200, local.as_bytes()).unwrap_err();
        assert!(error.text().contains("not a time in UTC"), "{error}");
        let split = SESSION.replace("ASIA1", "AS IA1");
        assert!(issued(200, split.as_bytes()).is_err());
        assert!(issued(200, b"<html>").is_err());
    }

    #[test]
    fn a_refusal_is_said_with_its_code() {
        let body = |code: &str| {
            format!(
                "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code>\
                 <Message>no such role</Message></Error></ErrorResponse>"
            )
        };
        let said = |status, code: &str| issued(status, body(code).as_bytes()).unwrap_err();
        assert_eq!(
            said(400, "InvalidParameterValue"),
            "the server responded with 400 InvalidParameterValue: no such role"
        );
        let denied = said(403, "AccessDenied");
        assert!(denied.text().ends_with("(403 AccessDenied)"), "{denied}");
        let other = issued(404, b"not found").unwrap_err();
        assert!(other.text().contains("404 without"), "{other}");
    }
}
