//! The computing core of delta-kernel-web: bytes in, Arrow columns out. It does no I/O and has no imports.
//!
//! `bindings` is the seam with `src/engine/wasm/bindings.ts`; everything else is plain Rust and tested natively.

pub mod bindings;
pub mod error;
pub mod exchange;
pub mod expression;
pub mod json;
pub mod parquet;
pub mod row_index_set;
pub mod text;
pub mod wire;
