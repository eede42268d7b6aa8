//! Expressions and predicates on Arrow batches, on the types that Delta has. Three-valued logic; floats in one total
//! order (NaN greatest, −0 = +0); strings by bytes, which is by code points.

mod cast;
mod cell;
mod compare;
mod evaluate;
mod parse;
mod to_json;
mod tri;

use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Schema, SchemaRef};
use serde_json::Value;

use crate::error::{CoreError, Result};
use crate::exchange::{output_schema, retype, same_shape};
use crate::wire::{self, WireField, WireType};

pub use parse::{Expr, Pred};

/// An expression bound to its input schema.
pub enum Compiled {
    Expression { expr: Expr, output: DataType, fields: Option<SchemaRef> },
    Predicate(Pred),
}

impl Compiled {
    pub fn expression(input: &[WireField], json: &[u8], output: &[u8]) -> Result<Self> {
        let output_json: Value = serde_json::from_slice(output).map_err(CoreError::internal)?;
        let wire = wire::parse_type(&output_json, 0)?;
        let expr = parse::Parser::new(input).expression(&parse_json(json)?, 0)?;
        let (found, wanted) = (expr.ty(), wire.arrow());
        if !same_shape(&found, &wanted) {
            let message = format!("the expression gives {found:?} where {wanted:?} is wanted");
            return Err(CoreError::expression(message));
        }
        let fields = match &wire {
            WireType::Struct(fields) => {
                let nullable: Vec<_> = fields.iter().map(|f| WireField { nullable: true, ..f.clone() }).collect();
                Some(Arc::new(wire::arrow_schema(&nullable)) as SchemaRef)
            }
            _ => None,
        };
        Ok(Self::Expression { expr, output: wanted, fields })
    }

    pub fn predicate(input: &[WireField], json: &[u8]) -> Result<Self> {
        Ok(Self::Predicate(parse::Parser::new(input).predicate(&parse_json(json)?, 0)?))
    }

    /// One row out per row in.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        match self {
            Self::Predicate(predicate) => {
                let column = evaluate::predicate(predicate, batch)?.into_array();
                Ok(RecordBatch::try_new(output_schema(DataType::Boolean), vec![Arc::new(column)])?)
            }
            Self::Expression { expr, output, fields } => {
                let value = evaluate::expression(expr, batch)?.into_array(rows)?;
                let value = retype(&value, output)?;
                match fields {
                    None => Ok(RecordBatch::try_new(output_schema(output.clone()), vec![value])?),
                    Some(schema) => flatten(&value, schema, rows),
                }
            }
        }
    }
}

/// A struct's fields as columns; where the struct is null, all of them are.
fn flatten(value: &dyn Array, schema: &Arc<Schema>, rows: usize) -> Result<RecordBatch> {
    let value = value
        .as_any()
        .downcast_ref::<StructArray>()
        .ok_or_else(|| CoreError::internal("a struct expression gave no struct"))?;
    let columns = value.columns().iter().map(|column| evaluate::mask(column, value.nulls())).collect::<Result<_>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}

fn parse_json(json: &[u8]) -> Result<Value> {
    serde_json::from_slice(json).map_err(|error| CoreError::expression(format!("not an expression: {error}")))
}
