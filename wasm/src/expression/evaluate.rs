//! Evaluating bound expressions and predicates.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, ListArray, PrimitiveArray, RecordBatch, StructArray, make_array, new_null_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{DataType, Field};

use super::cell::{Cell, cell};
use super::compare::{Comparator, comparator};
use super::parse::{Expr, Op, Pred};
use super::tri::Tri;
use super::{cast, to_json};
use crate::error::{CoreError, Result};
use crate::exchange::retype;
use crate::json::{self, Column};
use crate::parquet::coerce::scale_decimal;
use crate::wire::WireField;

/// A column, or one row that stands for all.
pub enum Value {
    Rows(ArrayRef),
    Constant(ArrayRef),
}

impl Value {
    pub fn array(&self) -> &ArrayRef {
        match self {
            Value::Rows(array) | Value::Constant(array) => array,
        }
    }

    /// The row of the array that stands for `row`.
    fn at(&self, row: usize) -> usize {
        if matches!(self, Value::Constant(_)) { 0 } else { row }
    }

    fn is_null(&self, row: usize) -> bool {
        let array = self.array();
        *array.data_type() == DataType::Null || array.is_null(self.at(row))
    }

    pub fn into_array(self, rows: usize) -> Result<ArrayRef> {
        match self {
            Value::Rows(array) => Ok(array),
            Value::Constant(array) if array.is_null(0) || *array.data_type() == DataType::Null => {
                Ok(new_null_array(array.data_type(), rows))
            }
            Value::Constant(array) => pick(&[array], rows, |_| Some((0, 0))),
        }
    }
}

/// A column of rows picked from several of one type; none is null.
fn pick(arrays: &[ArrayRef], rows: usize, choose: impl Fn(usize) -> Option<(usize, usize)>) -> Result<ArrayRef> {
    let data: Vec<_> = arrays.iter().map(|array| array.to_data()).collect();
    let mut out = MutableArrayData::new(data.iter().collect(), true, rows);
    for row in 0..rows {
        match choose(row) {
            Some((array, at)) => out.try_extend(array, at, at + 1)?,
            None => out.try_extend_nulls(1)?,
        }
    }
    Ok(make_array(out.freeze()))
}

/// `array` with the rows null that `parent` has null.
pub fn mask(array: &ArrayRef, parent: Option<&NullBuffer>) -> Result<ArrayRef> {
    if parent.is_none() || *array.data_type() == DataType::Null {
        return Ok(array.clone());
    }
    let nulls = NullBuffer::union(array.nulls(), parent);
    let data = array.to_data().into_builder().nulls(nulls).build()?;
    Ok(make_array(data))
}

pub fn expression(expr: &Expr, batch: &RecordBatch) -> Result<Value> {
    let rows = batch.num_rows();
    Ok(Value::Rows(match expr {
        Expr::Literal(array) => return Ok(Value::Constant(array.clone())),
        Expr::Unknown => new_null_array(&DataType::Null, rows),
        Expr::Column { path, .. } => column(path, batch)?,
        Expr::Predicate(inner) => Arc::new(predicate(inner, batch)?.into_array()),
        Expr::Cast { input, ty } => cast::cast(&expression(input, batch)?.into_array(rows)?, ty)?,
        Expr::ToJson(input) => Arc::new(to_json::to_json(&expression(input, batch)?.into_array(rows)?)),
        Expr::Arithmetic { op, left, right, ty } => {
            arithmetic(*op, &expression(left, batch)?, &expression(right, batch)?, ty, rows)?
        }
        Expr::Struct { fields, keep, ty } => {
            let columns = fields.iter().map(|field| expression(field, batch)?.into_array(rows));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let nulls = keep.as_ref().map(|keep| predicate(keep, batch)).transpose()?.map(|keep| NullBuffer::new(keep.yes));
            struct_of(ty, columns, nulls, rows)?
        }
        Expr::Array { elements, ty } => array_of(elements, ty, batch)?,
        Expr::Coalesce { inputs, ty } => {
            let values = inputs.iter().map(|input| expression(input, batch)).collect::<Result<Vec<_>>>()?;
            let arrays = values.iter().map(|value| retype(value.array(), ty)).collect::<Result<Vec<_>>>()?;
            pick(&arrays, rows, |row| {
                values.iter().position(|value| !value.is_null(row)).map(|found| (found, values[found].at(row)))
            })?
        }
        Expr::ParseJson { input, fields, .. } => {
            let strings = retype(&expression(input, batch)?.into_array(rows)?, &DataType::Utf8)?;
            let parsed = json::parse_column(strings.as_string(), fields)?;
            struct_of(&DataType::Struct(parsed.schema().fields().clone()), parsed.columns().to_vec(), None, rows)?
        }
        Expr::MapToStruct { input, fields, lenient, .. } => {
            map_to_struct(&expression(input, batch)?.into_array(rows)?, fields, *lenient)?
        }
    }))
}

