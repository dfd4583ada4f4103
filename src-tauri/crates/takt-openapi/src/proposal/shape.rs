//! Lists of objects: their member, and field by field what the document says.

use takt_contract::{
    EventKind, Field, FieldKind, Limits, Names, Operation, Provenance,
    form::ValueForm,
    overlay::{FieldOverlay, OperationOverlay, ShapeOverlay},
};

use super::{NoteKind, Proposer, marks};
use crate::{
    list::main_list,
    matching::{FIELD_THRESHOLD, SURE_FIELD, match_members},
    schema::{Member, Schema},
    value,
    words::split,
};

/// Objects in lists in objects.
const MAX_DEPTH: usize = 6;
/// Fields of an object that are proposed.
const MAX_FIELDS: usize = 500;
/// Characters of a name that people read.
const MAX_NAME: usize = 60;

/// What the fields of an object belong to.
struct Place<'a> {
    operation: &'a str,
    provenance: &'a Provenance,
    /// What the contract and the document call the object.
    about: [&'a str; 2],
    /// The score from which on a member is a field.
    least: f64,
    depth: usize,
}

impl Proposer<'_> {
    pub(super) fn shape(
        &mut self,
        ours: &Operation,
        body: &Schema<'_>,
        overlay: &OperationOverlay,
    ) -> Option<ShapeOverlay> {
        let known = if overlay.paging.is_some() { &ours.answer } else { &ours.request };
        let list = main_list(self.document, body);
        let Some(list) = list.filter(|list| !list.item.members.is_empty()) else {
            self.note(&ours.id, "", NoteKind::UnknownShape);
            return None;
        };
        let path = overlay.path.clone().unwrap_or_default();
        let place = Place {
            operation: &ours.id,
            provenance: &overlay.provenance,
            about: [&ours.id, &path],
            least: FIELD_THRESHOLD,
            depth: 0,
        };
        let known = known.as_ref().map_or(&[][..], |shape| &shape.fields);
        let fields = self.fields(&place, known, &list.item);
        for key in &ours.key {
            if !fields.iter().any(|field| field.name == *key) {
                self.note(&ours.id, key, NoteKind::KeyGone);
            }
        }
        Some(ShapeOverlay {
            member: Some(list.path),
            schema: marks::of_schema(&list.item, "x-takt-schema").or_else(|| list.item.name.clone()),
            complete: !list.item.external,
            fields,
        })
    }

    /// Of what an event carries, what the document says of the fields that are known.
    pub(super) fn event_fields(
        &mut self,
        event: &EventKind,
        body: &Schema<'_>,
        provenance: &Provenance,
    ) -> Vec<FieldOverlay> {
        let place = Place { operation: &event.name, provenance, about: [&event.name, ""], least: SURE_FIELD, depth: 0 };
        let mut fields = self.fields(&place, &event.fields, body);
        keep_known(&mut fields, &event.fields);
        fields
    }

    /// The fields that the document has: known ones by their names, others as new.
    fn fields(&mut self, place: &Place<'_>, known: &[Field], item: &Schema<'_>) -> Vec<FieldOverlay> {
        let matches = match_members(self.document, item, known, place.about, place.least);
        let exported = |member: &Member<'_>| self.document.resolve(&member.node).mark("x-takt-field").is_some();
        let says_required = item.members.iter().any(|member| member.required || exported(member));
        let mut fields: Vec<FieldOverlay> = Vec::new();
        for member in item.members.iter().take(MAX_FIELDS) {
            let matched = matches.iter().find(|one| one.member.as_deref() == Some(member.name));
            let own = matched.and_then(|one| known.iter().find(|field| field.name == one.field));
            let name = match own {
                Some(own) => own.name.clone(),
                None => {
                    let marked = marks::of_schema(&self.document.resolve(&member.node), "x-takt-field");
                    free_name(&marked.unwrap_or_else(|| camel(member.name)), known, &fields)
                }
            };
            let mut field = self.field(place, own, member, &name);
            field.required = says_required.then_some(member.required);
            fields.push(field);
        }
        fields
    }

    fn field(&mut self, place: &Place<'_>, own: Option<&Field>, member: &Member<'_>, name: &str) -> FieldOverlay {
        let schema = self.document.resolve(&member.node);
        let said = || {
            let value = value::value(self.document, member.name, &schema, own.map(|own| own.kind))?;
            Some(match own {
                Some(own) => value.in_names_of(own),
                None => value,
            })
        };
        let value = marks::value(&schema).or_else(said);
        let mut field = FieldOverlay::new(name, place.provenance.clone());
        field.wire = Some(member.name.to_owned()).filter(|wire| wire != name);
        field.nullable = marks::of_schema(&schema, "x-takt-nullable").or(Some(schema.nullable));
        field.limits = marks::of_schema(&schema, "x-takt-limits")
            .or_else(|| limits(&schema, value.as_ref().map(|value| &value.form)));
        if own.is_none() {
            let said = || names_of(member.name, schema.title.or(schema.description));
            field.names = Some(marks::of_schema(&schema, "x-takt-names").unwrap_or_else(said));
            field.kind = Some(FieldKind::Text);
        }
        if let Some(value) = value {
            if let Some(doubt) = value.doubt {
                self.note(place.operation, name, NoteKind::Value(doubt));
            }
            field.kind = Some(value.kind);
            field.form = Some(value.form);
        }
        self.parts(place, own, &schema, &mut field, member.name);
        field
    }

    /// The fields of a list's part or of an object.
    fn parts(
        &mut self,
        place: &Place<'_>,
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
        let Some(part) = part.filter(|part| part.is_object() && place.depth < MAX_DEPTH) else { return };
        // One that contains itself is unfolded once.
        if place.depth > 1 && part.name.is_some() && part.name == schema.name && place.about[1] == member {
            return;
        }
        let known = own.map_or(&[][..], |own| &own.fields);
        let inner = Place { about: [&field.name.clone(), member], depth: place.depth + 1, ..*place };
        field.fields = self.fields(&inner, known, &part);
        field.complete = !part.external;
    }
}

