//! `POST /graphql` returns work orders from the store. Types and filters are generated from the contract.
//!
//! This module builds the schema and runs queries. The limits of queries are in `query_limits`.

mod query_limits;

use std::{collections::HashSet, sync::Arc};

use async_graphql::{
    Error, Name, Request, ServerError, Value,
    dynamic::{self, Field, FieldFuture, FieldValue, InputValue, Object, ResolverContext, SchemaBuilder, TypeRef},
    indexmap::IndexMap,
};
use parking_lot::RwLock;
use serde::Deserialize;
use serde_json::Value as Json;
use takt_contract::{Contract, FieldKind, ProvenanceLevel, RowSchema, wire::TimeSpan};

use crate::{
    PlantError,
    answer::{Answer, Reply},
    interface::parameters::ParameterChecks,
    paging::PageRange,
    store::{Resource, Selection, Store, TextFilter, View},
    time_window::{REVERSED_WINDOW, TimeWindow},
};

use query_limits::SearchBudget;

pub(crate) type Schema = dynamic::Schema;

const QUERY_TYPE: &str = "Query";
/// The maximum depth of a query. Only introspection queries are nested deeply.
const MAX_DEPTH: usize = 24;
const MAX_COMPLEXITY: usize = 2_000;
const MAX_DIRECTIVES: usize = 8;

/// Builds the schema: `workOrders` with text filters and a time window, and `workOrder` with a code.
pub(crate) fn build_schema(contract: &Contract, store: &SharedStore) -> Result<Schema, PlantError> {
    let failed = || PlantError::Operation("work-orders.details".to_owned());
    let details = contract.operation("work-orders.details").ok_or_else(failed)?;
    let shape = details.answer.as_ref().ok_or_else(failed)?;
    let zone = store.read().zone().clone();
    let date_checks = ParameterChecks::from_operation(contract.document(), &details.path, &details.method, &zone)?;
    let builder = dynamic::Schema::build(QUERY_TYPE, None, None)
        .limit_depth(MAX_DEPTH)
        .limit_complexity(MAX_COMPLEXITY)
        .limit_directives(MAX_DIRECTIVES);
    let builder = register_types(builder, contract, shape);
    let query = Object::new(QUERY_TYPE)
        .field(work_orders_field(contract, &shape.fields, date_checks))
        .field(work_order_field());
    let built = builder.register(query).data(Arc::clone(store)).finish();
    built.map_err(|error| PlantError::GraphQl(error.to_string()))
}

/// Runs a query. Errors in the query are part of a 200 response, as usual in GraphQL.
pub(crate) async fn execute_query(schema: &Schema, body: Json) -> Result<Reply, Answer> {
    let query = body.get("query").and_then(Json::as_str);
    let query = query.ok_or_else(|| Answer::bad_request("query is required and must be text."))?;
    if let Err(reason) = query_limits::check_query(query) {
        return to_reply(&async_graphql::Response::from_errors(vec![ServerError::new(reason, None)]));
    }
    let request = Request::deserialize(body).map_err(|error| Answer::bad_request(format!("{error}.")))?;
    to_reply(&schema.execute(request.data(SearchBudget::default())).await)
}

fn to_reply(response: &async_graphql::Response) -> Result<Reply, Answer> {
    serde_json::to_string(response).map(Reply::json).map_err(|error| Answer::bad_request(error.to_string()))
}

type SharedStore = Arc<RwLock<Store>>;

/// The member with the code of the order, for which the store has an index.
const CODE_MEMBER: &str = "code";
const OPERATION_MEMBER: &str = "operationCode";
/// The maximum length of a filter, in characters. Texts of real orders are shorter.
const MAX_FILTER_LENGTH: usize = 200;

/// Returns the field `workOrders`, which is a page of orders. Filters match texts exactly, and all must match.
fn work_orders_field(contract: &Contract, fields: &[takt_contract::Field], date_checks: ParameterChecks) -> Field {
    let texts = fields.iter().filter(|field| field.kind == FieldKind::Text);
    let mut nested_names = HashSet::new();
    fields.iter().for_each(|field| collect_part_names(&field.fields, &mut nested_names));
    let filters: Vec<(String, bool)> =
        texts.clone().map(|field| (field.name.clone(), nested_names.contains(field.name.as_str()))).collect();
    let field = Field::new("workOrders", TypeRef::named_nn(PAGE_TYPE), move |context| {
        let page = resolve_page(&context, &filters, &date_checks).map(|page| Some(FieldValue::value(page)));
        FieldFuture::new(async { page })
    });
    let text = |name: &str, what: String| InputValue::new(name, TypeRef::named(TypeRef::STRING)).description(what);
    let field = texts.fold(field, |field, filter| field.argument(text(&filter.name, describe_field(filter))));
    let field = ["from", "to"].into_iter().fold(field, |field, name| {
        let at = contract.document().pointer(&format!("/components/parameters/{}/description", capitalize(name)));
        let what = at.and_then(Json::as_str).unwrap_or_default();
        field.argument(text(name, what.to_owned()))
    });
    let number = |name: &str, default_value: i32, what: &str| {
        InputValue::new(name, TypeRef::named(TypeRef::INT)).default_value(default_value).description(what)
    };
    field
        .argument(number("page", 1, "Which page, counted from 1."))
        .argument(number("limit", 100, "Work orders per page, from 1 to 100."))
        .description("Work orders, each operation of one by itself, in the order in which they came.")
}

