//! Arrow builders that take JSON values as serde finds them.

use std::fmt;
use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, NullArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, TimeUnit};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{CoreError, Result};
use crate::text;
use crate::wire::{WireField, WireType};

/// One column while it is built.
pub struct Column {
    pub field: WireField,
    pub(super) kind: Kind,
    /// Where a value that does not fit its type is null instead of an error.
    lenient: bool,
    pub(super) rows: usize,
}

pub(super) enum Kind {
    Null,
    Boolean(BooleanBuilder),
    Byte(Int8Builder),
    Short(Int16Builder),
    Integer(Int32Builder),
    Long(Int64Builder),
    Float(Float32Builder),
    Double(Float64Builder),
    Text(StringBuilder),
    Binary(BinaryBuilder),
    Date(Date32Builder),
    Timestamp(TimestampMicrosecondBuilder, bool),
    Decimal(Decimal128Builder, u8, i8),
    Struct(Vec<Column>, NullBufferBuilder),
    List(Box<Column>, Vec<i32>, NullBufferBuilder),
    Map(Box<Column>, Box<Column>, Vec<i32>, NullBufferBuilder),
}

impl Column {
    pub fn new(field: &WireField, lenient: bool) -> Result<Self> {
        let child = |field: &WireField| Column::new(field, lenient);
        let kind = match &field.ty {
            WireType::Struct(fields) => {
                Kind::Struct(fields.iter().map(child).collect::<Result<_>>()?, NullBufferBuilder::new(0))
            }
            WireType::List(element) => Kind::List(Box::new(child(element)?), vec![0], NullBufferBuilder::new(0)),
            WireType::Map(key, value) => {
                Kind::Map(Box::new(child(key)?), Box::new(child(value)?), vec![0], NullBufferBuilder::new(0))
            }
            WireType::Variant => return Err(CoreError::schema("a variant cannot be read from JSON")),
            WireType::Leaf(ty) => leaf(ty)?,
        };
        Ok(Self { field: field.clone(), kind, lenient, rows: 0 })
    }

    pub fn append_null(&mut self) {
        self.rows += 1;
        match &mut self.kind {
            Kind::Null => {}
            Kind::Boolean(b) => b.append_null(),
            Kind::Byte(b) => b.append_null(),
            Kind::Short(b) => b.append_null(),
            Kind::Integer(b) => b.append_null(),
            Kind::Long(b) => b.append_null(),
            Kind::Float(b) => b.append_null(),
            Kind::Double(b) => b.append_null(),
            Kind::Text(b) => b.append_null(),
            Kind::Binary(b) => b.append_null(),
            Kind::Date(b) => b.append_null(),
            Kind::Timestamp(b, _) => b.append_null(),
            Kind::Decimal(b, ..) => b.append_null(),
            Kind::Struct(children, nulls) => {
                children.iter_mut().for_each(Column::append_null);
                nulls.append_null();
            }
            Kind::List(child, offsets, nulls) => {
                offsets.push(child.rows as i32);
                nulls.append_null();
            }
            Kind::Map(key, _, offsets, nulls) => {
                offsets.push(key.rows as i32);
                nulls.append_null();
            }
        }
    }

    pub fn finish(self) -> Result<ArrayRef> {
        Ok(match self.kind {
            Kind::Null => Arc::new(NullArray::new(self.rows)),
            Kind::Boolean(mut b) => Arc::new(b.finish()),
            Kind::Byte(mut b) => Arc::new(b.finish()),
            Kind::Short(mut b) => Arc::new(b.finish()),
            Kind::Integer(mut b) => Arc::new(b.finish()),
            Kind::Long(mut b) => Arc::new(b.finish()),
            Kind::Float(mut b) => Arc::new(b.finish()),
            Kind::Double(mut b) => Arc::new(b.finish()),
            Kind::Text(mut b) => Arc::new(b.finish()),
            Kind::Binary(mut b) => Arc::new(b.finish()),
            Kind::Date(mut b) => Arc::new(b.finish()),
            Kind::Timestamp(mut b, zoned) => Arc::new(b.finish().with_timezone_opt(zoned.then_some("UTC"))),
            Kind::Decimal(mut b, precision, scale) => Arc::new(b.finish().with_precision_and_scale(precision, scale)?),
            Kind::Struct(children, mut nulls) => {
                let (fields, columns) = finish_children(children)?;
                if columns.is_empty() {
                    Arc::new(StructArray::new_empty_fields(self.rows, nulls.finish()))
                } else {
                    Arc::new(StructArray::try_new(fields.into(), columns, nulls.finish())?)
                }
            }
            Kind::List(child, offsets, mut nulls) => {
                let name = child.field.name.clone();
                let values = child.finish()?;
                let field = Arc::new(Field::new(name, values.data_type().clone(), true));
                Arc::new(ListArray::try_new(field, OffsetBuffer::new(offsets.into()), values, nulls.finish())?)
            }
            Kind::Map(key, value, offsets, mut nulls) => {
                let (mut fields, columns) = finish_children(vec![*key, *value])?;
                fields[0] = fields[0].clone().with_nullable(false);
                let entries = StructArray::try_new(fields.into(), columns, None)?;
                let field = Arc::new(Field::new("key_value", entries.data_type().clone(), false));
                let offsets = OffsetBuffer::new(offsets.into());
                Arc::new(MapArray::try_new(field, offsets, entries, nulls.finish(), false)?)
            }
        })
    }

