//! Parquet exports.

use bytes::Bytes;
use serde_json::{Value, json};

use super::memory::{Batch, Block, answer, fields_of, give_batch, give_bytes, handle, run};
use crate::error::{CoreError, Result};
use crate::parquet::bloom::{self, Answer};
use crate::parquet::decode::{Decoder, Rows, plan};
use crate::parquet::footer::{ParquetFile, tail_length};
use crate::parquet::resolve::resolve;
use crate::parquet::stats::{FloatMax, page_stats, row_group_stats};
use crate::parquet::write::Writer;
use crate::wire::WireField;

/// Bytes of footer and trailer; 0 for failure.
///
/// # Safety
/// The pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_tail_length(tail: *mut u8, size: usize) -> u32 {
    let tail = unsafe { Block::take(tail, size) };
    answer(tail_length(tail.as_ref()).map(|length| u32::try_from(length).unwrap_or(u32::MAX)))
}

/// # Safety
/// The pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_open(tail: *mut u8, size: usize, file_size: f64) -> *mut ParquetFile {
    let tail = unsafe { Block::take(tail, size) };
    handle(|| ParquetFile::open(tail.as_ref(), file_size as u64))
}

/// # Safety
/// A living file, not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_free(file: *mut ParquetFile) {
    drop(unsafe { Box::from_raw(file) });
}

fn give_json(value: &Value) -> Result<()> {
    give_bytes(value.to_string().as_bytes())
}

fn ranges_json(ranges: &[(u64, u64)]) -> Value {
    ranges.iter().map(|(start, end)| json!([start, end])).collect()
}

/// # Safety
/// A living file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_describe(file: *const ParquetFile) -> u32 {
    run(|| give_json(&unsafe { &*file }.describe()?))
}

/// # Safety
/// A living file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_layout(file: *const ParquetFile) -> u32 {
    run(|| give_json(&unsafe { &*file }.layout()))
}

/// Pieces of a file that are handed over one by one.
#[derive(Default)]
pub struct Pieces(Vec<(u64, Bytes)>);

#[unsafe(no_mangle)]
pub extern "C" fn pieces_new() -> *mut Pieces {
    Box::into_raw(Box::default())
}

/// # Safety
/// Living pieces; the pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pieces_push(pieces: *mut Pieces, start: f64, bytes: *mut u8, size: usize) {
    let block = unsafe { Block::take(bytes, size) };
    unsafe { &mut *pieces }.0.push((start as u64, block.bytes()));
}

/// # Safety
/// Living pieces, not used again. Only for a call that did not come about: calls take their pieces over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pieces_free(pieces: *mut Pieces) {
    drop(unsafe { Box::from_raw(pieces) });
}

fn leaves(file: &ParquetFile, fields: &[WireField]) -> Result<Vec<usize>> {
    Ok(resolve(&file.schema, fields)?.leaves)
}

/// # Safety
/// A living file; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_page_index_ranges(file: *const ParquetFile, schema: *mut u8, schema_size: usize) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let file = unsafe { &*file };
    run(|| give_json(&ranges_json(&file.page_index_ranges(&leaves(file, &fields?)?))))
}

/// # Safety
/// A living file and pieces; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_load_page_index(
    file: *mut ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    pieces: *mut Pieces,
) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let pieces = unsafe { Box::from_raw(pieces) };
    let file = unsafe { &mut *file };
    run(|| {
        let leaves = leaves(file, &fields?)?;
        file.load_page_index(&leaves, pieces.0)
    })
}

/// No rows are all rows; otherwise starts and ends in turn.
fn rows_of(block: &Block) -> Option<Vec<Rows>> {
    let numbers = block.numbers();
    (!numbers.is_empty()).then(|| numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// # Safety
/// A living file; each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_plan(
    file: *const ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    row_group: usize,
    rows: *mut u8,
    rows_size: usize,
) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let rows = unsafe { Block::take(rows, rows_size) };
    run(|| give_json(&ranges_json(&plan(unsafe { &*file }, &fields?, row_group, rows_of(&rows).as_deref())?)))
}

