//! What servers told of their stages, summed up by service time.

use serde::{Deserialize, Serialize};

/// Stages that are told apart by name.
pub const MOST_STAGES: usize = 32;
/// What all others are called together: no header can name a stage so.
pub const OTHER_STAGES: &str = "(others)";

/// What servers told in correct answers to requests that were due in a slice's window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSums {
    /// By operation, in no order; those without a correct answer are missing.
    pub operations: Vec<OperationStages>,
}

/// The same of one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationStages {
    /// Name of the operation, for example `GET`.
    pub operation: String,
    /// Names of the stages in the order in which they were first told: at most
    /// [`MOST_STAGES`], and [`OTHER_STAGES`]. Server-supplied: hostile until escaped.
    pub stages: Vec<String>,
    /// Sums by service time, the shortest first; none of them is empty.
    pub buckets: Vec<BucketSums>,
}

/// Answers of about the same service time: of two of them, the longer one is at most
/// a sixteenth longer. All below a microsecond are together, and so are all above ten
/// minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketSums {
    /// Its position, from 0: sixteen for every power of two, beginning with 1,024 ns.
    pub bucket: u16,
    /// Correct answers.
    pub answers: u64,
    /// Their service times, nanoseconds.
    pub service_ns: u64,
    /// Those that told a time.
    pub carrying: u64,
    /// Those with a header that could not be read, or with a time longer than the request
    /// took; none of them counts as carrying.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Those that told the time of the whole request, once.
    pub totals: u64,
    /// These times, nanoseconds.
    pub total_ns: u64,
    /// The service times of the same answers, nanoseconds.
    pub total_service_ns: u64,
    /// By stage, in the order of [`OperationStages::stages`].
    pub stages: Vec<StageSum>,
}

/// What was told of one stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSum {
    /// Answers that named it.
    pub named: u64,
    /// Its times, nanoseconds.
    pub ns: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl StageSums {
    /// Adds what others saw.
    pub fn add(&mut self, other: Self) {
        for part in other.operations {
            let mut known = self.operations.iter_mut();
            match known.find(|known| known.operation == part.operation) {
                Some(known) => known.add(&part),
                None => self.operations.push(part),
            }
        }
    }

    /// Those of that operation, if it had a correct answer.
    pub fn of(&self, operation: &str) -> Option<&OperationStages> {
        let mut operations = self.operations.iter();
        operations.find(|each| each.operation == operation)
    }
}

impl OperationStages {
    /// Adds what others saw of the same operation. A stage that one of both may have counted
    /// among its others is among the others of the sum: only a part of it is known.
    pub fn add(&mut self, other: &Self) {
        let both = |name: &str| match self.has(name) && other.has(name) {
            true => name.to_owned(),
            false => OTHER_STAGES.to_owned(),
        };
        let (mine, theirs) = (self.stages.iter(), other.stages.iter());
        let mine = match other.has(OTHER_STAGES) {
            true => Some(mine.map(|name| both(name)).collect::<Vec<_>>()),
            false => None,
        };
        let theirs: Vec<String> = match self.has(OTHER_STAGES) {
            true => theirs.map(|name| both(name)).collect(),
            false => theirs.cloned().collect(),
        };
        if let Some(names) = mine.filter(|names| *names != self.stages) {
            let before = std::mem::take(self);
            self.operation = before.operation;
            self.take_in(&names, &before.buckets);
        }
        self.take_in(&theirs, &other.buckets);
    }

    fn has(&self, name: &str) -> bool {
        self.stages.iter().any(|known| known == name)
    }

    /// Adds buckets whose stages have these names; several may have the same.
    fn take_in(&mut self, names: &[String], buckets: &[BucketSums]) {
        let places: Vec<usize> = names.iter().map(|name| self.place(name)).collect();
        for bucket in &mut self.buckets {
            bucket.stages.resize(self.stages.len(), StageSum::default());
        }
        for part in buckets {
            let at = match self
                .buckets
                .binary_search_by_key(&part.bucket, |bucket| bucket.bucket)
            {
                Ok(at) => at,
                Err(at) => {
                    let empty = BucketSums {
                        bucket: part.bucket,
                        stages: vec![StageSum::default(); self.stages.len()],
                        ..BucketSums::default()
                    };
                    self.buckets.insert(at, empty);
                    at
                }
            };
            self.buckets[at].add(part, &places);
        }
    }

