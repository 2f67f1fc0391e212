//! Resolves `[output]`.

use crate::draft::{Output, OutputDraft};
use crate::keys::scalar::Scalar;
use crate::resolver::Resolver;
use crate::{Sentence, sentence};

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &OutputDraft) -> Output {
    let mut output = Output::default();
    output.read_keys(resolver, draft);
    let live = resolver.read(OutputDraft::live.name, &draft.live, port);
    output.live = live.flatten();
    output
}

/// Reads the key `live`: `None` for `false`, 0 (a free port) for `true`, otherwise the port.
fn port(scalar: &Scalar) -> Result<Option<u16>, Sentence> {
    let number = match scalar {
        Scalar::Switch(false) => return Ok(None),
        Scalar::Switch(true) => return Ok(Some(0)),
        Scalar::Text(text) if text == "true" => return Ok(Some(0)),
        Scalar::Text(text) => text.parse().ok(),
        Scalar::Whole(number) => u16::try_from(*number).ok(),
        _ => None,
    };
    match number {
        Some(port @ 1..) => Ok(Some(port)),
        _ => Err(sentence!(
            "live-no-port",
            "{scalar} is not a port; write true, or 1 to 65,535",
            scalar
        )),
    }
}
