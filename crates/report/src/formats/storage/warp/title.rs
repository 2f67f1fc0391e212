//! The first line of an operation in the text of warp, in the forms of its versions and options.

use tenbin_verdict::lint::Range;

use crate::formats::reader::Fault;
use crate::formats::reported::{Line, count, go_duration, percent};

/// Start of a title; the second form is that of earlier versions, of `--full`, and of Tenbin.
const STARTS: [&str; 2] = ["Report: ", "Operation: "];

/// What the first line of an operation says.
pub(super) struct Title<'a> {
    pub(super) name: &'a str,
    pub(super) concurrency: Option<u64>,
    /// Length of the run, seconds.
    pub(super) ran: Option<Range>,
    /// Number of requests.
    pub(super) requests: Option<u64>,
    /// Whether a request is for several objects.
    pub(super) has_several_objects: bool,
    /// Whether the operation is one of a mix, in the form of earlier versions.
    pub(super) is_of_mix: bool,
}

/// Whether a line is a title, or one that is damaged.
pub(super) fn is_title(line: &str) -> bool {
    parts(line).is_some()
}

/// Whether a line is a title that says nothing but a name, as lines of other programs can.
pub(super) fn is_bare_title(line: &str) -> bool {
    parts(line).is_some_and(|parts| matches!(parts.form, Form::Name))
}

/// A title as text: the name of the operation, and what follows.
struct Parts<'a> {
    name: &'a str,
    rest: &'a str,
    form: Form,
}

/// The forms of a title.
enum Form {
    /// `GET. Concurrency: 20. Ran: 4m58s`, or without the time.
    Short,
    /// `GET (4826 reqs). Ran Duration: 58s, starting 12:00:01 UTC`, or `GET (4826). Ran 58s.` and
    /// further figures.
    Requests,
    /// `GET, 45%, Concurrency: 20, Ran 4m59s.`
    Share,
    /// `GET - total: 4826, 45.0%, Concurrency: 20, Ran 4m59s, starting` and a time.
    Total,
    /// `LIST` alone.
    Name,
}

fn parts(line: &str) -> Option<Parts<'_>> {
    let text = STARTS.iter().find_map(|start| line.strip_prefix(start))?;
    let of = |form, (name, rest)| Some(Parts { name, rest, form });
    if let Some(both) = text.split_once(". Concurrency: ")
        && !both.0.contains(['(', ','])
    {
        return of(Form::Short, both);
    }
    if let Some(both) = text.split_once(" (")
        && both.1.contains("). Ran ")
    {
        return of(Form::Requests, both);
    }
    if let Some(both) = text.split_once(" - total: ") {
        return of(Form::Total, both);
    }
    if let Some(both) = text.split_once(", ")
        && both.1.contains("%, Concurrency: ")
    {
        return of(Form::Share, both);
    }
    // Names of operations as warp has them.
    let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
    let is_named = !text.is_empty() && text.chars().all(is_name);
    is_named.then_some(Parts {
        name: text,
        rest: "",
        form: Form::Name,
    })
}

impl<'a> Title<'a> {
    /// The title in a line; `None` if the line is no title.
    pub(super) fn of(line: &Line<'a>) -> Result<Option<Self>, Fault> {
        let Some(Parts { name, rest, form }) = parts(line.text) else {
            return Ok(None);
        };
        let number = |what: &str, text: &str| count(text).ok_or_else(|| line.no(what, text));
        let concurrency = |text: &str| number("the concurrency", text).map(Some);
        let exact = |text: &str| {
            let time = go_duration(text).ok_or_else(|| line.no("the time", text))?;
            Ok::<_, Fault>(Some(time))
        };
        // warp cuts off what is below a second.
        let cut = |text: &str| {
            let seconds = exact(text)?.map(Range::middle);
            Ok::<_, Fault>(seconds.map(|from| Range {
                from,
                to: from + 1.0,
            }))
        };
        let mut title = Self {
            name,
            concurrency: None,
            ran: None,
            requests: None,
            has_several_objects: rest.contains(". Objects per operation: "),
            is_of_mix: matches!(form, Form::Share | Form::Total),
        };
        match form {
            Form::Name => {}
            Form::Short => {
                let (connections, ran) = rest.split_once(". Ran: ").unwrap_or((rest, ""));
                title.concurrency = concurrency(connections)?;
                if !ran.is_empty() {
                    title.ran = exact(ran)?;
                }
            }
            Form::Requests => {
                let (requests, rest) = rest.split_once("). Ran ").unwrap_or((rest, ""));
                let requests = requests.strip_suffix(" reqs").unwrap_or(requests);
                let requests = number("the number of requests", requests)?;
                if let Some(ran) = rest.strip_prefix("Duration: ") {
                    title.requests = Some(requests);
                    title.ran = exact(ran.split(',').next().unwrap_or_default())?;
                } else {
                    title.ran = cut(rest.split(". ").next().unwrap_or_default())?;
                    title.concurrency = concurrency(value(rest, "Concurrency: ", '.'))?;
                }
            }
            Form::Share => {
                let share = rest.split(", ").next().unwrap_or_default();
                percent(share).ok_or_else(|| line.no("the share", share))?;
                title.concurrency = concurrency(value(rest, "Concurrency: ", ','))?;
                let (_, ran) = rest.split_once("Ran ").unwrap_or_default();
                let ran = ran.strip_suffix('.');
                title.ran = cut(ran.ok_or_else(|| line.no("the end of the title", rest))?)?;
            }
            Form::Total => {
                title.concurrency = concurrency(value(rest, "Concurrency: ", ','))?;
                title.ran = cut(value(rest, "Ran ", ','))?;
            }
        }
        Ok(Some(title))
    }
}

/// The text after a label, up to this character.
fn value<'a>(text: &'a str, label: &str, end: char) -> &'a str {
    let rest = text.split_once(label).map_or("", |(_, rest)| rest);
    rest.split(end).next().unwrap_or_default()
}
