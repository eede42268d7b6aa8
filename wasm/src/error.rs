//! Errors cross the seam as data: a code of the TypeScript side's `DeltaErrorCode` and a message.

use std::fmt::Display;

/// What went wrong, in terms that the caller can act on.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreError {
    pub code: &'static str,
    pub message: String,
    /// 1-based line of an NDJSON file.
    pub line: Option<u64>,
}

pub type Result<T> = std::result::Result<T, CoreError>;

impl CoreError {
    pub fn new(code: &'static str, message: impl Display) -> Self {
        Self { code, message: message.to_string(), line: None }
    }

    /// A Parquet file that is damaged or uses what this core does not read.
    pub fn parquet(message: impl Display) -> Self {
        Self::new("Parquet", message)
    }

    /// A column that cannot be read as the type that was asked for.
    pub fn schema(message: impl Display) -> Self {
        Self::new("Schema", message)
    }

    pub fn expression(message: impl Display) -> Self {
        Self::new("InvalidExpression", message)
    }

    pub fn json(message: impl Display) -> Self {
        Self::new("MalformedJson", message)
    }

    pub fn parse(message: impl Display) -> Self {
        Self::new("ParseError", message)
    }

    /// The TypeScript half of the seam broke its contract.
    pub fn internal(message: impl Display) -> Self {
        Self::new("Internal", message)
    }
}

impl From<parquet::errors::ParquetError> for CoreError {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Self::parquet(error)
    }
}

impl From<arrow_schema::ArrowError> for CoreError {
    fn from(error: arrow_schema::ArrowError) -> Self {
        match error {
            arrow_schema::ArrowError::ParquetError(message) => Self::parquet(message),
            other => Self::parquet(other),
        }
    }
}
