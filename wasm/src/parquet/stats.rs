//! Statistics of row groups and pages in the shape of Delta's: `numRecords`, `nullCount`, `minValues`, `maxValues`.
//! What cannot be trusted or converted exactly is null.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Int64Array, PrimitiveArray, RecordBatch, StringArray, StructArray,
    make_array, new_null_array,
};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use parquet::basic::Type;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;

use super::coerce::coerce_leaf;
use super::decode::Rows;
use super::footer::ParquetFile;
use super::resolve::{Node, Source, resolve};
use crate::error::{CoreError, Result};
use crate::wire::{WireField, WireType};

/// Where a requested leaf comes from.
pub enum Leaf {
    /// The file does not have it: every value is null.
    Missing,
    Column { index: usize, ty: DataType },
    /// It cannot be told; nothing is known.
    Unknown,
}

/// What is known of one leaf in some ranges of rows.
struct Facts {
    nulls: Vec<Option<i64>>,
    min: ArrayRef,
    max: ArrayRef,
}

/// What the greatest value of a column of floats says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FloatMax {
    /// The bound that the file has, which may leave NaN out.
    Stored,
    /// NaN where there is any, which is the greatest value; null where the file does not count them.
    WithNan,
}

/// One row per row group.
pub fn row_group_stats(file: &ParquetFile, fields: &[WireField], float_max: FloatMax) -> Result<RecordBatch> {
    let rows: Vec<i64> = file.metadata.row_groups().iter().map(RowGroupMetaData::num_rows).collect();
    let facts = |leaf: &Leaf, wanted: &DataType| match leaf {
        Leaf::Column { index, ty } => group_facts(file, *index, ty, wanted, float_max),
        Leaf::Missing => absent(&rows, wanted),
        Leaf::Unknown => unknown(rows.len(), wanted),
    };
    stats_batch(file, fields, &rows, &facts)
}

/// One row per range between the page boundaries of the leaves of `fields`, and those ranges; none without an index.
pub fn page_stats(file: &ParquetFile, fields: &[WireField], row_group: usize) -> Result<Option<(RecordBatch, Vec<Rows>)>> {
    let Some(index) = file.metadata.page_index() else { return Ok(None) };
    let group = file.metadata.row_groups().get(row_group).ok_or_else(|| CoreError::internal("no such row group"))?;
    let num_rows = group.num_rows() as u64;
    let mut leaves = Vec::new();
    for_each_leaf(file, fields, &mut Vec::new(), &mut |leaf, _| leaves.push(leaf));
    let mut bounds = vec![0, num_rows];
    for leaf in &leaves {
        if let Leaf::Column { index: column, .. } = leaf {
            let pages = index.offset_index(row_group, *column).map_or(&[][..], |pages| pages.page_locations());
            bounds.extend(pages.iter().map(|page| page.first_row_index as u64).filter(|row| *row < num_rows));
        }
    }
    bounds.sort_unstable();
    bounds.dedup();
    let ranges: Vec<Rows> = bounds.windows(2).map(|pair| (pair[0], pair[1])).collect();
    if ranges.len() < 2 {
        return Ok(None);
    }
    let lengths: Vec<i64> = ranges.iter().map(|(from, to)| (to - from) as i64).collect();
    let facts = |leaf: &Leaf, wanted: &DataType| match leaf {
        Leaf::Missing => absent(&lengths, wanted),
        Leaf::Unknown => unknown(lengths.len(), wanted),
        Leaf::Column { index: column, ty } => {
            let pages = index.offset_index(row_group, *column);
            let stats = index.column_index(row_group, *column);
            let (Some(pages), Some(stats)) = (pages, stats) else { return unknown(lengths.len(), wanted) };
            let starts: Vec<u64> = pages.page_locations().iter().map(|page| page.first_row_index as u64).collect();
            page_facts(stats, &starts, num_rows, &ranges, ty, wanted, file, *column)
        }
    };
    Ok(Some((stats_batch(file, fields, &lengths, &facts)?, ranges)))
}

