//! The table of plan keys: rows, the values that they store, how they are read and printed.

pub(crate) mod form;
pub(crate) mod names;
pub(crate) mod page;
pub(crate) mod relations;
pub(crate) mod row;
pub(crate) mod scalar;
pub(crate) mod schema;
pub(crate) mod section;
pub(crate) mod sections;
pub(crate) mod stored;
pub(crate) mod suggest;
pub(crate) mod unknown;
pub(crate) mod value;
