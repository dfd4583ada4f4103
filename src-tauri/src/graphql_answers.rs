//! Stored GraphQL results, from which tables and files can be made.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use takt_engine::{
    Code, Problem,
    graphql::{GraphqlResult, GraphqlTable},
};

/// The maximum number of stored results. The oldest are removed first.
const MAX_ANSWERS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct GraphqlAnswers(Mutex<AnswersById>);

#[derive(Debug, Default)]
struct AnswersById {
    last: u32,
    by_id: BTreeMap<u32, Arc<Answer>>,
}

/// A result, and a cache of the table that was last requested.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: GraphqlResult,
    table: Mutex<Option<(Option<String>, Arc<GraphqlTable>)>>,
}

impl GraphqlAnswers {
    /// Stores a result, and returns its number.
    pub(crate) fn add(&self, result: GraphqlResult) -> u32 {
        let mut answers = self.0.lock();
        answers.last += 1;
        let id = answers.last;
        answers.by_id.insert(id, Arc::new(Answer { result, table: Mutex::default() }));
        while answers.by_id.len() > MAX_ANSWERS {
            answers.by_id.pop_first();
        }
        id
    }

    pub(crate) fn get(&self, id: u32) -> Result<Arc<Answer>, Problem> {
        let answers = self.0.lock();
        answers.by_id.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }
}

impl Answer {
    /// Returns a list of the result as a table, or the whole result if `path` is absent. Caches the last table.
    pub(crate) fn table(&self, path: Option<&str>) -> Result<Arc<GraphqlTable>, Problem> {
        let mut cached = self.table.lock();
        match &*cached {
            Some((known, table)) if known.as_deref() == path => Ok(Arc::clone(table)),
            _ => {
                let table = Arc::new(self.result.table(path)?);
                *cached = Some((path.map(str::to_owned), Arc::clone(&table)));
                Ok(table)
            }
        }
    }
}
