//! Continuous load after the rounds: how often a steady server is accused, and which credits are
//! found.

use tenbin_plan::rng::Rng;
use tenbin_stats::{falls, falls_far, rises, settled_from};

use crate::Row;
use crate::noise::normal;

/// Simulated runs per row: an error rate of 1 % is known to 0.3 %.
const RUNS: u64 = 1_000;
/// Largest share of steady servers that are accused.
const MOST_ACCUSED: f64 = 0.01;
/// Smallest share of servers on credit that are found, if the credit ends within the stretch.
const LEAST_FOUND: f64 = 0.95;
/// Default margin.
const MARGIN: f64 = 0.05;
/// Parts of a second in which a server is simulated.
const TICKS: u32 = 20;

/// Operations per second of a server on credit, while it has credit and afterwards.
const BURST: f64 = 1_390.0;
const SUSTAINED: f64 = 700.0;

/// A run: blocks of ABBA with slices of this many seconds, and a stretch for each target.
struct Shape {
    blocks: u32,
    slice: u32,
    stretch: u32,
}

const USUAL: Shape = Shape {
    blocks: 8,
    slice: 2,
    stretch: 6,
};
const BRIEF: Shape = Shape {
    blocks: 8,
    slice: 1,
    stretch: 3,
};
const LONG: Shape = Shape {
    blocks: 8,
    slice: 5,
    stretch: 16,
};

/// What disturbs the machine.
#[derive(Clone, Copy)]
struct World {
    /// Other programs use the machine for some seconds, about once in 100 s.
    busy: bool,
    /// Noise of each second from Student's t distribution with three degrees of freedom.
    heavy: bool,
    /// One second in eight is slower by 70 %.
    stalls: bool,
}

pub(crate) fn rows(_: u32) -> Vec<Row> {
    let quiet = World {
        busy: false,
        heavy: false,
        stalls: false,
    };
    let worlds = [
        ("drift, jumps and noise", quiet),
        (
            "also heavy tails",
            World {
                heavy: true,
                ..quiet
            },
        ),
        (
            "also other programs",
            World {
                busy: true,
                ..quiet
            },
        ),
        (
            "all of them, and stalls",
            World {
                busy: true,
                heavy: true,
                stalls: true,
            },
        ),
    ];
    let shapes = [
        ("8 quads of 2 s", &USUAL),
        ("8 quads of 1 s", &BRIEF),
        ("8 quads of 5 s", &LONG),
    ];
    let mut rows = Vec::new();
    for (world_name, world) in worlds {
        for (shape_name, shape) in shapes {
            let accused = share(|seed| run(seed, world, shape, None));
            rows.push(Row {
                what: format!(
                    "a steady server accused by continuous load: {world_name}, {shape_name}"
                ),
                limit: format!("at most {:.1} %", MOST_ACCUSED * 100.0),
                found: format!("{:.1} % of {RUNS}", accused * 100.0),
                passed: accused <= MOST_ACCUSED,
            });
        }
    }
    let longer = Shape {
        stretch: 30,
        ..USUAL
    };
    for (credit, shape, what) in [
        (500.0, &USUAL, "the default stretch of 6 s"),
        (8_000.0, &longer, "--sustain 30s"),
    ] {
        let found = share(|seed| run(seed, quiet, shape, Some(credit)));
        rows.push(Row {
            what: format!("a credit of {credit} operations found with {what}"),
            limit: format!("at least {:.0} %", LEAST_FOUND * 100.0),
            found: format!("{:.1} % of {RUNS}", found * 100.0),
            passed: found >= LEAST_FOUND,
        });
    }
    rows
}

fn share(is_so: impl Fn(u64) -> bool) -> f64 {
    (0..RUNS).filter(|seed| is_so(*seed)).count() as f64 / RUNS as f64
}

