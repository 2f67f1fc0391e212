//! Resolves `[output]`.

use crate::draft::{Output, OutputDraft};
use crate::keys::scalar::Scalar;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::{Sentence, sentence};

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &OutputDraft) -> Output {
    let mut output = Output::default();
    output.read_keys(resolver, draft);
    let place = draft.live.as_ref().map(|live| live.place);
    let is_flag = matches!(place, Some(Place::Flag(_)));
    let read = |scalar: &Scalar| port(scalar, is_flag);
    let live = resolver.read(OutputDraft::live.name, &draft.live, read);
    output.live = live.flatten();
    output
}

/// Reads the key `live`: `None` for `false`, 0 (a free port) for `true`, otherwise the port.
fn port(scalar: &Scalar, is_flag: bool) -> Result<Option<u16>, Sentence> {
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
        _ if is_flag => Err(sentence!(
            "live-flag-no-port",
            "{scalar} is not a port; write 1 to 65,535, or --live alone for a free port",
            scalar
        )),
        _ => Err(sentence!(
            "live-no-port",
            "{scalar} is not a port; write true, or 1 to 65,535",
            scalar
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_the_flag_offers_what_the_flag_takes() {
        let error = |is_flag| {
            port(&Scalar::Whole(99_999), is_flag)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error(true),
            "99999 is not a port; write 1 to 65,535, or --live alone for a free port"
        );
        assert!(error(false).ends_with("write true, or 1 to 65,535"));
    }
}
