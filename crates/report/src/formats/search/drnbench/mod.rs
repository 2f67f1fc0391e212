//! The output formats of drnbench: its text and its result file.

mod report;
mod result_file;
mod row;
pub(in crate::formats) mod steps;
mod sweep;

use tenbin_plan::sentence;

use self::result_file::csv;
use crate::formats::content::Content;
use crate::formats::format::Format;
use crate::formats::judged::mark;
use crate::formats::reader::{Fault, Read, Reader, whole};
use crate::formats::write::{Part, WriteError, Writer};

pub use report::{Listed, text};
pub use steps::Steps;
pub use sweep::{Sweep, sweeps};

pub(in crate::formats) const FORMAT: Format = Format {
    name: "drnbench",
    about: "a result of drnbench: CSV with a row for each number of clients",
    file: "drnbench-result.csv",
    read: Some(Reader {
        recognises: Steps::recognises,
        read: Read::Content(|file, selection| {
            let content = whole(file, selection, "a result of drnbench")?;
            let steps = Steps::read(&content).map_err(|why| {
                Fault::of_the_file(format!("cannot be read as a result of drnbench: {why}"))
            })?;
            Ok(Content::Steps(steps))
        }),
        reported: Some(|content| Steps::reported(content).map_err(Fault::of_the_file)),
    }),
    write: Some(Writer::Run(|run| {
        parts(&sweeps(run.plan, &run.record.slices), &mark(run.document))
    })),
    ..Format::PLAIN
};

/// Writes one file per concurrency sweep.
fn parts(sweeps: &[Sweep], mark: &str) -> Result<Vec<Part>, WriteError> {
    if sweeps.is_empty() {
        return Err(WriteError::Lacks(sentence!(
            "no-whole-step",
            "no step ran its full time in a closed loop, so that there is no file in drnbench's \
             format"
        )));
    }
    let part = |sweep: &Sweep| Part {
        name: if sweeps.iter().any(|other| other.family != sweep.family) {
            format!("{}-{}", sweep.target, sweep.family)
        } else {
            sweep.target.clone()
        },
        content: csv(sweep, mark).into_bytes(),
    };
    Ok(sweeps.iter().map(part).collect())
}

#[cfg(test)]
mod tests {
    use tenbin_record::{CacheUse, PackedHistogram, RecordedSample, RecordedSamples};

    use super::report::{not_observed, report, singles};
    use super::result_file::float;
    use super::sweep::{Manner, NANOS, Step};
    use super::*;

    const VALID: &str = "tenbin trust: VALID";

    const MANNER: Manner = Manner {
        keep_alive: false,
        think: 0.01,
    };

    fn step(clients: usize, total: u64, statuses: &[(u16, u64)]) -> Step {
        Step {
            seconds: 4.0,
            rates: vec![total as f64 / 4.0],
            total,
            statuses: statuses.iter().copied().collect(),
            timed: total,
            busy: total as f64 * 0.001_953_125,
            min: (total > 0).then_some(0.000_330_523),
            max: (total > 0).then_some(0.028_229_47),
            ..Step::new(clients, MANNER)
        }
    }

    fn sweep(steps: Vec<Step>) -> Sweep {
        Sweep {
            target: "groonga".to_owned(),
            family: "search".to_owned(),
            steps,
        }
    }

    #[test]
    fn the_file_has_the_columns_and_the_numbers_of_drnbench() {
        let steps = vec![
            step(1, 345, &[(200, 345)]),
            step(2, 800, &[(200, 600), (404, 100), (0, 100)]),
            step(4, 0, &[]),
        ];
        assert_eq!(
            csv(&sweep(steps), VALID),
            "n_clients,total_n_requests,queries_per_second,min_elapsed_time,max_elapsed_time,\
             average_elapsed_time,0,200,404,tenbin trust\n\
             1,345,86.25,0.000330523,0.02822947,0.001953125,0,100.0,0,tenbin trust: VALID\n\
             2,800,200.0,0.000330523,0.02822947,0.001953125,12.5,75.0,12.5,tenbin trust: VALID\n\
             4,0,0.0,,,,0,0,0,tenbin trust: VALID\n"
        );
    }

    #[test]
    fn the_ends_are_those_of_single_requests_where_these_are_known() {
        let single = |ns| RecordedSample {
            request: "GET /".to_owned(),
            number: Some(7),
            host: None,
            status: Some(200),
            correct: true,
            ns,
        };
        let mut times = PackedHistogram::new();
        for ns in [1_234_567, 5_000_000, 98_765_432] {
            times.record(ns).expect("in range");
        }
        assert!(times.min() < 1_234_567 && times.max() > 98_765_432);
        let singles = RecordedSamples {
            fastest: vec![single(1_234_567)],
            slowest: vec![single(98_765_432)],
            ..RecordedSamples::default()
        };
        let mut exact = Step::new(1, MANNER);
        exact.add_times(&times, Some(&singles));
        assert_eq!(
            (exact.min, exact.max),
            (Some(0.001_234_567), Some(0.098_765_432))
        );
        // The listed requests can be of a different kind than the timed requests.
        let other = RecordedSamples {
            fastest: vec![single(4_000_000)],
            ..RecordedSamples::default()
        };
        let mut edge = Step::new(1, MANNER);
        edge.add_times(&times, Some(&other));
        assert_eq!(edge.min, Some(times.min() as f64 / NANOS));
    }

