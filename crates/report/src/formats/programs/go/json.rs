//! Reads what `go test -json -bench` prints: a stream of events, whose outputs are the text of `go
//! test -bench` in pieces.

use serde::Deserialize;
use tenbin_result::format::plural;
use tenbin_verdict::lint::{LeftOut, Quote, Reported};

use super::read;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::reported::is_json_of;

pub(in crate::formats) const FORMAT: Format = Format {
    name: "go-json",
    about: "the events that go test -json prints, with benchmarks",
    file: "go-test.json",
    read: Some(Reader {
        recognises: |beginning| is_json_of(&without_other_lines(beginning), "go"),
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "what go test -json prints")?;
            let output = Output::of(&content)?;
            let series = read::series(output.text.as_bytes()).map_err(refused)?;
            Ok(Content::Repetitions(series))
        }),
        reported: Some(reported),
    }),
    ..Format::PLAIN
};

/// The beginning of a file from the first line that can be an event.
fn without_other_lines(beginning: &[u8]) -> Vec<u8> {
    let mut lines = beginning.split_inclusive(|byte| *byte == b'\n');
    let others: usize = lines
        .by_ref()
        .take_while(|line| !line.starts_with(b"{"))
        .map(<[u8]>::len)
        .sum();
    beginning[others..].to_vec()
}

/// An event. Members that are not read are left out.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "Action")]
    action: String,
    #[serde(rename = "Package", default)]
    package: String,
    #[serde(rename = "Output", default)]
    output: String,
}

/// The text of all packages, one after the other.
struct Output {
    text: String,
    /// For each line of the text, the line of the file in which it begins.
    lines: Vec<u64>,
    /// Number of lines between the events, such as what the go command prints on standard error.
    others: u64,
    /// Lines between the events that say that a package failed.
    failed: Vec<Quote>,
}

/// The output of one package, which can stand between the outputs of others.
struct Package {
    name: String,
    text: String,
    lines: Vec<u64>,
}

impl Output {
    fn of(content: &[u8]) -> Result<Self, Fault> {
        let mut packages: Vec<Package> = Vec::new();
        let text = str::from_utf8(content)
            .map_err(|_| Fault::of_the_file("is not UTF-8 text; it may be damaged"))?;
        let (mut others, mut failed) = (0, Vec::new());
        for (line, number) in text.lines().zip(1..) {
            if line.trim().is_empty() {
                continue;
            }
            if !line.starts_with('{') {
                others += 1;
                if line.starts_with("FAIL\t") || line.starts_with("FAIL ") {
                    failed.push(Quote {
                        line: Some(number),
                        text: line.to_owned(),
                    });
                }
                continue;
            }
            let event: Event = serde_json::from_str(line).map_err(|_| {
                Fault::in_line(number, "is no event of go test -json; it may be cut off")
            })?;
            if event.action == "output" {
                package(&mut packages, &event.package).add(&event.output, number);
            }
        }
        let mut whole = Self {
            text: String::new(),
            lines: Vec::new(),
            others,
            failed,
        };
        for package in packages {
            whole.add(package)?;
        }
        if !read::recognises(whole.text.as_bytes()) {
            return Err(Fault::of_the_file(
                "has no result of a benchmark; run go test with -bench",
            ));
        }
        Ok(whole)
    }

    fn add(&mut self, package: Package) -> Result<(), Fault> {
        if !package.text.ends_with('\n') {
            return Err(Fault::of_the_file(format!(
                "the output of the package {:?} has no end; the file may be cut off",
                package.name
            )));
        }
        let is_named = package.text.lines().any(|line| line.starts_with("pkg: "));
        if !is_named {
            self.text += &format!("pkg: {}\n", package.name);
            self.lines.extend(package.lines.first());
        }
        self.text += &package.text;
        self.lines.extend(package.lines);
        Ok(())
    }

    /// Points a quote to the line of the file.
    fn place(&self, quote: &mut Quote) {
        let at = quote.line.and_then(|line| usize::try_from(line).ok());
        let known = at.and_then(|at| self.lines.get(at.checked_sub(1)?));
        quote.line = known.copied();
    }
}

fn package<'a>(all: &'a mut Vec<Package>, name: &str) -> &'a mut Package {
    let at = match all.iter().position(|package| package.name == name) {
        Some(at) => at,
        None => {
            all.push(Package {
                name: name.to_owned(),
                text: String::new(),
                lines: Vec::new(),
            });
            all.len() - 1
        }
    };
    &mut all[at]
}

impl Package {
    /// Appends a piece, which stands in this line of the file.
    fn add(&mut self, piece: &str, number: u64) {
        for line in piece.split_inclusive('\n') {
            if self.text.is_empty() || self.text.ends_with('\n') {
                self.lines.push(number);
            }
            self.text += line;
        }
    }
}

fn reported(content: &[u8]) -> Result<Reported, Fault> {
    let output = Output::of(content)?;
    let mut reported = read::reported(output.text.as_bytes()).map_err(refused)?;
    for of in &mut reported.measurements {
        for quote in of.quotes_mut() {
            output.place(quote);
        }
    }
    for left_out in &mut reported.left_out {
        output.place(&mut left_out.quote);
    }
    let failed = output.failed.iter().map(|quote| LeftOut {
        why: "package failed",
        quote: quote.clone(),
    });
    reported.left_out.extend(failed);
    if output.others > 0 {
        let lines = plural(output.others as usize, "line");
        let caveat = format!("{lines} between the events of go test, which were not read");
        reported.caveats.push(caveat);
    }
    Ok(reported)
}

fn refused(why: String) -> Fault {
    Fault::of_the_file(format!(
        "the output of its tests cannot be read as Go's benchmark format: {why}"
    ))
}
