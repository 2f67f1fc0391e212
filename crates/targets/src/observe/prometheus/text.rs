//! Parses Prometheus' text format, version 0.0.4
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>).

/// One sample on a page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) labels: Vec<(String, String)>,
    pub(super) value: f64,
    /// Milliseconds since 1970, if the sample has a time stamp.
    pub(super) timestamp: Option<i64>,
}

impl Sample {
    /// The value of a label. A missing label has the same meaning as an empty value.
    pub(super) fn label(&self, name: &str) -> &str {
        let mut labels = self.labels.iter();
        let found = labels.find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }
}

/// Parses the samples whose names `wanted` accepts.
///
/// # Errors
/// The number of the first invalid line, starting from 1.
pub(super) fn parse(text: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<Sample>, usize> {
    let mut samples = Vec::new();
    for (line, number) in text.split('\n').zip(1_usize..) {
        let line = line.trim_matches([' ', '\t']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let sample = sample(line).ok_or(number)?;
        if wanted(&sample.name) {
            samples.push(sample);
        }
    }
    Ok(samples)
}

/// Parses a line `name{label="value",…} value timestamp`.
fn sample(line: &str) -> Option<Sample> {
    let (name, rest) = name(line, true)?;
    let rest = spaces(rest);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        // White space must separate the name and the value.
        None if rest.len() == line.len() - name.len() => return None,
        None => (Vec::new(), rest),
    };
    let mut words = rest.split([' ', '\t']).filter(|word| !word.is_empty());
    let value = words.next()?.parse().ok()?;
    let timestamp = words.next().map(|word| word.parse().ok());
    let timestamp = match timestamp {
        Some(None) => return None,
        Some(found) => found,
        None => None,
    };
    words.next().is_none().then(|| Sample {
        name: name.to_owned(),
        labels,
        value,
        timestamp,
    })
}

/// Splits `text` after the name at its start; returns the name and the rest.
fn name(text: &str, with_colons: bool) -> Option<(&str, &str)> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || (with_colons && c == ':');
    let end = text.find(|c| !allowed(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let first = name.chars().next()?;
    (!first.is_ascii_digit()).then_some((name, rest))
}

fn spaces(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

type Labels = Vec<(String, String)>;

/// Parses labels in `text`, which starts after `{`; returns the labels and the text after `}`.
fn labels(text: &str) -> Option<(Labels, &str)> {
    let mut labels = Vec::new();
    let mut rest = spaces(text);
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (label, after) = name(rest, false)?;
        let after = spaces(spaces(after).strip_prefix('=')?);
        let (value, after) = quoted(after.strip_prefix('"')?)?;
        labels.push((label.to_owned(), value));
        let after = spaces(after);
        rest = match after.strip_prefix(',') {
            Some(next) => spaces(next),
            None if after.starts_with('}') => after,
            None => return None,
        };
    }
}

/// Parses a quoted value in `text`, which starts after `"`; returns the value and the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(match letters.next()?.1 {
                'n' => '\n',
                plain @ ('\\' | '"') => plain,
                _ => return None,
            }),
            letter => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_format_of_exporters_is_parsed() {
        let page = "# HELP node_cpu_seconds_total Seconds the CPUs spent in each mode.\n\
                    # TYPE node_cpu_seconds_total counter\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1.23456e+06\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"user\",} 12.5 1395066363000\n\
                    \n\
                    process_open_fds 9\n\
                    \tup\t{ a = \"b\" } +Inf \n\
                    other NaN\n";
        let all = parse(page, |_| true).unwrap();
        assert_eq!(all.len(), 5);
        assert_eq!((all[0].label("mode"), all[0].value), ("idle", 1_234_560.0));
        assert_eq!(all[1].timestamp, Some(1_395_066_363_000));
        assert_eq!((all[2].label("mode"), all[2].timestamp), ("", None));
        assert_eq!((all[3].label("a"), all[3].value), ("b", f64::INFINITY));
        assert!(all[4].value.is_nan());
        let some = parse(page, |name| name == "process_open_fds").unwrap();
        assert_eq!(some.len(), 1);
    }

    #[test]
    fn invalid_lines_are_reported_by_number() {
        for line in [
            "name", "9name 1", "name{a=\"b\" 1", "name{a=\"b} 1", "name{a=b} 1",
            "name{a:b=\"c\"} 1", "name{a=\"\\x\"} 1", "name{a=\"b\";} 1", "name{,} 1",
            "name 1 2 3", "name 1 soon", "name one", "name{}", "<html>",
        ] {
            assert_eq!(
                parse(&format!("up 1\n{line}\n"), |_| true),
                Err(2),
                "{line}"
            );
        }
    }

    fn written(sample: &Sample) -> String {
        let escaped = |text: &str| {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"");
            text.replace('\n', "\\n")
        };
        let labels = sample.labels.iter();
        let labels: Vec<String> = labels
            .map(|(name, value)| format!("{name}=\"{}\"", escaped(value)))
            .collect();
        let labels = match labels.as_slice() {
            [] => String::new(),
            labels => format!("{{{}}}", labels.join(",")),
        };
        let timestamp = sample
            .timestamp
            .map_or(String::new(), |at| format!(" {at}"));
        format!("{}{labels} {}{timestamp}\n", sample.name, sample.value)
    }

    fn samples() -> impl Strategy<Value = Vec<Sample>> {
        let label = ("[a-zA-Z_][a-zA-Z0-9_]{0,6}", any::<String>());
        let sample = (
            "[a-zA-Z_:][a-zA-Z0-9_:]{0,9}",
            vec(label, 0..4),
            any::<f64>().prop_filter("equal to itself", |value| !value.is_nan()),
            option::of(any::<i64>()),
        );
        let sample = sample.prop_map(|(name, labels, value, timestamp)| Sample {
            name,
            labels,
            value,
            timestamp,
        });
        vec(sample, 0..6)
    }

    proptest! {
        #[test]
        fn written_samples_are_read_back(samples in samples()) {
            let page: String = samples.iter().map(written).collect();
            prop_assert_eq!(parse(&page, |_| true), Ok(samples));
        }

        #[test]
        fn no_page_causes_a_panic(page in any::<String>()) {
            let _ = parse(&page, |_| true);
        }

        #[test]
        fn no_line_causes_a_panic(page in "[a{}\"=, \\\\n1\t#]{0,30}") {
            let _ = parse(&page, |_| true);
        }
    }
}
