//! Charts as data: created by a [section](crate::section), drawn by a page.
//!
//! Pages without drawings print the table behind a chart; [`chart`](crate::chart) draws charts.
//! Charts have a bounded size: a section groups the figures of a long run before creating a chart.

use tenbin_result::Figure;
use tenbin_result::format::Unit;

use super::{Look, Table};

/// A drawing with its title and the table of its figures.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Title: what the chart shows, in a few words.
    pub(crate) title: String,
    /// How to read the chart, in one or two sentences.
    pub(crate) about: String,
    /// The drawing.
    pub(crate) drawing: Drawing,
    /// The figures behind the drawing; `None` if the section prints them in a separate table.
    pub(crate) table: Option<Table>,
    /// Name of the file in the run directory with the same drawing, if one exists.
    pub(crate) file: Option<&'static str>,
}

/// A drawing, by kind.
#[derive(Debug, Clone)]
pub(crate) enum Drawing {
    /// Ratios with their intervals, one below the other.
    Forest(Forest),
    /// Figures over a common axis, in panels one below the other.
    Panels(Panels),
    /// A heat table: ratios in rows and columns, coloured by size.
    Heat(Heat),
    /// A scatter plot of one ratio against another, each with its interval.
    Plane(Plane),
    /// Stacked bars, one below the other.
    Bars(Bars),
}

/// A heat table: ratios in rows and columns.
#[derive(Debug, Clone)]
pub(crate) struct Heat {
    /// Names of the row dimension and the column dimension.
    pub(crate) names: [String; 2],
    /// Column headers.
    pub(crate) columns: Vec<String>,
    /// Row headers, each with one cell per column; `None` where nothing was measured.
    pub(crate) rows: Vec<(String, Vec<Option<HeatCell>>)>,
}

/// A ratio in a heat table.
#[derive(Debug, Clone)]
pub(crate) struct HeatCell {
    /// The ratio, as text.
    pub(crate) ratio: String,
    /// Interval of the ratio, as text.
    pub(crate) interval: String,
    /// The verdict, shown as colour and sign.
    pub(crate) tone: Tone,
    /// Tooltip of the cell.
    pub(crate) said: String,
}

/// The verdict of a cell in a heat table, shown as colour and sign. `Better` and `Worse` hold the
/// strength of the colour, from 1 to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Better than the baseline.
    Better(u8),
    /// Worse than the baseline.
    Worse(u8),
    /// Equal within the margin.
    Same,
    /// No verdict.
    Unclear,
}

/// A scatter plot of one ratio against another. Both axes are logarithmic and cross at 1.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    /// Names of the two axes.
    pub(crate) axes: [String; 2],
    /// Names of the quadrants: top left, top right, bottom left, bottom right.
    pub(crate) quarters: [String; 4],
    /// The points.
    pub(crate) points: Vec<PlanePoint>,
}

/// A point of a scatter plot, with an interval on each axis.
#[derive(Debug, Clone)]
pub(crate) struct PlanePoint {
    /// Index of the target that gives colour and shape.
    pub(crate) place: usize,
    /// Name of the point in the legend.
    pub(crate) name: String,
    /// Label beside the point; not drawn if empty.
    pub(crate) label: String,
    /// The ratios on the horizontal and the vertical axis.
    pub(crate) at: [Figure; 2],
    /// Whether a verdict of the point is based on numbers that cannot be trusted; drawn as a hollow
    /// shape.
    pub(crate) doubtful: bool,
    /// Tooltip of the point.
    pub(crate) said: String,
}

/// Groups of stacked bars; each group has a separate axis.
#[derive(Debug, Clone)]
pub(crate) struct Bars {
    /// Unit of the axes, which start at 0.
    pub(crate) unit: Unit,
    /// Names of the bar parts, in the order of their colours.
    pub(crate) parts: Vec<String>,
    /// The groups, from top to bottom.
    pub(crate) groups: Vec<BarGroup>,
}

/// Bars that are compared with each other.
#[derive(Debug, Clone)]
pub(crate) struct BarGroup {
    /// Heading of the group.
    pub(crate) title: String,
    /// The bars, from top to bottom.
    pub(crate) bars: Vec<Bar>,
}

/// A bar made of parts.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// Name of the bar, drawn at the left.
    pub(crate) name: String,
    /// Parts from left to right: index into the names of the parts, and value.
    pub(crate) parts: Vec<(usize, f64)>,
    /// Figure of the bar, drawn at the right.
    pub(crate) said: String,
}

/// Ratios with their intervals around a line at 1.
#[derive(Debug, Clone)]
pub(crate) struct Forest {
    /// Labels of the two sides: below 1 and above 1.
    pub(crate) sides: [String; 2],
    /// Equivalence margin: the distance from 1 that still counts as equivalent, as a share.
    pub(crate) margin: Option<f64>,
    /// The ratios.
    pub(crate) rows: Vec<ForestRow>,
}

