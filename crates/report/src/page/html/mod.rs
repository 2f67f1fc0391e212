//! `report.html`: a self-contained file that can be sent to a colleague.
//!
//! The file loads nothing and has at most [`LIMIT`] bytes per run. Its Content-Security-Policy allows
//! only its own style sheets and its own [script](script), by hash; without the script the page is
//! complete. Long tables are cut, with a line that says where to find the rest. All text is escaped,
//! whatever its source.

mod blocks;
mod live;
mod script;
mod served;

use std::fmt::Write as _;

use tenbin_result::format::{UNKNOWN, plural};
use tenbin_result::{Document, Language, Trust};

pub use self::live::live_page;
pub use self::served::ServedPage;
pub(crate) use self::served::hash;

use self::blocks::{Blocks, Limits};
use crate::block::{Block, Detail};
use crate::chart;
use crate::escape::{for_xml, shortened};
use crate::language;
use crate::section::{SECTIONS, Section, Shown, question, trusted};

/// Maximum size of one run on a page, bytes, without style sheets and script.
const LIMIT: usize = 450_000;
/// Maximum size of one section, bytes: a section is printed with the widest limits that fit.
const SECTION: usize = 190_000;

/// The style sheet of all pages, without that of charts.
pub(crate) const STYLE: &str = include_str!("page.css");

/// Maximum number of letters of a name or a sentence outside sections.
const LETTERS: usize = 600;
/// Maximum number of letters of the path of a run.
const PATH: usize = 4_096;

/// Sections that the page omits: they exist as separate files for programs, and grow with the
/// length of the run.
const ELSEWHERE: [&str; 1] = ["benchmark"];
/// Sections that are collapsed although they are not details.
const FOLDED: [&str; 2] = ["plan-file", "slow"];

/// The page of one or several runs, in the given order.
pub fn html(documents: &[&Document]) -> String {
    titled_html(documents, None)
}

/// [`html`] with a custom title and heading.
pub fn titled_html(documents: &[&Document], own_title: Option<&str>) -> String {
    let title = match (own_title, documents) {
        (Some(title), _) => title.to_owned(),
        (None, [only]) => format!("{}: {}", short(&only.run.name), short(&asked(only))),
        (None, several) => format!("{} runs", several.len()),
    };
    let language = documents.first().map(|first| first.language);
    let language = language.unwrap_or(Language::English);
    let mut page = head(&title, language);
    if let Some(title) = own_title {
        let _ = writeln!(page, "<h1 class=\"heading\">{}</h1>", for_xml(title));
    }
    if documents.len() > 1 {
        contents(&mut page, documents);
    }
    page.push_str("<main>\n");
    for (at, document) in documents.iter().enumerate() {
        run(&mut page, document, at);
    }
    page.push_str(&end(language));
    page
}

/// The end of a page.
fn end(language: Language) -> String {
    format!("</main>\n{}</body>\n</html>\n", script::elements(language))
}

/// The beginning of a page, up to its body. The style sheet of charts is the first: the script puts it
/// into pictures of charts.
fn head(title: &str, language: Language) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{}' 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n\
         <style>{}</style>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        language.tag(),
        hash(chart::STYLE),
        hash(STYLE),
        hash(&script::SCRIPT),
        for_xml(title),
        chart::STYLE
    )
}

/// A page of blocks that belong to no single run. `more` is the command that prints what the page
/// leaves out.
pub(crate) fn of_blocks(title: &str, language: Language, blocks: &[Block], more: &str) -> String {
    let title = short(title);
    let mut page = head(&title, language);
    let _ = writeln!(
        page,
        "<main>\n<article>\n<header>\n<h1>{}</h1>\n</header>\n<section>",
        for_xml(&title)
    );
    page.push_str(&fragment(blocks, more, "history", language));
    page.push_str("</section>\n</article>\n");
    page.push_str(&end(language));
    page
}

/// Blocks as a part of a page. `prefix` is that of the element IDs.
pub(crate) fn fragment(blocks: &[Block], more: &str, prefix: &str, language: Language) -> String {
    let printed = Blocks::new(&Limits::ALL[0], more, prefix.to_owned(), language, false);
    printed.html(blocks, Detail::Value)
}

/// A run as a part of a page: the `at`th, from 0, of those on it.
pub(crate) fn article(document: &Document, at: usize) -> String {
    let mut page = String::new();
    run(&mut page, document, at);
    page
}

/// Prints a link to every run, with the run's trust and first verdict.
fn contents(page: &mut String, documents: &[&Document]) {
    page.push_str("<nav class=\"runs\" aria-label=\"Runs\">\n<h2>Runs</h2>\n<ol>\n");
    for (at, document) in documents.iter().enumerate() {
        let verdicts = tenbin_verdict::sentences::verdicts(document);
        let answer = verdicts.first().map(|first| language::say(document, first));
        let answer = answer.unwrap_or_default();
        let _ = writeln!(
            page,
            "<li><a href=\"#r{at}\">{}</a> {} <span class=\"faint\">{}</span></li>",
            for_xml(&short(&document.run.name)),
            badge(document.trust),
            for_xml(&short(&answer))
        );
    }
    page.push_str("</ol>\n</nav>\n");
}

