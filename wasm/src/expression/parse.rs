//! Expressions from JSON (`expression-json.ts` writes it), bound and typed against the input schema.

use arrow_array::{ArrayRef, new_null_array};
use arrow_schema::{DataType, Field, Fields, Schema};
use serde_json::Value;

use super::compare::{arithmetic_type, comparable};
use crate::error::{CoreError, Result};
use crate::json::Column;
use crate::wire::{self, MAX_DEPTH, WireField, type_name};

pub enum Expr {
    /// An array of one row.
    Literal(ArrayRef),
    Column { path: Vec<usize>, ty: DataType },
    Arithmetic { op: char, left: Box<Expr>, right: Box<Expr>, ty: DataType },
    Struct { fields: Vec<Expr>, keep: Option<Box<Pred>>, ty: DataType },
    Array { elements: Vec<Expr>, ty: DataType },
    Coalesce { inputs: Vec<Expr>, ty: DataType },
    Cast { input: Box<Expr>, ty: DataType },
    ToJson(Box<Expr>),
    ParseJson { input: Box<Expr>, fields: Vec<WireField>, ty: DataType },
    MapToStruct { input: Box<Expr>, fields: Vec<WireField>, lenient: bool, ty: DataType },
    Predicate(Box<Pred>),
    Unknown,
}

