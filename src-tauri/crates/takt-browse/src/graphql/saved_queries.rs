//! What a person typed, per site: what was run, what was given a name, and what was open. Bounded, and without secrets.

use serde::{Serialize, de::DeserializeOwned};

use super::{GraphqlEditorState, QueryHistoryEntry, SavedQuery, TypedQuery, secrets::without_secrets};
use takt_core::{Code, Problem};

use crate::GraphQl;

const HISTORY: &str = "graphql-history";
const SAVED: &str = "graphql-saved";
const EDITOR: &str = "graphql-desk";
const MAX_PAST_QUERIES: usize = 100;
const MAX_SAVED_QUERIES: usize = 200;
const MAX_TABS: usize = 20;
const MAX_NAME_LENGTH: usize = 200;
/// Bytes of a query or its variables; longer ones are run and not kept.
const MAX_STORED_LENGTH: usize = 50_000;

impl GraphQl {
    /// What was run on a site, the latest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn history(&self, site: &str) -> Result<Vec<QueryHistoryEntry>, Problem> {
        self.load(HISTORY, site)
    }

    /// Writes down what is run. The same once more only moves to the front.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be read or written.
    pub fn remember(&self, site: &str, typed: &TypedQuery) -> Result<(), Problem> {
        let Some(typed) = fit(typed).filter(|typed| !typed.query.trim().is_empty()) else { return Ok(()) };
        let mut past = self.history(site)?;
        past.retain(|known| known.typed != typed);
        past.insert(0, QueryHistoryEntry { typed, at: (self.clock)().to_string() });
        past.truncate(MAX_PAST_QUERIES);
        self.store(HISTORY, site, &past)
    }

    /// Forgets what was run on a site.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the history can't be removed.
    pub fn forget_history(&self, site: &str) -> Result<(), Problem> {
        self.journal.settings().remove(&key(HISTORY, site))?;
        Ok(())
    }

    /// Queries with names, by name.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn saved(&self, site: &str) -> Result<Vec<SavedQuery>, Problem> {
        self.load(SAVED, site)
    }

    /// Gives a query a name; one that has it already is replaced.
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
        let typed = fit(typed).ok_or_else(|| Problem::in_the_way("query-too-long"))?;
        let mut saved = self.saved(site)?;
        saved.retain(|known| known.name != name);
        if saved.len() >= MAX_SAVED_QUERIES {
            return Err(Problem::in_the_way("too-many-queries"));
        }
        saved.push(SavedQuery { name: name.to_owned(), typed });
        saved.sort_by_key(|known| known.name.to_lowercase());
        self.store(SAVED, site, &saved)?;
        Ok(saved)
    }

    /// Takes a query out of those with names; returns the others.
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

    /// What was open when the editor was left.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn editor(&self, site: &str) -> Result<GraphqlEditorState, Problem> {
        self.load(EDITOR, site)
    }

    /// Keeps what is open in the editor.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be written.
    pub fn store_editor(&self, site: &str, editor: &GraphqlEditorState) -> Result<(), Problem> {
        let tabs = editor.tabs.iter().take(MAX_TABS).map(|tab| fit(tab).unwrap_or_default()).collect();
        self.store(EDITOR, site, &GraphqlEditorState { tabs, active: editor.active })
    }

    /// Of a site that is removed nothing stays.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): something of it can't be removed.
    pub fn forget(&self, site: &str) -> Result<(), Problem> {
        for what in [HISTORY, SAVED, EDITOR] {
            self.journal.settings().remove(&key(what, site))?;
        }
        self.forget_schema(site)
    }

    fn load<T: DeserializeOwned + Default>(&self, what: &str, site: &str) -> Result<T, Problem> {
        let stored = self.journal.settings().get(&key(what, site))?;
        // What an earlier Takt kept otherwise counts as nothing.
        Ok(stored.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default())
    }

    fn store<T: Serialize>(&self, what: &str, site: &str, value: &T) -> Result<(), Problem> {
        let value = serde_json::to_value(value).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(self.journal.settings().set(&key(what, site), &value)?)
    }
}

/// As it may be kept; nothing where it is too long.
fn fit(typed: &TypedQuery) -> Option<TypedQuery> {
    let fits = typed.query.len() <= MAX_STORED_LENGTH && typed.variables.len() <= MAX_STORED_LENGTH;
    fits.then(|| TypedQuery { query: without_secrets(&typed.query), variables: without_secrets(&typed.variables) })
}

fn key(what: &str, site: &str) -> String {
    format!("{what}:{site}")
}
