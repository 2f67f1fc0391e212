//! Converts expected and observed responses to the form in which the run directory records them.

use tenbin_plan::Plan;
use tenbin_record::{
    Environment, ExpectedResponse, Frequencies, NewFeature, Responses, Sameness, Unchecked,
    UnexpectedResponses,
};
use tenbin_workloads::{self as workloads, Portrait, ResponseComparison};

use crate::target::live::LiveTarget;

/// Converts the observed responses of a slice to the form in which the run directory records them.
pub(crate) fn kept(seen: ResponseComparison) -> Responses {
    let kind = |kind: workloads::UnexpectedResponses| UnexpectedResponses {
        status: kind.status,
        length: kind.length,
        count: kind.count,
        difference: kind.difference,
        example: kind.example,
    };
    Responses {
        compared: seen.compared,
        read: seen.read,
        unexpected: seen.unexpected.into_iter().map(kind).collect(),
        others: seen.others,
    }
}

/// Records what the responses of every target have shown: the expected response, responses that look
/// like errors, and checksums that are not checked. Returns whether there is any.
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
            if let Some(header) = prepared.ignored_checksum() {
                any = true;
                let target = environment.targets.entry(live.running.name.clone());
                let ignored = &mut target.or_default().ignored_checksums;
                ignored.insert(work.name.clone(), header.to_owned());
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
        words_crc64: expected.words_sum.map(|sum| format!("{sum:016x}")),
        unchecked: expected.unchecked.map(unchecked),
        features: expected.features,
        before: expected.before.map(frequencies),
        load: expected.load.map(frequencies),
        after: expected.after.map(frequencies),
    }
}

fn unchecked(why: workloads::Unchecked) -> Unchecked {
    match why {
        workloads::Unchecked::MayDiffer => Unchecked::MayDiffer,
        workloads::Unchecked::NotUnloaded => Unchecked::NotUnloaded,
        workloads::Unchecked::FewBefore(count) => Unchecked::FewBefore(count),
        workloads::Unchecked::FewUnderLoad(count) => Unchecked::FewUnderLoad(count),
        workloads::Unchecked::Encoding(name) => Unchecked::Encoding(name),
    }
}

fn frequencies((portrait, other): (Portrait, u64)) -> Frequencies {
    let with_all = portrait.with_all;
    let new = portrait.new.into_iter();
    let [age, hit, via] = portrait.marks;
    Frequencies {
        responses: portrait.responses,
        other,
        same: portrait.same,
        changed: portrait.changed,
        same_after_change: portrait.since_change.0,
        changed_after_change: portrait.since_change.1,
        features: portrait
            .features
            .into_iter()
            .map(|count| count + with_all)
            .collect(),
        new: new
            .map(|(_, name, responses)| NewFeature { name, responses })
            .collect(),
        bodies: portrait.lengths.count,
        bytes: portrait.lengths.sum,
        lengths: portrait.lengths.kept,
        changed_contents: portrait.changed_contents.len() as u64,
        compared: portrait.compared,
        repeated: portrait.repeated,
        compared_words: portrait.compared_words,
        repeated_words: portrait.repeated_words,
        age,
        hit,
        via,
        encodings: portrait.encodings,
    }
}
