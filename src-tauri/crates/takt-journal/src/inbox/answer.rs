//! The answers to events that expect one, and the rules behind them.

use jiff::Timestamp;

use super::arrival::store_event;
use super::change_record::rules_object;
use super::event::{NewEvent, StoreOutcome};
use super::store::Inbox;
use super::stored_time::time_from_milliseconds;
use super::unverified;
use crate::JournalError;
use crate::database::{Connection, DatabaseError, OptionalExtension, Transaction, params};

/// The answer to an event that expects one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRecord {
    pub event: i64,
    pub at: Timestamp,
    pub allowed: bool,
    /// The cause of the decision, in one word: `rule`, `default`, `failure` or `slow`.
    pub by: String,
    /// The answer with the cause of the decision, as JSON.
    pub detail: String,
    /// The time since the event was received.
    pub milliseconds: u32,
}

/// A version of a site's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesRecord {
    /// Counts from 1.
    pub version: u32,
    pub at: Timestamp,
    pub text: String,
}

impl Inbox {
    /// Stores events and answers in one commit: all of them, or none. If an event already has an answer, that answer
    /// stays and is returned.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn store_with_answers(
        &self,
        events: &[NewEvent],
        answers: &[AnswerRecord],
    ) -> Result<(Vec<StoreOutcome>, Vec<AnswerRecord>), JournalError> {
        let has_space = unverified::has_space(self, events);
        self.with_recent_keys(|transaction, mut recent| {
            let store = |event| store_event(transaction, &mut recent, event, has_space);
            let stored = events.iter().map(store).collect::<Result<_, _>>()?;
            let answered = answers.iter().map(|new| insert_answer(transaction, new)).collect::<Result<_, _>>()?;
            Ok((stored, answered))
        })
    }

    /// Returns the answer to an event, or none if the event expects no answer or got none.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn answer(&self, event: i64) -> Result<Option<AnswerRecord>, JournalError> {
        self.store.read(|connection| load_answer(connection, event))
    }

    /// Returns the answers for a site since a time, newest first. Searches only the newest `limit` answers of all
    /// sites.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn answers_since(&self, site: &str, since: Timestamp, limit: u32) -> Result<Vec<AnswerRecord>, JournalError> {
        self.store.read(|connection| {
            let sql = "SELECT recent.event, recent.at, recent.allowed, recent.by, recent.told, recent.milliseconds
                       FROM (SELECT * FROM answer ORDER BY event DESC LIMIT ?3) AS recent
                       JOIN event ON event.id = recent.event
                       WHERE event.site = ?1 AND recent.at >= ?2 ORDER BY recent.event DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![site, since.as_millisecond(), limit])?;
            let mut records = Vec::new();
            while let Some(row) = rows.next()? {
                records.push(AnswerRecord {
                    event: row.get(0)?,
                    at: time_from_milliseconds(row.get(1)?)?,
                    allowed: row.get(2)?,
                    by: row.get(3)?,
                    detail: row.get(4)?,
                    milliseconds: row.get(5)?,
                });
            }
            Ok(records)
        })
    }
}

/// Reads and changes the versions of sites' rules, and the marks of tried rules.
#[derive(Debug, Clone, Copy)]
pub struct RuleVersions<'a>(pub(crate) &'a Inbox);

impl Inbox {
    /// Returns access to the versions of sites' rules, and to the marks of tried rules.
    #[must_use]
    pub fn rules(&self) -> RuleVersions<'_> {
        RuleVersions(self)
    }
}

