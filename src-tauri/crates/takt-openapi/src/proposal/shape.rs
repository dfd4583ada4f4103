//! Proposes lists of objects: the member with the list, and the fields of the objects.

use takt_contract::{
    EventKind, Field, FieldKind, Limits, Names, Operation, Provenance,
    form::ValueForm,
    overlay::{FieldOverlay, OperationOverlay, ShapeOverlay},
};

use super::proposer::{NoteKind, Proposer, read_marked_value, read_schema_mark};
use crate::{
    matching::{FIELD_THRESHOLD, SURE_FIELD_THRESHOLD, match_members},
    object_list::find_main_list,
    schema::{Member, Schema},
    value,
    words::split_words,
};

/// The maximum depth of nested objects and lists.
const MAX_DEPTH: usize = 6;
/// The maximum number of proposed fields of an object.
const MAX_FIELDS: usize = 500;
/// The maximum number of characters of a display name.
const MAX_NAME_LENGTH: usize = 60;

/// The object whose fields are proposed.
struct ObjectContext<'a> {
    operation: &'a str,
    provenance: &'a Provenance,
    /// The object's id or path in the contract and in the document.
    object_names: [&'a str; 2],
    /// The score from which a member is matched with a field.
    min_score: f64,
    depth: usize,
}

impl Proposer<'_> {
    pub(super) fn propose_shape(
        &mut self,
        contract_operation: &Operation,
        body: &Schema<'_>,
        overlay: &OperationOverlay,
    ) -> Option<ShapeOverlay> {
        let known = if overlay.paging.is_some() { &contract_operation.answer } else { &contract_operation.request };
        let list = find_main_list(self.document, body);
        let Some(list) = list.filter(|list| !list.item.members.is_empty()) else {
            self.add_note(&contract_operation.id, "", NoteKind::UnknownShape);
            return None;
        };
        let path = overlay.path.clone().unwrap_or_default();
        let context = ObjectContext {
            operation: &contract_operation.id,
            provenance: &overlay.provenance,
            object_names: [&contract_operation.id, &path],
            min_score: FIELD_THRESHOLD,
            depth: 0,
        };
        let known = known.as_ref().map_or(&[][..], |shape| &shape.fields);
        let fields = self.propose_fields(&context, known, &list.item);
        for key in &contract_operation.key {
            if !fields.iter().any(|field| field.name == *key) {
                self.add_note(&contract_operation.id, key, NoteKind::KeyGone);
            }
        }
        Some(ShapeOverlay {
            member: Some(list.path),
            schema: read_schema_mark(&list.item, "x-takt-schema").or_else(|| list.item.name.clone()),
            complete: !list.item.external,
            fields,
        })
    }

    /// Proposes the known fields of an event.
    pub(super) fn propose_event_fields(
        &mut self,
        event: &EventKind,
        body: &Schema<'_>,
        provenance: &Provenance,
    ) -> Vec<FieldOverlay> {
        let context = ObjectContext {
            operation: &event.name,
            provenance,
            object_names: [&event.name, ""],
            min_score: SURE_FIELD_THRESHOLD,
            depth: 0,
        };
        let mut fields = self.propose_fields(&context, &event.fields, body);
        retain_known_fields(&mut fields, &event.fields);
        fields
    }

    /// Proposes the fields of an object: known ones by the contract's names, others as new.
    fn propose_fields(&mut self, context: &ObjectContext<'_>, known: &[Field], item: &Schema<'_>) -> Vec<FieldOverlay> {
        let matches = match_members(self.document, item, known, context.object_names, context.min_score);
        let exported = |member: &Member<'_>| self.document.resolve(&member.node).mark("x-takt-field").is_some();
        let says_required = item.members.iter().any(|member| member.required || exported(member));
        let mut fields: Vec<FieldOverlay> = Vec::new();
        for member in item.members.iter().take(MAX_FIELDS) {
            let matched = matches.iter().find(|one| one.member.as_deref() == Some(member.name));
            let own = matched.and_then(|one| known.iter().find(|field| field.name == one.field));
            let name = match own {
                Some(own) => own.name.clone(),
                None => {
                    let marked = read_schema_mark(&self.document.resolve(&member.node), "x-takt-field");
                    find_free_name(&marked.unwrap_or_else(|| camel_case(member.name)), known, &fields)
                }
            };
            let mut field = self.propose_field(context, own, member, &name);
            field.required = says_required.then_some(member.required);
            fields.push(field);
        }
        fields
    }

    fn propose_field(
        &mut self,
        context: &ObjectContext<'_>,
        own: Option<&Field>,
        member: &Member<'_>,
        name: &str,
    ) -> FieldOverlay {
        let schema = self.document.resolve(&member.node);
        let infer = || {
            let value = value::infer_value(self.document, member.name, &schema, own.map(|own| own.kind))?;
            Some(match own {
                Some(own) => value.with_field_code_names(own),
                None => value,
            })
        };
        let value = read_marked_value(&schema).or_else(infer);
        let mut field = FieldOverlay::new(name, context.provenance.clone());
        field.wire = Some(member.name.to_owned()).filter(|wire| wire != name);
        field.nullable = read_schema_mark(&schema, "x-takt-nullable").or(Some(schema.nullable));
        field.limits = read_schema_mark(&schema, "x-takt-limits")
            .or_else(|| read_limits(&schema, value.as_ref().map(|value| &value.form)));
        if own.is_none() {
            let derive_names = || display_names(member.name, schema.title.or(schema.description));
            field.names = Some(read_schema_mark(&schema, "x-takt-names").unwrap_or_else(derive_names));
            field.kind = Some(FieldKind::Text);
        }
        if let Some(value) = value {
            if let Some(doubt) = value.doubt {
                self.add_note(context.operation, name, NoteKind::Value(doubt));
            }
            field.kind = Some(value.kind);
            field.form = Some(value.form);
        }
        self.propose_parts(context, own, &schema, &mut field, member.name);
        field
    }

    /// Proposes the fields of a list's items or of an object.
    fn propose_parts(
        &mut self,
        context: &ObjectContext<'_>,
        own: Option<&Field>,
        schema: &Schema<'_>,
        field: &mut FieldOverlay,
        member: &str,
    ) {
        let part = match field.kind {
            Some(FieldKind::List) => schema.items.as_ref().map(|items| self.document.resolve(items)),
            Some(FieldKind::Object) => Some(schema.clone()),
            _ => None,
        };
        let Some(part) = part.filter(|part| part.is_object() && context.depth < MAX_DEPTH) else { return };
        // A recursive object is unfolded once.
        if context.depth > 1 && part.name.is_some() && part.name == schema.name && context.object_names[1] == member {
            return;
        }
        let known = own.map_or(&[][..], |own| &own.fields);
        let inner = ObjectContext { object_names: [&field.name.clone(), member], depth: context.depth + 1, ..*context };
        field.fields = self.propose_fields(&inner, known, &part);
        field.complete = !part.external;
    }
}

