//! One value at a time, for what is not worth a typed loop: casts, arithmetic, JSON.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    Null,
    Boolean(bool),
    /// byte, short, integer, long.
    Integer(i64),
    Float(f64),
    Text(&'a str),
    Binary(&'a [u8]),
    Date(i32),
    /// Microseconds; whether it is zoned.
    Timestamp(i64, bool),
    Decimal(i128, i8),
}

/// The value at `row` of a leaf column.
pub fn cell(array: &ArrayRef, row: usize) -> Cell<'_> {
    if *array.data_type() == DataType::Null || array.is_null(row) {
        return Cell::Null;
    }
    match array.data_type() {
        DataType::Boolean => Cell::Boolean(array.as_boolean().value(row)),
        DataType::Int8 => Cell::Integer(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::Int16 => Cell::Integer(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => Cell::Integer(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Cell::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => Cell::Float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Cell::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => Cell::Text(array.as_string::<i32>().value(row)),
        DataType::Binary => Cell::Binary(array.as_binary::<i32>().value(row)),
        DataType::Date32 => Cell::Date(array.as_primitive::<Date32Type>().value(row)),
        DataType::Timestamp(_, zone) => {
            Cell::Timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row), zone.is_some())
        }
        DataType::Decimal128(_, scale) => Cell::Decimal(array.as_primitive::<Decimal128Type>().value(row), *scale),
        _ => Cell::Null,
    }
}
