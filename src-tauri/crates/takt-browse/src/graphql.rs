//! Asking a site by GraphQL: a query leaves with the site's token and within its rate limit, and nothing but a query.
//!
//! Owns what may leave (`document`), the answer as text and as tables (`answer`, `layout`, `lists`,
//! `table`), the site's schema
//! (`schema`), and what a person typed and kept (`saved_queries`, `secrets`). Leaves to others: tokens and pace (takt-client), the
//! file (takt-journal), how an editor looks.

mod answer;
mod document;
mod layout;
mod lists;
mod saved_queries;
mod schema;
mod secrets;
mod table;
mod view;

use std::sync::Arc;

use serde_json::{Value, json};
use takt_client::{Answer, Canceller, Client, ClientError};
use takt_contract::{Operation, OperationKind};
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::{Context, Sites};

pub use answer::GraphqlResult;
pub use table::GraphqlTable;
pub use view::*;

/// Queries in GraphQL, and what a person typed and kept of them.
#[derive(Clone)]
pub struct GraphQl {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
}

takt_core::opaque_debug!(GraphQl);

impl GraphQl {
    /// Queries to the sites of `context`.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self {
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
        }
    }

    /// Runs a query. Errors of GraphQL stand in the result; what else goes wrong is a problem.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: nothing may be sent: the query is empty, too long, unreadable, a mutation, a subscription
    ///   or a schema, none or several of its operations are meant (`query-…`), or the variables are no object
    ///   (`variables-no-object`); or it was cancelled (`query-stopped`).
    /// - [`Code::Unknown`]: the contract has no operation for queries.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't answer, and doesn't say why in GraphQL's form.
    pub async fn run(
        &self,
        site: &str,
        request: &GraphqlRequest,
        canceller: &Canceller,
    ) -> Result<GraphqlResult, Problem> {
        let query = document::only_queries(&request.query, request.operation_name.as_deref())?;
        let mut body = json!({ "query": query });
        match &request.variables {
            None | Some(Value::Null) => {}
            Some(variables @ Value::Object(_)) => body["variables"] = variables.clone(),
            Some(_) => return Err(Problem::in_the_way("variables-no-object")),
        }
        if let Some(name) = request.operation_name.as_ref().filter(|name| !name.is_empty()) {
            body["operationName"] = json!(name);
        }
        self.ask(site, &body, canceller).await
    }

    /// One request, whatever is in it.
    async fn ask(&self, site: &str, body: &Value, canceller: &Canceller) -> Result<GraphqlResult, Problem> {
        let client = self.sites.client(site)?;
        let asked = ask(&client, &self.operation(site)?, body, canceller).await;
        let told = asked.and_then(|answer| GraphqlResult::read(&answer));
        told.or_else(GraphqlResult::refused).map_err(|error| match error {
            ClientError::Cancelled => Problem::in_the_way("query-stopped"),
            error => Problem::of_client(site, error),
        })
    }

    /// The contract's operation for free queries.
    fn operation(&self, site: &str) -> Result<Operation, Problem> {
        let contract = self.sites.contract(site)?;
        let mut operations = contract.operations().iter();
        let query = operations.find(|operation| operation.kind == OperationKind::Query).cloned();
        query.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", "GraphQL"))
    }
}

async fn ask(
    client: &Client,
    operation: &Operation,
    body: &Value,
    canceller: &Canceller,
) -> Result<Answer, ClientError> {
    client.query_with_retries(&operation.method, &operation.path, body, canceller).await
}
