//! Values on their way to and from PostgreSQL. They are the five kinds that SQLite has; the server says of which type a place is.

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, Value};
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};

use super::PostgresError;

type Fault = Box<dyn std::error::Error + Sync + Send>;

/// A value for a place of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredValue(Value);

/// The value as it is bound in SQLite.
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
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
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

fn integer_to_sql(number: i64, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
    match *kind {
        Type::BOOL => (number != 0).to_sql(kind, out),
        Type::INT2 => i16::try_from(number)?.to_sql(kind, out),
        Type::INT4 => i32::try_from(number)?.to_sql(kind, out),
        Type::INT8 => number.to_sql(kind, out),
        Type::OID => u32::try_from(number)?.to_sql(kind, out),
        Type::TEXT => number.to_string().to_sql(kind, out),
        // Exact up to 2^53; no column of this type holds a number that is counted.
        #[expect(clippy::cast_precision_loss, reason = "no counted number is held in a column of this type")]
        Type::FLOAT8 => (number as f64).to_sql(kind, out),
        _ => Err(format!("a number can't be a {kind}").into()),
    }
}

/// A row as it came.
#[derive(Debug)]
pub(crate) struct StoredValues(Row);

impl From<Row> for StoredValues {
    fn from(row: Row) -> Self {
        Self(row)
    }
}

impl StoredValues {
    /// The place of a column, 0-based.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.0.columns().iter().position(|column| column.name() == name)
    }

    pub(crate) fn value(&self, place: usize) -> Result<Value, PostgresError> {
        let found = self.0.try_get::<_, Option<Raw>>(place);
        let found = found.map_err(|error| PostgresError::Value(error.to_string()))?;
        Ok(found.map_or(Value::Null, |Raw(value)| value))
    }
}

/// A value of any type that the journal's statements give.
struct Raw(Value);

impl<'a> FromSql<'a> for Raw {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Self, Fault> {
        Ok(Self(match *kind {
            Type::BOOL => Value::Integer(bool::from_sql(kind, bytes)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, bytes)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(kind, bytes)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(kind, bytes)?),
            Type::OID => Value::Integer(u32::from_sql(kind, bytes)?.into()),
            Type::FLOAT4 => Value::Real(f32::from_sql(kind, bytes)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, bytes)?),
            Type::BYTEA => Value::Blob(Vec::from_sql(kind, bytes)?),
            Type::NUMERIC => Value::Integer(whole_number(bytes)?),
            _ => Value::Text(String::from_sql(kind, bytes)?),
        }))
    }

    fn accepts(kind: &Type) -> bool {
        matches!(kind.kind(), Kind::Simple)
    }
}

/// A sum comes as `numeric`, in digits of base 10,000: how many, the first one's weight, the sign, digits behind the point, the digits.
fn whole_number(bytes: &[u8]) -> Result<i64, Fault> {
    let word = |place: usize| Some(u16::from_be_bytes([*bytes.get(place * 2)?, *bytes.get(place * 2 + 1)?]));
    let missing = || Fault::from("a number that ends too early");
    let (count, weight) = (word(0).ok_or_else(missing)?, word(1).ok_or_else(missing)?.cast_signed());
    let sign = word(2).ok_or_else(missing)?;
    let mut number: i64 = 0;
    for place in 0..=weight {
        let digit =
            if place < count.cast_signed() { word(4 + usize::try_from(place)?).ok_or_else(missing)? } else { 0 };
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
        assert_eq!(whole_number(&numeric(&[0, 0, 0, 0])).unwrap(), 0);
        assert_eq!(whole_number(&numeric(&[1, 0, 0, 0, 42])).unwrap(), 42);
        assert_eq!(whole_number(&numeric(&[2, 1, 0x4000, 0, 12, 345])).unwrap(), -120_345);
        // 120,000: zeros at the end aren't sent.
        assert_eq!(whole_number(&numeric(&[1, 1, 0, 0, 12])).unwrap(), 120_000);
        assert!(whole_number(&numeric(&[2, 1, 0, 0, 12])).is_err());
        assert!(whole_number(&numeric(&[0, 0, 0xC000, 0])).is_err());
    }
}
