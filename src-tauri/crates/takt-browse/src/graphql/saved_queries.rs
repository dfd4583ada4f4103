//! Stores queries per site: the history, saved queries and open tabs. Limited in size, and without secrets.
//!
//! A secret is the string after a name such as `password`.

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;
use takt_core::{Code, Problem};

use crate::graphql::client::GraphQl;
use crate::graphql::view::{GraphqlEditorState, QueryHistoryEntry, SavedQuery, TypedQuery};

const HISTORY_SETTING: &str = "graphql-history";
const SAVED_SETTING: &str = "graphql-saved";
const EDITOR_SETTING: &str = "graphql-desk";
const MAX_PAST_QUERIES: usize = 100;
const MAX_SAVED_QUERIES: usize = 200;
const MAX_TABS: usize = 20;
const MAX_NAME_LENGTH: usize = 200;
/// The maximum bytes of a stored query or of its variables. Longer ones can be run but aren't stored.
const MAX_STORED_LENGTH: usize = 50_000;
const SECRET_NAMES: [&str; 6] = ["password", "secret", "token", "authorization", "apikey", "credential"];

impl GraphQl {
    /// Returns the queries that were run on a site, latest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn history(&self, site: &str) -> Result<Vec<QueryHistoryEntry>, Problem> {
        self.load(HISTORY_SETTING, site)
    }

    /// Adds a query to the history. A repeated query moves to the front.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be read or written.
    pub fn add_to_history(&self, site: &str, typed: &TypedQuery) -> Result<(), Problem> {
        let Some(typed) = to_storable(typed).filter(|typed| !typed.query.trim().is_empty()) else { return Ok(()) };
        let mut past = self.history(site)?;
        past.retain(|known| known.typed != typed);
        past.insert(0, QueryHistoryEntry { typed, at: (self.clock)().to_string() });
        past.truncate(MAX_PAST_QUERIES);
        self.store(HISTORY_SETTING, site, &past)
    }

    /// Deletes a site's history.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be removed.
    pub fn forget_history(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&setting_name(HISTORY_SETTING, site))?;
        Ok(())
    }

    /// Returns the saved queries, by name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn saved_queries(&self, site: &str) -> Result<Vec<SavedQuery>, Problem> {
        self.load(SAVED_SETTING, site)
    }

    /// Saves a query under a name, and replaces a saved query of the same name.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the name is empty or too long.
    /// - [`Code::Precondition`]: the query is too long (`query-too-long`), or too many are saved already
    ///   (`too-many-queries`).
    /// - A [journal code](takt_core::problem#journal-codes): the saved queries can't be read or written.
    pub fn save_query(&self, site: &str, name: &str, typed: &TypedQuery) -> Result<Vec<SavedQuery>, Problem> {
        let name = name.trim();
        let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
        if name.is_empty() || name.chars().count() > MAX_NAME_LENGTH {
            return Err(invalid(name));
        }
        let typed = to_storable(typed).ok_or_else(|| Problem::obstacle("query-too-long"))?;
        let mut saved = self.saved_queries(site)?;
        saved.retain(|known| known.name != name);
        if saved.len() >= MAX_SAVED_QUERIES {
            return Err(Problem::obstacle("too-many-queries"));
        }
        saved.push(SavedQuery { name: name.to_owned(), typed });
        saved.sort_by_key(|known| known.name.to_lowercase());
        self.store(SAVED_SETTING, site, &saved)?;
        Ok(saved)
    }

    /// Removes a saved query, and returns the others.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the saved queries can't be read or written.
    pub fn remove_saved_query(&self, site: &str, name: &str) -> Result<Vec<SavedQuery>, Problem> {
        let mut saved = self.saved_queries(site)?;
        saved.retain(|known| known.name != name);
        self.store(SAVED_SETTING, site, &saved)?;
        Ok(saved)
    }

    /// Returns the tabs that were open when the editor was closed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn editor_state(&self, site: &str) -> Result<GraphqlEditorState, Problem> {
        self.load(EDITOR_SETTING, site)
    }

    /// Stores the editor's open tabs.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be written.
    pub fn store_editor_state(&self, site: &str, editor: &GraphqlEditorState) -> Result<(), Problem> {
        let tabs = editor.tabs.iter().take(MAX_TABS).map(|tab| to_storable(tab).unwrap_or_default()).collect();
        self.store(EDITOR_SETTING, site, &GraphqlEditorState { tabs, active: editor.active })
    }

    /// Removes the stored queries, the tabs and the schema of a removed site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): an entry can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        for setting in [HISTORY_SETTING, SAVED_SETTING, EDITOR_SETTING] {
            self.journal.settings().remove(&setting_name(setting, site))?;
        }
        self.forget_schema(site)
    }

    fn load<T: DeserializeOwned + Default>(&self, setting: &str, site: &str) -> Result<T, Problem> {
        let stored = self.journal.settings().get(&setting_name(setting, site))?;
        // An entry in an earlier version's form is treated as empty.
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    fn store<T: Serialize>(&self, setting: &str, site: &str, value: &T) -> Result<(), Problem> {
        let value = serde_json::to_value(value).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(self.journal.settings().set(&setting_name(setting, site), &value)?)
    }
}