/// A ratio in a forest plot.
#[derive(Debug, Clone)]
pub(crate) struct ForestRow {
    /// Heading above the row, drawn if it differs from the heading of the previous row.
    pub(crate) group: String,
    /// What the ratio compares.
    pub(crate) label: String,
    /// The ratio.
    pub(crate) ratio: Figure,
    /// The ratio, its interval and the verdict, as text.
    pub(crate) said: String,
    /// Style of the verdict.
    pub(crate) look: Look,
    /// Whether this ratio decides the verdict.
    pub(crate) decides: bool,
}

/// Panels that share one horizontal axis.
#[derive(Debug, Clone)]
pub(crate) struct Panels {
    /// The common horizontal axis.
    pub(crate) x: Axis,
    /// A range that the common axis always includes, so that two charts have the same axis.
    pub(crate) span: Option<(f64, f64)>,
    /// The panels, from top to bottom.
    pub(crate) panels: Vec<Panel>,
    /// What a page shows of a point that is selected, one row for each point of a panel.
    pub(crate) details: Option<Table>,
    /// Ranges of the common axis in which load was sent but not measured, before each slice. The
    /// script of a page shades them on demand.
    pub(crate) settling: Vec<(f64, f64)>,
}

/// One panel of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// Heading of the panel.
    pub(crate) title: String,
    /// Vertical axis of the panel.
    pub(crate) y: Axis,
    /// The series drawn in the panel.
    pub(crate) series: Vec<Series>,
    /// A value to mark with a horizontal line, such as a ratio of 1.
    pub(crate) level: Option<f64>,
    /// A range of values to shade, such as the margin of equivalence.
    pub(crate) shaded: Option<(f64, f64)>,
    /// A range of values that the vertical axis always includes, so that small differences look
    /// small.
    pub(crate) least: Option<(f64, f64)>,
    /// Positions on the common axis to mark with a vertical line, such as the boundaries of slices.
    pub(crate) borders: Vec<f64>,
    /// Points to mark with a name, such as a knee.
    pub(crate) named: Vec<Named>,
}

/// A point marked with a ring and a name.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    /// Index of the target that gives the colour.
    pub(crate) place: usize,
    /// Position of the point in units of the axes.
    pub(crate) at: (f64, f64),
    /// Name of the point.
    pub(crate) name: String,
}

/// An axis: title, scale and labels.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    /// Title of the axis, with the unit if the tick labels have no unit.
    pub(crate) title: String,
    /// Whether the axis is logarithmic.
    pub(crate) logarithmic: bool,
    /// Kind of the tick labels.
    pub(crate) marks: Marks,
    /// Whether the axis always starts at 0; ignored for logarithmic axes.
    pub(crate) from_zero: bool,
}

/// The tick labels of an axis.
#[derive(Debug, Clone)]
pub(crate) enum Marks {
    /// Figures with this unit.
    Unit(Unit),
    /// Numbers without a unit, such as counts.
    Numbers,
    /// Numbers with this unit: `10 s`.
    With(&'static str),
    /// Ratios: `×1.5`.
    Ratios,
    /// Fixed positions with their labels.
    Fixed(Vec<(f64, String)>),
}

/// The figures of one target in a panel.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Name of the series in the legend.
    pub(crate) name: String,
    /// Index of the target, which selects colour and shape.
    pub(crate) place: usize,
    /// How the points are drawn.
    pub(crate) style: Style,
    /// The points, in ascending order on the common axis.
    pub(crate) points: Vec<Point>,
}

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Shapes without lines.
    Dots,
    /// Shapes joined by lines, with intervals as error bars.
    Joined,
    /// A line without shapes, with intervals as a band.
    Line,
    /// A dashed line without shapes, with intervals as a band.
    Dashed,
    /// Shapes joined by lines, with intervals as a band.
    Banded,
}

/// A figure at a position on the common axis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Point {
    /// Position on the common axis.
    pub(crate) x: f64,
    /// The figure; `None` if unknown, which leaves a break in the line.
    pub(crate) y: Option<f64>,
    /// Ends of the figure's interval; for a group of figures, the smallest and the largest.
    pub(crate) ends: Option<(f64, f64)>,
    /// Tooltip of the point; none if empty.
    pub(crate) said: String,
    /// Whether the figure is flagged; drawn as a hollow shape.
    pub(crate) flagged: bool,
    /// Index of the row of [`Panels::details`] about the point.
    pub(crate) detail: Option<usize>,
}

impl Axis {
    /// A linear axis of figures, starting at 0.
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
            marks: Marks::Ratios,
            from_zero: false,
        }
    }
}

impl Panel {
    /// A panel without marked values, ranges or points.
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

    /// Whether any point of the panel has a figure.
    pub(crate) fn has_figures(&self) -> bool {
        let mut points = self.series.iter().flat_map(|series| &series.points);
        points.any(|point| point.y.is_some())
    }
}
