//! Queries of work orders: a filtered page, or one by its code.

use std::{collections::HashSet, sync::Arc};

use async_graphql::{
    Error, Name, Value,
    dynamic::{Field, FieldFuture, FieldValue, InputValue, ResolverContext, TypeRef},
    indexmap::IndexMap,
};
use parking_lot::RwLock;
use takt_contract::{Contract, FieldKind};

use super::{
    bounds::Budget,
    types::{ORDER, PAGE, capitalize, describe},
};
use crate::{
    interface::parameters::ParameterChecks,
    paging::Page,
    store::{Resource, Selection, Store, TextFilter, View},
    time_window::{REVERSED, TimeWindow},
};

/// The store that queries read.
pub(super) type SharedStore = Arc<RwLock<Store>>;

/// The member with the order's code, which the store has an index for.
const CODE: &str = "code";
const OPERATION: &str = "operationCode";
/// The longest filter. Real texts of an order are shorter.
const MAX_FILTER_LENGTH: usize = 200;

/// Returns the field `workOrders`: a page of orders. Each text of an order is an exact filter, and all must match.
pub(super) fn work_orders_field(
    contract: &Contract,
    fields: &[takt_contract::Field],
    date_checks: ParameterChecks,
) -> Field {
    let texts = fields.iter().filter(|field| field.kind == FieldKind::Text);
    let mut nested_names = HashSet::new();
    fields.iter().for_each(|field| names_of_parts(&field.fields, &mut nested_names));
    let filters: Vec<(String, bool)> =
        texts.clone().map(|field| (field.name.clone(), nested_names.contains(field.name.as_str()))).collect();
    let field = Field::new("workOrders", TypeRef::named_nn(PAGE), move |context| {
        let page = resolve_page(&context, &filters, &date_checks).map(|page| Some(FieldValue::value(page)));
        FieldFuture::new(async { page })
    });
    let text = |name: &str, what: String| InputValue::new(name, TypeRef::named(TypeRef::STRING)).description(what);
    let field = texts.fold(field, |field, filter| field.argument(text(&filter.name, describe(filter))));
    let field = ["from", "to"].into_iter().fold(field, |field, name| {
        let at = contract.document().pointer(&format!("/components/parameters/{}/description", capitalize(name)));
        let what = at.and_then(serde_json::Value::as_str).unwrap_or_default();
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

/// Returns the field `workOrder`: one operation of an order, by default the first.
pub(super) fn work_order_field() -> Field {
    let field = Field::new("workOrder", TypeRef::named(ORDER), |context| {
        let order = resolve_order(&context).map(|order| order.map(FieldValue::value));
        FieldFuture::new(async { order })
    });
    field
        .argument(InputValue::new(CODE, TypeRef::named_nn(TypeRef::STRING)).description("The work order's code."))
        .argument(
            InputValue::new(OPERATION, TypeRef::named(TypeRef::STRING))
                .description("Its operation; the first one where none is given."),
        )
        .description("One operation of a work order; null where there is none.")
}

fn resolve_page(
    context: &ResolverContext<'_>,
    filters: &[(String, bool)],
    date_checks: &ParameterChecks,
) -> Result<Value, Error> {
    context.data::<Budget>()?.use_one().map_err(Error::new)?;
    let number = |name: &str, default_value: i64| match context.args.get(name).filter(|value| !value.is_null()) {
        Some(value) => value.i64(),
        None => Ok(default_value),
    };
    let page = Page::from_numbers(number("page", 1)?, number("limit", 100)?).map_err(Error::new)?;
    let store = context.data::<SharedStore>()?.read();
    let (from, to) = (text_argument(context, "from")?, text_argument(context, "to")?);
    for (name, date) in [("from", &from), ("to", &to)] {
        let rule = date.as_deref().and_then(|date| date_checks.violation(name, date));
        rule.map_or(Ok(()), |rule| Err(Error::new(rule)))?;
    }
    let window = TimeWindow::read(from.as_deref(), to.as_deref(), store.zone());
    let window = window.map_err(|errors| Error::new(errors.join(" ")))?;
    if window.is_reversed() {
        return Err(Error::new(REVERSED));
    }
    let mut selection = Selection { window, ..Selection::default() };
    for (name, is_nested_name) in filters {
        match text_argument(context, name)? {
            Some(value) if name == CODE => selection.order = Some(value),
            Some(value) => selection.texts.push(TextFilter::new(name, &value, *is_nested_name)),
            None => {}
        }
    }
    let (rows, total) = store.table(Resource::WorkOrders).page(&selection, page, View::Full, ["", ""]);
    drop(store);
    let rows: serde_json::Value = serde_json::from_str(&rows)?;
    let members = [
        ("total", Value::from(total)),
        ("pages", Value::from(page.count(total))),
        ("page", Value::from(page.number)),
        ("items", Value::from_json(rows)?),
    ];
    let members: IndexMap<Name, Value> = members.into_iter().map(|(name, value)| (Name::new(name), value)).collect();
    Ok(Value::Object(members))
}

fn resolve_order(context: &ResolverContext<'_>) -> Result<Option<Value>, Error> {
    context.data::<Budget>()?.use_one().map_err(Error::new)?;
    let mut selection = Selection { order: text_argument(context, CODE)?, ..Selection::default() };
    if let Some(operation) = text_argument(context, OPERATION)? {
        selection.texts.push(TextFilter::new(OPERATION, &operation, true));
    }
    let first = Page::from_numbers(1, 1).map_err(Error::new)?;
    let store = context.data::<SharedStore>()?.read();
    let (rows, _) = store.table(Resource::WorkOrders).page(&selection, first, View::Full, ["", ""]);
    drop(store);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&rows)?;
    Ok(rows.into_iter().next().map(Value::from_json).transpose()?)
}

fn names_of_parts<'a>(fields: &'a [takt_contract::Field], names: &mut HashSet<&'a str>) {
    for field in fields {
        names.insert(&field.name);
        names_of_parts(&field.fields, names);
    }
}

/// Returns a text argument. None if it's null.
fn text_argument(context: &ResolverContext<'_>, name: &str) -> Result<Option<String>, Error> {
    let Some(value) = context.args.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = value.string()?;
    if text.chars().count() > MAX_FILTER_LENGTH {
        return Err(Error::new(format!("{name} must be text of at most {MAX_FILTER_LENGTH} characters.")));
    }
    Ok(Some(text.to_owned()))
}