/// Returns the query without secrets, or `None` if it is too long to be stored.
fn to_storable(typed: &TypedQuery) -> Option<TypedQuery> {
    let fits = typed.query.len() <= MAX_STORED_LENGTH && typed.variables.len() <= MAX_STORED_LENGTH;
    fits.then(|| TypedQuery { query: remove_secrets(&typed.query), variables: remove_secrets(&typed.variables) })
}

fn setting_name(setting: &str, site: &str) -> String {
    format!("{setting}:{site}")
}

/// Returns the JSON or GraphQL text without the contents of the strings that follow the name of a secret.
fn remove_secrets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(value) = next_secret(rest) {
        kept.push_str(rest.get(..value.start).unwrap_or_default());
        rest = rest.get(value.end..).unwrap_or_default();
    }
    kept.push_str(rest);
    kept
}

/// Returns the range of the string that follows the next name of a secret.
fn next_secret(text: &str) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let colon = from + text.get(from..)?.find(':')?;
        from = colon + 1;
        let after_colon = text.get(from..)?;
        let value = after_colon.trim_start();
        if value.starts_with('"') && ends_with_secret_name(text.get(..colon)?) {
            let begin = from + (after_colon.len() - value.len()) + 1;
            return Some(begin..begin + closing_quote(value.get(1..)?));
        }
    }
}

/// Returns true if the text ends with the name of a secret.
fn ends_with_secret_name(before: &str) -> bool {
    let before = before.trim_end();
    let before = before.strip_suffix('"').unwrap_or(before);
    let name = before.rsplit(|character: char| !character.is_alphanumeric() && !"_-".contains(character)).next();
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|character| character.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|secret| name.contains(secret))
}

/// Returns the offset of the closing quotes.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out_and_nothing_else() {
        for (text, kept) in [
            (r#"{"code": "A-1", "password" : "x\"y", "n": 1}"#, r#"{"code": "A-1", "password" : "", "n": 1}"#),
            (r#"{ a(apiKey: "k", code: "7") access_token: "t" }"#, r#"{ a(apiKey: "", code: "7") access_token: "" }"#),
            (r#"{"api-key":"é","x":{"clientSecret":"z"}}"#, r#"{"api-key":"","x":{"clientSecret":""}}"#),
            (r#"{"token": "unfinished"#, r#"{"token": ""#),
            ("{ a(from: \"2026-11-22T08:00:00\") }", "{ a(from: \"2026-11-22T08:00:00\") }"),
            ("", ""),
            (":", ":"),
        ] {
            assert_eq!(remove_secrets(text), kept);
        }
    }
}
