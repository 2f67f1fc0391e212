//! The S3 operations, one file each, and the table of all operations.

mod append;
mod copy;
mod delete;
mod delete_batch;
mod each;
mod fan_out;
mod get;
mod get_part;
mod list;
pub(super) mod lock;
pub(super) mod multipart;
pub(super) mod put;
mod snowball;
mod stat;
mod tags;
mod zip_get;
mod zip_list;

use tenbin_plan::S3Operation;

use crate::s3::action::ActionKind;

/// Every operation.
pub(crate) const ACTIONS: &[ActionKind] = &[
    put::KIND,
    get::KIND,
    delete::KIND,
    delete_batch::KIND,
    list::KIND,
    stat::KIND,
    copy::KIND,
    multipart::KIND,
    get_part::KIND,
    tags::PUT,
    tags::GET,
    tags::DELETE,
    lock::RETAIN,
    lock::LEGAL_HOLD,
    append::KIND,
    snowball::KIND,
    zip_get::KIND,
    zip_list::KIND,
    fan_out::KIND,
];

/// The entry of an operation, if it is implemented.
pub(crate) fn kind_of(operation: S3Operation) -> Option<&'static ActionKind> {
    ACTIONS.iter().find(|kind| kind.operation == operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_there_once() {
        for operation in S3Operation::all() {
            let of_it = ACTIONS.iter().filter(|kind| kind.operation == operation);
            assert_eq!(of_it.count(), 1, "{}", operation.name());
        }
    }
}
