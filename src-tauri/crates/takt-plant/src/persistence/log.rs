//! The log in the file: two rings of entries, bounded, the oldest going first. The space of those that go is used again.
//!
//! Leaves to `crate::log` what is buffered, numbered and answered.

use rusqlite::{Connection, params};

use crate::{
    PlantError,
    log_entry::{LogLine, LogRing},
};

/// Entries kept of requests that only read.
const READS_KEPT: u64 = 20_000;
/// Bytes kept of requests that change something, where nothing else was asked for.
pub(super) const WRITES_KEPT: u64 = 256 * 1024 * 1024;

/// How full the rings are. Only the connection that writes knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fill {
    reads: u64,
    /// Bytes of all writes ever, and of those that have gone.
    ends: u64,
    gone: u64,
    /// Bytes that the ring of writes may hold.
    most: u64,
}

impl Fill {
    pub(super) fn read(connection: &Connection, most: u64) -> Result<Self, PlantError> {
        let one = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, u64>(0));
        Ok(Self {
            reads: one("SELECT COUNT(*) FROM reads")?,
            ends: one("SELECT COALESCE((SELECT ends FROM writes ORDER BY number DESC LIMIT 1), 0)")?,
            gone: one(
                "SELECT COALESCE((SELECT ends - length(CAST(entry AS BLOB)) FROM writes ORDER BY number LIMIT 1), 0)",
            )?,
            most,
        })
    }

    /// Adds lines to their rings and lets the oldest go, in the connection's transaction. What is true once that is
    /// committed comes back.
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
                    fill.ends += line.text.len() as u64;
                    let sql = "INSERT INTO writes (number, ends, entry) VALUES (?1, ?2, ?3)";
                    connection.prepare_cached(sql)?.execute(params![line.number, fill.ends, &*line.text])?;
                }
            }
        }
        fill.trim(connection)?;
        Ok(fill)
    }

    fn trim(&mut self, connection: &Connection) -> Result<(), PlantError> {
        if self.reads > READS_KEPT {
            let sql = "DELETE FROM reads WHERE number IN (SELECT number FROM reads ORDER BY number LIMIT ?1)";
            connection.prepare_cached(sql)?.execute([self.reads - READS_KEPT])?;
            self.reads = READS_KEPT;
        }
        if self.ends - self.gone > self.most {
            // A sixteenth at once, so that this is seldom done. The newest entry stays, however large it is.
            let gone = self.ends - self.most + self.most / 16;
            let sql = "SELECT COALESCE((SELECT number FROM writes WHERE ends > ?1 ORDER BY number LIMIT 1), \
                       (SELECT MAX(number) FROM writes))";
            let first: u64 = connection.query_row(sql, [gone], |row| row.get(0))?;
            connection.execute("DELETE FROM writes WHERE number < ?1", [first])?;
            connection.execute("DELETE FROM answers WHERE number < ?1", [first])?;
            let sql = "SELECT ends - length(CAST(entry AS BLOB)) FROM writes WHERE number = ?1";
            self.gone = connection.query_row(sql, [first], |row| row.get(0))?;
        }
        Ok(())
    }

    /// Empties both rings.
    pub(super) fn clear(&self, connection: &Connection) -> Result<Self, PlantError> {
        connection.execute_batch("DELETE FROM reads; DELETE FROM writes; DELETE FROM answers;")?;
        Ok(Self { reads: 0, ends: 0, gone: 0, most: self.most })
    }
}

/// Completes a write by what was answered.
pub(super) fn answer(connection: &Connection, number: u64, status: u16) -> Result<(), PlantError> {
    let sql = "INSERT OR REPLACE INTO answers (number, status) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![number, status])?;
    Ok(())
}

/// The number of the latest entry.
pub(super) fn latest_number(connection: &Connection) -> Result<u64, PlantError> {
    let sql = "SELECT MAX(COALESCE((SELECT MAX(number) FROM reads), 0), COALESCE((SELECT MAX(number) FROM writes), 0))";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// The entries after `after` up to `until`, in order, until their texts reach `bytes`. Says whether these are all.
pub(super) fn piece(
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
        let line = line(row)?;
        read += line.text.len();
        lines.push(line);
    }
    Ok((lines, true))
}

/// The latest entries, newest first.
pub(super) fn latest(connection: &Connection, count: usize) -> Result<Vec<LogLine>, PlantError> {
    let mut statement = connection.prepare_cached(
        "SELECT number, entry, NULL FROM reads \
         UNION ALL SELECT number, entry, (SELECT status FROM answers WHERE answers.number = writes.number) \
         FROM writes ORDER BY number DESC LIMIT ?1",
    )?;
    let mut rows = statement.query([i64::try_from(count).unwrap_or(i64::MAX)])?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        lines.push(line(row)?);
    }
    Ok(lines)
}

fn line(row: &rusqlite::Row<'_>) -> Result<LogLine, PlantError> {
    let (number, text, status): (u64, String, Option<u16>) = (row.get(0)?, row.get(1)?, row.get(2)?);
    Ok(LogLine { number, text: text.into() }.answered(status))
}
