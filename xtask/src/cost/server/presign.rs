//! Presigned S3 URLs: the signature is in the query, so that an HTTP client without signing gets
//! the same response.
//!
//! Source: "Authenticating Requests: Using Query Parameters (AWS Signature Version
//! 4)", Amazon S3 API reference.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::{ACCESS_KEY, SECRET_KEY};

const BUCKET: &str = "tenbin-plain";
const OBJECT: &str = "tenbin-plain/object";
const REGION: &str = "us-east-1";
/// Size of the object for plain requests, bytes.
const OBJECT_SIZE: usize = 1024;
/// Validity of a URL in seconds; longer than any measurement.
const VALID: u32 = 86_400;

/// The file with the body of plain PUTs, in the directory of temporary files.
pub(crate) const BODY_FILE: &str = "tenbin-cost-body";

/// Creates a bucket with one object for plain requests, and the file with the body of the object.
pub(super) fn prepare(url: &str) -> Result<()> {
    std::fs::write(std::env::temp_dir().join(BODY_FILE), [b'x'; OBJECT_SIZE])?;
    let address = address_of(url);
    for (path, body) in [(BUCKET, &[][..]), (OBJECT, &[b'x'; OBJECT_SIZE][..])] {
        let signed = signed_path(&address, "PUT", path)?;
        let status = ask(&address, "PUT", &signed, body)?;
        if status != 200 {
            bail!("PUT /{path} is answered with status {status}");
        }
    }
    Ok(())
}

/// The presigned URL of the object for requests with `method`.
pub(crate) fn object_url(url: &str, method: &str) -> Result<String> {
    let address = address_of(url);
    let path = signed_path(&address, method, OBJECT)?;
    Ok(format!("http://{address}{path}"))
}

/// Hides the signature in a command line for the report.
pub(crate) fn hide(command: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in command.split(' ') {
        words.push(match word.split_once("?X-Amz-") {
            Some((before, _)) => format!("{before}?<presigned>"),
            None => word.to_owned(),
        });
    }
    words.join(" ")
}

/// Sends one request on a new connection, and returns the status of the response.
pub(super) fn ask(address: &str, method: &str, path: &str, body: &[u8]) -> Result<u16> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    String::from_utf8_lossy(&answer)
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .context("no HTTP answer")
}

fn address_of(url: &str) -> String {
    url.trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned()
}

fn signed_path(address: &str, method: &str, path: &str) -> Result<String> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(sign(address, method, path, &timestamp(now.as_secs())))
}

/// `path` with the signature in its query. The path must not need escaping.
fn sign(host: &str, method: &str, path: &str, time: &str) -> String {
    let date = &time[..8];
    let scope = format!("{date}/{REGION}/s3/aws4_request");
    let credential = format!("{ACCESS_KEY}/{scope}").replace('/', "%2F");
    let query = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={time}\
         &X-Amz-Expires={VALID}&X-Amz-SignedHeaders=host"
    );
    let canonical = format!("{method}\n/{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD");
    let hash = hex(&Sha256::digest(canonical));
    let message = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{hash}");
    let key = [REGION, "s3", "aws4_request"].iter().fold(
        keyed(format!("AWS4{SECRET_KEY}").as_bytes(), date),
        |key, part| keyed(&key, part),
    );
    let signature = hex(&keyed(&key, &message));
    format!("/{path}?{query}&X-Amz-Signature={signature}")
}

fn keyed(key: &[u8], message: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length is a key");
    mac.update(message.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The time as `YYYYMMDDTHHMMSSZ`, with Howard Hinnant's algorithm `civil_from_days`.
fn timestamp(unix_seconds: u64) -> String {
    let (days, second) = (unix_seconds / 86_400, unix_seconds % 86_400);
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_in_the_calendar() {
        assert_eq!(timestamp(0), "19700101T000000Z");
        assert_eq!(timestamp(951_827_696), "20000229T123456Z");
        assert_eq!(timestamp(1_798_761_599), "20261231T235959Z");
    }

    #[test]
    fn signatures_are_hidden() {
        assert_eq!(
            hide("tenbin http --target s=http://h/b/o?X-Amz-Algorithm=a&X-Amz-Signature=b -c 1"),
            "tenbin http --target s=http://h/b/o?<presigned> -c 1"
        );
    }
}
