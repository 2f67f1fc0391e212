//! The figures of a chart as JSON, for the script of a page. The script draws the panels again when
//! a reader zooms, changes an axis or hides a target.

use serde_json::{Value, json};
use tenbin_result::format::Unit;

use super::{Axis, Chart, Drawing, Marks, Panel, Panels, Point, Series, Style};
use crate::block::{Detail, Table};
use crate::escape::for_terminal;

/// The figures of a chart; `None` for drawings that have no axes to change.
pub(crate) fn for_script(chart: &Chart) -> Option<Value> {
    match &chart.drawing {
        Drawing::Panels(panels) => Some(of_panels(panels)),
        Drawing::Forest(_) | Drawing::Heat(_) | Drawing::Plane(_) | Drawing::Bars(_) => None,
    }
}

/// JSON that cannot end the element of a page that contains it.
pub(crate) fn json(value: &Value) -> String {
    let mut safe = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            c => safe.push(c),
        }
    }
    safe
}

fn of_panels(panels: &Panels) -> Value {
    let of_each: Vec<Value> = panels.panels.iter().map(of_panel).collect();
    let mut data = json!({
        "x": axis(&panels.x),
        "span": panels.span.map(range),
        "panels": of_each,
    });
    if let Some(table) = &panels.details {
        data["details"] = details(table);
    }
    if !panels.settling.is_empty() {
        let settling: Vec<Value> = panels.settling.iter().map(|at| range(*at)).collect();
        data["settling"] = Value::from(settling);
    }
    data
}

fn of_panel(panel: &Panel) -> Value {
    let series: Vec<Value> = panel.series.iter().map(of_series).collect();
    let borders: Vec<Value> = panel.borders.iter().map(|at| number(*at)).collect();
    let named: Vec<Value> = panel.named.iter().map(|named| range(named.at)).collect();
    json!({
        "y": axis(&panel.y),
        "level": panel.level.map(number),
        "shaded": panel.shaded.map(range),
        "least": panel.least.map(range),
        "borders": borders,
        "named": named,
        "series": series,
    })
}

fn of_series(series: &Series) -> Value {
    let points: Vec<Value> = series.points.iter().map(of_point).collect();
    let style = match series.style {
        Style::Dots => "dots",
        Style::Joined => "joined",
        Style::Line | Style::Dashed => "line",
        Style::Banded => "banded",
    };
    json!({ "name": for_terminal(&series.name), "style": style, "points": points })
}

/// Position, figure, both ends of the interval and the row of the details, without trailing nulls.
fn of_point(point: &Point) -> Value {
    let (low, high) = point
        .ends
        .map_or((None, None), |(low, high)| (Some(low), Some(high)));
    let mut values: Vec<Value> = [Some(point.x), point.y, low, high]
        .map(|value| value.map_or(Value::Null, number))
        .to_vec();
    values.push(json!(point.detail));
    while values.last() == Some(&Value::Null) {
        values.pop();
    }
    Value::from(values)
}

fn axis(axis: &Axis) -> Value {
    json!({ "log": axis.logarithmic, "zero": axis.from_zero, "marks": marks(&axis.marks) })
}

fn marks(marks: &Marks) -> Value {
    match marks {
        Marks::Unit(unit) => json!({ "unit": prefixes(*unit) }),
        Marks::Numbers => json!({ "after": "" }),
        Marks::With(unit) => json!({ "after": format!(" {unit}") }),
        Marks::Ratios => json!({ "before": "×" }),
        Marks::Fixed(places) => {
            let places = places
                .iter()
                .map(|(at, name)| json!([number(*at), for_terminal(name)]));
            json!({ "fixed": places.collect::<Vec<_>>() })
        }
    }
}

fn prefixes(unit: Unit) -> Value {
    match unit.prefixes() {
        [] => json!([[0.01, " %"]]),
        prefixes => json!(prefixes),
    }
}

fn details(table: &Table) -> Value {
    let text = |text: &str| for_terminal(text);
    let rows = table.rows.iter().map(|row| {
        let cells = row
            .iter()
            .map(|cell| cell.text(Detail::Value, &table.words));
        cells.map(|cell| text(&cell.letters())).collect::<Vec<_>>()
    });
    json!({
        "head": table.head.iter().map(|head| text(head)).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    })
}

fn range((low, high): (f64, f64)) -> Value {
    json!([number(low), number(high)])
}

/// A number with the digits that a drawing needs; null if it has no place.
fn number(value: f64) -> Value {
    let digits = format!("{value:.5e}").parse::<f64>();
    match digits {
        Ok(short) if short.fract() == 0.0 && short.abs() < 1e15 => json!(short as i64),
        Ok(short) if short.is_finite() => json!(short),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_in_json_ends_its_element_or_its_line() {
        let hostile = "</script><!--<script>&amp;\u{2028}\u{2029}\"\\";
        let safe = json(&json!({ "name": hostile }));
        assert!(
            !safe.contains(['<', '>', '&', '\u{2028}', '\u{2029}']),
            "{safe}"
        );
        let again: Value = serde_json::from_str(&safe).expect("JSON");
        assert_eq!(again["name"], hostile);
    }

    #[test]
    fn a_number_is_short_and_infinity_has_no_place() {
        assert_eq!(number(2.0).to_string(), "2");
        assert_eq!(number(0.123_456_789).to_string(), "0.123457");
        assert_eq!(number(f64::INFINITY), Value::Null);
    }

    #[test]
    fn a_point_has_no_trailing_nulls() {
        let point = Point {
            x: 1.5,
            y: Some(3.0),
            ..Point::default()
        };
        assert_eq!(of_point(&point).to_string(), "[1.5,3]");
        let selected = Point {
            detail: Some(7),
            ..point
        };
        assert_eq!(of_point(&selected).to_string(), "[1.5,3,null,null,7]");
    }
}
