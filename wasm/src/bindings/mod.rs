//! Exports. Each takes its arguments apart, calls, and maps the error: nothing is computed here.
//!
//! Conventions, the same in `bindings.ts`:
//! - A block of bytes goes in as pointer and length of memory from `core_alloc`; the call takes it over.
//! - 0 means failure: the error's JSON is at `OUT[0]`, `OUT[1]` (pointer, length), to be freed with `core_free`.
//! - Bytes come out the same way; a batch comes out as a C data interface array at `OUT[0]`.
//! - Handles are pointers; each kind has its `…_free`.

mod expression;
mod json;
mod memory;
mod parquet;
mod row_index_set;

pub use expression::*;
pub use json::*;
pub use memory::*;
pub use parquet::*;
pub use row_index_set::*;
