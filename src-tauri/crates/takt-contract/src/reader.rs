//! Reads [`Operation`]s from an OpenAPI 3.1 document with `x-takt-*` members.
//!
//! This module reads paths and operations. Its submodules access nodes, read schemas and events, and check or remove
//! references between operations.

mod event;
mod integrity;
mod node;
mod prune;
mod schema;

use std::collections::{BTreeMap, HashSet};

use jiff::tz::TimeZone;
use serde_json::Value;

use crate::{
    ContractError, Field, FieldKind, Names, Operation, OperationKind, Parameter, Provenance, ProvenanceLevel,
    RowSchema, Rule, Statement, StatementAbout,
    form::{BatchForm, CommonForms, ValueForm},
};
pub(crate) use event::{payload_schema, read_events, read_reply_rules};
use node::{
    JSON_BODY, Members, Resolved, as_members, member, missing_error, optional_member, parsed_member, resolve,
    text_member, unusable_error,
};
pub(crate) use prune::prune;
use schema::SchemaReader;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];
/// The names in `x-takt-statements` and the parts that they are about.
const STATEMENT_NAMES: [(&str, StatementAbout); 5] = [
    ("area", StatementAbout::Area),
    ("method", StatementAbout::Method),
    ("path", StatementAbout::Path),
    ("purpose", StatementAbout::Purpose),
    ("schema", StatementAbout::Schema),
];

/// Reads the operations in the order of the document.
pub(crate) fn read_operations(document: &Value) -> Result<Vec<Operation>, ContractError> {
    let root = as_members(document, "the document")?;
    let version = text_member(root, "openapi", "the document")?;
    if !version.starts_with("3.1") {
        return Err(unusable_error("the document", "openapi", format!("`{version}` is not 3.1")));
    }
    let mut reader = Reader { document, forms: CommonForms::read(document)?, schemas: SchemaReader::new(document) };
    let mut operations = Vec::new();
    let mut ids = HashSet::new();
    for (path, item) in as_members(member(root, "paths", "the document")?, "paths")? {
        let item = as_members(item, path)?;
        for method in METHODS {
            let Some(node) = item.get(method) else { continue };
            let at = format!("{method} {path}");
            let operation = reader.read_operation(item, as_members(node, &at)?, method, path, &at)?;
            if !ids.insert(operation.id.clone()) {
                return Err(unusable_error(&at, "operationId", format!("`{}` stands twice", operation.id)));
            }
            operations.push(operation);
        }
    }
    integrity::check_operations(&operations)?;
    Ok(operations)
}

struct Reader<'a> {
    document: &'a Value,
    forms: CommonForms,
    schemas: SchemaReader<'a>,
}

