//! Values in a printed plan that can be secret.

use crate::plan::model::Plan;
use crate::target::Reach;

impl Plan {
    /// Names the printed values that can be secret but do not look secret: `env of target "a"`,
    /// `body of workload "post"`.
    pub fn printed_values(&self) -> Vec<String> {
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
            .map(|target| format!("env of target {:?}", target.name))
            .chain(bodies.map(|workload| format!("body of workload {:?}", workload.name)))
            .collect()
    }
}
