//! Parses the pages of a MediaWiki XML dump.

use std::io::{self, BufRead};

use quick_xml::Reader;
use quick_xml::errors::Error as XmlError;
use quick_xml::events::{BytesRef, BytesStart, Event};
use tenbin_plan::{Sentence, sentence};

use super::categories::categories;
use crate::error::Error;
use crate::page::Page;
use crate::source::Source;

/// Number of the namespace of articles.
const ARTICLES: &str = "0";
/// Number of the namespace of categories.
const CATEGORIES: &str = "14";
/// Names of the category namespace that MediaWiki always accepts. The head of a dump lists only one
/// name, but pages use other names too.
const CATEGORY_WORDS: [&str; 2] = ["Category", "カテゴリ"];
/// Names of other namespaces, for dumps whose pages have no namespace numbers.
const OTHER_PREFIXES: [&str; 17] = [
    "Category", "カテゴリ", "File", "Image", "ファイル", "画像", "Media", "メディア", "Template",
    "テンプレート", "Help", "ヘルプ", "User", "利用者", "Talk", "ノート", "Portal",
];
/// Maximum nesting depth of XML elements.
const DEEPEST: usize = 64;

/// How a dump ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The last end tag was read.
    Whole,
    /// The dump is truncated.
    CutOff,
}

/// Parser of a dump.
#[derive(Debug)]
pub struct Dump<R> {
    name: String,
    reader: Reader<Source<R>>,
    buffer: Vec<u8>,
    /// Names of the open elements, outermost first.
    path: Vec<String>,
    /// The page being parsed.
    draft: Draft,
    /// Names of the category namespace.
    categories: Vec<String>,
    /// Names of the other namespaces, for dumps whose pages have no namespace numbers.
    prefixes: Vec<String>,
    /// Number of the namespace whose name is being parsed in the head of the dump.
    namespace: String,
    text_limit: Option<usize>,
    /// Pages skipped: redirects and pages that are not articles.
    skipped: u64,
    end: Option<End>,
}

#[derive(Debug, Default)]
struct Draft {
    title: String,
    namespace: String,
    id: String,
    text: String,
    redirect: bool,
}

impl<R: BufRead> Dump<R> {
    /// Parses `input`; error messages call the input `name`. Texts are truncated to `text_limit`
    /// characters.
    pub fn new(name: impl Into<String>, input: R, text_limit: Option<usize>) -> Self {
        Self {
            name: name.into(),
            reader: Reader::from_reader(Source::new(input)),
            buffer: Vec::new(),
            path: Vec::new(),
            draft: Draft::default(),
            categories: CATEGORY_WORDS.map(str::to_owned).to_vec(),
            prefixes: OTHER_PREFIXES.map(str::to_owned).to_vec(),
            namespace: String::new(),
            text_limit,
            skipped: 0,
            end: None,
        }
    }

