//! The result of a search for the commit that made a server slower.

use tenbin_result::format::{ratio, time};
use tenbin_result::{
    Bisect, BisectCommit, BisectOutcome, BisectRatio, Language, Message, MetricName, Value, message,
};

use crate::block::{Block, Cell, Look, Table, Text};
use crate::escape::{for_json, shortened};
use crate::language::{say_in, translated_beside};
use crate::page;

/// Columns of the table of commits.
const COLUMNS: [&str; 6] = [
    "commit", "date", "rounds", "commit ÷ good", "probability", "subject",
];
/// Rounds of a block: each run compares two commits.
const ROUNDS_PER_BLOCK: u64 = 2;
/// Most commits of a result that is not decided.
const MOST_LIKELY: usize = 5;
/// Probability from which a commit is in the table.
const NOTABLE: f64 = 0.01;
/// Longest subject, characters.
const LONGEST_SUBJECT: usize = 60;
/// Characters of the name of a commit.
const SHORT: usize = 12;

/// The result as text for a terminal. Ends with a newline.
pub fn terminal_bisect(bisect: &Bisect, language: Language) -> String {
    page::terminal::plain(&blocks(bisect, language), usize::MAX)
}

/// The result as JSON. Ends with a newline.
pub fn bisect_json(bisect: &Bisect) -> String {
    let text = serde_json::to_string_pretty(bisect).expect("plain data becomes JSON");
    for_json(text) + "\n"
}

fn blocks(bisect: &Bisect, language: Language) -> Vec<Block> {
    let say = |message: Message| say_in(language, &message);
    let mut blocks = vec![Block::heading(format!(
        "{}  {}",
        word(bisect.outcome),
        say(answer(bisect))
    ))];
    blocks.extend(change(bisect).map(|line| Block::sentence(&say(line))));
    blocks.extend(advice(bisect).map(|line| Block::sentence(&say(line))));
    blocks.extend(table(bisect).block());
    let between = bisect.commits.iter().find(|commit| commit.between);
    let second = between.map(|commit| message!("bisect-between", commit = short(commit)));
    blocks.extend(second.map(|line| Block::sentence(&say(line))));
    for commit in &bisect.commits {
        let skipped = commit
            .skipped
            .as_ref()
            .map(|why| message!("bisect-skipped", commit = short(commit), why = why.as_str()));
        blocks.extend(skipped.map(|line| Block::sentence(&say(line))));
    }
    blocks.push(Block::sentence(&say(effort(bisect))));
    let subjects = bisect.commits.iter().map(|commit| commit.subject.as_str());
    translated_beside(language, subjects, blocks)
}

/// The result as printed: `FOUND`.
fn word(outcome: BisectOutcome) -> &'static str {
    match outcome {
        BisectOutcome::Found => "FOUND",
        BisectOutcome::Group => "FOUND A GROUP",
        BisectOutcome::CannotTell | BisectOutcome::NotProven => "CANNOT TELL",
        BisectOutcome::NotWorse => "NOT SLOWER",
        BisectOutcome::Invalid => "INVALID",
        BisectOutcome::Interrupted => "INTERRUPTED",
    }
}

/// The most probable commits.
fn group(bisect: &Bisect) -> &[BisectCommit] {
    let range = bisect
        .group
        .and_then(|(first, last)| Some(usize::try_from(first).ok()?..=usize::try_from(last).ok()?));
    range
        .and_then(|range| bisect.commits.get(range))
        .unwrap_or_default()
}

/// The first line after the result.
fn answer(bisect: &Bisect) -> Message {
    let of_outcome = match bisect.outcome {
        BisectOutcome::Found => "found",
        BisectOutcome::Group => "group",
        BisectOutcome::CannotTell | BisectOutcome::Interrupted if !group(bisect).is_empty() => {
            "likely"
        }
        BisectOutcome::NotWorse => "not-worse",
        BisectOutcome::NotProven => "not-proven",
        BisectOutcome::Invalid => "invalid",
        BisectOutcome::CannotTell | BisectOutcome::Interrupted => "nothing",
    };
    let group = group(bisect);
    let last = group.last();
    message!(
        "bisect-answer",
        outcome = Value::word(of_outcome),
        commit = last.map(short).unwrap_or_default(),
        date = last.map(|it| day(&it.date)).unwrap_or_default(),
        subject = last
            .map(|it| shortened(&it.subject, LONGEST_SUBJECT))
            .unwrap_or_default(),
        several = Value::Flag(group.len() > 1),
        first = group.first().map(short).unwrap_or_default(),
        count = Value::Count(group.len() as u64),
        good = bisect.good.as_str(),
        bad = bisect.bad.as_str(),
        certainty = bisect.certainty.map_or(Value::Unknown, Value::Share)
    )
}

/// The size of the change: `throughput 0.951 (0.944–0.958) of good`.
fn change(bisect: &Bisect) -> Option<Message> {
    let metric = match bisect.metric.as_ref()? {
        MetricName::Known(metric) => metric.message(),
        MetricName::Other(name) => message!("text", text = name.as_str()),
    };
    let BisectRatio { value, low, high } = bisect.change?;
    let end = |end: Option<f64>, open: &str| end.map_or_else(|| open.to_owned(), ratio);
    Some(message!(
        "bisect-change",
        metric,
        ratio = Value::Ratio(value),
        low = end(low, "0"),
        high = end(high, "∞"),
        bad = bisect.bad.as_str(),
        good = bisect.good.as_str()
    ))
}

