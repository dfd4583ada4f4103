//! Reads [`Operation`]s from an OpenAPI 3.1 document with `x-takt-*` members.
//!
//! This module walks the paths. Its submodules follow references, read schemas as fields and check the `x-takt-*`
//! members.

mod cleanup;
mod event;
mod members;
mod picture;
mod prune;
mod read_back;
mod reference;
mod reference_checks;
mod schema;
mod statement;
mod total;

use std::collections::{BTreeMap, HashSet};

use jiff::tz::TimeZone;
use serde_json::Value;

use crate::{
    ContractError, Field, FieldKind, Names, Operation, OperationKind, Parameter, Rule, Shape,
    form::{BatchForm, CommonForms, ValueForm},
};
pub(crate) use event::{answering, events, payload_schema};
use members::{JSON_BODY, Members, member, members, missing, optional, parsed, text, unusable};
pub(crate) use prune::prune;
use reference::{Resolved, resolve};
use schema::SchemaReader;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Reads the document's operations, in its order.
pub(crate) fn operations(document: &Value) -> Result<Vec<Operation>, ContractError> {
    let root = members(document, "the document")?;
    let version = text(root, "openapi", "the document")?;
    if !version.starts_with("3.1") {
        return Err(unusable("the document", "openapi", format!("`{version}` is not 3.1")));
    }
    let mut reader = Reader { document, forms: CommonForms::read(document)?, schemas: SchemaReader::new(document) };
    let mut operations = Vec::new();
    let mut ids = HashSet::new();
    for (path, item) in members(member(root, "paths", "the document")?, "paths")? {
        let item = members(item, path)?;
        for method in METHODS {
            let Some(node) = item.get(method) else { continue };
            let at = format!("{method} {path}");
            let operation = reader.operation(item, members(node, &at)?, method, path, &at)?;
            if !ids.insert(operation.id.clone()) {
                return Err(unusable(&at, "operationId", format!("`{}` stands twice", operation.id)));
            }
            operations.push(operation);
        }
    }
    reference_checks::check(&operations)?;
    read_back::check(&operations)?;
    picture::check(&operations)?;
    cleanup::check(&operations)?;
    total::check(&operations)?;
    Ok(operations)
}

struct Reader<'a> {
    document: &'a Value,
    forms: CommonForms,
    schemas: SchemaReader<'a>,
}