/// Removes unknown fields, and resets properties that events must not change.
fn retain_known_fields(fields: &mut Vec<FieldOverlay>, known: &[Field]) {
    fields.retain_mut(|field| {
        let own = known.iter().find(|own| own.name == field.name);
        (field.required, field.nullable, field.limits, field.complete) = (None, None, None, false);
        own.is_some_and(|own| {
            retain_known_fields(&mut field.fields, &own.fields);
            true
        })
    });
}

/// Returns the limits that the document states, or None.
fn read_limits(schema: &Schema<'_>, form: Option<&ValueForm>) -> Option<Limits> {
    let values = match form {
        Some(ValueForm::Codes { codes }) => codes.iter().map(|code| code.name.clone()).collect(),
        _ => schema.codes.iter().filter_map(|code| code.value.as_str()).map(str::to_owned).collect(),
    };
    // A bound at the end of the 64-bit range comes from the number's format, and doesn't help users.
    let real_bound = |bound: Option<f64>| bound.filter(|bound| bound.abs() < 9.0e18);
    let limits = Limits {
        minimum: real_bound(schema.minimum),
        exclusive_minimum: real_bound(schema.exclusive_minimum),
        maximum: real_bound(schema.maximum),
        max_length: schema.max_length,
        pattern: read_schema_mark(schema, "pattern"),
        values,
    };
    (limits != Limits::default()).then_some(limits)
}

/// Returns a name inside Takt for a member that the contract doesn't have.
pub(super) fn camel_case(name: &str) -> String {
    let mut text = String::new();
    for (index, word) in split_words(name).iter().enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => text.extend(first.to_uppercase().chain(letters)),
            Some(first) => text.extend(std::iter::once(first).chain(letters)),
            None => {}
        }
    }
    if text.is_empty() { name.to_owned() } else { text }
}

/// Returns a name that neither the contract nor another member has.
fn find_free_name(name: &str, known: &[Field], fields: &[FieldOverlay]) -> String {
    let taken = |name: &str| known.iter().any(|one| one.name == name) || fields.iter().any(|one| one.name == name);
    let numbered = (2..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// Returns the display names: a short title, or the words of the name. The document has one language.
pub(super) fn display_names(name: &str, title: Option<&str>) -> Names {
    let title = title.map(str::trim).filter(|title| !title.is_empty() && title.chars().count() <= MAX_NAME_LENGTH);
    let words = split_words(name).join(" ");
    let mut letters = words.chars();
    let own = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default();
    let text = title.map_or(own, |title| title.trim_end_matches('.').to_owned());
    Names { en: text.clone(), de: text.clone(), es: text.clone(), pt: text }
}
