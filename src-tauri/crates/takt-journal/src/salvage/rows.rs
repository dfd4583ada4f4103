//! Copies the readable rows of a damaged file: rows before and after a damaged part, and rows that an index leads to.

use crate::StoredWord;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, Transaction, params_from_iter};

use crate::{
    JournalError, RowResult,
    schema::{RenamedColumn, Schema},
};

/// The result of copying rows.
#[derive(Debug, Default)]
pub(super) struct SalvagedRows {
    /// The number of copied rows.
    pub(super) read: u64,
    /// Tables with damaged parts.
    pub(super) damaged: Vec<String>,
}

/// The longest jump over a damaged part in row IDs, and the maximum number of jumps.
const MAX_JUMP: i64 = 65_536;
const MAX_JUMPS: u32 = 20_000;

/// A table with the columns that both files have.
struct Table {
    name: String,
    /// The columns by their names in the new file.
    columns: Vec<String>,
    /// The same columns by their names in the damaged file.
    source: Vec<String>,
    /// The primary key in order. Empty if the table has row IDs.
    key: Vec<String>,
}

/// Copies the readable rows of every table, except tables that can be rebuilt.
pub(super) fn copy_tables(
    from: &Connection,
    to: &mut Connection,
    schema: &Schema,
) -> Result<SalvagedRows, JournalError> {
    let wanted = |name: &str| !schema.rebuilt_prefixes.iter().any(|view| name.starts_with(view));
    copy_matching_tables(from, to, schema.renamed, wanted, false)
}

/// Adds missing rows of these tables from a backup. Pending items become unconfirmed, because they may have been sent
/// since the backup.
pub(super) fn fill_missing(
    from: &Connection,
    to: &mut Connection,
    schema: &Schema,
    tables: &[String],
) -> Result<SalvagedRows, JournalError> {
    copy_matching_tables(from, to, schema.renamed, |name| tables.iter().any(|table| table == name), true)
}

fn copy_matching_tables(
    from: &Connection,
    to: &mut Connection,
    renamed: &[RenamedColumn],
    wanted: impl Fn(&str) -> bool,
    keeps_existing: bool,
) -> Result<SalvagedRows, JournalError> {
    let mut copied = SalvagedRows::default();
    let transaction = to.transaction()?;
    for name in table_names(&transaction)?.into_iter().filter(|name| wanted(name)) {
        let Ok(Some(table)) = matching_table(from, &transaction, renamed, &name) else {
            copied.damaged.push(name);
            continue;
        };
        let mut copy = TableCopy { table: &table, from, to: &transaction, read: 0, has_losses: false, keeps_existing };
        if table.key.is_empty() {
            copy.copy_by_row_id()?
        } else {
            copy.copy_by_key()?
        }
        copied.read += copy.read;
        if copy.has_losses {
            copied.damaged.push(name);
        }
    }
    continue_sequences(from, &transaction)?;
    transaction.commit()?;
    Ok(copied)
}

fn table_names(connection: &Connection) -> Result<Vec<String>, JournalError> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid";
    let mut statement = connection.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

/// Returns the columns that both files have, or none if the damaged file has no such table.
fn matching_table(
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
    let (existing, wanted) = (columns(from)?, columns(to)?);
    if existing.is_empty() {
        return Ok(None);
    }
    let has_row_ids = to.prepare(&format!("SELECT rowid FROM {}", quote(name))).is_ok();
    let mut key: Vec<&(String, i64)> = wanted.iter().filter(|(_, position)| !has_row_ids && *position > 0).collect();
    key.sort_by_key(|(_, position)| *position);
    let key = key.into_iter().map(|(name, _)| name.clone()).collect();
    let has = |column: &str| existing.iter().any(|(other, _)| other == column);
    let old_name = |column: &str| renamed.iter().find(|one| one.table == name && one.to == column).map(|one| one.from);
    let source = |column: &str| {
        let name = if has(column) { Some(column) } else { old_name(column).filter(|old| has(old)) };
        name.map(ToOwned::to_owned)
    };
    let (columns, source) = wanted.iter().filter_map(|(column, _)| Some((column.clone(), source(column)?))).unzip();
    Ok(Some(Table { name: name.to_owned(), columns, source, key }))
}

struct TableCopy<'a> {
    table: &'a Table,
    from: &'a Connection,
    to: &'a Transaction<'a>,
    read: u64,
    has_losses: bool,
    /// True if existing rows take precedence over copied ones.
    keeps_existing: bool,
}

