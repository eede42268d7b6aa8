//! JSON of the log to Arrow columns, driven by the requested schema; numbers are never rounded.

mod builder;
mod decode;
mod scalars;

pub use builder::Column;
pub use decode::{parse_column, parse_ndjson};
