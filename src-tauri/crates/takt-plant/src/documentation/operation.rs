//! `/operations/{id}`: the contract of one operation.

use serde_json::{Value, json};
use takt_contract::{Operation, OperationKind, ParameterPlace, Rule, Statement, StatementAbout};

use super::{
    example::Examples,
    plant_urls::PlantUrls,
    provenance::{level, mark, mark_of},
    schema::{self, Node, rules},
    sheet::{Sheet, code, english, link},
};
use crate::Plant;

pub(super) fn write(plant: &Plant, operation: &Operation, urls: &PlantUrls, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let node = &document["paths"][&operation.path][operation.method.to_lowercase()];
    let page = OperationPage { document, operation, node, examples: Examples::new(plant) };
    page.head(sheet);
    page.parameters(sheet);
    page.request(sheet);
    page.call(urls, sheet);
    page.answers(sheet);
}

struct OperationPage<'a> {
    document: &'a Value,
    operation: &'a Operation,
    node: &'a Value,
    examples: Examples<'a>,
}

impl OperationPage<'_> {
    fn head(&self, sheet: &mut Sheet) {
        let Operation { id, method, path, purpose, provenance, .. } = self.operation;
        let call = code(&format!("{method} {path}"));
        sheet.paragraph(&format!("{call} {}", mark(sheet, provenance.level, Some(&provenance.source))));
        sheet.paragraph(&format!("{}<br>{}", english(purpose), code(id)));
        self.statements(sheet);
        let scope = self.document["security"][0]["oauth2"][0].as_str().unwrap_or_default();
        let may = match self.operation.kind {
            OperationKind::Read | OperationKind::Query => "operation.readers",
            OperationKind::Sync | OperationKind::Delete => "operation.writers",
        };
        let permissions = format!("{} {}.", sheet.text_with("operation.scope", scope), sheet.text(may));
        sheet.paragraph(&format!("{permissions} {}", link("/access", &sheet.text("access.title"))));
        if self.operation.batch_size > 0 {
            let size = sheet.text_with("operation.batch_size", &self.operation.batch_size.to_string());
            let key = self.operation.key.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ");
            let html = format!("{size} {} {key}.", sheet.text("operation.key"));
            sheet.paragraph(&html);
        }
    }

    /// Writes the provenance of each statement about the operation as a whole.
    fn statements(&self, sheet: &mut Sheet) {
        let about_operation = |statement: &&Statement| statement.at.is_empty();
        let rows =
            self.operation.statements.iter().filter(about_operation).map(|Statement { about, provenance, .. }| {
                let subject_key = match about {
                    StatementAbout::Area => "statement.area",
                    StatementAbout::Method => "statement.method",
                    StatementAbout::Path => "statement.path",
                    StatementAbout::Schema => "statement.schema",
                    StatementAbout::Purpose | StatementAbout::Status | StatementAbout::Keyword => "home.purpose",
                };
                vec![sheet.text(subject_key), mark(sheet, provenance.level, Some(&provenance.source))]
            });
        let rows: Vec<Vec<String>> = rows.collect();
        let title = sheet.text("statement.title");
        sheet.table(&title, &["statement.what", "field.source"], &rows);
    }

    fn parameters(&self, sheet: &mut Sheet) {
        let listed = self.node["parameters"].as_array().into_iter().flatten();
        let rows: Vec<Vec<String>> = listed
            .map(|raw| {
                let node = Node::resolve(self.document, raw);
                let schema = Node::resolve(self.document, node.members.get("schema").unwrap_or(&Value::Null));
                let node_value = Value::Object(node.members.clone());
                let location = if node.text("in") == "path" { "parameter.path" } else { "parameter.query" };
                vec![
                    code(node.text("name")),
                    sheet.text(location),
                    schema.type_name(sheet),
                    sheet.text(if node.members.get("required") == Some(&json!(true)) {
                        "field.yes"
                    } else {
                        "field.no"
                    }),
                    rules(&schema, sheet),
                    format!("{}<br>{}", sheet.name_of(&node_value), english(node.text("description"))),
                    mark_of(sheet, &node_value, false),
                ]
            })
            .collect();
        if rows.is_empty() {
            return;
        }
        let title = sheet.text("operation.parameters");
        sheet.heading(2, "parameters", &title);
        let columns = [
            "parameter.name",
            "parameter.in",
            "field.type",
            "field.required",
            "field.rules",
            "field.name",
            "field.source",
        ];
        sheet.table(&title, &columns, &rows);
    }

    fn request(&self, sheet: &mut Sheet) {
        let Some(schema) = self.request_schema() else { return };
        let title = sheet.text("operation.request");
        sheet.heading(2, "request", &title);
        sheet.table(&title, &schema::COLUMNS, &schema::rows(self.document, schema, sheet));
        for Rule::Before { first, second, provenance } in self.operation.request.iter().flat_map(|shape| &shape.rules) {
            let rule = sheet.text("rule.before").replace("{first}", &code(first)).replace("{second}", &code(second));
            sheet.paragraph(&format!("{rule} {}", mark(sheet, provenance.level, None)));
        }
        let label = sheet.text("operation.request_example");
        sheet.body(&label, "request", &self.request_example(schema));
    }

    fn call(&self, urls: &PlantUrls, sheet: &mut Sheet) {
        let title = sheet.text("operation.curl");
        sheet.heading(2, "curl", &title);
        let label = sheet.text("operation.curl_lead");
        let call = self.curl(urls);
        sheet.example(&label, "curl", &call);
    }

    fn answers(&self, sheet: &mut Sheet) {
        let title = sheet.text("operation.answers");
        sheet.heading(2, "answers", &title);
        for (status, response) in self.node["responses"].as_object().into_iter().flatten() {
            self.answer(status, &Node::resolve(self.document, response), sheet);
        }
        let uses_spans = self.node["responses"].to_string().contains("TimeSpan")
            || self.operation.answer.as_ref().is_some_and(|shape| {
                shape.flat().iter().any(|(_, field)| field.kind == takt_contract::FieldKind::TimeSpan)
            });
        if let (true, Some(schema)) = (uses_spans, self.document.pointer("/components/schemas/TimeSpan")) {
            let title = sheet.text("type.time_span");
            sheet.heading(2, "time-span", &title);
            sheet.paragraph(&english(schema["description"].as_str().unwrap_or_default()));
            sheet.table(&title, &schema::COLUMNS, &schema::rows(self.document, schema, sheet));
        }
    }

    fn answer(&self, status: &str, response: &Node, sheet: &mut Sheet) {
        let provenance_mark = self.node["x-takt-statuses"][status]["level"].as_str().and_then(level);
        let provenance_mark = provenance_mark.map_or_else(String::new, |level| mark(sheet, level, None));
        sheet.heading(
            3,
            &format!("status-{status}"),
            &format!("{} {} {provenance_mark}", code(status), english(response.text("description"))),
        );
        let none = Value::Null;
        let schema = response.members.get("content").map_or(&none, |content| &content["application/json"]["schema"]);
        let is_success = status.starts_with('2');
        if is_success {
            self.headers(response, sheet);
            let label = sheet.text("operation.fields");
            let rows = schema::rows(self.document, schema, sheet);
            if !rows.is_empty() {
                sheet.table(&label, &schema::COLUMNS, &rows);
            }
        } else {
            let html = link(&format!("/errors#status-{status}"), &sheet.text("operation.error_fields"));
            sheet.paragraph(&html);
        }
        let label = sheet.text("operation.answer_example");
        sheet.body(&label, &format!("answer-{status}"), &self.answer_example(status, schema));
    }

    fn headers(&self, response: &Node, sheet: &mut Sheet) {
        let headers = response.members.get("headers").and_then(Value::as_object).into_iter().flatten();
        let rows = headers.map(|(name, header)| {
            let header = Node::resolve(self.document, header);
            let schema = Node::resolve(self.document, header.members.get("schema").unwrap_or(&Value::Null));
            let node_value = Value::Object(header.members.clone());
            vec![
                code(name),
                schema.type_name(sheet),
                english(header.text("description")),
                mark_of(sheet, &node_value, false),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let title = sheet.text("operation.headers");
        sheet.table(&title, &["parameter.name", "field.type", "home.purpose", "field.source"], &rows);
    }

    fn request_schema(&self) -> Option<&Value> {
        let content = self.node.get("requestBody")?.get("content")?;
        content.get("application/json")?.get("schema")
    }

    fn request_example(&self, schema: &Value) -> Value {
        if self.operation.kind == OperationKind::Query {
            return json!({ "query": "{ workOrders(limit: 2) { total items { code operationCode statusDescription } } }" });
        }
        self.examples.example_for(schema)
    }

    /// Returns an example whose counts add up, as the specification demands.
    fn answer_example(&self, status: &str, schema: &Value) -> Value {
        let mut example = self.examples.example_for(schema);
        if self.operation.kind == OperationKind::Query && status == "200" {
            return json!({ "data": { "workOrders": { "total": 1, "items": [] } } });
        }
        if let Some(results) = example.get("results").and_then(Value::as_array).cloned() {
            let refused = status != "200";
            example["totalItems"] = json!(results.len());
            example["successCount"] = json!(if refused { 0 } else { results.len() });
            example["errorCount"] = json!(if refused { results.len() } else { 0 });
            for result in example["results"].as_array_mut().into_iter().flatten() {
                result["success"] = json!(!refused);
                if let (false, Some(members)) = (refused, result.as_object_mut()) {
                    members.shift_remove("errors");
                }
            }
        }
        example
    }

    /// Returns the call as a shell command.
    fn curl(&self, urls: &PlantUrls) -> String {
        let Operation { method, path, parameters, .. } = self.operation;
        let mut path = path.clone();
        for parameter in parameters.iter().filter(|parameter| parameter.place == ParameterPlace::Path) {
            path = path.replace(&format!("{{{}}}", parameter.name), "1");
        }
        let query = if self.operation.paged { "?page=1&limit=10" } else { "" };
        let mut call = format!(
            "curl -i -X {method} {} \\\n  -H \"Authorization: Bearer $ACCESS_TOKEN\"",
            quoted(&format!("{}{path}{query}", urls.base))
        );
        if let Some(schema) = self.request_schema() {
            let body = serde_json::to_string_pretty(&self.request_example(schema)).unwrap_or_default();
            call.push_str(&format!(" \\\n  -H 'Content-Type: application/json' \\\n  -d {}", quoted(&body)));
        }
        call
    }
}

impl Node {
    /// Returns the type of its values, in the reader's language.
    fn type_name(&self, sheet: &Sheet) -> String {
        sheet.text(self.kind())
    }
}

/// Quotes a text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_one_word() {
        assert_eq!(quoted("it's {\"a\": `$b`}"), "'it'\\''s {\"a\": `$b`}'");
    }
}