    /// Appends a leaf from its JSON text (a string's content where `quoted`); false where it does not fit.
    pub(super) fn append_text(&mut self, value: &str, quoted: bool) -> bool {
        let fits = match &mut self.kind {
            Kind::Null => true,
            Kind::Boolean(b) => match value {
                "true" if !quoted => append(Some(true), |v| b.append_value(v)),
                "false" if !quoted => append(Some(false), |v| b.append_value(v)),
                _ => false,
            },
            Kind::Byte(b) => !quoted && append(integer(value), |v| b.append_value(v)),
            Kind::Short(b) => !quoted && append(integer(value), |v| b.append_value(v)),
            Kind::Integer(b) => !quoted && append(integer(value), |v| b.append_value(v)),
            Kind::Long(b) => !quoted && append(integer(value), |v| b.append_value(v)),
            Kind::Float(b) => append(text::parse_float(value), |v| b.append_value(v as f32)),
            Kind::Double(b) => append(text::parse_float(value), |v| b.append_value(v)),
            Kind::Text(b) => append(Some(value), |v| b.append_value(v)),
            Kind::Binary(b) => quoted && append(Some(value), |v| b.append_value(v.as_bytes())),
            Kind::Date(b) => quoted && append(text::parse_date(value), |v| b.append_value(v)),
            Kind::Timestamp(b, zoned) => {
                quoted && append(text::parse_timestamp(value, *zoned), |v| b.append_value(v))
            }
            Kind::Decimal(b, precision, scale) => {
                append(text::parse_decimal(value, *precision, *scale), |v| b.append_value(v))
            }
            Kind::Struct(..) | Kind::List(..) | Kind::Map(..) => false,
        };
        if fits {
            self.rows += 1;
        }
        fits
    }

    /// Whether the value must be kept as text: a string field that meets another JSON value.
    fn is_leaf(&self) -> bool {
        !matches!(self.kind, Kind::Struct(..) | Kind::List(..) | Kind::Map(..))
    }

    fn append_leaf(&mut self, raw: &str) -> std::result::Result<(), String> {
        if raw == "null" {
            return self.append_absent();
        }
        let fits = if raw.starts_with('"') {
            match serde_json::from_str::<std::borrow::Cow<str>>(raw) {
                Ok(text) => self.append_text(&text, true),
                Err(_) => false,
            }
        } else {
            self.append_text(raw, false)
        };
        if fits {
            return Ok(());
        }
        self.misfit(raw)
    }

    /// Appends null where that is allowed.
    pub fn append_absent(&mut self) -> std::result::Result<(), String> {
        if !self.field.nullable && !self.lenient {
            return Err(format!("the field {} is missing", self.field.name));
        }
        self.append_null();
        Ok(())
    }

    fn misfit(&mut self, found: &str) -> std::result::Result<(), String> {
        if !self.lenient {
            let shown: String = found.chars().take(60).collect();
            let ty = crate::wire::type_name(&self.field.ty.arrow());
            return Err(format!("the field {} is {shown}, not of type {ty}", self.field.name));
        }
        self.append_null();
        Ok(())
    }
}

fn finish_children(children: Vec<Column>) -> Result<(Vec<Field>, Vec<ArrayRef>)> {
    let mut fields = Vec::with_capacity(children.len());
    let mut columns = Vec::with_capacity(children.len());
    for child in children {
        let name = child.field.name.clone();
        let column = child.finish()?;
        fields.push(Field::new(name, column.data_type().clone(), true));
        columns.push(column);
    }
    Ok((fields, columns))
}

pub(super) fn append<T>(value: Option<T>, add: impl FnOnce(T)) -> bool {
    value.map(add).is_some()
}

/// An integer from its JSON number; `1.0` and `1e3` count where they are whole.
fn integer<T: TryFrom<i64>>(text: &str) -> Option<T> {
    let value = match text.parse::<i64>() {
        Ok(value) => value,
        Err(_) => i64::try_from(text::parse_decimal(text, 20, 0)?).ok()?,
    };
    T::try_from(value).ok()
}

