//! The amount of data that a slice stored on its target.

use tenbin_plan::WorkloadKind;
use tenbin_record::Slice;

/// Body bytes that a slice stored; `None` for a workload that stores nothing. Only the first word
/// of an operation's name counts, because older versions recorded second attempts as `PUT again`.
pub fn bytes(kind: &WorkloadKind, slice: &Slice) -> Option<u64> {
    let facts = kind.facts();
    if !facts.traits().is_object_store {
        return None;
    }
    let operations = facts.operations().into_iter();
    let storing: Vec<String> = operations
        .filter(|operation| operation.stores)
        .map(|operation| operation.name.to_uppercase())
        .collect();
    let stores = |name: &str| {
        let operation = name.split(' ').next().unwrap_or_default();
        storing.iter().any(|storing| storing == operation)
    };
    let ops = slice.work().filter(|op| stores(&op.name));
    (!storing.is_empty()).then(|| ops.map(|op| op.counts.payload).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn only_what_is_written_counts() {
        use tenbin_plan::{Mix, S3Operation};

        let mut run = Run::pair(1).of_s3(S3Operation::Get, 1_000);
        assert_eq!(bytes(&run.plan.workloads[0].kind, &run.slices[0]), None);
        let WorkloadKind::S3(work) = &mut run.plan.workloads[0].kind else {
            panic!("S3 work");
        };
        work.mix = Mix::new([(S3Operation::Get, 70.0), (S3Operation::Put, 30.0)]).unwrap();
        let get = run.slices[0].ops[0].clone();
        for (name, payload) in [("PUT", 5_000), ("PUT again", 500)] {
            let mut put = get.clone();
            put.name = name.to_owned();
            put.counts.payload = payload;
            run.slices[0].ops.push(put);
        }
        let kind = &run.plan.workloads[0].kind;
        assert_eq!(bytes(kind, &run.slices[0]), Some(5_500));
    }
}
