//! Numbers that identify an object and its generation.

use crate::s3::place::MOST_OBJECTS;

/// Number of low-order bits of a number that hold the object.
const OBJECT_BITS: u32 = MOST_OBJECTS.next_power_of_two().trailing_zeros();

/// The number of a generation, from 0, of an object. The number of generation 0 equals `object`.
pub(crate) fn number(object: u64, generation: u64) -> u64 {
    object | generation << OBJECT_BITS
}

/// The object of a number.
pub(crate) fn object_of(number: u64) -> u64 {
    number & ((1 << OBJECT_BITS) - 1)
}

/// The generation of a number.
pub(crate) fn generation_of(number: u64) -> u64 {
    number >> OBJECT_BITS
}