    /// Pages skipped so far: redirects and pages that are not articles.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Uncompressed bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.reader.get_ref().place().byte
    }

    /// How the dump ended; `None` before its end.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The next article; `None` at the end.
    ///
    /// # Errors
    /// What is wrong with the dump, and where. A truncated dump is not an error: see [`Dump::end`].
    pub fn next_page(&mut self) -> Result<Option<Page>, Error> {
        while self.end.is_none() {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            self.reader.get_mut().begin_piece();
            let event = match self.reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(error) => return self.failed(error),
            };
            let closed = match event {
                Event::Start(start) => {
                    self.open(&start)?;
                    false
                }
                Event::Empty(start) => {
                    self.open(&start)?;
                    self.path.pop();
                    false
                }
                Event::Text(text) => {
                    self.add(&text.xml10_content())?;
                    false
                }
                Event::CData(text) => {
                    self.add(&text.xml10_content())?;
                    false
                }
                Event::GeneralRef(reference) => {
                    let resolved = resolve(&reference);
                    let resolved = resolved.map_err(|reason| self.malformed(reason))?;
                    self.add(resolved.encode_utf8(&mut [0; 4]))?;
                    false
                }
                Event::End(_) => self.close(),
                Event::Eof => {
                    self.finish()?;
                    false
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => false,
            };
            self.buffer = buffer;
            if closed && let Some(page) = self.take_page()? {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), Error> {
        let name = start.local_name().as_ref().to_owned();
        if self.path.is_empty() && name != "mediawiki" {
            let reason = sentence!(
                "dump-begins-with",
                "not a MediaWiki dump: it starts with <{name}>",
                name
            );
            return Err(self.malformed(reason));
        }
        if self.path.len() >= DEEPEST {
            return Err(
                self.malformed(sentence!("dump-too-deep", "elements are nested too deeply"))
            );
        }
        self.path.push(name);
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        match path[..] {
            ["mediawiki", "page"] => self.draft = Draft::default(),
            ["mediawiki", "page", "redirect"] => self.draft.redirect = true,
            // In dumps with all revisions, the last revision is used.
            ["mediawiki", "page", "revision", "text"] => self.draft.text.clear(),
            ["mediawiki", "siteinfo", "namespaces", "namespace"] => {
                self.namespace = attribute(start, "key").unwrap_or_default();
            }
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, text: &str) -> Result<(), Error> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        let field = match path[..] {
            ["mediawiki", "page", "title"] => &mut self.draft.title,
            ["mediawiki", "page", "ns"] => &mut self.draft.namespace,
            ["mediawiki", "page", "id"] => &mut self.draft.id,
            ["mediawiki", "page", "revision", "text"] => &mut self.draft.text,
            ["mediawiki", "siteinfo", "namespaces", "namespace"] => {
                let name = text.trim().to_owned();
                if self.namespace == CATEGORIES && !self.categories.contains(&name) {
                    self.categories.push(name.clone());
                }
                if self.namespace != ARTICLES && !name.is_empty() {
                    self.prefixes.push(name);
                }
                return Ok(());
            }
            [] if !text.trim().is_empty() => {
                return Err(self.malformed(sentence!(
                    "dump-no-tag-here",
                    "not XML: text where a tag is expected"
                )));
            }
            _ => return Ok(()),
        };
        if field.len() + text.len() > crate::source::LONGEST {
            return Err(self.malformed(sentence!(
                "dump-text-too-long",
                "one text is longer than 64 MiB"
            )));
        }
        field.push_str(text);
        Ok(())
    }

    /// Handles an end tag; returns whether a page has ended.
    fn close(&mut self) -> bool {
        let closed = self.path.pop();
        if self.path.is_empty() {
            self.end = Some(End::Whole);
        }
        closed.as_deref() == Some("page") && self.path.len() == 1
    }

    /// Handles the end of the input between elements.
    fn finish(&mut self) -> Result<(), Error> {
        if self.bytes() == 0 {
            return Err(self.malformed(sentence!("dump-empty", "it is empty")));
        }
        if self.path.is_empty() {
            return Err(self.malformed(sentence!(
                "dump-without-tag",
                "not a MediaWiki dump: it has no tag"
            )));
        }
        self.end = Some(End::CutOff);
        Ok(())
    }

    /// Returns the page that has just ended, if the page is an article.
    fn take_page(&mut self) -> Result<Option<Page>, Error> {
        let draft = std::mem::take(&mut self.draft);
        if !self.is_article(&draft) {
            self.skipped += 1;
            return Ok(None);
        }
        if draft.title.is_empty() {
            return Err(self.malformed(sentence!(
                "page-without-title",
                "the page that ends here has no <title>"
            )));
        }
        let id = draft.id.trim();
        let id = id.parse().map_err(|_| {
            let title = tenbin_http::excerpt(&draft.title);
            self.malformed(sentence!(
                "page-id-no-number",
                "the page {title:?} ends here, and its <id> is {id:?}, which is not a number",
                title,
                id
            ))
        })?;
        let mut page = Page {
            id,
            title: draft.title,
            categories: categories(&draft.text, &self.categories),
            text: draft.text,
        };
        page.cut(self.text_limit);
        Ok(Some(page))
    }

    fn is_article(&self, draft: &Draft) -> bool {
        let namespace = draft.namespace.trim();
        let elsewhere = || {
            let prefix = draft.title.split_once(':').map(|(prefix, _)| prefix);
            prefix.is_some_and(|prefix| self.prefixes.iter().any(|known| known == prefix))
        };
        let is_elsewhere = match namespace {
            "" => elsewhere(),
            number => number != ARTICLES,
        };
        let head = draft.text.trim_start();
        let redirects = |word: &str| {
            let begin = head.get(..word.len()).unwrap_or_default();
            begin.eq_ignore_ascii_case(word)
        };
        !is_elsewhere && !draft.redirect && !redirects("#redirect") && !redirects("#転送")
    }

    /// Converts a parser error: an input that ends inside an element is a truncated dump.
    fn failed(&mut self, error: XmlError) -> Result<Option<Page>, Error> {
        let cut_off = match &error {
            XmlError::Io(io) => io.kind() == io::ErrorKind::UnexpectedEof,
            // A syntax error at the end of the input means that the input is truncated.
            _ => self.reader.get_ref().has_ended(),
        };
        if cut_off && !self.path.is_empty() {
            self.end = Some(End::CutOff);
            return Ok(None);
        }
        Err(match &error {
            XmlError::Io(io) if !is_about_content(io.kind()) => {
                Error::read(&self.name, io::Error::new(io.kind(), io.to_string()))
            }
            XmlError::Io(io) => self.malformed(sentence!(
                "dump-not-decompressed",
                "it cannot be decompressed: {error}",
                error = io.to_string()
            )),
            error => self.malformed(sentence!(
                "dump-no-xml",
                "{error}",
                error = error.to_string()
            )),
        })
    }

    fn malformed(&self, reason: Sentence) -> Error {
        Error::Malformed {
            name: self.name.clone(),
            place: self.reader.get_ref().place(),
            reason,
        }
    }
}

/// Whether an I/O error was caused by invalid content of the input, not by a failed read.
fn is_about_content(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidData, InvalidInput, Other, UnexpectedEof};
    matches!(
        kind,
        FileTooLarge | InvalidData | InvalidInput | Other | UnexpectedEof
    )
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    Some(attribute.value.to_string())
}

fn resolve(reference: &BytesRef<'_>) -> Result<char, Sentence> {
    let unknown = || {
        let name = tenbin_http::excerpt(&reference.xml10_content());
        sentence!("unknown-entity", "unknown entity &{name};", name)
    };
    if reference.is_char_ref() {
        return reference
            .resolve_char_ref()
            .ok()
            .flatten()
            .ok_or_else(unknown);
    }
    match reference.xml10_content().as_ref() {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(unknown()),
    }
}
