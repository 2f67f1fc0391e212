//! Finds targets that are identical in two runs.

use std::collections::BTreeMap;

use tenbin_result::Document;

/// Identity of a target, used to recognise the target in another run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Identity {
    /// Description of the target: command, address or built-in server.
    description: String,
    /// Version of the target, if known: size and time of the program's files, the reported version,
    /// or Tenbin's version for built-in servers.
    version: Option<String>,
}

impl Identity {
    /// Identities of all targets of a run, by name.
    pub(super) fn all(document: &Document) -> BTreeMap<String, Self> {
        let of = |target: &tenbin_result::Target| {
            let known = document.environment.targets.get(&target.name);
            let files = known.map_or(&[][..], |known| &known.program);
            let build = (!files.is_empty()).then(|| format!("{files:?}"));
            let told = build.or_else(|| known?.version.clone());
            let is_ours = target.description.starts_with("built-in");
            let ours = document.environment.tenbin_version.clone();
            let version = told.or_else(|| ours.filter(|_| is_ours));
            let identity = Self {
                description: target.description.clone(),
                version,
            };
            (target.name.clone(), identity)
        };
        document.targets.iter().map(of).collect()
    }

    /// Whether both targets have the same description and the same known version.
    fn is_known_same(&self, other: &Self) -> bool {
        self == other && self.version.is_some()
    }

    /// Whether no known property of the two targets differs.
    pub(super) fn may_be_same(&self, other: &Self) -> bool {
        let versions = self.version.as_ref().zip(other.version.as_ref());
        self.description == other.description && versions.is_none_or(|(one, two)| one == two)
    }
}

/// The targets of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Targets {
    pub(super) identities: BTreeMap<String, Identity>,
    pub(super) baseline: Option<String>,
}

/// Names of the targets that serve as controls for the other targets: every target with the same
/// description and known version in both runs, and the baseline, if both runs have the same
/// baseline and the server behind the baseline is not known to differ. If all targets qualify, only
/// the baseline is a control. A run with one target has no controls. If the user has `named` the
/// changed workloads, the baseline is a control only if known to be identical.
pub(super) fn shared(before: &Targets, after: &Targets, named: bool) -> Vec<String> {
    let pairs = before.identities.iter().filter_map(|(name, then)| {
        let now = after.identities.get(name)?;
        Some((name, then, now))
    });
    let pairs: Vec<(&String, &Identity, &Identity)> = pairs.collect();
    let is_baseline = |name: &String| {
        let mut runs = [before, after].into_iter();
        !named && runs.all(|run| run.baseline.as_ref() == Some(name))
    };
    let of = |wanted: &dyn Fn(&(&String, &Identity, &Identity)) -> bool| -> Vec<String> {
        let mine = pairs.iter().filter(|pair| wanted(pair));
        mine.map(|(name, ..)| (*name).clone()).collect()
    };
    let baseline = of(&|(name, then, now)| is_baseline(name) && then.may_be_same(now));
    let all = of(&|(name, then, now)| {
        then.is_known_same(now) || (is_baseline(name) && then.may_be_same(now))
    });
    let leaves_some = |controls: &Vec<String>| controls.len() < pairs.len();
    [all, baseline]
        .into_iter()
        .find(leaves_some)
        .unwrap_or_default()
}

/// Speeds by workload, target and block of rounds.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks(BTreeMap<(String, String), BTreeMap<u32, Vec<f64>>>);

impl Blocks {
    pub(super) fn add(&mut self, workload: &str, target: &str, block: u32, speed: f64) {
        let place = (workload.to_owned(), target.to_owned());
        let blocks = self.0.entry(place).or_default();
        blocks.entry(block).or_default().push(speed);
    }

