//! A file of which only some pieces are in memory, at their offsets in the whole file.

use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Pieces sorted by offset; offsets are 64-bit, so files may be larger than WASM's memory.
#[derive(Clone)]
pub struct SparseFile {
    size: u64,
    pieces: Arc<Vec<(u64, Bytes)>>,
}

impl SparseFile {
    pub fn new(size: u64, mut pieces: Vec<(u64, Bytes)>) -> Self {
        pieces.sort_by_key(|(start, _)| *start);
        Self { size, pieces: Arc::new(pieces) }
    }

    /// What is in memory from `start` on, at least one byte.
    fn from(&self, start: u64) -> Result<Bytes> {
        let after = self.pieces.partition_point(|(offset, _)| *offset <= start);
        let found = after.checked_sub(1).and_then(|at| self.pieces.get(at));
        match found {
            Some((offset, bytes)) if start - offset < bytes.len() as u64 => Ok(bytes.slice((start - offset) as usize..)),
            _ => Err(ParquetError::EOF(format!("byte {start} is outside the column chunks of the footer"))),
        }
    }
}

impl Length for SparseFile {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for SparseFile {
    type T = bytes::buf::Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length == 0 {
            return Ok(Bytes::new());
        }
        let bytes = self.from(start)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} reach beyond what the footer names")));
        }
        Ok(bytes.slice(..length))
    }
}