fn struct_of(ty: &DataType, columns: Vec<ArrayRef>, nulls: Option<NullBuffer>, rows: usize) -> Result<ArrayRef> {
    let DataType::Struct(fields) = ty else { return Err(CoreError::internal("not a struct")) };
    if columns.is_empty() {
        return Ok(Arc::new(StructArray::new_empty_fields(rows, nulls)));
    }
    Ok(Arc::new(StructArray::try_new(fields.clone(), columns, nulls)?))
}

fn column(path: &[usize], batch: &RecordBatch) -> Result<ArrayRef> {
    let missing = || CoreError::internal("the batch is not of the input schema");
    let (first, rest) = path.split_first().ok_or_else(missing)?;
    let mut array = batch.columns().get(*first).ok_or_else(missing)?.clone();
    for at in rest {
        let parent = array.as_struct_opt().ok_or_else(missing)?;
        array = mask(parent.columns().get(*at).ok_or_else(missing)?, parent.nulls())?;
    }
    Ok(array)
}

fn array_of(elements: &[Expr], ty: &DataType, batch: &RecordBatch) -> Result<ArrayRef> {
    let rows = batch.num_rows();
    let DataType::List(field) = ty else { return Err(CoreError::internal("not an array")) };
    let values = elements.iter().map(|element| expression(element, batch)).collect::<Result<Vec<_>>>()?;
    let arrays = values.iter().map(|value| retype(value.array(), field.data_type())).collect::<Result<Vec<_>>>()?;
    let width = values.len();
    let flat = match width {
        0 => new_null_array(field.data_type(), 0),
        _ => pick(&arrays, rows * width, |at| Some((at % width, values[at % width].at(at / width))))?,
    };
    let field = Arc::new(Field::new("element", flat.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(width, rows));
    Ok(Arc::new(ListArray::try_new(field, offsets, flat, None)?))
}

/// Typed values of a map of strings, by the rules of partition values.
fn map_to_struct(array: &ArrayRef, fields: &[WireField], lenient: bool) -> Result<ArrayRef> {
    let map = array.as_map();
    let (keys, values) = (map.keys().as_string::<i32>(), map.values().as_string::<i32>());
    let mut columns = fields.iter().map(|field| Column::new(field, lenient)).collect::<Result<Vec<_>>>()?;
    for row in 0..map.len() {
        let entries = if map.is_null(row) { 0..0 } else { map.value_offsets()[row]..map.value_offsets()[row + 1] };
        for column in &mut columns {
            let found = entries.clone().rev().map(|at| at as usize).find(|at| keys.value(*at) == column.field.name);
            let text = found.filter(|at| values.is_valid(*at)).map(|at| values.value(at));
            match text {
                Some(text) if !text.is_empty() || column.takes_empty_text() => {
                    if !column.append_plain(text) {
                        if !lenient {
                            let ty = crate::wire::type_name(&column.field.ty.arrow());
                            let name = &column.field.name;
                            return Err(CoreError::parse(format!("partition value {text:?} of {name} is not of type {ty}")));
                        }
                        column.append_null();
                    }
                }
                _ => column.append_null(),
            }
        }
    }
    let arrays = columns.into_iter().map(Column::finish).collect::<Result<Vec<_>>>()?;
    let relaxed: Vec<_> = fields.iter().map(|field| WireField { nullable: true, ..field.clone() }).collect();
    struct_of(&DataType::Struct(crate::wire::arrow_fields(&relaxed)), arrays, None, map.len())
}

fn arithmetic(op: char, left: &Value, right: &Value, ty: &DataType, rows: usize) -> Result<ArrayRef> {
    match ty {
        DataType::Int8 => integers::<Int8Type>(op, left, right, rows),
        DataType::Int16 => integers::<Int16Type>(op, left, right, rows),
        DataType::Int32 => integers::<Int32Type>(op, left, right, rows),
        DataType::Int64 => integers::<Int64Type>(op, left, right, rows),
        DataType::Float32 => floats(op, left, right, rows)
            .map(|values| Arc::new(values.unary::<_, Float32Type>(|value| value as f32)) as ArrayRef),
        DataType::Float64 => floats(op, left, right, rows).map(|values| Arc::new(values) as ArrayRef),
        DataType::Decimal128(precision, scale) => decimals(op, left, right, (*precision, *scale), rows),
        _ => Ok(new_null_array(ty, rows)),
    }
}

fn pairs<'a>(left: &'a Value, right: &'a Value, rows: usize) -> impl Iterator<Item = (Cell<'a>, Cell<'a>)> {
    (0..rows).map(move |row| (cell(left.array(), left.at(row)), cell(right.array(), right.at(row))))
}

fn overflow(op: char) -> CoreError {
    CoreError::expression(if op == '/' { "division by zero or overflow" } else { "arithmetic overflow" })
}

