//! Reads pages and refuses any mark-up that our pages do not use.

use quick_xml::Reader;
use quick_xml::events::Event;

const TAGS: &[&str] = &[
    "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "article", "header",
    "footer", "section", "nav", "div", "p", "h1", "h2", "h3", "ul", "ol", "li", "a", "b", "strong",
    "span", "small", "code", "pre", "time", "table", "thead", "tbody", "tr", "th", "td", "figure",
    "figcaption", "details", "summary", "svg", "g", "path", "circle", "rect", "text", "desc",
    "script",
];

const ATTRIBUTES: &[&str] = &[
    "html", "lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "tabindex",
    "role", "aria-label", "aria-labelledby", "aria-hidden", "scope", "data-h", "data-box", "type",
    "xmlns", "viewBox", "width", "height", "d", "x", "y", "cx", "cy", "r", "transform",
    "text-anchor", "stroke-dasharray",
];

/// Tags without an end tag.
const EMPTY: &[&str] = &["!DOCTYPE", "meta"];

/// A tag of a page.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    ends: bool,
    closed: bool,
    attributes: Vec<(String, String)>,
}

impl Tag {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let mut known = self.attributes.iter();
        known
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Elements whose content is no mark-up.
const RAW: [&str; 2] = ["style", "script"];

/// All tags of a page, except in the content of style sheets and scripts.
pub(crate) fn tags(page: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = tag(after);
        rest = match tag.name.as_str() {
            raw if !tag.ends && RAW.contains(&raw) => {
                let (_, end) = after.split_once(&format!("</{raw}")).unwrap();
                end
            }
            _ => after,
        };
        tags.push(tag);
    }
    tags
}

fn tag(text: &str) -> (Tag, &str) {
    let (ends, text) = match text.strip_prefix('/') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let end = text.find([' ', '>', '/']).expect("a tag ends");
    let (name, mut rest) = text.split_at(end);
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            let closed = true;
            return (
                Tag {
                    name: name.to_owned(),
                    ends,
                    closed,
                    attributes,
                },
                after,
            );
        }
        if let Some(after) = rest.strip_prefix('>') {
            let closed = false;
            return (
                Tag {
                    name: name.to_owned(),
                    ends,
                    closed,
                    attributes,
                },
                after,
            );
        }
        let end = rest.find(['=', ' ', '>']).expect("an attribute ends");
        assert!(end > 0, "an attribute has a name: {name}");
        let (key, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(after) => after.split_once('"').expect("a value ends"),
            None => ("", after),
        };
        attributes.push((key.to_owned(), value.to_owned()));
        rest = after;
    }
}

/// Checks that a page has only known tags and attributes, nests them correctly and links only to
/// its own elements.
pub(crate) fn check(page: &str) {
    let mut open: Vec<String> = Vec::new();
    for tag in tags(page) {
        assert!(TAGS.contains(&tag.name.as_str()), "{tag:?}");
        for (key, value) in &tag.attributes {
            assert!(ATTRIBUTES.contains(&key.as_str()), "{tag:?}");
            assert!(key != "href" || value.starts_with("#r"), "{tag:?}");
            assert!(
                key != "http-equiv" || value == "Content-Security-Policy",
                "{tag:?}"
            );
        }
        if EMPTY.contains(&tag.name.as_str()) || tag.closed {
            continue;
        }
        // The end tag of a style sheet or a script is read with the content.
        if RAW.contains(&tag.name.as_str()) {
            continue;
        }
        if tag.ends {
            assert_eq!(open.pop(), Some(tag.name), "nested");
        } else {
            open.push(tag.name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let harmful = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!page.contains(harmful), "no control character");
    for drawing in page.split("<svg").skip(1) {
        let (drawing, _) = drawing.split_once("</svg>").unwrap();
        check_xml(&format!("<svg{drawing}</svg>"));
    }
}

/// Checks that a drawing is well-formed XML without a script, a link or an event.
pub(crate) fn check_xml(svg: &str) {
    let mut reader = Reader::from_str(svg);
    let mut depth = 0_i32;
    loop {
        match reader
            .read_event()
            .unwrap_or_else(|error| panic!("{error}: {svg}"))
        {
            Event::Start(start) => {
                depth += 1;
                known(&start);
            }
            Event::Empty(start) => known(&start),
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            Event::Text(_) | Event::GeneralRef(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(depth, 0);
    let allowed = |c: char| matches!(c, '\n' | '\t' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(svg.chars().all(allowed), "characters of XML");
    assert!(!svg.contains("NaN") && !svg.contains("inf "), "{svg}");
}

fn known(start: &quick_xml::events::BytesStart<'_>) {
    let name = start.name();
    assert!(TAGS.contains(&name.as_ref()), "{name:?}");
    for attribute in start.attributes() {
        let attribute = attribute.expect("an attribute");
        let key = attribute.key.as_ref();
        assert!(ATTRIBUTES.contains(&key) && key != "href", "{key}");
    }
}

/// The text of a page without its tags.
pub(crate) fn text_of(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        text.push(' ');
        let raw = RAW.into_iter().find(|raw| after.starts_with(raw));
        let end = raw.map_or_else(|| ">".to_owned(), |raw| format!("</{raw}>"));
        rest = after.split_once(&end).unwrap().1;
    }
    text.push_str(rest);
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&#39;", "'")
        .replace("&amp;", "&")
        .replace('\u{a0}', " ")
}