/// Returns the field `workOrder`, which is one operation of an order. Without an operation, it is the first one.
fn work_order_field() -> Field {
    let field = Field::new("workOrder", TypeRef::named(ORDER_TYPE), |context| {
        let order = resolve_order(&context).map(|order| order.map(FieldValue::value));
        FieldFuture::new(async { order })
    });
    field
        .argument(
            InputValue::new(CODE_MEMBER, TypeRef::named_nn(TypeRef::STRING)).description("The work order's code."),
        )
        .argument(
            InputValue::new(OPERATION_MEMBER, TypeRef::named(TypeRef::STRING))
                .description("Its operation; the first one where none is given."),
        )
        .description("One operation of a work order; null where there is none.")
}

fn resolve_page(
    context: &ResolverContext<'_>,
    filters: &[(String, bool)],
    date_checks: &ParameterChecks,
) -> Result<Value, Error> {
    context.data::<SearchBudget>()?.use_search().map_err(Error::new)?;
    let number = |name: &str, default_value: i64| match context.args.get(name).filter(|value| !value.is_null()) {
        Some(value) => value.i64(),
        None => Ok(default_value),
    };
    let page = PageRange::from_numbers(number("page", 1)?, number("limit", 100)?).map_err(Error::new)?;
    let store = context.data::<SharedStore>()?.read();
    let (from, to) = (text_argument(context, "from")?, text_argument(context, "to")?);
    for (name, date) in [("from", &from), ("to", &to)] {
        let rule = date.as_deref().and_then(|date| date_checks.violation(name, date));
        rule.map_or(Ok(()), |rule| Err(Error::new(rule)))?;
    }
    let window = TimeWindow::parse(from.as_deref(), to.as_deref(), store.zone());
    let window = window.map_err(|errors| Error::new(errors.join(" ")))?;
    if window.is_reversed() {
        return Err(Error::new(REVERSED_WINDOW));
    }
    let mut selection = Selection { window, ..Selection::default() };
    for (name, is_nested_name) in filters {
        match text_argument(context, name)? {
            Some(value) if name == CODE_MEMBER => selection.order = Some(value),
            Some(value) => selection.texts.push(TextFilter::new(name, &value, *is_nested_name)),
            None => {}
        }
    }
    let (rows, total) = store.table(Resource::WorkOrders).read_page(&selection, page, View::Full, ["", ""]);
    drop(store);
    let rows: Json = serde_json::from_str(&rows)?;
    let members = [
        ("total", Value::from(total)),
        ("pages", Value::from(page.page_count(total))),
        ("page", Value::from(page.number)),
        ("items", Value::from_json(rows)?),
    ];
    let members: IndexMap<Name, Value> = members.into_iter().map(|(name, value)| (Name::new(name), value)).collect();
    Ok(Value::Object(members))
}

fn resolve_order(context: &ResolverContext<'_>) -> Result<Option<Value>, Error> {
    context.data::<SearchBudget>()?.use_search().map_err(Error::new)?;
    let mut selection = Selection { order: text_argument(context, CODE_MEMBER)?, ..Selection::default() };
    if let Some(operation) = text_argument(context, OPERATION_MEMBER)? {
        selection.texts.push(TextFilter::new(OPERATION_MEMBER, &operation, true));
    }
    let first = PageRange::from_numbers(1, 1).map_err(Error::new)?;
    let store = context.data::<SharedStore>()?.read();
    let (rows, _) = store.table(Resource::WorkOrders).read_page(&selection, first, View::Full, ["", ""]);
    drop(store);
    let rows: Vec<Json> = serde_json::from_str(&rows)?;
    Ok(rows.into_iter().next().map(Value::from_json).transpose()?)
}

fn collect_part_names<'a>(fields: &'a [takt_contract::Field], names: &mut HashSet<&'a str>) {
    for field in fields {
        names.insert(&field.name);
        collect_part_names(&field.fields, names);
    }
}

/// Returns a text argument. None if the argument is missing or null.
fn text_argument(context: &ResolverContext<'_>, name: &str) -> Result<Option<String>, Error> {
    let Some(value) = context.args.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.string()?;
    if text.chars().count() > MAX_FILTER_LENGTH {
        return Err(Error::new(format!("{name} must be text of at most {MAX_FILTER_LENGTH} characters.")));
    }
    Ok(Some(text.to_owned()))
}

