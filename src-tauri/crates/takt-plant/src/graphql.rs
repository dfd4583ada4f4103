//! `POST /graphql`: work orders over the same store. Its types are made from the contract, so that a field is called
//! the same in both.

use std::{
    collections::HashSet,
    sync::{Arc, RwLock},
};

use async_graphql::{
    Error, Name, Request, Value,
    dynamic::{self, Field, FieldFuture, FieldValue, InputValue, Object, ResolverContext, SchemaBuilder, TypeRef},
    indexmap::IndexMap,
};
use serde::Deserialize;
use takt_contract::{Contract, FieldKind};

use crate::{
    Plant, PlantError,
    api::{Answer, Page, Reply, Window},
    lock::reading,
    store::{Resource, Selection, Store, View},
};

pub(crate) type Schema = dynamic::Schema;

type Kept = Arc<RwLock<Store>>;

const ORDER: &str = "WorkOrder";
const PAGE: &str = "WorkOrderPage";
const QUERY: &str = "Query";
/// Introspection asks deep; a query of people doesn't.
const DEEPEST: usize = 24;
const MOST_COMPLEX: usize = 20_000;

/// The schema: a page of work orders by code, window of time, page and limit.
pub(crate) fn schema(contract: &Contract, store: &Kept) -> Result<Schema, PlantError> {
    let failed = || PlantError::Operation("work-orders.details".to_owned());
    let answer = contract.operation("work-orders.details").and_then(|operation| operation.answer.as_ref());
    let fields = &answer.ok_or_else(failed)?.fields;
    let builder = dynamic::Schema::build(QUERY, None, None).limit_depth(DEEPEST).limit_complexity(MOST_COMPLEX);
    let builder = register(builder, ORDER, fields, &mut HashSet::new());
    let whole = |name: &'static str| member(name, TypeRef::named_nn(TypeRef::INT));
    let page = ["total", "pages", "page"].into_iter().fold(Object::new(PAGE), |page, name| page.field(whole(name)));
    let page = page.field(member("items", TypeRef::named_nn_list_nn(ORDER)));
    let orders = Field::new("workOrders", TypeRef::named_nn(PAGE), |context| {
        FieldFuture::new(async move { work_orders(&context).map(|page| Some(FieldValue::value(page))) })
    });
    let text = |name: &str| InputValue::new(name, TypeRef::named(TypeRef::STRING));
    let number = |name: &str, usual: i32| InputValue::new(name, TypeRef::named(TypeRef::INT)).default_value(usual);
    let orders = orders.argument(text("code")).argument(text("from")).argument(text("to"));
    let query = Object::new(QUERY).field(orders.argument(number("page", 1)).argument(number("limit", 100)));
    let built = builder.register(page).register(query).data(Arc::clone(store)).finish();
    built.map_err(|error| PlantError::GraphQl(error.to_string()))
}

/// Answers one query. What is wrong with the query itself stands in its answer, as GraphQL has it.
pub(crate) async fn execute(plant: &Plant, body: serde_json::Value) -> Result<Reply, Answer> {
    if !body.get("query").is_some_and(serde_json::Value::is_string) {
        return Err(Answer::bad_request("query is required and must be text."));
    }
    let request = Request::deserialize(body).map_err(|error| Answer::bad_request(error.to_string()))?;
    let response = plant.graphql.execute(request).await;
    let text = serde_json::to_string(&response).map_err(|error| Answer::bad_request(error.to_string()))?;
    Ok(Reply::json(text))
}

fn work_orders(context: &ResolverContext<'_>) -> Result<Value, Error> {
    let store = reading(context.data::<Kept>()?);
    let text = |name: &str| -> Result<Option<String>, Error> {
        let value = context.args.get(name).filter(|value| !value.is_null());
        value.map(|value| value.string().map(str::to_owned)).transpose()
    };
    let number = |name: &str| context.args.try_get(name)?.i64();
    let window = Window::read(text("from")?.as_deref(), text("to")?.as_deref(), store.zone());
    let window = window.map_err(|errors| Error::new(errors.join(" ")))?;
    let page = Page::checked(number("page")?, number("limit")?).map_err(Error::new)?;
    let selection = Selection { window, order: text("code")? };
    let (rows, total) = store.table(Resource::WorkOrders).page(&selection, page, View::Full);
    let rows: serde_json::Value = serde_json::from_str(&format!("[{rows}]"))?;
    let members = [
        ("total", Value::from(total)),
        ("pages", Value::from(page.count(total))),
        ("page", Value::from(page.number)),
        ("items", Value::from_json(rows)?),
    ];
    let members: IndexMap<Name, Value> = members.into_iter().map(|(name, value)| (Name::new(name), value)).collect();
    Ok(Value::Object(members))
}

/// Registers an object type and, under it, those of its lists and objects.
fn register(
    mut builder: SchemaBuilder,
    name: &str,
    fields: &[takt_contract::Field],
    known: &mut HashSet<String>,
) -> SchemaBuilder {
    if !known.insert(name.to_owned()) {
        return builder;
    }
    let mut object = Object::new(name);
    for field in fields {
        let part = match field.kind {
            FieldKind::TimeSpan => "TimeSpan".to_owned(),
            _ => format!("{name}{}", capitalised(&field.name)),
        };
        let (of, list) = match field.kind {
            FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => (TypeRef::STRING, false),
            FieldKind::Integer => (TypeRef::INT, false),
            FieldKind::Number => (TypeRef::FLOAT, false),
            FieldKind::Boolean => (TypeRef::BOOLEAN, false),
            FieldKind::TimeSpan | FieldKind::Object => (part.as_str(), false),
            FieldKind::List => (part.as_str(), true),
        };
        let of = match (list, field.nullable) {
            (true, _) => TypeRef::named_nn_list_nn(of),
            (false, true) => TypeRef::named(of),
            (false, false) => TypeRef::named_nn(of),
        };
        object = object.field(member(&field.name, of));
        if field.kind == FieldKind::TimeSpan {
            builder = time_span(builder, known);
        } else if matches!(field.kind, FieldKind::List | FieldKind::Object) {
            builder = register(builder, &part, &field.fields, known);
        }
    }
    builder.register(object)
}

fn time_span(builder: SchemaBuilder, known: &mut HashSet<String>) -> SchemaBuilder {
    if !known.insert("TimeSpan".to_owned()) {
        return builder;
    }
    let names = [
        "ticks",
        "days",
        "hours",
        "minutes",
        "seconds",
        "milliseconds",
        "totalDays",
        "totalHours",
        "totalMinutes",
        "totalSeconds",
        "totalMilliseconds",
    ];
    let number = |name| member(name, TypeRef::named_nn(TypeRef::FLOAT));
    builder.register(names.into_iter().fold(Object::new("TimeSpan"), |object, name| object.field(number(name))))
}

/// A field whose value is the parent's member of the same name.
fn member(name: &str, of: TypeRef) -> Field {
    let key = Name::new(name);
    Field::new(name, of, move |context| {
        let value = match context.parent_value.as_value() {
            Some(Value::Object(members)) => members.get(&key).cloned(),
            _ => None,
        };
        FieldFuture::from_value(value.filter(|value| *value != Value::Null))
    })
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
