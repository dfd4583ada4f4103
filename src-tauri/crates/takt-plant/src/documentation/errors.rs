//! `/errors`: the bodies of error responses, and the contract's assumptions where the specification is silent.

use serde_json::Value;

use super::{
    example::Examples,
    plant_urls::PlantUrls,
    provenance::mark_of,
    schema::{self, Node},
    sheet::{Sheet, code, english},
};
use crate::Plant;

/// The columns of a table of assumptions.
pub(super) const ASSUMPTIONS: [&str; 3] = ["assumption.subject", "assumption.decision", "assumption.reason"];

pub(super) fn write(plant: &Plant, _urls: &PlantUrls, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let examples = Examples::new(plant);
    let lead = sheet.text("errors.lead");
    sheet.paragraph(&lead);
    let responses = document["components"]["responses"].as_object().into_iter().flatten();
    let mut responses: Vec<&Value> = responses.map(|(_, response)| response).collect();
    responses.sort_by_key(|response| response["x-takt-status"].as_u64());
    for response in responses {
        let status = response["x-takt-status"].to_string();
        let title = format!("{} {}", code(&status), english(response["description"].as_str().unwrap_or_default()));
        sheet.heading(2, &format!("status-{status}"), &title);
        sheet.paragraph(&mark_of(sheet, response, true));
        let schema = &response["content"]["application/json"]["schema"];
        sheet.paragraph(&english(Node::resolve(document, schema).text("description")));
        sheet.table(&title, &schema::COLUMNS, &schema::rows(document, schema, sheet));
        let label = sheet.text("operation.answer_example");
        sheet.body(&label, &format!("answer-{status}"), &examples.example_for(schema));
    }
    let title = sheet.text("assumption.title");
    sheet.heading(2, "assumptions", &title);
    let rows: Vec<Vec<String>> =
        document["x-takt-assumptions"].as_array().into_iter().flatten().map(assumption_row).collect();
    sheet.table(&title, &ASSUMPTIONS, &rows);
}

/// Returns an assumption as a row of a table.
pub(super) fn assumption_row(one: &Value) -> Vec<String> {
    let text = |value: &Value| english(value.as_str().unwrap_or_default());
    let value = match &one["value"] {
        Value::Null => String::new(),
        value => format!("<br>{}", code(&value.to_string())),
    };
    vec![text(&one["subject"]), format!("{}{value}", text(&one["decision"])), text(&one["provenance"]["source"])]
}
