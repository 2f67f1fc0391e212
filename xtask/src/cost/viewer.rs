//! One viewer of the live page of a run, in this process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::ChildStderr;

/// Text that `tenbin --live` prints before the address of its page.
const ANNOUNCED: &str = "live page: http://";

/// Reads the output of a run, and the events of its live page until the run ends.
pub(super) fn view(stderr: ChildStderr) {
    let mut lines = BufReader::new(stderr).lines();
    let addresses = lines.by_ref().map_while(Result::ok);
    let mut addresses = addresses.filter_map(|line| Some(line.strip_prefix(ANNOUNCED)?.to_owned()));
    if let Some((host, path)) = addresses
        .next()
        .as_deref()
        .and_then(|url| url.split_once('/'))
    {
        // If reading fails, the row measures the cost of a page without a viewer.
        let _ = read(host, &format!("/{path}events"), "event: done");
        let _ = read(host, &format!("/{path}report.html"), "</html>");
    }
    addresses.for_each(drop);
}

/// Reads a response until a line begins with `last`.
fn read(host: &str, path: &str, last: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(host)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut lines = BufReader::new(stream).lines();
    lines.find(|line| line.as_ref().map_or(true, |line| line.starts_with(last)));
    Ok(())
}
