//! Reads the commands of a page of the documentation, with the output that the page shows.
//!
//! - A ```` ```console ```` block has commands: lines that start with `$ `, continued by a backslash at the
//!   end. The lines below a command are its output.
//! - `<!-- exit: 6 -->` before a block is the exit code of its last command; every other command exits with 0.
//! - `<!-- file: NAME -->` before a block in another language: the reader saves the block as this file.
//! - A ```` ```sh ```` block has commands that the reader need not run. The test has a list of all of them.

/// A step that the reader takes.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// Saves a file.
    File { name: String, content: String },
    /// Runs a command.
    Command(Command),
}

/// A command and what the page says about it.
#[derive(Debug, PartialEq)]
pub(crate) struct Command {
    /// The command as written, without `$ `; several lines if it is continued.
    pub(crate) line: String,
    /// Exit code.
    pub(crate) exit: i32,
    /// Lines of output that the page shows.
    pub(crate) shown: Vec<String>,
    /// Line number in the page, from 1.
    pub(crate) at: usize,
}

/// The steps of a page, and the lines of its `sh` blocks.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) steps: Vec<Step>,
    pub(crate) not_run: Vec<String>,
}

impl Page {
    /// Reads a page. Panics if a block is neither run nor saved nor marked as not run.
    pub(crate) fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut marks: Vec<(&str, &str)> = Vec::new();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            if let Some(mark) = mark_of(line) {
                marks.push(mark);
                continue;
            }
            let Some(language) = line.strip_prefix("```") else {
                if !line.trim().is_empty() {
                    assert!(
                        marks.is_empty(),
                        "line {}: no block after {marks:?}",
                        index + 1
                    );
                }
                continue;
            };
            let block: Vec<&str> = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| !line.starts_with("```"))
                .collect();
            page.add(language, &std::mem::take(&mut marks), &block, index + 2);
        }
        page
    }

    fn add(&mut self, language: &str, marks: &[(&str, &str)], block: &[&str], at: usize) {
        match (language, marks) {
            ("console", []) => self.add_commands(block, 0, at),
            ("console", [("exit", code)]) => {
                let code = code.parse().expect("an exit code");
                self.add_commands(block, code, at);
            }
            ("sh", []) => self.not_run.extend(block.iter().map(ToString::to_string)),
            (_, [("file", name)]) => self.steps.push(Step::File {
                name: (*name).to_owned(),
                content: block.join("\n") + "\n",
            }),
            _ => {
                panic!("line {at}: a block of `{language}` with {marks:?} is neither run nor saved")
            }
        }
    }

    fn add_commands(&mut self, block: &[&str], exit: i32, at: usize) {
        let mut commands: Vec<Command> = Vec::new();
        for (index, line) in block.iter().enumerate() {
            let at = at + index;
            if let Some(line) = line.strip_prefix("$ ") {
                let (line, shown) = (line.to_owned(), Vec::new());
                commands.push(Command {
                    line,
                    exit: 0,
                    shown,
                    at,
                });
                continue;
            }
            let command = commands.last_mut();
            let command = command.unwrap_or_else(|| panic!("line {at}: output of no command"));
            if command.shown.is_empty() && command.line.ends_with('\\') {
                command.line = format!("{}\n{line}", command.line);
            } else {
                command.shown.push((*line).to_owned());
            }
        }
        let last = commands.last_mut();
        last.unwrap_or_else(|| panic!("line {at}: no command")).exit = exit;
        self.steps.extend(commands.into_iter().map(Step::Command));
    }
}

/// Name and value of a comment such as `<!-- exit: 6 -->`.
fn mark_of(line: &str) -> Option<(&str, &str)> {
    let comment = line.strip_prefix("<!--")?.strip_suffix("-->")?;
    let (name, value) = comment.split_once(':')?;
    Some((name.trim(), value.trim()))
}

#[test]
fn steps_are_read_in_their_order() {
    let text = "\
text

<!-- file: a.json -->
```json
{}
```

<!-- exit: 6 -->
```console
$ a \\
    b
c
…
$ d
e
```

```sh
ssh node0
```
";
    let page = Page::read(text);
    let command = |line: &str, exit, shown: &[&str], at| {
        let shown = shown.iter().map(ToString::to_string).collect();
        let line = line.to_owned();
        Step::Command(Command {
            line,
            exit,
            shown,
            at,
        })
    };
    let expected = [
        Step::File {
            name: "a.json".to_owned(),
            content: "{}\n".to_owned(),
        },
        command("a \\\n    b", 0, &["c", "…"], 10),
        command("d", 6, &["e"], 14),
    ];
    assert_eq!(page.steps, expected);
    assert_eq!(page.not_run, ["ssh node0"]);
}

#[test]
#[should_panic(expected = "neither run nor saved")]
fn a_block_that_would_be_skipped_is_refused() {
    Page::read("```bash\n$ rm x\n```\n");
}
