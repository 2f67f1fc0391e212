//! Charts of 200 generated results in a real browser: no text overlaps another text or a mark, and
//! nothing lies outside the drawing, on a screen and on a phone.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod browser;
#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use browser::devtools::{Browser, Look};
use made_up::generated;
use serde_json::Value;
use tenbin_report::html;
use tenbin_result::Document;

const RESULTS: u64 = 200;
/// Results on one page.
const TOGETHER: u64 = 10;

/// Texts that overlap other texts or marks, and what lies outside the drawing. Marks are points,
/// intervals and curves. A name beside a ring may cross a curve, but no point and no interval.
const COLLISIONS: &str = "(() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    const title = svg.getAttribute('aria-label') ?? svg.querySelector('title').textContent;
    const outside = (box) => box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    const texts = [...svg.querySelectorAll('text')].map(text => {
      const box = text.getBoundingClientRect();
      return { words: text.textContent, halo: text.classList.contains('halo'),
        left: box.left + 1, right: box.right - 1, top: box.top + 3, bottom: box.bottom - 3 };
    }).filter(({ left, right }) => right > left);
    texts.forEach((text, at) => {
      if (outside(text)) found.push(`${title}: \"${text.words}\" is outside`);
      for (const other of texts.slice(at + 1)) {
        if (text.left < other.right && other.left < text.right
            && text.top < other.bottom && other.top < text.bottom) {
          found.push(`${title}: \"${text.words}\" overlaps \"${other.words}\"`);
        }
      }
    });
    const has = (text, point) => point.x > text.left && point.x < text.right
      && point.y > text.top && point.y < text.bottom;
    const hit = (points, what, isCurve) => {
      for (const text of texts) {
        if (isCurve && text.halo) continue;
        if (points.some(point => has(text, point))) {
          found.push(`${title}: \"${text.words}\" is on a ${what}`);
        }
      }
    };
    for (const shape of svg.querySelectorAll('.dot, .hollow')) {
      const box = shape.getBoundingClientRect();
      if (outside(box)) found.push(`${title}: a point is outside`);
      const middle = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 };
      hit([middle, { x: box.left, y: middle.y }, { x: box.right, y: middle.y },
        { x: middle.x, y: box.top }, { x: middle.x, y: box.bottom }], 'point', false);
    }
    for (const line of svg.querySelectorAll('.thin, .line')) {
      if (outside(line.getBoundingClientRect())) found.push(`${title}: a line is outside`);
      const [points, length, to] = [[], line.getTotalLength(), line.getScreenCTM()];
      for (let at = 0; at <= length; at += 2) {
        points.push(line.getPointAtLength(at).matrixTransform(to));
      }
      hit(points, 'line', line.classList.contains('line'));
    }
  }
  return [...new Set(found)];
})()";

fn found(browser: &mut Browser) -> Vec<String> {
    let found = browser.evaluate(COLLISIONS);
    let found = found.as_array().unwrap().iter();
    found
        .map(|each| each.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn charts_of_generated_results_have_no_overlap_and_nothing_outside() {
    let mut browser = Browser::start();
    let mut all = Vec::new();
    for first in (0..RESULTS).step_by(TOGETHER as usize) {
        let numbers = first..first + TOGETHER;
        let documents: Vec<Document> = numbers.map(generated::document).collect();
        let page = html(&documents.iter().collect::<Vec<_>>());
        browser.open(&page);
        for (mode, look) in [("screen", Look::LIGHT), ("phone", Look::PHONE)] {
            browser.set_look(look);
            let drawn = browser.evaluate(
                "[...document.querySelectorAll('svg')].filter(it => it.clientWidth > 0).length",
            );
            assert!(drawn.as_u64().unwrap() >= TOGETHER, "{drawn} charts");
            let found = found(&mut browser).into_iter();
            all.extend(found.map(|each| format!("{first}, {mode}: {each}")));
        }
    }
    assert!(all.is_empty(), "{} of them:\n{}", all.len(), all.join("\n"));
}

#[test]
fn a_collision_is_found() {
    let mut browser = Browser::start();
    browser.set_look(Look::LIGHT);
    browser.open(
        "<!DOCTYPE html><svg width=\"200\" height=\"50\" viewBox=\"0 0 200 50\"><title>x</title>\
         <text x=\"0\" y=\"20\">one</text><text x=\"9\" y=\"22\">two</text>\
         <text x=\"190\" y=\"45\">three</text><text x=\"60\" y=\"20\">four</text>\
         <path class=\"thin\" d=\"M50 16H120\"/><text class=\"halo\" x=\"60\" y=\"45\">five</text>\
         <path class=\"line\" d=\"M50 41H120\"/><path class=\"dot\" d=\"M199 1h9v9h-9Z\"/></svg>",
    );
    let expected = [
        "x: \"one\" overlaps \"two\"", "x: \"three\" is outside", "x: a point is outside",
        "x: \"four\" is on a line",
    ];
    assert_eq!(
        Value::from(found(&mut browser)),
        Value::from(expected.to_vec())
    );
}
