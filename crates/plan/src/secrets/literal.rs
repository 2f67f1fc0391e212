//! Text in the requests of a plan that looks like a template and is sent literally.

use crate::plan::model::Plan;
use crate::target::Reach;
use crate::work::http::literal::in_path;
use crate::work::{LiteralTemplate, TemplatePart};

impl Plan {
    /// The texts in requests that look like templates, with the name of the first workload that
    /// sends each text.
    pub fn literal_templates(&self) -> Vec<(&str, LiteralTemplate)> {
        let mut all: Vec<(&str, LiteralTemplate)> = Vec::new();
        for workload in &self.workloads {
            let facts = workload.facts();
            let mut found = facts.literal_templates();
            // Requests to the path of the target's URL.
            let is_of_url = facts.request(None).is_none() && facts.request(Some("/")).is_some();
            for target in self.targets.iter().filter(|_| is_of_url) {
                let Reach::Endpoint { url } = &target.reach else {
                    continue;
                };
                let shown = target.shown_url(url);
                let path = shown.splitn(4, '/').nth(3).unwrap_or_default();
                let part = TemplatePart::TargetUrl(target.name.clone());
                found.extend(in_path(&part, path));
            }
            for one in found {
                if !all.iter().any(|(_, known)| *known == one) {
                    all.push((&workload.name, one));
                }
            }
        }
        all
    }
}
