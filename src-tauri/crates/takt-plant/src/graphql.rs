//! `POST /graphql`: work orders over the same store. Its types and filters are made from the contract, so that a member is
//! called the same in both.
//!
//! Owns the schema and one query's way through it. Leaves to its submodules: what the types are, how orders are found, and
//! which queries ask too much.

mod bounds;
mod orders;
mod types;

use std::sync::Arc;

use async_graphql::{
    Request, ServerError,
    dynamic::{self, Object, TypeRef},
};
use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::Value;
use takt_contract::Contract;

use crate::{
    PlantError,
    answer::{Answer, Reply},
    interface::parameters::ParameterChecks,
    store::Store,
};
use bounds::Budget;

pub(crate) type Schema = dynamic::Schema;

type SharedStore = Arc<RwLock<Store>>;

const QUERY: &str = "Query";
/// Introspection asks deep; a query of people doesn't.
const MAX_DEPTH: usize = 24;
const MAX_COMPLEXITY: usize = 2_000;
const MAX_DIRECTIVES: usize = 8;

/// The schema: a page of work orders by any of their texts and a window of time, and one order by its code.
pub(crate) fn schema(contract: &Contract, store: &SharedStore) -> Result<Schema, PlantError> {
    let failed = || PlantError::Operation("work-orders.details".to_owned());
    let details = contract.operation("work-orders.details").ok_or_else(failed)?;
    let shape = details.answer.as_ref().ok_or_else(failed)?;
    let zone = store.read().zone().clone();
    let moments = ParameterChecks::of(contract.document(), &details.path, &details.method, &zone)?;
    let builder = dynamic::Schema::build(QUERY, None, None)
        .limit_depth(MAX_DEPTH)
        .limit_complexity(MAX_COMPLEXITY)
        .limit_directives(MAX_DIRECTIVES);
    let builder = types::register(builder, contract, shape);
    let query = Object::new(QUERY).field(orders::list(contract, &shape.fields, moments)).field(orders::one());
    let built = builder.register(query).data(Arc::clone(store)).finish();
    built.map_err(|error| PlantError::GraphQl(error.to_string()))
}

/// Answers one query. What is wrong with the query itself stands in its answer, as GraphQL has it.
pub(crate) async fn execute(schema: &Schema, body: Value) -> Result<Reply, Answer> {
    let query = body.get("query").and_then(Value::as_str);
    let query = query.ok_or_else(|| Answer::bad_request("query is required and must be text."))?;
    if let Err(reason) = bounds::check(query) {
        return written(&async_graphql::Response::from_errors(vec![ServerError::new(reason, None)]));
    }
    let request = Request::deserialize(body).map_err(|error| Answer::bad_request(format!("{error}.")))?;
    written(&schema.execute(request.data(Budget::default())).await)
}

fn written(response: &async_graphql::Response) -> Result<Reply, Answer> {
    serde_json::to_string(response).map(Reply::json).map_err(|error| Answer::bad_request(error.to_string()))
}

/// A type that always has a value.
fn whole() -> TypeRef {
    TypeRef::named_nn(TypeRef::INT)
}
