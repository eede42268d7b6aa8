//! From a file's arrays to the requested types: projection of nested fields, type widening (`PROTOCOL.md`, "Type
//! Widening"), timestamps of any unit to microseconds. What cannot be converted is a `Schema` error.

use std::sync::Arc;

use arrow_array::builder::Decimal128Builder;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
    new_null_array,
};
use arrow_schema::{DataType, Field, TimeUnit};

use super::resolve::{Node, Source};
use crate::error::{CoreError, Result};
use crate::wire::{WireField, WireType, type_name};

/// `array` as a column of `wanted`; `path` is for messages.
pub fn coerce(array: &ArrayRef, node: &Node, wanted: &WireType, path: &str) -> Result<ArrayRef> {
    match (node, wanted) {
        (Node::Leaf, WireType::Leaf(ty)) => coerce_leaf(array, ty, path),
        (Node::Struct(sources), _) => {
            let fields = wanted.struct_fields().unwrap_or_default();
            let file = array.as_struct();
            let columns = coerce_children(file.columns(), file.len(), sources, &fields, path)?;
            let arrow = crate::wire::arrow_fields(&relaxed(&fields));
            if columns.is_empty() {
                return Ok(Arc::new(StructArray::new_empty_fields(file.len(), file.nulls().cloned())));
            }
            Ok(Arc::new(StructArray::try_new(arrow, columns, file.nulls().cloned())?))
        }
        (Node::List(element), WireType::List(field)) => {
            let list = array.as_list::<i32>();
            let values = coerce(list.values(), element, &field.ty, path)?;
            let field = Arc::new(Field::new(&field.name, values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(field, list.offsets().clone(), values, list.nulls().cloned())?))
        }
        (Node::Map(key, value), WireType::Map(key_field, value_field)) => {
            let map = array.as_map();
            let keys = coerce(map.keys(), key, &key_field.ty, path)?;
            let values = coerce(map.values(), value, &value_field.ty, path)?;
            if keys.null_count() > 0 {
                return Err(CoreError::parquet(format!("column {path}: a map with null keys")));
            }
            let fields = vec![
                Field::new(&key_field.name, keys.data_type().clone(), false),
                Field::new(&value_field.name, values.data_type().clone(), true),
            ];
            let entries = StructArray::try_new(fields.into(), vec![keys, values], None)?;
            let field = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
            Ok(Arc::new(MapArray::try_new(field, map.offsets().clone(), entries, map.nulls().cloned(), false)?))
        }
        _ => Err(CoreError::internal("a resolution that does not fit its schema")),
    }
}

/// NOT NULL is the writer's duty and not enforced on read: batches are built nullable all the way down.
fn relaxed(fields: &[WireField]) -> Vec<WireField> {
    fields.iter().map(|field| WireField { nullable: true, ty: relaxed_type(&field.ty), ..field.clone() }).collect()
}

fn relaxed_type(ty: &WireType) -> WireType {
    match ty {
        WireType::Struct(fields) => WireType::Struct(relaxed(fields)),
        WireType::List(element) => {
            let element = WireField { nullable: true, ty: relaxed_type(&element.ty), ..(**element).clone() };
            WireType::List(Box::new(element))
        }
        WireType::Map(key, value) => {
            let key = WireField { nullable: false, ty: relaxed_type(&key.ty), ..(**key).clone() };
            let value = WireField { nullable: true, ty: relaxed_type(&value.ty), ..(**value).clone() };
            WireType::Map(Box::new(key), Box::new(value))
        }
        other => other.clone(),
    }
}

/// The requested fields (of which generated ones are left out by the caller) from a file's columns.
pub fn coerce_children(
    columns: &[ArrayRef],
    rows: usize,
    sources: &[Source],
    fields: &[WireField],
    parent: &str,
) -> Result<Vec<ArrayRef>> {
    fields
        .iter()
        .zip(sources)
        .map(|(field, source)| {
            let path = if parent.is_empty() { field.name.clone() } else { format!("{parent}.{}", field.name) };
            match source {
                Source::Missing => Ok(new_null_array(&relaxed_type(&field.ty).arrow(), rows)),
                Source::Column { at, node } => {
                    let column = columns.get(*at).ok_or_else(|| CoreError::internal("a column was not read"))?;
                    coerce(column, node, &field.ty, &path)
                }
            }
        })
        .collect()
}

