//! Rows of a damaged file, as far as they can be read: before a hole, behind it, and around it.

use crate::StoredWord;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Transaction, params_from_iter};

use crate::{
    JournalError, RowResult,
    schema::{RenamedColumn, Schema},
};

/// What was read.
#[derive(Debug, Default)]
pub(super) struct SalvagedRows {
    /// Rows.
    pub(super) read: u64,
    /// Tables with holes.
    pub(super) damaged: Vec<String>,
}

/// How far a hole is jumped over at most, and how often it is tried.
const MAX_JUMP: i64 = 65_536;
const MAX_JUMPS: u32 = 20_000;

/// A table as both files know it.
struct Table {
    name: String,
    /// Columns that both have, as the new file names them.
    columns: Vec<String>,
    /// The same columns as the damaged file names them.
    source: Vec<String>,
    /// The columns of its key, in their order; empty where rows have numbers of their own.
    key: Vec<String>,
}

/// Copies what can be read of every table but the views, which are made again.
pub(super) fn take_over(from: &Connection, to: &mut Connection, schema: &Schema) -> Result<SalvagedRows, JournalError> {
    let wanted = |name: &str| !schema.views.iter().any(|view| name.starts_with(view));
    copy(from, to, schema.renamed, wanted, false)
}

/// Adds what only a backup has to these tables. What it calls pending may have been sent since: it is unconfirmed.
pub(super) fn fill_up(
    from: &Connection,
    to: &mut Connection,
    schema: &Schema,
    tables: &[String],
) -> Result<SalvagedRows, JournalError> {
    copy(from, to, schema.renamed, |name| tables.iter().any(|table| table == name), true)
}

fn copy(
    from: &Connection,
    to: &mut Connection,
    renamed: &[RenamedColumn],
    wanted: impl Fn(&str) -> bool,
    filling: bool,
) -> Result<SalvagedRows, JournalError> {
    let mut taken = SalvagedRows::default();
    let writing = to.transaction()?;
    for name in names(&writing)?.into_iter().filter(|name| wanted(name)) {
        let Ok(Some(table)) = table(from, &writing, renamed, &name) else {
            taken.damaged.push(name);
            continue;
        };
        let mut copy = Copy { table: &table, from, to: &writing, read: 0, lost: false, filling };
        if table.key.is_empty() {
            copy.numbered()?
        } else {
            copy.keyed()?
        }
        taken.read += copy.read;
        if copy.lost {
            taken.damaged.push(name);
        }
    }
    numbers_go_on(from, &writing)?;
    writing.commit()?;
    Ok(taken)
}

fn names(connection: &Connection) -> Result<Vec<String>, JournalError> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

/// Nothing where the damaged file has no such table.
fn table(
    from: &Connection,
    to: &Connection,
    renamed: &[RenamedColumn],
    name: &str,
) -> Result<Option<Table>, JournalError> {
    let columns = |connection: &Connection| -> Result<Vec<(String, i64)>, JournalError> {
        let mut statement = connection.prepare("SELECT name, pk FROM pragma_table_info(?1)")?;
        let found = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
        Ok(found)
    };
    let (there, wanted) = (columns(from)?, columns(to)?);
    if there.is_empty() {
        return Ok(None);
    }
    let has_numbers = to.prepare(&format!("SELECT rowid FROM {}", quoted(name))).is_ok();
    let mut key: Vec<&(String, i64)> = wanted.iter().filter(|(_, place)| !has_numbers && *place > 0).collect();
    key.sort_by_key(|(_, place)| *place);
    let key = key.into_iter().map(|(name, _)| name.clone()).collect();
    let has = |column: &str| there.iter().any(|(other, _)| other == column);
    let once = |column: &str| renamed.iter().find(|one| one.table == name && one.to == column).map(|one| one.from);
    let source = |column: &str| {
        let name = if has(column) { Some(column) } else { once(column).filter(|old| has(old)) };
        name.map(ToOwned::to_owned)
    };
    let (columns, source) = wanted.iter().filter_map(|(column, _)| Some((column.clone(), source(column)?))).unzip();
    Ok(Some(Table { name: name.to_owned(), columns, source, key }))
}

struct Copy<'a> {
    table: &'a Table,
    from: &'a Connection,
    to: &'a Transaction<'a>,
    read: u64,
    lost: bool,
    /// What is there already stays.
    filling: bool,
}

