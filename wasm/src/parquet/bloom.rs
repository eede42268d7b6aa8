//! Bloom filters of column chunks: which of some values a row group certainly does not have (Apache Parquet, "Parquet
//! Bloom Filter"). What a filter cannot answer exactly may be there.

use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::bloom_filter::{BITSET_MAX_LENGTH, Sbbf};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};

use super::footer::ParquetFile;
use super::sparse::SparseFile;
use super::stats::{Leaf, find};
use crate::error::{CoreError, Result};
use crate::wire::{WireField, WireType};

/// Bytes of one block.
const BLOCK: usize = 32;

/// What a filter says, as far as it is in memory.
#[derive(Debug)]
pub enum Answer {
    /// For each value: whether the row group certainly does not have it.
    Absent(Vec<bool>),
    /// These bytes of the file are needed first.
    Needs(u64, u64),
    /// There is no filter that could tell.
    None,
}

/// Asks the filter of the column that `field` (a leaf, through structs with one field each) stands for.
pub fn ask(file: &ParquetFile, field: &WireField, row_group: usize, values: &ArrayRef, pieces: Vec<(u64, Bytes)>) -> Result<Answer> {
    let group = file.metadata.row_groups().get(row_group).ok_or_else(|| CoreError::internal("no such row group"))?;
    let (mut path, mut leaf) = (Vec::new(), field);
    while let WireType::Struct(children) = &leaf.ty {
        path.push(leaf.clone());
        leaf = children.first().ok_or_else(|| CoreError::internal("a struct without a field"))?;
    }
    let Leaf::Column { index, ty } = find(file, &path, leaf) else { return Ok(Answer::None) };
    let Some(column) = group.columns().get(index) else { return Ok(Answer::None) };
    let physical = column.column_type();
    if !(0..values.len()).any(|row| Key::of(values, row, &ty, physical).is_some()) {
        return Ok(Answer::None);
    }
    Ok(match read(file, column, pieces) {
        Read::Filter(filter) => {
            let absent = |row| Key::of(values, row, &ty, physical).is_some_and(|key| !key.is_in(&filter));
            Answer::Absent((0..values.len()).map(absent).collect())
        }
        Read::Needs(start, end) => Answer::Needs(start, end),
        Read::Unusable => Answer::None,
    })
}

enum Read {
    Filter(Sbbf),
    Needs(u64, u64),
    /// None, or one that is not what its header says: it proves nothing.
    Unusable,
}

fn read(file: &ParquetFile, column: &ColumnChunkMetaData, pieces: Vec<(u64, Bytes)>) -> Read {
    let Some(offset) = column.bloom_filter_offset().and_then(|offset| u64::try_from(offset).ok()) else {
        return Read::Unusable;
    };
    let length = column.bloom_filter_length().and_then(|length| u64::try_from(length).ok());
    let whole = length.and_then(|length| offset.checked_add(length));
    let reader = Recorder { sparse: SparseFile::new(file.size, pieces), asked: Mutex::default() };
    // By the header alone: the length in the footer is optional, and believed only where both agree.
    let unsized_column = column.clone().into_builder().set_bloom_filter_length(None).build();
    let found = unsized_column.and_then(|column| Sbbf::read_from_column_chunk(&column, &reader));
    let asked = reader.asked.into_inner().unwrap_or_default();
    let (start, size) = asked.last().copied().unwrap_or_default();
    let Some(end) = start.checked_add(size as u64).filter(|end| *end <= file.size) else { return Read::Unusable };
    let bitset = asked.len() == 2;
    let sound = size > 0 && size % BLOCK == 0 && size <= BITSET_MAX_LENGTH && whole.is_none_or(|whole| whole == end);
    if bitset && !sound {
        return Read::Unusable;
    }
    let missing = reader.sparse.get_bytes(start, size).is_err();
    match found {
        Ok(Some(filter)) if bitset => Read::Filter(filter),
        Err(ParquetError::EOF(_)) if missing => Read::Needs(start, whole.filter(|whole| *whole <= file.size && *whole > end).unwrap_or(end)),
        _ => Read::Unusable,
    }
}

/// Remembers what was asked of a file: first the header, then the bitset.
struct Recorder {
    sparse: SparseFile,
    asked: Mutex<Vec<(u64, usize)>>,
}

impl Length for Recorder {
    fn len(&self) -> u64 {
        self.sparse.len()
    }
}

impl ChunkReader for Recorder {
    type T = <SparseFile as ChunkReader>::T;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        self.sparse.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push((start, length));
        }
        self.sparse.get_bytes(start, length)
    }
}

