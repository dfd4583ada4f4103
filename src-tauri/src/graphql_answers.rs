//! GraphqlAnswers of GraphQL that stay at hand, so that a table or a file can be made of them.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use takt_engine::{
    Code, Problem,
    graphql::{GraphqlResult, GraphqlTable},
};

/// GraphqlAnswers that the window may hold at a time; the oldest goes first.
const MAX_ANSWERS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct GraphqlAnswers(Mutex<AnswersById>);

#[derive(Debug, Default)]
struct AnswersById {
    last: u32,
    by_id: BTreeMap<u32, Arc<Answer>>,
}

/// An answer, and the list of it that was looked at last.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: GraphqlResult,
    table: Mutex<Option<(Option<String>, Arc<GraphqlTable>)>>,
}

impl GraphqlAnswers {
    /// Keeps an answer; by its number it is found again.
    pub(crate) fn add(&self, result: GraphqlResult) -> u32 {
        let mut kept = self.0.lock();
        kept.last += 1;
        let id = kept.last;
        kept.by_id.insert(id, Arc::new(Answer { result, table: Mutex::default() }));
        while kept.by_id.len() > MAX_ANSWERS {
            kept.by_id.pop_first();
        }
        id
    }

    pub(crate) fn get(&self, id: u32) -> Result<Arc<Answer>, Problem> {
        let kept = self.0.lock();
        kept.by_id.get(&id).cloned().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }
}

impl Answer {
    /// A list of it as a table; made once as long as nobody asks for another one.
    pub(crate) fn table(&self, path: Option<&str>) -> Result<Arc<GraphqlTable>, Problem> {
        let mut kept = self.table.lock();
        match &*kept {
            Some((known, table)) if known.as_deref() == path => Ok(Arc::clone(table)),
            _ => {
                let table = Arc::new(self.result.table(path)?);
                *kept = Some((path.map(str::to_owned), Arc::clone(&table)));
                Ok(table)
            }
        }
    }
}
