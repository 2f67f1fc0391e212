//! The reference and the frequencies of one target and request over a whole run.

use std::sync::Arc;

use super::{Findings, Known, Learned, Portrait, Reference, Report, ResponseComparison};

/// Fewest responses of the unloaded server from which shapes are compared reliably.
const FEW_RESPONSES: u64 = 16;
/// Fewest responses read under load.
const FEW_READ: u64 = 8;

/// The expected response to a request on one target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpectedResponse {
    /// Number of responses of the unloaded server; 0 without a probe.
    pub probed: u64,
    /// Expected status; `None` if unknown, or if the server sends several.
    pub status: Option<u16>,
    /// Shortest body, bytes.
    pub shortest: u64,
    /// Longest body, bytes.
    pub longest: u64,
    /// Mean length of the probe's bodies, bytes; `None` without a probe.
    pub mean: Option<f64>,
    /// Whether the content is constant.
    pub content: Sameness,
    /// Number of kinds of responses (status, length, content) that the probe received repeatedly.
    pub kinds: u64,
    /// `Content-Type`, as received.
    pub content_type: Option<String>,
    /// `Content-Encoding`, as received.
    pub encoding: Option<String>,
    /// Mean length of the probe's decoded bodies, bytes; `None` if a body could not be decoded.
    pub decoded_mean: Option<f64>,
    /// Checksum of the decoded bodies, if equal for all responses of the probe.
    pub decoded_sum: Option<u64>,
    /// The same without numbers and tokens.
    pub words_sum: Option<u64>,
    /// Why the content was not compared, or only in part; `None` if it was.
    pub unchecked: Option<Unchecked>,
    /// Names of the features whose frequencies are compared.
    pub features: Vec<String>,
    /// Frequencies before the load, under load and after the run, with the number of responses of
    /// another kind; `None` if nothing was compared.
    pub before: Option<(Portrait, u64)>,
    /// Frequencies under load, warm-up included, with the number of responses of another kind that
    /// can be a rare page. All others of another kind are counted by slice.
    pub load: Option<(Portrait, u64)>,
    /// Frequencies after the run.
    pub after: Option<(Portrait, u64)>,
}

/// Whether the responses to a request have the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sameness {
    /// Not known yet.
    #[default]
    Unknown,
    /// All expected responses have the same content.
    Same,
    /// The content varies between responses or with time.
    Varies,
}

/// Why the content of responses was not compared with that of the unloaded server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unchecked {
    /// The plan says that bodies may differ.
    MayDiffer,
    /// The server had other load when the first responses were read.
    NotUnloaded,
    /// The unloaded server sent only this number of responses.
    FewBefore(u64),
    /// Only this number of responses was read under load.
    FewUnderLoad(u64),
    /// The bodies vary and have this encoding, which cannot be decoded.
    Encoding(String),
}

/// The comparison of the responses of one target to one request.
#[derive(Default)]
pub(crate) struct Comparing {
    /// Whether nothing is compared, and why, unless there is nothing to compare.
    off: Option<Option<Unchecked>>,
    reference: Option<Arc<Reference>>,
    learned: Learned,
    before: Option<(Portrait, u64)>,
    load: Portrait,
    after: Option<(Portrait, u64)>,
}

impl Comparing {
    /// Compares nothing. `why` is `None` if there is nothing to compare.
    pub(crate) fn nothing(why: Option<Unchecked>) -> Self {
        Self {
            off: Some(why),
            ..Self::default()
        }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.off.is_some()
    }

    /// What a worker compares responses with.
    pub(crate) fn known(&self) -> Known {
        match &self.reference {
            _ if self.is_off() => Known::Nothing,
            None => Known::Unknown,
            Some(reference) => Known::Reference(Arc::clone(reference)),
        }
    }

    pub(crate) fn reference(&self) -> Option<&Reference> {
        self.reference.as_deref()
    }

    /// Takes over the reference of the coordinator.
    pub(crate) fn set(&mut self, reference: Reference) {
        self.reference = Some(Arc::new(reference));
    }

    /// Learns the reference from a probe of the unloaded server.
    pub(crate) fn learn(&mut self, findings: &mut Findings) {
        if self.reference.is_none() && !self.is_off() {
            self.learned = std::mem::take(&mut findings.learned);
            self.build(true);
        }
    }