const ORDER_TYPE: &str = "WorkOrder";
const PAGE_TYPE: &str = "WorkOrderPage";
const TIME_SPAN_TYPE: &str = "TimeSpan";

/// Registers the types for pages, orders and nested objects.
fn register_types(builder: SchemaBuilder, contract: &Contract, shape: &RowSchema) -> SchemaBuilder {
    let text = |name: &str| contract.document().pointer(&format!("/components/schemas/{name}/description"));
    let description = |name: &str| text(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut registry =
        TypeRegistry { builder, registered_names: HashSet::new(), time_span_description: description(TIME_SPAN_TYPE) };
    registry.register_object(ORDER_TYPE, &description(&shape.schema), &shape.fields);
    let number = |name: &str, what: &str| member_field(name, required_int()).description(what);
    let page = Object::new(PAGE_TYPE)
        .description("One page of the work orders that were asked for.")
        .field(number("total", "How many there are on all pages."))
        .field(number("pages", "How many pages there are."))
        .field(number("page", "Which one this is, counted from 1."))
        .field(
            member_field("items", TypeRef::named_nn_list_nn(ORDER_TYPE)).description("The work orders of this page."),
        );
    registry.builder.register(page)
}

struct TypeRegistry {
    builder: SchemaBuilder,
    registered_names: HashSet<String>,
    time_span_description: String,
}

impl TypeRegistry {
    /// Registers an object type, and the types of its nested lists and objects.
    fn register_object(&mut self, name: &str, description: &str, fields: &[takt_contract::Field]) {
        if !self.registered_names.insert(name.to_owned()) {
            return;
        }
        let mut object = Object::new(name).description(description);
        for field in fields {
            object =
                object.field(member_field(&field.name, self.type_of(name, field)).description(describe_field(field)));
        }
        let builder = std::mem::replace(&mut self.builder, placeholder_builder());
        self.builder = builder.register(object);
    }

    fn type_of(&mut self, owner: &str, field: &takt_contract::Field) -> TypeRef {
        let scalar = match field.kind {
            FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => TypeRef::STRING,
            FieldKind::Integer => TypeRef::INT,
            FieldKind::Number => TypeRef::FLOAT,
            FieldKind::Boolean => TypeRef::BOOLEAN,
            FieldKind::TimeSpan => {
                self.register_time_span();
                TIME_SPAN_TYPE
            }
            FieldKind::List | FieldKind::Object => {
                let part = format!("{owner}{}", capitalize(&field.name));
                self.register_object(&part, &field.names.en, &field.fields);
                return match (field.kind, field.nullable) {
                    (FieldKind::List, _) => TypeRef::named_nn_list_nn(part),
                    (_, true) => TypeRef::named(part),
                    (_, false) => TypeRef::named_nn(part),
                };
            }
        };
        if field.nullable { TypeRef::named(scalar) } else { TypeRef::named_nn(scalar) }
    }

    /// Registers the type for time spans with the members of the wire type.
    fn register_time_span(&mut self) {
        if !self.registered_names.insert(TIME_SPAN_TYPE.to_owned()) {
            return;
        }
        let blank = serde_json::to_value(TimeSpan::from_ticks(0)).unwrap_or_default();
        let names = blank.as_object().into_iter().flat_map(|members| members.keys());
        let object = Object::new(TIME_SPAN_TYPE).description(&self.time_span_description);
        let object =
            names.fold(object, |object, name| object.field(member_field(name, TypeRef::named_nn(TypeRef::FLOAT))));
        let builder = std::mem::replace(&mut self.builder, placeholder_builder());
        self.builder = builder.register(object);
    }
}

/// Returns an empty builder to be used while the real one is moved.
fn placeholder_builder() -> SchemaBuilder {
    async_graphql::dynamic::Schema::build("", None, None)
}

/// Returns the English name of a field with its provenance.
fn describe_field(field: &takt_contract::Field) -> String {
    let name = &field.names.en;
    match field.provenance.level {
        ProvenanceLevel::Specified => format!("{name} (specified)"),
        ProvenanceLevel::Assumed => format!("{name} (assumed)"),
        ProvenanceLevel::Observed => format!("{name} (from the site's answers)"),
        ProvenanceLevel::Site => format!("{name} (from the site's contract)"),
    }
}

/// Creates a field whose value is the parent's member with the same name.
fn member_field(name: &str, of: TypeRef) -> Field {
    let key = Name::new(name);
    Field::new(name, of, move |context| {
        let value = match context.parent_value.as_value() {
            Some(Value::Object(members)) => members.get(&key).cloned(),
            _ => None,
        };
        FieldFuture::from_value(value.filter(|value| *value != Value::Null))
    })
}

fn required_int() -> TypeRef {
    TypeRef::named_nn(TypeRef::INT)
}

fn capitalize(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