impl Copy<'_> {
    /// Rows by their numbers: behind a hole it is gone on with the next number that can be found.
    fn numbered(&mut self) -> Result<(), JournalError> {
        let sql =
            format!("SELECT {}, rowid FROM {} WHERE rowid >= ?1 ORDER BY rowid", list(&self.table.source), self.name());
        let (mut next, mut jump) = (i64::MIN, 1);
        for _ in 0..MAX_JUMPS {
            let before = next;
            if self.walk(&sql, Some(&mut next))? {
                return Ok(());
            }
            self.lost = true;
            jump = if next > before { 1 } else { (jump * 2).min(MAX_JUMP) };
            if next == i64::MIN {
                next = 0;
            }
            next = next.saturating_add(jump);
        }
        Ok(())
    }

    /// Rows that only their key leads to: from the beginning to the hole, from the end back to it, and along other indexes.
    fn keyed(&mut self) -> Result<(), JournalError> {
        let forwards = format!("SELECT {} FROM {}", list(&self.table.source), self.name());
        if self.walk(&forwards, None)? {
            return Ok(());
        }
        self.lost = true;
        let key: Vec<String> = self.table.key.iter().map(|column| format!("{} DESC", quoted(column))).collect();
        let backwards = format!("SELECT {} FROM {} ORDER BY {}", list(&self.table.source), self.name(), key.join(", "));
        self.walk(&backwards, None)?;
        // An index that holds all columns is a second copy.
        for index in self.indexes() {
            let along =
                format!("SELECT {} FROM {} INDEXED BY {}", list(&self.table.source), self.name(), quoted(&index));
            self.walk(&along, None)?;
        }
        Ok(())
    }

    /// Those of the damaged file, as far as it says.
    fn indexes(&self) -> Vec<String> {
        let Ok(mut statement) = self.from.prepare("SELECT name FROM pragma_index_list(?1)") else { return Vec::new() };
        let found = statement.query_map([&self.table.name], |row| row.get(0));
        found.map(|found| found.flatten().collect()).unwrap_or_default()
    }

    /// True where it came to the end. `next` is the number behind the last one that was read.
    fn walk(&mut self, sql: &str, mut next: Option<&mut i64>) -> Result<bool, JournalError> {
        let Ok(mut statement) = self.from.prepare(sql) else { return Ok(false) };
        let given: Vec<i64> = next.iter().map(|next| **next).collect();
        let Ok(mut rows) = statement.query(params_from_iter(given)) else { return Ok(false) };
        loop {
            match rows.next() {
                Ok(None) => return Ok(true),
                Err(_) => return Ok(false),
                Ok(Some(row)) => {
                    self.copy_row(row)?;
                    if let Some(next) = next.as_deref_mut() {
                        let number: i64 = row.get(self.table.columns.len()).unwrap_or(*next);
                        *next = number.saturating_add(1);
                    }
                }
            }
        }
    }

    /// A row that the new file doesn't take is lost as one that can't be read.
    fn copy_row(&mut self, row: &Row<'_>) -> Result<(), JournalError> {
        let values: Option<Vec<Value>> = (0..self.table.columns.len()).map(|place| value(row, place)).collect();
        let Some(mut values) = values else {
            self.lost = true;
            return Ok(());
        };
        self.renamed_result(&mut values);
        if self.filling {
            self.unconfirmed(&mut values)?;
        } else if self.read == 0 {
            // What every new file holds gives way.
            self.to.execute(&format!("DELETE FROM {}", self.name()), [])?;
        }
        let places = vec!["?"; values.len()].join(", ");
        let otherwise = if self.filling { "IGNORE" } else { "REPLACE" };
        let sql =
            format!("INSERT OR {otherwise} INTO {} ({}) VALUES ({places})", self.name(), list(&self.table.columns));
        match self.to.prepare_cached(&sql)?.execute(params_from_iter(values)) {
            Ok(_) => self.read += 1,
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {
                self.lost = true
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Files of before call an unconfirmed result otherwise.
    fn renamed_result(&self, values: &mut [Value]) {
        let place = self.table.columns.iter().position(|name| self.table.name == "item" && name == "result");
        if let Some(Value::Text(word)) = place.and_then(|place| values.get_mut(place))
            && word == "in_doubt"
        {
            RowResult::Unconfirmed.word().clone_into(word);
        }
    }

    /// Of an item that is still to be sent it isn't known whether it was since.
    fn unconfirmed(&self, values: &mut [Value]) -> Result<(), JournalError> {
        let place = |column: &str| self.table.columns.iter().position(|name| name == column);
        let (Some(result), Some(reasons)) = (place("result"), place("reasons")) else { return Ok(()) };
        let open = |value: &Value| matches!(value, Value::Text(text) if text == "pending" || text == "sending");
        if values.get(result).is_some_and(open) {
            let told = super::settle::restored()?.map_or(Value::Null, Value::Text);
            for (place, value) in [(result, Value::Text("unconfirmed".to_owned())), (reasons, told)] {
                if let Some(old) = values.get_mut(place) {
                    *old = value;
                }
            }
        }
        Ok(())
    }

    fn name(&self) -> String {
        quoted(&self.table.name)
    }
}

/// Nothing where it isn't what a column can hold.
fn value(row: &Row<'_>, place: usize) -> Option<Value> {
    Some(match row.get_ref(place).ok()? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(std::str::from_utf8(text).ok()?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// Numbers that were given once aren't given again, also where what had them is lost.
fn numbers_go_on(from: &Connection, to: &Transaction<'_>) -> Result<(), JournalError> {
    let Ok(mut statement) = from.prepare("SELECT name, seq FROM sqlite_sequence") else { return Ok(()) };
    let Ok(found) = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))) else {
        return Ok(());
    };
    for (name, number) in found.flatten() {
        let changed = to.execute("UPDATE sqlite_sequence SET seq = MAX(seq, ?2) WHERE name = ?1", (&name, number))?;
        if changed == 0 {
            to.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", (&name, number))?;
        }
    }
    Ok(())
}

fn list(columns: &[String]) -> String {
    columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
}

/// Names are the schema's own.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
