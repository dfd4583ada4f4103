//! The search index of event texts, in a file and in a team's database.
//!
//! A file uses SQLite's FTS5 with its tokenizer. For a team's database, texts are split into words here by the same
//! rules (letters and digits, without case and accents). So the language and settings of the server don't matter.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::JournalError;
use crate::database::{Connection, Transaction};

/// The maximum length of a word in characters. Longer words could exceed the server's limit in bytes.
const MAX_WORD_LENGTH: usize = 500;

/// A search text. Each word is a phrase whose last part may be incomplete. Typed characters are never interpreted as
/// operators.
pub(super) struct SearchWords(Vec<String>);

impl SearchWords {
    /// Splits a text at spaces. Returns none if it has no letter or digit.
    pub(super) fn parse(text: Option<&str>) -> Option<Self> {
        let words: Vec<_> = text?.split_whitespace().map(|word| word.replace('"', "")).collect();
        let words: Vec<_> = words.into_iter().filter(|word| word.chars().any(char::is_alphanumeric)).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Returns the SQL condition that an event's text matches.
    pub(super) fn condition(&self, connection: &Connection<'_>, placeholder: &str) -> String {
        match connection {
            Connection::Sqlite(_) => format!("event_text MATCH {placeholder}"),
            Connection::Postgres(_) => format!("event_text.words @@ CAST(CAST({placeholder} AS TEXT) AS tsquery)"),
        }
    }

    /// Returns the query in the syntax of the database.
    pub(super) fn query(&self, connection: &Connection<'_>) -> String {
        let phrases: Vec<_> = match connection {
            Connection::Sqlite(_) => self.0.iter().map(|word| format!("\"{word}\"*")).collect(),
            Connection::Postgres(_) => self.0.iter().map(|word| phrase(word)).collect(),
        };
        phrases.join(if matches!(connection, Connection::Sqlite(_)) { " " } else { " & " })
    }
}

/// Formats a word for `tsquery`.
fn phrase(word: &str) -> String {
    let parts: Vec<_> = split_words(word).map(|part| format!("'{part}'")).collect();
    format!("({}:*)", parts.join(" <-> "))
}

/// Formats words with their positions for `tsvector`.
fn positioned_words(text: &str) -> String {
    let words = split_words(text).enumerate().map(|(index, word)| format!("'{word}':{}", index + 1));
    words.collect::<Vec<_>>().join(" ")
}

/// Splits a text into words without case and accents.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    let plain: String = text.nfd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect();
    let parts: Vec<_> = plain.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect();
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| part.chars().take(MAX_WORD_LENGTH).collect())
}

/// Inserts the texts of events by their numbers.
pub(super) fn insert<'a>(
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
            let words = texts.map(|(event, text)| (event, positioned_words(text)));
            Ok(transaction.prepare_cached(sql)?.execute_each(words)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_without_case_and_accents() {
        assert_eq!(positioned_words("WO-1001 Größe 'Ä\\'"), "'wo':1 '1001':2 'große':3 'a':4");
        assert_eq!(positioned_words(" -- "), "");
    }

    #[test]
    fn what_is_looked_for_is_a_phrase_that_may_go_on() {
        assert_eq!(phrase("WO-10"), "('wo' <-> '10':*)");
        assert!(SearchWords::parse(Some(" - \"")).is_none());
        assert!(SearchWords::parse(None).is_none());
    }
}
