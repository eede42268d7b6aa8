//! Row index set exports.

use roaring::RoaringTreemap;

use super::memory::{Block, give_bytes, handle, run};
use crate::row_index_set;

/// # Safety
/// The pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_read(bytes: *mut u8, size: usize) -> *mut RoaringTreemap {
    let bytes = unsafe { Block::take(bytes, size) };
    handle(|| row_index_set::deserialize(bytes.as_ref()))
}

/// From row positions as 64-bit floats.
///
/// # Safety
/// The pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_of(rows: *mut u8, size: usize) -> *mut RoaringTreemap {
    let rows = unsafe { Block::take(rows, size) };
    handle(|| Ok(rows.numbers().into_iter().collect()))
}

/// # Safety
/// Both are living sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_union(a: *const RoaringTreemap, b: *const RoaringTreemap) -> *mut RoaringTreemap {
    handle(|| Ok(unsafe { &*a | &*b }))
}

/// # Safety
/// Both are living sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_difference(a: *const RoaringTreemap, b: *const RoaringTreemap) -> *mut RoaringTreemap {
    handle(|| Ok(unsafe { &*a - &*b }))
}

/// # Safety
/// A living set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_cardinality(set: *const RoaringTreemap) -> f64 {
    unsafe { &*set }.len() as f64
}

/// # Safety
/// A living set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_selection(set: *const RoaringTreemap, start: f64, length: usize) -> u32 {
    run(|| give_bytes(&row_index_set::selection(unsafe { &*set }, start as u64, length)))
}

/// # Safety
/// A living set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_write(set: *const RoaringTreemap) -> u32 {
    run(|| give_bytes(&row_index_set::serialize(unsafe { &*set })?))
}

/// # Safety
/// A living set, not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn set_free(set: *mut RoaringTreemap) {
    drop(unsafe { Box::from_raw(set) });
}