impl TableCopy<'_> {
    /// Copies a table by row ID. After a damaged part, continues with the next row ID that can be read.
    fn copy_by_row_id(&mut self) -> Result<(), JournalError> {
        let sql = format!(
            "SELECT {}, rowid FROM {} WHERE rowid >= ?1 ORDER BY rowid",
            column_list(&self.table.source),
            self.name()
        );
        let (mut next, mut jump) = (i64::MIN, 1);
        for _ in 0..MAX_JUMPS {
            let before = next;
            if self.copy_query(&sql, Some(&mut next))? {
                return Ok(());
            }
            self.has_losses = true;
            jump = if next > before { 1 } else { (jump * 2).min(MAX_JUMP) };
            if next == i64::MIN {
                next = 0;
            }
            next = next.saturating_add(jump);
        }
        Ok(())
    }

    /// Copies a table without row IDs: from the beginning to the damaged part, from the end back to it, and along other
    /// indexes.
    fn copy_by_key(&mut self) -> Result<(), JournalError> {
        let forwards = format!("SELECT {} FROM {}", column_list(&self.table.source), self.name());
        if self.copy_query(&forwards, None)? {
            return Ok(());
        }
        self.has_losses = true;
        let key: Vec<String> = self.table.key.iter().map(|column| format!("{} DESC", quote(column))).collect();
        let backwards =
            format!("SELECT {} FROM {} ORDER BY {}", column_list(&self.table.source), self.name(), key.join(", "));
        self.copy_query(&backwards, None)?;
        // An index that contains all columns is a second copy of the rows.
        for index in self.indexes() {
            let along =
                format!("SELECT {} FROM {} INDEXED BY {}", column_list(&self.table.source), self.name(), quote(&index));
            self.copy_query(&along, None)?;
        }
        Ok(())
    }

    /// Returns the indexes of the damaged table, if they can be read.
    fn indexes(&self) -> Vec<String> {
        let Ok(mut statement) = self.from.prepare("SELECT name FROM pragma_index_list(?1)") else { return Vec::new() };
        let found = statement.query_map([&self.table.name], |row| row.get(0));
        found.map(|found| found.flatten().collect()).unwrap_or_default()
    }

    /// Copies the rows of a query. Returns true if the end was reached. `next` becomes the row ID after the last row
    /// that was read.
    fn copy_query(&mut self, sql: &str, mut next: Option<&mut i64>) -> Result<bool, JournalError> {
        let Ok(mut statement) = self.from.prepare(sql) else { return Ok(false) };
        let values: Vec<i64> = next.iter().map(|next| **next).collect();
        let Ok(mut rows) = statement.query(params_from_iter(values)) else { return Ok(false) };
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

    /// Copies a row. A row with an unreadable value, or one that the new file refuses, is lost.
    fn copy_row(&mut self, row: &Row<'_>) -> Result<(), JournalError> {
        let values: Option<Vec<Value>> = (0..self.table.columns.len()).map(|index| read_value(row, index)).collect();
        let Some(mut values) = values else {
            self.has_losses = true;
            return Ok(());
        };
        self.translate_result(&mut values);
        if self.keeps_existing {
            self.make_unconfirmed(&mut values)?;
        } else if self.read == 0 {
            // Removes the rows that the schema inserts into every new file.
            self.to.execute(&format!("DELETE FROM {}", self.name()), [])?;
        }
        let placeholders = vec!["?"; values.len()].join(", ");
        let otherwise = if self.keeps_existing { "IGNORE" } else { "REPLACE" };
        let sql = format!(
            "INSERT OR {otherwise} INTO {} ({}) VALUES ({placeholders})",
            self.name(),
            column_list(&self.table.columns)
        );
        match self.to.prepare_cached(&sql)?.execute(params_from_iter(values)) {
            Ok(_) => self.read += 1,
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {
                self.has_losses = true
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Renames the result that older files call `in_doubt`.
    fn translate_result(&self, values: &mut [Value]) {
        let index = self.table.columns.iter().position(|name| self.table.name == "item" && name == "result");
        if let Some(Value::Text(word)) = index.and_then(|index| values.get_mut(index))
            && word == "in_doubt"
        {
            RowResult::Unconfirmed.word().clone_into(word);
        }
    }

    /// Makes a pending item of a backup unconfirmed, because it may have been sent since.
    fn make_unconfirmed(&self, values: &mut [Value]) -> Result<(), JournalError> {
        let index_of = |column: &str| self.table.columns.iter().position(|name| name == column);
        let (Some(result), Some(reasons)) = (index_of("result"), index_of("reasons")) else { return Ok(()) };
        let open = |value: &Value| matches!(value, Value::Text(text) if text == "pending" || text == "sending");
        if values.get(result).is_some_and(open) {
            let reason = super::repair::restored_reason()?.map_or(Value::Null, Value::Text);
            for (index, value) in [(result, Value::Text("unconfirmed".to_owned())), (reasons, reason)] {
                if let Some(old) = values.get_mut(index) {
                    *old = value;
                }
            }
        }
        Ok(())
    }

    fn name(&self) -> String {
        quote(&self.table.name)
    }
}

/// Returns a value, or none if it can't be read or isn't valid text.
fn read_value(row: &Row<'_>, index: usize) -> Option<Value> {
    Some(match row.get_ref(index).ok()? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(std::str::from_utf8(text).ok()?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}

/// Continues the numbering, so that the numbers of lost rows aren't reused.
fn continue_sequences(from: &Connection, to: &Transaction<'_>) -> Result<(), JournalError> {
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

fn column_list(columns: &[String]) -> String {
    columns.iter().map(|column| quote(column)).collect::<Vec<_>>().join(", ")
}

/// Quotes a name. It comes from the schema, so it contains no quotation mark.
fn quote(name: &str) -> String {
    format!("\"{name}\"")
}
