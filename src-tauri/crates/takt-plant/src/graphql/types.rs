//! The schema's object types, generated from the contract's rows with their names and provenance.

use std::collections::HashSet;

use async_graphql::{
    Name, Value,
    dynamic::{Field, FieldFuture, Object, SchemaBuilder, TypeRef},
};
use serde_json::Value as Json;
use takt_contract::{Contract, FieldKind, ProvenanceLevel, Shape, wire::TimeSpan};

pub(super) const ORDER: &str = "WorkOrder";
pub(super) const PAGE: &str = "WorkOrderPage";
const TIME_SPAN: &str = "TimeSpan";

/// Registers the page, the order and every nested type.
pub(super) fn register(builder: SchemaBuilder, contract: &Contract, shape: &Shape) -> SchemaBuilder {
    let text = |name: &str| contract.document().pointer(&format!("/components/schemas/{name}/description"));
    let description = |name: &str| text(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let mut types = Types { builder, known: HashSet::new(), time_span: description(TIME_SPAN) };
    types.object(ORDER, &description(&shape.schema), &shape.fields);
    let number = |name: &str, what: &str| member_field(name, required_int()).description(what);
    let page = Object::new(PAGE)
        .description("One page of the work orders that were asked for.")
        .field(number("total", "How many there are on all pages."))
        .field(number("pages", "How many pages there are."))
        .field(number("page", "Which one this is, counted from 1."))
        .field(member_field("items", TypeRef::named_nn_list_nn(ORDER)).description("The work orders of this page."));
    types.builder.register(page)
}

struct Types {
    builder: SchemaBuilder,
    known: HashSet<String>,
    time_span: String,
}

impl Types {
    /// Registers an object type and the types of its lists and objects.
    fn object(&mut self, name: &str, description: &str, fields: &[takt_contract::Field]) {
        if !self.known.insert(name.to_owned()) {
            return;
        }
        let mut object = Object::new(name).description(description);
        for field in fields {
            object = object.field(member_field(&field.name, self.type_of(name, field)).description(describe(field)));
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
                self.time_span();
                TIME_SPAN
            }
            FieldKind::List | FieldKind::Object => {
                let part = format!("{owner}{}", capitalize(&field.name));
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

    /// Registers the time span object with the members of the wire type.
    fn time_span(&mut self) {
        if !self.known.insert(TIME_SPAN.to_owned()) {
            return;
        }
        let blank = serde_json::to_value(TimeSpan::from_ticks(0)).unwrap_or_default();
        let names = blank.as_object().into_iter().flat_map(|members| members.keys());
        let object = Object::new(TIME_SPAN).description(&self.time_span);
        let object =
            names.fold(object, |object, name| object.field(member_field(name, TypeRef::named_nn(TypeRef::FLOAT))));
        let builder = std::mem::replace(&mut self.builder, placeholder_builder());
        self.builder = builder.register(object);
    }
}

/// Returns a placeholder while the real builder is replaced.
fn placeholder_builder() -> SchemaBuilder {
    async_graphql::dynamic::Schema::build("", None, None)
}

/// Returns a field's English name with its provenance.
pub(super) fn describe(field: &takt_contract::Field) -> String {
    let name = &field.names.en;
    match field.provenance.level {
        ProvenanceLevel::Specified => format!("{name} (specified)"),
        ProvenanceLevel::Assumed => format!("{name} (assumed)"),
        ProvenanceLevel::Observed => format!("{name} (from the site's answers)"),
        ProvenanceLevel::Site => format!("{name} (from the site's contract)"),
    }
}

/// Creates a field with the parent's member of the same name as its value.
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

/// Returns the type of a required integer.
fn required_int() -> TypeRef {
    TypeRef::named_nn(TypeRef::INT)
}

pub(super) fn capitalize(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
