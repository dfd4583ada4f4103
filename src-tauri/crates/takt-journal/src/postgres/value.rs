//! Values sent to and received from PostgreSQL. They have the five types of SQLite, and are converted to the type that
//! the server expects for a placeholder.

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, Value};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};

use super::PostgresError;

type ConversionError = Box<dyn std::error::Error + Sync + Send>;

/// A value for a placeholder of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredValue(Value);

/// Returns the value as SQLite binds it.
pub(crate) fn stored_value(value: &dyn rusqlite::ToSql) -> Result<StoredValue, rusqlite::Error> {
    Ok(StoredValue(match rusqlite::ToSql::to_sql(value)? {
        ToSqlOutput::Borrowed(borrowed) => borrowed.try_into()?,
        ToSqlOutput::Owned(owned) => owned,
        _ => return Err(rusqlite::Error::InvalidParameterCount(0, 0)),
    }))
}

impl rusqlite::ToSql for StoredValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        rusqlite::ToSql::to_sql(&self.0)
    }
}

impl ToSql for StoredValue {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, ConversionError> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) => integer_to_sql(*number, kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Blob(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn integer_to_sql(number: i64, kind: &Type, out: &mut BytesMut) -> Result<IsNull, ConversionError> {
    match *kind {
        Type::BOOL => (number != 0).to_sql(kind, out),
        Type::INT2 => i16::try_from(number)?.to_sql(kind, out),
        Type::INT4 => i32::try_from(number)?.to_sql(kind, out),
        Type::INT8 => number.to_sql(kind, out),
        Type::OID => u32::try_from(number)?.to_sql(kind, out),
        Type::TEXT => number.to_string().to_sql(kind, out),
        // Exact up to 2^53, which is enough because columns of this type don't store counters.
        #[expect(clippy::cast_precision_loss, reason = "no counted number is held in a column of this type")]
        Type::FLOAT8 => (number as f64).to_sql(kind, out),
        _ => Err(format!("a number can't be a {kind}").into()),
    }
}

/// A received row.
#[derive(Debug)]
pub(crate) struct StoredValues(Row);

impl From<Row> for StoredValues {
    fn from(row: Row) -> Self {
        Self(row)
    }
}

impl StoredValues {
    /// Returns the 0-based index of a column.
    pub(crate) fn column_index(&self, name: &str) -> Option<usize> {
        self.0.columns().iter().position(|column| column.name() == name)
    }

    pub(crate) fn value(&self, index: usize) -> Result<Value, PostgresError> {
        let found = self.0.try_get::<_, Option<AnyValue>>(index);
        let found = found.map_err(|error| PostgresError::Value(error.to_string()))?;
        Ok(found.map_or(Value::Null, |AnyValue(value)| value))
    }
}

/// A value of any type that the journal's statements return.
struct AnyValue(Value);

impl<'a> FromSql<'a> for AnyValue {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Self, ConversionError> {
        Ok(Self(match *kind {
            Type::BOOL => Value::Integer(bool::from_sql(kind, bytes)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, bytes)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(kind, bytes)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(kind, bytes)?),
            Type::OID => Value::Integer(u32::from_sql(kind, bytes)?.into()),
            Type::FLOAT4 => Value::Real(f32::from_sql(kind, bytes)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, bytes)?),
            Type::BYTEA => Value::Blob(Vec::from_sql(kind, bytes)?),
            Type::NUMERIC => Value::Integer(parse_numeric(bytes)?),
            _ => Value::Text(String::from_sql(kind, bytes)?),
        }))
    }

    fn accepts(kind: &Type) -> bool {
        matches!(kind.kind(), Kind::Simple)
    }
}

/// Parses a `numeric`, which is the type of sums. It has 16-bit words: the number of base-10,000 digits, the weight of
/// the first one, the sign, the scale, and the digits.
fn parse_numeric(bytes: &[u8]) -> Result<i64, ConversionError> {
    let word = |index: usize| Some(u16::from_be_bytes([*bytes.get(index * 2)?, *bytes.get(index * 2 + 1)?]));
    let missing = || ConversionError::from("a number that ends too early");
    let (count, weight) = (word(0).ok_or_else(missing)?, word(1).ok_or_else(missing)?.cast_signed());
    let sign = word(2).ok_or_else(missing)?;
    let mut number: i64 = 0;
    for digit_index in 0..=weight {
        let digit = if digit_index < count.cast_signed() {
            word(4 + usize::try_from(digit_index)?).ok_or_else(missing)?
        } else {
            0
        };
        let larger = number.checked_mul(10_000).and_then(|larger| larger.checked_add(digit.into()));
        number = larger.ok_or("a number that is too large")?;
    }
    match sign {
        0x0000 => Ok(number),
        0x4000 => Ok(-number),
        _ => Err("not a number".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(words: &[u16]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    #[test]
    fn sums_are_whole_numbers() {
        assert_eq!(parse_numeric(&numeric(&[0, 0, 0, 0])).unwrap(), 0);
        assert_eq!(parse_numeric(&numeric(&[1, 0, 0, 0, 42])).unwrap(), 42);
        assert_eq!(parse_numeric(&numeric(&[2, 1, 0x4000, 0, 12, 345])).unwrap(), -120_345);
        // 120,000: trailing zeros aren't sent.
        assert_eq!(parse_numeric(&numeric(&[1, 1, 0, 0, 12])).unwrap(), 120_000);
        assert!(parse_numeric(&numeric(&[2, 1, 0, 0, 12])).is_err());
        assert!(parse_numeric(&numeric(&[0, 0, 0xC000, 0])).is_err());
    }
}
