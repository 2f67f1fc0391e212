//! Markdown of pages on rules, as text for a terminal.

/// Escape sequences before and after strong text.
const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[0m"];

/// The text without the marks of Markdown; lists and tables stay. Headings and strong text are bold if
/// `has_bold`.
pub(crate) fn for_terminal(markdown: &str, has_bold: bool) -> String {
    let lines = markdown.lines().map(|line| match heading(line) {
        Some(title) => format!("**{title}**\n"),
        None => format!("{line}\n"),
    });
    let marks = if has_bold { BOLD } else { ["", ""] };
    without_marks(&lines.collect::<String>(), marks)
}

/// The title if the line is a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#').strip_prefix(' ')?;
    line.starts_with('#').then_some(title)
}

/// The text with `begin` and `end` around strong text, and without marks of code and links.
fn without_marks(markdown: &str, [begin, end]: [&str; 2]) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut is_strong = false;
    let mut rest = markdown;
    while let Some(at) = rest.find(['*', '`', '[', ']']) {
        let (before, from) = rest.split_at(at);
        text += before;
        if let Some(after) = from.strip_prefix("**") {
            is_strong = !is_strong;
            text += if is_strong { begin } else { end };
            rest = after;
        } else if let Some((code, after)) = code(from) {
            text += code;
            rest = after;
        } else if let Some((target, after)) = link_target(from) {
            text += &place(target);
            rest = after;
        } else {
            let (mark, after) = from.split_at(1);
            text += if is_link(from) { "" } else { mark };
            rest = after;
        }
    }
    text + rest
}

/// The code span at the start of the text, and the text after the span.
fn code(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('`')?.split_once('`')
}

/// The target of the link whose words end at the start of the text, and the text after the link.
fn link_target(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("](")?.split_once(')')
}

/// Whether the text starts with a link.
fn is_link(text: &str) -> bool {
    let Some(words) = text.strip_prefix('[') else {
        return false;
    };
    let end = words.find(['[', ']']);
    end.is_some_and(|end| words[end..].starts_with("]("))
}

/// Where the page of a link is; empty for a section of the same page, which is another rule.
fn place(target: &str) -> String {
    if target.starts_with('#') {
        String::new()
    } else if target.contains("://") {
        format!(" ({target})")
    } else {
        format!(" (docs/{target})")
    }
}

#[cfg(test)]
mod tests {
    use super::for_terminal;

    #[test]
    fn a_page_has_no_marks_on_a_terminal() {
        let page = "# little\n\n**Test.** `a**b` is 2 * 3 of [`x`](#x),\n- see [the plan](plan-file.md#a) \
                    and c[0].\n";
        assert_eq!(
            for_terminal(page, false),
            "little\n\nTest. a**b is 2 * 3 of x,\n- see the plan (docs/plan-file.md#a) and c[0].\n"
        );
        let bold = for_terminal(page, true);
        assert!(
            bold.starts_with("\x1b[1mlittle\x1b[0m\n\n\x1b[1mTest.\x1b[0m a**b is"),
            "{bold:?}"
        );
    }
}
