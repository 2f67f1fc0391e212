//! What each S3 operation sends: one file each, and the table of all operations.

mod append;
mod copy;
mod delete;
mod delete_batch;
mod each;
mod fan_out;
mod get;
mod get_attributes;
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

use crate::s3::action::{Action, Setting};

/// The action of a worker for an operation.
pub(crate) fn action(operation: S3Operation, setting: &mut Setting<'_>) -> Box<dyn Action> {
    let new = match operation {
        S3Operation::Put => put::action,
        S3Operation::Get => get::action,
        S3Operation::Delete => delete::action,
        S3Operation::DeleteBatch => delete_batch::action,
        S3Operation::List => list::action,
        S3Operation::Stat => stat::action,
        S3Operation::GetAttributes => get_attributes::action,
        S3Operation::Copy => copy::action,
        S3Operation::Multipart => multipart::action,
        S3Operation::GetPart => get_part::action,
        S3Operation::PutTags => tags::put,
        S3Operation::GetTags => tags::get,
        S3Operation::DeleteTags => tags::delete,
        S3Operation::Retain => lock::retain,
        S3Operation::LegalHold => lock::legal_hold,
        S3Operation::Append => append::action,
        S3Operation::Snowball => snowball::action,
        S3Operation::ZipGet => zip_get::action,
        S3Operation::ZipList => zip_list::action,
        S3Operation::FanOut => fan_out::action,
    };
    new(setting)
}