fn stats_batch(
    file: &ParquetFile,
    fields: &[WireField],
    rows: &[i64],
    facts: &dyn Fn(&Leaf, &DataType) -> Facts,
) -> Result<RecordBatch> {
    let (nulls, mins, maxs) = stats_structs(file, fields, &mut Vec::new(), rows.len(), facts)?;
    let records: ArrayRef = Arc::new(Int64Array::from(rows.to_vec()));
    let columns = [("numRecords", records), ("nullCount", nulls), ("minValues", mins), ("maxValues", maxs)];
    let schema: Fields =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(schema)), columns.into_iter().map(|(_, column)| column).collect())?)
}

type Three = (ArrayRef, ArrayRef, ArrayRef);

fn stats_structs(
    file: &ParquetFile,
    fields: &[WireField],
    path: &mut Vec<WireField>,
    rows: usize,
    facts: &dyn Fn(&Leaf, &DataType) -> Facts,
) -> Result<Three> {
    let mut children: [Vec<(Field, ArrayRef)>; 3] = Default::default();
    for field in fields {
        let three = match &field.ty {
            WireType::Leaf(ty) => {
                let found = facts(&find(file, path, field), ty);
                (Arc::new(Int64Array::from(found.nulls)) as ArrayRef, found.min, found.max)
            }
            WireType::Struct(inner) => {
                path.push(field.clone());
                let three = stats_structs(file, inner, path, rows, facts)?;
                path.pop();
                three
            }
            _ => continue,
        };
        for (columns, array) in children.iter_mut().zip([three.0, three.1, three.2]) {
            columns.push((Field::new(&field.name, array.data_type().clone(), true), array));
        }
    }
    let [nulls, mins, maxs] = children.map(|columns| struct_of(columns, rows));
    Ok((nulls?, mins?, maxs?))
}

fn struct_of(columns: Vec<(Field, ArrayRef)>, rows: usize) -> Result<ArrayRef> {
    if columns.is_empty() {
        return Ok(Arc::new(StructArray::new_empty_fields(rows, None)));
    }
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    Ok(Arc::new(StructArray::try_new(fields.into(), arrays, None)?))
}

fn for_each_leaf(file: &ParquetFile, fields: &[WireField], path: &mut Vec<WireField>, visit: &mut dyn FnMut(Leaf, &WireField)) {
    for field in fields {
        match &field.ty {
            WireType::Leaf(_) => visit(find(file, path, field), field),
            WireType::Struct(inner) => {
                path.push(field.clone());
                for_each_leaf(file, inner, path, visit);
                path.pop();
            }
            _ => {}
        }
    }
}

/// The column of one leaf, by the rules of column resolution.
pub fn find(file: &ParquetFile, path: &[WireField], leaf: &WireField) -> Leaf {
    let mut wanted = WireField { nullable: true, ..leaf.clone() };
    for parent in path.iter().rev() {
        wanted = WireField { ty: WireType::Struct(vec![wanted]), nullable: true, ..parent.clone() };
    }
    let Ok(resolution) = resolve(&file.schema, &[wanted]) else { return Leaf::Unknown };
    let mut source = resolution.sources.first();
    while let Some(Source::Column { node: Node::Struct(children), .. }) = source {
        source = children.first();
    }
    match (source, resolution.leaves.as_slice()) {
        (Some(Source::Column { node: Node::Leaf, .. }), [index]) => match leaf_type(file.schema.fields(), *index) {
            Some(ty) => Leaf::Column { index: *index, ty },
            None => Leaf::Unknown,
        },
        (Some(Source::Missing), _) => Leaf::Missing,
        _ => Leaf::Unknown,
    }
}

fn leaf_type(fields: &Fields, mut index: usize) -> Option<DataType> {
    for field in fields {
        let count = super::resolve::leaf_count(field.data_type());
        if index < count {
            return match field.data_type() {
                DataType::Struct(children) => leaf_type(children, index),
                DataType::List(_) | DataType::Map(..) => None,
                leaf => Some(leaf.clone()),
            };
        }
        index -= count;
    }
    None
}

fn unknown(rows: usize, wanted: &DataType) -> Facts {
    Facts { nulls: vec![None; rows], min: new_null_array(wanted, rows), max: new_null_array(wanted, rows) }
}

