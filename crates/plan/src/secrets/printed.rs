//! Values in a printed plan that can be secret.

use crate::plan::model::Plan;
use crate::target::Reach;
use crate::{Sentence, sentence};

impl Plan {
    /// Names the printed values that can be secret but do not look secret: `the env of target "a"`,
    /// `the body of workload "post"`.
    pub fn printed_values(&self) -> Vec<Sentence> {
        let environments = self.targets.iter().filter(|target| {
            let Reach::Launched(launch) = &target.reach else {
                return false;
            };
            let is_printed =
                |value: &String| !value.contains('{') && target.secrets.conceal(value) == *value;
            launch.env.values().any(is_printed)
        });
        let bodies = self.workloads.iter();
        let bodies = bodies.filter(|workload| workload.kind.protocol().shows_body());
        environments
            .map(|target| {
                sentence!(
                    "env-of-target",
                    "the env of target {name:?}",
                    name = target.name
                )
            })
            .chain(bodies.map(|workload| {
                sentence!(
                    "body-of-workload",
                    "the body of workload {name:?}",
                    name = workload.name
                )
            }))
            .collect()
    }
}
