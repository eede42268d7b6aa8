//! Values as JSON text: timestamps with three fraction digits, floored; binary as lower-case hex; null fields left out.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;

use super::cast::float_text;
use super::cell::{Cell, cell};
use crate::text;

pub fn to_json(array: &ArrayRef) -> StringArray {
    (0..array.len())
        .map(|row| {
            let mut out = String::new();
            write_value(array, row, &mut out).then_some(out)
        })
        .collect()
}

/// Writes the value at `row`; false where it is null.
fn write_value(array: &ArrayRef, row: usize, out: &mut String) -> bool {
    if *array.data_type() == DataType::Null || array.is_null(row) {
        return false;
    }
    match array.data_type() {
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            write_object(fields.iter().map(|field| field.name().as_str()).zip(columns.iter().map(|c| (c, row))), out);
        }
        DataType::List(_) => {
            let values = array.as_list::<i32>().value(row);
            out.push('[');
            for at in 0..values.len() {
                if at > 0 {
                    out.push(',');
                }
                if !write_value(&values, at, out) {
                    out.push_str("null");
                }
            }
            out.push(']');
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let (keys, values) = (entries.column(0), entries.column(1));
            let names: Vec<String> = (0..entries.len()).map(|at| key_text(keys, at)).collect();
            write_object(names.iter().enumerate().map(|(at, name)| (name.as_str(), (values, at))), out);
        }
        _ => write_leaf(&cell(array, row), out),
    }
    true
}

fn write_object<'a>(fields: impl Iterator<Item = (&'a str, (&'a ArrayRef, usize))>, out: &mut String) {
    out.push('{');
    let mut first = true;
    for (name, (column, row)) in fields {
        let start = out.len();
        if !first {
            out.push(',');
        }
        write_text(name, out);
        out.push(':');
        if write_value(column, row, out) {
            first = false;
        } else {
            out.truncate(start);
        }
    }
    out.push('}');
}

fn key_text(keys: &ArrayRef, row: usize) -> String {
    let mut out = String::new();
    write_leaf(&cell(keys, row), &mut out);
    out.trim_matches('"').to_owned()
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

fn write_leaf(value: &Cell, out: &mut String) {
    // Writing to a string never fails.
    let _ = match value {
        Cell::Null => write!(out, "null"),
        Cell::Boolean(value) => write!(out, "{value}"),
        Cell::Integer(value) => write!(out, "{value}"),
        Cell::Float(value) if value.is_finite() => write!(out, "{}", float_text(*value)),
        Cell::Float(value) => write!(out, "\"{}\"", float_text(*value)),
        Cell::Text(text) => return write_text(text, out),
        Cell::Binary(bytes) => {
            out.push('"');
            bytes.iter().for_each(|byte| out.push_str(&format!("{byte:02x}")));
            out.push('"');
            Ok(())
        }
        Cell::Date(days) => write!(out, "\"{}\"", text::format_date(*days)),
        Cell::Timestamp(micros, zoned) => {
            let zone = if *zoned { "Z" } else { "" };
            write!(out, "\"{}{zone}\"", text::format_timestamp(*micros, 'T', 3))
        }
        Cell::Decimal(value, scale) => write!(out, "{}", text::format_decimal(*value, *scale)),
    };
}
