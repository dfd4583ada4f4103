//! Checks a document's structure before it is read. The first fault is reported with its pointer.
//!
//! Only parts that are read are checked. Each value is visited once. References are looked up but not followed.

use serde_json::Value;

use super::operation::METHODS;
use crate::{
    StructureFault,
    error::Fault,
    reference::{Members, ReferenceTarget, escape_step, find_target},
};

/// Members of a schema whose value is a schema.
const SCHEMA_MEMBERS: [&str; 4] = ["items", "additionalProperties", "not", "contains"];
/// Members of a schema whose value is a list of schemas.
const SCHEMA_LIST_MEMBERS: [&str; 4] = ["allOf", "oneOf", "anyOf", "prefixItems"];

/// Checks paths, webhooks and components.
pub(super) fn check_structure(document: &Value) -> Result<(), Fault> {
    let checker = Checker { document };
    let root = expect_object(document, "")?;
    if let Some(info) = root.get("info") {
        expect_object(info, "/info")?;
    }
    for part in ["paths", "webhooks"] {
        for (name, item) in entries(root, part, "")? {
            checker.check_path_item(item, &format!("/{part}/{}", escape_step(name)))?;
        }
    }
    checker.check_components(root)
}

struct Checker<'a> {
    document: &'a Value,
}

impl Checker<'_> {
    fn check_components(&self, root: &Members) -> Result<(), Fault> {
        let Some(components) = root.get("components") else { return Ok(()) };
        let components = expect_object(components, "/components")?;
        for (name, schema) in entries(components, "schemas", "/components")? {
            self.check_schema(schema, &format!("/components/schemas/{}", escape_step(name)))?;
        }
        for (name, parameter) in entries(components, "parameters", "/components")? {
            self.check_parameter(parameter, &format!("/components/parameters/{}", escape_step(name)))?;
        }
        for part in ["responses", "requestBodies"] {
            for (name, body) in entries(components, part, "/components")? {
                self.check_body(body, &format!("/components/{part}/{}", escape_step(name)))?;
            }
        }
        Ok(())
    }

    fn check_path_item(&self, item: &Value, at: &str) -> Result<(), Fault> {
        let members = expect_object(item, at)?;
        self.check_reference(members, at)?;
        self.check_parameters(members, at)?;
        for method in METHODS {
            let Some(operation) = members.get(method) else { continue };
            let at = format!("{at}/{method}");
            let operation = expect_object(operation, &at)?;
            self.check_parameters(operation, &at)?;
            if let Some(body) = operation.get("requestBody") {
                self.check_body(body, &format!("{at}/requestBody"))?;
            }
            for (status, answer) in entries(operation, "responses", &at)? {
                self.check_body(answer, &format!("{at}/responses/{}", escape_step(status)))?;
            }
        }
        Ok(())
    }

    fn check_parameters(&self, members: &Members, at: &str) -> Result<(), Fault> {
        let Some(parameters) = members.get("parameters") else { return Ok(()) };
        let at = format!("{at}/parameters");
        for (index, parameter) in expect_list(parameters, &at)?.iter().enumerate() {
            self.check_parameter(parameter, &format!("{at}/{index}"))?;
        }
        Ok(())
    }

    fn check_parameter(&self, parameter: &Value, at: &str) -> Result<(), Fault> {
        let members = expect_object(parameter, at)?;
        if self.check_reference(members, at)? {
            return Ok(());
        }
        for name in ["name", "in"] {
            let value = members.get(name).ok_or_else(|| Fault::new(at, StructureFault::Missing(name.to_owned())))?;
            expect_text(value, &format!("{at}/{name}"))?;
        }
        match members.get("schema") {
            Some(schema) => self.check_schema(schema, &format!("{at}/schema")),
            None => self.check_content(members, at),
        }
    }

    /// Checks a request body or a response.
    fn check_body(&self, body: &Value, at: &str) -> Result<(), Fault> {
        let members = expect_object(body, at)?;
        if self.check_reference(members, at)? { Ok(()) } else { self.check_content(members, at) }
    }

    fn check_content(&self, members: &Members, at: &str) -> Result<(), Fault> {
        for (media, content) in entries(members, "content", at)? {
            let at = format!("{at}/content/{}", escape_step(media));
            if let Some(schema) = expect_object(content, &at)?.get("schema") {
                self.check_schema(schema, &format!("{at}/schema"))?;
            }
        }
        Ok(())
    }

    /// Checks a schema. The parser's limit on nesting bounds the recursion.
    fn check_schema(&self, schema: &Value, at: &str) -> Result<(), Fault> {
        let members = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(members) => members,
            _ => return Err(Fault::new(at, StructureFault::NotASchema)),
        };
        self.check_reference(members, at)?;
        if let Some(kind) = members.get("type") {
            check_schema_type(kind, &format!("{at}/type"))?;
        }
        for (name, member) in entries(members, "properties", at)? {
            self.check_schema(member, &format!("{at}/properties/{}", escape_step(name)))?;
        }
        for name in SCHEMA_MEMBERS {
            if let Some(schema) = members.get(name) {
                self.check_schema(schema, &format!("{at}/{name}"))?;
            }
        }
        for name in SCHEMA_LIST_MEMBERS {
            let Some(parts) = members.get(name) else { continue };
            let at = format!("{at}/{name}");
            for (index, part) in expect_list(parts, &at)?.iter().enumerate() {
                self.check_schema(part, &format!("{at}/{index}"))?;
            }
        }
        Ok(())
    }

    /// Returns whether an object is a reference. Its target must exist.
    fn check_reference(&self, members: &Members, at: &str) -> Result<bool, Fault> {
        let Some(reference) = members.get("$ref") else { return Ok(false) };
        let at = format!("{at}/$ref");
        let reference = expect_text(reference, &at)?;
        match find_target(self.document, reference) {
            ReferenceTarget::Local(_) | ReferenceTarget::External => Ok(true),
            ReferenceTarget::Dangling => Err(Fault::new(at, StructureFault::DanglingReference(reference.to_owned()))),
        }
    }
}

/// Checks a `type`: one name or a list of names.
fn check_schema_type(kind: &Value, at: &str) -> Result<(), Fault> {
    match kind {
        Value::String(_) => Ok(()),
        Value::Array(kinds) => kinds
            .iter()
            .enumerate()
            .try_for_each(|(index, kind)| expect_text(kind, &format!("{at}/{index}")).map(|_| ())),
        _ => Err(Fault::new(at, StructureFault::NotText)),
    }
}

/// Returns the entries of a member, which must be an object if present.
fn entries<'a>(
    members: &'a Members,
    name: &str,
    at: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, Fault> {
    let inner = members.get(name).filter(|value| !value.is_null());
    let inner = inner.map(|value| expect_object(value, &format!("{at}/{name}"))).transpose()?;
    let extension = |name: &str| at.is_empty() && name.starts_with("x-");
    Ok(inner.into_iter().flatten().filter(move |(name, _)| !extension(name)))
}

fn expect_object<'a>(value: &'a Value, at: &str) -> Result<&'a Members, Fault> {
    value.as_object().ok_or_else(|| Fault::new(at, StructureFault::NotAnObject))
}

fn expect_list<'a>(value: &'a Value, at: &str) -> Result<&'a Vec<Value>, Fault> {
    value.as_array().ok_or_else(|| Fault::new(at, StructureFault::NotAList))
}

fn expect_text<'a>(value: &'a Value, at: &str) -> Result<&'a str, Fault> {
    value.as_str().ok_or_else(|| Fault::new(at, StructureFault::NotText))
}
