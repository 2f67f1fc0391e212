//! Plain text: one path a line.

use std::io::BufRead;

use super::builder::Builder;
use super::fault::{Fault, utf8};
use super::lines::Lines;
use super::request;
use crate::script::Script;

/// Reads one path per line; empty lines and lines that begin with `#` are skipped.
pub(super) fn read<R: BufRead + ?Sized>(
    lines: &mut Lines<'_, R>,
    method: &str,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let mut is_first = true;
    while let Some((index, line)) = lines.next()? {
        let line = utf8(line, index)?.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if std::mem::take(&mut is_first) && is_row(line) {
            return Err(Fault::of_values());
        }
        let pushed = request::path(line).and_then(|path| {
            let group = builder.group(method)?;
            builder.push(request::plain(group, method, path))
        });
        pushed.map_err(|why| match Script::of(line) {
            Some(script) => Fault::of_file(script.sentence()),
            None => Fault::in_line(index, why),
        })?;
    }
    Ok(())
}

/// Whether the first line is a row of a table, and no path or URL.
fn is_row(line: &str) -> bool {
    let is_address = line.starts_with('/') || line.contains("://");
    let is_code = line.contains(['(', '=', '{']);
    !is_address && !is_code && line.contains([',', ';', '\t']) && Script::of(line).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::fault::Spot;
    use super::super::{PatternFormat, read};

    #[test]
    fn lines_are_paths() {
        let text = "# terms\n/d/select?query=a\r\n\n  /d/select?query=日\n";
        let set = read(text.as_bytes(), PatternFormat::Text, "POST").unwrap();
        let paths: Vec<&str> = set.patterns().iter().map(|p| p.path.as_str()).collect();
        assert_eq!(paths, ["/d/select?query=a", "/d/select?query=%E6%97%A5"]);
        assert_eq!(set.groups()[0].name, "POST");
    }

    #[test]
    fn a_script_is_refused_with_the_next_step() {
        for (text, tool) in [
            ("wrk.method = 'POST'\n", "wrk"),
            ("import http from 'k6/http';\n", "k6"),
        ] {
            let fault = read(text.as_bytes(), PatternFormat::Auto, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::File, "{}", fault.why);
            let begin = format!("is a script of {tool}, and Tenbin does not run scripts: ");
            assert!(fault.why.text().starts_with(&begin), "{}", fault.why);
        }
    }

    #[test]
    fn a_table_of_values_is_refused_with_what_a_pattern_file_is() {
        for text in [
            "user,password\nalice,a\n",
            "\nuser;password\n",
            "user\tpassword\nalice\ta\n",
            "{\"user\": \"alice\"}\n{\"user\": \"bob\"}\n",
        ] {
            let fault = read(text.as_bytes(), PatternFormat::Auto, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::File, "{text}: {}", fault.why);
            assert!(
                fault
                    .why
                    .text()
                    .contains("a path per line, such as /users/1"),
                "{text}: {}",
                fault.why
            );
        }
        let fault = read(b"/a\nb,c\n", PatternFormat::Auto, "GET").unwrap_err();
        assert_eq!(fault.spot, Spot::Line(2));
    }

    #[test]
    fn what_cannot_be_sent_is_refused_with_its_line() {
        for (text, line, why) in [
            ("/a\nb", 2, "\"b\" does not begin with a slash"),
            (
                "\n\n/a b",
                3,
                "\"/a b\" has ' ' in it; percent-encode it, for example %20 for a space",
            ),
            (
                "/a#b",
                1,
                "\"/a#b\" has '#' in it; percent-encode it, for example %20 for a space",
            ),
        ] {
            let fault = read(text.as_bytes(), PatternFormat::Text, "GET").unwrap_err();
            assert_eq!((fault.spot, fault.why.text()), (Spot::Line(line), why));
        }
        let long = format!("/{}", "a".repeat(70_000));
        let fault = read(long.as_bytes(), PatternFormat::Text, "GET").unwrap_err();
        assert!(fault.why.text().contains("too long"), "{}", fault.why);
    }
}