/// What would help a search that ended without a commit.
fn advice(bisect: &Bisect) -> Option<Message> {
    let what = match bisect.outcome {
        BisectOutcome::CannotTell if bisect.commits.iter().any(|it| it.between) => "several",
        BisectOutcome::CannotTell if bisect.seconds < bisect.budget_seconds => "builds",
        BisectOutcome::CannotTell => "more",
        BisectOutcome::Group => "group",
        BisectOutcome::NotProven => "ends",
        BisectOutcome::NotWorse => "figure",
        BisectOutcome::Found | BisectOutcome::Invalid | BisectOutcome::Interrupted => return None,
    };
    Some(message!("bisect-advice", what = Value::word(what)))
}

fn table(bisect: &Bisect) -> Table {
    let mut table = Table::new(1, COLUMNS);
    let mut likely: Vec<f64> = bisect
        .commits
        .iter()
        .filter_map(|it| it.probability)
        .collect();
    likely.sort_by(|a, b| b.total_cmp(a));
    let least = likely
        .get(MOST_LIKELY - 1)
        .copied()
        .unwrap_or(0.0)
        .max(NOTABLE);
    let is_shown = |commit: &&BisectCommit| {
        commit.blocks > 0 || commit.probability.is_some_and(|it| it >= least)
    };
    for commit in bisect.commits.iter().filter(is_shown) {
        let text = |text: String| Cell::Text(Text::plain(text));
        let probability = commit.probability.map(|it| format!("{:.1} %", it * 100.0));
        let look = if commit.between {
            Look::Doubtful
        } else {
            Look::Plain
        };
        let of_good = commit.ratio.map(ratio).unwrap_or_default();
        table.push([
            text(short(commit)),
            text(day(&commit.date)),
            text((ROUNDS_PER_BLOCK * commit.blocks).to_string()),
            Cell::Text(Text::default().and(look, of_good)),
            text(probability.unwrap_or_default()),
            text(shortened(&commit.subject, LONGEST_SUBJECT)),
        ]);
    }
    table
}

fn effort(bisect: &Bisect) -> Message {
    message!(
        "bisect-effort",
        commits = Value::Count(bisect.commits.len() as u64),
        good = bisect.good.as_str(),
        bad = bisect.bad.as_str(),
        rounds = Value::Count(ROUNDS_PER_BLOCK * bisect.blocks),
        runs = Value::Count(bisect.runs.len() as u64),
        builds = Value::Count(bisect.builds),
        time = time(bisect.seconds),
        whole = time(bisect.whole_seconds)
    )
}

fn short(commit: &BisectCommit) -> String {
    commit.commit.chars().take(SHORT).collect()
}

/// The day of a date.
fn day(date: &str) -> String {
    date.split('T').next().unwrap_or(date).to_owned()
}

#[cfg(test)]
mod tests {
    use tenbin_result::{BISECT_SCHEMA, Metric};

    use super::*;

    fn commit(name: &str, subject: &str, probability: f64, blocks: u64) -> BisectCommit {
        BisectCommit {
            commit: name.repeat(40),
            date: "2026-11-02T10:00:00+09:00".to_owned(),
            subject: subject.to_owned(),
            probability: Some(probability),
            blocks,
            ratio: (blocks > 0).then_some(0.95),
            skipped: None,
            between: false,
        }
    }

    fn found() -> Bisect {
        Bisect {
            schema: BISECT_SCHEMA.to_owned(),
            outcome: BisectOutcome::Found,
            good: "v1 (aaaaaaaaaaaa)".to_owned(),
            bad: "main (cccccccccccc)".to_owned(),
            workload: "http-GET".to_owned(),
            metric: Some(Metric::Throughput.into()),
            change: Some(BisectRatio {
                value: 0.951,
                low: Some(0.944),
                high: Some(0.958),
            }),
            wanted_certainty: 0.95,
            group: Some((1, 1)),
            certainty: Some(0.973),
            commits: vec![
                commit("b", "Good work", 0.02, 4),
                commit("c", "Parse \u{1b}[31mtwice", 0.973, 0),
                commit("d", "Later", 0.007, 6),
            ],
            builds: 4,
            blocks: 10,
            seconds: 70.0,
            budget_seconds: 1800.0,
            whole_seconds: 100.0,
            runs: vec!["runs/a".to_owned(), "runs/b".to_owned()],
        }
    }

    #[test]
    fn the_commit_is_named_with_its_certainty_and_no_control_character() {
        let text = terminal_bisect(&found(), Language::English);
        for part in [
            "FOUND  cccccccccccc",
            "2026-11-02",
            "97.3 %",
            "throughput 0.951 (0.944–0.958)",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let json = bisect_json(&found());
        assert!(!json.contains('\u{1b}'), "{json}");
        assert_eq!(serde_json::from_str::<Bisect>(&json).unwrap(), found());
    }

    #[test]
    fn every_outcome_has_its_words_in_each_language() {
        for outcome in [
            BisectOutcome::Found,
            BisectOutcome::Group,
            BisectOutcome::CannotTell,
            BisectOutcome::NotWorse,
            BisectOutcome::NotProven,
            BisectOutcome::Invalid,
            BisectOutcome::Interrupted,
        ] {
            let mut bisect = found();
            bisect.outcome = outcome;
            if outcome == BisectOutcome::Group {
                bisect.group = Some((0, 1));
                bisect.commits[0].skipped = Some("the build failed".to_owned());
            }
            for language in [Language::English, Language::Japanese] {
                let text = terminal_bisect(&bisect, language);
                assert!(text.contains(word(outcome)), "{text}");
                assert!(text.lines().count() > 4, "{text}");
                assert!(!text.contains("bisect-"), "{text}");
            }
        }
    }
}
