//! Stores the log in the file, in two rings that remove their oldest entries. SQLite reuses the freed space.
//!
//! Buffering, numbering and responses are in `crate::log`.

use rusqlite::{Connection, params};

use crate::{
    PlantError,
    log_entry::{LogLine, LogRing},
};

/// The maximum number of stored entries of reads.
const MAX_READS: u64 = 20_000;
/// The default limit for stored entries of writes, in bytes.
pub(super) const DEFAULT_WRITE_BYTES: u64 = 256 * 1024 * 1024;

/// The fill level of the rings. It is read when the file is opened and then updated in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct FillLevel {
    reads: u64,
    /// The total size of all entries of writes that were ever added. `removed_bytes` is the size of the removed ones.
    total_bytes: u64,
    removed_bytes: u64,
    /// The limit for entries of writes, in bytes.
    max_bytes: u64,
}

impl FillLevel {
    pub(super) fn read(connection: &Connection, max_bytes: u64) -> Result<Self, PlantError> {
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
        Ok(Self {
            reads: one("SELECT COUNT(*) FROM reads")?,
            total_bytes: one("SELECT COALESCE((SELECT ends FROM writes ORDER BY number DESC LIMIT 1), 0)")?,
            removed_bytes: one(
                "SELECT COALESCE((SELECT ends - length(CAST(entry AS BLOB)) FROM writes ORDER BY number LIMIT 1), 0)",
            )?,
            max_bytes,
        })
    }

    /// Adds lines and removes the oldest ones within the caller's transaction. Returns the fill level that is valid
    /// after the commit.
    pub(super) fn add(&self, connection: &Connection, lines: &[(LogRing, LogLine)]) -> Result<Self, PlantError> {
        let mut fill = *self;
        for (ring, line) in lines {
            match ring {
                LogRing::Reads => {
                    let sql = "INSERT INTO reads (number, entry) VALUES (?1, ?2)";
                    connection.prepare_cached(sql)?.execute(params![line.number, &*line.text])?;
                    fill.reads += 1;
                }
                LogRing::Writes => {
                    fill.total_bytes += line.text.len() as u64;
                    let sql = "INSERT INTO writes (number, ends, entry) VALUES (?1, ?2, ?3)";
                    connection.prepare_cached(sql)?.execute(params![line.number, fill.total_bytes, &*line.text])?;
                }
            }
        }
        fill.trim(connection)?;
        Ok(fill)
    }

    fn trim(&mut self, connection: &Connection) -> Result<(), PlantError> {
        if self.reads > MAX_READS {
            let sql = "DELETE FROM reads WHERE number IN (SELECT number FROM reads ORDER BY number LIMIT ?1)";
            connection.prepare_cached(sql)?.execute([self.reads - MAX_READS])?;
            self.reads = MAX_READS;
        }
        if self.total_bytes - self.removed_bytes > self.max_bytes {
            // A sixteenth of the ring is removed at once, so that this is rare. The latest entry stays, even if it is
            // too large.
            let removed_bytes = self.total_bytes - self.max_bytes + self.max_bytes / 16;
            let sql = "SELECT COALESCE((SELECT number FROM writes WHERE ends > ?1 ORDER BY number LIMIT 1), \
                       (SELECT MAX(number) FROM writes))";
            let first: u64 = connection.query_row(sql, [removed_bytes], |row| row.get(0))?;
            connection.execute("DELETE FROM writes WHERE number < ?1", [first])?;
            connection.execute("DELETE FROM answers WHERE number < ?1", [first])?;
            let sql = "SELECT ends - length(CAST(entry AS BLOB)) FROM writes WHERE number = ?1";
            self.removed_bytes = connection.query_row(sql, [first], |row| row.get(0))?;
        }
        Ok(())
    }

    /// Removes all entries from both rings.
    pub(super) fn clear(&self, connection: &Connection) -> Result<Self, PlantError> {
        connection.execute_batch("DELETE FROM reads; DELETE FROM writes; DELETE FROM answers;")?;
        Ok(Self { reads: 0, total_bytes: 0, removed_bytes: 0, max_bytes: self.max_bytes })
    }
}

pub(super) fn write_status(connection: &Connection, number: u64, status: u16) -> Result<(), PlantError> {
    let sql = "INSERT OR REPLACE INTO answers (number, status) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![number, status])?;
    Ok(())
}

/// Returns the number of the latest stored entry, or 0 if there is none.
pub(super) fn latest_number(connection: &Connection) -> Result<u64, PlantError> {
    let sql = "SELECT MAX(COALESCE((SELECT MAX(number) FROM reads), 0), COALESCE((SELECT MAX(number) FROM writes), 0))";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// Returns entries with numbers above `after` up to `until`, in order, up to about `bytes` bytes. The flag is true if
/// these are all.
pub(super) fn read_chunk(
    connection: &Connection,
    after: u64,
    until: u64,
    bytes: usize,
) -> Result<(Vec<LogLine>, bool), PlantError> {
    let mut statement = connection.prepare_cached(
        "SELECT number, entry, NULL FROM reads WHERE number > ?1 AND number <= ?2 \
         UNION ALL SELECT number, entry, (SELECT status FROM answers WHERE answers.number = writes.number) \
         FROM writes WHERE number > ?1 AND number <= ?2 ORDER BY number",
    )?;
    let mut rows = statement.query([after, until])?;
    let (mut lines, mut read) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if read >= bytes {
            return Ok((lines, false));
        }
        let line = read_line(row)?;
        read += line.text.len();
        lines.push(line);
    }
    Ok((lines, true))
}

/// Returns the latest `count` entries, newest first.
pub(super) fn read_latest(connection: &Connection, count: usize) -> Result<Vec<LogLine>, PlantError> {
    let mut statement = connection.prepare_cached(
        "SELECT number, entry, NULL FROM reads \
         UNION ALL SELECT number, entry, (SELECT status FROM answers WHERE answers.number = writes.number) \
         FROM writes ORDER BY number DESC LIMIT ?1",
    )?;
    let mut rows = statement.query([i64::try_from(count).unwrap_or(i64::MAX)])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        lines.push(read_line(row)?);
    }
    Ok(lines)
}

fn read_line(row: &rusqlite::Row<'_>) -> Result<LogLine, PlantError> {
    let (number, text, status): (u64, String, Option<u16>) = (row.get(0)?, row.get(1)?, row.get(2)?);
    Ok(LogLine { number, text: text.into() }.with_status(status))
}
