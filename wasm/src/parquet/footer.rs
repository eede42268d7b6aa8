//! An opened footer, and what it says as JSON.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{LogicalType, Type};
use parquet::arrow::{PARQUET_FIELD_ID_META_KEY, parquet_to_arrow_schema};
use parquet::file::metadata::{
    ColumnChunkMask, ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
};
use parquet::schema::types::SchemaDescriptor;
use serde_json::{Value, json};

use super::sparse::SparseFile;
use crate::error::{CoreError, Result};
use crate::wire::MAX_DEPTH;

/// Magic number and footer length at the end of every file.
pub const TRAILER: usize = 8;

pub struct ParquetFile {
    pub size: u64,
    pub metadata: Arc<ParquetMetaData>,
    /// The file's Arrow schema by its Parquet types alone; an embedded Arrow schema is not trusted.
    pub schema: Arc<Schema>,
    /// The row ranges that page statistics were last given for.
    pub page_rows: Vec<(u64, u64)>,
}

/// Bytes of footer and trailer, from the last bytes of a file.
pub fn tail_length(tail: &[u8]) -> Result<u64> {
    let Some(trailer) = tail.last_chunk::<TRAILER>() else {
        return Err(CoreError::parquet("a file of less than 8 bytes is not Parquet"));
    };
    match &trailer[4..] {
        b"PAR1" => {}
        b"PARE" => return Err(CoreError::new("Unsupported", "encrypted Parquet files cannot be read")),
        _ => return Err(CoreError::parquet("not a Parquet file: the magic number PAR1 is missing at its end")),
    }
    let length = u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]);
    Ok(u64::from(length) + TRAILER as u64)
}

impl ParquetFile {
    /// Opens a file from its last bytes.
    pub fn open(tail: &[u8], size: u64) -> Result<Self> {
        let needed = tail_length(tail)?;
        if needed > size {
            return Err(CoreError::parquet(format!("a footer of {needed} bytes in a file of {size}")));
        }
        let start = tail
            .len()
            .checked_sub(needed as usize)
            .ok_or_else(|| CoreError::internal("the tail does not hold the footer"))?;
        let metadata = ParquetMetaDataReader::decode_metadata(&tail[start..tail.len() - TRAILER])?;
        let metadata = without_default_offsets(metadata)?;
        check_offsets(&metadata, size)?;
        let descriptor = metadata.file_metadata().schema_descr();
        let schema = plain_timestamps(parquet_to_arrow_schema(descriptor, None)?, descriptor)?;
        Ok(Self { size, metadata: Arc::new(metadata), schema: Arc::new(schema), page_rows: Vec::new() })
    }

    /// The reader's view of this file.
    pub fn reader_metadata(&self) -> Result<ArrowReaderMetadata> {
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(self.schema.clone());
        Ok(ArrowReaderMetadata::try_new(self.metadata.clone(), options)?)
    }

    /// Byte ranges of the page indexes of some leaf columns.
    pub fn page_index_ranges(&self, leaves: &[usize]) -> Vec<(u64, u64)> {
        let mut ranges = Vec::new();
        for row_group in self.metadata.row_groups() {
            for column in leaves.iter().filter_map(|leaf| row_group.columns().get(*leaf)) {
                let indexes = [column.column_index_range(), column.offset_index_range()];
                ranges.extend(indexes.into_iter().flatten().map(|range| (range.start, range.end)));
            }
        }
        ranges.retain(|(start, end)| start < end && *end <= self.size);
        ranges.sort_unstable();
        ranges
    }

    /// Takes in page indexes of some leaf columns from pieces of the file.
    pub fn load_page_index(&mut self, leaves: &[usize], pieces: Vec<(u64, Bytes)>) -> Result<()> {
        let mask = ColumnChunkMask::columns(leaves.iter().copied());
        let mut reader = ParquetMetaDataReader::new_with_metadata((*self.metadata).clone())
            .with_page_index_policy(PageIndexPolicy::Optional)
            .with_page_index_mask(mask);
        reader.read_page_indexes(&SparseFile::new(self.size, pieces))?;
        self.metadata = Arc::new(reader.finish()?);
        Ok(())
    }

    /// Schema, row groups and key-value metadata as JSON.
    pub fn describe(&self) -> Result<Value> {
        let row_groups: Vec<Value> = self
            .metadata
            .row_groups()
            .iter()
            .map(|group| json!({"numRows": group.num_rows(), "totalByteSize": group.total_byte_size()}))
            .collect();
        let pairs: Vec<Value> = self
            .metadata
            .file_metadata()
            .key_value_metadata()
            .into_iter()
            .flatten()
            .map(|pair| json!([pair.key, pair.value.clone().unwrap_or_default()]))
            .collect();
        let mut columns = self.metadata.row_groups().iter().flat_map(|group| group.columns());
        Ok(json!({
            "hasBloomFilters": columns.any(|column| column.bloom_filter_offset().is_some()),
            "fields": describe_fields(self.schema.fields(), &mut Leaves::new(self), 0)?,
            "numRows": self.metadata.file_metadata().num_rows(),
            "createdBy": self.metadata.file_metadata().created_by(),
            "rowGroups": row_groups,
            "keyValueMetadata": pairs,
        }))
    }

