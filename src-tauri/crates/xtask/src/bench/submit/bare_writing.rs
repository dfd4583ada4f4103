//! The bare inserts: the same rows into one plain table by rusqlite, in one transaction, as safe as the journal's.

use std::{fs, time::Instant};

use rusqlite::{Connection, params};

use super::orders::{Done, SendRequest};
use crate::{
    bench::{machine, peers::folder, subject::wrong},
    error::XtaskError,
};

pub(super) const NAME: &str = "bare-writing";

pub(super) fn write(wish: &SendRequest) -> Result<Done, XtaskError> {
    let place = folder().join("submit");
    // What an earlier run left behind isn't part of this one.
    drop(fs::remove_dir_all(&place));
    fs::create_dir_all(&place).map_err(XtaskError::file(&place))?;
    let began = Instant::now();
    let accepted = inserted(wish, &place.join("bare.sqlite")).map_err(|error| wrong(NAME, &error.to_string()))?;
    let written = began.elapsed().as_secs_f64();
    fs::remove_dir_all(&place).map_err(XtaskError::file(&place))?;
    Ok(Done { written, accepted, peak: machine::peak(std::process::id()), ..Done::default() })
}

fn inserted(wish: &SendRequest, file: &std::path::Path) -> rusqlite::Result<u32> {
    let mut connection = Connection::open(file)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(
        "CREATE TABLE item (number INTEGER PRIMARY KEY, key TEXT NOT NULL, body TEXT NOT NULL, sheet TEXT NOT NULL,
         row INTEGER NOT NULL) STRICT",
    )?;
    let transaction = connection.transaction()?;
    let mut count = 0;
    {
        let mut statement = transaction.prepare("INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5)")?;
        for order in wish.orders() {
            count += 1;
            let key = format!("{} · 010", order["code"].as_str().unwrap_or_default());
            statement.execute(params![count, key, order.to_string(), "Orders", count + 1])?;
        }
    }
    transaction.commit()?;
    Ok(count)
}
