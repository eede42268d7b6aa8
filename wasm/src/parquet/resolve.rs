//! Column resolution: which leaf columns of a file make the requested fields, and how.
//!
//! At every level a requested field with a field id matches by id; without one, or in a file that has no field id at
//! all, it matches by name. In a file with any field id, an id that is not found is an absent column even if a name
//! matches: it may be a dropped column's data (`PROTOCOL.md`, "Reader Requirements for Column Mapping").

use arrow_schema::{DataType, Field, Fields, Schema};

use super::footer::field_id;
use crate::error::{CoreError, Result};
use crate::wire::{WireField, WireType};

/// How one requested field comes to be.
#[derive(Debug)]
pub enum Source {
    /// All null.
    Missing,
    /// The child at `at` among the children that are read, converted by `node`.
    Column { at: usize, node: Node },
}

/// How a file's array becomes the requested one.
#[derive(Debug)]
pub enum Node {
    Leaf,
    Struct(Vec<Source>),
    List(Box<Node>),
    Map(Box<Node>, Box<Node>),
}

/// What to read of a file for a requested schema.
#[derive(Debug)]
pub struct Resolution {
    /// Parquet leaf columns, ascending.
    pub leaves: Vec<usize>,
    /// One per requested field that is not generated, in order.
    pub sources: Vec<Source>,
}

/// Resolves the requested fields that are stored in the file.
pub fn resolve(schema: &Schema, requested: &[WireField]) -> Result<Resolution> {
    let mut resolver = Resolver { by_id: has_field_ids(schema.fields()), leaves: Vec::new() };
    let stored: Vec<&WireField> = requested.iter().filter(|field| field.generated.is_none()).collect();
    let sources = resolver.children(schema.fields(), 0, &stored, "")?;
    let mut leaves = resolver.leaves;
    leaves.sort_unstable();
    leaves.dedup();
    Ok(Resolution { leaves, sources })
}

fn has_field_ids(fields: &Fields) -> bool {
    fields.iter().any(|field| field_id(field).is_some() || children(field.data_type()).iter().any(|child| has_id(child)))
}

fn has_id(field: &Field) -> bool {
    field_id(field).is_some() || children(field.data_type()).iter().any(|child| has_id(child))
}

fn children(ty: &DataType) -> Vec<&Field> {
    match ty {
        DataType::Struct(fields) => fields.iter().map(AsRef::as_ref).collect(),
        DataType::List(child) | DataType::Map(child, _) => vec![child.as_ref()],
        _ => Vec::new(),
    }
}

/// Leaf columns below a type.
pub fn leaf_count(ty: &DataType) -> usize {
    match ty {
        DataType::Struct(fields) => fields.iter().map(|field| leaf_count(field.data_type())).sum(),
        DataType::List(child) | DataType::Map(child, _) => leaf_count(child.data_type()),
        _ => 1,
    }
}

struct Resolver {
    by_id: bool,
    leaves: Vec<usize>,
}

impl Resolver {
    /// Resolves fields among `fields`, whose leaves begin at `first_leaf`.
    fn children(&mut self, fields: &Fields, first_leaf: usize, requested: &[&WireField], parent: &str) -> Result<Vec<Source>> {
        let matches: Vec<Option<usize>> = requested.iter().map(|wanted| self.find(fields, wanted)).collect();
        let mut read: Vec<usize> = matches.iter().flatten().copied().collect();
        read.sort_unstable();
        read.dedup();
        let mut sources = Vec::with_capacity(requested.len());
        for (wanted, found) in requested.iter().zip(matches) {
            let path = if parent.is_empty() { wanted.name.clone() } else { format!("{parent}.{}", wanted.name) };
            let Some(at) = found else {
                if !wanted.nullable {
                    return Err(CoreError::schema(format!("column {path} is not nullable and the file does not have it")));
                }
                sources.push(Source::Missing);
                continue;
            };
            let leaf = first_leaf + fields[..at].iter().map(|field| leaf_count(field.data_type())).sum::<usize>();
            let node = self.node(fields[at].data_type(), leaf, &wanted.ty, &path)?;
            sources.push(Source::Column { at: read.partition_point(|other| *other < at), node });
        }
        Ok(sources)
    }

    fn find(&self, fields: &Fields, wanted: &WireField) -> Option<usize> {
        // A void column is not stored; whatever carries its name is something else.
        if matches!(wanted.ty, WireType::Leaf(DataType::Null)) {
            return None;
        }
        match wanted.field_id {
            Some(id) if self.by_id => fields.iter().position(|field| field_id(field) == Some(id)),
            _ => fields.iter().position(|field| *field.name() == wanted.name),
        }
    }

    fn node(&mut self, ty: &DataType, first_leaf: usize, wanted: &WireType, path: &str) -> Result<Node> {
        match (wanted, ty) {
            (WireType::Struct(_) | WireType::Variant, DataType::Struct(fields)) => {
                let requested = wanted.struct_fields().unwrap_or_default();
                let before = self.leaves.len();
                let sources = self.children(fields, first_leaf, &requested.iter().collect::<Vec<_>>(), path)?;
                if self.leaves.len() == before {
                    return Ok(self.validity_only(fields, first_leaf, sources));
                }
                Ok(Node::Struct(sources))
            }
            (WireType::List(element), DataType::List(child)) => {
                let node = self.node(child.data_type(), first_leaf, &element.ty, &format!("{path}.element"))?;
                Ok(Node::List(Box::new(node)))
            }
            (WireType::Map(key, value), DataType::Map(entries, _)) => {
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(mismatch(path, ty, wanted));
                };
                let [file_key, file_value] = pair.as_ref() else {
                    return Err(CoreError::schema(format!("column {path}: the file's map has no values")));
                };
                let value_leaf = first_leaf + leaf_count(file_key.data_type());
                let key = self.node(file_key.data_type(), first_leaf, &key.ty, &format!("{path}.key"))?;
                let value = self.node(file_value.data_type(), value_leaf, &value.ty, &format!("{path}.value"))?;
                Ok(Node::Map(Box::new(key), Box::new(value)))
            }
            (WireType::Leaf(_), DataType::Struct(_) | DataType::List(_) | DataType::Map(..)) => {
                Err(mismatch(path, ty, wanted))
            }
            (WireType::Leaf(_), _) => {
                self.leaves.push(first_leaf);
                Ok(Node::Leaf)
            }
            _ => Err(mismatch(path, ty, wanted)),
        }
    }

    /// A struct of which no requested child is stored: its first leaf is read to know where it is null.
    fn validity_only(&mut self, fields: &Fields, first_leaf: usize, sources: Vec<Source>) -> Node {
        if fields.iter().any(|field| leaf_count(field.data_type()) > 0) {
            self.leaves.push(first_leaf);
        }
        Node::Struct(sources)
    }
}

fn mismatch(path: &str, ty: &DataType, wanted: &WireType) -> CoreError {
    let (file, table) = (crate::wire::type_name(ty), crate::wire::type_name(&wanted.arrow()));
    CoreError::schema(format!("column {path}: the file has {file} where the table has {table}"))
}
