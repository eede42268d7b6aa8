//! JSON of the log to Arrow columns, driven by the requested schema; numbers are never rounded.

mod builder;
mod decode;

pub use decode::{parse_column, parse_ndjson};
