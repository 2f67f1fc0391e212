//! The questions of `tenbin init`: one for each thing that no option says.

use std::io::{BufRead, Read as _};

use clap::ValueEnum;
use tenbin_plan::{Sentence, sentence};

use crate::args::{CiChoice, GoalKind, ServerKind, value_name};
use crate::commands::init::answers::Asked;
use crate::commands::init::build::Missing;
use crate::errors::InitError;
use crate::output;
use crate::sentences::said;

/// Longest answer, bytes.
const LONGEST: u64 = 64 << 10;

/// Most questions in one dialogue. The CI file, which `--ci` writes, is not asked for after these.
const MOST_QUESTIONS: usize = 6;

/// What the answers so far mean for the dialogue.
pub(super) struct Rules<'a> {
    /// Why options and answers so far make no plan, whatever the other answers are.
    pub(super) check: &'a dyn Fn(&Asked) -> Result<(), InitError>,
    /// The program to build before the trial.
    pub(super) missing: &'a dyn Fn(&Asked) -> Option<Missing>,
}

/// Asks for what `asked` lacks. An answer with which no plan is possible is asked for again.
///
/// # Errors
/// If no plan is possible with the options, or the input ends before the last answer.
pub(super) fn ask(
    asked: Asked,
    input: &mut dyn BufRead,
    rules: &Rules<'_>,
) -> Result<Asked, InitError> {
    // No answer corrects an option.
    (rules.check)(&asked)?;
    let mut form = Form {
        asked,
        input,
        rules,
        questions: 0,
    };
    if form.asked.kind.is_none() {
        form.choose(
            &sentence!("init-kind", "What kind of server is it"),
            ServerKind::Http,
            |asked, kind| {
                asked.kind = Some(kind);
            },
        )?;
    }
    if form.asked.first().is_none() {
        let question = sentence!(
            "init-server",
            "Its URL, or the command that starts it, in which {{port}} becomes a free port"
        );
        form.text(&question, true, |asked, text| asked.server = Some(text))?;
    }
    form.ask_build()?;
    if form.asked.request.is_none() {
        let question = match form.asked.kind.unwrap_or(ServerKind::Http) {
            ServerKind::Http => sentence!(
                "init-path",
                "Path and query of the request [those of the URL]"
            ),
            ServerKind::Search => sentence!(
                "init-search",
                "Path and query of a search [those of the URL]"
            ),
            ServerKind::S3 => sentence!(
                "init-operation",
                "Operation, such as get, put or put:50,get:50 [get]"
            ),
            ServerKind::Blob => sentence!("init-phases", "Phases: p put, g get, d delete [pgd]"),
        };
        form.text(&question, false, |asked, text| asked.request = Some(text))?;
    }
    if form.asked.second.is_none() {
        let question = sentence!(
            "init-second",
            "A second server to compare with, URL or command [none]"
        );
        form.text(&question, false, |asked, text| asked.second = Some(text))?;
    }
    if form.asked.goal.is_none() {
        let question = sentence!(
            "init-goal",
            "Goal: compare or measure, find the highest rate within limits, or a gate for CI"
        );
        let default = form.asked.goal().unwrap_or(GoalKind::Compare);
        form.choose(&question, default, |asked, goal| asked.goal = Some(goal))?;
    }
    if form.asked.ci.is_none()
        && form.asked.goal == Some(GoalKind::Gate)
        && form.questions < MOST_QUESTIONS
    {
        form.choose(
            &sentence!("init-ci", "Also write the CI file"),
            CiChoice::None,
            |asked, ci| {
                asked.ci = Some(ci);
            },
        )?;
    }
    Ok(form.asked)
}

struct Form<'a> {
    asked: Asked,
    input: &'a mut dyn BufRead,
    rules: &'a Rules<'a>,
    /// Number of questions that have an answer.
    questions: usize,
}

impl Form<'_> {
    /// Asks for the command that builds the first server, if this server has to be built.
    fn ask_build(&mut self) -> Result<(), InitError> {
        let Some(Missing { program, build }) = (self.rules.missing)(&self.asked) else {
            return Ok(());
        };
        let question = sentence!(
            "init-build",
            "{program} does not exist: the command that builds it, or none [{build}]",
            program,
            build
        );
        self.text(&question, false, |asked, text| {
            asked.build_before = match text.as_str() {
                "" => Some(build.clone()),
                "none" => None,
                _ => Some(text),
            };
        })
    }

    fn choose<V: ValueEnum>(
        &mut self,
        question: &Sentence,
        default: V,
        set: impl Fn(&mut Asked, V),
    ) -> Result<(), InitError> {
        let names: Vec<String> = V::value_variants()
            .iter()
            .cloned()
            .map(value_name)
            .collect();
        let text = format!(
            "{}: {} [{}]: ",
            said(question),
            names.join(", "),
            value_name(default.clone())
        );
        self.until_possible(&text, |asked, answer| {
            let value = match answer.as_str() {
                "" => Ok(default.clone()),
                name => V::from_str(name, true),
            };
            let value = value.map_err(|_| InitError::NoChoice {
                answer,
                choices: names.clone(),
            })?;
            set(asked, value);
            Ok(())
        })
    }

    fn text(
        &mut self,
        question: &Sentence,
        is_required: bool,
        set: impl Fn(&mut Asked, String),
    ) -> Result<(), InitError> {
        self.until_possible(&format!("{}: ", said(question)), |asked, answer| {
            if is_required && answer.is_empty() {
                return Err(InitError::NoAnswer);
            }
            set(asked, answer);
            Ok(())
        })
    }

    /// Asks until the answer can be read, and makes a possible plan together with the answers before.
    fn until_possible(
        &mut self,
        question: &str,
        read: impl Fn(&mut Asked, String) -> Result<(), InitError>,
    ) -> Result<(), InitError> {
        loop {
            output::prompt(question);
            let mut asked = self.asked.clone();
            let answer = self.line()?;
            let answered = answer.and_then(|answer| read(&mut asked, answer));
            match answered.and_then(|()| (self.rules.check)(&asked)) {
                Ok(()) => {
                    self.asked = asked;
                    self.questions += 1;
                    return Ok(());
                }
                Err(error) => output::failure(&error),
            }
        }
    }

    /// The next line; the inner error is of an answer that can be given again.
    fn line(&mut self) -> Result<Result<String, InitError>, InitError> {
        let mut line = Vec::new();
        let mut input = (&mut *self.input).take(LONGEST);
        input
            .read_until(b'\n', &mut line)
            .map_err(InitError::Input)?;
        if line.is_empty() {
            return Err(InitError::Ended);
        }
        if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
            self.skip_line()?;
            return Ok(Err(InitError::TooLong));
        }
        let text = String::from_utf8(line).map_err(|_| InitError::NoText);
        Ok(text.map(|text| text.trim().to_owned()))
    }

    fn skip_line(&mut self) -> Result<(), InitError> {
        loop {
            let part = self.input.fill_buf().map_err(InitError::Input)?;
            let end = part.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(part.len(), |end| end + 1);
            self.input.consume(length);
            if end.is_some() || length == 0 {
                return Ok(());
            }
        }
    }
}