    fn build(&mut self, is_unloaded: bool) {
        let Some(reference) = self.learned.reference(is_unloaded) else {
            return;
        };
        let Learned { responses, names } = &self.learned;
        let (portrait, others) = Portrait::of(responses, &reference, names);
        self.before = Some((portrait, others.len() as u64));
        self.reference = Some(Arc::new(reference));
    }

    /// Adds the merged report of a slice's workers; `None` if responses are not compared.
    pub(crate) fn add(&mut self, report: Report) -> Option<ResponseComparison> {
        if self.is_off() {
            return None;
        }
        match self.reference {
            Some(_) => self.load = std::mem::take(&mut self.load).and(report.portrait),
            None => {
                self.learned.add(report.learned);
                self.build(false);
            }
        }
        Some(report.seen)
    }

    /// Adds the responses of the server after the run.
    pub(crate) fn add_after(&mut self, findings: &Findings) {
        let Learned { responses, names } = &findings.learned;
        if let Some(reference) = self.reference.as_deref().filter(|_| !responses.is_empty()) {
            let (portrait, others) = Portrait::of(responses, reference, names);
            self.after = Some((portrait, others.len() as u64));
        }
    }

    /// The expected response for reports and checks; `None` if there is nothing to compare.
    pub(crate) fn summary(&self) -> Option<ExpectedResponse> {
        if let Some(why) = &self.off {
            let unchecked = why.clone();
            return unchecked.is_some().then(|| ExpectedResponse {
                unchecked,
                ..ExpectedResponse::default()
            });
        }
        let Some(reference) = &self.reference else {
            return Some(ExpectedResponse {
                unchecked: Some(Unchecked::FewBefore(0)),
                ..ExpectedResponse::default()
            });
        };
        let responses = &self.learned.responses;
        let mean = |sum: u64| sum as f64 / responses.len().max(1) as f64;
        let is_known = !responses.is_empty();
        let last = responses.last();
        let text = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let is_decoded = is_known && responses.iter().all(|one| one.is_decoded);
        let mut raw: Vec<_> = responses.iter().map(|one| (one.status, one.raw)).collect();
        raw.sort_unstable();
        let kinds = raw.chunk_by(|one, other| one == other);
        Some(ExpectedResponse {
            probed: if reference.is_unloaded {
                reference.responses
            } else {
                0
            },
            status: reference.status(),
            shortest: reference.lengths.0,
            longest: reference.lengths.1,
            mean: is_known.then(|| mean(responses.iter().map(|one| one.raw.0).sum())),
            content: match &reference.constant {
                Some(_) => Sameness::Same,
                None => Sameness::Varies,
            },
            kinds: kinds.filter(|kind| kind.len() > 1).count() as u64,
            content_type: last.and_then(|one| text(&one.notes.content_type)),
            encoding: last.and_then(|one| text(&one.notes.encoding)),
            decoded_mean: is_decoded
                .then(|| mean(responses.iter().map(|one| one.shape.length).sum())),
            decoded_sum: reference
                .constant
                .as_ref()
                .map(|constant| constant.sum)
                .filter(|_| is_decoded),
            words_sum: reference
                .constant
                .as_ref()
                .map(|constant| constant.masked)
                .filter(|_| is_decoded),
            unchecked: self.unchecked(reference),
            features: reference
                .features
                .iter()
                .map(|one| one.name.clone())
                .collect(),
            before: self.before.clone(),
            load: Some((self.load.clone(), self.load.strange)),
            after: self.after.clone(),
        })
    }

    fn unchecked(&self, reference: &Reference) -> Option<Unchecked> {
        let few = |count: u64, few: u64| Some(count).filter(|count| *count < few);
        if !reference.is_unloaded {
            return Some(Unchecked::NotUnloaded);
        }
        if reference.constant.is_none() {
            if let Some(encoding) = reference.undecoded.first() {
                return Some(Unchecked::Encoding(encoding.clone()));
            }
            if let Some(count) = few(reference.responses, FEW_RESPONSES) {
                return Some(Unchecked::FewBefore(count));
            }
            if let Some(count) = few(self.load.responses, FEW_READ) {
                return Some(Unchecked::FewUnderLoad(count));
            }
        }
        None
    }
}
