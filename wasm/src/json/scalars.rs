//! Single values into columns: partition values and literals.

use serde_json::Value;

use super::builder::{Column, Kind, append};

impl Column {
    /// Appends a leaf from plain text, as a partition value is stored; false where it does not parse.
    pub fn append_plain(&mut self, text: &str) -> bool {
        match &mut self.kind {
            Kind::Boolean(_) if text.eq_ignore_ascii_case("true") => self.append_text("true", false),
            Kind::Boolean(_) if text.eq_ignore_ascii_case("false") => self.append_text("false", false),
            Kind::Text(_) | Kind::Binary(_) | Kind::Date(_) | Kind::Timestamp(..) => self.append_text(text, true),
            _ => self.append_text(text.trim(), false),
        }
    }

    /// Whether `""` is a value of this column's type; of every other it is null.
    pub fn takes_empty_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_) | Kind::Binary(_))
    }

    /// Appends a literal as `expression-json.ts` writes it: numbers, dates and timestamps as the number that Arrow
    /// stores, decimals unscaled, bytes in hex, nested values as lists; false where it does not fit.
    pub fn append_literal(&mut self, value: &Value) -> bool {
        match value {
            Value::Null => {
                self.append_null();
                true
            }
            Value::Bool(value) => self.append_plain(if *value { "true" } else { "false" }),
            Value::String(text) => self.append_stored(text),
            Value::Array(items) => self.append_items(items),
            _ => false,
        }
    }

    fn append_stored(&mut self, text: &str) -> bool {
        let fits = match &mut self.kind {
            Kind::Text(b) => append(Some(text), |v| b.append_value(v)),
            Kind::Binary(b) => append(from_hex(text), |v| b.append_value(v)),
            Kind::Date(b) => append(text.parse().ok(), |v| b.append_value(v)),
            Kind::Timestamp(b, _) => append(text.parse().ok(), |v| b.append_value(v)),
            Kind::Decimal(b, ..) => append(text.parse().ok(), |v| b.append_value(v)),
            _ => return self.append_text(text, false),
        };
        self.rows += usize::from(fits);
        fits
    }

    fn append_items(&mut self, items: &[Value]) -> bool {
        let fits = match &mut self.kind {
            Kind::Struct(children, nulls) => {
                nulls.append_non_null();
                children.len() == items.len() && children.iter_mut().zip(items).all(|(child, item)| child.append_literal(item))
            }
            Kind::List(child, offsets, nulls) => {
                nulls.append_non_null();
                let fits = items.iter().all(|item| child.append_literal(item));
                offsets.push(child.rows as i32);
                fits
            }
            Kind::Map(key, value, offsets, nulls) => {
                nulls.append_non_null();
                let fits = items.iter().all(|item| match item.as_array().map(Vec::as_slice) {
                    Some([k, v]) => key.append_literal(k) && value.append_literal(v),
                    _ => false,
                });
                offsets.push(key.rows as i32);
                fits
            }
            _ => false,
        };
        self.rows += usize::from(fits);
        fits
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits.chunks(2).map(|pair| Some((digit(pair[0])? * 16 + digit(*pair.get(1)?)?) as u8)).collect()
}
