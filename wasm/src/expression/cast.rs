//! SQL CAST between Delta's leaf types; a value that cannot be converted gives NULL.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, PrimitiveArray, StringArray};
use arrow_schema::DataType;

use super::cell::{Cell, cell};
use crate::error::{CoreError, Result};
use crate::text;
use crate::wire::type_name;

/// Whether one type can be cast to another at all.
pub fn check(from: &DataType, to: &DataType) -> Result<()> {
    use DataType::*;
    let numeric = |ty: &DataType| matches!(ty, Int8 | Int16 | Int32 | Int64 | Float32 | Float64 | Decimal128(..));
    let temporal = |ty: &DataType| matches!(ty, Date32 | Timestamp(..));
    let fits = from == to
        || *from == Null
        || (!to.is_nested() && *from == Utf8)
        || (!from.is_nested() && *to == Utf8)
        || (numeric(from) && (numeric(to) || *to == Boolean))
        || (*from == Boolean && numeric(to))
        || (temporal(from) && temporal(to));
    if fits {
        return Ok(());
    }
    Err(CoreError::expression(format!("{} cannot be cast to {}", type_name(from), type_name(to))))
}

pub fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(array.clone());
    }
    if *array.data_type() == DataType::Null {
        return Ok(arrow_array::new_null_array(to, array.len()));
    }
    let cells = || (0..array.len()).map(|row| cell(array, row));
    Ok(match to {
        DataType::Boolean => Arc::new(cells().map(|c| to_boolean(&c)).collect::<BooleanArray>()),
        DataType::Int8 => integers::<Int8Type>(cells()),
        DataType::Int16 => integers::<Int16Type>(cells()),
        DataType::Int32 => integers::<Int32Type>(cells()),
        DataType::Int64 => integers::<Int64Type>(cells()),
        DataType::Float32 => {
            Arc::new(cells().map(|c| to_float(&c).map(|v| v as f32)).collect::<PrimitiveArray<Float32Type>>())
        }
        DataType::Float64 => Arc::new(cells().map(|c| to_float(&c)).collect::<PrimitiveArray<Float64Type>>()),
        DataType::Utf8 => Arc::new(cells().map(|c| to_text(&c)).collect::<StringArray>()),
        DataType::Binary => Arc::new(cells().map(|c| to_text(&c).map(String::into_bytes)).collect::<BinaryArray>()),
        DataType::Date32 => Arc::new(cells().map(|c| to_date(&c)).collect::<PrimitiveArray<Date32Type>>()),
        DataType::Timestamp(_, zone) => {
            let micros = cells().map(|c| to_timestamp(&c, zone.is_some()));
            let array = micros.collect::<PrimitiveArray<TimestampMicrosecondType>>();
            Arc::new(array.with_timezone_opt(zone.clone()))
        }
        DataType::Decimal128(precision, scale) => {
            let values = cells().map(|c| to_decimal(&c, *precision, *scale));
            let array = values.collect::<PrimitiveArray<Decimal128Type>>();
            Arc::new(array.with_precision_and_scale(*precision, *scale)?)
        }
        other => return Err(CoreError::expression(format!("nothing can be cast to {}", type_name(other)))),
    })
}

fn integers<'a, T: ArrowPrimitiveType>(cells: impl Iterator<Item = Cell<'a>>) -> ArrayRef
where
    T::Native: TryFrom<i64>,
{
    let values = cells.map(|c| to_integer(&c).and_then(|value| T::Native::try_from(value).ok()));
    Arc::new(values.collect::<PrimitiveArray<T>>())
}

