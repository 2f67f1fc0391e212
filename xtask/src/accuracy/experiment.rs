//! The experiments: options of the server, options of Tenbin, and checks.

use std::time::Duration;

use anyhow::Result;

use super::against::{Bench, Stop, Who};
use super::judge::{self, Observed};
use super::{
    Row, capacity, ceiling, gates, history, nodes, peer, rates, stalls, sustained, wake_up,
};

/// One experiment.
pub(crate) struct Experiment {
    /// Number in `docs/accuracy.md`.
    pub(crate) number: &'static str,
    pub(crate) name: &'static str,
    pub(crate) how: How,
}

/// The procedure of an experiment.
pub(crate) enum How {
    /// One slice on the ground-truth server.
    Against {
        /// Options of `tenbin serve truth`.
        server: &'static [&'static str],
        /// Options of `tenbin http`.
        load: &'static [&'static str],
        stop: Option<Stop>,
        judge: fn(&Observed) -> Vec<Row>,
    },
    /// A separate function.
    Alone(fn(&Bench) -> Result<Vec<Row>>),
}

use How::{Against, Alone};

/// All experiments.
pub(crate) const PLAN: &[Experiment] = &[
    Experiment {
        number: "1",
        name: "no server: the engine's own ceiling",
        how: Alone(ceiling::perform),
    },
    Experiment {
        number: "1b",
        name: "no Tenbin: how late this machine wakes",
        how: Alone(wake_up::perform),
    },
    Experiment {
        number: "2",
        name: "fixed service of 10 ms, 100/s",
        how: Against {
            server: &["--service", "fixed:10ms"],
            load: &["--rate", "100/s", "--slice", "10s"],
            stop: None,
            judge: judge::fixed,
        },
    },
    Experiment {
        number: "3",
        name: "99 % in 1 ms, 1 % in 100 ms, 500/s",
        how: Against {
            server: &["--service", "bimodal:99%:1ms,100ms"],
            load: &["--rate", "500/s", "--slice", "20s", "-c", "64"],
            stop: None,
            judge: judge::bimodal,
        },
    },
    Experiment {
        number: "4",
        name: "log-normal service, a million samples",
        how: Against {
            server: &["--service", "lognormal:20ms:0.5"],
            load: &[
                "--requests", "1000000", "-c", "256", "--threads", "1", "--slice", "150s",
            ],
            stop: None,
            judge: judge::log_normal,
        },
    },
    Experiment {
        number: "5a",
        name: "nothing answered for 15 s of 30 s, 100/s",
        how: Against {
            server: &["--service", "fixed:1ms", "--stall", "8s+15s"],
            load: &["--rate", "100/s", "--slice", "30s", "-c", "64"],
            stop: None,
            judge: judge::half_stopped,
        },
    },
    Experiment {
        number: "5b",
        name: "server stopped (SIGSTOP) for 15 s of 30 s, 100/s",
        how: Against {
            server: &["--service", "fixed:1ms"],
            load: &["--rate", "100/s", "--slice", "30s", "-c", "64"],
            stop: Some(Stop {
                who: Who::Server,
                from: Duration::from_secs(8),
                length: Duration::from_secs(15),
            }),
            judge: judge::half_stopped,
        },
    },
    Experiment {
        number: "5c",
        name: "generator stopped (SIGSTOP) for 1 s of 6 s, 200/s",
        how: Against {
            server: &["--service", "fixed:1ms"],
            load: &["--rate", "200/s", "--slice", "6s", "-c", "64"],
            stop: Some(Stop {
                who: Who::Generator,
                from: Duration::from_secs(3),
                length: Duration::from_secs(1),
            }),
            judge: judge::generator_stopped,
        },
    },
    Experiment {
        number: "6a",
        name: "stall over the end of the run, answered after it",
        how: Against {
            server: &["--service", "fixed:1ms", "--stall", "4s+8s"],
            load: &["--rate", "100/s", "--slice", "10s", "-c", "64"],
            stop: None,
            judge: judge::late_answers,
        },
    },
    Experiment {
        number: "6b",
        name: "stall over the end of the run, never answered",
        how: Against {
            server: &["--service", "fixed:1ms", "--stall", "4s+60s"],
            load: &[
                "--rate", "100/s", "--slice", "10s", "-c", "64", "--timeout", "8s",
            ],
            stop: None,
            judge: judge::no_answers,
        },
    },
    Experiment {
        number: "7a",
        name: "constant arrivals at 1000/s",
        how: Against {
            server: &[],
            load: &["--rate", "1000/s", "--slice", "10s", "-c", "64"],
            stop: None,
            judge: judge::constant,
        },
    },
    Experiment {
        number: "7b",
        name: "Poisson arrivals at 300/s",
        how: Against {
            server: &[],
            load: &[
                "--rate", "300/s", "--arrivals", "poisson", "--slice", "30s", "-c", "32",
            ],
            stop: None,
            judge: judge::poisson,
        },
    },
    Experiment {
        number: "8",
        name: "token bucket of 1000/s, 2000/s asked for",
        how: Against {
            server: &["--capacity", "1000/s"],
            load: &["--rate", "2000/s", "--slice", "10s", "-c", "64"],
            stop: None,
            judge: judge::overload,
        },
    },
    Experiment {
        number: "9a",
        name: "M/M/1, one queue at half its capacity of 2000/s",
        how: Against {
            server: &["--service", "exponential:500us", "--single-queue"],
            load: &[
                "--rate", "1000/s", "--arrivals", "poisson", "--slice", "40s", "-c", "64",
            ],
            stop: None,
            judge: judge::half_busy,
        },
    },
    Experiment {
        number: "9b",
        name: "M/M/1, one queue at 0.8 of its capacity of 2000/s",
        how: Against {
            server: &["--service", "exponential:500us", "--single-queue"],
            load: &[
                "--rate", "1600/s", "--arrivals", "poisson", "--slice", "40s", "-c", "64",
            ],
            stop: None,
            judge: judge::busy,
        },
    },
    Experiment {
        number: "10",
        name: "wrong answers, 1 % of each kind, 500/s",
        how: Against {
            server: &[
                "--service", "fixed:1ms", "--reset", "1%", "--truncate", "1%", "--malformed", "1%",
            ],
            load: &["--rate", "500/s", "--slice", "10s", "-c", "32"],
            stop: None,
            judge: judge::wrong_answers,
        },
    },
    Experiment {
        number: "14",
        name: "beside other generators, low load",
        how: Alone(peer::perform),
    },
    Experiment {
        number: "15",
        name: "capacity: a ramp at four workers of 10 ms",
        how: Alone(capacity::ramp),
    },
    Experiment {
        number: "16",
        name: "capacity: the highest rate of four workers, of M/M/1, and with rare pauses",
        how: Alone(rates::highest_rate),
    },
    Experiment {
        number: "17",
        name: "a stall of 2 s in one slice of eight",
        how: Alone(stalls::one_of_eight),
    },
    Experiment {
        number: "18",
        name: "credits: servers that are fast because they rest",
        how: Alone(sustained::credits),
    },
    Experiment {
        number: "19",
        name: "three nodes against one: Groongas with a CPU quota",
        how: Alone(nodes::three_against_one),
    },
    Experiment {
        number: "20",
        name: "gates on servers that need more CPU time, idle and with 60 % of every core taken",
        how: Alone(gates::real_gates),
    },
    Experiment {
        number: "21",
        name: "a history over two machines, then +5 %",
        how: Alone(history::two_machines),
    },
];
