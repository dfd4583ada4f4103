//! The words of events, for the search: how a file keeps and finds them, and how a team's database does.
//!
//! A file has SQLite's FTS5, whose tokenizer takes texts apart. A database gets the words as they were taken apart here, by the same rules
//! (letters and digits, without case and accents), so that no language or setting of the server has a say in it.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::JournalError;
use crate::database::{Connection, Transaction};

/// Characters of a word that are kept: a server takes no longer ones.
const MAX_WORD_LENGTH: usize = 500;

/// What is looked for: each word as a phrase of its own, whose last part may go on. Nothing that is typed is taken for a command.
pub(super) struct SearchWords(Vec<String>);

impl SearchWords {
    /// Nothing where no letter or digit is in it.
    pub(super) fn of(text: Option<&str>) -> Option<Self> {
        let words: Vec<_> = text?.split_whitespace().map(|word| word.replace('"', "")).collect();
        let words: Vec<_> = words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    pub(super) fn condition(&self, connection: &Connection<'_>, place: &str) -> String {
        match connection {
            Connection::Sqlite(_) => format!("event_text MATCH {place}"),
            Connection::Postgres(_) => format!("event_text.words @@ CAST(CAST({place} AS TEXT) AS tsquery)"),
        }
    }

    pub(super) fn query(&self, connection: &Connection<'_>) -> String {
        let phrases: Vec<_> = match connection {
            Connection::Sqlite(_) => self.0.iter().map(|word| format!("\"{word}\"*")).collect(),
            Connection::Postgres(_) => self.0.iter().map(|word| phrase(word)).collect(),
        };
        phrases.join(if matches!(connection, Connection::Sqlite(_)) { " " } else { " & " })
    }
}

/// As a server's `tsquery` writes it.
fn phrase(word: &str) -> String {
    let parts: Vec<_> = parts(word).map(|part| format!("'{part}'")).collect();
    format!("({}:*)", parts.join(" <-> "))
}

/// As a server's `tsvector` writes it: each word with its place.
fn placed_words(text: &str) -> String {
    let words = parts(text).enumerate().map(|(place, word)| format!("'{word}':{}", place + 1));
    words.collect::<Vec<_>>().join(" ")
}

fn parts(text: &str) -> impl Iterator<Item = String> {
    let plain: String = text.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect();
    let parts: Vec<_> = plain.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect();
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| part.chars().take(MAX_WORD_LENGTH).collect())
}

/// Keeps the texts of events by their numbers.
pub(super) fn write<'a>(
    transaction: &Transaction<'_>,
    texts: impl Iterator<Item = (i64, &'a str)>,
) -> Result<(), JournalError> {
    match **transaction {
        Connection::Sqlite(_) => {
            let mut text = transaction.prepare_cached("INSERT INTO event_text (rowid, text) VALUES (?1, ?2)")?;
            Ok(text.execute_each(texts)?)
        }
        Connection::Postgres(_) => {
            let sql = "INSERT INTO event_text (rowid, words) VALUES (?1, CAST(CAST(?2 AS TEXT) AS tsvector))";
            let words = texts.map(|(event, text)| (event, placed_words(text)));
            Ok(transaction.prepare_cached(sql)?.execute_each(words)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_without_case_and_accents() {
        assert_eq!(placed_words("WO-1001 Größe 'Ä\\'"), "'wo':1 '1001':2 'große':3 'a':4");
        assert_eq!(placed_words(" -- "), "");
    }

    #[test]
    fn what_is_looked_for_is_a_phrase_that_may_go_on() {
        assert_eq!(phrase("WO-10"), "('wo' <-> '10':*)");
        assert!(SearchWords::of(Some(" - \"")).is_none());
        assert!(SearchWords::of(None).is_none());
    }
}
