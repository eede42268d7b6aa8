//! Memory, results and batches across the seam.

use std::alloc::{GlobalAlloc, Layout, System, alloc, dealloc};
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::RecordBatch;
use arrow_array::ffi::FFI_ArrowArray;
use arrow_buffer::Buffer;
use arrow_schema::Schema;
use bytes::Bytes;

use crate::error::{CoreError, Result};
use crate::exchange;
use crate::wire::{self, WireField};

/// Enough for every Arrow type and for SIMD.
const ALIGNMENT: usize = 64;

/// Tells that memory ran out, which aborts: the other side reads it after a trap.
static EXHAUSTED: AtomicU32 = AtomicU32::new(0);

/// The system's allocator, which remembers that it failed.
struct Remembering;

// SAFETY: every call is the system allocator's.
unsafe impl GlobalAlloc for Remembering {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let pointer = unsafe { System.alloc(layout) };
        if pointer.is_null() {
            EXHAUSTED.store(1, Ordering::Relaxed);
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let pointer = unsafe { System.realloc(pointer, layout, size) };
        if pointer.is_null() {
            EXHAUSTED.store(1, Ordering::Relaxed);
        }
        pointer
    }
}

#[global_allocator]
static ALLOCATOR: Remembering = Remembering;

/// 1 once an allocation has failed.
#[unsafe(no_mangle)]
pub extern "C" fn core_exhausted() -> u32 {
    EXHAUSTED.load(Ordering::Relaxed)
}

static OUT: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];

/// Address of the two words in which results are handed over.
#[unsafe(no_mangle)]
pub extern "C" fn core_out() -> *const AtomicU32 {
    OUT.as_ptr()
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGNMENT).ok()
}

/// Memory for `size` bytes; null where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn core_alloc(size: usize) -> *mut u8 {
    // SAFETY: the layout is never of size zero.
    layout(size).map_or(std::ptr::null_mut(), |layout| unsafe { alloc(layout) })
}

/// # Safety
/// `pointer` comes from `core_alloc(size)` and was not given away.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn core_free(pointer: *mut u8, size: usize) {
    if let (Some(layout), false) = (layout(size), pointer.is_null()) {
        unsafe { dealloc(pointer, layout) }
    }
}

/// Bytes that the other side gave to this one; freed when dropped.
pub struct Block {
    pointer: *mut u8,
    size: usize,
}

// SAFETY: the block owns its memory, and nobody else writes to it.
unsafe impl Send for Block {}
unsafe impl Sync for Block {}
impl RefUnwindSafe for Block {}

impl Block {
    /// # Safety
    /// Pointer and size of one `core_alloc`, of which nobody else keeps hold.
    pub unsafe fn take(pointer: *mut u8, size: usize) -> Self {
        Self { pointer, size }
    }

    pub fn bytes(self) -> Bytes {
        Bytes::from_owner(self)
    }

    pub fn buffer(self) -> Buffer {
        let size = self.size;
        match NonNull::new(self.pointer) {
            // SAFETY: the memory lives as long as the block, which the buffer now owns.
            Some(pointer) => unsafe { Buffer::from_custom_allocation(pointer, size, Arc::new(self)) },
            None => Buffer::default(),
        }
    }

    /// The block as 32-bit numbers.
    pub fn words(&self) -> Vec<u32> {
        self.as_ref().chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }

    /// The block as 64-bit floats, which carry offsets up to 2^53 exactly.
    pub fn numbers(&self) -> Vec<u64> {
        self.as_ref()
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]) as u64)
            .collect()
    }
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        if self.pointer.is_null() {
            return &[];
        }
        // SAFETY: the block owns `size` bytes at `pointer`.
        unsafe { std::slice::from_raw_parts(self.pointer, self.size) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: taken over from one `core_alloc`.
        unsafe { core_free(self.pointer, self.size) }
    }
}

fn hand_over(first: u32, second: u32) {
    OUT[0].store(first, Ordering::Relaxed);
    OUT[1].store(second, Ordering::Relaxed);
}

/// Hands bytes to the other side, which frees them.
pub fn give_bytes(bytes: &[u8]) -> Result<()> {
    let pointer = core_alloc(bytes.len());
    if pointer.is_null() {
        return Err(CoreError::new("OutOfMemory", format!("no memory for a result of {} bytes", bytes.len())));
    }
    // SAFETY: just allocated with this length.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer, bytes.len()) };
    hand_over(pointer as u32, bytes.len() as u32);
    Ok(())
}

/// Hands a batch to the other side, which releases it with `batch_release`.
pub fn give_batch(batch: RecordBatch) {
    hand_over(Box::into_raw(exchange::export_batch(batch)) as u32, 0);
}

/// # Safety
/// `array` was handed over as a batch and not released before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn batch_release(array: *mut FFI_ArrowArray) {
    drop(unsafe { Box::from_raw(array) });
}

/// 1 for success; 0 for failure, with the error handed over.
pub fn run(work: impl FnOnce() -> Result<()>) -> u32 {
    answer(work().map(|()| 1))
}

/// A handle; 0 for failure, with the error handed over.
pub fn handle<T>(work: impl FnOnce() -> Result<T>) -> *mut T {
    match work() {
        Ok(value) => Box::into_raw(Box::new(value)),
        Err(error) => {
            give_error(&error);
            std::ptr::null_mut()
        }
    }
}

/// A small number above 0; 0 for failure, with the error handed over.
pub fn answer(result: Result<u32>) -> u32 {
    result.unwrap_or_else(|error| {
        give_error(&error);
        0
    })
}

fn give_error(error: &CoreError) {
    let json = serde_json::json!({"code": error.code, "message": error.message, "line": error.line});
    if give_bytes(json.to_string().as_bytes()).is_err() {
        hand_over(0, 0);
    }
}

/// # Safety
/// As for [`Block::take`].
pub unsafe fn fields_of(pointer: *mut u8, size: usize) -> Result<Vec<WireField>> {
    wire::parse_fields(unsafe { Block::take(pointer, size) }.as_ref())
}

/// A batch that came in, with its schema.
pub struct Batch(pub RecordBatch);

/// # Safety
/// Each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn batch_new(
    schema: *mut u8,
    schema_size: usize,
    rows: usize,
    layout: *mut u8,
    layout_size: usize,
    block: *mut u8,
    block_size: usize,
) -> *mut Batch {
    let layout = unsafe { Block::take(layout, layout_size) };
    let block = unsafe { Block::take(block, block_size) };
    let fields = unsafe { fields_of(schema, schema_size) };
    handle(|| {
        let schema: Arc<Schema> = Arc::new(wire::arrow_schema(&relax(fields?)));
        exchange::import_batch(schema, rows, &layout.words(), block.buffer()).map(Batch)
    })
}

/// Whether a batch from outside keeps NOT NULL is not this core's to judge.
fn relax(mut fields: Vec<WireField>) -> Vec<WireField> {
    fields.iter_mut().for_each(|field| field.nullable = true);
    fields
}
