//! Sets of row positions: the 64-bit portable roaring form of `PROTOCOL.md`, "Deletion Vector Format", without its
//! magic number. `RoaringTreemap` is exactly that form.

use roaring::RoaringTreemap;

use crate::error::{CoreError, Result};

/// Reads a set; trailing bytes (padding of inline vectors) are ignored.
pub fn deserialize(bytes: &[u8]) -> Result<RoaringTreemap> {
    let broken = |why: &dyn std::fmt::Display| CoreError::new("DeletionVector", format!("not a row index set: {why}"));
    let buckets = bytes.first_chunk::<8>().map(|head| u64::from_le_bytes(*head));
    match buckets {
        // The smallest bucket takes 12 bytes: a count that cannot be true must not reserve memory.
        Some(count) if count <= bytes.len() as u64 / 8 => {}
        Some(count) => return Err(broken(&format!("{count} buckets in {} bytes", bytes.len()))),
        None => return Err(broken(&"fewer than 8 bytes")),
    }
    RoaringTreemap::deserialize_from(bytes).map_err(|error| broken(&error))
}

pub fn serialize(set: &RoaringTreemap) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(set.serialized_size());
    set.serialize_into(&mut bytes).map_err(|error| CoreError::new("DeletionVector", error))?;
    Ok(bytes)
}

/// One byte per row of [start, start + length): 1 where the row is not in the set.
pub fn selection(set: &RoaringTreemap, start: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![1; length];
    let mut rows = set.iter();
    rows.advance_to(start);
    for row in rows {
        // A position beyond 2^32 must not wrap round in a 32-bit index.
        match usize::try_from(row - start).ok().and_then(|at| bytes.get_mut(at)) {
            Some(byte) => *byte = 0,
            None => break,
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_what_is_not_in_the_set() {
        let set: RoaringTreemap = [3, 4, 7, 1 << 33].into_iter().collect();
        assert_eq!(selection(&set, 2, 6), [1, 0, 0, 1, 1, 0]);
        assert_eq!(selection(&set, (1 << 33) - 1, 3), [1, 0, 1]);
        let read = deserialize(&serialize(&set).unwrap()).unwrap();
        assert_eq!(read, set);
    }

    #[test]
    fn refuses_damaged_bytes() {
        assert_eq!(deserialize(&[1, 2]).unwrap_err().code, "DeletionVector");
        assert_eq!(deserialize(&[0xff; 16]).unwrap_err().code, "DeletionVector");
        assert_eq!(deserialize(&[1, 0, 0, 0, 0, 0, 0, 0, 9]).unwrap_err().code, "DeletionVector");
    }
}
