//! Converts workloads into their form in the result document.

use tenbin_plan::{Pace, Plan};
use tenbin_result::{Setting, Workload};

use super::describe;
use crate::findings::messages::Messages;

pub(super) fn workload(workload: &tenbin_plan::Workload, plan: &Plan) -> Workload {
    let pace = &workload.load.pace;
    let rate = match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => Some(*per_second),
        Pace::Closed
        | Pace::Ramp { .. }
        | Pace::Steps { .. }
        | Pace::Trace(_)
        | Pace::Search(_) => None,
    };
    let load = describe::load(&workload.load);
    Workload {
        name: workload.name.clone(),
        description: describe::workload(workload),
        request: workload.request(&plan.targets),
        load: Messages::NONE.in_english(&load),
        load_data: Some(load),
        closed_loop: matches!(pace, Pace::Closed),
        connections: Some(workload.load.connections as u64),
        depth: Some(workload.load.depth as u64),
        rate,
        subject: Some(describe::subject(workload)),
        settings: Some(workload.settings().into_iter().map(setting).collect()),
        settling_seconds: Some(workload.lead(&plan.rounds).as_secs_f64()),
    }
}

fn setting(setting: tenbin_plan::Setting) -> Setting {
    Setting {
        key: setting.key,
        value: setting.value,
        usual: setting.usual,
    }
}
