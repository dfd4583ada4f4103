//! `POST /graphql`: work orders of the same store, with types and filters generated from the contract's names.
//!
//! Owns the schema and the execution of a query. Leaves types, orders and query limits to its submodules.

mod bounds;
mod orders;
mod types;

use std::sync::Arc;

use async_graphql::{
    Request, ServerError,
    dynamic::{self, Object},
};
use serde::Deserialize;
use serde_json::Value;
use takt_contract::Contract;

use crate::{
    PlantError,
    answer::{Answer, Reply},
    interface::parameters::ParameterChecks,
};
use bounds::Budget;
use orders::SharedStore;

pub(crate) type Schema = dynamic::Schema;

const QUERY: &str = "Query";
/// Introspection is nested deeply, unlike other queries.
const MAX_DEPTH: usize = 24;
const MAX_COMPLEXITY: usize = 2_000;
const MAX_DIRECTIVES: usize = 8;

/// Builds the schema: a page of work orders by text filters and a time window, and one order by its code.
pub(crate) fn schema(contract: &Contract, store: &SharedStore) -> Result<Schema, PlantError> {
    let failed = || PlantError::Operation("work-orders.details".to_owned());
    let details = contract.operation("work-orders.details").ok_or_else(failed)?;
    let shape = details.answer.as_ref().ok_or_else(failed)?;
    let zone = store.read().zone().clone();
    let date_checks = ParameterChecks::from_operation(contract.document(), &details.path, &details.method, &zone)?;
    let builder = dynamic::Schema::build(QUERY, None, None)
        .limit_depth(MAX_DEPTH)
        .limit_complexity(MAX_COMPLEXITY)
        .limit_directives(MAX_DIRECTIVES);
    let builder = types::register(builder, contract, shape);
    let query = Object::new(QUERY)
        .field(orders::work_orders_field(contract, &shape.fields, date_checks))
        .field(orders::work_order_field());
    let built = builder.register(query).data(Arc::clone(store)).finish();
    built.map_err(|error| PlantError::GraphQl(error.to_string()))
}

/// Executes a query. Errors of the query are part of a 200, as in GraphQL.
pub(crate) async fn execute(schema: &Schema, body: Value) -> Result<Reply, Answer> {
    let query = body.get("query").and_then(Value::as_str);
    let query = query.ok_or_else(|| Answer::bad_request("query is required and must be text."))?;
    if let Err(reason) = bounds::check(query) {
        return to_reply(&async_graphql::Response::from_errors(vec![ServerError::new(reason, None)]));
    }
    let request = Request::deserialize(body).map_err(|error| Answer::bad_request(format!("{error}.")))?;
    to_reply(&schema.execute(request.data(Budget::default())).await)
}

fn to_reply(response: &async_graphql::Response) -> Result<Reply, Answer> {
    serde_json::to_string(response).map(Reply::json).map_err(|error| Answer::bad_request(error.to_string()))
}
