//! Schemas as they cross the seam: a compact JSON of Delta's types, made by `wire.ts`.
//!
//! A field is `{"n": name, "t": type, "z": nullable, "id": field id?, "g": generated column?, "l": stored as?}` (the last
//! only in what a footer describes: `nanos`, `time`, `uuid` or `fixed`, where the type does not tell); a type is a name, or
//! `{"d": [precision, scale]}`, `{"a": element field}`, `{"m": [key field, value field]}`, `{"s": fields}`,
//! `{"v": 1}` for a variant.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use serde_json::Value;

use crate::error::{CoreError, Result};

/// Deeper schemas are refused: recursion must fit WASM's stack.
pub const MAX_DEPTH: usize = 100;

/// A column that the reader makes up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Generated {
    RowIndex,
    FilePath,
}

/// A requested field: Delta's type plus what column resolution needs.
#[derive(Debug, Clone)]
pub struct WireField {
    pub name: String,
    pub ty: WireType,
    pub nullable: bool,
    pub field_id: Option<i32>,
    pub generated: Option<Generated>,
}

#[derive(Debug, Clone)]
pub enum WireType {
    /// A leaf, as the Arrow type that stands for it.
    Leaf(DataType),
    Struct(Vec<WireField>),
    List(Box<WireField>),
    Map(Box<WireField>, Box<WireField>),
    /// Struct of the binary fields `metadata` and `value`.
    Variant,
}

impl WireType {
    pub fn arrow(&self) -> DataType {
        match self {
            WireType::Leaf(ty) => ty.clone(),
            WireType::Struct(fields) => DataType::Struct(arrow_fields(fields)),
            WireType::List(element) => DataType::List(Arc::new(element.arrow())),
            WireType::Map(key, value) => {
                let entries = DataType::Struct(vec![key.arrow(), value.arrow()].into());
                DataType::Map(Arc::new(Field::new("key_value", entries, false)), false)
            }
            WireType::Variant => DataType::Struct(variant_fields()),
        }
    }

    /// The fields of a struct or variant as wire fields.
    pub fn struct_fields(&self) -> Option<Vec<WireField>> {
        match self {
            WireType::Struct(fields) => Some(fields.clone()),
            WireType::Variant => Some(
                ["metadata", "value"]
                    .map(|name| WireField {
                        name: name.to_owned(),
                        ty: WireType::Leaf(DataType::Binary),
                        nullable: true,
                        field_id: None,
                        generated: None,
                    })
                    .to_vec(),
            ),
            _ => None,
        }
    }
}

impl WireField {
    pub fn arrow(&self) -> Field {
        Field::new(&self.name, self.ty.arrow(), self.nullable)
    }
}

pub fn variant_fields() -> Fields {
    vec![Field::new("metadata", DataType::Binary, true), Field::new("value", DataType::Binary, true)].into()
}

pub fn arrow_fields(fields: &[WireField]) -> Fields {
    fields.iter().map(WireField::arrow).collect()
}

pub fn arrow_schema(fields: &[WireField]) -> Schema {
    Schema::new(arrow_fields(fields))
}

/// Parses a schema: a JSON list of fields.
pub fn parse_fields(json: &[u8]) -> Result<Vec<WireField>> {
    let value: Value = serde_json::from_slice(json).map_err(CoreError::internal)?;
    fields(&value, 0)
}