pub(crate) fn badge(trust: Trust) -> String {
    let (class, sign) = match trust {
        Trust::Valid => ("good", "✓"),
        Trust::Suspect => ("doubt", "!"),
        Trust::Invalid => ("bad", "✕"),
    };
    format!(
        "<b class=\"badge {class}\"><span aria-hidden=\"true\">{sign}</span> {}</b>",
        trust.word()
    )
}

/// Prints one run: the question, the answer, the trust with its reasons, then figures, charts and
/// details.
fn run(page: &mut String, document: &Document, at: usize) {
    let document = &language::for_reader(document);
    let begin = page.len();
    let _ = writeln!(page, "<article id=\"r{at}\">\n<header>");
    let run = &document.run;
    let _ = writeln!(
        page,
        "<p class=\"run\"><span>Tenbin{}</span> <time>{}</time></p>\n<h1>{}</h1>",
        for_xml(&short(&machine(document))),
        for_xml(&short(&when(&run.started))),
        for_xml(&short(&asked(document)))
    );
    let mut sections = SECTIONS.iter();
    if let Some(answer) = sections.find(|section| section.name == "answer") {
        page.push_str("<div class=\"answer\">\n");
        page.push_str(&fitted(document, answer, at, Detail::Value));
        page.push_str("</div>\n");
    }
    let _ = writeln!(
        page,
        "<div class=\"trust\">\n<p>{} {}</p>",
        badge(document.trust),
        for_xml(&shortened(&trusted(document), 4 * LETTERS))
    );
    for section in shown_as(Shown::InShort) {
        page.push_str(&fitted(document, section, at, Detail::Value));
    }
    page.push_str("</div>\n</header>\n");
    let rest = shown_as(Shown::Always).filter(|section| section.name != "answer");
    for section in rest
        .chain(shown_as(Shown::Drawn))
        .chain(shown_as(Shown::Details))
    {
        let detail = if section.title.is_empty() {
            Detail::Value
        } else {
            Detail::Interval
        };
        let content = fitted(document, section, at, detail);
        if content.is_empty() {
            continue;
        }
        let is_full = page.len() - begin + content.len() > LIMIT;
        let content = if is_full {
            left_out(document, section)
        } else {
            content
        };
        let folded = section.shown == Shown::Details || FOLDED.contains(&section.name);
        let heading = section.heading(document);
        let (open, close) = match (folded, heading.as_str()) {
            (true, title) => (
                format!("<details class=\"part\">\n<summary><h2>{title}</h2></summary>\n"),
                "</details>",
            ),
            (false, "") => ("<section>\n".to_owned(), "</section>"),
            (false, title) => (format!("<section>\n<h2>{title}</h2>\n"), "</section>"),
        };
        let _ = writeln!(page, "{open}{content}{close}");
    }
    let version = document.environment.tenbin_version.as_deref();
    let _ = writeln!(
        page,
        "<footer>\n<p>Tenbin {} · run {} · seed {}</p>\n</footer>\n</article>",
        for_xml(&short(version.unwrap_or("of unknown version"))),
        for_xml(&short(&run.id)),
        run.seed
            .map_or_else(|| UNKNOWN.to_owned(), |seed| seed.to_string())
    );
}

fn shown_as(shown: Shown) -> impl Iterator<Item = &'static Section> {
    SECTIONS
        .iter()
        .filter(move |section| section.shown == shown && !ELSEWHERE.contains(&section.name))
}

/// The question that the run answers, in the language of the document.
fn asked(document: &Document) -> String {
    question(document)
}

/// The machine of the load generator: ` · AMD EPYC · 2 cores`, as far as it is known.
fn machine(document: &Document) -> String {
    let here = &document.environment;
    let cores = here.cores.map(|cores| plural(cores, "core"));
    let cores = cores.map(|cores| language::text(document, &cores));
    let known = here.cpu_model.clone().into_iter().chain(cores);
    known.map(|part| format!(" · {part}")).collect()
}

/// Formats a time from a document: `2026-01-02 03:04 UTC`.
fn when(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(minute)) if started.ends_with('Z') => format!("{day} {minute} UTC"),
        _ => started.to_owned(),
    }
}

/// Prints a section with the widest limits that fit into the maximum size.
fn fitted(document: &Document, section: &Section, run: usize, detail: Detail) -> String {
    let blocks: Vec<Block> = section.first_rows(document, Limits::ALL[0].rows);
    if blocks.is_empty() {
        return String::new();
    }
    let more = command(document, section);
    let printed = Limits::ALL.iter().map(|limits| {
        let prefix = format!("r{run}-{}", section.name);
        let is_titled = !section.title.is_empty();
        Blocks::new(limits, &more, prefix, document.language, is_titled).html(&blocks, detail)
    });
    let mut shortest = String::new();
    for html in printed {
        if html.len() <= SECTION {
            return html;
        }
        shortest = html;
    }
    if shortest.len() <= SECTION {
        shortest
    } else {
        left_out(document, section)
    }
}

fn left_out(document: &Document, section: &Section) -> String {
    format!(
        "<p>Too long for this page: <code>{}</code></p>\n",
        for_xml(&command(document, section))
    )
}

/// The command that prints the whole section.
pub(super) fn command(document: &Document, section: &Section) -> String {
    let directory = shortened(&document.run.directory, PATH);
    format!("tenbin show {directory} --section {}", section.name)
}

/// A name or a sentence of at most [`LETTERS`] letters.
pub(crate) fn short(text: &str) -> String {
    shortened(text, LETTERS)
}