    /// Where a stage of that name is counted.
    fn place(&mut self, name: &str) -> usize {
        let find = |stages: &[String], name: &str| stages.iter().position(|known| known == name);
        if let Some(at) = find(&self.stages, name) {
            return at;
        }
        let named = self.stages.iter().filter(|known| *known != OTHER_STAGES);
        let name = match named.count() < MOST_STAGES {
            true => name,
            false => OTHER_STAGES,
        };
        find(&self.stages, name).unwrap_or_else(|| {
            self.stages.push(name.to_owned());
            self.stages.len() - 1
        })
    }

    /// Correct answers.
    pub fn answers(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.answers).sum()
    }

    /// Correct answers that told a time.
    pub fn carrying(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.carrying).sum()
    }

    /// Correct answers with a header that could not be read, or cannot be true.
    pub fn unreadable(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.unreadable).sum()
    }
}

impl BucketSums {
    fn add(&mut self, part: &Self, places: &[usize]) {
        for (sum, more) in [
            (&mut self.answers, part.answers),
            (&mut self.service_ns, part.service_ns),
            (&mut self.carrying, part.carrying),
            (&mut self.unreadable, part.unreadable),
            (&mut self.totals, part.totals),
            (&mut self.total_ns, part.total_ns),
            (&mut self.total_service_ns, part.total_service_ns),
        ] {
            *sum = sum.saturating_add(more);
        }
        for (&place, more) in places.iter().zip(&part.stages) {
            let sum = &mut self.stages[place];
            sum.named = sum.named.saturating_add(more.named);
            sum.ns = sum.ns.saturating_add(more.ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(bucket: u16, stages: &[&str], ns: u64) -> OperationStages {
        OperationStages {
            operation: "GET".to_owned(),
            stages: stages.iter().map(|name| (*name).to_owned()).collect(),
            buckets: vec![BucketSums {
                bucket,
                answers: 2,
                service_ns: 10,
                carrying: 1,
                stages: vec![StageSum { named: 1, ns }; stages.len()],
                ..BucketSums::default()
            }],
        }
    }

    #[test]
    fn stages_are_added_by_their_names_and_buckets_by_their_times() {
        let mut all = StageSums::default();
        for part in [
            sums(7, &["db", "app"], 3),
            sums(5, &["app"], 4),
            sums(7, &["view", "db"], 5),
        ] {
            all.add(StageSums {
                operations: vec![part],
            });
        }
        let get = all.of("GET").unwrap();
        assert_eq!(get.stages, ["db", "app", "view"]);
        assert_eq!((get.answers(), get.carrying()), (6, 3));
        let ns = |at: usize| -> Vec<u64> {
            get.buckets[at]
                .stages
                .iter()
                .map(|stage| stage.ns)
                .collect()
        };
        assert_eq!((get.buckets[0].bucket, ns(0)), (5, vec![0, 4, 0]));
        assert_eq!((get.buckets[1].bucket, ns(1)), (7, vec![8, 3, 5]));
        assert_eq!(all.of("PUT"), None);
    }

    #[test]
    fn more_names_than_there_is_room_for_are_kept_together() {
        let names: Vec<String> = (0..2 * MOST_STAGES).map(|at| format!("s{at}")).collect();
        let mut all = OperationStages::default();
        for name in &names {
            all.add(&sums(0, &[name], 1));
        }
        assert_eq!(all.stages.len(), MOST_STAGES + 1);
        assert_eq!(all.stages.last().unwrap(), OTHER_STAGES);
        let others = all.buckets[0].stages.last().unwrap().ns;
        assert_eq!(others, MOST_STAGES as u64);
    }

    /// A thread that told `db` and `app` apart and one that had room for `db` alone.
    #[test]
    fn a_stage_of_which_only_a_part_is_known_is_none() {
        let apart = sums(0, &["app", "db"], 1);
        let crowded = sums(0, &["db", OTHER_STAGES, "view"], 10);
        for (one, other) in [(&apart, &crowded), (&crowded, &apart)] {
            let mut all = one.clone();
            all.add(other);
            assert!(!all.has("app"), "{all:?}");
            let ns = |name: &str| {
                let at = all.stages.iter().position(|known| known == name);
                at.map(|at| all.buckets[0].stages[at].ns)
            };
            assert_eq!((ns("db"), all.answers()), (Some(11), 4));
            // What `apart` did not name, it did not count among others either.
            assert_eq!((ns(OTHER_STAGES), ns("view")), (Some(11), Some(10)));
        }
    }
}
