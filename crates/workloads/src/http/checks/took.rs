//! The time of a request that a search server states in the body of its response.

use memchr::memmem;

use super::known::{GROONGA_HEAD, KnownErrors, number};

impl KnownErrors {
    /// The time that a response states for its whole request, nanoseconds: `took` of OpenSearch, in
    /// milliseconds, or the elapsed time of Groonga, in seconds.
    pub(super) fn server_time(self, body: &[u8]) -> Option<u64> {
        let body = body.trim_ascii_start();
        match self {
            Self::Search | Self::MultiSearch | Self::Bulk => {
                let rest = body.strip_prefix(b"{")?.trim_ascii_start();
                let rest = rest.strip_prefix(b"\"took\"")?.trim_ascii_start();
                let millis = number(rest.strip_prefix(b":")?.trim_ascii_start())?;
                u64::try_from(millis).ok()?.checked_mul(1_000_000)
            }
            Self::Groonga => {
                let head = &body[..body.len().min(GROONGA_HEAD)];
                let text = match head.strip_prefix(b"[") {
                    // `[[code, start, elapsed], …`.
                    Some(_) => head.splitn(4, |&byte| byte == b',').nth(2)?,
                    None => {
                        const NAME: &[u8] = b"\"elapsed_time\"";
                        let at = memmem::find(head, NAME)?;
                        let value = head[at + NAME.len()..].trim_ascii_start();
                        value.strip_prefix(b":")?
                    }
                };
                let end = text.iter().position(|byte| b",]}".contains(byte))?;
                let text = std::str::from_utf8(text[..end].trim_ascii()).ok()?;
                let nanos = text.parse::<f64>().ok()? * 1e9;
                (nanos >= 0.0 && nanos < u64::MAX as f64).then_some(nanos as u64)
            }
            Self::MultiGet | Self::GraphQl => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::known::KnownErrors::{GraphQl, Groonga, MultiSearch, Search};

    #[test]
    fn the_time_of_the_whole_request_is_read() {
        for (known, body, nanos) in [
            (Search, r#"{"took":12,"timed_out":false}"#, Some(12_000_000)),
            (Search, "{\n  \"took\" : 3,\n", Some(3_000_000)),
            (MultiSearch, r#"{"took":1,"responses":[]}"#, Some(1_000_000)),
            (Search, r#"{"timed_out":false,"took":1}"#, None),
            (Search, r#"{"took":-1,"a":1}"#, None),
            (Search, r#"{"took":"1","a":1}"#, None),
            (
                Groonga,
                "[[0,1795174616.66,0.0125],[[[2]]]]",
                Some(12_500_000),
            ),
            (Groonga, "[[0, 1795174616.66, 6.05e-05],[]]", Some(60_500)),
            (
                Groonga,
                r#"{"header":{"return_code":0,"start_time":1.5,"elapsed_time":0.5},"body":{}}"#,
                Some(500_000_000),
            ),
            (Groonga, "[[0]]", None),
            (Groonga, "[[0,1.5,\"a\"],[]]", None),
            (Groonga, "", None),
            (GraphQl, r#"{"took":12}"#, None),
        ] {
            assert_eq!(
                known.server_time(body.as_bytes()),
                nanos,
                "{known:?} {body}"
            );
        }
    }
}
