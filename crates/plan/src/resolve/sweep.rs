//! Resolves sweeps: one target for each combination of parameter values.

use super::url::url_template;
use crate::keys::scalar::{At, List, Scalar, SweepDraft};
use crate::naming;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::placeholders;
use crate::target::{Launch, Ready, SweepPoint, TargetDraft};
use crate::{Sentence, sentence};

/// Maximum number of targets in a sweep: more would be too many for one machine and one table.
const MOST_COMBINATIONS: usize = 32;

/// One parameter and its values, in the order in which they were written.
pub(super) struct Axis {
    pub(super) name: String,
    values: Vec<String>,
}

/// Number of targets that a draft will create: one without a sweep. Mistakes in the sweep are
/// reported later.
pub(super) fn combinations(draft: &TargetDraft) -> usize {
    let axes = draft.sweep.iter().flat_map(|sweep| &sweep.value.0);
    axes.map(|(_, values)| values.items().len().max(1))
        .fold(1_usize, usize::saturating_mul)
        .min(MOST_COMBINATIONS)
}

/// The parameters of a target; empty without a sweep, or if the sweep is wrong.
pub(super) fn axes(resolver: &mut Resolver<'_>, draft: &TargetDraft) -> Vec<Axis> {
    let Some(sweep) = &draft.sweep else {
        return Vec::new();
    };
    if draft.command.is_none() {
        resolver.wrong(
            sweep.place,
            "sweep",
            sentence!(
                "sweep-for-command",
                "is for a target that has a command, in which {{NAME}} is replaced with the value"
            ),
        );
        return Vec::new();
    }
    match read(&sweep.value).and_then(|axes| few_enough(axes, sweep.place)) {
        Ok(axes) => axes,
        Err((place, message)) => {
            resolver.wrong(place, "sweep", message);
            Vec::new()
        }
    }
}

fn read(sweep: &SweepDraft) -> Result<Vec<Axis>, (Place, Sentence)> {
    let axes = sweep.0.iter().map(|(name, values)| {
        check_name(name).map_err(|message| (values.place, message))?;
        Ok(Axis {
            name: name.clone(),
            values: read_values(name, values)?,
        })
    });
    axes.collect()
}

fn check_name(name: &str) -> Result<(), Sentence> {
    let word = |c: char| c.is_ascii_lowercase() || c == '_';
    if name.is_empty() || !name.chars().all(word) {
        return Err(sentence!(
            "no-parameter",
            "{name:?} is not a name for a placeholder; a parameter is made of small letters \
                and '_'",
            name
        ));
    }
    if placeholders::KNOWN.contains(&name) {
        return Err(sentence!(
            "placeholder-taken",
            "{{{name}}} is another placeholder; rename the parameter",
            name
        ));
    }
    Ok(())
}

fn read_values(name: &str, list: &At<List>) -> Result<Vec<String>, (Place, Sentence)> {
    let mut values: Vec<String> = Vec::new();
    let mut shown: Vec<String> = Vec::new();
    for At { value, place } in list.items() {
        let text = match value {
            Scalar::Text(text) => text.clone(),
            number => number.to_string(),
        };
        if text.contains(['{', '}', '\0']) {
            let message = sentence!(
                "sweep-brace",
                "{name} = {text:?} has a brace in it, or a NUL character",
                name,
                text
            );
            return Err((place, message));
        }
        // The target's name contains only some characters of a value, and must still be unique.
        let in_name = naming::from_text(&text);
        if in_name.is_empty() || shown.contains(&in_name) {
            let message = sentence!(
                "sweep-same",
                "{name} = {text:?} has the same name as another value; values must differ in \
                    letters, digits, '-', '_' and '.'",
                name,
                text
            );
            return Err((place, message));
        }
        shown.push(in_name);
        values.push(text);
    }
    if values.is_empty() {
        let message = sentence!(
            "sweep-empty",
            "{name} has no values; write for example {name} = [1, 2, 4]",
            name
        );
        return Err((list.place, message));
    }
    Ok(values)
}

fn few_enough(axes: Vec<Axis>, place: Place) -> Result<Vec<Axis>, (Place, Sentence)> {
    let lengths = axes.iter().map(|axis| axis.values.len());
    let combinations = lengths.fold(1_usize, usize::saturating_mul);
    if combinations > MOST_COMBINATIONS {
        let message = sentence!(
            "sweep-many",
            "has {combinations} combinations, each a target that runs throughout; the maximum \
                is {most_combinations}",
            combinations,
            most_combinations = MOST_COMBINATIONS
        );
        return Err((place, message));
    }
    Ok(axes)
}

/// Every combination of values, the last parameter changing fastest.
pub(super) fn points(axes: &[Axis]) -> Vec<Vec<(String, String)>> {
    axes.iter().fold(vec![Vec::new()], |points, axis| {
        let grow = |point: &Vec<(String, String)>| {
            let point = point.clone();
            axis.values.iter().map(move |value| {
                let mut longer = point.clone();
                longer.push((axis.name.clone(), value.clone()));
                longer
            })
        };
        points.iter().flat_map(grow).collect()
    })
}

/// The name of a target in a sweep: `name@workers=4`.
pub(super) fn name_of(of: &str, values: &[(String, String)]) -> String {
    let parts = values
        .iter()
        .map(|(name, value)| format!("@{name}={}", naming::from_text(value)));
    parts.fold(of.to_owned(), |name, part| name + &part)
}

/// The launch settings `template` with the parameters replaced by `values`, and the point of the
/// sweep that these values form.
pub(super) fn at_point(
    resolver: &mut Resolver<'_>,
    template: &Launch,
    of: &str,
    values: Vec<(String, String)>,
    place: Place,
) -> (Launch, SweepPoint) {
    let fill = |text: &String| {
        let values = values.iter();
        values.fold(text.clone(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        })
    };
    let launch = Launch {
        command: template.command.iter().map(fill).collect(),
        env: template
            .env
            .iter()
            .map(|(name, value)| (name.clone(), fill(value)))
            .collect(),
        url: fill(&template.url),
        ready: match &template.ready {
            Ready::Port => Ready::Port,
            Ready::Url(url) => Ready::Url(fill(url)),
            Ready::Log(line) => Ready::Log(fill(line)),
        },
        ..template.clone()
    };
    if let Err(message) = url_template(&launch.url, &[]) {
        resolver.wrong(place, "url", message);
    }
    let point = SweepPoint {
        of: of.to_owned(),
        values,
        template: template.clone(),
    };
    (launch, point)
}

/// Refuses parameters that no setting of the target uses: all values of such a parameter would give
/// the same target.
pub(super) fn check_used(
    resolver: &mut Resolver<'_>,
    axes: &[Axis],
    template: &Launch,
    place: Place,
) {
    let ready = match &template.ready {
        Ready::Url(text) | Ready::Log(text) => Some(text),
        Ready::Port => None,
    };
    let texts = || {
        let texts = template.command.iter().chain(template.env.values());
        texts.chain([&template.url]).chain(ready)
    };
    for Axis { name, .. } in axes {
        let braced = format!("{{{name}}}");
        if !texts().any(|text| text.contains(&braced)) {
            resolver.wrong(
                place,
                "sweep",
                sentence!(
                    "sweep-unused",
                    "{braced} is missing from command, env, url and ready, so all targets of the \
                     sweep would be the same; add {braced} to one of them",
                    braced
                ),
            );
        }
    }
}