pub enum Pred {
    Boolean(Expr),
    Not(Box<Pred>),
    And(Vec<Pred>),
    Or(Vec<Pred>),
    Comparison { op: Op, left: Expr, right: Expr },
    Distinct { left: Expr, right: Expr },
    IsNull(Expr),
    In { input: Expr, list: Vec<Expr> },
    StartsWith { input: Expr, prefix: String },
    Unknown,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Op {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Expr {
    pub fn ty(&self) -> DataType {
        match self {
            Expr::Literal(array) => array.data_type().clone(),
            Expr::Column { ty, .. }
            | Expr::Arithmetic { ty, .. }
            | Expr::Struct { ty, .. }
            | Expr::Array { ty, .. }
            | Expr::Coalesce { ty, .. }
            | Expr::Cast { ty, .. }
            | Expr::ParseJson { ty, .. }
            | Expr::MapToStruct { ty, .. } => ty.clone(),
            Expr::ToJson(_) => DataType::Utf8,
            Expr::Predicate(_) => DataType::Boolean,
            Expr::Unknown => DataType::Null,
        }
    }
}

pub struct Parser {
    schema: Schema,
}

impl Parser {
    pub fn new(input: &[WireField]) -> Self {
        Self { schema: wire::arrow_schema(input) }
    }

    pub fn expression(&self, json: &Value, depth: usize) -> Result<Expr> {
        check_depth(depth)?;
        let child = |name: &str| self.child(json, name, depth);
        let children = |name: &str| -> Result<Vec<Expr>> {
            list(json, name)?.iter().map(|item| self.expression(item, depth + 1)).collect()
        };
        Ok(match kind(json)? {
            "literal" => Expr::Literal(literal(json)?),
            "column" => self.column(json)?,
            "arithmetic" => {
                let (left, right) = (child("left")?, child("right")?);
                let op = text(json, "op")?.chars().next().unwrap_or(' ');
                let ty = arithmetic_type(op, &left.ty(), &right.ty())?;
                Expr::Arithmetic { op, left, right, ty }
            }
            "struct" => {
                let fields = children("fields")?;
                let types: Fields =
                    fields.iter().enumerate().map(|(at, e)| Field::new(format!("c{at}"), e.ty(), true)).collect();
                let keep = json.get("keep").map(|keep| self.predicate(keep, depth + 1).map(Box::new)).transpose()?;
                Expr::Struct { fields, keep, ty: DataType::Struct(types) }
            }
            "array" => {
                let elements = children("inputs")?;
                let ty = common_type(&elements)?;
                let field = Field::new("element", ty, true);
                Expr::Array { elements, ty: DataType::List(field.into()) }
            }
            "coalesce" => {
                let inputs = children("inputs")?;
                let ty = common_type(&inputs)?;
                Expr::Coalesce { inputs, ty }
            }
            "cast" => {
                let input = child("input")?;
                let ty = wire::parse_type(json.get("type").unwrap_or(&Value::Null), 0)?.arrow();
                super::cast::check(&input.ty(), &ty)?;
                Expr::Cast { input, ty }
            }
            "toJson" => Expr::ToJson(child("input")?),
            "parseJson" => {
                let (input, fields) = (self.typed(json, &DataType::Utf8, depth)?, schema(json)?);
                let ty = DataType::Struct(nullable(&fields));
                Expr::ParseJson { input, fields, ty }
            }
            "mapToStruct" => {
                let (input, fields) = (child("input")?, schema(json)?);
                if !is_string_map(&input.ty()) {
                    return Err(CoreError::expression("mapToStruct wants a map of strings to strings"));
                }
                let lenient = json.get("lenient").and_then(Value::as_bool).unwrap_or(false);
                let ty = DataType::Struct(nullable(&fields));
                Expr::MapToStruct { input, fields, lenient, ty }
            }
            "predicate" => {
                let predicate = self.predicate(json.get("predicate").unwrap_or(&Value::Null), depth + 1)?;
                Expr::Predicate(Box::new(predicate))
            }
            "unknown" => Expr::Unknown,
            other => return Err(CoreError::expression(format!("unknown expression {other}"))),
        })
    }

    pub fn predicate(&self, json: &Value, depth: usize) -> Result<Pred> {
        check_depth(depth)?;
        let child = |name: &str| self.child(json, name, depth).map(|expr| *expr);
        Ok(match kind(json)? {
            "boolean" => {
                let expression = child("expression")?;
                expect(&expression.ty(), &DataType::Boolean)?;
                Pred::Boolean(expression)
            }
            "not" => Pred::Not(Box::new(self.predicate(json.get("input").unwrap_or(&Value::Null), depth + 1)?)),
            kind @ ("and" | "or") => {
                let inputs: Vec<Pred> =
                    list(json, "inputs")?.iter().map(|item| self.predicate(item, depth + 1)).collect::<Result<_>>()?;
                if kind == "and" { Pred::And(inputs) } else { Pred::Or(inputs) }
            }
            "comparison" => {
                let (left, right) = (child("left")?, child("right")?);
                check_comparable(&left, &right)?;
                Pred::Comparison { op: op(text(json, "op")?)?, left, right }
            }
            "distinct" => {
                let (left, right) = (child("left")?, child("right")?);
                check_comparable(&left, &right)?;
                Pred::Distinct { left, right }
            }
            "isNull" => Pred::IsNull(child("input")?),
            "in" => {
                let input = child("input")?;
                let elements = list(json, "list")?.iter().map(|item| literal(item).map(Expr::Literal));
                let list = elements.collect::<Result<Vec<_>>>()?;
                list.iter().try_for_each(|element| check_comparable(&input, element))?;
                Pred::In { input, list }
            }
            "startsWith" => {
                let input = *self.typed(json, &DataType::Utf8, depth)?;
                Pred::StartsWith { input, prefix: text(json, "prefix")?.to_owned() }
            }
            "unknown" => Pred::Unknown,
            other => return Err(CoreError::expression(format!("unknown predicate {other}"))),
        })
    }

    fn child(&self, json: &Value, name: &str, depth: usize) -> Result<Box<Expr>> {
        self.expression(json.get(name).unwrap_or(&Value::Null), depth + 1).map(Box::new)
    }

    fn typed(&self, json: &Value, ty: &DataType, depth: usize) -> Result<Box<Expr>> {
        let input = self.child(json, "input", depth)?;
        expect(&input.ty(), ty)?;
        Ok(input)
    }

    fn column(&self, json: &Value) -> Result<Expr> {
        let names = list(json, "path")?;
        let shown = || names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(".");
        let mut fields = Some(self.schema.fields());
        let mut path = Vec::with_capacity(names.len());
        let mut ty = DataType::Null;
        for name in names {
            let found = fields.and_then(|fields| fields.iter().position(|f| Some(f.name().as_str()) == name.as_str()));
            let (Some(at), Some(all)) = (found, fields) else {
                return Err(CoreError::expression(format!("unknown column {}", shown())));
            };
            path.push(at);
            ty = all[at].data_type().clone();
            fields = match all[at].data_type() {
                DataType::Struct(children) => Some(children),
                _ => None,
            };
        }
        if path.is_empty() {
            return Err(CoreError::expression("a column without a name"));
        }
        Ok(Expr::Column { path, ty })
    }
}

fn check_depth(depth: usize) -> Result<()> {
    if depth > 4 * MAX_DEPTH {
        return Err(CoreError::expression(format!("an expression nested deeper than {} levels", 4 * MAX_DEPTH)));
    }
    Ok(())
}

fn kind(json: &Value) -> Result<&str> {
    text(json, "kind")
}

fn text<'a>(json: &'a Value, name: &str) -> Result<&'a str> {
    json.get(name).and_then(Value::as_str).ok_or_else(|| CoreError::expression(format!("an expression without {name}")))
}

