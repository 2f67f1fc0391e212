//! Checks the contrast of the page's colours by the formula of WCAG 2.2 (relative luminance): 4.5:1
//! for text, 3:1 for shapes and lines.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeMap;

const CHART: &str = include_str!("../src/chart/chart.css");
const PAGE: &str = include_str!("../src/page/html/page.css");

type Colour = [f64; 3];

/// The colours by name, for light, dark and print.
fn schemes() -> [BTreeMap<&'static str, Colour>; 3] {
    let blocks = |css: &'static str| css.split("--c0:#").skip(1);
    let mut all = blocks(CHART).chain(blocks(PAGE)).map(|block| {
        let (block, _) = block.split_once('}').unwrap();
        let named = block.split(";--").enumerate().map(|(at, each)| match at {
            0 => ("c0", colour(each)),
            _ => {
                let (name, value) = each.split_once(":#").unwrap();
                (name, colour(value))
            }
        });
        named.collect()
    });
    [(); 3].map(|()| all.next().unwrap())
}

fn colour(hex: &str) -> Colour {
    let digits: Vec<f64> = hex
        .chars()
        .map(|digit| f64::from(digit.to_digit(16).unwrap()))
        .collect();
    match digits.as_slice() {
        [r, g, b] => [r * 17.0, g * 17.0, b * 17.0],
        [a, b, c, d, e, f] => [a * 16.0 + b, c * 16.0 + d, e * 16.0 + f],
        _ => panic!("{hex}"),
    }
}

fn luminance(colour: Colour) -> f64 {
    let [r, g, b] = colour.map(|part| {
        let part = part / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn over(colour: Colour, opacity: f64, paper: Colour) -> Colour {
    std::array::from_fn(|at| colour[at] * opacity + paper[at] * (1.0 - opacity))
}

/// All opacities behind text: of the cells of heat tables and of the parts of bars.
fn opacities() -> Vec<f64> {
    let places = CHART.split("fill-opacity:").skip(1);
    let numbers = places.map(|rest| rest.split([';', '}']).next().unwrap().parse().unwrap());
    numbers.collect()
}

#[test]
fn text_and_shapes_stand_out_in_light_dark_and_print() {
    assert_eq!(opacities().len(), 4);
    for (scheme, name) in schemes().iter().zip(["light", "dark", "print"]) {
        let paper = scheme["paper"];
        for text in ["ink", "soft", "good", "doubt", "bad"] {
            let found = contrast(scheme[text], paper);
            assert!(found >= 4.5, "{name}: {text} {found:.2}");
        }
        for place in ["c0", "c1", "c2", "c3", "c4", "c5", "c6"] {
            let found = contrast(scheme[place], paper);
            assert!(found >= 3.0, "{name}: {place} {found:.2}");
        }
        let cells = opacities().into_iter().flat_map(|opacity| {
            let places = ["c0", "c1", "c2", "c3", "c4", "c5", "c6"].into_iter();
            places.map(move |place| (place, opacity))
        });
        // Cells of heat tables use only the first two colours.
        for (place, opacity) in cells.filter(|(place, opacity)| *opacity < 0.4 || *place < "c2") {
            let behind = over(scheme[place], opacity, paper);
            let found = contrast(scheme["ink"], behind);
            assert!(
                found >= 4.5,
                "{name}: text on {place} at {opacity}: {found:.2}"
            );
        }
    }
}
