//! The shell lines of `examples/ci`, as each CI system reads them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use saphyr::{LoadableYamlNode as _, Yaml};

/// Name of the step that installs Tenbin.
pub(crate) const INSTALL: &str = "Install Tenbin";
/// Name of the step with the gate.
pub(crate) const GATE: &str = "Compare with the base";
/// Name of the step that comments.
pub(crate) const COMMENT: &str = "Comment";

/// Values of the expressions of GitHub, by what stands between `${{` and `}}`.
pub(crate) type Expressions = BTreeMap<String, String>;

/// The path of an example.
pub(crate) fn path(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci");
    examples.join(name)
}

/// The text of an example.
pub(crate) fn example(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect(name)
}

/// A step of a workflow or of an action that runs a script.
#[derive(Debug)]
pub(crate) struct Step {
    name: String,
    pub(crate) script: String,
    /// Whether the step says `shell: bash`: a runner then sets pipefail, too.
    pub(crate) names_bash: bool,
    pub(crate) continues_on_error: bool,
    /// The environment, with expressions.
    pub(crate) variables: BTreeMap<String, String>,
}

impl Step {
    fn of(step: &Yaml<'_>) -> Option<Self> {
        let script = step.as_mapping_get("run")?.as_str()?.to_owned();
        let name = step.as_mapping_get("name").and_then(|name| name.as_str());
        let shell = step.as_mapping_get("shell").and_then(|name| name.as_str());
        let continues = step.as_mapping_get("continue-on-error");
        Some(Self {
            name: name.unwrap_or_default().to_owned(),
            script,
            names_bash: shell == Some("bash"),
            continues_on_error: continues.and_then(|it| it.as_bool()) == Some(true),
            variables: step.as_mapping_get("env").map(texts).unwrap_or_default(),
        })
    }

    /// The options of bash on a runner.
    pub(crate) fn options(&self) -> &'static [&'static str] {
        if self.names_bash {
            &["-e", "-o", "pipefail"]
        } else {
            &["-e"]
        }
    }
}

/// A mapping of names to texts.
fn texts(mapping: &Yaml<'_>) -> BTreeMap<String, String> {
    let text = |value: &Yaml<'_>| value.as_str().expect("a text").to_owned();
    let entries = mapping.as_mapping().expect("a mapping").iter();
    entries
        .map(|(name, value)| (text(name), text(value)))
        .collect()
}

fn scripts(steps: &Yaml<'_>) -> Vec<Step> {
    let steps = steps.as_sequence().expect("steps").iter();
    steps.filter_map(Step::of).collect()
}

/// The steps of the GitHub workflow that run a script.
pub(crate) fn of_workflow() -> Vec<Step> {
    let text = example("github.yml");
    let documents = Yaml::load_from_str(&text).expect("the workflow is YAML");
    scripts(&documents[0]["jobs"]["gate"]["steps"])
}

/// The steps of the GitHub action.
pub(crate) fn of_action() -> Vec<Step> {
    let text = example("github-action/action.yml");
    let documents = Yaml::load_from_str(&text).expect("the action is YAML");
    scripts(&documents[0]["runs"]["steps"])
}

/// The step with this name.
pub(crate) fn named(steps: Vec<Step>, name: &str) -> Step {
    let mut steps = steps.into_iter();
    let step = steps.find(|step| step.name == name);
    step.unwrap_or_else(|| panic!("no step is called {name:?}"))
}

/// The step that calls the action, from the head of its file.
pub(crate) fn call_of_action() -> String {
    let text = example("github-action/action.yml");
    let lines = text.lines().filter_map(|line| line.strip_prefix("#   "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The inputs that the action has for its call, by their expressions.
pub(crate) fn inputs_of_action(of_caller: &Expressions) -> Expressions {
    let call = call_of_action();
    let call = Yaml::load_from_str(&call).expect("the call is YAML");
    let given = texts(&call[0][0]["with"]);
    let text = example("github-action/action.yml");
    let action = Yaml::load_from_str(&text).expect("the action is YAML");
    let declared = action[0]["inputs"].as_mapping().expect("inputs");
    let declared = declared.iter().map(|(name, input)| {
        let name = name.as_str().expect("a name");
        let default = || {
            let default = input.as_mapping_get("default");
            let default = default.and_then(|default| default.as_str());
            default.unwrap_or_else(|| panic!("{name} is not given"))
        };
        let value = given.get(name).map_or_else(default, String::as_str);
        (format!("inputs.{name}"), evaluated(value, of_caller))
    });
    declared.collect()
}

/// Replaces each expression by its value, as GitHub does before a step runs.
pub(crate) fn evaluated(text: &str, values: &Expressions) -> String {
    let mut parts = text.split("${{");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (expression, rest) = part.split_once("}}").expect("the end of the expression");
        let expression = expression.trim();
        let value = values.get(expression);
        whole.push_str(value.unwrap_or_else(|| panic!("{expression} has no value")));
        whole.push_str(rest);
    }
    whole
}

/// The lines between `sh(… script: '''` and `'''` of a Jenkinsfile, as Groovy reads them.
pub(crate) fn of_jenkinsfile(text: &str) -> String {
    let (_, after) = text.split_once("script: '''").expect("a script");
    let (script, _) = after.split_once("'''").expect("its end");
    script.replace(r"\'", "'").replace(r"\\", "\\")
}

/// The lines of the job in a file of GitLab CI.
pub(crate) fn of_gitlab(text: &str) -> String {
    let documents = Yaml::load_from_str(text).expect("the job is YAML");
    let lines = documents[0]["performance"]["script"].as_sequence();
    let lines = lines.expect("lines").iter();
    let lines = lines.map(|line| line.as_str().expect("a line"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of each example that install Tenbin.
pub(crate) fn installs() -> [String; 4] {
    let gitlab = example("gitlab.yml");
    let job = Yaml::load_from_str(&gitlab).expect("YAML");
    let gitlab = job[0]["performance"]["before_script"][0].as_str();
    let jenkinsfile = example("Jenkinsfile");
    let (_, after) = jenkinsfile.split_once("sh '''").expect("a step");
    let (jenkins, _) = after.split_once("'''").expect("its end");
    [
        named(of_workflow(), INSTALL).script,
        named(of_action(), INSTALL).script,
        gitlab.expect("a script").to_owned(),
        jenkins.to_owned(),
    ]
}
