//! An allocator that counts the allocations of each thread. Needs a separate test binary, because a
//! process has only one allocator.

#![allow(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every method passes its arguments unchanged to `System` and returns the result of
// `System`, which upholds the contract of `GlobalAlloc`; so this type upholds the contract too.
// Counting does not touch the allocated memory and does not allocate: the thread-local is a
// `Cell<u64>` with a constant initial value and no destructor, which needs no registration and no
// heap memory. If the thread-local is unavailable while a thread ends, `try_with` skips the count
// and does not panic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller upholds the requirements on `layout`, which are also those of
        // `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` was allocated with `layout` by this allocator, and so by `System`.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller upholds the requirements on `new_size`.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

fn count() {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of allocations of the calling thread.
pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}
