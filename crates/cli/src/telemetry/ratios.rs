//! The ratios of a running experiment as data of the live page: the last ones, and how their intervals
//! became narrower.

use serde_json::{Value, json};
use tenbin_result::Figure;
use tenbin_result::format::{ENGLISH, ratio, ratio_ends};
use tenbin_verdict::InterimRatio;

/// Largest number of ratios that the page shows.
const MOST: usize = 8;
/// Largest number of points of a course: beyond it, every other point is dropped.
const POINTS: usize = 120;

/// The course of each ratio.
#[derive(Debug, Default)]
pub(super) struct Ratios {
    courses: Vec<Vec<(usize, Figure)>>,
}

impl Ratios {
    /// Adds the ratios after a block, and returns the data of an event.
    pub(super) fn add(&mut self, ratios: &[InterimRatio]) -> Value {
        let shown = &ratios[..ratios.len().min(MOST)];
        self.courses.resize(shown.len(), Vec::new());
        for (each, course) in shown.iter().zip(&mut self.courses) {
            let known = each.ratio.map(|figure| (each.blocks, figure));
            course.extend(known);
            if course.len() > POINTS {
                let mut at = 0;
                course.retain(|_| {
                    at += 1;
                    at % 2 == 0
                });
            }
        }
        let all = shown.iter().zip(&self.courses);
        let all: Vec<Value> = all.map(|(each, course)| of_ratio(each, course)).collect();
        json!({ "ratios": all, "more": ratios.len() - shown.len() })
    }
}

fn of_ratio(each: &InterimRatio, course: &[(usize, Figure)]) -> Value {
    let said = each.ratio.map(|figure| {
        let ends = ratio_ends(figure, &ENGLISH);
        [ratio(figure.value), ends]
    });
    let course = course.iter().map(|(blocks, figure)| {
        let ends = figure.interval;
        json!([
            blocks,
            figure.value,
            ends.map(|it| it.low),
            ends.map(|it| it.high)
        ])
    });
    json!({
        "workload": each.workload,
        "baseline": each.baseline,
        "challenger": each.challenger,
        "metric": each.metric_phrase(),
        "blocks": each.blocks,
        "rounds": each.rounds,
        "ratio": said.as_ref().map(|said| &said[0]),
        "interval": said.as_ref().map(|said| &said[1]),
        "course": course.collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenbin_result::{Interval, Metric};

    fn after(blocks: usize) -> InterimRatio {
        let interval = (blocks > 1).then_some(Interval {
            low: 1.2 - 0.1 / blocks as f64,
            high: 1.2 + 0.1 / blocks as f64,
            confidence: 0.95,
        });
        InterimRatio {
            workload: "get".to_owned(),
            baseline: "a".to_owned(),
            challenger: "b".to_owned(),
            metric: Metric::Throughput,
            ratio: (blocks > 0).then_some(Figure {
                value: 1.2,
                interval,
                n: blocks as u64,
            }),
            blocks,
            rounds: 2 * blocks,
        }
    }

    #[test]
    fn a_course_ends_with_the_last_ratio_and_does_not_grow_without_end() {
        let mut ratios = Ratios::default();
        assert_eq!(ratios.add(&[after(0)])["ratios"][0]["ratio"], Value::Null);
        let first = ratios.add(&[after(1)]);
        assert_eq!(first["ratios"][0]["interval"], "interval unknown");
        let mut last = Value::Null;
        for blocks in 2..1_000 {
            last = ratios.add(&[after(blocks)]);
        }
        let last = &last["ratios"][0];
        assert_eq!(last["ratio"], "1.200");
        let course = last["course"].as_array().unwrap();
        assert!(course.len() <= POINTS, "{}", course.len());
        assert_eq!(course.last().unwrap()[0], 999);
    }

    #[test]
    fn many_ratios_are_counted() {
        let all: Vec<InterimRatio> = (0..20).map(|_| after(3)).collect();
        let data = Ratios::default().add(&all);
        assert_eq!(data["ratios"].as_array().unwrap().len(), MOST);
        assert_eq!(data["more"], 12);
    }
}