/// What nobody knows passes as it comes.
fn keep_known(fields: &mut Vec<FieldOverlay>, known: &[Field]) {
    fields.retain_mut(|field| {
        let own = known.iter().find(|own| own.name == field.name);
        (field.required, field.nullable, field.limits, field.complete) = (None, None, None, false);
        own.is_some_and(|own| {
            keep_known(&mut field.fields, &own.fields);
            true
        })
    });
}

/// Bounds that the document states. None where it states none.
fn limits(schema: &Schema<'_>, form: Option<&ValueForm>) -> Option<Limits> {
    let values = match form {
        Some(ValueForm::Codes { codes }) => codes.iter().map(|code| code.name.clone()).collect(),
        _ => schema.codes.iter().filter_map(|code| code.value.as_str()).map(str::to_owned).collect(),
    };
    // The ends of 64 bits say how a number is held, and nothing to a person.
    let said = |bound: Option<f64>| bound.filter(|bound| bound.abs() < 9.0e18);
    let limits = Limits {
        minimum: said(schema.minimum),
        exclusive_minimum: said(schema.exclusive_minimum),
        maximum: said(schema.maximum),
        max_length: schema.max_length,
        pattern: marks::of_schema(schema, "pattern"),
        values,
    };
    (limits != Limits::default()).then_some(limits)
}

/// A name inside Takt for what the contract doesn't know.
pub(super) fn camel(name: &str) -> String {
    let mut text = String::new();
    for (index, word) in split(name).iter().enumerate() {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if index > 0 => text.extend(first.to_uppercase().chain(letters)),
            Some(first) => text.extend(std::iter::once(first).chain(letters)),
            None => {}
        }
    }
    if text.is_empty() { name.to_owned() } else { text }
}

/// A name that neither the contract nor another member has.
fn free_name(name: &str, known: &[Field], fields: &[FieldOverlay]) -> String {
    let taken = |name: &str| known.iter().any(|one| one.name == name) || fields.iter().any(|one| one.name == name);
    let numbered = (2..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// What people read: a short title, or the words of the name. The document has one language.
pub(super) fn names_of(name: &str, said: Option<&str>) -> Names {
    let said = said.map(str::trim).filter(|said| !said.is_empty() && said.chars().count() <= MAX_NAME);
    let words = split(name).join(" ");
    let mut letters = words.chars();
    let own = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default();
    let text = said.map_or(own, |said| said.trim_end_matches('.').to_owned());
    Names { en: text.clone(), de: text.clone(), es: text.clone(), pt: text }
}
