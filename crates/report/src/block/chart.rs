//! Charts as data: what a [section](crate::section) wants to be drawn, before any page draws it.
//!
//! A page of text prints the table behind a chart; [`chart`](crate::chart) draws it. Charts are bounded: a
//! section puts the figures of a long run into groups before it makes a chart.

use tenbin_result::Figure;
use tenbin_result::format::Unit;

use super::{Look, Table};

/// A drawing with its title and the figures that it shows.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// How it is to be read, in one or two sentences.
    pub(crate) about: String,
    /// What is drawn.
    pub(crate) drawing: Drawing,
    /// The figures behind the drawing; `None` where the section has a table of them anyway.
    pub(crate) table: Option<Table>,
    /// The file with the same drawing in the run directory, if there is one.
    pub(crate) file: Option<&'static str>,
}

/// The kinds of drawings.
#[derive(Debug, Clone)]
pub(crate) enum Drawing {
    /// Ratios with their intervals, one below the other.
    Forest(Forest),
    /// Figures over a common axis, in panels one below the other.
    Panels(Panels),
    /// Ratios in rows and columns, coloured by size.
    Heat(Heat),
    /// One ratio against another, each with its interval.
    Plane(Plane),
    /// Bars made of parts, one below the other.
    Bars(Bars),
}

/// Ratios in rows and columns.
#[derive(Debug, Clone)]
pub(crate) struct Heat {
    /// What the rows and the columns are.
    pub(crate) names: [String; 2],
    /// Heads of the columns.
    pub(crate) columns: Vec<String>,
    /// Heads of the rows, each with a cell for each column; `None` where nothing was measured.
    pub(crate) rows: Vec<(String, Vec<Option<HeatCell>>)>,
}

/// A ratio in a heat table.
#[derive(Debug, Clone)]
pub(crate) struct HeatCell {
    /// The ratio, as text.
    pub(crate) ratio: String,
    /// Its interval, as text.
    pub(crate) interval: String,
    /// What the verdict is.
    pub(crate) tone: Tone,
    /// What a reader is shown who points at it.
    pub(crate) said: String,
}

/// The verdict of a cell in a heat table: its colour and its sign. A strength is from 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Better than the baseline.
    Better(u8),
    /// Worse than the baseline.
    Worse(u8),
    /// The same within the margin.
    Same,
    /// No verdict.
    Unclear,
}

/// One ratio against another. Both axes are logarithmic and cross at 1.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    /// Names of the two axes.
    pub(crate) axes: [String; 2],
    /// What the quarters are called: top left, top right, bottom left, bottom right.
    pub(crate) quarters: [String; 4],
    /// The points.
    pub(crate) points: Vec<PlanePoint>,
}

/// A point with two intervals.
#[derive(Debug, Clone)]
pub(crate) struct PlanePoint {
    /// Whose colour and shape it has.
    pub(crate) place: usize,
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its name beside it; nothing if empty.
    pub(crate) label: String,
    /// The two ratios.
    pub(crate) at: [Figure; 2],
    /// Whether a verdict rests on numbers that cannot be trusted: a hollow shape.
    pub(crate) doubtful: bool,
    /// What a reader is shown who points at it.
    pub(crate) said: String,
}

/// Groups of bars, each group with an axis of its own.
#[derive(Debug, Clone)]
pub(crate) struct Bars {
    /// The unit of the axes, which begin at 0.
    pub(crate) unit: Unit,
    /// Names of the parts, in the order of their colours.
    pub(crate) parts: Vec<String>,
    /// From top to bottom.
    pub(crate) groups: Vec<BarGroup>,
}

/// Bars that are compared with each other.
#[derive(Debug, Clone)]
pub(crate) struct BarGroup {
    /// Heading of the group.
    pub(crate) title: String,
    /// From top to bottom.
    pub(crate) bars: Vec<Bar>,
}

/// A bar made of parts.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// Its name, at the left.
    pub(crate) name: String,
    /// Index among the names of parts, and length; from left to right.
    pub(crate) parts: Vec<(usize, f64)>,
    /// Its figure, at the right.
    pub(crate) said: String,
}

/// Ratios with their intervals around a line at 1.
#[derive(Debug, Clone)]
pub(crate) struct Forest {
    /// What lies below 1 and what above it.
    pub(crate) sides: [String; 2],
    /// How far from 1 still counts as equivalent, as a share.
    pub(crate) margin: Option<f64>,
    /// The ratios.
    pub(crate) rows: Vec<ForestRow>,
}

