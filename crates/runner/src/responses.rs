//! Converts expected and observed responses to the form in which the run directory records them.

use tenbin_plan::Plan;
use tenbin_record::{Environment, ExpectedResponse, Responses, Sameness, UnexpectedResponses};
use tenbin_workloads::{self as workloads, ResponseComparison};

use crate::live_target::LiveTarget;

/// Converts the observed responses of a slice to the form in which the run directory records them.
pub(crate) fn kept(seen: ResponseComparison) -> Responses {
    let kind = |kind: workloads::UnexpectedResponses| UnexpectedResponses {
        status: kind.status,
        length: kind.length,
        count: kind.count,
        example: kind.example,
    };
    Responses {
        compared: seen.compared,
        read: seen.read,
        unexpected: seen.unexpected.into_iter().map(kind).collect(),
        others: seen.others,
    }
}

/// Records the expected responses of every target. Returns whether any are expected.
pub(crate) fn note(
    plan: &Plan,
    live_targets: &[LiveTarget],
    environment: &mut Environment,
) -> bool {
    let mut any = false;
    for live in live_targets {
        for (work, prepared) in plan.workloads.iter().zip(&live.prepared) {
            if let Some(response) = prepared.suspicious_response() {
                any = true;
                let target = environment.targets.entry(live.running.name.clone());
                let suspicious = &mut target.or_default().suspicious;
                suspicious.insert(work.name.clone(), response);
            }
            let Some(expected) = prepared.expected_response() else {
                continue;
            };
            any = true;
            let target = environment.targets.entry(live.running.name.clone());
            let responses = &mut target.or_default().responses;
            responses.insert(work.name.clone(), recorded(expected));
        }
    }
    any
}

fn recorded(expected: workloads::ExpectedResponse) -> ExpectedResponse {
    let rounded = |mean: Option<f64>| mean.map(|mean| mean.round() as u64);
    ExpectedResponse {
        probed: expected.probed,
        status: expected.status,
        shortest: expected.shortest,
        longest: expected.longest,
        mean: rounded(expected.mean),
        content: match expected.content {
            workloads::Sameness::Unknown => Sameness::Unknown,
            workloads::Sameness::Same => Sameness::Same,
            workloads::Sameness::Varies => Sameness::Varies,
        },
        kinds: expected.kinds,
        content_type: expected.content_type,
        encoding: expected.encoding,
        decoded_mean: rounded(expected.decoded_mean),
        decoded_crc64: expected.decoded_sum.map(|sum| format!("{sum:016x}")),
    }
}
