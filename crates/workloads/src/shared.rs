//! Data shared by the workloads on one target.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One value per type, created on first use: state that the workloads on one target share.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>);

impl Shared {
    /// The value of type `T`, the same for all workloads on the target.
    pub(crate) fn of<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = held(&self.0);
        let value = values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        // The entry of type `T` always holds a `T`.
        Arc::clone(value).downcast().unwrap_or_default()
    }
}

/// Locks `mutex`, also after a panic of another thread that held the lock.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shared")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_one_value() {
        let shared = Shared::default();
        let first = shared.of::<Mutex<u64>>();
        *first.lock().expect("a lock") = 7;
        let again = shared.clone().of::<Mutex<u64>>();
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(*shared.of::<Mutex<String>>().lock().expect("a lock"), "");
    }
}
