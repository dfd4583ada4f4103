//! `/errors` documents the bodies of errors, and the assumptions about points that the specification leaves open.

use serde_json::Value;

use super::{
    example::Examples,
    page_builder::{PageBuilder, format_code, format_english, format_node_mark},
    schema::{self, Node},
};
use crate::{Plant, plant_urls::PlantUrls};

/// The text keys of the columns in a table of assumptions.
pub(super) const ASSUMPTION_COLUMNS: [&str; 3] = ["assumption.subject", "assumption.decision", "assumption.reason"];

pub(super) fn write_page(plant: &Plant, _urls: &PlantUrls, page: &mut PageBuilder) {
    let document = plant.contract.document();
    let examples = Examples::new(plant);
    let lead = page.html_text("errors.lead");
    page.add_paragraph(&lead);
    let responses = document["components"]["responses"].as_object().into_iter().flatten();
    let mut responses: Vec<&Value> = responses.map(|(_, response)| response).collect();
    responses.sort_by_key(|response| response["x-takt-status"].as_u64());
    for response in responses {
        let status = response["x-takt-status"].to_string();
        let title = format!(
            "{} {}",
            format_code(&status),
            format_english(response["description"].as_str().unwrap_or_default())
        );
        page.add_heading(2, &format!("status-{status}"), &title);
        page.add_paragraph(&format_node_mark(page, response, true));
        let schema = &response["content"]["application/json"]["schema"];
        page.add_paragraph(&format_english(Node::resolve(document, schema).get_text("description")));
        page.add_table(&title, &schema::MEMBER_COLUMNS, &schema::member_rows(document, schema, page));
        let label = page.html_text("operation.answer_example");
        page.add_json_example(&label, &format!("answer-{status}"), &examples.example_for(schema));
    }
    let title = page.html_text("assumption.title");
    page.add_heading(2, "assumptions", &title);
    let rows: Vec<Vec<String>> =
        document["x-takt-assumptions"].as_array().into_iter().flatten().map(assumption_row).collect();
    page.add_table(&title, &ASSUMPTION_COLUMNS, &rows);
}

/// Returns an assumption as a table row.
pub(super) fn assumption_row(one: &Value) -> Vec<String> {
    let text = |value: &Value| format_english(value.as_str().unwrap_or_default());
    let value = match &one["value"] {
        Value::Null => String::new(),
        value => format!("<br>{}", format_code(&value.to_string())),
    };
    vec![text(&one["subject"]), format!("{}{value}", text(&one["decision"])), text(&one["provenance"]["source"])]
}
