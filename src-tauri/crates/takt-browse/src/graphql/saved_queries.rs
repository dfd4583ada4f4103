//! Stores queries per site: the history, saved queries and open tabs. Limited in size, and without secrets.

use serde::{Serialize, de::DeserializeOwned};

use super::{
    client::GraphQl,
    secrets::without_secrets,
    view::{GraphqlEditorState, QueryHistoryEntry, SavedQuery, TypedQuery},
};
use takt_core::{Code, Problem};

const HISTORY: &str = "graphql-history";
const SAVED: &str = "graphql-saved";
const EDITOR: &str = "graphql-desk";
const MAX_PAST_QUERIES: usize = 100;
const MAX_SAVED_QUERIES: usize = 200;
const MAX_TABS: usize = 20;
const MAX_NAME_LENGTH: usize = 200;
/// The most bytes of a query or its variables. Longer ones can be run but aren't stored.
const MAX_STORED_LENGTH: usize = 50_000;

impl GraphQl {
    /// Returns the queries that were run on a site, latest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn history(&self, site: &str) -> Result<Vec<QueryHistoryEntry>, Problem> {
        self.load(HISTORY, site)
    }

    /// Adds a query to the history. A repeated query moves to the front.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be read or written.
    pub fn remember(&self, site: &str, typed: &TypedQuery) -> Result<(), Problem> {
        let Some(typed) = storable(typed).filter(|typed| !typed.query.trim().is_empty()) else { return Ok(()) };
        let mut past = self.history(site)?;
        past.retain(|known| known.typed != typed);
        past.insert(0, QueryHistoryEntry { typed, at: (self.clock)().to_string() });
        past.truncate(MAX_PAST_QUERIES);
        self.store(HISTORY, site, &past)
    }

    /// Deletes a site's history.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be removed.
    pub fn forget_history(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&key(HISTORY, site))?;
        Ok(())
    }

    /// Returns the saved queries, by name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn saved(&self, site: &str) -> Result<Vec<SavedQuery>, Problem> {
        self.load(SAVED, site)
    }

    /// Saves a query under a name, and replaces one of the same name.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the name is empty or too long.
    /// - [`Code::Precondition`]: the query is too long (`query-too-long`), or too many are saved already
    ///   (`too-many-queries`).
    /// - A [journal code](takt_core::problem#journal-codes): the saved queries can't be read or written.
    pub fn save(&self, site: &str, name: &str, typed: &TypedQuery) -> Result<Vec<SavedQuery>, Problem> {
        let name = name.trim();
        let invalid = |what: &str| Problem::new(Code::InvalidInput).parameter("what", what);
        if name.is_empty() || name.chars().count() > MAX_NAME_LENGTH {
            return Err(invalid(name));
        }
        let typed = storable(typed).ok_or_else(|| Problem::obstacle("query-too-long"))?;
        let mut saved = self.saved(site)?;
        saved.retain(|known| known.name != name);
        if saved.len() >= MAX_SAVED_QUERIES {
            return Err(Problem::obstacle("too-many-queries"));
        }
        saved.push(SavedQuery { name: name.to_owned(), typed });
        saved.sort_by_key(|known| known.name.to_lowercase());
        self.store(SAVED, site, &saved)?;
        Ok(saved)
    }

    /// Removes a saved query, and returns the others.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the saved queries can't be read or written.
    pub fn unsave(&self, site: &str, name: &str) -> Result<Vec<SavedQuery>, Problem> {
        let mut saved = self.saved(site)?;
        saved.retain(|known| known.name != name);
        self.store(SAVED, site, &saved)?;
        Ok(saved)
    }

    /// Returns the tabs that were open when the editor was closed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn editor(&self, site: &str) -> Result<GraphqlEditorState, Problem> {
        self.load(EDITOR, site)
    }

    /// Stores the editor's open tabs.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn store_editor(&self, site: &str, editor: &GraphqlEditorState) -> Result<(), Problem> {
        let tabs = editor.tabs.iter().take(MAX_TABS).map(|tab| storable(tab).unwrap_or_default()).collect();
        self.store(EDITOR, site, &GraphqlEditorState { tabs, active: editor.active })
    }

    /// Removes everything about a site that is removed.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): an entry can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        for what in [HISTORY, SAVED, EDITOR] {
            self.journal.settings().remove(&key(what, site))?;
        }
        self.forget_schema(site)
    }

    fn load<T: DeserializeOwned + Default>(&self, what: &str, site: &str) -> Result<T, Problem> {
        let stored = self.journal.settings().get(&key(what, site))?;
        // An entry in an earlier version's form counts as empty.
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    fn store<T: Serialize>(&self, what: &str, site: &str, value: &T) -> Result<(), Problem> {
        let value = serde_json::to_value(value).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(self.journal.settings().set(&key(what, site), &value)?)
    }
}

/// Returns the query without secrets, or `None` if it is too long to be stored.
fn storable(typed: &TypedQuery) -> Option<TypedQuery> {
    let fits = typed.query.len() <= MAX_STORED_LENGTH && typed.variables.len() <= MAX_STORED_LENGTH;
    fits.then(|| TypedQuery { query: without_secrets(&typed.query), variables: without_secrets(&typed.variables) })
}

fn key(what: &str, site: &str) -> String {
    format!("{what}:{site}")
}
