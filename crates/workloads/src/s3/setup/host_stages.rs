//! The stages that check the hosts of a target.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_plan::s3::Feature;
use tenbin_plan::{DataSet, Style, sentence};

use crate::prepared::Stage;
use crate::s3::prepared::PreparedS3;
use crate::s3::setup::hosts::{HostCheck, HostStep, HostSubject, domain_advice};

impl PreparedS3 {
    /// The next stage of the check of the hosts; `None` after the last, and for one host with the
    /// bucket in the path.
    pub(in crate::s3) fn check_hosts(&mut self) -> Option<Stage> {
        let steps = self.host_steps.take().unwrap_or_else(|| self.host_steps());
        let (step, host) = self.host_steps.insert(steps).pop_front()?;
        let place = &self.place;
        let subject = HostSubject {
            bucket: place.buckets[0].name.clone(),
            bucket_path: place.buckets[0].path.clone(),
            path: place.path_of(0, "host-check"),
            hosts: self.target.host_headers().to_vec(),
            advice: domain_advice(&place.buckets[0]),
            extra_headers: Arc::clone(&self.extra_headers),
            report: Arc::clone(&self.host_report),
        };
        let what = match subject.hosts.as_slice() {
            [only] => sentence!(
                "checking-host",
                "checking the bucket in the name of host {host}",
                host = only
            ),
            several => sentence!(
                "checking-hosts",
                "checking {hosts} hosts",
                hosts = several.len()
            ),
        };
        let writer = self.writer().for_host(host);
        Some(Stage {
            what,
            total: None,
            connections: 1,
            workers: vec![Box::new(HostCheck::new(step, host, subject, writer))],
            must_succeed: matches!(
                step,
                HostStep::Store | HostStep::Finish | HostStep::FinishList
            ),
            host: Some(host),
        })
    }

    /// The deletion of the object, if the check was interrupted after it was stored.
    pub(in crate::s3) fn finish_host_check(&mut self) -> Option<Stage> {
        let steps = self.host_steps.as_mut()?;
        let is_before = steps.iter().any(|(step, _)| *step == HostStep::Store);
        steps.retain(|(step, _)| *step == HostStep::Finish && !is_before);
        let finish = self.check_hosts()?;
        Some(Stage {
            must_succeed: false,
            ..finish
        })
    }

    fn host_steps(&self) -> VecDeque<(HostStep, usize)> {
        let hosts = self.target.host_headers().len();
        let is_virtual = self.work.style == Style::Virtual;
        // An object in a bucket with object lock could not be deleted.
        if hosts < 2 && !is_virtual || self.work.mix.any(Feature::Locks) {
            return VecDeque::new();
        }
        if self.work.data == DataSet::Existing {
            let others = (1..hosts).map(|host| (HostStep::List, host));
            return others.chain([(HostStep::FinishList, 0)]).collect();
        }
        let reads = (usize::from(!is_virtual)..hosts).map(|host| (HostStep::Read, host));
        let first = [(HostStep::Store, 0)].into_iter();
        first.chain(reads).chain([(HostStep::Finish, 0)]).collect()
    }
}