/// A ratio in a forest plot.
#[derive(Debug, Clone)]
pub(crate) struct ForestRow {
    /// Heading above it, where it differs from the row before.
    pub(crate) group: String,
    /// What it is a ratio of.
    pub(crate) label: String,
    /// The ratio.
    pub(crate) ratio: Figure,
    /// The ratio, its interval and the verdict, as text.
    pub(crate) said: String,
    /// How the verdict looks.
    pub(crate) look: Look,
    /// Whether it is the ratio that decides.
    pub(crate) decides: bool,
}

/// Panels over one axis.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    /// The common axis.
    pub(crate) x: Axis,
    /// A range that is on the common axis whatever is drawn, so that two charts have the same axis.
    pub(crate) span: Option<(f64, f64)>,
    /// From top to bottom.
    pub(crate) panels: Vec<Panel>,
}

/// One panel.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// Heading of the panel.
    pub(crate) title: String,
    /// Its own axis.
    pub(crate) y: Axis,
    /// What is drawn in it.
    pub(crate) series: Vec<Series>,
    /// A level to be marked, such as a ratio of 1.
    pub(crate) level: Option<f64>,
    /// A range to be shaded, such as the margin of equivalence.
    pub(crate) shaded: Option<(f64, f64)>,
    /// Figures that are on the axis whatever is drawn, so that small differences look small.
    pub(crate) least: Option<(f64, f64)>,
    /// Places on the common axis to be marked by a line, such as the borders of slices.
    pub(crate) borders: Vec<f64>,
    /// Points with a name, such as a knee.
    pub(crate) named: Vec<Named>,
}

/// A point with a ring and a name.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// Whose colour it has.
    pub(crate) place: usize,
    /// Where it is.
    pub(crate) at: (f64, f64),
    /// Its name.
    pub(crate) name: String,
}

/// An axis: its scale and how places on it are named.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// What is on it, with the unit where the marks have none.
    pub(crate) title: String,
    /// Whether equal distances are equal ratios.
    pub(crate) logarithmic: bool,
    /// How its marks are written.
    pub(crate) marks: Marks,
    /// Whether it begins at 0 whatever is drawn. Not for logarithmic axes.
    pub(crate) from_zero: bool,
}

/// How the marks of an axis are written.
#[derive(Debug, Clone)]
pub(crate) enum Marks {
    /// Figures of this unit.
    Unit(Unit),
    /// Numbers.
    Numbers,
    /// These places, whatever is drawn.
    Fixed(Vec<(f64, String)>),
}

/// Figures of one target.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Place among the targets: gives colour and shape.
    pub(crate) place: usize,
    /// How the points look.
    pub(crate) style: Style,
    /// The points, in the order of the common axis.
    pub(crate) points: Vec<Point>,
}

/// How points of a series look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Shapes only.
    Dots,
    /// Shapes joined by lines, with intervals as error bars.
    Joined,
    /// A line without shapes, with intervals as a band.
    Line,
    /// The same, dashed.
    Dashed,
    /// Shapes joined by lines, with intervals as a band.
    Banded,
}

/// A figure at a place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Point {
    /// Place on the common axis.
    pub(crate) x: f64,
    /// The figure; `None` if unknown, which leaves a break in the line.
    pub(crate) y: Option<f64>,
    /// Ends of its interval, or the smallest and the largest of a group.
    pub(crate) ends: Option<(f64, f64)>,
    /// What a reader is shown who points at it; nothing if empty.
    pub(crate) said: String,
    /// Whether something is wrong with it: a hollow shape.
    pub(crate) flagged: bool,
}

impl Axis {
    /// A linear axis of figures from 0.
    pub(crate) fn of(title: impl Into<String>, unit: Unit) -> Self {
        Self {
            title: title.into(),
            logarithmic: false,
            marks: Marks::Unit(unit),
            from_zero: true,
        }
    }

    /// A logarithmic axis of figures.
    pub(crate) fn logarithmic(title: impl Into<String>, unit: Unit) -> Self {
        Self {
            logarithmic: true,
            from_zero: false,
            ..Self::of(title, unit)
        }
    }

    /// A logarithmic axis of ratios.
    pub(crate) fn of_ratios(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            logarithmic: true,
            marks: Marks::Numbers,
            from_zero: false,
        }
    }
}

impl Panel {
    /// A panel without marks.
    pub(crate) fn new(title: impl Into<String>, y: Axis, series: Vec<Series>) -> Self {
        Self {
            title: title.into(),
            y,
            series,
            level: None,
            shaded: None,
            least: None,
            borders: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Whether any point of it has a figure.
    pub(crate) fn has_figures(&self) -> bool {
        let mut points = self.series.iter().flat_map(|series| &series.points);
        points.any(|point| point.y.is_some())
    }
}