fn list<'a>(json: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    json.get(name).and_then(Value::as_array).ok_or_else(|| CoreError::expression(format!("an expression without {name}")))
}

fn schema(json: &Value) -> Result<Vec<WireField>> {
    wire::parse_fields(json.get("schema").unwrap_or(&Value::Null).to_string().as_bytes())
}

fn nullable(fields: &[WireField]) -> Fields {
    let fields: Vec<_> = fields.iter().map(|field| WireField { nullable: true, ..field.clone() }).collect();
    wire::arrow_fields(&fields)
}

fn op(text: &str) -> Result<Op> {
    Ok(match text {
        "<" => Op::Less,
        "<=" => Op::LessOrEqual,
        ">" => Op::Greater,
        ">=" => Op::GreaterOrEqual,
        "=" => Op::Equal,
        "!=" => Op::NotEqual,
        other => return Err(CoreError::expression(format!("unknown comparison {other}"))),
    })
}

fn expect(found: &DataType, wanted: &DataType) -> Result<()> {
    if found == wanted || *found == DataType::Null {
        return Ok(());
    }
    Err(CoreError::expression(format!("{} where {} is wanted", type_name(found), type_name(wanted))))
}

fn check_comparable(left: &Expr, right: &Expr) -> Result<()> {
    if comparable(&left.ty(), &right.ty()) {
        return Ok(());
    }
    let (left, right) = (type_name(&left.ty()), type_name(&right.ty()));
    Err(CoreError::expression(format!("{left} cannot be compared with {right}")))
}

/// The one type of several expressions, NULL literals aside.
fn common_type(inputs: &[Expr]) -> Result<DataType> {
    let mut types = inputs.iter().map(Expr::ty).filter(|ty| *ty != DataType::Null);
    let first = types.next().unwrap_or(DataType::Null);
    match types.find(|ty| *ty != first) {
        None => Ok(first),
        Some(other) => {
            let (a, b) = (type_name(&first), type_name(&other));
            Err(CoreError::expression(format!("values of the types {a} and {b} where one type is wanted")))
        }
    }
}

fn is_string_map(ty: &DataType) -> bool {
    let DataType::Map(entries, _) = ty else { return false };
    let DataType::Struct(pair) = entries.data_type() else { return false };
    pair.iter().all(|field| *field.data_type() == DataType::Utf8)
}

/// A typed value as an array of one row.
fn literal(json: &Value) -> Result<ArrayRef> {
    let ty = wire::parse_type(json.get("type").unwrap_or(&Value::Null), 0)?;
    let value = json.get("value").unwrap_or(&Value::Null);
    if value.is_null() {
        return Ok(new_null_array(&ty.arrow(), 1));
    }
    let field = WireField { name: "value".into(), ty, nullable: true, field_id: None, generated: None };
    let mut column = Column::new(&field, false)?;
    if column.append_literal(value) {
        return column.finish();
    }
    Err(CoreError::expression(format!("{value} is no value of its type")))
}
