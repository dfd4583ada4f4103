//! Sends one request with an edited contract that isn't in force yet.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ListRequest};
use takt_client::{Canceller, RetryPolicy};
use takt_core::{Problem, blocking::run_blocking};
use takt_sites::SiteConnection;

use super::{
    edit::{OperationEdit, edits_to_overlay},
    site_contracts::Contracts,
};

/// The number of requested rows. A few are enough to check an edit.
const MAX_ROWS: u32 = 5;
/// The maximum length of `body` in characters. Longer responses are cut: see [`SingleAnswer::is_cut`].
const MAX_TEXT_LENGTH: usize = 20_000;

/// A read that is sent once with an edited operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(default)]
pub struct SingleRequest {
    /// The operation and its edit.
    pub edit: OperationEdit,
    /// Parameter values by name.
    pub parameters: BTreeMap<String, String>,
}

/// The response to a single request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SingleAnswer {
    /// `None` if there was no response.
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    /// `None` if the response has no list at the contract's path.
    pub rows: Option<u32>,
    /// The first row with Takt's names, as JSON.
    pub first_row: Option<String>,
    /// The response without secrets. Empty if it is unreadable.
    pub body: String,
    /// True if the response is longer than the text shown.
    pub is_cut: bool,
    pub problem: Option<Problem>,
}

impl Contracts {
    /// Sends a read once, using the contract in force with an edit that isn't stored.
    ///
    /// # Errors
    ///
    /// - As for [`Contracts::edit`].
    /// - [`Code::Unknown`](takt_core::Code::Unknown): the operation isn't a read, or has no such parameter.
    /// - [`Code::InvalidInput`](takt_core::Code::InvalidInput): a required value is missing.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    pub async fn send_single_request(
        &self,
        site: &str,
        request: &SingleRequest,
        canceller: &Canceller,
    ) -> Result<SingleAnswer, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let edit = edits_to_overlay(&contract, std::slice::from_ref(&request.edit))?;
        let (sites, name) = (Arc::clone(&self.sites), site.to_owned());
        let zone = run_blocking(move || sites.time_zone(&name)).await?;
        let contract = contract.with_overlay(&edit, &zone);
        let query = BrowseQuery { operation: request.edit.operation.clone(), parameters: request.parameters.clone() };
        let read_request = ListRequest::new(&contract, &query)?;
        let result = client.read(&read_request.page_request(1, MAX_ROWS), RetryPolicy::SINGLE_READ, canceller).await;
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                let status = error.status();
                return Ok(SingleAnswer::failed(status, Problem::from_client_error(&client.access().name, error)));
            }
        };
        let (status, milliseconds, body) = (answer.status, answer.milliseconds, answer.json());
        let rows = read_request.parse_rows(answer).await;
        let first_row = rows.as_ref().ok().and_then(|rows| rows.values().next()).map(|row| format_json(&row));
        let count = rows.as_ref().ok().and_then(|rows| u32::try_from(rows.len()).ok());
        let without_secrets = |text: String| client.redactor().redact_text(&text).into_owned();
        let problem = rows.err().map(|error| Problem::from_client_error(&client.access().name, error));
        let (body, is_cut) = truncate(body.map(|body| without_secrets(format_json(&body))).unwrap_or_default());
        Ok(SingleAnswer {
            status: Some(status),
            milliseconds: Some(milliseconds),
            rows: count,
            first_row: first_row.map(without_secrets).map(|text| truncate(text).0),
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

fn format_json(value: &Value) -> String {
    format!("{value:#}")
}

/// Cuts a text to [`MAX_TEXT_LENGTH`], and returns whether it was longer.
fn truncate(text: String) -> (String, bool) {
    match text.char_indices().nth(MAX_TEXT_LENGTH) {
        Some((at, _)) => (text.get(..at).unwrap_or_default().to_owned(), true),
        None => (text, false),
    }
}