fn to_boolean(value: &Cell) -> Option<bool> {
    match value {
        Cell::Boolean(value) => Some(*value),
        Cell::Integer(value) => Some(*value != 0),
        Cell::Float(value) => Some(*value != 0.0),
        Cell::Decimal(value, _) => Some(*value != 0),
        Cell::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "1" => Some(true),
            "false" | "f" | "no" | "n" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Fractions are cut off.
fn to_integer(value: &Cell) -> Option<i64> {
    match value {
        Cell::Boolean(value) => Some((*value).into()),
        Cell::Integer(value) => Some(*value),
        Cell::Float(value) => {
            let whole = value.trunc();
            (whole >= -9_223_372_036_854_775_808.0 && whole < 9_223_372_036_854_775_808.0).then_some(whole as i64)
        }
        Cell::Decimal(value, scale) => i64::try_from(value / 10_i128.pow(*scale as u32)).ok(),
        Cell::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn to_float(value: &Cell) -> Option<f64> {
    match value {
        Cell::Boolean(value) => Some(f64::from(u8::from(*value))),
        Cell::Integer(value) => Some(*value as f64),
        Cell::Float(value) => Some(*value),
        // Through text: correctly rounded, as a quotient of two floats is not.
        Cell::Decimal(value, scale) => text::format_decimal(*value, *scale).parse().ok(),
        Cell::Text(text) => text::parse_float(text),
        _ => None,
    }
}

fn to_text(value: &Cell) -> Option<String> {
    Some(match value {
        Cell::Null => return None,
        Cell::Boolean(value) => value.to_string(),
        Cell::Integer(value) => value.to_string(),
        Cell::Float(value) => float_text(*value),
        Cell::Text(text) => (*text).to_owned(),
        Cell::Binary(bytes) => std::str::from_utf8(bytes).ok()?.to_owned(),
        Cell::Date(days) => text::format_date(*days),
        Cell::Timestamp(micros, _) => {
            let text = text::format_timestamp(*micros, ' ', 6);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Cell::Decimal(value, scale) => text::format_decimal(*value, *scale),
    })
}

/// As Java prints a double: plain between 1e-3 and 1e7, else with an exponent.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let size = value.abs();
    if value == 0.0 || (1e-3..1e7).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:E}");
    match text.split_once('E') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0E{exponent}"),
        _ => text,
    }
}

fn to_date(value: &Cell) -> Option<i32> {
    match value {
        Cell::Date(days) => Some(*days),
        Cell::Timestamp(micros, _) => i32::try_from(micros.div_euclid(text::MICROS_PER_DAY)).ok(),
        Cell::Text(text) => text::parse_date(text),
        _ => None,
    }
}

fn to_timestamp(value: &Cell, zoned: bool) -> Option<i64> {
    match value {
        Cell::Date(days) => i64::from(*days).checked_mul(text::MICROS_PER_DAY),
        Cell::Timestamp(micros, _) => Some(*micros),
        Cell::Text(text) => text::parse_timestamp(text, zoned),
        _ => None,
    }
}

/// Rounded half up where digits are lost, as Spark casts.
fn to_decimal(value: &Cell, precision: u8, scale: i8) -> Option<i128> {
    let (unscaled, from) = match value {
        Cell::Boolean(value) => (i128::from(*value), 0),
        Cell::Integer(value) => (i128::from(*value), 0),
        Cell::Decimal(value, from) => (*value, *from),
        Cell::Float(value) => decimal_of_text(&format!("{value:?}"))?,
        Cell::Text(text) => decimal_of_text(text)?,
        _ => return None,
    };
    let steps = i32::from(scale) - i32::from(from);
    let factor = 10_i128.checked_pow(steps.unsigned_abs())?;
    let scaled = if steps >= 0 { unscaled.checked_mul(factor)? } else { round_half_up(unscaled, factor) };
    (scaled.unsigned_abs() < 10_u128.pow(u32::from(precision))).then_some(scaled)
}

fn round_half_up(value: i128, factor: i128) -> i128 {
    let (whole, rest) = (value / factor, value % factor);
    if rest.unsigned_abs() * 2 >= factor.unsigned_abs() { whole + value.signum() } else { whole }
}

/// A number's text as an unscaled value with as many decimals as it has.
fn decimal_of_text(text: &str) -> Option<(i128, i8)> {
    let digits = text.trim();
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], digits[at + 1..].parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let scale = (i32::try_from(decimals).ok()? - exponent).clamp(0, 38) as i8;
    Some((text::parse_decimal(digits, 38, scale)?, scale))
}