fn absent(rows: &[i64], wanted: &DataType) -> Facts {
    Facts { nulls: rows.iter().copied().map(Some).collect(), ..unknown(rows.len(), wanted) }
}

fn group_facts(file: &ParquetFile, index: usize, ty: &DataType, wanted: &DataType, float_max: FloatMax) -> Facts {
    let groups = file.metadata.row_groups();
    let (mut nulls, mut mins, mut maxs) = (Vec::new(), Vec::new(), Vec::new());
    let mut physical = Type::BOOLEAN;
    for group in groups {
        let column = group.columns().get(index);
        let stats = column.and_then(|column| column.statistics());
        physical = column.map_or(physical, |column| column.column_type());
        nulls.push(stats.and_then(|stats| stats.null_count_opt()).and_then(|count| i64::try_from(count).ok()));
        let trusted = stats.filter(|stats| !stats.is_min_max_deprecated() || signed_order(ty, physical));
        let trusted = trusted.filter(|_| has_order(file, index, ty, physical));
        mins.push(trusted.and_then(|stats| stats.min_bytes_opt()).map(<[u8]>::to_vec));
        maxs.push(trusted.and_then(|stats| stats.max_bytes_opt()).map(<[u8]>::to_vec));
    }
    let mut max = bounds(ty, physical, &maxs, wanted);
    if float_max == FloatMax::WithNan {
        let counts = groups.iter().map(|group| group.columns().get(index)?.statistics()?.nan_count_opt());
        max = with_nan(&max, &counts.collect::<Vec<_>>());
    }
    Facts { nulls, min: bounds(ty, physical, &mins, wanted), max }
}

/// Maxima of floats that count NaN; other columns as they are.
fn with_nan(max: &ArrayRef, counts: &[Option<u64>]) -> ArrayRef {
    fn floats<T: arrow_array::ArrowPrimitiveType>(max: &ArrayRef, counts: &[Option<u64>], nan: T::Native) -> ArrayRef {
        let stored = max.as_primitive::<T>();
        let value = |(row, count): (usize, &Option<u64>)| match count {
            Some(0) => stored.is_valid(row).then(|| stored.value(row)),
            Some(_) => Some(nan),
            None => None,
        };
        Arc::new(counts.iter().enumerate().map(value).collect::<PrimitiveArray<T>>())
    }
    match max.data_type() {
        DataType::Float32 => floats::<Float32Type>(max, counts, f32::NAN),
        DataType::Float64 => floats::<Float64Type>(max, counts, f64::NAN),
        _ => max.clone(),
    }
}

/// Types whose order was never in doubt.
fn signed_order(ty: &DataType, physical: Type) -> bool {
    use DataType::*;
    let numbers = matches!(physical, Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE | Type::BOOLEAN);
    numbers && !matches!(ty, UInt8 | UInt16 | UInt32 | UInt64)
}

/// Bounds of the other types count only where the file says in which order they are.
fn has_order(file: &ParquetFile, index: usize, ty: &DataType, physical: Type) -> bool {
    use parquet::basic::ColumnOrder;
    match file.metadata.file_metadata().column_orders().and_then(|orders| orders.get(index)) {
        Some(ColumnOrder::TYPE_DEFINED_ORDER(_)) => true,
        Some(ColumnOrder::IEEE_754_TOTAL_ORDER) => matches!(physical, Type::FLOAT | Type::DOUBLE),
        // An order of a later version of the format.
        Some(ColumnOrder::UNKNOWN) => false,
        _ => signed_order(ty, physical),
    }
}

