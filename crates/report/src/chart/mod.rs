//! Draws charts: converts [`block::chart`](crate::block::chart) to SVG, for a page or for a file.

mod area;
mod bars;
mod data;
mod forest;
mod heat;
mod panels;
mod plane;
mod scale;
mod svg;

use crate::escape::for_xml;
use svg::Breadth;

pub(crate) use data::{for_script, json};

pub(crate) use crate::block::chart::{
    Axis, Bar, BarGroup, Bars, Chart, Drawing, Forest, ForestRow, Heat, HeatCell, Marks, Named,
    Panel, Panels, Plane, PlanePoint, Point, Series, Style, Tone,
};

/// The style sheet of all drawings, included in pages with charts and in chart files.
pub(crate) const STYLE: &str = include_str!("chart.css");

/// Draws a chart for a page: for screens and paper, and once more for phones. The style sheet of the
/// page shows one of the two. `id` must be unique on the page. The marks of both are in the same
/// order; only those of the first have tooltips, because a phone shows none.
pub(crate) fn inline(chart: &Chart, id: &str) -> String {
    let drawn = |breadth, class: &str, id: &str| {
        let attributes = format!(" class=\"{class}\" role=\"img\" aria-labelledby=\"{id}\"");
        drawn(chart, breadth, &attributes, id, "")
    };
    let narrow = drawn(Breadth::Narrow, "narrow", &format!("{id}n"));
    drawn(Breadth::Wide, "broad", &format!("{id}b")) + &without_tooltips(&narrow)
}

/// A drawing without the tooltips of its marks.
fn without_tooltips(svg: &str) -> String {
    let mut parts = svg.split("<title>");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once("</title>").map_or(part, |(_, after)| after));
    }
    kept
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
