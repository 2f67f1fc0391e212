//! Recorded noise: the speeds of two copies of one server, slice by slice, on a real machine. The
//! README beside the file says how they were measured.

use std::sync::LazyLock;

use tenbin_plan::rng::Rng;

/// One slice a line, in the order in which the slices were measured.
const TEXT: &str = include_str!("recorded.csv");
/// Slices that stay together when a recording is resampled, so that drift and bursts stay as they
/// were recorded. A block of a gate has four slices.
const TOGETHER: usize = 40;

/// What else ran on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Servers and load generators that others measured.
    Shared,
    /// The same, and compilers at the same priority.
    Builds,
    /// The same, and a program on each core that took 60 % of it.
    Busy,
}

/// All recordings.
pub(crate) const RECORDINGS: [Beside; 3] = [Beside::Shared, Beside::Builds, Beside::Busy];

impl Beside {
    fn name(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Builds => "builds",
            Self::Busy => "busy",
        }
    }

    /// The slices of this recording, in order.
    pub(crate) fn slices(self) -> &'static [Recorded] {
        static ALL: LazyLock<[Vec<Recorded>; 3]> = LazyLock::new(|| RECORDINGS.map(read));
        &ALL[self as usize]
    }
}

/// Natural logarithms of the figures of one slice, relative to the mean of its copy: two processes of
/// one program differ for their whole life.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recorded {
    /// Operations per second.
    pub(crate) speed: f64,
    /// CPU time of an operation.
    pub(crate) cpu: f64,
}

fn read(beside: Beside) -> Vec<Recorded> {
    let mut of: Vec<(&str, Recorded)> = Vec::new();
    for line in TEXT.lines().skip(1) {
        let mut fields = line.split(',');
        let mut next = || fields.next().expect("a line has four fields");
        let (name, copy) = (next(), next());
        let mut log = || next().parse::<f64>().expect("a number").ln();
        let slice = Recorded {
            speed: log(),
            cpu: log(),
        };
        if name == beside.name() {
            of.push((copy, slice));
        }
    }
    let mean = |copy: &str| {
        let mine = || of.iter().filter(|(name, _)| *name == copy);
        let n = mine().count() as f64;
        Recorded {
            speed: mine().map(|(_, it)| it.speed).sum::<f64>() / n,
            cpu: mine().map(|(_, it)| it.cpu).sum::<f64>() / n,
        }
    };
    let relative = |(copy, slice): &(&str, Recorded)| {
        let mean = mean(copy);
        Recorded {
            speed: slice.speed - mean.speed,
            cpu: slice.cpu - mean.cpu,
        }
    };
    of.iter().map(relative).collect()
}

/// Slices of any number with the noise of a recording: stretches that begin at random places, one
/// after the other (moving-block bootstrap: H. Künsch, "The jackknife and the bootstrap for general
/// stationary observations", Annals of Statistics 17, 1989).
pub(crate) struct Resampled {
    slices: &'static [Recorded],
    rng: Rng,
    at: usize,
    left: usize,
}

impl Resampled {
    /// A seed always gives the same slices.
    pub(crate) fn new(beside: Beside, seed: u64) -> Self {
        Self {
            slices: beside.slices(),
            rng: Rng::new(seed, &[4]),
            at: 0,
            left: 0,
        }
    }

    /// The next slice.
    pub(crate) fn next(&mut self) -> Recorded {
        if self.left == 0 {
            let places = (self.slices.len() + 1).saturating_sub(TOGETHER).max(1);
            self.at = self.rng.below(places as u64) as usize;
            self.left = TOGETHER;
        }
        let slice = self.slices[self.at];
        self.at += 1;
        self.left -= 1;
        slice
    }
}