    /// Every column chunk with its encodings and sizes, as JSON.
    pub fn layout(&self) -> Value {
        let groups = self.metadata.row_groups().iter().map(|group| {
            let columns: Vec<Value> = group.columns().iter().map(describe_chunk).collect();
            json!({"numRows": group.num_rows(), "columns": columns})
        });
        Value::Array(groups.collect())
    }
}

/// Some writers wrote a dictionary's offset of 0, where the magic number is, for chunks that begin at their data pages.
fn without_default_offsets(metadata: ParquetMetaData) -> Result<ParquetMetaData> {
    let is_default = |column: &ColumnChunkMetaData| column.dictionary_page_offset() == Some(0);
    if !metadata.row_groups().iter().any(|group| group.columns().iter().any(is_default)) {
        return Ok(metadata);
    }
    let mut builder = metadata.into_builder();
    let mut groups = Vec::new();
    for group in builder.take_row_groups() {
        let columns = group.columns().iter().map(|column| match is_default(column) {
            true => column.clone().into_builder().set_dictionary_page_offset(None).build(),
            false => Ok(column.clone()),
        });
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        groups.push(group.into_builder().set_column_metadata(columns).build()?);
    }
    Ok(builder.set_row_groups(groups).build())
}

/// Untrusted offsets are checked once, here, so that planning never asks for bytes outside the file.
fn check_offsets(metadata: &ParquetMetaData, size: u64) -> Result<()> {
    for (at, group) in metadata.row_groups().iter().enumerate() {
        if group.num_rows() < 0 {
            return Err(CoreError::parquet(format!("row group {at} has {} rows", group.num_rows())));
        }
        for column in group.columns() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let end = start.checked_add(column.compressed_size());
            let inside = start >= 0 && column.compressed_size() >= 0 && end.is_some_and(|end| end as u64 <= size);
            if !inside {
                let name = column.column_path();
                return Err(CoreError::parquet(format!("column {name} of row group {at} lies outside the file")));
            }
        }
    }
    Ok(())
}

/// INT96 is read as microseconds at once: nanoseconds in 64 bits end in 2262.
fn plain_timestamps(schema: Schema, columns: &SchemaDescriptor) -> Result<Schema> {
    let mut leaf = 0;
    let fields = schema.fields().iter().map(|field| plain_field(field, columns, &mut leaf, 0));
    Ok(Schema::new(fields.collect::<Result<Fields>>()?))
}

/// `leaf` counts the leaf columns so far: Arrow's leaves are Parquet's, in the same order.
fn plain_field(field: &FieldRef, columns: &SchemaDescriptor, leaf: &mut usize, depth: usize) -> Result<FieldRef> {
    if depth > MAX_DEPTH {
        return Err(CoreError::schema(format!("a Parquet schema nested deeper than {MAX_DEPTH} levels")));
    }
    let mut child = |field: &FieldRef| plain_field(field, columns, leaf, depth + 1);
    let ty = match field.data_type() {
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(child).collect::<Result<Fields>>()?),
        DataType::List(element) => DataType::List(child(element)?),
        DataType::Map(entries, sorted) => DataType::Map(child(entries)?, *sorted),
        other => {
            let int96 = *leaf < columns.num_columns() && columns.column(*leaf).physical_type() == Type::INT96;
            *leaf += 1;
            if int96 { DataType::Timestamp(TimeUnit::Microsecond, None) } else { other.clone() }
        }
    };
    Ok(Arc::new(field.as_ref().clone().with_data_type(ty)))
}

/// Parquet's field id, where the file has one.
pub fn field_id(field: &Field) -> Option<i32> {
    field.metadata().get(PARQUET_FIELD_ID_META_KEY).and_then(|id| id.parse().ok())
}

/// A file's leaf columns in order, one after the other.
struct Leaves<'a> {
    columns: &'a SchemaDescriptor,
    next: usize,
}

impl<'a> Leaves<'a> {
    fn new(file: &'a ParquetFile) -> Self {
        Self { columns: file.metadata.file_metadata().schema_descr(), next: 0 }
    }

    /// Takes the next leaf: how it is stored, where its type does not tell.
    fn take(&mut self, ty: &DataType) -> Option<&'static str> {
        let logical = (self.next < self.columns.num_columns()).then(|| self.columns.column(self.next).logical_type_ref().cloned());
        self.next += 1;
        match (ty, logical.flatten()) {
            (DataType::Timestamp(TimeUnit::Nanosecond, _), _) => Some("nanos"),
            (DataType::Time64(TimeUnit::Microsecond), Some(LogicalType::Time(time))) if !time.is_adjusted_to_u_t_c => {
                Some("time")
            }
            (DataType::FixedSizeBinary(_), Some(LogicalType::Uuid)) => Some("uuid"),
            (DataType::FixedSizeBinary(_), _) => Some("fixed"),
            _ => None,
        }
    }
}

