//! Sends GraphQL queries to a site.

use std::sync::Arc;

use serde_json::{Value, json};
use takt_client::{Canceller, ClientError};
use takt_contract::{Contract, Operation, OperationKind};
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::{Context, SiteConnection, Sites};

use crate::graphql::answer::GraphqlResult;
use crate::graphql::document;
use crate::graphql::view::GraphqlRequest;

/// The GraphQL client, with the query history and saved queries.
#[derive(Clone)]
pub struct GraphQl {
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub clock: Clock,
}

takt_core::opaque_debug!(GraphQl);

impl GraphQl {
    /// Creates a client for the sites of `context`.
    #[must_use]
    pub fn new(context: &Context) -> Self {
        Self {
            journal: Arc::clone(&context.journal),
            sites: Arc::clone(&context.sites),
            clock: Arc::clone(&context.clock),
        }
    }

    /// Runs a query. GraphQL errors are part of the result. Other failures are problems.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the query is empty, too long, unreadable, a mutation, a subscription or a schema, or
    ///   it is unclear which operation to run (`query-…`). Also if the variables aren't an object
    ///   (`variables-no-object`), or the query was canceled (`query-stopped`).
    /// - [`Code::Unknown`]: the contract has no operation for queries.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - A [read code](takt_core::problem#read-codes): the site doesn't respond, or its response isn't a GraphQL error.
    pub async fn run(
        &self,
        site: &str,
        request: &GraphqlRequest,
        canceller: &Canceller,
    ) -> Result<GraphqlResult, Problem> {
        let query = document::extract_queries(&request.query, request.operation_name.as_deref())?;
        let mut body = json!({ "query": query });
        match &request.variables {
            None | Some(Value::Null) => {}
            Some(variables @ Value::Object(_)) => body["variables"] = variables.clone(),
            Some(_) => return Err(Problem::obstacle("variables-no-object")),
        }
        if let Some(name) = request.operation_name.as_ref().filter(|name| !name.is_empty()) {
            body["operationName"] = json!(name);
        }
        self.send(site, &body, canceller).await
    }

    /// Sends a request with this body, with retries, and parses its response.
    pub(super) async fn send(&self, site: &str, body: &Value, canceller: &Canceller) -> Result<GraphqlResult, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let operation = query_operation(&contract)?;
        let answer = client.query_with_retries(&operation.method, &operation.path, body, canceller).await;
        let result = answer.and_then(|answer| GraphqlResult::from_response(&answer));
        result.or_else(GraphqlResult::from_error_response).map_err(|error| match error {
            ClientError::Cancelled => Problem::obstacle("query-stopped"),
            error => Problem::from_client_error(site, error),
        })
    }
}

/// Returns the contract's operation for free queries.
fn query_operation(contract: &Contract) -> Result<&Operation, Problem> {
    let query = contract.operations().iter().find(|operation| operation.kind == OperationKind::Query);
    query.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", "GraphQL"))
}
