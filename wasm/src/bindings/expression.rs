//! Expression exports.

use super::memory::{Batch, Block, fields_of, give_batch, handle, run};
use crate::expression::Compiled;

/// # Safety
/// Each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn expression_new(
    schema: *mut u8,
    schema_size: usize,
    expression: *mut u8,
    expression_size: usize,
    output: *mut u8,
    output_size: usize,
) -> *mut Compiled {
    let fields = unsafe { fields_of(schema, schema_size) };
    let expression = unsafe { Block::take(expression, expression_size) };
    let output = unsafe { Block::take(output, output_size) };
    handle(|| Compiled::expression(&fields?, expression.as_ref(), output.as_ref()))
}

/// # Safety
/// Each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn predicate_new(
    schema: *mut u8,
    schema_size: usize,
    predicate: *mut u8,
    predicate_size: usize,
) -> *mut Compiled {
    let fields = unsafe { fields_of(schema, schema_size) };
    let predicate = unsafe { Block::take(predicate, predicate_size) };
    handle(|| Compiled::predicate(&fields?, predicate.as_ref()))
}

/// Takes the batch over.
///
/// # Safety
/// A living expression and a batch from `batch_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn expression_evaluate(compiled: *const Compiled, batch: *mut Batch) -> u32 {
    let batch = unsafe { Box::from_raw(batch) };
    run(|| {
        give_batch(unsafe { &*compiled }.evaluate(&batch.0)?);
        Ok(())
    })
}

/// # Safety
/// A living expression, not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn expression_free(compiled: *mut Compiled) {
    drop(unsafe { Box::from_raw(compiled) });
}