impl RuleVersions<'_> {
    /// Returns the latest version of a site's rules, or none if the site has no rules.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn latest(&self, site: &str) -> Result<Option<RulesRecord>, JournalError> {
        self.0.store.read(|connection| {
            let sql = "SELECT version, at, text FROM rules WHERE site = ?1 ORDER BY version DESC LIMIT 1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([site])?;
            let Some(row) = rows.next()? else { return Ok(None) };
            Ok(Some(RulesRecord { version: row.get(0)?, at: time_from_milliseconds(row.get(1)?)?, text: row.get(2)? }))
        })
    }

    /// Stores a new version of a site's rules and returns its number.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn save(&self, site: &str, at: Timestamp, text: &str) -> Result<u32, JournalError> {
        let rules = rules_object(site);
        self.0.store.write(|transaction| {
            let save = |transaction: &Transaction<'_>| insert_rules(transaction, site, at, text);
            self.0.store.change_shared(transaction, &rules, &rules, at, save)
        })
    }

    /// Copies the current rules of sites to the team's inbox, with the marks of tried rules. Skips the site
    /// `excluded_site` and sites that already have rules there. Returns the number of copied sites.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading) or [write error](crate::JournalError#writing). The copied data
    /// stays.
    pub fn carry_over(&self, team: &Inbox, excluded_site: &str) -> Result<u32, JournalError> {
        let mut carried = 0;
        for site in self.sites()?.iter().filter(|site| *site != excluded_site) {
            let (Some(own), None) = (self.latest(site)?, team.rules().latest(site)?) else { continue };
            team.rules().save(site, own.at, &own.text)?;
            team.rules().mark_tried(site, &self.load_all_tried(site)?, own.at)?;
            carried += 1;
        }
        Ok(carried)
    }

    fn sites(&self) -> Result<Vec<String>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT DISTINCT site FROM rules ORDER BY site")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    fn load_all_tried(&self, site: &str) -> Result<Vec<String>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT rule FROM tried WHERE site = ?1 ORDER BY rule")?;
            Ok(statement.query_map([site], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// Returns those of `rules` that were tried. Rules are identified by the hashes of their texts.
    ///
    /// # Errors
    /// A [read error](crate::JournalError#reading).
    pub fn filter_tried(&self, site: &str, rules: &[String]) -> Result<Vec<String>, JournalError> {
        self.0.store.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT 1 FROM tried WHERE site = ?1 AND rule = ?2")?;
            let mut known = Vec::new();
            for rule in rules {
                if statement.exists([site, rule])? {
                    known.push(rule.clone());
                }
            }
            Ok(known)
        })
    }

    /// Marks rules as tried, by the hashes of their texts.
    ///
    /// # Errors
    /// A [write error](crate::JournalError#writing).
    pub fn mark_tried(&self, site: &str, rules: &[String], at: Timestamp) -> Result<(), JournalError> {
        self.0.store.write(|transaction| {
            let sql = "INSERT INTO tried (site, rule, at) VALUES (?1, ?2, ?3)
                       ON CONFLICT (site, rule) DO UPDATE SET at = excluded.at";
            let mut statement = transaction.prepare_cached(sql)?;
            for rule in rules {
                statement.execute(params![site, rule, at.as_millisecond()])?;
            }
            Ok(())
        })
    }
}

/// Inserts a new version of a site's rules and returns its number.
pub(super) fn insert_rules(
    transaction: &Transaction<'_>,
    site: &str,
    at: Timestamp,
    text: &str,
) -> Result<u32, JournalError> {
    let sql = "INSERT INTO rules (site, version, at, text)
               SELECT ?1, COALESCE(MAX(version), 0) + 1, CAST(?2 AS BIGINT), ?3 FROM rules WHERE site = ?1
               RETURNING version";
    let mut statement = transaction.prepare_cached(sql)?;
    Ok(statement.query_row(params![site, at.as_millisecond(), text], |row| row.get(0))?)
}

fn insert_answer(transaction: &Transaction<'_>, new: &AnswerRecord) -> Result<AnswerRecord, JournalError> {
    let sql = "INSERT INTO answer (event, at, allowed, by, told, milliseconds) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
               ON CONFLICT (event) DO NOTHING";
    let AnswerRecord { event, at, allowed, by, detail, milliseconds } = new;
    let at = at.as_millisecond();
    transaction.prepare_cached(sql)?.execute(params![event, at, allowed, by, detail, milliseconds])?;
    load_answer(transaction, *event)?.ok_or_else(|| DatabaseError::from(rusqlite::Error::QueryReturnedNoRows).into())
}

pub(super) fn load_answer(connection: &Connection<'_>, event: i64) -> Result<Option<AnswerRecord>, JournalError> {
    let sql = "SELECT at, allowed, by, told, milliseconds FROM answer WHERE event = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement
        .query_row([event], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))
        .optional()?;
    let Some((at, allowed, by, detail, milliseconds)) = found else { return Ok(None) };
    Ok(Some(AnswerRecord { event, at: time_from_milliseconds(at)?, allowed, by, detail, milliseconds }))
}