fn leaf(ty: &DataType) -> Result<Kind> {
    Ok(match ty {
        DataType::Null => Kind::Null,
        DataType::Boolean => Kind::Boolean(BooleanBuilder::new()),
        DataType::Int8 => Kind::Byte(PrimitiveBuilder::<Int8Type>::new()),
        DataType::Int16 => Kind::Short(Int16Builder::new()),
        DataType::Int32 => Kind::Integer(Int32Builder::new()),
        DataType::Int64 => Kind::Long(Int64Builder::new()),
        DataType::Float32 => Kind::Float(Float32Builder::new()),
        DataType::Float64 => Kind::Double(Float64Builder::new()),
        DataType::Utf8 => Kind::Text(StringBuilder::new()),
        DataType::Binary => Kind::Binary(BinaryBuilder::new()),
        DataType::Date32 => Kind::Date(Date32Builder::new()),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            Kind::Timestamp(TimestampMicrosecondBuilder::new(), zone.is_some())
        }
        DataType::Decimal128(precision, scale) => Kind::Decimal(Decimal128Builder::new(), *precision, *scale),
        other => return Err(CoreError::schema(format!("{other} cannot be read from JSON"))),
    })
}

/// A JSON value into a column.
impl<'de> DeserializeSeed<'de> for &mut Column {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        if self.is_leaf() {
            let raw = <&RawValue as serde::Deserialize>::deserialize(deserializer)?;
            return self.append_leaf(raw.get()).map_err(D::Error::custom);
        }
        deserializer.deserialize_any(Nested(self))
    }
}

/// Objects and arrays; a scalar where one of these is expected does not fit.
struct Nested<'a>(&'a mut Column);

impl<'de> Visitor<'de> for Nested<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> std::result::Result<(), E> {
        self.0.append_absent().map_err(E::custom)
    }

    fn visit_bool<E: Error>(self, value: bool) -> std::result::Result<(), E> {
        self.0.misfit(&value.to_string()).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, value: i64) -> std::result::Result<(), E> {
        self.0.misfit(&value.to_string()).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, value: u64) -> std::result::Result<(), E> {
        self.0.misfit(&value.to_string()).map_err(E::custom)
    }

    fn visit_f64<E: Error>(self, value: f64) -> std::result::Result<(), E> {
        self.0.misfit(&value.to_string()).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, value: &str) -> std::result::Result<(), E> {
        self.0.misfit(value).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        match &mut self.0.kind {
            Kind::Struct(children, nulls) => {
                read_object(children, &mut map)?;
                nulls.append_non_null();
            }
            Kind::Map(key, value, offsets, nulls) => {
                while let Some(name) = map.next_key::<std::borrow::Cow<str>>()? {
                    if !key.append_text(&name, true) {
                        return Err(A::Error::custom(format!("the map key {name} is not of its type")));
                    }
                    map.next_value_seed(&mut **value)?;
                }
                offsets.push(i32::try_from(key.rows).map_err(A::Error::custom)?);
                nulls.append_non_null();
            }
            _ => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                return self.0.misfit("an object").map_err(A::Error::custom);
            }
        }
        self.0.rows += 1;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> std::result::Result<(), A::Error> {
        let Kind::List(child, offsets, nulls) = &mut self.0.kind else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return self.0.misfit("an array").map_err(A::Error::custom);
        };
        while items.next_element_seed(&mut **child)?.is_some() {}
        offsets.push(i32::try_from(child.rows).map_err(A::Error::custom)?);
        nulls.append_non_null();
        self.0.rows += 1;
        Ok(())
    }
}

/// The fields of one object into their columns: unknown ones are skipped, absent ones are null. A name that occurs
/// twice is refused: readers would disagree on what it means.
pub fn read_object<'de, A: MapAccess<'de>>(columns: &mut [Column], map: &mut A) -> std::result::Result<(), A::Error> {
    let rows = columns.first().map_or(0, |column| column.rows);
    while let Some(name) = map.next_key::<std::borrow::Cow<str>>()? {
        match columns.iter_mut().find(|column| column.field.name == name) {
            Some(column) if column.rows == rows => map.next_value_seed(column)?,
            Some(column) if column.lenient => {
                map.next_value::<IgnoredAny>()?;
            }
            Some(_) => return Err(A::Error::custom(format!("the field {name} occurs twice"))),
            None => {
                map.next_value::<IgnoredAny>()?;
            }
        }
    }
    for column in columns.iter_mut().filter(|column| column.rows == rows) {
        column.append_absent().map_err(A::Error::custom)?;
    }
    Ok(())
}