    /// The speed of a target divided by the speed of the controls, by block of rounds. Both speeds
    /// are geometric means over the slices of the block. Blocks with a missing slice are left out.
    /// `None` without a complete block.
    pub(super) fn relative(
        &self,
        workload: &str,
        target: &str,
        controls: &[String],
    ) -> Option<Vec<f64>> {
        let of = |name: &str| self.0.get(&(workload.to_owned(), name.to_owned()));
        let mine = of(target)?;
        let theirs: Vec<_> = controls.iter().filter_map(|name| of(name)).collect();
        if theirs.is_empty() {
            return None;
        }
        let whole = mine.values().map(Vec::len).max()?;
        let mean = |speeds: &Vec<f64>| {
            let is_whole = speeds.len() == whole;
            let sum = speeds.iter().map(|speed| speed.ln()).sum::<f64>();
            is_whole.then(|| sum / whole as f64)
        };
        let of_block = |(block, speeds): (&u32, &Vec<f64>)| {
            let own = mean(speeds)?;
            let others: Option<Vec<f64>> =
                theirs.iter().map(|each| mean(each.get(block)?)).collect();
            let others = others?;
            Some((own - others.iter().sum::<f64>() / others.len() as f64).exp())
        };
        let relative: Vec<f64> = mine.iter().filter_map(of_block).collect();
        (!relative.is_empty()).then_some(relative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(baseline: &str, targets: &[(&str, &str, Option<&str>)]) -> Targets {
        let of = |(name, description, version): &(&str, &str, Option<&str>)| {
            let identity = Identity {
                description: (*description).to_owned(),
                version: version.map(str::to_owned),
            };
            ((*name).to_owned(), identity)
        };
        Targets {
            identities: targets.iter().map(of).collect(),
            baseline: Some(baseline.to_owned()),
        }
    }

    #[test]
    fn the_same_target_of_both_runs_is_a_control_and_never_the_only_one_there_is() {
        let one = run(
            "old",
            &[("old", "srv", Some("1")), ("new", "srv", Some("2"))],
        );
        let two = run(
            "old",
            &[("old", "srv", Some("1")), ("new", "srv", Some("3"))],
        );
        assert_eq!(shared(&one, &two, false), ["old"]);
        assert_eq!(
            shared(&one, &one, false),
            ["old"],
            "otherwise nothing would be tested"
        );
        let moved = run(
            "new",
            &[("old", "srv", Some("1")), ("new", "srv", Some("3"))],
        );
        assert_eq!(
            shared(&one, &moved, false),
            ["old"],
            "the same version, whatever the baseline"
        );
        let other = run(
            "old",
            &[("old", "srv", Some("9")), ("new", "srv", Some("2"))],
        );
        assert_eq!(
            shared(&one, &other, false),
            ["new"],
            "the baseline is another version"
        );
        let unknown = run("a", &[("a", "http://h/", None), ("b", "http://i/", None)]);
        assert_eq!(
            shared(&unknown, &unknown, false),
            ["a"],
            "the baseline, as far as is known"
        );
        assert_eq!(
            shared(&unknown, &unknown, true),
            [""; 0],
            "something was named"
        );
        assert_eq!(shared(&one, &two, true), ["old"]);
        let alone = run("a", &[("a", "srv", Some("1"))]);
        assert_eq!(shared(&alone, &alone, false), [""; 0]);
    }

    #[test]
    fn a_block_is_divided_by_the_controls_in_it() {
        let mut blocks = Blocks::default();
        for block in 0..3 {
            let level = f64::from(block + 1);
            for factor in [1.1, 1.0 / 1.1] {
                blocks.add("get", "old", block, level * factor);
                blocks.add("get", "new", block, 3.0 * level * factor);
            }
        }
        blocks.add("get", "new", 3, 1.0);
        let relative = blocks.relative("get", "new", &["old".to_owned()]).unwrap();
        assert_eq!(relative.len(), 3, "the fourth block is not whole");
        assert!(relative.iter().all(|ratio| (ratio - 3.0).abs() < 1e-12));
        assert_eq!(blocks.relative("get", "new", &["gone".to_owned()]), None);
        assert_eq!(blocks.relative("put", "new", &["old".to_owned()]), None);
    }
}
