//! Numbers that stand for an object and how often it has been written over.

use crate::s3::place::MOST_OBJECTS;

/// Bits of a number that are the object.
const OBJECT_BITS: u32 = MOST_OBJECTS.next_power_of_two().trailing_zeros();

/// What stands for the content of a generation of an object, from 0. The first of
/// them has the number of the object.
pub(crate) fn number(object: u64, generation: u64) -> u64 {
    object | generation << OBJECT_BITS
}

/// The object that a number stands for.
pub(crate) fn object_of(number: u64) -> u64 {
    number & ((1 << OBJECT_BITS) - 1)
}

/// The generation that a number stands for.
pub(crate) fn generation_of(number: u64) -> u64 {
    number >> OBJECT_BITS
}