impl Reader<'_> {
    fn operation(
        &mut self,
        item: &Members,
        node: &Members,
        method: &str,
        path: &str,
        at: &str,
    ) -> Result<Operation, ContractError> {
        let paged = node.get("x-takt-paged").and_then(Value::as_bool).unwrap_or(false);
        let kind: OperationKind = parsed(node, "x-takt-kind", at)?;
        let request = match kind {
            OperationKind::Sync | OperationKind::Delete => self.request(node, at)?,
            OperationKind::Read | OperationKind::Query => None,
        };
        let area = node.get("tags").and_then(|tags| tags.get(0)).and_then(Value::as_str);
        let area = area.ok_or_else(|| missing(at, "tags"))?;
        Ok(Operation {
            id: text(node, "operationId", at)?.to_owned(),
            area: area.to_owned(),
            area_names: self.area_names(area, at)?,
            kind,
            method: method.to_uppercase(),
            path: path.to_owned(),
            paged,
            paging: if paged { self.forms.paging.clone() } else { Default::default() },
            purpose: text(node, "summary", at)?.to_owned(),
            names: parsed(node, "x-takt-names", at)?,
            nouns: optional(node, "x-takt-nouns", at)?,
            provenance: parsed(node, "x-takt-provenance", at)?,
            statements: statement::statements(self.document, item, node, at)?,
            parameters: self.parameters(item, node, paged, at)?,
            request,
            answer: self.answer(node, at)?,
            batch: if matches!(kind, OperationKind::Sync | OperationKind::Delete) {
                self.forms.batch.clone()
            } else {
                BatchForm::default()
            },
            key: optional(node, "x-takt-key", at)?.unwrap_or_default(),
            read_back: optional(node, "x-takt-read-back", at)?,
            pictures: optional(node, "x-takt-picture", at)?.unwrap_or_default(),
            cleanup: optional(node, "x-takt-cleanup", at)?,
            counts: self.forms.paging.clone(),
            absent: optional(node, "x-takt-absent", at)?.unwrap_or_else(|| Operation::ABSENT.to_vec()),
            is_repeatable: true,
            list_effects: Default::default(),
            total: optional(node, "x-takt-total", at)?,
            batch_size: optional(node, "x-takt-batch-size", at)?.unwrap_or_default(),
            untried: false,
            time_zone: TimeZone::UTC,
        })
    }

    /// Returns the display names of an area: those of its tag, or the tag itself.
    fn area_names(&self, area: &str, at: &str) -> Result<Names, ContractError> {
        let tags = self.document.get("tags").and_then(Value::as_array);
        let has_area_name = |tag: &&Value| tag.get("name").and_then(Value::as_str) == Some(area);
        let names = match tags.into_iter().flatten().find(has_area_name).and_then(Value::as_object) {
            Some(tag) => optional(tag, "x-takt-names", at)?,
            None => None,
        };
        let same = || area.to_owned();
        Ok(names.unwrap_or_else(|| Names { en: same(), de: same(), es: same(), pt: same() }))
    }

    fn parameters(
        &self,
        item: &Members,
        node: &Members,
        paged: bool,
        at: &str,
    ) -> Result<Vec<Parameter>, ContractError> {
        let mut parameters = Vec::new();
        let narrows: BTreeMap<String, String> = optional(node, "x-takt-narrows", at)?.unwrap_or_default();
        let lists = [item.get("parameters"), node.get("parameters")];
        for raw in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
            let parameter = resolve(self.document, raw, at)?.members;
            let name = text(&parameter, "name", at)?.to_owned();
            let location = text(&parameter, "in", at)?;
            let pages = paged && self.forms.paging.asks_with(&name);
            if pages || !matches!(location, "path" | "query") {
                continue;
            }
            let at = format!("{at}, parameter {name}");
            let schema = resolve(self.document, member(&parameter, "schema", &at)?, &at)?;
            parameters.push(Parameter {
                place: parsed(&parameter, "in", &at)?,
                kind: schema::kind(&schema.members, &at)?,
                required: parameter.get("required").and_then(Value::as_bool).unwrap_or(false),
                names: parsed(&parameter, "x-takt-names", &at)?,
                narrows: narrows.get(&name).cloned(),
                span: optional(&parameter, "x-takt-span", &at)?,
                provenance: parsed(&parameter, "x-takt-provenance", &at)?,
                assumed: optional(&parameter, "x-takt-assumed", &at)?.unwrap_or_default(),
                wire: None,
                form: ValueForm::default(),
                name,
            });
        }
        Ok(parameters)
    }

    fn request(&mut self, node: &Members, at: &str) -> Result<Option<Shape>, ContractError> {
        let Some(body) = node.get("requestBody") else { return Ok(None) };
        let at = format!("{at}, request");
        match self.body_schema(body, &at)? {
            Some(schema) => {
                let (part, name) = self.list_items(&schema, "items", &at)?;
                let fields = self.schemas.sent(&part, &name)?;
                shape("items", &part, name, fields).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Reads the rows of the first 2xx response whose schema names its list (`x-takt-rows`).
    fn answer(&mut self, node: &Members, at: &str) -> Result<Option<Shape>, ContractError> {
        let responses = members(member(node, "responses", at)?, at)?;
        for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
            let at = format!("{at}, answer {status}");
            let Some(schema) = self.body_schema(response, &at)? else { continue };
            if let Some(rows) = schema.members.get("x-takt-rows").and_then(Value::as_str) {
                let (part, name) = self.list_items(&schema, rows, &at)?;
                let fields = self.schemas.answered(&part, &name)?;
                return shape(rows, &part, name, fields).map(Some);
            }
        }
        Ok(None)
    }

    fn body_schema(&self, body: &Value, at: &str) -> Result<Option<Resolved<'static>>, ContractError> {
        let body = resolve(self.document, body, at)?.members;
        let schema = body.get("content").and_then(|content| content.get(JSON_BODY)).and_then(|json| json.get("schema"));
        schema.map(|schema| resolve(self.document, schema, at).map(Resolved::into_owned)).transpose()
    }

    /// Returns the items' schema of a list in a body, and its component's name.
    fn list_items(
        &self,
        body: &Resolved<'_>,
        list: &str,
        at: &str,
    ) -> Result<(Resolved<'static>, String), ContractError> {
        let properties = members(member(&body.members, "properties", at)?, at)?;
        let carrier = resolve(self.document, member(properties, list, at)?, at)?.members;
        let part = resolve(self.document, member(&carrier, "items", at)?, at)?.into_owned();
        let name = part.name.clone().ok_or_else(|| unusable(at, list, "its items name no component".to_owned()))?;
        Ok((part, name))
    }
}

fn shape(list: &str, part: &Resolved<'_>, schema: String, fields: Vec<Field>) -> Result<Shape, ContractError> {
    let rules: Vec<Rule> = optional(&part.members, "x-takt-rules", &schema)?.unwrap_or_default();
    check_rules(&rules, &fields, &schema)?;
    Ok(Shape { member: list.to_owned(), schema, fields, rules })
}

/// Checks that each rule compares date-times of the schema. A rule for a missing field would check nothing.
fn check_rules(rules: &[Rule], fields: &[Field], at: &str) -> Result<(), ContractError> {
    for Rule::Before { first, second, .. } in rules {
        for name in [first, second] {
            let dated = fields.iter().any(|field| field.name == *name && field.kind == FieldKind::DateTime);
            if !dated {
                return Err(unusable(at, "x-takt-rules", format!("`{name}` is no date-time of this schema")));
            }
        }
    }
    Ok(())
}