#[expect(clippy::too_many_arguments)]
fn page_facts(
    stats: &ColumnIndexMetaData,
    starts: &[u64],
    num_rows: u64,
    ranges: &[Rows],
    ty: &DataType,
    wanted: &DataType,
    file: &ParquetFile,
    column: usize,
) -> Facts {
    let physical = physical_of(stats);
    let ordered = has_order(file, column, ty, physical);
    let (mut nulls, mut mins, mut maxs) = (Vec::new(), Vec::new(), Vec::new());
    for (from, to) in ranges {
        let page = starts.partition_point(|start| start <= from).saturating_sub(1);
        let end = starts.get(page + 1).copied().unwrap_or(num_rows);
        let length = end.saturating_sub(starts.get(page).copied().unwrap_or(0));
        let known = page < stats.num_pages() as usize;
        let count = if known { stats.null_count(page) } else { None };
        nulls.push(match count {
            Some(0) => Some(0),
            Some(count) if count as u64 == length => Some((to - from) as i64),
            _ => None,
        });
        let usable = known && ordered && !stats.is_null_page(page);
        mins.push(if usable { page_bound(stats, page, true) } else { None });
        maxs.push(if usable { page_bound(stats, page, false) } else { None });
    }
    Facts { nulls, min: bounds(ty, physical, &mins, wanted), max: bounds(ty, physical, &maxs, wanted) }
}

fn physical_of(stats: &ColumnIndexMetaData) -> Type {
    match stats {
        ColumnIndexMetaData::BOOLEAN(_) => Type::BOOLEAN,
        ColumnIndexMetaData::INT32(_) => Type::INT32,
        ColumnIndexMetaData::INT64(_) => Type::INT64,
        ColumnIndexMetaData::INT96(_) => Type::INT96,
        ColumnIndexMetaData::FLOAT(_) => Type::FLOAT,
        ColumnIndexMetaData::DOUBLE(_) => Type::DOUBLE,
        ColumnIndexMetaData::BYTE_ARRAY(_) => Type::BYTE_ARRAY,
        ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(_) => Type::FIXED_LEN_BYTE_ARRAY,
    }
}

fn page_bound(stats: &ColumnIndexMetaData, page: usize, min: bool) -> Option<Vec<u8>> {
    macro_rules! number {
        ($index:expr) => {
            (if min { $index.min_value(page) } else { $index.max_value(page) }).map(|value| value.to_le_bytes().to_vec())
        };
    }
    match stats {
        ColumnIndexMetaData::BOOLEAN(index) => {
            (if min { index.min_value(page) } else { index.max_value(page) }).map(|value| vec![u8::from(*value)])
        }
        ColumnIndexMetaData::INT32(index) => number!(index),
        ColumnIndexMetaData::INT64(index) => number!(index),
        ColumnIndexMetaData::FLOAT(index) => number!(index),
        ColumnIndexMetaData::DOUBLE(index) => number!(index),
        ColumnIndexMetaData::BYTE_ARRAY(index) | ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(index) => {
            (if min { index.min_value(page) } else { index.max_value(page) }).map(<[u8]>::to_vec)
        }
        ColumnIndexMetaData::INT96(_) => None,
    }
}

/// Plain-encoded bounds of the file's type as a column of the wanted one.
fn bounds(ty: &DataType, physical: Type, values: &[Option<Vec<u8>>], wanted: &DataType) -> ArrayRef {
    let Some(array) = file_typed(ty, physical, values) else { return new_null_array(wanted, values.len()) };
    if let Ok(column) = coerce_leaf(&array, wanted, "") {
        return column;
    }
    // Some value does not convert: only that one is unknown.
    let rows: Vec<ArrayRef> = (0..array.len())
        .map(|row| coerce_leaf(&array.slice(row, 1), wanted, "").unwrap_or_else(|_| new_null_array(wanted, 1)))
        .collect();
    let data: Vec<_> = rows.iter().map(|row| row.to_data()).collect();
    let mut column = MutableArrayData::new(data.iter().collect(), true, rows.len());
    for row in 0..rows.len() {
        if column.try_extend(row, 0, 1).is_err() {
            return new_null_array(wanted, values.len());
        }
    }
    make_array(column.freeze())
}

