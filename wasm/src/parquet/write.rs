//! Batches to Parquet.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use parquet::arrow::{ArrowWriter, PARQUET_FIELD_ID_META_KEY};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::error::{CoreError, Result};
use crate::exchange::retype;
use crate::wire::{WireField, WireType};

/// Writes one file; what is ready is taken out after every batch.
pub struct Writer {
    writer: Option<ArrowWriter<Vec<u8>>>,
    schema: SchemaRef,
}

impl Writer {
    pub fn new(fields: &[WireField], compression: &str, max_row_group_rows: usize) -> Result<Self> {
        let schema: SchemaRef = Arc::new(Schema::new(written_fields(fields)));
        let properties = WriterProperties::builder()
            .set_compression(codec(compression)?)
            .set_max_row_group_row_count(Some(max_row_group_rows.max(1)))
            .set_statistics_enabled(EnabledStatistics::Page)
            .set_created_by(concat!("delta-kernel-web ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(Vec::new(), schema.clone(), options)?;
        Ok(Self { writer: Some(writer), schema })
    }

    /// Writes a batch; the bytes that are ready.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<Vec<u8>> {
        let columns = batch
            .columns()
            .iter()
            .zip(self.schema.fields())
            .map(|(column, field)| retype(column, field.data_type()))
            .collect::<Result<Vec<_>>>()?;
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(CoreError::schema)?;
        let writer = self.writer.as_mut().ok_or_else(finished)?;
        writer.write(&batch)?;
        Ok(std::mem::take(writer.inner_mut()))
    }

    /// Ends the file; its last bytes.
    pub fn finish(&mut self) -> Result<Vec<u8>> {
        Ok(self.writer.take().ok_or_else(finished)?.into_inner()?)
    }
}

fn finished() -> CoreError {
    CoreError::internal("the Parquet file is finished")
}

fn codec(name: &str) -> Result<Compression> {
    Ok(match name {
        "uncompressed" => Compression::UNCOMPRESSED,
        "snappy" => Compression::SNAPPY,
        "zstd" => Compression::ZSTD(ZstdLevel::default()),
        "gzip" => Compression::GZIP(GzipLevel::default()),
        "brotli" => Compression::BROTLI(BrotliLevel::default()),
        "lz4_raw" => Compression::LZ4_RAW,
        other => return Err(CoreError::new("InvalidOption", format!("unknown compression {other}"))),
    })
}

/// Void columns are not stored (`PROTOCOL.md`, "Void Type"); the caller leaves them out.
fn written_fields(fields: &[WireField]) -> Fields {
    fields.iter().map(written_field).collect()
}

fn written_field(field: &WireField) -> Field {
    let ty = match &field.ty {
        WireType::Struct(fields) => DataType::Struct(written_fields(fields)),
        WireType::List(element) => DataType::List(Arc::new(written_field(element))),
        WireType::Map(key, value) => {
            let pair = vec![written_field(key).with_nullable(false), written_field(value)];
            DataType::Map(Arc::new(Field::new("key_value", DataType::Struct(pair.into()), false)), false)
        }
        other => other.arrow(),
    };
    let written = Field::new(&field.name, ty, field.nullable);
    match field.field_id {
        Some(id) => {
            written.with_metadata(HashMap::from([(PARQUET_FIELD_ID_META_KEY.to_owned(), id.to_string())]))
        },
        None => written,
    }
}
