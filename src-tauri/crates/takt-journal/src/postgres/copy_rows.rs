//! Rows in PostgreSQL's binary `COPY` format: a header, each row with its values, and a trailer.
//!
//! The library's own writer needs a session and the column types. These rows are built before a session is used, so
//! that they can be sent together with other statements.

use bytes::{BufMut, Bytes, BytesMut};
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// The signature, no flags, and an empty extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The trailer, in place of a row's number of values.
const TRAILER: i16 = -1;
/// The length of a null value.
const NULL_LENGTH: i32 = -1;

/// Rows for columns of the types `BIGINT`, `DOUBLE PRECISION`, `TEXT` and `BYTEA`. The server refuses other types.
#[derive(Debug)]
pub(crate) struct CopyRows(BytesMut);

impl CopyRows {
    pub(crate) fn new() -> Self {
        Self(BytesMut::from(HEADER))
    }

    pub(crate) fn push(&mut self, values: &[&dyn ToSql]) -> Result<(), rusqlite::Error> {
        let count = i16::try_from(values.len());
        self.0.put_i16(count.map_err(|_| rusqlite::Error::InvalidParameterCount(values.len(), i16::MAX as usize))?);
        values.iter().try_for_each(|value| self.push_value(*value))
    }

    fn push_value(&mut self, value: &dyn ToSql) -> Result<(), rusqlite::Error> {
        let output = value.to_sql()?;
        let value = match &output {
            ToSqlOutput::Borrowed(borrowed) => *borrowed,
            ToSqlOutput::Owned(owned) => ValueRef::from(owned),
            _ => return Err(rusqlite::Error::InvalidParameterCount(0, 0)),
        };
        match value {
            ValueRef::Null => self.0.put_i32(NULL_LENGTH),
            ValueRef::Integer(number) => self.push_bytes(&number.to_be_bytes())?,
            ValueRef::Real(number) => self.push_bytes(&number.to_be_bytes())?,
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => self.push_bytes(bytes)?,
        }
        Ok(())
    }

    fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), rusqlite::Error> {
        let length =
            i32::try_from(bytes.len()).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        self.0.put_i32(length);
        self.0.put_slice(bytes);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Bytes {
        self.0.put_i16(TRAILER);
        self.0.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_with_their_lengths_between_head_and_end() {
        let mut rows = CopyRows::new();
        rows.push(&[&7_i64, &"ä", &None::<String>, &0.5_f64]).unwrap();
        let row = b"\0\x04\0\0\0\x08\0\0\0\0\0\0\0\x07\0\0\0\x02\xc3\xa4\xff\xff\xff\xff\0\0\0\x08\x3f\xe0\0\0\0\0\0\0\xff\xff";
        assert_eq!(&rows.finish()[..], [b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0".as_slice(), row].concat());
    }
}
