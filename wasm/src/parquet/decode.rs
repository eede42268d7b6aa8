//! Row groups to batches of the requested schema.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection};

use super::coerce::{coerce_children, relaxed_arrow};
use super::footer::ParquetFile;
use super::resolve::{Resolution, resolve};
use super::sparse::SparseFile;
use crate::error::{CoreError, Result};
use crate::wire::{Generated, WireField};

/// Rows [start, end) of a row group.
pub type Rows = (u64, u64);

/// Byte ranges that decoding a row group needs.
pub fn plan(file: &ParquetFile, fields: &[WireField], row_group: usize, rows: Option<&[Rows]>) -> Result<Vec<(u64, u64)>> {
    let resolution = resolve(&file.schema, fields)?;
    let group = file.metadata.row_groups().get(row_group).ok_or_else(|| no_row_group(row_group))?;
    let selection = rows.map(|rows| selection(rows, group.num_rows() as u64)).transpose()?;
    let mut ranges = Vec::new();
    for leaf in resolution.leaves {
        let column = group.columns().get(leaf).ok_or_else(|| CoreError::parquet("a row group lacks a column"))?;
        let (start, length) = column.byte_range();
        let pages = file.metadata.page_index().and_then(|index| index.offset_index(row_group, leaf).cloned());
        match (&selection, pages) {
            (Some(selection), Some(pages)) if !pages.page_locations().is_empty() => {
                let first = pages.page_locations()[0].offset as u64;
                // What lies before the first page is the dictionary.
                if first > start {
                    ranges.push((start, first));
                }
                ranges.extend(selection.scan_ranges(pages.page_locations()).into_iter().map(|r| (r.start, r.end)));
            }
            _ => ranges.push((start, start + length)),
        }
    }
    ranges.retain(|(start, end)| start < end);
    ranges.sort_unstable();
    if ranges.iter().any(|(_, end)| *end > file.size) {
        return Err(CoreError::parquet("the page index names pages outside the file"));
    }
    Ok(ranges)
}

fn no_row_group(row_group: usize) -> CoreError {
    CoreError::internal(format!("no row group {row_group}"))
}

fn selection(rows: &[Rows], num_rows: u64) -> Result<RowSelection> {
    let mut end = 0;
    for (from, to) in rows {
        if *from < end || to < from || *to > num_rows {
            return Err(CoreError::internal("row ranges must ascend within the row group"));
        }
        end = *to;
    }
    let ranges = rows.iter().map(|(from, to)| *from as usize..*to as usize);
    Ok(RowSelection::from_consecutive_ranges(ranges, num_rows as usize))
}

/// Decodes one row group, batch by batch.
pub struct Decoder {
    reader: ParquetRecordBatchReader,
    fields: Vec<WireField>,
    stored: Vec<WireField>,
    resolution: Resolution,
    schema: SchemaRef,
    positions: Positions,
    file_path: String,
}

impl Decoder {
    pub fn new(
        file: &ParquetFile,
        fields: Vec<WireField>,
        row_group: usize,
        pieces: Vec<(u64, Bytes)>,
        batch_size: usize,
        rows: Option<Vec<Rows>>,
        file_path: String,
    ) -> Result<Self> {
        let resolution = resolve(&file.schema, &fields)?;
        let groups = file.metadata.row_groups();
        let group = groups.get(row_group).ok_or_else(|| no_row_group(row_group))?;
        let num_rows = group.num_rows() as u64;
        let first_row = groups[..row_group].iter().map(|group| group.num_rows() as u64).sum();
        let mask = ProjectionMask::leaves(file.metadata.file_metadata().schema_descr(), resolution.leaves.iter().copied());
        let sparse = SparseFile::new(file.size, pieces);
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(sparse, file.reader_metadata()?)
            .with_row_groups(vec![row_group])
            .with_projection(mask)
            .with_batch_size(batch_size);
        if let Some(rows) = &rows {
            builder = builder.with_row_selection(selection(rows, num_rows)?);
        }
        let stored: Vec<WireField> = fields.iter().filter(|field| field.generated.is_none()).cloned().collect();
        let positions = Positions { first_row, rows: rows.unwrap_or_else(|| vec![(0, num_rows)]), at: 0, within: 0 };
        let schema = Arc::new(Schema::new(relaxed_arrow(&fields)));
        Ok(Self { reader: builder.build()?, fields, stored, resolution, schema, positions, file_path })
    }

    /// The next batch, none at the end.
    pub fn next(&mut self) -> Result<Option<RecordBatch>> {
        let Some(batch) = self.reader.next().transpose()? else {
            return if self.positions.remaining() == 0 {
                Ok(None)
            } else {
                Err(CoreError::parquet("the row group has fewer rows than the footer says"))
            };
        };
        let rows = batch.num_rows();
        let mut stored = coerce_children(batch.columns(), rows, &self.resolution.sources, &self.stored, "")?.into_iter();
        let wanted = self.fields.iter().any(|field| field.generated == Some(Generated::RowIndex));
        let positions = self.positions.take(rows, wanted)?;
        let columns = self
            .fields
            .iter()
            .map(|field| match field.generated {
                Some(Generated::RowIndex) => Ok(Arc::new(Int64Array::from(positions.clone())) as ArrayRef),
                Some(Generated::FilePath) => {
                    Ok(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(&self.file_path, rows))) as ArrayRef)
                }
                None => stored.next().ok_or_else(|| CoreError::internal("a column was not read")),
            })
            .collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?))
    }
}

/// Physical positions of the rows still to come.
struct Positions {
    first_row: u64,
    rows: Vec<Rows>,
    at: usize,
    within: u64,
}

impl Positions {
    fn remaining(&self) -> u64 {
        self.rows[self.at.min(self.rows.len())..].iter().map(|(from, to)| to - from).sum::<u64>() - self.within
    }

    /// Moves on by `count` rows; their positions only where `wanted`.
    fn take(&mut self, count: usize, wanted: bool) -> Result<Vec<i64>> {
        let mut positions = Vec::new();
        let mut missing = count as u64;
        while missing > 0 {
            let Some((from, to)) = self.rows.get(self.at) else {
                return Err(CoreError::parquet("the row group has more rows than the footer says"));
            };
            let start = from + self.within;
            let end = (*to).min(start + missing);
            missing -= end - start;
            if wanted {
                positions.extend((start..end).map(|row| (self.first_row + row) as i64));
            }
            self.within = end - from;
            if end == *to {
                self.at += 1;
                self.within = 0;
            }
        }
        Ok(positions)
    }
}
