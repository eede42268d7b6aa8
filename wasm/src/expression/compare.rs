//! Comparing values of one type, and which types compare.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::cell::{Cell, cell};
use super::parse::Op;
use crate::error::{CoreError, Result};
use crate::wire::type_name;

impl Op {
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            Op::Less => ordering.is_lt(),
            Op::LessOrEqual => ordering.is_le(),
            Op::Greater => ordering.is_gt(),
            Op::GreaterOrEqual => ordering.is_ge(),
            Op::Equal => ordering.is_eq(),
            Op::NotEqual => ordering.is_ne(),
        }
    }
}

#[derive(PartialEq)]
enum Family {
    Integer,
    Float,
    Decimal,
    Other(DataType),
}

fn family(ty: &DataType) -> Family {
    match ty {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Family::Integer,
        DataType::Float32 | DataType::Float64 => Family::Float,
        DataType::Decimal128(..) => Family::Decimal,
        other => Family::Other(other.clone()),
    }
}

/// Widths of one family compare; families do not mix, and nested values do not compare.
pub fn comparable(left: &DataType, right: &DataType) -> bool {
    if matches!(left, DataType::Null) || matches!(right, DataType::Null) {
        return !left.is_nested() && !right.is_nested();
    }
    !left.is_nested() && family(left) == family(right)
}

/// Floats in Spark's order: NaN equal to itself and greatest, −0 = +0.
pub fn compare_floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()))
}

/// Decimals of any scales, exactly.
pub fn compare_decimals(left: (i128, i8), right: (i128, i8)) -> Ordering {
    let (a, b) = (left.0, right.0);
    let steps = i32::from(right.1) - i32::from(left.1);
    let Some(factor) = 10_i128.checked_pow(steps.unsigned_abs()) else { return a.signum().cmp(&b.signum()) };
    if steps >= 0 {
        // a · 10^steps against b: where that overflows, a is the larger by far.
        a.checked_mul(factor).map_or_else(|| a.signum().cmp(&0), |scaled| scaled.cmp(&b))
    } else {
        b.checked_mul(factor).map_or_else(|| 0.cmp(&b.signum()), |scaled| a.cmp(&scaled))
    }
}

/// The ordering of two rows that are not null.
pub type Comparator<'a> = Box<dyn Fn(usize, usize) -> Ordering + 'a>;

/// Compares rows of two leaf columns of comparable types.
pub fn comparator<'a>(left: &'a ArrayRef, right: &'a ArrayRef) -> Comparator<'a> {
    macro_rules! primitive {
        ($ty:ty) => {{
            let (a, b) = (left.as_primitive::<$ty>().values(), right.as_primitive::<$ty>().values());
            return Box::new(move |i, j| a[i].cmp(&b[j]));
        }};
    }
    if left.data_type() == right.data_type() {
        match left.data_type() {
            DataType::Int32 => primitive!(Int32Type),
            DataType::Int64 => primitive!(Int64Type),
            DataType::Date32 => primitive!(Date32Type),
            DataType::Timestamp(..) => primitive!(TimestampMicrosecondType),
            DataType::Decimal128(..) => primitive!(Decimal128Type),
            DataType::Float64 => {
                let (a, b) = (left.as_primitive::<Float64Type>().values(), right.as_primitive::<Float64Type>().values());
                return Box::new(move |i, j| compare_floats(a[i], b[j]));
            }
            DataType::Utf8 => {
                let (a, b) = (left.as_string::<i32>(), right.as_string::<i32>());
                return Box::new(move |i, j| a.value(i).as_bytes().cmp(b.value(j).as_bytes()));
            }
            _ => {}
        }
    }
    Box::new(|i, j| compare_cells(&cell(left, i), &cell(right, j)))
}

fn compare_cells(left: &Cell, right: &Cell) -> Ordering {
    match (left, right) {
        (Cell::Boolean(a), Cell::Boolean(b)) => a.cmp(b),
        (Cell::Integer(a), Cell::Integer(b)) => a.cmp(b),
        (Cell::Float(a), Cell::Float(b)) => compare_floats(*a, *b),
        (Cell::Text(a), Cell::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Cell::Binary(a), Cell::Binary(b)) => a.cmp(b),
        (Cell::Date(a), Cell::Date(b)) => a.cmp(b),
        (Cell::Timestamp(a, _), Cell::Timestamp(b, _)) => a.cmp(b),
        (Cell::Decimal(a, s), Cell::Decimal(b, t)) => compare_decimals((*a, *s), (*b, *t)),
        _ => Ordering::Equal,
    }
}

/// The type of an arithmetic result: operands are of one type, decimals grow as in Spark within 38 digits.
pub fn arithmetic_type(op: char, left: &DataType, right: &DataType) -> Result<DataType> {
    if !matches!(op, '+' | '-' | '*' | '/') {
        return Err(CoreError::expression(format!("unknown operator {op}")));
    }
    match (left, right) {
        (DataType::Null, other) | (other, DataType::Null) if is_numeric(other) || *other == DataType::Null => {
            Ok(other.clone())
        }
        (DataType::Decimal128(p, s), DataType::Decimal128(q, t)) => match op {
            '+' | '-' => {
                let scale = *s.max(t);
                let whole = (*p as i8 - s).max(*q as i8 - t);
                Ok(DataType::Decimal128((whole + scale + 1).min(38) as u8, scale))
            }
            '*' if s + t <= 38 => Ok(DataType::Decimal128((p + q + 1).min(38), s + t)),
            _ => Err(CoreError::expression("decimals cannot be divided; cast to double first")),
        },
        (a, b) if a == b && is_numeric(a) => Ok(a.clone()),
        _ => {
            let (left, right) = (type_name(left), type_name(right));
            Err(CoreError::expression(format!("{left} {op} {right}: the operands must be of one numeric type")))
        }
    }
}

fn is_numeric(ty: &DataType) -> bool {
    family(ty) == Family::Integer || family(ty) == Family::Float || family(ty) == Family::Decimal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_one_total_order() {
        assert_eq!(compare_floats(f64::NAN, f64::NAN), Ordering::Equal);
        assert_eq!(compare_floats(f64::NAN, f64::INFINITY), Ordering::Greater);
        assert_eq!(compare_floats(-0.0, 0.0), Ordering::Equal);
    }

    #[test]
    fn decimals_compare_across_scales() {
        assert_eq!(compare_decimals((15, 1), (150, 2)), Ordering::Equal);
        assert_eq!(compare_decimals((-1, 0), (1, 38)), Ordering::Less);
        assert_eq!(compare_decimals((10_i128.pow(37), 0), (1, 38)), Ordering::Greater);
    }
}