/// Whether the second target of a run is accused. Without `credit` it is steady.
fn run(seed: u64, world: World, shape: &Shape, credit: Option<f64>) -> bool {
    let mut machine = Machine::new(seed, world);
    let mut server = credit.map(|most| Bucket { most, saved: most });
    let mut rates = Vec::new();
    let mut tails = Vec::new();
    for _ in 0..shape.blocks {
        let (mut rate, mut tail) = (0.0, 0.0);
        for is_mine in [false, true, true, false] {
            let seconds = (0..shape.slice).map(|_| machine.second(&mut server, is_mine));
            let seconds: Vec<(f64, f64)> = seconds.collect();
            if is_mine {
                let mean = seconds.iter().map(|(rate, _)| rate).sum::<f64>();
                rate += (mean / f64::from(shape.slice)).ln() / 2.0;
                tail -= worst(&seconds).ln() / 2.0;
            }
        }
        rates.push(rate);
        tails.push(tail);
    }
    // The other target has its stretch first, and this server saves again.
    for _ in 0..shape.stretch {
        machine.second(&mut server, false);
    }
    let (mut rate_fell, mut rate_rose) = (true, true);
    let (mut tail_rose, mut has_step) = (true, None);
    // The second stretch follows only a fall or a rise in the first.
    for _ in 0..2 {
        let seconds = (0..shape.stretch).map(|_| machine.second(&mut server, true));
        let seconds: Vec<(f64, f64)> = seconds.collect();
        let levels: Vec<f64> = seconds.iter().map(|(rate, _)| rate.ln()).collect();
        let from = settled_from(&levels);
        let has_step = *has_step.get_or_insert(from > 0);
        let settled = &seconds[from..];
        let mean = settled.iter().map(|(rate, _)| rate).sum::<f64>() / settled.len() as f64;
        let mut each: Vec<f64> = settled.iter().map(|(rate, _)| *rate).collect();
        each.sort_by(f64::total_cmp);
        let usual = (each[each.len() / 2] + each[(each.len() - 1) / 2]) / 2.0;
        let level = mean.max(usual).ln();
        rate_fell &= falls(&rates, level, MARGIN, has_step) || falls_far(&rates, level, MARGIN);
        rate_rose &= rises(&rates, mean.min(usual).ln(), MARGIN);
        tail_rose &= falls(&tails, -worst(settled).ln(), MARGIN, has_step);
    }
    rate_fell || rate_rose || tail_rose
}

/// The 99th percentile of some seconds, about that of their slowest quarter.
fn worst(seconds: &[(f64, f64)]) -> f64 {
    let mut tails: Vec<f64> = seconds.iter().map(|(_, tail)| *tail).collect();
    tails.sort_by(f64::total_cmp);
    tails[tails.len() * 3 / 4]
}

/// A machine whose speed changes from second to second.
struct Machine {
    rng: Rng,
    world: World,
    lasting: f64,
    level: f64,
    drift: f64,
    /// Seconds for which other programs stay, and the log share that they take.
    busy: (u32, f64),
}

impl Machine {
    fn new(seed: u64, world: World) -> Self {
        let mut rng = Rng::new(seed, &[7]);
        let drift = 0.05 * (2.0 * rng.unit() - 1.0) / 80.0;
        Self {
            lasting: 0.05 * normal(&mut rng),
            rng,
            world,
            level: 0.0,
            drift,
            busy: (0, 0.0),
        }
    }

    /// The throughput and the 99th percentile of the next second. The server saves credit while
    /// another target is loaded.
    fn second(&mut self, server: &mut Option<Bucket>, is_loaded: bool) -> (f64, f64) {
        // As `Noise`, whose slices last two seconds.
        let phi = 0.9_f64.sqrt();
        let rng = &mut self.rng;
        self.lasting = phi * self.lasting + 0.05 * (1.0 - phi * phi).sqrt() * normal(rng);
        self.level += self.drift;
        if rng.unit() < 0.01 {
            self.level += 0.10 * normal(rng);
        }
        if self.world.busy && self.busy.0 == 0 && rng.unit() < 0.01 {
            let length = 1 + (4.0 * rng.exponential()) as u32;
            self.busy = (length, 0.1 + 0.5 * rng.unit());
        }
        let mut speed = self.lasting + self.level;
        if self.busy.0 > 0 {
            self.busy.0 -= 1;
            speed -= self.busy.1;
        }
        let heavy = if self.world.heavy {
            let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
            (3.0 / squares.max(1e-9)).sqrt()
        } else {
            1.0
        };
        speed += 0.015 * heavy * normal(rng);
        if self.world.stalls && rng.unit() < 0.125 {
            speed += 0.3_f64.ln();
        }
        let tail = (-speed + 0.1 * heavy * normal(rng)).exp();
        let rate = 1_000.0 * speed.exp();
        match server {
            None => (rate, tail),
            Some(bucket) => (bucket.second(speed.exp(), is_loaded), tail),
        }
    }
}

/// A server that saves what it does not serve.
struct Bucket {
    most: f64,
    saved: f64,
}

impl Bucket {
    /// Operations in a second on a machine of this speed.
    fn second(&mut self, speed: f64, is_loaded: bool) -> f64 {
        let mut served = 0.0;
        for _ in 0..TICKS {
            let tick = 1.0 / f64::from(TICKS);
            let earned = self.saved + SUSTAINED * tick;
            let wanted = if is_loaded { BURST * speed * tick } else { 0.0 };
            let now = wanted.min(earned);
            served += now;
            self.saved = (earned - now).min(self.most);
        }
        served
    }
}
