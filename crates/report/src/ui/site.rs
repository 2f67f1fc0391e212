//! What all pages have in common: the frame, addresses and texts.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tenbin_result::{Language, Message};

use crate::chart;
use crate::escape::{for_field, for_xml};
use crate::language::{of_ui, say_in};
use crate::page::html::{STYLE, ServedPage, hash, short};

const UI_STYLE: &str = include_str!("ui.css");

/// Characters that are written as `%…` in an address: all but letters, digits and these four.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The address of the pages and the language of their reader.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// Path below which all pages are, with a slash at both ends.
    pub base: &'a str,
    /// The token that every form sends.
    pub token: &'a str,
    /// The directory of the runs.
    pub directory: &'a str,
    /// Language of the pages.
    pub language: Language,
}

/// A page of the site, without its frame.
pub(super) struct Content {
    pub(super) title: String,
    /// The address of the page in the navigation, if it is there.
    pub(super) tab: Option<&'static str>,
    /// Class of the body, which sets the width.
    pub(super) class: &'static str,
    /// The content as HTML.
    pub(super) main: String,
}

/// Address and name of the pages in the navigation.
const TABS: [(&str, &str); 2] = [("", "Runs"), ("history", "History")];

impl Site<'_> {
    /// A fixed text, in the language of the site.
    pub(super) fn text(&self, english: &'static str) -> &'static str {
        of_ui(self.language, english)
    }

    /// A message, in the language of the site, escaped.
    pub(super) fn say(&self, message: &Message) -> String {
        for_xml(&say_in(self.language, message))
    }

    /// The address of the page of a run.
    pub fn run_address(&self, name: &str) -> String {
        self.run(name, "")
    }

    /// The address of the list after a run was moved to the trash.
    pub fn list_after(&self, moved: &str) -> String {
        format!("{}?moved={}", self.base, encoded(moved))
    }

    /// The address of a page of a run; `page` is empty or begins with a slash.
    pub(super) fn run(&self, name: &str, page: &str) -> String {
        format!("{}run/{}{page}", self.base, encoded(name))
    }

    /// The hidden field with the token.
    pub(super) fn token_field(&self) -> String {
        format!(
            "<input type=\"hidden\" name=\"token\" value=\"{}\">",
            for_xml(self.token)
        )
    }

    /// The whole page.
    pub(super) fn page(&self, content: &Content) -> ServedPage {
        let style = format!("{}{STYLE}{UI_STYLE}", chart::STYLE);
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'self'; \
             frame-ancestors 'none'",
            hash(&style)
        );
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"referrer\" content=\"same-origin\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{} · Tenbin</title>\n\
             <style>{style}</style>\n</head>\n<body class=\"{}\">\n{}<main>\n{}</main>\n</body>\n</html>\n",
            self.language.tag(),
            for_xml(&short(&content.title)),
            content.class,
            self.navigation(content.tab),
            content.main
        );
        ServedPage { html, policy }
    }

    fn navigation(&self, current: Option<&str>) -> String {
        let mut html = "<nav class=\"site\" aria-label=\"Tenbin\">\n<b>Tenbin</b>\n".to_owned();
        for (address, name) in TABS {
            let is_current = if current == Some(address) {
                " aria-current=\"page\""
            } else {
                ""
            };
            let _ = writeln!(
                html,
                "<a href=\"{}{address}\"{is_current}>{}</a>",
                self.base,
                self.text(name)
            );
        }
        let directory = for_xml(&short(self.directory));
        html + &format!("<span class=\"where\">{directory}</span>\n</nav>\n")
    }
}

/// A text as a part of an address.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A labelled text field. `kind` is that of the input.
pub(super) fn field(label: &str, kind: &str, name: &str, value: &str, more: &str) -> String {
    format!(
        "<label>{label}<input type=\"{kind}\" name=\"{name}\" value=\"{}\"{more}></label>\n",
        for_field(value)
    )
}

/// A labelled choice: value and text of each option.
pub(super) fn choice(
    label: &str,
    name: &str,
    chosen: &str,
    options: &[(String, String)],
) -> String {
    let mut html = format!("<label>{label}<select name=\"{name}\">");
    for (value, text) in options {
        let selected = if value == chosen { " selected" } else { "" };
        let _ = write!(
            html,
            "<option value=\"{}\"{selected}>{}</option>",
            for_field(value),
            for_xml(&short(text))
        );
    }
    html + "</select></label>\n"
}