/// # Safety
/// A living file and pieces; each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decoder_new(
    file: *const ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    row_group: usize,
    pieces: *mut Pieces,
    batch_size: usize,
    rows: *mut u8,
    rows_size: usize,
    path: *mut u8,
    path_size: usize,
) -> *mut Decoder {
    let fields = unsafe { fields_of(schema, schema_size) };
    let pieces = unsafe { Box::from_raw(pieces) };
    let rows = unsafe { Block::take(rows, rows_size) };
    let path = unsafe { Block::take(path, path_size) };
    handle(|| {
        let path = String::from_utf8_lossy(path.as_ref()).into_owned();
        Decoder::new(unsafe { &*file }, fields?, row_group, pieces.0, batch_size, rows_of(&rows), path)
    })
}

/// 1: a batch was handed over; 2: the end; 0: failure.
///
/// # Safety
/// A living decoder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decoder_next(decoder: *mut Decoder) -> u32 {
    answer(unsafe { &mut *decoder }.next().map(|batch| match batch {
        Some(batch) => {
            give_batch(batch);
            1
        }
        None => 2,
    }))
}

/// # Safety
/// A living decoder, not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decoder_free(decoder: *mut Decoder) {
    drop(unsafe { Box::from_raw(decoder) });
}

/// # Safety
/// Each pair is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writer_new(
    schema: *mut u8,
    schema_size: usize,
    compression: *mut u8,
    compression_size: usize,
    max_row_group_rows: usize,
) -> *mut Writer {
    let fields = unsafe { fields_of(schema, schema_size) };
    let compression = unsafe { Block::take(compression, compression_size) };
    handle(|| {
        let compression = String::from_utf8_lossy(compression.as_ref());
        Writer::new(&fields?, &compression, max_row_group_rows)
    })
}

/// Takes the batch over.
///
/// # Safety
/// A living writer and a batch from `batch_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writer_write(writer: *mut Writer, batch: *mut Batch) -> u32 {
    let batch = unsafe { Box::from_raw(batch) };
    run(|| give_bytes(&unsafe { &mut *writer }.write(&batch.0)?))
}

/// # Safety
/// A living writer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writer_finish(writer: *mut Writer) -> u32 {
    run(|| give_bytes(&unsafe { &mut *writer }.finish()?))
}

/// # Safety
/// A living writer, not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writer_free(writer: *mut Writer) {
    drop(unsafe { Box::from_raw(writer) });
}

/// # Safety
/// A living file; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_row_group_stats(
    file: *const ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    nan_in_max: u32,
) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let float_max = if nan_in_max == 0 { FloatMax::Stored } else { FloatMax::WithNan };
    run(|| {
        give_batch(row_group_stats(unsafe { &*file }, &fields?, float_max)?);
        Ok(())
    })
}

/// 1: a batch was handed over, its rows are at `parquet_page_rows`; 2: there is no page index; 0: failure.
///
/// # Safety
/// A living file; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_page_stats(
    file: *mut ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    row_group: usize,
) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let file = unsafe { &mut *file };
    answer(fields.and_then(|fields| page_stats(file, &fields, row_group)).map(|found| match found {
        Some((batch, rows)) => {
            file.page_rows = rows;
            give_batch(batch);
            1
        }
        None => 2,
    }))
}

/// The row ranges of the last page statistics.
///
/// # Safety
/// A living file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_page_rows(file: *const ParquetFile) -> u32 {
    run(|| give_json(&ranges_json(&unsafe { &*file }.page_rows)))
}

/// JSON: `{"absent": [bool per value]}`, `{"needs": [start, end]}`, or null where no filter can tell. Takes pieces and
/// batch over; the schema is one field, the batch one column of its leaf's type.
///
/// # Safety
/// A living file, pieces, and a batch from `batch_new`; the schema is one `core_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parquet_bloom_filter(
    file: *const ParquetFile,
    schema: *mut u8,
    schema_size: usize,
    row_group: usize,
    pieces: *mut Pieces,
    values: *mut Batch,
) -> u32 {
    let fields = unsafe { fields_of(schema, schema_size) };
    let (pieces, values) = unsafe { (Box::from_raw(pieces), Box::from_raw(values)) };
    run(|| {
        let fields = fields?;
        let ([field], [values]) = (fields.as_slice(), values.0.columns()) else {
            return Err(CoreError::internal("one column and its values"));
        };
        give_json(&match bloom::ask(unsafe { &*file }, field, row_group, values, pieces.0)? {
            Answer::Absent(absent) => json!({"absent": absent}),
            Answer::Needs(start, end) => json!({"needs": [start, end]}),
            Answer::None => Value::Null,
        })
    })
}
