//! Checks the cores: number, frequency governor, and how many cores this process can use.

use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome, joined};
use crate::counters::MachineMonitor;

/// Facts about the cores.
#[derive(Debug, Clone, Default)]
struct Cores {
    /// Cores of the machine.
    online: Option<u64>,
    /// Cores that this process can use, according to its affinity and CPU quotas.
    usable: Option<u64>,
    /// Frequency governor of the first core; `None` if the kernel does not control the frequency.
    governor: Option<String>,
    /// Driver that controls the frequency.
    driver: Option<String>,
}

pub(super) struct CoreCheck;

impl Check for CoreCheck {
    fn name(&self) -> &'static str {
        "cores"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        let counters = MachineMonitor::new(&config.root).read();
        let text = |path: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            Some(text.trim().to_owned())
        };
        let usable = std::thread::available_parallelism();
        vec![judge(&Cores {
            online: counters.cpu.map(|cpu| cpu.cores),
            usable: usable
                .ok()
                .and_then(|cores| u64::try_from(cores.get()).ok()),
            governor: counters.governor,
            driver: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"),
        })]
    }
}

fn judge(cores: &Cores) -> Outcome {
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let number = |count: Option<u64>| count.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    let evidence = sentence!(
        "cores",
        "{cores} cores, {usable} of them usable by this process, governor {governor}",
        cores = number(cores.online),
        usable = number(cores.usable),
        governor = word(&cores.governor)
    );
    // In active mode, intel_pstate and amd-pstate call their load-dependent governor "powersave".
    let by_hardware = cores
        .driver
        .as_deref()
        .is_some_and(|driver| matches!(driver, "intel_pstate" | "amd-pstate-epp"));
    let slow = match cores.governor.as_deref() {
        Some("powersave") => !by_hardware,
        Some(name) => matches!(name, "ondemand" | "conservative"),
        None => false,
    };
    let reasons = [
        (
            cores.usable == Some(1),
            sentence!(
                "share-one-core",
                "load generator and server would share one core: run the server on another machine"
            ),
        ),
        (
            cores
                .usable
                .is_some_and(|usable| cores.online.is_some_and(|all| usable < all)),
            sentence!(
                "cores-withheld",
                "a CPU quota or an affinity withholds cores from this process: compare ratios only, or \
                 remove it"
            ),
        ),
        (
            slow,
            sentence!(
                "frequency-changes",
                "cores change their frequency with the load: cpupower frequency-set -g performance"
            ),
        ),
    ];
    let found = reasons.into_iter().filter(|(is_so, _)| *is_so);
    match (joined(found.map(|(_, advice)| advice)), cores.usable) {
        (Some(advice), _) => Outcome::warning(evidence, advice),
        (None, None) => Outcome::unknown(evidence),
        (None, Some(_)) => Outcome::ok(evidence),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    fn with(change: impl Fn(&mut Cores)) -> Outcome {
        let mut cores = Cores {
            online: Some(4),
            usable: Some(4),
            governor: Some("performance".to_owned()),
            driver: Some("acpi-cpufreq".to_owned()),
        };
        change(&mut cores);
        judge(&cores)
    }

    #[test]
    fn one_core_a_quota_and_a_governor_that_follows_the_load_are_warnings() {
        assert_eq!(with(|_| {}).state, State::Ok);
        assert_eq!(
            with(|cores| cores.governor = None).state,
            State::Ok,
            "a virtual machine"
        );
        let advice = |found: Outcome| found.advice.unwrap_or_default().to_string();
        let one = with(|cores| (cores.online, cores.usable) = (Some(1), Some(1)));
        assert!(advice(one).starts_with("load generator and server would share one core"));
        assert!(advice(with(|cores| cores.usable = Some(2))).starts_with("a CPU quota"));
        let governor = |name: &str, driver: &str| {
            with(|cores| {
                cores.governor = Some(name.to_owned());
                cores.driver = Some(driver.to_owned());
            })
        };
        assert!(advice(governor("powersave", "acpi-cpufreq")).contains("frequency-set"));
        assert_eq!(governor("powersave", "intel_pstate").state, State::Ok);
        assert_eq!(with(|cores| cores.usable = None).state, State::Unknown);
    }
}
