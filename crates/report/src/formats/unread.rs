//! Outputs of known tools that are not read, and the output that is read instead.

/// Texts that an output has, and what it is and what to do, in one clause.
const UNREAD: &[(&[&str], &str)] = &[
    (
        &["\"fio version\"", "\"client_stats\""],
        "is the JSON of fio --client, which is not read; measure without --client, with \
         --output-format=json",
    ),
    (
        &["(groupid=", ": err=", "IOPS="],
        "is the text of fio, which is not read; measure with --output-format=json",
    ),
    (
        &[";fio-"],
        "is the terse output of fio, which is not read; measure with --output-format=json",
    ),
    (
        &["Time (mean ± σ):"],
        "is the text of hyperfine, which is not read; measure with --export-json FILE",
    ),
    (
        &["Time (abs ≡):"],
        "is the text of hyperfine, which is not read; measure with --export-json FILE",
    ),
    (
        &["Command", "Mean [", "Relative"],
        "is the table of hyperfine, which is not read; measure with --export-json FILE",
    ),
    (
        &["command,mean,stddev,median,user,system,min,max"],
        "is the CSV of hyperfine, which is not read; measure with --export-json FILE",
    ),
    (
        &["│ Stat", "│ 2.5%"],
        "is the table of autocannon, which is not read; measure with --json",
    ),
    (
        &["Success rate:", "Slowest:", "Requests/sec:"],
        "is the text of oha, which is not read; measure with --output-format json, or --json \
         before oha 1.9",
    ),
    (
        &["sysbench 0.", "multi-threaded system evaluation benchmark"],
        "is the text of a sysbench before 1.0, which is not read; measure with sysbench 1.0 or later",
    ),
    (
        &["# reqs", "# fails"],
        "is the table of locust, which is not read; measure with --csv NAME, and name NAME_stats.csv",
    ),
    (
        &["summary =", "Avg:", "Err:"],
        "is the summary of JMeter, which is not read; measure with -l FILE",
    ),
    (
        &["Summary report @", "http."],
        "is the text of artillery, which is not read; measure with --output FILE",
    ),
    (
        &["# target 50%", "Sockets used:"],
        "is the text of fortio, which is not read; measure with -json FILE",
    ),
    (
        &["RESULT TYPE", "FIRST DONE", "LAST DONE"],
        "is the table of elbencho, which is not read; measure with --csvfile FILE or --jsonfile FILE",
    ),
    (
        &["sec/op", "vs base"],
        "is the comparison of benchstat, which is not read; name the files that it compared",
    ),
    (
        &["old time/op", "new time/op"],
        "is the comparison of benchstat, which is not read; name the files that it compared",
    ),
    (
        &["\"Value\",\"Percentile\",\"TotalCount\""],
        "is HdrHistogram's distribution as CSV, which is not read; write it as text",
    ),
];

/// What the output is, and which output to use instead.
pub(in crate::formats) fn hint(text: &str) -> Option<&'static str> {
    let mut all = UNREAD.iter();
    let found = all.find(|(marks, _)| marks.iter().all(|mark| text.contains(mark)));
    found.map(|(_, what)| *what)
}

#[cfg(test)]
mod tests {
    use crate::formats::likely::sentence;

    #[test]
    fn the_output_to_use_instead_is_named() {
        for (text, option) in [
            (
                "j: (groupid=0, jobs=1): err= 0: pid=1:\n  read: IOPS=25.6k\n",
                "--output-format=json",
            ),
            ("3;fio-3.33;job1;0;0;1024000\n", "--output-format=json"),
            (
                "{\"fio version\": \"fio-3.33\", \"client_stats\": []}",
                "--client",
            ),
            (
                "Benchmark 1: a\n  Time (mean ± σ):   1 ms\n",
                "--export-json",
            ),
            (
                "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n",
                "--export-json",
            ),
            (
                "command,mean,stddev,median,user,system,min,max\n",
                "--export-json",
            ),
            ("│ Stat    │ 2.5% │ 50%\n", "--json"),
            (
                "Summary:\n  Success rate:\t100%\n  Slowest:\t1\n  Requests/sec:\t1\n",
                "--output-format json",
            ),
            (
                "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n",
                "sysbench 1.0",
            ),
        ] {
            let said = sentence(text.as_bytes());
            assert!(said.text().contains(option), "{said}");
        }
    }
}