    #[test]
    fn lists_have_the_columns_of_drnbench() {
        let single = |number, status| RecordedSample {
            request: "GET /a".to_owned(),
            number,
            host: None,
            status,
            correct: true,
            ns: 98_765_432,
        };
        let all = [single(Some(7), Some(200)), single(None, None)];
        let mut text = String::new();
        singles(&mut text, "slow", &all, 2, &["http://h:1/".to_owned()]);
        assert_eq!(
            text,
            "Top 2 slow requests:\n [time: method status index url]\n  \
             0.098765 sec: GET 200 7 http://h:1/a\n  \
             0.098765 sec: GET 0(aborted) - http://h:1/a\n"
        );
    }

    /// Three responses of 2 ms, and a hundred refused connections.
    #[test]
    fn failures_without_a_time_are_counted_and_have_none() {
        let mut step = Step::new(1, MANNER);
        let mut answered = PackedHistogram::new();
        answered.record_n(2_000_000, 3).expect("in range");
        let mut refused = PackedHistogram::new();
        refused.record_n(0, 100).unwrap();
        for times in [&answered, &refused] {
            step.add_times(times, None);
        }
        step.total = 103;
        assert_eq!(step.timed, 3);
        assert!(step.min.expect("a time") > 0.001_9, "{:?}", step.min);
        let average = step.average().expect("a time");
        assert!((average / 0.002 - 1.0).abs() < 0.01, "{average}");
        let mut only_refused = Step::new(1, MANNER);
        only_refused.add_times(&refused, None);
        only_refused.total = 100;
        assert_eq!((only_refused.min, only_refused.average()), (None, None));
    }

    /// The same throughput as in the report and the charts.
    #[test]
    fn throughput_is_the_median_of_the_slices() {
        let mut three = step(1, 1_200, &[(200, 1_200)]);
        three.rates = vec![310.0, 90.0, 300.0];
        assert_eq!(three.per_second(), Some(300.0));
        assert!(csv(&sweep(vec![three]), VALID).contains("\n1,1200,300.0,"));
    }

    #[test]
    fn what_was_not_observed_is_said_with_how_to_get_it() {
        let said = |step: Step| {
            let sweep = sweep(vec![step]);
            let listed = Listed {
                slow: 0,
                fast: 0,
                urls: &[],
            };
            let mut text = String::new();
            report(&mut text, &sweep.steps[0], &listed);
            not_observed(&mut text, &sweep);
            text
        };
        let unknown = said(step(1, 345, &[(200, 345)]));
        for words in [
            "Cache hits of the server: not observed\nCPU of the server: not observed\n",
            "Cache hits were not observed in every step: name the page",
            "--cache-counters",
            "The CPU of the server was not observed in every step: name its processes",
            "--observe",
        ] {
            assert!(unknown.contains(words), "{words}: {unknown}");
        }
        let mut known = step(4, 345, &[(200, 345)]);
        known.cache = Some(CacheUse {
            forecast_hits: 0,
            forecast_lookups: 0,
            hits: Some(120),
            lookups: Some(240),
        });
        known.cpu = Some((7.4, 4.0));
        let known = said(known);
        assert!(
            known.contains(
                "Cache hits of the server: 50 % of 240 lookups\nCPU of the server: 185 % (100 % is \
                 one core)\n"
            ),
            "{known}"
        );
        assert!(!known.contains("not observed"), "{known}");
    }

    #[test]
    fn numbers_are_written_as_ruby_does() {
        for (value, text) in [
            (100.0, "100.0"),
            (0.0, "0.0"),
            (0.0001, "0.0001"),
            (0.000_095_3, "9.53e-05"),
            (0.000_01, "1.0e-05"),
            (0.001_455_597_585_507_246_5, "0.0014555975855072465"),
            (123_456.5, "123456.5"),
        ] {
            assert_eq!(float(value), text);
        }
    }

    #[test]
    fn littles_law_counts_the_wait_and_the_opening_of_connections() {
        let mut one = step(1, 320, &[(200, 320)]);
        one.busy = 320.0 * 0.002;
        one.connecting = 320.0 * 0.000_5;
        let little = one.little().expect("a figure");
        assert!((little - 1.0).abs() < 1e-9, "{little}");
        assert_eq!(step(1, 0, &[]).little(), None);
    }

    #[test]
    fn several_targets_have_files_of_their_own() {
        let one = sweep(vec![]);
        let other = Sweep {
            target: "three-nodes".to_owned(),
            ..one.clone()
        };
        let names = |sweeps: &[Sweep]| -> Vec<String> {
            let parts = parts(sweeps, VALID).unwrap().into_iter();
            parts.map(|part| part.name).collect()
        };
        assert_eq!(names(&[one.clone(), other]), ["groonga", "three-nodes"]);
        let heavy = Sweep {
            family: "heavy".to_owned(),
            ..one.clone()
        };
        assert_eq!(names(&[one, heavy]), ["groonga-search", "groonga-heavy"]);
    }
}