/// A value as the file's column has it: what is hashed is its plain encoding by physical type.
enum Key<'a> {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Bytes(&'a [u8]),
}

impl<'a> Key<'a> {
    /// None where equal values may have other bytes: zeros and NaN, decimals, what widening or cutting converts.
    fn of(values: &'a ArrayRef, row: usize, ty: &DataType, physical: Type) -> Option<Self> {
        use DataType::*;
        if values.is_null(row) {
            return None;
        }
        match (values.data_type(), ty, physical) {
            (Int8 | Int16 | Int32 | Int64, Int8 | Int16 | Int32, Type::INT32) => {
                i32::try_from(integer(values, row)?).ok().map(Key::Int)
            }
            (Int8 | Int16 | Int32 | Int64, Int64, Type::INT64) => integer(values, row).map(Key::Long),
            (Date32, Date32 | Int32, Type::INT32) => Some(Key::Int(values.as_primitive::<Date32Type>().value(row))),
            (Timestamp(TimeUnit::Microsecond, _), Timestamp(TimeUnit::Microsecond, _), Type::INT64) => {
                Some(Key::Long(values.as_primitive::<TimestampMicrosecondType>().value(row)))
            }
            (Float32, Float32, Type::FLOAT) => {
                let value = values.as_primitive::<Float32Type>().value(row);
                (value != 0.0 && !value.is_nan()).then_some(Key::Float(value))
            }
            (Float64, Float64, Type::DOUBLE) => {
                let value = values.as_primitive::<Float64Type>().value(row);
                (value != 0.0 && !value.is_nan()).then_some(Key::Double(value))
            }
            (Utf8, Utf8 | Binary, Type::BYTE_ARRAY) => Some(Key::Bytes(values.as_string::<i32>().value(row).as_bytes())),
            (Binary, Utf8 | Binary, Type::BYTE_ARRAY) => Some(Key::Bytes(values.as_binary::<i32>().value(row))),
            _ => None,
        }
    }

    fn is_in(&self, filter: &Sbbf) -> bool {
        match self {
            Key::Int(value) => filter.check(value),
            Key::Long(value) => filter.check(value),
            Key::Float(value) => filter.check(value),
            Key::Double(value) => filter.check(value),
            Key::Bytes(value) => filter.check(*value),
        }
    }
}

fn integer(values: &ArrayRef, row: usize) -> Option<i64> {
    Some(match values.data_type() {
        DataType::Int8 => values.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => values.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => values.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => values.as_primitive::<Int64Type>().value(row),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Date32Array, Float64Array, Int64Array};

    use super::*;

    fn key(values: ArrayRef, ty: DataType, physical: Type) -> Option<Vec<u8>> {
        Key::of(&values, 0, &ty, physical).map(|key| match key {
            Key::Int(value) => value.to_le_bytes().to_vec(),
            Key::Long(value) => value.to_le_bytes().to_vec(),
            Key::Float(value) => value.to_le_bytes().to_vec(),
            Key::Double(value) => value.to_le_bytes().to_vec(),
            Key::Bytes(value) => value.to_vec(),
        })
    }

    fn long(value: i64) -> ArrayRef {
        Arc::new(Int64Array::from(vec![value]))
    }

    #[test]
    fn widened_integers_are_asked_as_the_file_has_them() {
        assert_eq!(key(long(-2), DataType::Int32, Type::INT32), Some(vec![0xfe, 0xff, 0xff, 0xff]));
        assert_eq!(key(long(3), DataType::Int64, Type::INT64), Some(vec![3, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(key(long(1 << 40), DataType::Int32, Type::INT32), None);
        assert_eq!(key(long(3), DataType::UInt32, Type::INT32), None);
    }

    #[test]
    fn zeros_nan_and_conversions_are_not_asked() {
        let double = |value: f64| -> ArrayRef { Arc::new(Float64Array::from(vec![value])) };
        assert_eq!(key(double(1.5), DataType::Float64, Type::DOUBLE), Some(1.5_f64.to_le_bytes().to_vec()));
        assert_eq!(key(double(-0.0), DataType::Float64, Type::DOUBLE), None);
        assert_eq!(key(double(f64::NAN), DataType::Float64, Type::DOUBLE), None);
        assert_eq!(key(double(1.5), DataType::Float32, Type::FLOAT), None);
        let day: ArrayRef = Arc::new(Date32Array::from(vec![1]));
        assert_eq!(key(day, DataType::Timestamp(TimeUnit::Microsecond, None), Type::INT64), None);
        assert_eq!(key(long(1), DataType::Timestamp(TimeUnit::Microsecond, None), Type::INT96), None);
    }
}
