//! The object types of the schema, from the rows of the contract: the same names, and who says so as their description.

use std::collections::HashSet;

use async_graphql::{
    Name, Value,
    dynamic::{Field, FieldFuture, Object, SchemaBuilder, TypeRef},
};
use serde_json::Value as Json;
use takt_contract::{Contract, FieldKind, ProvenanceLevel, Shape, wire::TimeSpan};

use super::whole;

pub(super) const ORDER: &str = "WorkOrder";
pub(super) const PAGE: &str = "WorkOrderPage";
const TIME_SPAN: &str = "TimeSpan";

/// Registers the page, the order, and every part of an order.
pub(super) fn register(builder: SchemaBuilder, contract: &Contract, shape: &Shape) -> SchemaBuilder {
    let text = |name: &str| contract.document().pointer(&format!("/components/schemas/{name}/description"));
    let said = |name: &str| text(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut types = Types { builder, known: HashSet::new(), time_span: said(TIME_SPAN) };
    types.object(ORDER, &said(&shape.schema), &shape.fields);
    let number = |name: &str, what: &str| member(name, whole()).description(what);
    let page = Object::new(PAGE)
        .description("One page of the work orders that were asked for.")
        .field(number("total", "How many there are on all pages."))
        .field(number("pages", "How many pages there are."))
        .field(number("page", "Which one this is, counted from 1."))
        .field(member("items", TypeRef::named_nn_list_nn(ORDER)).description("The work orders of this page."));
    types.builder.register(page)
}

struct Types {
    builder: SchemaBuilder,
    known: HashSet<String>,
    time_span: String,
}

impl Types {
    /// An object type and, under it, those of its lists and objects.
    fn object(&mut self, name: &str, description: &str, fields: &[takt_contract::Field]) {
        if !self.known.insert(name.to_owned()) {
            return;
        }
        let mut object = Object::new(name).description(description);
        for field in fields {
            object = object.field(member(&field.name, self.type_of(name, field)).description(described(field)));
        }
        let builder = std::mem::replace(&mut self.builder, empty());
        self.builder = builder.register(object);
    }

    fn type_of(&mut self, owner: &str, field: &takt_contract::Field) -> TypeRef {
        let scalar = match field.kind {
            FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => TypeRef::STRING,
            FieldKind::Integer => TypeRef::INT,
            FieldKind::Number => TypeRef::FLOAT,
            FieldKind::Boolean => TypeRef::BOOLEAN,
            FieldKind::TimeSpan => {
                self.time_span();
                TIME_SPAN
            }
            FieldKind::List | FieldKind::Object => {
                let part = format!("{owner}{}", capitalised(&field.name));
                self.object(&part, &field.names.en, &field.fields);
                return match (field.kind, field.nullable) {
                    (FieldKind::List, _) => TypeRef::named_nn_list_nn(part),
                    (_, true) => TypeRef::named(part),
                    (_, false) => TypeRef::named_nn(part),
                };
            }
        };
        if field.nullable { TypeRef::named(scalar) } else { TypeRef::named_nn(scalar) }
    }

    /// The time span object, with the members that the wire type has.
    fn time_span(&mut self) {
        if !self.known.insert(TIME_SPAN.to_owned()) {
            return;
        }
        let blank = serde_json::to_value(TimeSpan::from_ticks(0)).unwrap_or_default();
        let names = blank.as_object().into_iter().flat_map(|members| members.keys());
        let object = Object::new(TIME_SPAN).description(&self.time_span);
        let object = names.fold(object, |object, name| object.field(member(name, TypeRef::named_nn(TypeRef::FLOAT))));
        let builder = std::mem::replace(&mut self.builder, empty());
        self.builder = builder.register(object);
    }
}

/// A builder to stand in while another one grows.
fn empty() -> SchemaBuilder {
    async_graphql::dynamic::Schema::build("", None, None)
}

/// What a field is called, and whether the specification says so.
pub(super) fn described(field: &takt_contract::Field) -> String {
    let name = &field.names.en;
    match field.provenance.level {
        ProvenanceLevel::Specified => format!("{name} (specified)"),
        ProvenanceLevel::Assumed => format!("{name} (assumed)"),
        ProvenanceLevel::Observed => format!("{name} (from the site's answers)"),
        ProvenanceLevel::Site => format!("{name} (from the site's contract)"),
    }
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

pub(super) fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
