//! Checks that a server speaks HTTP/2 by exchanging connection prefaces (RFC 9113, section 3.4).

use std::time::SystemTime;

use tenbin_plan::{Sentence, sentence};

use super::stream::Stream;
use super::{ProbeError, ResponseHead};

/// The client's connection preface, with an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// Length of a frame head, bytes: length (3), type (1), flags (1), stream identifier (4).
const FRAME_HEAD: usize = 9;
const SETTINGS: u8 = 0x04;

/// Sends the client's preface and waits for the server's preface, which is a SETTINGS frame.
pub(super) async fn exchange_prefaces(stream: &mut Stream<'_>) -> Result<ResponseHead, ProbeError> {
    let not_spoken = |stream: &Stream<'_>, reason: Sentence| ProbeError::NotHttp2 {
        address: stream.address().clone(),
        reason,
    };
    if stream.is_for_another_protocol_than(b"h2") {
        let reason = sentence!(
            "no-h2-alpn",
            "it does not select h2 in the TLS handshake (ALPN); enable HTTP/2 on the server, \
                or use --http 1.1"
        );
        return Err(not_spoken(stream, reason));
    }
    let sent = SystemTime::now();
    stream.write(PREFACE).await?;
    let mut frame = Vec::new();
    while frame.len() < FRAME_HEAD {
        if stream.read(&mut frame).await? == 0 {
            return Err(not_spoken(stream, begins_with(&frame)));
        }
        if frame.starts_with(b"HTTP/1") {
            let reason = sentence!(
                "no-h2-plain",
                "it responds with HTTP/1.1; enable HTTP/2 on the server (without TLS it must \
                    be known beforehand), or use --http 1.1"
            );
            return Err(not_spoken(stream, reason));
        }
    }
    if frame[3] != SETTINGS {
        return Err(not_spoken(stream, begins_with(&frame)));
    }
    Ok(ResponseHead {
        refusal: None,
        status: None,
        server: None,
        bare_line_feed: None,
        is_xml: false,
        location: None,
        date: None,
        sent,
        received: SystemTime::now(),
    })
}

fn begins_with(bytes: &[u8]) -> Sentence {
    let begin = bytes[..bytes.len().min(32)].escape_ascii();
    sentence!("begins-with", "the response begins with \"{begin}\"", begin)
}
