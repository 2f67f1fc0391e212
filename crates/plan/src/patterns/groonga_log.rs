//! Groonga's query log: `time|context|>/d/select?…` for every command received.

use std::io::BufRead;

use super::builder::Builder;
use super::fault::Fault;
use super::lines::Lines;
use super::request::{self, quoted};
use crate::sentence;

/// Commands that read and change nothing. Other commands in a log are never sent.
pub(super) const READING: &[&str] = &[
    "select", "logical_select", "logical_range_filter", "logical_count", "logical_shard_list",
    "range_filter", "suggest", "normalize", "tokenize", "table_tokenize", "table_list",
    "column_list", "object_list", "object_exist", "schema", "status", "cache_limit",
];

/// Whether a line is from a Groonga query log.
pub(super) fn is_line(line: &[u8]) -> bool {
    event(line).is_some()
}

/// Reads the commands that were received over HTTP and that only read.
pub(super) fn read<R: BufRead + ?Sized>(
    lines: &mut Lines<'_, R>,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let (mut writing, mut not_http) = (0_u64, 0_u64);
    while let Some((index, line)) = lines.next()? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let text = event(line).ok_or_else(|| {
            let shown = quoted(&String::from_utf8_lossy(line));
            Fault::in_line(
                index,
                sentence!(
                    "no-groonga-log",
                    "{shown} is not a line of a Groonga query log",
                    shown
                ),
            )
        })?;
        let Some(sent) = text.strip_prefix(b">") else {
            continue;
        };
        let sent = String::from_utf8_lossy(sent);
        match command(&sent) {
            None => not_http += 1,
            Some(command) if !READING.contains(&command) => writing += 1,
            Some(command) => {
                let pushed = request::path(&sent).and_then(|path| {
                    let group = builder.group(command)?;
                    builder.push(request::plain(group, "GET", path))
                });
                pushed.map_err(|why| Fault::in_line(index, why))?;
            }
        }
    }
    if writing > 0 {
        builder.note(sentence!(
            "log-writing",
            "{writing} commands of the log are skipped because they may change data: only \
             read-only commands are sent",
            writing
        ));
    }
    if not_http > 0 {
        builder.note(sentence!(
            "log-not-http",
            "{not_http} commands of the log are skipped: they were not sent over HTTP",
            not_http
        ));
    }
    Ok(())
}

/// The rest of a line after the time and the context: `>…`, `:…` or `<…`.
fn event(line: &[u8]) -> Option<&[u8]> {
    let mut parts = line.splitn(3, |&byte| byte == b'|');
    let (time, context, text) = (parts.next()?, parts.next()?, parts.next()?);
    let is_time = time.len() >= 19
        && time[..4].iter().all(u8::is_ascii_digit)
        && time[4] == b'-'
        && time[10] == b' '
        && time[13] == b':';
    let is_context = !context.is_empty() && context.iter().all(u8::is_ascii_alphanumeric);
    let is_event = matches!(text.first(), Some(b'>' | b'<' | b':'));
    (is_time && is_context && is_event).then_some(text)
}

/// The command in an HTTP path: `select` in `/d/select.json?…`. `None` for other paths.
fn command(sent: &str) -> Option<&str> {
    let command = sent.strip_prefix("/d/")?;
    command.split(['?', '.']).next()
}

#[cfg(test)]
mod tests {
    use super::super::fault::Spot;
    use super::super::{PatternFormat, read};

    const LOG: &str = "\
2026-11-20 11:42:29.325815|0x7fd692dfe940|>/d/select?table=Pages&query=Linux
2026-11-20 11:42:29.326221|0x7fd692dfe940|:000000000408619 filter(146): (match columns) match \"Linux\"
2026-11-20 11:42:29.326401|0x7fd692dfe940|<000000000587226 rc=0
2026-11-20 11:42:29.332730|0x7fd67e3fe940|:000000000082873 cache(75)
2026-11-20 11:42:30.000000|0x7fd67e3fe940|>/d/status
2026-11-20 11:42:30.000000|0x7fd67e3fe940|>/d/shutdown
2026-11-20 11:42:30.000000|0x7fd67e3fe940|>/d/load?table=Pages
2026-11-20 11:42:30.000000|0x7fd67e3fe940|>select --table Pages
2026-11-20 11:42:30.000000|0x7fd67e3fe940|>/d/select.json?table=Pages&query=Linux
";

    #[test]
    fn commands_that_read_are_taken() {
        let set = read(LOG.as_bytes(), PatternFormat::Auto, "GET").unwrap();
        let labels: Vec<String> = set.patterns().iter().map(|p| p.label()).collect();
        assert_eq!(
            labels,
            [
                "GET /d/select?table=Pages&query=Linux",
                "GET /d/status",
                "GET /d/select.json?table=Pages&query=Linux",
            ]
        );
        let groups: Vec<&str> = set
            .groups()
            .iter()
            .map(|group| group.name.as_str())
            .collect();
        assert_eq!(groups, ["select", "status"]);
        assert_eq!(set.notes().len(), 2, "{:?}", set.notes());
        assert!(
            set.notes()[0].text().starts_with("2 commands"),
            "{:?}",
            set.notes()
        );
    }

    #[test]
    fn another_line_is_refused() {
        let text = format!("{LOG}rubbish\n");
        let fault = read(text.as_bytes(), PatternFormat::GroongaLog, "GET").unwrap_err();
        assert_eq!(fault.spot, Spot::Line(10));
        assert_eq!(
            fault.why,
            "\"rubbish\" is not a line of a Groonga query log"
        );
    }
}
