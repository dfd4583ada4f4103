//! One request by a contract that isn't in force yet: what an operation that is set by hand answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ReadRequest};
use takt_client::{Canceller, RetryPolicy};
use takt_core::Problem;

use super::{
    Contracts,
    edit::{OperationEdit, overlay},
};

/// Rows that are asked for.
const ROWS: u32 = 5;
/// Characters of an answer that are shown.
const MAX_TEXT_LENGTH: usize = 20_000;

/// What is asked once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct SingleRequest {
    /// The operation, and what is set of it.
    pub edit: OperationEdit,
    /// Parameter name to value.
    pub parameters: BTreeMap<String, String>,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SingleAnswer {
    /// Absent where nothing came.
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    /// Absent where the answer has no list where the contract has it.
    pub rows: Option<u32>,
    /// The first row in Takt's names, as JSON.
    pub first_row: Option<String>,
    /// The answer as it came, without secrets; empty where it can't be read.
    pub body: String,
    /// Whether the answer is longer than what is shown.
    pub is_cut: bool,
    pub problem: Option<Problem>,
}

impl Contracts {
    /// Asks a read once, by the contract in force with an edit that isn't kept.
    ///
    /// # Errors
    ///
    /// - As [`Contracts::edit`], for the edit.
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the operation is no read, or has no such parameter.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): a value is missing that the read needs.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    pub async fn ask_once(
        &self,
        site: &str,
        asked: &SingleRequest,
        canceller: &Canceller,
    ) -> Result<SingleAnswer, Problem> {
        let contract = self.sites.contract(site)?;
        let edit = overlay(&contract, std::slice::from_ref(&asked.edit))?;
        let contract = contract.with_overlay(&edit, &self.sites.time_zone(site));
        let query = BrowseQuery { operation: asked.edit.operation.clone(), parameters: asked.parameters.clone() };
        let request = ReadRequest::new(&contract, &query)?;
        let client = self.sites.client(site)?;
        let said = client.read(&request.question_of_page(1, ROWS), RetryPolicy::PERSON, canceller).await;
        let answer = match said {
            Ok(answer) => answer,
            Err(error) => {
                let status = error.status();
                return Ok(SingleAnswer::failed(status, Problem::of_client(&client.access().name, error)));
            }
        };
        let (status, milliseconds, body) = (answer.status, answer.milliseconds, answer.json());
        let rows = request.rows(answer).await;
        let first_row = rows.as_ref().ok().and_then(|rows| rows.values().next()).map(|row| shown(&row));
        let count = rows.as_ref().ok().and_then(|rows| u32::try_from(rows.len()).ok());
        let without_secrets = |text: String| client.redactor().text(&text).into_owned();
        let problem = rows.err().map(|error| Problem::of_client(&client.access().name, error));
        let (body, is_cut) = cut(body.map(|body| without_secrets(shown(&body))).unwrap_or_default());
        Ok(SingleAnswer {
            status: Some(status),
            milliseconds: Some(milliseconds),
            rows: count,
            first_row: first_row.map(without_secrets).map(|text| cut(text).0),
            body,
            is_cut,
            problem,
        })
    }
}

impl SingleAnswer {
    fn failed(status: Option<u16>, problem: Problem) -> Self {
        Self {
            status,
            milliseconds: None,
            rows: None,
            first_row: None,
            body: String::new(),
            is_cut: false,
            problem: Some(problem),
        }
    }
}

fn shown(value: &Value) -> String {
    format!("{value:#}")
}

/// As much as a person looks at, and whether there is more.
fn cut(text: String) -> (String, bool) {
    match text.char_indices().nth(MAX_TEXT_LENGTH) {
        Some((at, _)) => (text.get(..at).unwrap_or_default().to_owned(), true),
        None => (text, false),
    }
}
