//! Prints the history of runs: a table, a sparkline and the changes of each series, for a terminal
//! or with charts for a page.

mod chart;
mod left_out;
mod sparkline;
mod words;

use tenbin_result::format::ratio;
use tenbin_result::{
    Figure, History, HistoryPoint, HistorySeries, Language, Trust, Value, message,
};
use tenbin_verdict::named_metric;

use crate::block::{Block, Cell, Look, Table, Text};
use crate::escape::for_json;
use crate::language::{say_in, translated_beside};
use crate::page;
use left_out::left_out;
use sparkline::sparkline;
use words::{change, circumstances, from_to, note};

/// Most runs in a table without `all`.
pub const MOST_RUNS: usize = 20;
/// Column headers of the table.
const COLUMNS: [&str; 6] = ["run", "label", "value", "interval", "absolute", "note"];

/// The history as text for a terminal. `all` prints every run, otherwise the newest of each series.
/// Ends with a newline.
pub fn terminal_history(history: &History, language: Language, all: bool) -> String {
    let most = if all { usize::MAX } else { MOST_RUNS };
    page::terminal::plain(&blocks(history, language, most, false), usize::MAX)
}

/// The history as a self-contained HTML page with charts.
pub fn html_history(history: &History, language: Language) -> String {
    let blocks = page_blocks(history, language, usize::MAX);
    page::html::of_blocks(&page_title(history, language), language, &blocks, ALL)
}

/// The command that prints all of a history.
pub(crate) const ALL: &str = "tenbin history --all";

/// The title of the page of a history.
pub(crate) fn page_title(history: &History, language: Language) -> String {
    let title = message!("history-page", directory = history.directory.as_str());
    say_in(language, &title)
}

/// The content of a page with charts, with the newest `most` runs in tables.
pub(crate) fn page_blocks(history: &History, language: Language, most: usize) -> Vec<Block> {
    blocks(history, language, most, true)
}

/// The history as JSON. Ends with a newline.
pub fn history_json(history: &History) -> String {
    let text = serde_json::to_string_pretty(history).expect("plain data becomes JSON");
    for_json(text) + "\n"
}

fn blocks(history: &History, language: Language, most: usize, drawn: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    for series in &history.series {
        // A chart has the title itself.
        if !drawn || series.points.len() < 2 {
            blocks.push(Block::heading(title(series, language)));
        }
        blocks.extend(of_series(history, series, language, most, drawn));
    }
    let whole = left_out(history, None, language);
    blocks.extend(whole.iter().map(|line| Block::sentence(line)));
    let names = history.series.iter().flat_map(|series| {
        let points = series.points.iter();
        let runs = points.flat_map(|point| [Some(point.run.as_str()), point.label.as_deref()]);
        runs.flatten()
            .chain([series.target.as_str(), series.workload.as_str()])
    });
    translated_beside(language, names, blocks)
}

/// What the series is about: `throughput of app at get, divided by that of ref`.
fn title(series: &HistorySeries, language: Language) -> String {
    let title = message!(
        "history-title",
        metric = named_metric(&series.metric, &series.metric.to_string()),
        target = series.target.as_str(),
        workload = series.workload.as_str(),
        relative = series.anchor.is_some(),
        anchor = series.anchor.clone().unwrap_or_default()
    );
    say_in(language, &title)
}

fn of_series(
    history: &History,
    series: &HistorySeries,
    language: Language,
    most: usize,
    drawn: bool,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let say = |message| say_in(language, &message);
    if series.anchor.is_none() {
        let text = Text::default().and(
            Look::Doubtful,
            say(message!("history-no-anchor", itself = series.is_anchor)),
        );
        blocks.push(Block::Paragraph(text));
    }
    if drawn {
        blocks.extend(chart::chart(series, language));
    } else {
        blocks.extend(sparkline(series).map(Block::Verbatim));
    }
    blocks.extend(span(series, language).map(|span| Block::sentence(&span)));
    blocks.extend(table(series, language, most).block());
    let hidden = series.points.len().saturating_sub(most);
    if hidden > 0 {
        let more = message!("history-more", count = hidden as u64);
        blocks.push(Block::sentence(&say(more)));
    }
    blocks.extend(
        judged(series, language)
            .iter()
            .map(|line| Block::sentence(line)),
    );
    let own = (series.target.as_str(), series.workload.as_str());
    let lines = left_out(history, Some(own), language);
    blocks.extend(lines.iter().map(|line| Block::sentence(line)));
    blocks
}

/// Number of runs, first and last day, and the range of the values.
fn span(series: &HistorySeries, language: Language) -> Option<String> {
    let (first, last) = (series.points.first()?, series.points.last()?);
    let values = || series.points.iter().filter_map(|point| point.value);
    let low = values().map(|it| it.value).fold(f64::INFINITY, f64::min);
    let high = values()
        .map(|it| it.value)
        .fold(f64::NEG_INFINITY, f64::max);
    let [first, last] = from_to(&first.started, &last.started);
    let span = message!(
        "history-span",
        count = series.points.len() as u64,
        first,
        last,
        low = value(series, low),
        high = value(series, high)
    );
    Some(say_in(language, &span))
}

/// A value of the series as text.
fn value(series: &HistorySeries, value: f64) -> String {
    match (&series.anchor, series.metric.known()) {
        (None, Some(metric)) => metric.unit().of(value),
        _ => ratio(value),
    }
}

fn table(series: &HistorySeries, language: Language, most: usize) -> Table {
    let mut table = Table::new(1, COLUMNS);
    let skipped = series.points.len().saturating_sub(most);
    for point in series.points.iter().skip(skipped) {
        table.push(row(series, point, language));
    }
    table
}

fn row(series: &HistorySeries, point: &HistoryPoint, language: Language) -> [Cell; COLUMNS.len()] {
    let known = point.value.map(|figure| value(series, figure.value));
    let ends = point.value.and_then(|figure: Figure| figure.interval);
    let ends = ends.map(|ends| format!("{}–{}", value(series, ends.low), value(series, ends.high)));
    let absolute = point
        .absolute
        .zip(series.metric.known())
        .filter(|_| series.anchor.is_some());
    let look = match (point.outlier, point.trust) {
        (true, _) | (_, Trust::Suspect) => Look::Doubtful,
        _ => Look::Plain,
    };
    let note = note(series, point, language);
    [
        Cell::Text(Text::plain(point.run.clone())),
        Cell::Text(Text::plain(point.label.clone().unwrap_or_default())),
        Cell::Text(Text::plain(known.unwrap_or_default())),
        Cell::Text(Text::plain(ends.unwrap_or_default())),
        Cell::Text(Text::plain(
            absolute.map_or_else(String::new, |(figure, metric)| metric.unit().of(figure)),
        )),
        Cell::Text(Text::default().and(look, note)),
    ]
}

/// The changes, or that there are none, or why none were looked for.
fn judged(series: &HistorySeries, language: Language) -> Vec<String> {
    let say = |message| say_in(language, &message);
    let count = series.points.len() as u64;
    if !series.judged {
        return vec![say(message!(
            "history-too-few",
            count,
            fewest = Value::Count(tenbin_stats::FEWEST_RUNS as u64)
        ))];
    }
    let between = Value::Share(series.between_runs.unwrap_or(0.0));
    if series.changes.is_empty() {
        return vec![say(message!("history-no-change", count, between))];
    }
    let mut lines = Vec::new();
    for each in &series.changes {
        lines.push(say(change(series, each)));
        lines.push(say(circumstances(series, each)));
    }
    lines.push(say(message!("history-variation", between)));
    lines
}
