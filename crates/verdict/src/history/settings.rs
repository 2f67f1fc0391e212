//! The settings of a workload, which are equal in all runs of a series.

use std::collections::{BTreeMap, BTreeSet};

use tenbin_result::{LeftOutWhy, SettingFact};

type Settings = BTreeMap<String, SettingFact>;

/// The first difference between the settings of a run and those of the newest run of its series. A
/// setting that only one version knows is no difference if its value is the default.
pub(super) fn difference(own: Option<&Settings>, newest: Option<&Settings>) -> Option<LeftOutWhy> {
    let empty = Settings::new();
    let (own, newest) = (own.unwrap_or(&empty), newest.unwrap_or(&empty));
    let keys: BTreeSet<&String> = own.keys().chain(newest.keys()).collect();
    let differs = |key: &&&String| match (own.get(**key), newest.get(**key)) {
        (Some(one), Some(other)) => one.value != other.value,
        (Some(alone), None) | (None, Some(alone)) => !alone.usual,
        (None, None) => false,
    };
    let value = |settings: &Settings, key: &String| settings.get(key).map(|it| it.value.clone());
    keys.iter()
        .find(differs)
        .map(|key| LeftOutWhy::OtherSettings {
            key: (*key).clone(),
            value: value(own, key),
            newest: value(newest, key),
        })
}

/// A hash of the settings, without those that are the default: FNV-1a, 64 bits.
pub(super) fn hash(settings: Option<&Settings>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let unusual = settings.into_iter().flatten().filter(|(_, it)| !it.usual);
    let texts = unusual.flat_map(|(key, it)| [key.as_str(), "\0", it.value.as_str(), "\0"]);
    for byte in texts.flat_map(str::bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}