/// The relaxed type that `coerce` gives for a requested one.
pub fn relaxed_arrow(fields: &[WireField]) -> arrow_schema::Fields {
    crate::wire::arrow_fields(&relaxed(fields))
}

/// One leaf column to `wanted`.
pub fn coerce_leaf(array: &ArrayRef, wanted: &DataType, path: &str) -> Result<ArrayRef> {
    use DataType::*;
    let from = array.data_type();
    if from == wanted {
        return Ok(array.clone());
    }
    let unsupported = || {
        let (file, table) = (type_name(from), type_name(wanted));
        CoreError::schema(format!("column {path}: the file's {file} cannot be read as {table}"))
    };
    match (from, wanted) {
        (_, Null) => Ok(new_null_array(&Null, array.len())),
        (Null, _) => Ok(new_null_array(wanted, array.len())),
        (Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64, Int8 | Int16 | Int32 | Int64) => {
            integer_to_integer(array, wanted, path)
        }
        (Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32, Float64) => {
            Ok(Arc::new(integers(array).iter().map(|v| v.map(|v| v as f64)).collect::<PrimitiveArray<Float64Type>>()))
        }
        (Float32, Float64) => Ok(Arc::new(array.as_primitive::<Float32Type>().unary::<_, Float64Type>(f64::from))),
        (Float16, Float32) => Ok(Arc::new(array.as_primitive::<Float16Type>().unary::<_, Float32Type>(f32::from))),
        (Float16, Float64) => Ok(Arc::new(array.as_primitive::<Float16Type>().unary::<_, Float64Type>(f64::from))),
        (Int32, Date32) => Ok(Arc::new(array.as_primitive::<Int32Type>().reinterpret_cast::<Date32Type>())),
        (Int64, Timestamp(TimeUnit::Microsecond, zone)) => {
            let micros = array.as_primitive::<Int64Type>().reinterpret_cast::<TimestampMicrosecondType>();
            Ok(Arc::new(micros.with_timezone_opt(zone.clone())))
        }
        (Date32, Timestamp(TimeUnit::Microsecond, None)) => {
            let days = array.as_primitive::<Date32Type>();
            Ok(Arc::new(days.unary::<_, TimestampMicrosecondType>(|day| i64::from(day) * 86_400_000_000)))
        }
        // As they are: variants have them.
        (Timestamp(TimeUnit::Nanosecond, _), Timestamp(TimeUnit::Nanosecond, None)) => {
            Ok(Arc::new(array.as_primitive::<TimestampNanosecondType>().clone().with_timezone_opt::<&str>(None)))
        }
        (Timestamp(unit, _), Timestamp(TimeUnit::Microsecond, zone)) => {
            Ok(Arc::new(to_micros(array, *unit, path)?.with_timezone_opt(zone.clone())))
        }
        (Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64, Decimal128(precision, scale)) => {
            let values = integers(array).iter().map(|value| value.map(i128::from)).collect::<Vec<_>>();
            rescale(values.into_iter(), 0, *precision, *scale, path)
        }
        (Decimal128(_, from_scale), Decimal128(precision, scale)) => {
            let values = array.as_primitive::<Decimal128Type>();
            rescale(values.iter(), *from_scale, *precision, *scale, path)
        }
        (Utf8, Binary) => Ok(Arc::new(BinaryArray::from(array.as_string::<i32>().clone()))),
        (Binary, Utf8) => StringArray::try_from_binary(array.as_binary::<i32>().clone())
            .map(|text| Arc::new(text) as ArrayRef)
            .map_err(|error| CoreError::parquet(format!("column {path}: {error}"))),
        (FixedSizeBinary(_), Binary) => Ok(Arc::new(array.as_fixed_size_binary().iter().collect::<BinaryArray>())),
        _ => Err(unsupported()),
    }
}

