//! Three-valued columns: which rows are true and which are false; the rest is NULL. Kleene logic is bit logic.

use arrow_array::{Array, BooleanArray};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer};

pub struct Tri {
    pub yes: BooleanBuffer,
    pub no: BooleanBuffer,
}

impl Tri {
    /// From one answer per row.
    pub fn from_rows(rows: usize, answer: impl Fn(usize) -> Option<bool>) -> Self {
        let (mut yes, mut no) = (BooleanBufferBuilder::new(rows), BooleanBufferBuilder::new(rows));
        for row in 0..rows {
            let value = answer(row);
            yes.append(value == Some(true));
            no.append(value == Some(false));
        }
        Self { yes: yes.finish(), no: no.finish() }
    }

    pub fn constant(rows: usize, value: Option<bool>) -> Self {
        let all = |set: bool| if set { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) };
        Self { yes: all(value == Some(true)), no: all(value == Some(false)) }
    }

    pub fn from_array(array: &BooleanArray) -> Self {
        let valid = array.nulls().map_or_else(|| BooleanBuffer::new_set(array.len()), |nulls| nulls.inner().clone());
        Self { yes: array.values() & &valid, no: &!array.values() & &valid }
    }

    pub fn into_array(self) -> BooleanArray {
        let known = NullBuffer::new(&self.yes | &self.no);
        let nulls = (known.null_count() > 0).then_some(known);
        BooleanArray::new(self.yes, nulls)
    }

    pub fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    pub fn and(self, other: &Self) -> Self {
        Self { yes: &self.yes & &other.yes, no: &self.no | &other.no }
    }

    pub fn or(self, other: &Self) -> Self {
        Self { yes: &self.yes | &other.yes, no: &self.no & &other.no }
    }
}
