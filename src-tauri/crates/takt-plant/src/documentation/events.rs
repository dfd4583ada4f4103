//! `/events`: the webhooks, their payloads, their delivery and the receivers' replies.

use serde_json::{Map, Value, json};

use super::{
    example::Examples,
    plant_urls::PlantUrls,
    provenance::mark_of,
    schema::{self, Node},
    sheet::{Sheet, code, english, link},
};
use crate::Plant;

/// One webhook of the document.
struct Hook<'a> {
    name: &'a str,
    node: &'a Value,
}

impl Hook<'_> {
    fn id(&self) -> i64 {
        self.node["x-takt-event-id"].as_i64().unwrap_or_default()
    }

    fn payload(&self) -> &str {
        self.node["x-takt-payload"].as_str().unwrap_or_default()
    }

    fn schema(&self) -> &Value {
        &self.node["requestBody"]["content"]["application/json"]["schema"]
    }

    fn reply(&self) -> Option<&Value> {
        self.node["responses"]["200"].pointer("/content/application~1json/schema")
    }
}

pub(super) fn write(plant: &Plant, _urls: &PlantUrls, sheet: &mut Sheet) {
    let document = plant.contract.document();
    let none = Map::new();
    let webhooks = document["webhooks"].as_object().unwrap_or(&none);
    let mut hooks: Vec<Hook<'_>> = webhooks.iter().map(|(name, hook)| Hook { name, node: &hook["post"] }).collect();
    hooks.sort_by_key(Hook::id);
    let lead = sheet.text("events.lead");
    sheet.paragraph(&lead);
    list(&hooks, sheet);
    delivery_assumptions(document, sheet);
    payloads(document, &hooks, sheet);
    let examples = Examples::new(plant);
    let title = sheet.text("events.examples");
    sheet.heading(2, "examples", &title);
    for hook in &hooks {
        sheet.heading(3, &format!("event-{}", hook.id()), &format!("{} {}", hook.id(), code(hook.name)));
        let mut example = examples.example_for(hook.schema());
        example["Id"] = json!(hook.id());
        sheet.body(&english(hook.payload()), &format!("event-{}", hook.id()), &example);
        if let Some(reply) = hook.reply() {
            let label = sheet.text("events.reply");
            sheet.body(&label, "reply", &examples.example_for(reply));
        }
    }
}

fn list(hooks: &[Hook<'_>], sheet: &mut Sheet) {
    let rows = hooks.iter().map(|hook| {
        let reply = if hook.reply().is_some() { sheet.text("events.asks") } else { String::new() };
        vec![
            hook.id().to_string(),
            format!("{}<br>{}", code(hook.name), sheet.name_of(hook.node)),
            format!("{}<br>{reply}", english(hook.node["summary"].as_str().unwrap_or_default())),
            link(&format!("#{}", anchor(hook.payload())), &english(hook.payload())),
            link(&format!("#event-{}", hook.id()), &sheet.text("events.example")),
            mark_of(sheet, hook.node, false),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = sheet.text("events.title");
    let columns = ["events.id", "events.event", "events.when", "events.payload", "events.example", "field.source"];
    sheet.table(&title, &columns, &rows);
}

/// Writes the document's assumptions about events.
fn delivery_assumptions(document: &Value, sheet: &mut Sheet) {
    let of_events =
        |one: &&Value| one["provenance"]["source"].as_str().is_some_and(|source| source.starts_with("Events"));
    let decided = document["x-takt-assumptions"].as_array().into_iter().flatten().filter(of_events);
    let rows: Vec<Vec<String>> = decided.map(super::errors::assumption_row).collect();
    let title = sheet.text("events.delivery");
    sheet.heading(2, "delivery", &title);
    sheet.table(&title, &super::errors::ASSUMPTIONS, &rows);
}

/// Writes each kind of payload once, with its members and the events that carry it.
fn payloads(document: &Value, hooks: &[Hook<'_>], sheet: &mut Sheet) {
    let mut known: Vec<&str> = Vec::new();
    for hook in hooks {
        if known.contains(&hook.payload()) {
            continue;
        }
        known.push(hook.payload());
        let title = english(hook.payload());
        sheet.heading(2, &anchor(hook.payload()), &title);
        let same = hooks.iter().filter(|other| other.payload() == hook.payload());
        let names: Vec<String> = same.map(|other| format!("{} {}", other.id(), code(other.name))).collect();
        sheet.paragraph(&names.join(", "));
        let schema_node = Node::resolve(document, hook.schema());
        sheet.paragraph(&english(schema_node.text("description")));
        sheet.table(&title, &schema::COLUMNS, &schema::rows(document, hook.schema(), sheet));
    }
}

fn anchor(payload: &str) -> String {
    payload.replace(|character: char| !character.is_ascii_alphanumeric(), "-")
}
