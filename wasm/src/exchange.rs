//! Batches across the seam.
//!
//! In: one block of memory in the order of Arrow IPC's record-batch body (`exchange.ts` writes it): Rust owns the block,
//! the arrays are slices of it, and every array is validated. Out: the Arrow C data interface, read by arrow-js-ffi.

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StructArray, make_array, new_null_array};
use arrow_buffer::Buffer;
use arrow_data::transform::MutableArrayData;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, SchemaRef};

use crate::error::{CoreError, Result};

/// Reads a batch of `schema` from its block: `rows`, then per array depth-first: length, null bitmap, buffers.
/// `layout` holds the numbers (a buffer is offset and length in bytes; a bitmap of length 0 means no nulls).
pub fn import_batch(schema: SchemaRef, rows: usize, layout: &[u32], block: Buffer) -> Result<RecordBatch> {
    let mut cursor = Cursor { layout, at: 0, block };
    let columns = schema
        .fields()
        .iter()
        .map(|field| cursor.array(field.data_type()).map(make_array))
        .collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options).map_err(CoreError::internal)
}

struct Cursor<'a> {
    layout: &'a [u32],
    at: usize,
    block: Buffer,
}

impl Cursor<'_> {
    fn next(&mut self) -> Result<usize> {
        let value = self.layout.get(self.at).ok_or_else(|| CoreError::internal("batch layout too short"))?;
        self.at += 1;
        Ok(*value as usize)
    }

    fn buffer(&mut self) -> Result<Buffer> {
        let (offset, length) = (self.next()?, self.next()?);
        match offset.checked_add(length) {
            Some(end) if end <= self.block.len() => Ok(self.block.slice_with_length(offset, length)),
            _ => Err(CoreError::internal("batch buffer out of bounds")),
        }
    }

    fn array(&mut self, ty: &DataType) -> Result<ArrayData> {
        let length = self.next()?;
        let validity = self.buffer()?;
        let mut builder = ArrayDataBuilder::new(ty.clone()).len(length);
        if !validity.is_empty() {
            builder = builder.null_bit_buffer(Some(validity));
        }
        for _ in 0..buffer_count(ty) {
            builder = builder.add_buffer(self.buffer()?);
        }
        builder = match ty {
            DataType::Struct(fields) => fields
                .iter()
                .try_fold(builder, |builder, field| Ok::<_, CoreError>(builder.add_child_data(self.array(field.data_type())?)))?,
            DataType::List(child) | DataType::Map(child, _) => builder.add_child_data(self.array(child.data_type())?),
            _ => builder,
        };
        builder.align_buffers(true).build().map_err(|error| CoreError::new("InvalidExpression", error))
    }
}

/// Buffers of a type beside its null bitmap; the same table as `exchange.ts` has.
fn buffer_count(ty: &DataType) -> usize {
    match ty {
        DataType::Null | DataType::Struct(_) => 0,
        DataType::Utf8 | DataType::Binary => 2,
        _ => 1,
    }
}

/// Gives a batch away as a C data interface struct; the caller releases it with `release_batch`.
pub fn export_batch(batch: RecordBatch) -> Box<FFI_ArrowArray> {
    let rows = batch.num_rows();
    let array = if batch.num_columns() == 0 {
        StructArray::new_empty_fields(rows, None)
    } else {
        StructArray::from(batch)
    };
    Box::new(FFI_ArrowArray::new(&compact(&array.to_data())))
}

/// The same data with no offset anywhere: the reader on the other side does not apply offsets.
fn compact(data: &ArrayData) -> ArrayData {
    if !has_offset(data) {
        return data.clone();
    }
    let mut copy = MutableArrayData::new(vec![data], false, data.len());
    match copy.try_extend(0, 0, data.len()) {
        Ok(()) => copy.freeze(),
        Err(_) => data.clone(),
    }
}

fn has_offset(data: &ArrayData) -> bool {
    data.offset() != 0 || data.child_data().iter().any(has_offset)
}

/// The same buffers under another type of the same shape: names, nullability and metadata of nested fields.
pub fn retype(array: &ArrayRef, ty: &DataType) -> Result<ArrayRef> {
    if array.data_type() == ty {
        return Ok(array.clone());
    }
    if *array.data_type() == DataType::Null {
        return Ok(new_null_array(ty, array.len()));
    }
    if !same_shape(array.data_type(), ty) {
        return Err(CoreError::internal(format!("{:?} is not of the shape of {ty:?}", array.data_type())));
    }
    Ok(make_array(retype_data(array.to_data(), ty)))
}

fn retype_data(data: ArrayData, ty: &DataType) -> ArrayData {
    let children: Vec<&DataType> = match ty {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(child) | DataType::Map(child, _) => vec![child.data_type()],
        _ if data.data_type() == &DataType::Null => return new_null_array(ty, data.len()).to_data(),
        _ => return data,
    };
    let child_data = data.child_data().iter().zip(children).map(|(child, ty)| retype_data(child.clone(), ty)).collect();
    // SAFETY: only names, metadata and nullability of fields differ.
    unsafe { data.into_builder().data_type(ty.clone()).child_data(child_data).build_unchecked() }
}

/// Whether two types differ in names, nullability and metadata of nested fields at most; NULL literals fit anywhere.
pub fn same_shape(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::Null, _) => true,
        (DataType::Struct(a), DataType::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a.data_type(), b.data_type()))
        }
        (DataType::List(a), DataType::List(b)) | (DataType::Map(a, _), DataType::Map(b, _)) => {
            same_shape(a.data_type(), b.data_type())
        }
        _ => a == b,
    }
}

/// A schema of one nullable column named `output`.
pub fn output_schema(ty: DataType) -> SchemaRef {
    Arc::new(arrow_schema::Schema::new(vec![arrow_schema::Field::new("output", ty, true)]))
}
