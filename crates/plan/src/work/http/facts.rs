//! Implements [`Facts`] and [`Protocol`] for HTTP workloads.

use super::draft::Patterns;
use super::literal::literal_templates;
use super::{HttpWork, TRAITS};
use crate::comparison::may_differ::MayDiffer;
use crate::keys::page::Page;
use crate::patterns::HitSource;
use crate::secrets::environment::{Variables, parameters};
use crate::target::{HttpVersion, Reach, Target};
use crate::units::digits::{grouped, size};
use crate::work::facts::{FollowedRequest, LiteralTemplate};
use crate::work::{Facts, Operation, Protocol, SentTo, Traits, WhenRefused, WorkloadKind};
use crate::{Sentence, sentence};

impl Facts for HttpWork {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        vec![Operation {
            name: &self.method,
            interface: &self.method,
            share: 1.0,
            stores: false,
        }]
    }

    fn describe(&self) -> String {
        if let Some(patterns) = &self.patterns {
            return drawn(patterns);
        }
        let path = self.shown_path();
        let path = path.as_deref().unwrap_or("the target's path");
        let body = match self.body.len() {
            0 => String::new(),
            length => format!(" with a body of {}", size(length as u64)),
        };
        let from = match &self.redirected_from {
            Some(from) => format!(", redirected from {}", self.secrets.conceal(from)),
            None => String::new(),
        };
        format!("HTTP {} {path}{body}{from}", self.method)
    }

    fn request(&self, target_path: Option<&str>) -> Option<String> {
        if self.patterns.is_some() {
            return None;
        }
        let path = self.shown_path();
        let path = path.as_deref().or(target_path)?;
        Some(format!("{} {path}", self.method))
    }

    fn conceal(&self, text: &str) -> String {
        let text = self.secrets.conceal(text);
        match &self.patterns {
            Some(patterns) => patterns.secrets.conceal(&text),
            None => text,
        }
    }

    fn when_refused(&self) -> WhenRefused {
        WhenRefused::Request
    }

    fn followed(&self) -> Option<FollowedRequest<'_>> {
        self.follow.then_some(FollowedRequest {
            path: self.path.as_deref(),
            headers: &self.headers,
        })
    }

    fn literal_templates(&self) -> Vec<LiteralTemplate> {
        literal_templates(self)
    }

    fn has_sequence(&self) -> bool {
        self.patterns.is_some()
    }

    fn can_relaunch(&self) -> bool {
        true
    }

    fn patterns(&self) -> Option<&Patterns> {
        self.patterns.as_ref()
    }

    fn may_differ(&self) -> Option<MayDiffer> {
        Some(self.may_differ)
    }

    fn sends_body(&self) -> bool {
        !self.body.is_empty()
    }

    fn compares_only_lengths(&self) -> bool {
        self.patterns.is_some() && self.checks.is_empty() && !self.verify
    }

    fn accepts_first(&self, status: u16) -> Option<bool> {
        let same_target = self.path.is_none() && self.patterns.is_none();
        let is_plain = same_target && self.method == "GET" && self.headers.is_empty();
        is_plain.then(|| self.counts_as_success(status))
    }
}

/// Describes requests drawn from patterns without the content of the file, because the file can be
/// missing when a run is shown later.
fn drawn(patterns: &Patterns) -> String {
    let file = patterns.path.display();
    let mut text = format!("HTTP requests drawn from {file}, {}", patterns.order);
    if let Some(cache) = patterns.cache() {
        let size = grouped(u64::from(cache.size));
        text += &match cache.hit {
            Some(hit) => format!(", for {hit} hits in a cache of {size}"),
            None => format!(", for a cache of {size}"),
        };
    }
    text
}

impl Protocol for HttpWork {
    fn default_name(&self) -> String {
        match &self.patterns {
            Some(_) => "http-patterns".to_owned(),
            None => format!("http-{}", self.method),
        }
    }

    fn print(&self, page: &mut Page) {
        self.print_keys(page);
        if let Some(patterns) = &self.patterns {
            patterns.print_keys(page);
        }
    }

    fn sent_to(&self, target: &SentTo<'_>) -> Option<WorkloadKind> {
        let written = self.patterns.as_ref()?;
        let counters = target.cache_counters;
        let counters = counters.filter(|own| written.cache_counters.as_ref() != Some(own));
        let off = target.hits_are_read_elsewhere.then_some(HitSource::Off);
        let (hits, set) = match &written.by_target {
            None => (off, None),
            Some(by_target) => match by_target
                .name_for(&target.names)
                .and_then(|name| by_target.requests(name))
            {
                None => (None, None),
                Some((template, set)) => {
                    let own = match &written.hits {
                        HitSource::Auto => template.said_hits(),
                        said => said.clone(),
                    };
                    (Some(off.unwrap_or(own)), Some(set))
                }
            },
        };
        if counters.is_none() && hits.is_none() && set.is_none() {
            return None;
        }
        let mut patterns = written.clone();
        if let Some(counters) = counters {
            patterns.cache_counters = Some(counters.clone());
        }
        if let Some(hits) = hits {
            patterns.hits = hits;
        }
        if let Some(set) = set {
            patterns.set = set.clone();
            patterns.by_target = None;
        }
        let patterns = Some(patterns);
        Some(WorkloadKind::Http(Self {
            patterns,
            ..self.clone()
        }))
    }

    fn patterns_mut(&mut self) -> Option<(&str, &mut Patterns)> {
        Some((self.method.as_str(), self.patterns.as_mut()?))
    }

    fn redirected(&mut self, from: String, to: String) {
        // The server can add parameters, and the URL of the target can have some.
        let mut variables = Variables::default();
        for path in [&from, &to] {
            parameters(path, &mut self.secrets, &mut variables);
        }
        self.path = Some(to);
        self.redirected_from = Some(from);
    }

    fn misfits(&self, workload: &str, targets: &[Target]) -> Vec<(&'static str, Sentence)> {
        if !self.follow {
            return Vec::new();
        }
        let mut targets = targets.iter();
        let why = if self.patterns.is_some() {
            sentence!(
                "follow-file",
                "requests from a file can redirect to different URLs; write the final paths \
                    in the file"
            )
        } else if !matches!(self.method.as_str(), "GET" | "HEAD") {
            sentence!(
                "follow-method",
                "a redirect can change other methods than GET and HEAD; write the final path \
                    in --path"
            )
        } else if targets
            .clone()
            .any(|it| !matches!(it.reach, Reach::Endpoint { .. }))
        {
            sentence!(
                "follow-launched",
                "a server that Tenbin starts does not run before the run; write the final \
                    path in --path"
            )
        } else if targets.clone().any(|target| target.host_count() > 1) {
            sentence!(
                "follow-hosts",
                "the hosts of a target can redirect to different URLs; write the final path \
                    in --path"
            )
        } else if targets.any(|target| target.connect.http == HttpVersion::Http2) {
            sentence!(
                "follow-version",
                "redirects are read with HTTP/1.1 only; write the final path in --path"
            )
        } else {
            return Vec::new();
        };
        vec![(
            "follow",
            sentence!(
                "no-follow",
                "{workload:?} has --follow: {why}",
                workload,
                why
            ),
        )]
    }

    fn shows_body(&self) -> bool {
        let body = String::from_utf8_lossy(&self.body);
        self.body_file.is_none() && !body.is_empty() && self.secrets.conceal(&body) == body
    }
}
