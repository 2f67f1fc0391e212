//! The figures of a gate as lines of characters: each ratio with its interval, against 1 and the margin.

use tenbin_result::format::ratio;
use tenbin_result::{Document, Gate, GateFigure, message};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::metric;
use crate::block::{Block, Look, Text};
use crate::escape::for_terminal;
use crate::language::say;

/// Widest name of a figure, columns.
const NAME: usize = 20;
/// Width of the drawing, columns. With a name and a space, a line has at most 60.
const WIDTH: usize = 39;
/// The scale ends at this ratio and at its inverse at the latest.
const FARTHEST: f64 = 4.0;
/// The scale shows at least the ratios up to this one and its inverse.
const NEAREST: f64 = 1.02;
/// Free space at each end of the scale, as a share of its length.
const SPACE: f64 = 0.05;

/// The chart with its legend; empty for a gate without figures.
pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let gate = document.gate.as_ref();
    let Some(gate) = gate.filter(|gate| !gate.figures.is_empty()) else {
        return Vec::new();
    };
    let legend = say(document, &message!("gate-chart"));
    vec![
        Block::Verbatim(text(document, gate)),
        Block::Paragraph(Text::default().and(Look::Faint, legend)),
    ]
}

/// A line for each figure, and a line with the numbers of the scale.
fn text(document: &Document, gate: &Gate) -> String {
    let scale = Scale::of(&gate.figures);
    let first = gate.figures.first().map(|figure| &figure.workload);
    let several = gate.figures.iter().any(|it| Some(&it.workload) != first);
    let lines = gate.figures.iter().map(|figure| {
        let metric = say(document, &metric(figure));
        let name = if several {
            format!("{} {metric}", figure.workload)
        } else {
            metric
        };
        line(&shortened(&for_terminal(&name)), &scale.drawing(figure))
    });
    let mut text: String = lines.collect();
    text += &line("", &scale.numbers());
    text
}

fn line(name: &str, drawing: &str) -> String {
    let gap = " ".repeat((NAME + 1).saturating_sub(name.width()));
    let line = format!("{name}{gap}{drawing}");
    line.trim_end().to_owned() + "\n"
}

/// The beginning of a name that is too wide, with an ellipsis.
fn shortened(name: &str) -> String {
    if name.width() <= NAME && name.chars().count() <= NAME {
        return name.to_owned();
    }
    let mut short = String::new();
    let mut width = 0;
    for c in name.chars().take(NAME - 1) {
        width += c.width().unwrap_or(0);
        if width >= NAME {
            break;
        }
        short.push(c);
    }
    short + "…"
}

/// The logarithms of the ratios at both ends of the drawing.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// The scale that shows the margins, and the ratios with their intervals as far as they are not
    /// too far from 1.
    fn of(figures: &[GateFigure]) -> Self {
        let (nearest, farthest) = (NEAREST.ln(), FARTHEST.ln());
        let ratios = figures
            .iter()
            .flat_map(|it| [Some(limit(it)), it.ratio, it.low, it.high]);
        let known = ratios
            .flatten()
            .filter(|ratio| ratio.is_finite() && *ratio > 0.0);
        let shown = known.map(|ratio| ratio.ln().clamp(-farthest, farthest));
        let (low, high) = shown.fold((-nearest, nearest), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        let space = (high - low) * SPACE;
        Self {
            low: low - space,
            high: high + space,
        }
    }

    /// The column of a ratio and its mark: an arrow at the end of the drawing for a ratio beyond it.
    fn place(&self, ratio: f64, mark: char) -> (usize, char) {
        let share = (ratio.ln() - self.low) / (self.high - self.low);
        if share < 0.0 {
            (0, '←')
        } else if share > 1.0 {
            (WIDTH - 1, '→')
        } else {
            ((share * (WIDTH - 1) as f64).round() as usize, mark)
        }
    }

    fn drawing(&self, figure: &GateFigure) -> String {
        let mut cells = [' '; WIDTH];
        let known = |ratio: Option<f64>| ratio.filter(|it| !it.is_nan() && *it >= 0.0);
        let (low, high) = (known(figure.low), known(figure.high));
        let ends = [
            self.place(low.unwrap_or(0.0), '├'),
            self.place(high.unwrap_or(f64::INFINITY), '┤'),
        ];
        let has_interval = low.is_some() || high.is_some();
        let [(from, _), (to, _)] = ends;
        if has_interval && from <= to {
            cells[from..=to].fill('─');
        }
        let lines = [self.place(limit(figure), '┊'), self.place(1.0, '│')];
        let ends = ends.into_iter().filter(|_| has_interval);
        let point = known(figure.ratio).map(|ratio| self.place(ratio, '●'));
        for (column, mark) in lines.into_iter().chain(ends).chain(point) {
            cells[column] = mark;
        }
        cells.iter().collect()
    }

    /// The ratios at both ends, and 1 below its line if there is space.
    fn numbers(&self) -> String {
        let (mut numbers, high) = (ratio(self.low.exp()), ratio(self.high.exp()));
        let (one, _) = self.place(1.0, '│');
        if numbers.len() < one && one + 2 + high.len() <= WIDTH {
            numbers = format!("{numbers:one$}1");
        }
        let rest = WIDTH.saturating_sub(numbers.len());
        format!("{numbers}{high:>rest$}")
    }
}

