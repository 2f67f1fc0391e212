//! An allocator that counts the allocations of each thread. For separate test binaries: a process
//! has one allocator.

#![allow(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every method passes its arguments unchanged to `System`, which upholds
// the contract of `GlobalAlloc`, and returns what it returns; so this type upholds
// it as well. Counting touches no memory of the allocation and does not allocate:
// the thread-local is a `Cell<u64>` with a constant initial value and no destructor,
// which needs neither registration nor memory of its own; and should it be out of
// reach while a thread ends, `try_with` skips the count and does not panic.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises about `layout` are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: `ptr` came from this allocator, that is from `System`, with `layout`.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller's promises about `new_size` are passed on.
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
