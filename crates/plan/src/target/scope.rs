//! Which keys a target can have.

use super::credentials::Signature;
use super::{Builtin, TargetDraft};
use crate::keys::row::{Key, Only, Scope, Section as _, Yields};
use crate::keys::scalar::Field;

impl TargetDraft {
    /// Whether the target is in the scope of a key.
    pub fn takes(&self, key: &Key) -> bool {
        key.scope.is_none_or(|scope| self.is_in(&scope))
    }

    /// The target without the values of flags that it leaves out.
    #[must_use]
    pub fn without_yielding(&self) -> Self {
        let mut kept = Self {
            secrets: self.secrets.clone(),
            ..Self::default()
        };
        let is_left_out = |key: &&Key| self.leaves_out(key);
        let left_out: Vec<&str> = Self::KEYS
            .iter()
            .filter(is_left_out)
            .map(|key| key.name)
            .collect();
        kept.copy(self, |name| !left_out.contains(&name));
        kept
    }

    fn leaves_out(&self, key: &Key) -> bool {
        let has = |name: &str| self.given().iter().any(|(given, _)| *given == name);
        let is_unsigned = || text(&self.signature) == Signature::None.name();
        key.yields.iter().flatten().any(|yields| match yields {
            Yields::To(other) => has(other),
            Yields::ToNamed(_) => false,
            Yields::ToNoSignature => is_unsigned() && self.command.is_none(),
        })
    }

    /// Whether the target is one of those that the scope names.
    pub(crate) fn is_in(&self, scope: &Scope) -> bool {
        match scope.only {
            Only::Launched => self.command.is_some(),
            Only::Servers => self.builtin.is_none() && !text(&self.url).starts_with("file:"),
            Only::InMemory => {
                Builtin::from_name(text(&self.builtin)).is_some_and(Builtin::is_in_memory)
            }
        }
    }
}

fn text(field: &Field) -> &str {
    let text = field.as_ref().and_then(|field| field.value.text().ok());
    text.unwrap_or_default()
}