/// Integers of any width as 64 bits; unsigned 64-bit values wrap and are caught by the range checks.
fn integers(array: &ArrayRef) -> PrimitiveArray<Int64Type> {
    fn widen<T: ArrowPrimitiveType>(array: &ArrayRef, to: impl Fn(T::Native) -> i64) -> PrimitiveArray<Int64Type> {
        array.as_primitive::<T>().unary(to)
    }
    match array.data_type() {
        DataType::Int8 => widen::<Int8Type>(array, i64::from),
        DataType::Int16 => widen::<Int16Type>(array, i64::from),
        DataType::Int32 => widen::<Int32Type>(array, i64::from),
        DataType::UInt8 => widen::<UInt8Type>(array, i64::from),
        DataType::UInt16 => widen::<UInt16Type>(array, i64::from),
        DataType::UInt32 => widen::<UInt32Type>(array, i64::from),
        DataType::UInt64 => widen::<UInt64Type>(array, |value| value as i64),
        _ => array.as_primitive::<Int64Type>().clone(),
    }
}

fn integer_to_integer(array: &ArrayRef, wanted: &DataType, path: &str) -> Result<ArrayRef> {
    let values = integers(array);
    if matches!(array.data_type(), DataType::UInt64) && values.iter().flatten().any(|value| value < 0) {
        return Err(CoreError::schema(format!("column {path}: an unsigned value is beyond the type long")));
    }
    fn narrow<T: ArrowPrimitiveType>(values: &PrimitiveArray<Int64Type>, path: &str) -> Result<ArrayRef>
    where
        T::Native: TryFrom<i64>,
    {
        let narrowed = values.try_unary::<_, T, CoreError>(|value| {
            T::Native::try_from(value).map_err(|_| {
                let table = type_name(&T::DATA_TYPE);
                CoreError::schema(format!("column {path}: the file's value {value} is beyond the type {table}"))
            })
        })?;
        Ok(Arc::new(narrowed))
    }
    match wanted {
        DataType::Int8 => narrow::<Int8Type>(&values, path),
        DataType::Int16 => narrow::<Int16Type>(&values, path),
        DataType::Int32 => narrow::<Int32Type>(&values, path),
        _ => Ok(Arc::new(values)),
    }
}

/// Finer units are floored; coarser ones beyond the range of 64 bits are an error.
fn to_micros(array: &ArrayRef, unit: TimeUnit, path: &str) -> Result<PrimitiveArray<TimestampMicrosecondType>> {
    let beyond = |value: i64| CoreError::schema(format!("column {path}: the timestamp {value} is beyond microseconds"));
    match unit {
        TimeUnit::Second => array
            .as_primitive::<TimestampSecondType>()
            .try_unary(|value| value.checked_mul(1_000_000).ok_or_else(|| beyond(value))),
        TimeUnit::Millisecond => array
            .as_primitive::<TimestampMillisecondType>()
            .try_unary(|value| value.checked_mul(1000).ok_or_else(|| beyond(value))),
        TimeUnit::Microsecond => Ok(array.as_primitive::<TimestampMicrosecondType>().clone()),
        TimeUnit::Nanosecond => {
            Ok(array.as_primitive::<TimestampNanosecondType>().unary(|value| value.div_euclid(1000)))
        }
    }
}

fn rescale(
    values: impl Iterator<Item = Option<i128>>,
    from_scale: i8,
    precision: u8,
    scale: i8,
    path: &str,
) -> Result<ArrayRef> {
    let limit = 10_i128.pow(u32::from(precision));
    let mut builder = Decimal128Builder::new();
    for value in values {
        let Some(value) = value else {
            builder.append_null();
            continue;
        };
        let scaled = scale_decimal(value, from_scale, scale).filter(|scaled| scaled.abs() < limit);
        builder.append_value(scaled.ok_or_else(|| {
            CoreError::schema(format!("column {path}: a value does not fit decimal({precision},{scale})"))
        })?);
    }
    Ok(Arc::new(builder.finish().with_precision_and_scale(precision, scale)?))
}

/// Exact or none.
pub fn scale_decimal(value: i128, from: i8, to: i8) -> Option<i128> {
    let steps = i32::from(to) - i32::from(from);
    let factor = 10_i128.checked_pow(steps.unsigned_abs())?;
    if steps >= 0 {
        value.checked_mul(factor)
    } else {
        (value % factor == 0).then_some(value / factor)
    }
}
