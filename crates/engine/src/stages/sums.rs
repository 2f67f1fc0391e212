//! Sums of server stage times, by service time.

use serde::{Deserialize, Serialize};

/// Most stages that are kept by name; further stages count under [`OTHER_STAGES`].
pub const MOST_STAGES: usize = 32;
/// The name for all stages that are not kept by name; invalid as a name in `Server-Timing`.
pub const OTHER_STAGES: &str = "(others)";

/// Sums of server stage times, over correct responses to requests due in a slice's window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSums {
    /// Sums by operation, in no particular order; operations without a correct response are
    /// missing.
    pub operations: Vec<OperationStages>,
}

/// Server stage times of one operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationStages {
    /// Name of the operation, for example `GET`.
    pub operation: String,
    /// Names of the stages: at most [`MOST_STAGES`], and [`OTHER_STAGES`] if needed. The server
    /// chooses the names: hostile until escaped.
    pub stages: Vec<String>,
    /// Sums by service time, shortest first, without empty buckets.
    pub buckets: Vec<BucketSums>,
}

/// Sums over responses with about the same service time. Within a bucket, the longest service time
/// is at most a sixteenth longer than the shortest. The first bucket also contains all times below
/// 1,024 ns, the last all times above ten minutes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketSums {
    /// Index of the bucket, from 0: sixteen buckets per power of two, starting with 1,024 ns.
    pub bucket: u16,
    /// Correct responses.
    pub answers: u64,
    /// Sum of the service times of correct responses, nanoseconds.
    pub service_ns: u64,
    /// Correct responses with a usable time in a header.
    pub carrying: u64,
    /// Responses in `carrying` that state the time of the whole request exactly once.
    pub totals: u64,
    /// Sum of the whole-request times that the responses in `totals` state, nanoseconds.
    pub total_ns: u64,
    /// Sum of the service times of the responses in `totals`, nanoseconds.
    pub total_service_ns: u64,
    /// Times by stage, in the order of [`OperationStages::stages`].
    pub stages: Vec<StageSum>,
    /// Correct responses with a malformed header, or with a time more than 2 ms longer than the
    /// service time; not counted in `carrying`. The last field, because messages of agents have no
    /// names of fields, so that only the last can be left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
}

/// The times of one stage in a bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSum {
    /// Responses that contained the stage.
    pub named: u64,
    /// Sum of the stage's times, nanoseconds.
    pub ns: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl StageSums {
    /// Adds the sums of another thread.
    pub fn add(&mut self, other: Self) {
        for part in other.operations {
            let mut known = self.operations.iter_mut();
            match known.find(|known| known.operation == part.operation) {
                Some(known) => known.add(&part),
                None => self.operations.push(part),
            }
        }
    }

    /// The sums of the operation with this name, if the operation had a correct response.
    pub fn of(&self, operation: &str) -> Option<&OperationStages> {
        let mut operations = self.operations.iter();
        operations.find(|each| each.operation == operation)
    }
}

impl OperationStages {
    /// Adds another thread's sums of the same operation. If either thread may have counted a stage
    /// as [`OTHER_STAGES`], the whole stage counts as [`OTHER_STAGES`] in the sum, because its time
    /// is only partly known.
    pub fn add(&mut self, other: &Self) {
        let both = |name: &str| {
            if self.has(name) && other.has(name) {
                name.to_owned()
            } else {
                OTHER_STAGES.to_owned()
            }
        };
        let (mine, theirs) = (self.stages.iter(), other.stages.iter());
        let mine = if other.has(OTHER_STAGES) {
            Some(mine.map(|name| both(name)).collect::<Vec<_>>())
        } else {
            None
        };
        let theirs: Vec<String> = if self.has(OTHER_STAGES) {
            theirs.map(|name| both(name)).collect()
        } else {
            theirs.cloned().collect()
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

    /// Adds `buckets`. `names` contains the names of the stages in the order of
    /// [`BucketSums::stages`]; a name can occur more than once.
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

    /// Index of the stage with this name; adds the stage if missing. Once [`MOST_STAGES`] stages
    /// are known, a new name becomes [`OTHER_STAGES`].
    fn place(&mut self, name: &str) -> usize {
        let find = |stages: &[String], name: &str| stages.iter().position(|known| known == name);
        if let Some(at) = find(&self.stages, name) {
            return at;
        }
        let named = self.stages.iter().filter(|known| *known != OTHER_STAGES);
        let name = if named.count() < MOST_STAGES {
            name
        } else {
            OTHER_STAGES
        };
        find(&self.stages, name).unwrap_or_else(|| {
            self.stages.push(name.to_owned());
            self.stages.len() - 1
        })
    }

    /// Number of correct responses, over all buckets.
    pub fn answers(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.answers).sum()
    }

    /// Number of correct responses with a usable time, over all buckets.
    pub fn carrying(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.carrying).sum()
    }

    /// Number of correct responses with a malformed header or an impossible time, over all buckets.
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
    fn names_beyond_the_limit_are_counted_as_others() {
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

    /// Merges a thread that kept `app` by name with a thread that counted `app` among the others.
    #[test]
    fn a_stage_known_only_in_part_is_counted_as_others() {
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
            // `apart` kept all stages by name, so it counted none as others.
            assert_eq!((ns(OTHER_STAGES), ns("view")), (Some(11), Some(10)));
        }
    }
}
