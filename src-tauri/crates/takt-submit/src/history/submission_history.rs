//! The history of submissions: search, and chains of follow-ups.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use takt_contract::{Contract, Names};
use takt_core::{Clock, Code, Home, Problem, Words, words::CurrentWords};
use takt_import::Imports;
use takt_journal::{Journal, SubmissionId, history::HistoryFilter};
use takt_sites::{Context, Sites};

use super::view::{HistoryList, HistoryQuery, SubmissionContext};
use crate::result_reason::finding_code;
use crate::submission::{SubmissionView, Submissions};

/// The most submissions of a chain.
const MAX_CHAIN_LENGTH: usize = 100;

/// The history of submissions.
#[derive(Clone)]
pub struct History {
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
    pub(crate) home: Home,
    pub spoken: CurrentWords,
    pub(crate) imports: Arc<Imports>,
    pub(crate) submissions: Arc<Submissions>,
}

takt_core::opaque_debug!(History);

impl History {
    /// Creates the history of `submissions`.
    #[must_use]
    pub fn new(context: &Context, imports: Arc<Imports>, submissions: Arc<Submissions>) -> Self {
        Self {
            contract: Arc::clone(&context.contract),
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
            home: context.home.clone(),
            spoken: context.spoken.clone(),
            imports,
            submissions,
        }
    }

    /// Lists the matching submissions, the newest first.
    ///
    /// # Errors
    ///
    /// - [`Code::InvalidInput`]: the begin or the end isn't a time.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn list(&self, query: &HistoryQuery, offset: u32, limit: u32) -> Result<HistoryList, Problem> {
        let page = self.journal.history(&self.filter(query)?, offset, limit)?;
        Ok(HistoryList { total: page.total, offset, submissions: self.submissions.views(page.submissions) })
    }

    /// Returns the chain of submissions around one, and its mapping.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission.
    /// - A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn submission_context(&self, id: SubmissionId) -> Result<SubmissionContext, Problem> {
        let record = self.journal.submission(id)?;
        let mapping = record.mapping.as_ref().map(serde_json::to_string_pretty).transpose();
        let mapping = mapping.map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(SubmissionContext { chain: self.chain(id)?, mapping })
    }

    /// Returns the first submission of the chain and all that followed, the oldest first.
    fn chain(&self, id: SubmissionId) -> Result<Vec<SubmissionView>, Problem> {
        let journal = &self.journal;
        let mut root = id;
        for _ in 0..MAX_CHAIN_LENGTH {
            match journal.submission(root)?.follows {
                Some(follows) => root = follows.submission,
                None => break,
            }
        }
        let mut known = BTreeSet::from([root]);
        let mut open = vec![root];
        while let Some(next) = open.pop() {
            let followers = journal.followers(next)?;
            let remaining = MAX_CHAIN_LENGTH.saturating_sub(known.len());
            open.extend(followers.iter().map(|one| one.submission).take(remaining).filter(|one| known.insert(*one)));
        }
        known.insert(id);
        let records = known.into_iter().map(|one| journal.submission(one)).collect::<Result<_, _>>()?;
        Ok(self.submissions.views(records))
    }

    fn filter(&self, query: &HistoryQuery) -> Result<HistoryFilter, Problem> {
        let text = query.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let matches = |names: &Names, text: &str| {
            let text = text.to_lowercase();
            [&names.en, &names.de, &names.es, &names.pt].iter().any(|name| name.to_lowercase().contains(&text))
        };
        let operations = self.contract.operations().iter();
        let operations = text.map(|text| operations.filter(|one| matches(&one.names, text)).map(|one| one.id.clone()));
        let words = self.spoken.words();
        Ok(HistoryFilter {
            operations: operations.into_iter().flatten().collect(),
            codes: text.map(|text| codes_containing(&words, text)).unwrap_or_default(),
            text: text.map(str::to_owned),
            site: query.site.clone(),
            states: query.state.into_iter().collect(),
            unconfirmed: query.unconfirmed,
            unsettled: false,
            since: query.since.as_deref().map(parse_timestamp).transpose()?,
            until: query.until.as_deref().map(parse_timestamp).transpose()?,
        })
    }
}

/// Returns the codes of reasons whose text contains `text`: Takt's own, and the findings of rows that weren't sent.
fn codes_containing(words: &Words, text: &str) -> Vec<String> {
    let findings = words.keys_holding("finding", text).into_iter().map(|key| finding_code(&key));
    words.keys_holding("resultReason", text).into_iter().chain(findings).collect()
}

pub(super) fn parse_timestamp(text: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|error| Problem::new(Code::InvalidInput).parameter("what", text).details(error))
}

/// Returns the file's name without its folder.
pub(super) fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