impl Reader<'_> {
    fn read_operation(
        &mut self,
        item: &Members,
        node: &Members,
        method: &str,
        path: &str,
        at: &str,
    ) -> Result<Operation, ContractError> {
        let paged = node.get("x-takt-paged").and_then(Value::as_bool).unwrap_or(false);
        let kind: OperationKind = parsed_member(node, "x-takt-kind", at)?;
        let request = match kind {
            OperationKind::Sync | OperationKind::Delete => self.read_request(node, at)?,
            OperationKind::Read | OperationKind::Query => None,
        };
        let area = node.get("tags").and_then(|tags| tags.get(0)).and_then(Value::as_str);
        let area = area.ok_or_else(|| missing_error(at, "tags"))?;
        Ok(Operation {
            id: text_member(node, "operationId", at)?.to_owned(),
            area: area.to_owned(),
            area_names: self.read_area_names(area, at)?,
            kind,
            method: method.to_uppercase(),
            path: path.to_owned(),
            paged,
            paging: if paged { self.forms.paging.clone() } else { Default::default() },
            purpose: text_member(node, "summary", at)?.to_owned(),
            names: parsed_member(node, "x-takt-names", at)?,
            nouns: optional_member(node, "x-takt-nouns", at)?,
            provenance: parsed_member(node, "x-takt-provenance", at)?,
            statements: read_statements(self.document, item, node, at)?,
            parameters: self.read_parameters(item, node, paged, at)?,
            request,
            answer: self.read_response(node, at)?,
            batch: if matches!(kind, OperationKind::Sync | OperationKind::Delete) {
                self.forms.batch.clone()
            } else {
                BatchForm::default()
            },
            key: optional_member(node, "x-takt-key", at)?.unwrap_or_default(),
            read_back: optional_member(node, "x-takt-read-back", at)?,
            pictures: optional_member(node, "x-takt-picture", at)?.unwrap_or_default(),
            cleanup: optional_member(node, "x-takt-cleanup", at)?,
            counts: self.forms.paging.clone(),
            absent: optional_member(node, "x-takt-absent", at)?
                .unwrap_or_else(|| Operation::DEFAULT_ABSENT_STATUSES.to_vec()),
            is_repeatable: true,
            list_effects: Default::default(),
            total: optional_member(node, "x-takt-total", at)?,
            batch_size: optional_member(node, "x-takt-batch-size", at)?.unwrap_or_default(),
            untried: false,
            time_zone: TimeZone::UTC,
        })
    }

    /// Returns the display names of an area from its tag. Without a tag, they are the name of the area.
    fn read_area_names(&self, area: &str, at: &str) -> Result<Names, ContractError> {
        let tags = self.document.get("tags").and_then(Value::as_array);
        let has_area_name = |tag: &&Value| tag.get("name").and_then(Value::as_str) == Some(area);
        let names = match tags.into_iter().flatten().find(has_area_name).and_then(Value::as_object) {
            Some(tag) => optional_member(tag, "x-takt-names", at)?,
            None => None,
        };
        let same = || area.to_owned();
        Ok(names.unwrap_or_else(|| Names { en: same(), de: same(), es: same(), pt: same() }))
    }

    fn read_parameters(
        &self,
        item: &Members,
        node: &Members,
        paged: bool,
        at: &str,
    ) -> Result<Vec<Parameter>, ContractError> {
        let mut parameters = Vec::new();
        let narrows: BTreeMap<String, String> = optional_member(node, "x-takt-narrows", at)?.unwrap_or_default();
        let lists = [item.get("parameters"), node.get("parameters")];
        for raw in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
            let parameter = resolve(self.document, raw, at)?.members;
            let name = text_member(&parameter, "name", at)?.to_owned();
            let location = text_member(&parameter, "in", at)?;
            let pages = paged && self.forms.paging.is_paging_parameter(&name);
            if pages || !matches!(location, "path" | "query") {
                continue;
            }
            let at = format!("{at}, parameter {name}");
            let schema = resolve(self.document, member(&parameter, "schema", &at)?, &at)?;
            parameters.push(Parameter {
                place: parsed_member(&parameter, "in", &at)?,
                kind: schema::read_kind(&schema.members, &at)?,
                required: parameter.get("required").and_then(Value::as_bool).unwrap_or(false),
                names: parsed_member(&parameter, "x-takt-names", &at)?,
                narrows: narrows.get(&name).cloned(),
                span: optional_member(&parameter, "x-takt-span", &at)?,
                provenance: parsed_member(&parameter, "x-takt-provenance", &at)?,
                assumed: optional_member(&parameter, "x-takt-assumed", &at)?.unwrap_or_default(),
                wire: None,
                form: ValueForm::default(),
                name,
            });
        }
        Ok(parameters)
    }

    fn read_request(&mut self, node: &Members, at: &str) -> Result<Option<RowSchema>, ContractError> {
        let Some(body) = node.get("requestBody") else { return Ok(None) };
        let at = format!("{at}, request");
        match self.body_schema(body, &at)? {
            Some(schema) => {
                let (part, name) = self.list_items(&schema, "items", &at)?;
                let fields = self.schemas.read_request_fields(&part, &name)?;
                read_shape("items", &part, name, fields).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Reads the rows in the first 2xx response whose schema names its list (`x-takt-rows`).
    fn read_response(&mut self, node: &Members, at: &str) -> Result<Option<RowSchema>, ContractError> {
        let responses = as_members(member(node, "responses", at)?, at)?;
        for (status, response) in responses.iter().filter(|(status, _)| status.starts_with('2')) {
            let at = format!("{at}, answer {status}");
            let Some(schema) = self.body_schema(response, &at)? else { continue };
            if let Some(rows) = schema.members.get("x-takt-rows").and_then(Value::as_str) {
                let (part, name) = self.list_items(&schema, rows, &at)?;
                let fields = self.schemas.read_response_fields(&part, &name)?;
                return read_shape(rows, &part, name, fields).map(Some);
            }
        }
        Ok(None)
    }

    fn body_schema(&self, body: &Value, at: &str) -> Result<Option<Resolved<'static>>, ContractError> {
        let body = resolve(self.document, body, at)?.members;
        let schema = body.get("content").and_then(|content| content.get(JSON_BODY)).and_then(|json| json.get("schema"));
        schema.map(|schema| resolve(self.document, schema, at).map(Resolved::into_owned)).transpose()
    }

    /// Returns the schema of a list's elements and the name of its component.
    fn list_items(
        &self,
        body: &Resolved<'_>,
        list: &str,
        at: &str,
    ) -> Result<(Resolved<'static>, String), ContractError> {
        let properties = as_members(member(&body.members, "properties", at)?, at)?;
        let carrier = resolve(self.document, member(properties, list, at)?, at)?.members;
        let part = resolve(self.document, member(&carrier, "items", at)?, at)?.into_owned();
        let name =
            part.name.clone().ok_or_else(|| unusable_error(at, list, "its items name no component".to_owned()))?;
        Ok((part, name))
    }
}

fn read_shape(list: &str, part: &Resolved<'_>, schema: String, fields: Vec<Field>) -> Result<RowSchema, ContractError> {
    let rules: Vec<Rule> = optional_member(&part.members, "x-takt-rules", &schema)?.unwrap_or_default();
    check_rules(&rules, &fields, &schema)?;
    Ok(RowSchema { member: list.to_owned(), schema, fields, rules })
}

/// Checks that rules compare date-time fields of the schema, since a rule for another field would have no effect.
fn check_rules(rules: &[Rule], fields: &[Field], at: &str) -> Result<(), ContractError> {
    for Rule::Before { first, second, .. } in rules {
        for name in [first, second] {
            let dated = fields.iter().any(|field| field.name == *name && field.kind == FieldKind::DateTime);
            if !dated {
                return Err(unusable_error(at, "x-takt-rules", format!("`{name}` is no date-time of this schema")));
            }
        }
    }
    Ok(())
}

/// Reads the statements about an operation and its parameters. Empty if the document doesn't distinguish them.
fn read_statements(
    document: &Value,
    item: &Members,
    node: &Members,
    at: &str,
) -> Result<Vec<Statement>, ContractError> {
    let mut found = Vec::new();
    let own: BTreeMap<String, Provenance> = optional_member(node, "x-takt-statements", at)?.unwrap_or_default();
    for (name, about) in STATEMENT_NAMES {
        let statement =
            own.get(name).map(|provenance| Statement { about, at: String::new(), provenance: provenance.clone() });
        found.extend(statement);
    }
    let statuses: BTreeMap<String, Provenance> = optional_member(node, "x-takt-statuses", at)?.unwrap_or_default();
    let status = |(at, provenance)| Statement { about: StatementAbout::Status, at, provenance };
    found.extend(statuses.into_iter().map(status));
    let lists = [item.get("parameters"), node.get("parameters")];
    for raw in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let parameter = resolve(document, raw, at)?.members;
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        found.extend(read_assumed_keywords(&parameter, name, at)?);
    }
    for (part_name, body) in body_schemas(node) {
        let schema = resolve(document, body, at)?.members;
        found.extend(read_assumed_keywords(&schema, part_name, at)?);
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            found.extend(read_assumed_keywords(as_members(property, at)?, &format!("{part_name} {name}"), at)?);
            let Some(items) = property.get("items") else { continue };
            found.extend(read_assumed_keywords(
                &resolve(document, items, at)?.members,
                &format!("{part_name} {name}[]"),
                at,
            )?);
        }
    }
    Ok(found)
}

/// Returns the schemas of the request body and of the body of a 200 response.
fn body_schemas(node: &Members) -> impl Iterator<Item = (&'static str, &Value)> {
    let request = node.get("requestBody").map(|body| ("request", body));
    let answer = node.get("responses").and_then(|all| all.get("200")).map(|body| ("answer", body));
    let both = request.into_iter().chain(answer);
    both.filter_map(|(part_name, body)| Some((part_name, body.get("content")?.get(JSON_BODY)?.get("schema")?)))
}

/// Reads the assumed keywords of a node as statements.
fn read_assumed_keywords(node: &Members, part_name: &str, at: &str) -> Result<Vec<Statement>, ContractError> {
    let assumed: BTreeMap<String, String> = optional_member(node, "x-takt-assumed", at)?.unwrap_or_default();
    let statement = |(keyword, source)| Statement {
        about: StatementAbout::Keyword,
        at: format!("{part_name} {keyword}"),
        provenance: Provenance { level: ProvenanceLevel::Assumed, source },
    };
    Ok(assumed.into_iter().map(statement).collect())
}
