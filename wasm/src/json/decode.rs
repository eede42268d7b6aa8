//! NDJSON files and columns of JSON text to batches.

use std::fmt;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{Field, Schema};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};

use super::builder::{Column, read_object};
use crate::error::{CoreError, Result};
use crate::wire::WireField;

/// Complete lines to one batch, one row per line that is not blank. `first_line` numbers lines in errors.
pub fn parse_ndjson(bytes: &[u8], fields: &[WireField], first_line: u64) -> Result<RecordBatch> {
    let mut columns = columns(fields, false)?;
    let mut rows = 0;
    let bytes = if first_line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        rows += 1;
        let text = std::str::from_utf8(line).map_err(|error| error.to_string());
        text.and_then(|text| object(text, &mut columns)).map_err(|message| CoreError {
            line: Some(first_line + at as u64),
            ..CoreError::json(message)
        })?;
    }
    finish(columns, rows)
}

/// One row per string: what does not fit is null, cell by cell; text that is no JSON object is an all-null row.
pub fn parse_column(strings: &StringArray, fields: &[WireField]) -> Result<RecordBatch> {
    let mut columns = columns(fields, true)?;
    for row in 0..strings.len() {
        let text = if strings.is_valid(row) { strings.value(row) } else { "" };
        // Checked first: a text that breaks off half-way must not leave half a row.
        let sound = text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if sound {
            object(text, &mut columns).map_err(CoreError::json)?;
        } else {
            columns.iter_mut().for_each(Column::append_null);
        }
    }
    finish(columns, strings.len())
}

fn columns(fields: &[WireField], lenient: bool) -> Result<Vec<Column>> {
    fields.iter().map(|field| Column::new(field, lenient)).collect()
}

fn finish(columns: Vec<Column>, rows: usize) -> Result<RecordBatch> {
    let mut fields = Vec::with_capacity(columns.len());
    let mut arrays = Vec::with_capacity(columns.len());
    for column in columns {
        let name = column.field.name.clone();
        let array = column.finish()?;
        fields.push(Field::new(name, array.data_type().clone(), true));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?)
}

fn object(text: &str, columns: &mut [Column]) -> std::result::Result<(), String> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Row(columns).deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())
}

struct Row<'a>(&'a mut [Column]);

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        read_object(self.0, &mut map).map_err(A::Error::custom)
    }
}
