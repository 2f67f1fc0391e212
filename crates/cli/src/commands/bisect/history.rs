//! The commits between the good and the bad end.

use crate::args::Revision;
use crate::commands::gate::revisions::Repository;
use crate::errors::BuildError;

/// A commit after the good end.
pub(super) struct Commit {
    /// Its full name.
    pub(super) name: String,
    /// Date of the author, RFC 3339.
    pub(super) date: String,
    /// First line of the message; not escaped.
    pub(super) subject: String,
}

impl Commit {
    /// The start of the name.
    pub(super) fn short(&self) -> &str {
        self.name.get(..12).unwrap_or(&self.name)
    }
}

/// Separates the fields of a commit; a message cannot contain it.
const BETWEEN: char = '\0';

/// The commits after `good` up to `bad` along first parents, oldest first.
///
/// # Errors
/// If `good` is not before `bad` on this line.
pub(super) fn commits_between(
    repository: &Repository,
    good: &Revision,
    bad: &Revision,
) -> Result<Vec<Commit>, BuildError> {
    if good.commit == bad.commit {
        return Err(BuildError::SameCommit {
            good: good.name.clone(),
            bad: bad.name.clone(),
        });
    }
    let range = format!("{}..{}", good.commit, bad.commit);
    let line = [
        "log", "--first-parent", "--reverse", "--no-show-signature", "--encoding=UTF-8",
    ];
    // The parents follow the name, the first parent first.
    let fields = [
        "--no-color",
        "--format=%H%x00%P%x00%aI%x00%s",
        "--end-of-options",
        &range,
    ];
    let text = repository.read(line.into_iter().chain(fields))?;
    let mut commits = Vec::new();
    let mut parent_of_first = None;
    for line in text.lines() {
        let mut fields = line.splitn(4, BETWEEN);
        let mut field = || fields.next().unwrap_or_default().to_owned();
        let (name, parents, date, subject) = (field(), field(), field(), field());
        if parent_of_first.is_none() {
            parent_of_first = parents.split(' ').next().map(str::to_owned);
        }
        commits.push(Commit {
            name,
            date,
            subject,
        });
    }
    if parent_of_first.as_ref() == Some(&good.commit) {
        return Ok(commits);
    }
    let near = repository.read(["merge-base", &good.commit, &bad.commit]);
    let near = near.ok().and_then(|text| Some(text.get(..12)?.to_owned()));
    Err(BuildError::NotBefore {
        good: good.name.clone(),
        bad: bad.name.clone(),
        // The common ancestor of a commit that a merge brought in is the commit itself.
        near: near.filter(|near| !good.commit.starts_with(near.as_str())),
    })
}