fn integers<T: ArrowPrimitiveType>(op: char, left: &Value, right: &Value, rows: usize) -> Result<ArrayRef>
where
    T::Native: TryFrom<i64>,
{
    let values = pairs(left, right, rows).map(|pair| {
        let (Cell::Integer(a), Cell::Integer(b)) = pair else { return Ok(None) };
        let result = match op {
            '+' => a.checked_add(b),
            '-' => a.checked_sub(b),
            '*' => a.checked_mul(b),
            _ => a.checked_div(b),
        };
        result.and_then(|value| T::Native::try_from(value).ok()).map(Some).ok_or_else(|| overflow(op))
    });
    Ok(Arc::new(values.collect::<Result<PrimitiveArray<T>>>()?))
}

fn floats(op: char, left: &Value, right: &Value, rows: usize) -> Result<PrimitiveArray<Float64Type>> {
    let values = pairs(left, right, rows).map(|pair| {
        let (Cell::Float(a), Cell::Float(b)) = pair else { return None };
        Some(match op {
            '+' => a + b,
            '-' => a - b,
            '*' => a * b,
            _ => a / b,
        })
    });
    Ok(values.collect())
}

fn decimals(op: char, left: &Value, right: &Value, (precision, scale): (u8, i8), rows: usize) -> Result<ArrayRef> {
    let limit = 10_i128.pow(u32::from(precision));
    let values = pairs(left, right, rows).map(|pair| {
        let (Cell::Decimal(a, s), Cell::Decimal(b, t)) = pair else { return Ok(None) };
        let result = match op {
            '*' => a.checked_mul(b),
            _ => scale_decimal(a, s, scale).zip(scale_decimal(b, t, scale)).and_then(|(a, b)| {
                if op == '+' { a.checked_add(b) } else { a.checked_sub(b) }
            }),
        };
        result.filter(|value| value.abs() < limit).map(Some).ok_or_else(|| overflow(op))
    });
    let array = values.collect::<Result<PrimitiveArray<Decimal128Type>>>()?;
    Ok(Arc::new(array.with_precision_and_scale(precision, scale)?))
}

pub fn predicate(pred: &Pred, batch: &RecordBatch) -> Result<Tri> {
    let rows = batch.num_rows();
    Ok(match pred {
        Pred::Unknown => Tri::constant(rows, None),
        Pred::Not(input) => predicate(input, batch)?.not(),
        Pred::And(inputs) => inputs.iter().try_fold(Tri::constant(rows, Some(true)), |all, input| {
            Ok::<_, CoreError>(all.and(&predicate(input, batch)?))
        })?,
        Pred::Or(inputs) => inputs.iter().try_fold(Tri::constant(rows, Some(false)), |any, input| {
            Ok::<_, CoreError>(any.or(&predicate(input, batch)?))
        })?,
        Pred::Boolean(input) => {
            let array = expression(input, batch)?.into_array(rows)?;
            array.as_boolean_opt().map_or_else(|| Tri::constant(rows, None), Tri::from_array)
        }
        Pred::IsNull(input) => {
            let value = expression(input, batch)?;
            Tri::from_rows(rows, |row| Some(value.is_null(row)))
        }
        Pred::Comparison { op, left, right } => {
            compare(*op, &expression(left, batch)?, &expression(right, batch)?, rows)
        }
        Pred::Distinct { left, right } => distinct(&expression(left, batch)?, &expression(right, batch)?, rows),
        Pred::In { input, list } => {
            let input = expression(input, batch)?;
            list.iter().try_fold(Tri::constant(rows, Some(false)), |any, element| {
                Ok::<_, CoreError>(any.or(&compare(Op::Equal, &input, &expression(element, batch)?, rows)))
            })?
        }
        Pred::StartsWith { input, prefix } => {
            let value = expression(input, batch)?;
            match value.array().as_string_opt::<i32>() {
                None => Tri::constant(rows, None),
                Some(text) => Tri::from_rows(rows, |row| {
                    (!value.is_null(row)).then(|| text.value(value.at(row)).starts_with(prefix.as_str()))
                }),
            }
        }
    })
}

fn ordering<'a>(left: &'a Value, right: &'a Value) -> Option<Comparator<'a>> {
    let void = |value: &Value| *value.array().data_type() == DataType::Null;
    (!void(left) && !void(right)).then(|| comparator(left.array(), right.array()))
}

fn compare(op: Op, left: &Value, right: &Value, rows: usize) -> Tri {
    let Some(order) = ordering(left, right) else { return Tri::constant(rows, None) };
    Tri::from_rows(rows, |row| {
        let known = !left.is_null(row) && !right.is_null(row);
        known.then(|| op.holds(order(left.at(row), right.at(row))))
    })
}

fn distinct(left: &Value, right: &Value, rows: usize) -> Tri {
    let order = ordering(left, right);
    Tri::from_rows(rows, |row| {
        Some(match (left.is_null(row), right.is_null(row)) {
            (false, false) => order.as_ref().is_none_or(|order| order(left.at(row), right.at(row)).is_ne()),
            (a, b) => a != b,
        })
    })
}
