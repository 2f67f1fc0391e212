//! Draws charts: converts [`block::chart`](crate::block::chart) to SVG, for a page or for a file.

mod area;
mod bars;
mod forest;
mod heat;
mod panels;
mod plane;
mod scale;
mod svg;

use crate::escape::for_xml;
use svg::Breadth;

pub(crate) use crate::block::chart::{
    Axis, Bar, BarGroup, Bars, Chart, Drawing, Forest, ForestRow, Heat, HeatCell, Marks, Named,
    Panel, Panels, Plane, PlanePoint, Point, Series, Style, Tone,
};

/// The style sheet of all drawings, included in pages with charts and in chart files.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// Draws a chart for a page: for screens and paper, and once more for phones. The style sheet of the
/// page shows one of the two. `id` must be unique on the page.
pub(crate) fn inline(chart: &Chart, id: &str) -> String {
    let attributes =
        |class: &str, id: &str| format!(" class=\"{class}\" role=\"img\" aria-labelledby=\"{id}\"");
    let narrow = format!("{id}n");
    drawn(chart, Breadth::Wide, &attributes("broad", id), id, "")
        + &drawn(
            chart,
            Breadth::Narrow,
            &attributes("narrow", &narrow),
            &narrow,
            "",
        )
}

/// Draws a chart as a complete SVG file.
pub(crate) fn file(chart: &Chart) -> String {
    let style =
        format!("<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    drawn(chart, Breadth::Wide, " class=\"chart\"", "title", &style)
}

fn drawn(chart: &Chart, breadth: Breadth, attributes: &str, id: &str, style: &str) -> String {
    let mut body = String::new();
    let width = breadth.width();
    let height = match &chart.drawing {
        Drawing::Forest(forest) => forest::draw(&mut body, forest, breadth),
        Drawing::Panels(panels) => panels::draw(&mut body, panels, breadth),
        Drawing::Heat(heat) => heat::draw(&mut body, heat, breadth),
        Drawing::Plane(plane) => plane::draw(&mut body, plane, breadth),
        Drawing::Bars(bars) => bars::draw(&mut body, bars, breadth),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" \
         width=\"{width}\" height=\"{height:.0}\"{attributes}>\n<title id=\"{id}\">{}</title>\n\
         <desc>{}</desc>\n{style}{body}</svg>\n",
        for_xml(&chart.title),
        for_xml(&chart.about)
    )
}
