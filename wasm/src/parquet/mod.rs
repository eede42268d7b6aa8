//! Parquet: footers, column resolution, decoding to Delta's types, statistics, writing. No I/O.

pub mod bloom;
pub mod coerce;
pub mod decode;
pub mod footer;
pub mod resolve;
pub mod sparse;
pub mod write;
pub mod stats;
