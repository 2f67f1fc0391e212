//! Pages of an encyclopedia, which are the documents of a corpus.

use std::io::{self, Write};

use crate::groonga;
use crate::json::Json;

/// A page of an encyclopedia.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Page number, used as key.
    pub id: u64,
    /// Title.
    pub title: String,
    /// Text.
    pub text: String,
    /// Categories, without duplicates.
    pub categories: Vec<String>,
}

impl Page {
    /// Truncates the text to `limit` characters; `None` for no limit.
    pub(crate) fn cut(&mut self, limit: Option<usize>) {
        let end = limit.and_then(|limit| self.text.char_indices().nth(limit));
        if let Some((end, _)) = end {
            self.text.truncate(end);
        }
    }

    fn record(&self) -> Json {
        let categories = self.categories.iter().map(|name| Json::text(name.as_str()));
        Json::Map(vec![
            ("_key".to_owned(), Json::Number(self.id.into())),
            ("title".to_owned(), Json::text(self.title.as_str())),
            ("text".to_owned(), Json::text(self.text.as_str())),
            ("categories".to_owned(), Json::List(categories.collect())),
        ])
    }
}

/// Writes pages as a Groonga `load` command.
#[derive(Debug)]
pub struct PageWriter<W: Write> {
    output: W,
    pages: u64,
}

impl<W: Write> PageWriter<W> {
    /// Starts the `load` command.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn new(mut output: W) -> io::Result<Self> {
        output.write_all(groonga::load_begin().as_bytes())?;
        Ok(Self { output, pages: 0 })
    }

    /// Writes a page.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn write(&mut self, page: &Page) -> io::Result<()> {
        let separator = if self.pages == 0 { "\n" } else { ",\n" };
        self.output.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut self.output, &page.record())?;
        self.pages += 1;
        Ok(())
    }

    /// Ends the `load` command; returns the number of pages and the output.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.output.write_all(groonga::load_end().as_bytes())?;
        self.output.flush()?;
        Ok((self.pages, self.output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_written_in_the_format_of_the_tutorial() {
        let page = |id: u64, text: &str| Page {
            id,
            title: "町中".to_owned(),
            text: text.to_owned(),
            categories: vec!["日本".to_owned(), "駅".to_owned()],
        };
        let written = |pages: &[Page]| {
            let mut writer = PageWriter::new(Vec::new()).unwrap();
            for page in pages {
                writer.write(page).unwrap();
            }
            String::from_utf8(writer.finish().unwrap().1).unwrap()
        };
        assert_eq!(written(&[]), "load --table Pages\n[\n]\n");
        assert_eq!(
            written(&[page(5, "短い本文"), page(6, "a\n\"b\"")]),
            "load --table Pages\n[\n\
             {\"_key\":5,\"title\":\"町中\",\"text\":\"短い本文\",\"categories\":[\"日本\",\"駅\"]},\n\
             {\"_key\":6,\"title\":\"町中\",\"text\":\"a\\n\\\"b\\\"\",\"categories\":[\"日本\",\"駅\"]}\n\
             ]\n"
        );
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let mut page = Page {
            id: 1,
            title: String::new(),
            text: "日本a語".to_owned(),
            categories: Vec::new(),
        };
        page.cut(None);
        page.cut(Some(4));
        assert_eq!(page.text, "日本a語");
        page.cut(Some(2));
        assert_eq!(page.text, "日本");
        page.cut(Some(0));
        assert_eq!(page.text, "");
    }
}
