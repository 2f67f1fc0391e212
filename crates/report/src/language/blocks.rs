//! Translates blocks to the language of the document.

use tenbin_result::{Document, Language};

use super::catalogue::Translator;
use super::{figure_words, translator, translator_beside};
use crate::block::chart::{Chart, Drawing, Panels};
use crate::block::{Block, Cell, Look, Span, Table, Text};

/// Characters at both ends of a span that are not looked up in the catalogue and remain in the
/// translation.
const AROUND: &[char] = &[' ', '→', ':'];

/// Maximum length of a figure in a cell, bytes; longer text counts as a sentence.
const LONGEST_FIGURE: usize = 40;

/// Translates blocks to the language of the document.
pub(crate) fn translated(document: &Document, blocks: Vec<Block>) -> Vec<Block> {
    translated_by(translator(document), blocks)
}

/// Translates blocks that are not of a document, but not the `names` in them.
pub(crate) fn translated_beside<'a>(
    language: Language,
    names: impl Iterator<Item = &'a str>,
    blocks: Vec<Block>,
) -> Vec<Block> {
    translated_by(translator_beside(language, names), blocks)
}

fn translated_by(translator: Option<Translator<'_>>, blocks: Vec<Block>) -> Vec<Block> {
    match translator {
        None => blocks,
        Some(translator) => blocks
            .into_iter()
            .map(|block| of_block(&translator, block))
            .collect(),
    }
}

fn of_block(translator: &Translator<'_>, block: Block) -> Block {
    match block {
        Block::Heading(text) => Block::Heading(of_text(translator, text)),
        Block::Paragraph(text) => Block::Paragraph(of_text(translator, text)),
        Block::List(points) => Block::List(
            points
                .into_iter()
                .map(|point| of_text(translator, point))
                .collect(),
        ),
        Block::Table(table) => Block::Table(of_table(translator, table)),
        Block::Chart(chart) => Block::Chart(Box::new(of_chart(translator, *chart))),
        Block::Verbatim(text) => Block::Verbatim(text),
    }
}

fn of_table(translator: &Translator<'_>, mut table: Table) -> Table {
    table.words = figure_words(translator.language).clone();
    for head in &mut table.head {
        replace(translator, head);
    }
    for cell in table.rows.iter_mut().flatten() {
        if let Cell::Text(text) = cell {
            // Figures need no translation, but evidence can begin with a figure.
            let letters = text.letters();
            if letters.starts_with(|c: char| c.is_alphabetic() || c == '(')
                || letters.len() > LONGEST_FIGURE
            {
                *text = of_text(translator, std::mem::take(text));
            }
        }
    }
    table
}

fn of_chart(translator: &Translator<'_>, mut chart: Chart) -> Chart {
    replace(translator, &mut chart.title);
    chart.about = of_text(translator, Text::plain(chart.about)).letters();
    chart.table = chart.table.map(|table| of_table(translator, table));
    if let Drawing::Forest(forest) = &mut chart.drawing {
        for side in &mut forest.sides {
            replace(translator, side);
        }
        for row in &mut forest.rows {
            replace(translator, &mut row.label);
            replace(translator, &mut row.said);
        }
    }
    if let Drawing::Plane(plane) = &mut chart.drawing {
        for quarter in &mut plane.quarters {
            replace(translator, quarter);
        }
    }
    if let Drawing::Panels(panels) = &mut chart.drawing {
        of_panels(translator, panels);
    }
    chart
}

fn of_panels(translator: &Translator<'_>, panels: &mut Panels) {
    replace(translator, &mut panels.x.title);
    for panel in &mut panels.panels {
        replace(translator, &mut panel.title);
        replace(translator, &mut panel.y.title);
        for named in &mut panel.named {
            replace(translator, &mut named.name);
        }
        for series in &mut panel.series {
            replace(translator, &mut series.name);
        }
    }
}

fn replace(translator: &Translator<'_>, text: &mut String) {
    if let Some(translated) = translator.translate(text) {
        *text = translated;
    }
}

/// Translates a text as a whole, or its spans one by one if the catalogue does not contain the
/// text.
fn of_text(translator: &Translator<'_>, text: Text) -> Text {
    with_full_stop(translated_text(translator, text))
}

/// The text with the full stop of its language.
fn with_full_stop(text: Text) -> Text {
    let is_japanese = |c: char| ('\u{3040}'..'\u{3100}').contains(&c);
    let Some((last, before)) = text.spans().split_last() else {
        return text;
    };
    match last.text.strip_suffix('.') {
        Some(sentence) if text.letters().contains(is_japanese) => {
            let mut all = Text::default();
            for span in before {
                all = all.and(span.look, span.text.clone());
            }
            all.and(last.look, format!("{sentence}。"))
        }
        _ => text,
    }
}

fn translated_text(translator: &Translator<'_>, text: Text) -> Text {
    match translator.translate(&text.letters()) {
        Some(translated) => with_looks(&text, &translated),
        None => text
            .spans()
            .iter()
            .fold(Text::default(), |all, span| match span.look {
                Look::Code => all.and(Look::Code, span.text.clone()),
                look => all.and(look, of_part(translator, span)),
            }),
    }
}

fn of_part(translator: &Translator<'_>, span: &Span) -> String {
    let inner = span.text.trim_matches(AROUND);
    match translator.translate(inner) {
        Some(translated) => span.text.replacen(inner, &translated, 1),
        None => span.text.clone(),
    }
}

/// Applies the styles of the original to the translation, where both contain the same words.
fn with_looks(original: &Text, translated: &str) -> Text {
    let mut text = Text::default();
    let mut rest = translated;
    for span in original.spans() {
        if span.look == Look::Plain || span.text.is_empty() {
            continue;
        }
        if span.text == original.letters() {
            return Text::default().and(span.look, translated);
        }
        if let Some(at) = rest.find(&span.text) {
            text = text
                .and(Look::Plain, &rest[..at])
                .and(span.look, span.text.clone());
            rest = &rest[at + span.text.len()..];
        }
    }
    text.and(Look::Plain, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn japanese(text: Text) -> Text {
        let pair = include_bytes!("../../tests/documents/pair.json");
        let mut document = tenbin_result::document_from_json(pair).expect("a document");
        document.language = Language::Japanese;
        let blocks = translated(&document, vec![Block::Paragraph(text)]);
        match blocks.into_iter().next() {
            Some(Block::Paragraph(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    /// The name of a target can be a word of the catalogue.
    #[test]
    fn names_are_not_translated() {
        assert_eq!(japanese(Text::plain("memory")), Text::plain("memory"));
        assert_eq!(japanese(Text::plain("errors")), Text::plain("エラー"));
    }
}
