//! The form of a browser upload, with a signed policy (AWS: "Browser-based uploads using POST") and
//! MinIO's list of objects to create from the form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::s3::signing::sigv4::Signer;
use crate::s3::signing::timestamp::Timestamp;

/// Separator of the form's fields. Keys and content do not contain the separator: content is
/// random, and the separator has 40 characters.
pub(crate) const BOUNDARY: &str = "----------tenbin-fan-out-4f8a1c93d2e7b605";

/// Validity of a policy, seconds.
pub(crate) const VALID: u64 = 24 * 60 * 60;

/// Contents of a form.
pub(crate) struct Form<'a> {
    pub(crate) bucket: &'a str,
    /// The key of the form itself; no object with this key is created.
    pub(crate) key: &'a str,
    /// Keys of the objects to create.
    pub(crate) keys: &'a [String],
    pub(crate) content: &'a [u8],
    /// Session token of temporary keys.
    pub(crate) token: Option<&'a str>,
}

impl Form<'_> {
    /// The body of the request. With a signer, signs the policy and sets the time of the signer.
    pub(crate) fn body(&self, signer: Option<&mut Signer>, unix_seconds: u64) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.content.len() + 128 * self.keys.len() + 2048);
        for (name, value) in self.fields(signer, unix_seconds) {
            push_field(&mut body, name, &value);
        }
        push_field(&mut body, "x-minio-fanout-list", &self.list());
        push_start(&mut body, "file\"; filename=\"content");
        body.extend_from_slice(b"Content-Type: application/octet-stream\r\n\r\n");
        body.extend_from_slice(self.content);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        body
    }

    fn fields(&self, signer: Option<&mut Signer>, now: u64) -> Vec<(&'static str, String)> {
        let key = ("key", self.key.to_owned());
        let bucket = ("bucket", self.bucket.to_owned());
        let Some(signer) = signer else {
            return vec![bucket, key];
        };
        let date = String::from_utf8_lossy(&signer.at(now)).into_owned();
        let credential = signer.credential();
        let mut conditions = vec![
            json!(["eq", "$bucket", self.bucket]),
            json!(["eq", "$key", self.key]),
            json!(["eq", "$x-amz-date", date]),
            json!(["eq", "$x-amz-algorithm", "AWS4-HMAC-SHA256"]),
            json!(["eq", "$x-amz-credential", credential]),
        ];
        let token = self
            .token
            .map(|token| ("x-amz-security-token", token.to_owned()));
        conditions.extend(
            token
                .iter()
                .map(|(name, token)| json!(["eq", format!("${name}"), token])),
        );
        let policy = json!({
            "expiration": Timestamp::new(now + VALID).extended(),
            "conditions": conditions,
        });
        let policy = STANDARD.encode(policy.to_string());
        let signature = signer.sign_text(policy.as_bytes());
        let mut fields = vec![
            bucket,
            key,
            ("x-amz-algorithm", "AWS4-HMAC-SHA256".to_owned()),
            ("x-amz-credential", credential),
            ("x-amz-date", date),
        ];
        fields.extend(token);
        fields.extend([
            ("policy", policy),
            (
                "x-amz-signature",
                String::from_utf8_lossy(&signature).into_owned(),
            ),
        ]);
        fields
    }

    /// The keys as one JSON object per line.
    fn list(&self) -> String {
        let entries = self.keys.iter();
        entries
            .map(|key| format!("{}\n", json!({ "key": key })))
            .collect()
    }
}

fn push_start(out: &mut Vec<u8>, name: &str) {
    let start = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n");
    out.extend_from_slice(start.as_bytes());
}

fn push_field(out: &mut Vec<u8>, name: &str, value: &str) {
    push_start(out, name);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Whether a response, with one JSON object per created object, names all objects and no error.
pub(crate) fn all_made(response: &[u8], expected: usize) -> bool {
    let entries = serde_json::Deserializer::from_slice(response).into_iter::<serde_json::Value>();
    let mut made = 0;
    for entry in entries {
        let right = entry.is_ok_and(|entry| {
            entry["key"].is_string() && entry["error"].as_str().unwrap_or_default().is_empty()
        });
        if !right {
            return false;
        }
        made += 1;
    }
    made == expected
}

#[cfg(test)]
mod tests {
    use tenbin_plan::Credentials;

    use super::*;

    /// The example of the Amazon S3 API reference, "Examples: browser-based upload
    /// using HTTP POST (using AWS signature version 4)".
    #[test]
    fn a_policy_is_signed_as_published() {
        let credentials = Credentials::literal(
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        );
        let mut signer = Signer::new(&credentials, "us-east-1", "s3");
        // 2015-12-29.
        signer.at(1_451_347_200);
        assert_eq!(
            signer.credential(),
            "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"
        );
        let policy = "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";
        assert_eq!(
            String::from_utf8_lossy(&signer.sign_text(policy.as_bytes())),
            "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e"
        );
    }

    #[test]
    fn a_form_has_its_fields_in_order_and_its_file_last() {
        let keys = ["a/1".to_owned(), "a/2".to_owned()];
        let form = Form {
            bucket: "box",
            key: "a/form",
            keys: &keys,
            content: b"content",
            token: None,
        };
        let credentials = Credentials::literal("AK", "secret");
        let mut signer = Signer::new(&credentials, "us-east-1", "s3");
        let body = form.body(Some(&mut signer), 1_440_938_160);
        let text = String::from_utf8(body).unwrap();
        let names: Vec<&str> = text
            .split("; name=\"")
            .skip(1)
            .filter_map(|part| part.split('"').next())
            .collect();
        assert_eq!(
            names,
            [
                "bucket", "key", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "policy",
                "x-amz-signature", "x-minio-fanout-list", "file"
            ]
        );
        assert!(text.contains("\r\n\r\n{\"key\":\"a/1\"}\n{\"key\":\"a/2\"}\n\r\n--"));
        assert!(text.ends_with(&format!("\r\n\r\ncontent\r\n--{BOUNDARY}--\r\n")));
        assert!(!text.contains("secret"));
        let temporary = Form {
            token: Some("session"),
            ..form
        };
        let body = temporary.body(Some(&mut signer), 1_440_938_160);
        let text = String::from_utf8(body).unwrap();
        let field = "name=\"x-amz-security-token\"\r\n\r\nsession\r\n";
        assert!(text.contains(field), "{text}");
        let form = Form {
            token: None,
            ..temporary
        };
        assert!(
            !String::from_utf8(form.body(None, 0))
                .unwrap()
                .contains("policy")
        );
    }

    #[test]
    fn a_response_must_name_every_object() {
        let response = b"{\"key\":\"a\",\"etag\":\"x\"}\n{\"key\":\"b\"}\n";
        assert!(all_made(response, 2));
        assert!(!all_made(response, 3) && !all_made(&response[..20], 1));
        assert!(!all_made(b"{\"key\":\"a\",\"error\":\"no room\"}", 1));
        assert!(!all_made(b"", 1));
    }
}
