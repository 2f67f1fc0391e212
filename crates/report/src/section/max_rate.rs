//! The section on maximum-rate searches: every step, and the result.

use tenbin_result::format::{SHARE, TIME, UNKNOWN, digits, exact_rate, fixed_seconds};
use tenbin_result::{Document, LimitKind, Message, Search, SearchLimit, SearchProbe, message};
use tenbin_verdict::sentences;

use crate::block::{Block, Cell, Table};
use crate::language::{clauses, say};

/// Most probes of a search that the first screen shows: the last ones, which are nearest to the result.
const MOST_ON_SCREEN: usize = 8;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let searches = document.searches.iter();
    let with_result = |search: &Search| {
        let mut blocks = of_search(document, search, search.probes.len());
        blocks.extend(whole_result(document, search));
        blocks
    };
    searches.flat_map(with_result).collect()
}

/// The whole result of a search, if headlines have only a part.
fn whole_result(document: &Document, search: &Search) -> Option<Block> {
    let whole = sentences::of_search(search);
    let is_partial = whole != sentences::of_search_in_short(document, search);
    is_partial.then(|| Block::sentence(&say(document, &whole)))
}

/// As [`blocks`], but only the last probes of each search.
pub(super) fn in_short(document: &Document) -> Vec<Block> {
    let searches = document.searches.iter();
    searches
        .flat_map(|search| of_search(document, search, MOST_ON_SCREEN))
        .collect()
}

/// The last `most` probes of a search, and how to see the others.
fn of_search(document: &Document, search: &Search, most: usize) -> Vec<Block> {
    let title = message!(
        "target-at",
        target = &search.target,
        workload = &search.workload
    );
    let mut blocks = vec![Block::heading(say(document, &title))];
    let count = search.probes.len();
    let left_out = count.saturating_sub(most);
    let mut table = Table::new(1, head(search));
    for probe in &search.probes[left_out..] {
        table.push(row(probe, search));
    }
    blocks.extend(table.block());
    let words = explained(&search.probes[left_out..], search);
    blocks.extend(words.map(|words| Block::sentence(&say(document, &words))));
    if left_out > 0 {
        let more = message!("last-probes", shown = most, count);
        blocks.push(Block::sentence(&say(document, &more)));
    }
    blocks
}

/// What the words in the last column mean that do not explain themselves; `None` without such words.
fn explained(probes: &[SearchProbe], search: &Search) -> Option<Message> {
    let is_open = |probe: &SearchProbe| !probe.void && search.undecided.contains(&probe.rate);
    let open = probes.iter().any(is_open);
    let void = probes.iter().any(|probe| probe.void);
    let words = [
        open.then(|| message!("probe-open")),
        void.then(|| message!("probe-void")),
    ];
    let mut words = words.into_iter().flatten();
    words.next().map(|first| clauses(first, words))
}

/// Column headers of the probes, with one column per limit of the objective.
fn head(search: &Search) -> Vec<String> {
    let mut head = ["offered", "purpose", "length"].map(str::to_owned).to_vec();
    if let Some(probe) = search.probes.first() {
        head.extend(probe.limits.iter().map(|limit| match limit.kind {
            Some(LimitKind::Backlog) => "backlog grew by".to_owned(),
            _ => limit.limit.clone(),
        }));
    }
    head.push("held".to_owned());
    head
}

fn row(probe: &SearchProbe, search: &Search) -> Vec<Cell> {
    let mut row: Vec<Cell> = vec![
        exact_rate(probe.rate).into(),
        if probe.proof { "prove" } else { "find" }.into(),
        fixed_seconds(probe.seconds, 1).into(),
    ];
    row.extend(probe.limits.iter().map(seen));
    row.push(held(probe, search).into());
    row
}

/// Whether the probe held, and what its rate lacks to be decided: probes at this rate or nearby that
/// contradict each other, or are too few.
fn held(probe: &SearchProbe, search: &Search) -> &'static str {
    let is_open = search.undecided.contains(&probe.rate);
    match (probe.held, probe.borderline) {
        _ if probe.void => "no: does not count",
        (true, _) if is_open => "held; more steps to decide",
        (false, _) if is_open => "missed; more steps to decide",
        (true, false) => "yes",
        (true, true) => "yes, closely",
        (false, false) => "no",
        (false, true) => "no, closely",
    }
}

fn seen(limit: &SearchLimit) -> Cell {
    match limit.kind {
        Some(LimitKind::Errors | LimitKind::Backlog) => Cell::once(SHARE, limit.seen),
        Some(LimitKind::Time) => Cell::once(TIME, limit.seen),
        None => limit.seen.map_or_else(|| UNKNOWN.to_owned(), digits).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(held: bool) -> SearchProbe {
        SearchProbe {
            slice: 0,
            rate: 100.0,
            proof: false,
            seconds: 1.0,
            held,
            borderline: false,
            void: false,
            limits: Vec::new(),
            client_busiest_thread: 0.1,
        }
    }

    fn search(undecided: Vec<f64>) -> Search {
        Search {
            workload: "get".to_owned(),
            target: "a".to_owned(),
            slo: "p99<10ms".to_owned(),
            outcome: tenbin_result::SearchOutcome::Unknown,
            rate: None,
            failed: None,
            undecided,
            missed: None,
            probes: vec![probe(true)],
            trust: tenbin_result::Trust::Valid,
            sentence: String::new(),
            data: None,
        }
    }

    #[test]
    fn the_first_screen_has_the_last_probes_and_says_how_many_there_are() {
        let rows = |probes: usize, of: fn(&Document) -> Vec<Block>| {
            let mut search = search(Vec::new());
            search.probes = vec![probe(true); probes];
            let document = Document {
                searches: vec![search],
                ..Document::default()
            };
            let blocks = of(&document);
            let said = blocks
                .iter()
                .any(|block| matches!(block, Block::Paragraph(_)));
            let tables = blocks.iter().filter_map(|block| match block {
                Block::Table(table) => Some(table.rows.len()),
                _ => None,
            });
            (tables.sum::<usize>(), said)
        };
        assert_eq!(rows(8, in_short), (8, false));
        assert_eq!(rows(20, in_short), (8, true));
        assert_eq!(rows(20, blocks), (20, false));
    }

    #[test]
    fn an_undecided_probe_says_what_is_missing() {
        assert_eq!(
            held(&probe(true), &search(vec![100.0])),
            "held; more steps to decide"
        );
        assert_eq!(
            held(&probe(false), &search(vec![100.0])),
            "missed; more steps to decide"
        );
        assert_eq!(held(&probe(true), &search(Vec::new())), "yes");
        let void = SearchProbe {
            void: true,
            ..probe(false)
        };
        let said = |probe: SearchProbe, undecided: Vec<f64>| {
            let message = explained(&[probe], &search(undecided))?;
            Some(crate::language::say(&Document::default(), &message))
        };
        let open = said(probe(true), vec![100.0]).expect("an explanation");
        assert!(open.starts_with("\"more steps to decide\": "), "{open}");
        let void = said(void, vec![100.0]).expect("an explanation");
        assert!(void.starts_with("\"no: does not count\": "), "{void}");
        assert_eq!(said(probe(true), Vec::new()), None);
    }
}
