//! JSON exports.

use arrow_array::StringArray;
use arrow_array::cast::AsArray;

use super::memory::{Batch, Block, fields_of, give_batch, run};
use crate::error::CoreError;
use crate::json;

/// # Safety
/// Each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn json_lines(text: *mut u8, size: usize, schema: *mut u8, schema_size: usize, first_line: f64) -> u32 {
    let text = unsafe { Block::take(text, size) };
    let fields = unsafe { fields_of(schema, schema_size) };
    run(|| {
        give_batch(json::parse_ndjson(text.as_ref(), &fields?, first_line as u64)?);
        Ok(())
    })
}

/// Takes the batch over: one column of strings.
///
/// # Safety
/// `batch` is from `batch_new`; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn json_column(batch: *mut Batch, schema: *mut u8, schema_size: usize) -> u32 {
    let batch = unsafe { Box::from_raw(batch) };
    let fields = unsafe { fields_of(schema, schema_size) };
    run(|| {
        let strings: Option<&StringArray> = batch.0.columns().first().and_then(|column| column.as_string_opt());
        let strings = strings.ok_or_else(|| CoreError::internal("a column of strings is wanted"))?;
        give_batch(json::parse_column(strings, &fields?)?);
        Ok(())
    })
}