/// Parses one type.
pub fn parse_type(value: &Value, depth: usize) -> Result<WireType> {
    if depth > MAX_DEPTH {
        return Err(CoreError::schema(format!("a schema nested deeper than {MAX_DEPTH} levels")));
    }
    if let Some(name) = value.as_str() {
        return leaf(name).map(WireType::Leaf);
    }
    if let Some(Value::Array(numbers)) = value.get("d") {
        let number = |at: usize| numbers.get(at).and_then(Value::as_i64).and_then(|n| u8::try_from(n).ok());
        return match (number(0), number(1)) {
            (Some(precision @ 1..=38), Some(scale)) if scale <= precision => {
                Ok(WireType::Leaf(DataType::Decimal128(precision, scale as i8)))
            }
            _ => Err(CoreError::schema(format!("not a decimal type: {value}"))),
        };
    }
    if let Some(element) = value.get("a") {
        return Ok(WireType::List(Box::new(field(element, depth + 1)?)));
    }
    if let Some(Value::Array(pair)) = value.get("m") {
        if let [key, value] = pair.as_slice() {
            return Ok(WireType::Map(Box::new(field(key, depth + 1)?), Box::new(field(value, depth + 1)?)));
        }
    }
    if let Some(children) = value.get("s") {
        return Ok(WireType::Struct(fields(children, depth + 1)?));
    }
    if value.get("v").is_some() {
        return Ok(WireType::Variant);
    }
    Err(CoreError::schema(format!("not a type: {value}")))
}

fn fields(value: &Value, depth: usize) -> Result<Vec<WireField>> {
    match value {
        Value::Array(items) => items.iter().map(|item| field(item, depth)).collect(),
        other => Err(CoreError::internal(format!("not a list of fields: {other}"))),
    }
}

fn field(value: &Value, depth: usize) -> Result<WireField> {
    let name = value.get("n").and_then(Value::as_str).unwrap_or_default().to_owned();
    let ty = parse_type(value.get("t").unwrap_or(&Value::Null), depth)?;
    let generated = match value.get("g").and_then(Value::as_str) {
        Some("rowIndex") => Some(Generated::RowIndex),
        Some("filePath") => Some(Generated::FilePath),
        Some(other) => return Err(CoreError::schema(format!("unknown generated column {other}"))),
        None => None,
    };
    let field_id = value.get("id").and_then(Value::as_i64).and_then(|id| i32::try_from(id).ok());
    let nullable = value.get("z").and_then(Value::as_bool).unwrap_or(true);
    Ok(WireField { name, ty, nullable, field_id, generated })
}

fn leaf(name: &str) -> Result<DataType> {
    Ok(match name {
        "string" => DataType::Utf8,
        "long" => DataType::Int64,
        "integer" => DataType::Int32,
        "short" => DataType::Int16,
        "byte" => DataType::Int8,
        "float" => DataType::Float32,
        "double" => DataType::Float64,
        "boolean" => DataType::Boolean,
        "binary" => DataType::Binary,
        "date" => DataType::Date32,
        "timestamp" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "timestamp_ntz" => DataType::Timestamp(TimeUnit::Microsecond, None),
        // Not types of Delta: typed columns of variants have them.
        "time" => DataType::Time64(TimeUnit::Microsecond),
        "timestamp_nanos" => DataType::Timestamp(TimeUnit::Nanosecond, None),
        "void" => DataType::Null,
        other => return Err(CoreError::schema(format!("columns of type {other} cannot be read"))),
    })
}

/// A type's name in Delta's terms, for messages.
pub fn type_name(ty: &DataType) -> String {
    match ty {
        DataType::Utf8 => "string".into(),
        DataType::Int64 => "long".into(),
        DataType::Int32 => "integer".into(),
        DataType::Int16 => "short".into(),
        DataType::Int8 => "byte".into(),
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Boolean => "boolean".into(),
        DataType::Binary => "binary".into(),
        DataType::Date32 => "date".into(),
        DataType::Null => "void".into(),
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => "timestamp".into(),
        DataType::Timestamp(TimeUnit::Microsecond, None) => "timestamp_ntz".into(),
        DataType::Decimal128(precision, scale) => format!("decimal({precision},{scale})"),
        DataType::Struct(_) => "struct".into(),
        DataType::List(_) => "array".into(),
        DataType::Map(..) => "map".into(),
        other => format!("{other:?}"),
    }
}