/// The ratio at which the candidate is worse by the margin.
fn limit(figure: &GateFigure) -> f64 {
    if figure.higher_is_better {
        1.0 / (1.0 + figure.margin)
    } else {
        1.0 + figure.margin
    }
}

#[cfg(test)]
mod tests {
    use tenbin_result::{GateOutcome, GateRole, GateStanding, Metric, MetricName};

    use super::*;
    use crate::gate::tests::suspect;

    fn figure(ratio: Option<f64>, low: Option<f64>, high: Option<f64>) -> GateFigure {
        GateFigure {
            workload: "get".to_owned(),
            metric: MetricName::Known(Metric::Throughput),
            higher_is_better: true,
            role: GateRole::Required,
            margin: 0.05,
            ratio,
            low,
            high,
            blocks: 12,
            evidence_not_worse: 1.0,
            evidence_worse: 1.0,
            adjusted_p: 1.0,
            standing: GateStanding::CannotTell,
            decides: true,
        }
    }

    fn drawn(figures: Vec<GateFigure>) -> Vec<String> {
        let gate = Gate {
            figures,
            ..suspect(GateOutcome::CannotTell)
        };
        let text = text(&Document::default(), &gate);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for line in &lines {
            // A name can have characters without a width.
            assert!(line.width() <= 60 && line.chars().count() <= 80, "{text}");
        }
        assert_eq!(lines.len(), gate.figures.len() + 1, "{text}");
        lines
    }

    fn column(line: &str, mark: char) -> usize {
        let found = line.chars().position(|c| c == mark);
        found.unwrap_or_else(|| panic!("no {mark} in {line:?}"))
    }

    #[test]
    fn a_ratio_stands_between_the_ends_of_its_interval() {
        let lines = drawn(vec![figure(Some(0.9), Some(0.87), Some(0.93))]);
        let order = ['├', '●', '┤', '┊', '│'].map(|mark| column(&lines[0], mark));
        assert!(order.is_sorted(), "{lines:#?}");
        assert!(lines[0].starts_with("throughput  "), "{lines:#?}");
        assert_eq!(column(&lines[1], '1'), column(&lines[0], '│'), "{lines:#?}");
        // A worse time is a longer one.
        let mut slower = figure(Some(1.2), Some(1.1), Some(1.3));
        slower.higher_is_better = false;
        let lines = drawn(vec![slower]);
        let order = ['│', '┊', '├', '●', '┤'].map(|mark| column(&lines[0], mark));
        assert!(order.is_sorted(), "{lines:#?}");
    }

    #[test]
    fn an_open_end_is_an_arrow() {
        let open = drawn(vec![
            figure(Some(1.0), None, Some(1.1)),
            figure(Some(1.0), Some(0.9), None),
            figure(Some(1.0), Some(0.0), Some(f64::INFINITY)),
        ]);
        assert_eq!(column(&open[0], '←'), NAME + 1, "{open:#?}");
        assert_eq!(column(&open[1], '→'), NAME + WIDTH, "{open:#?}");
        assert!(open[2].contains('←') && open[2].contains('→'), "{open:#?}");
    }

    #[test]
    fn what_is_unknown_has_no_interval() {
        let strange = drawn(vec![
            figure(None, None, None),
            figure(Some(0.97), None, None),
            figure(Some(f64::NAN), Some(f64::NAN), Some(f64::NAN)),
        ]);
        for line in &strange[..3] {
            assert!(line.contains('│') && line.contains('┊'), "{strange:#?}");
            assert!(!line.contains(['─', '←', '→']), "{strange:#?}");
        }
        assert!(strange[1].contains('●') && !strange[0].contains('●'));
    }

    #[test]
    fn a_ratio_far_from_1_is_an_arrow_at_its_end() {
        let far = drawn(vec![
            figure(Some(1e300), Some(1e299), Some(f64::MAX)),
            figure(Some(1e-300), Some(f64::MIN_POSITIVE), Some(1e-299)),
            figure(Some(0.0), Some(0.0), Some(0.0)),
        ]);
        assert_eq!(column(&far[0], '→'), NAME + WIDTH, "{far:#?}");
        assert!(!far[0].contains(['←', '●', '─']), "{far:#?}");
        for line in &far[1..3] {
            assert_eq!(column(line, '←'), NAME + 1, "{far:#?}");
            assert!(!line.contains(['→', '●', '─']), "{far:#?}");
        }
    }

    #[test]
    fn wide_and_hostile_names_are_shortened() {
        let names = [
            "天秤で測る全文検索サーバーの負荷".to_owned(),
            "a\n```\n\u{1b}[31m\u{202e}".to_owned(),
            format!("a{}", "\u{301}".repeat(1_000)),
            String::new(),
        ];
        let figures = names.map(|workload| GateFigure {
            workload,
            ..figure(Some(1.0), Some(0.98), Some(1.02))
        });
        let lines = drawn(Vec::from(figures));
        assert!(lines[0].starts_with("天秤で測る全文検索…  "), "{lines:#?}");
        assert!(lines[1].starts_with("a\\u{a}```\\u{a}"), "{lines:#?}");
        for line in &lines[..4] {
            assert!(line.contains('●'), "{lines:#?}");
        }
    }
}