fn describe_fields(fields: &Fields, leaves: &mut Leaves, depth: usize) -> Result<Vec<Value>> {
    fields
        .iter()
        .map(|field| {
            let (ty, stored) = describe_type(field.data_type(), leaves, depth)?;
            let mut value = json!({"n": field.name(), "t": ty, "z": field.is_nullable()});
            if let Some(object) = value.as_object_mut() {
                object.extend(field_id(field).map(|id| ("id".into(), id.into())));
                object.extend(stored.map(|stored| ("l".into(), stored.into())));
            }
            Ok(value)
        })
        .collect()
}

/// A Parquet column's type in Delta's terms, and how it is stored; what Delta has no word for keeps Arrow's name.
fn describe_type(ty: &DataType, leaves: &mut Leaves, depth: usize) -> Result<(Value, Option<&'static str>)> {
    if depth > MAX_DEPTH {
        return Err(CoreError::schema(format!("a Parquet schema nested deeper than {MAX_DEPTH} levels")));
    }
    let described = match ty {
        DataType::List(element) => {
            let (inner, _) = describe_type(element.data_type(), leaves, depth + 1)?;
            json!({"a": {"n": "element", "t": inner, "z": element.is_nullable()}})
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) => json!({"m": describe_fields(pair, leaves, depth + 1)?}),
            other => json!(format!("{other}")),
        },
        DataType::Struct(fields) => json!({"s": describe_fields(fields, leaves, depth + 1)?}),
        leaf => return Ok((describe_leaf(leaf), leaves.take(leaf))),
    };
    Ok((described, None))
}

fn describe_leaf(ty: &DataType) -> Value {
    match ty {
        DataType::UInt8 => json!("short"),
        DataType::UInt16 => json!("integer"),
        DataType::UInt32 => json!("long"),
        DataType::UInt64 => json!({"d": [20, 0]}),
        DataType::Float16 => json!("float"),
        DataType::FixedSizeBinary(_) => json!("binary"),
        DataType::Timestamp(_, zone) => json!(if zone.is_some() { "timestamp" } else { "timestamp_ntz" }),
        DataType::Decimal128(precision, scale) if *scale >= 0 => json!({"d": [precision, scale]}),
        other => json!(crate::wire::type_name(other)),
    }
}

fn describe_chunk(column: &ColumnChunkMetaData) -> Value {
    json!({
        "path": column.column_path().parts(),
        "physicalType": column.column_type().to_string(),
        "codec": format!("{:?}", column.compression()).split('(').next(),
        "encodings": column.encodings().map(|encoding| encoding.to_string()).collect::<Vec<_>>(),
        "numValues": column.num_values(),
        "compressedSize": column.compressed_size(),
        "uncompressedSize": column.uncompressed_size(),
        "start": column.byte_range().0,
        "hasPageIndex": column.column_index_offset().is_some() && column.offset_index_offset().is_some(),
        "hasBloomFilter": column.bloom_filter_offset().is_some(),
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::ParquetMetaDataWriter;
    use parquet::file::properties::WriterProperties;

    use super::*;
    use crate::parquet::decode::{Decoder, plan};
    use crate::wire::parse_fields;

    fn written() -> Vec<u8> {
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(Int64Array::from(vec![1, 2, 3]))]).unwrap();
        let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn a_dictionary_offset_of_0_is_none() {
        let bytes = written();
        let plain = ParquetFile::open(&bytes, bytes.len() as u64).unwrap().metadata;
        let group = plain.row_group(0).clone();
        let column = group.column(0).clone().into_builder().set_dictionary_page_offset(Some(0)).build().unwrap();
        let group = group.into_builder().set_column_metadata(vec![column]).build().unwrap();
        let changed = (*plain).clone().into_builder().set_row_groups(vec![group]).build();
        let mut bytes = bytes[..bytes.len() - tail_length(&bytes).unwrap() as usize].to_vec();
        ParquetMetaDataWriter::new(&mut bytes, &changed).finish().unwrap();

        let file = ParquetFile::open(&bytes, bytes.len() as u64).unwrap();
        let fields = parse_fields(br#"[{"n": "a", "t": "long"}]"#).unwrap();
        let pieces = plan(&file, &fields, 0, None).unwrap().into_iter();
        let pieces = pieces.map(|(from, to)| (from, Bytes::copy_from_slice(&bytes[from as usize..to as usize])));
        let mut decoder = Decoder::new(&file, fields, 0, pieces.collect(), 10, None, String::new()).unwrap();
        let batch = decoder.next().unwrap().unwrap();
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[1, 2, 3]);
    }
}