fn file_typed(ty: &DataType, physical: Type, values: &[Option<Vec<u8>>]) -> Option<ArrayRef> {
    fn numbers<T: arrow_array::ArrowPrimitiveType>(
        values: &[Option<Vec<u8>>],
        read: impl Fn(&[u8]) -> Option<T::Native>,
    ) -> PrimitiveArray<T> {
        values.iter().map(|value| value.as_deref().and_then(&read)).collect()
    }
    let int = |bytes: &[u8]| bytes.try_into().ok().map(i32::from_le_bytes);
    let long = |bytes: &[u8]| bytes.try_into().ok().map(i64::from_le_bytes);
    Some(match (ty, physical) {
        (DataType::Boolean, Type::BOOLEAN) => {
            Arc::new(values.iter().map(|value| value.as_ref().and_then(|v| v.first()).map(|b| *b != 0)).collect::<BooleanArray>())
        }
        (DataType::Int8, Type::INT32) => Arc::new(numbers::<Int8Type>(values, |b| int(b).map(|v| v as i8))),
        (DataType::Int16, Type::INT32) => Arc::new(numbers::<Int16Type>(values, |b| int(b).map(|v| v as i16))),
        (DataType::Int32, Type::INT32) => Arc::new(numbers::<Int32Type>(values, int)),
        (DataType::UInt8, Type::INT32) => Arc::new(numbers::<UInt8Type>(values, |b| int(b).map(|v| v as u8))),
        (DataType::UInt16, Type::INT32) => Arc::new(numbers::<UInt16Type>(values, |b| int(b).map(|v| v as u16))),
        (DataType::UInt32, Type::INT32) => Arc::new(numbers::<UInt32Type>(values, |b| int(b).map(|v| v as u32))),
        (DataType::Date32, Type::INT32) => Arc::new(numbers::<Date32Type>(values, int)),
        (DataType::Int64, Type::INT64) => Arc::new(numbers::<Int64Type>(values, long)),
        (DataType::UInt64, Type::INT64) => Arc::new(numbers::<UInt64Type>(values, |b| long(b).map(|v| v as u64))),
        (DataType::Timestamp(TimeUnit::Millisecond, _), Type::INT64) => {
            Arc::new(numbers::<TimestampMillisecondType>(values, long))
        }
        (DataType::Timestamp(TimeUnit::Microsecond, _), Type::INT64) => {
            Arc::new(numbers::<TimestampMicrosecondType>(values, long))
        }
        (DataType::Timestamp(TimeUnit::Nanosecond, _), Type::INT64) => {
            Arc::new(numbers::<TimestampNanosecondType>(values, long))
        }
        (DataType::Float32, Type::FLOAT) => Arc::new(numbers::<Float32Type>(values, |b| {
            b.try_into().ok().map(f32::from_le_bytes).filter(|value| !value.is_nan())
        })),
        (DataType::Float64, Type::DOUBLE) => Arc::new(numbers::<Float64Type>(values, |b| {
            b.try_into().ok().map(f64::from_le_bytes).filter(|value| !value.is_nan())
        })),
        (DataType::Decimal128(precision, scale), _) => {
            let array = numbers::<Decimal128Type>(values, |bytes| match physical {
                Type::INT32 => int(bytes).map(i128::from),
                Type::INT64 => long(bytes).map(i128::from),
                Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => big_endian(bytes),
                _ => None,
            });
            Arc::new(array.with_precision_and_scale(*precision, *scale).ok()?)
        }
        (DataType::Utf8, Type::BYTE_ARRAY) => {
            let text = values.iter().map(|value| value.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()));
            Arc::new(text.collect::<StringArray>())
        }
        (DataType::Binary, Type::BYTE_ARRAY) => Arc::new(values.iter().map(|v| v.as_deref()).collect::<BinaryArray>()),
        _ => return None,
    })
}

/// A signed big-endian number of 1 to 16 bytes.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let first = *bytes.first()?;
    if bytes.len() > 16 {
        return None;
    }
    let sign = if first & 0x80 == 0 { 0 } else { -1_i128 };
    Some(bytes.iter().fold(sign, |value, byte| (value << 8) | i128::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::big_endian;

    #[test]
    fn decimals_are_signed_big_endian() {
        assert_eq!(big_endian(&[0xff, 0xfe]), Some(-2));
        assert_eq!(big_endian(&[0x01, 0x00]), Some(256));
        assert_eq!(big_endian(&[]), None);
    }
}
