//! `/operations/{id}` documents one operation of the contract.

use serde_json::{Value, json};
use takt_contract::{Operation, OperationKind, ParameterPlace, Rule, Statement, StatementAbout};

use super::{
    example::Examples,
    page_builder::{PageBuilder, format_code, format_english, format_link, format_mark, format_node_mark, parse_level},
    schema::{self, Node, describe_rules},
};
use crate::{Plant, plant_urls::PlantUrls};

pub(super) fn write_page(plant: &Plant, operation: &Operation, urls: &PlantUrls, page: &mut PageBuilder) {
    let document = plant.contract.document();
    let node = &document["paths"][&operation.path][operation.method.to_lowercase()];
    let operation_page = OperationPage { document, operation, node, examples: Examples::new(plant) };
    operation_page.write_head(page);
    operation_page.write_parameters(page);
    operation_page.write_request(page);
    operation_page.write_call(urls, page);
    operation_page.write_answers(page);
}

struct OperationPage<'a> {
    document: &'a Value,
    operation: &'a Operation,
    node: &'a Value,
    examples: Examples<'a>,
}

impl OperationPage<'_> {
    fn write_head(&self, page: &mut PageBuilder) {
        let Operation { id, method, path, purpose, provenance, .. } = self.operation;
        let call = format_code(&format!("{method} {path}"));
        page.add_paragraph(&format!("{call} {}", format_mark(page, provenance.level, Some(&provenance.source))));
        page.add_paragraph(&format!("{}<br>{}", format_english(purpose), format_code(id)));
        self.write_statements(page);
        let scope = self.document["security"][0]["oauth2"][0].as_str().unwrap_or_default();
        let may = match self.operation.kind {
            OperationKind::Read | OperationKind::Query => "operation.readers",
            OperationKind::Sync | OperationKind::Delete => "operation.writers",
        };
        let permissions = format!("{} {}.", page.html_text_with("operation.scope", scope), page.html_text(may));
        page.add_paragraph(&format!("{permissions} {}", format_link("/access", &page.html_text("access.title"))));
        if self.operation.batch_size > 0 {
            let size = page.html_text_with("operation.batch_size", &self.operation.batch_size.to_string());
            let key = self.operation.key.iter().map(|name| format_code(name)).collect::<Vec<_>>().join(", ");
            let html = format!("{size} {} {key}.", page.html_text("operation.key"));
            page.add_paragraph(&html);
        }
    }

    /// Appends the provenance of each statement about the operation.
    fn write_statements(&self, page: &mut PageBuilder) {
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
                vec![page.html_text(subject_key), format_mark(page, provenance.level, Some(&provenance.source))]
            });
        let rows: Vec<Vec<String>> = rows.collect();
        let title = page.html_text("statement.title");
        page.add_table(&title, &["statement.what", "field.source"], &rows);
    }

    fn write_parameters(&self, page: &mut PageBuilder) {
        let listed = self.node["parameters"].as_array().into_iter().flatten();
        let rows: Vec<Vec<String>> = listed
            .map(|raw| {
                let node = Node::resolve(self.document, raw);
                let schema = Node::resolve(self.document, node.members.get("schema").unwrap_or(&Value::Null));
                let node_value = Value::Object(node.members.clone());
                let location = if node.get_text("in") == "path" { "parameter.path" } else { "parameter.query" };
                vec![
                    format_code(node.get_text("name")),
                    page.html_text(location),
                    schema.type_text(page),
                    page.html_text(if node.members.get("required") == Some(&json!(true)) {
                        "field.yes"
                    } else {
                        "field.no"
                    }),
                    describe_rules(&schema, page),
                    format!("{}<br>{}", page.name_of(&node_value), format_english(node.get_text("description"))),
                    format_node_mark(page, &node_value, false),
                ]
            })
            .collect();
        if rows.is_empty() {
            return;
        }
        let title = page.html_text("operation.parameters");
        page.add_heading(2, "parameters", &title);
        let columns = [
            "parameter.name",
            "parameter.in",
            "field.type",
            "field.required",
            "field.rules",
            "field.name",
            "field.source",
        ];
        page.add_table(&title, &columns, &rows);
    }

    fn write_request(&self, page: &mut PageBuilder) {
        let Some(schema) = self.request_schema() else { return };
        let title = page.html_text("operation.request");
        page.add_heading(2, "request", &title);
        page.add_table(&title, &schema::MEMBER_COLUMNS, &schema::member_rows(self.document, schema, page));
        for Rule::Before { first, second, provenance } in self.operation.request.iter().flat_map(|shape| &shape.rules) {
            let rule = page
                .html_text("rule.before")
                .replace("{first}", &format_code(first))
                .replace("{second}", &format_code(second));
            page.add_paragraph(&format!("{rule} {}", format_mark(page, provenance.level, None)));
        }
        let label = page.html_text("operation.request_example");
        page.add_json_example(&label, "request", &self.request_example(schema));
    }

    fn write_call(&self, urls: &PlantUrls, page: &mut PageBuilder) {
        let title = page.html_text("operation.curl");
        page.add_heading(2, "curl", &title);
        let label = page.html_text("operation.curl_lead");
        let call = self.build_curl(urls);
        page.add_example(&label, "curl", &call);
    }

    fn write_answers(&self, page: &mut PageBuilder) {
        let title = page.html_text("operation.answers");
        page.add_heading(2, "answers", &title);
        for (status, response) in self.node["responses"].as_object().into_iter().flatten() {
            self.write_answer(status, &Node::resolve(self.document, response), page);
        }
        let uses_spans = self.node["responses"].to_string().contains("TimeSpan")
            || self.operation.answer.as_ref().is_some_and(|shape| {
                shape.fields_with_paths().iter().any(|(_, field)| field.kind == takt_contract::FieldKind::TimeSpan)
            });
        if let (true, Some(schema)) = (uses_spans, self.document.pointer("/components/schemas/TimeSpan")) {
            let title = page.html_text("type.time_span");
            page.add_heading(2, "time-span", &title);
            page.add_paragraph(&format_english(schema["description"].as_str().unwrap_or_default()));
            page.add_table(&title, &schema::MEMBER_COLUMNS, &schema::member_rows(self.document, schema, page));
        }
    }

    fn write_answer(&self, status: &str, response: &Node, page: &mut PageBuilder) {
        let provenance_mark = self.node["x-takt-statuses"][status]["level"].as_str().and_then(parse_level);
        let provenance_mark = provenance_mark.map_or_else(String::new, |level| format_mark(page, level, None));
        page.add_heading(
            3,
            &format!("status-{status}"),
            &format!("{} {} {provenance_mark}", format_code(status), format_english(response.get_text("description"))),
        );
        let none = Value::Null;
        let schema = response.members.get("content").map_or(&none, |content| &content["application/json"]["schema"]);
        let is_success = status.starts_with('2');
        if is_success {
            self.write_headers(response, page);
            let label = page.html_text("operation.fields");
            let rows = schema::member_rows(self.document, schema, page);
            if !rows.is_empty() {
                page.add_table(&label, &schema::MEMBER_COLUMNS, &rows);
            }
        } else {
            let html = format_link(&format!("/errors#status-{status}"), &page.html_text("operation.error_fields"));
            page.add_paragraph(&html);
        }
        let label = page.html_text("operation.answer_example");
        page.add_json_example(&label, &format!("answer-{status}"), &self.answer_example(status, schema));
    }

    fn write_headers(&self, response: &Node, page: &mut PageBuilder) {
        let headers = response.members.get("headers").and_then(Value::as_object).into_iter().flatten();
        let rows = headers.map(|(name, header)| {
            let header = Node::resolve(self.document, header);
            let schema = Node::resolve(self.document, header.members.get("schema").unwrap_or(&Value::Null));
            let node_value = Value::Object(header.members.clone());
            vec![
                format_code(name),
                schema.type_text(page),
                format_english(header.get_text("description")),
                format_node_mark(page, &node_value, false),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let title = page.html_text("operation.headers");
        page.add_table(&title, &["parameter.name", "field.type", "home.purpose", "field.source"], &rows);
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

    /// Returns an example of a response, whose counts must add up.
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

    /// Returns an example request as a shell command.
    fn build_curl(&self, urls: &PlantUrls) -> String {
        let Operation { method, path, parameters, .. } = self.operation;
        let mut path = path.clone();
        for parameter in parameters.iter().filter(|parameter| parameter.place == ParameterPlace::Path) {
            path = path.replace(&format!("{{{}}}", parameter.name), "1");
        }
        let query = if self.operation.paged { "?page=1&limit=10" } else { "" };
        let mut call = format!(
            "curl -i -X {method} {} \\\n  -H \"Authorization: Bearer $ACCESS_TOKEN\"",
            quote_for_shell(&format!("{}{path}{query}", urls.base_url))
        );
        if let Some(schema) = self.request_schema() {
            let body = serde_json::to_string_pretty(&self.request_example(schema)).unwrap_or_default();
            call.push_str(&format!(" \\\n  -H 'Content-Type: application/json' \\\n  -d {}", quote_for_shell(&body)));
        }
        call
    }
}

/// Quotes a text as a single shell word.
fn quote_for_shell(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quote_for_shell;

    #[test]
    fn a_shell_reads_one_word() {
        assert_eq!(quote_for_shell("it's {\"a\": `$b`}"), "'it'\\''s {\"a\": `$b`}'");
    }
}
