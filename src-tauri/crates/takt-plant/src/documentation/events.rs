//! `/events` documents the webhooks, their payloads and delivery, and the replies of receivers.

use serde_json::{Map, Value, json};

use super::{
    example::Examples,
    page_builder::{PageBuilder, format_code, format_english, format_link, format_node_mark},
    schema::{self, Node},
};
use crate::{Plant, plant_urls::PlantUrls};

/// A webhook in the document.
struct Webhook<'a> {
    name: &'a str,
    node: &'a Value,
}

impl Webhook<'_> {
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

pub(super) fn write_page(plant: &Plant, _urls: &PlantUrls, page: &mut PageBuilder) {
    let document = plant.contract.document();
    let none = Map::new();
    let webhooks = document["webhooks"].as_object().unwrap_or(&none);
    let mut hooks: Vec<Webhook<'_>> =
        webhooks.iter().map(|(name, hook)| Webhook { name, node: &hook["post"] }).collect();
    hooks.sort_by_key(Webhook::id);
    let lead = page.html_text("events.lead");
    page.add_paragraph(&lead);
    write_event_list(&hooks, page);
    write_assumptions(document, page);
    write_payloads(document, &hooks, page);
    let examples = Examples::new(plant);
    let title = page.html_text("events.examples");
    page.add_heading(2, "examples", &title);
    for hook in &hooks {
        page.add_heading(3, &format!("event-{}", hook.id()), &format!("{} {}", hook.id(), format_code(hook.name)));
        let mut example = examples.example_for(hook.schema());
        example["Id"] = json!(hook.id());
        page.add_json_example(&format_english(hook.payload()), &format!("event-{}", hook.id()), &example);
        if let Some(reply) = hook.reply() {
            let label = page.html_text("events.reply");
            page.add_json_example(&label, "reply", &examples.example_for(reply));
        }
    }
}

fn write_event_list(hooks: &[Webhook<'_>], page: &mut PageBuilder) {
    let rows = hooks.iter().map(|hook| {
        let reply = if hook.reply().is_some() { page.html_text("events.asks") } else { String::new() };
        vec![
            hook.id().to_string(),
            format!("{}<br>{}", format_code(hook.name), page.name_of(hook.node)),
            format!("{}<br>{reply}", format_english(hook.node["summary"].as_str().unwrap_or_default())),
            format_link(&format!("#{}", format_anchor(hook.payload())), &format_english(hook.payload())),
            format_link(&format!("#event-{}", hook.id()), &page.html_text("events.example")),
            format_node_mark(page, hook.node, false),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let title = page.html_text("events.title");
    let columns = ["events.id", "events.event", "events.when", "events.payload", "events.example", "field.source"];
    page.add_table(&title, &columns, &rows);
}

/// Appends the assumptions about events.
fn write_assumptions(document: &Value, page: &mut PageBuilder) {
    let of_events =
        |one: &&Value| one["provenance"]["source"].as_str().is_some_and(|source| source.starts_with("Events"));
    let decided = document["x-takt-assumptions"].as_array().into_iter().flatten().filter(of_events);
    let rows: Vec<Vec<String>> = decided.map(super::errors::assumption_row).collect();
    let title = page.html_text("events.delivery");
    page.add_heading(2, "delivery", &title);
    page.add_table(&title, &super::errors::ASSUMPTION_COLUMNS, &rows);
}

/// Appends each kind of payload, with its members and the events that use it.
fn write_payloads(document: &Value, hooks: &[Webhook<'_>], page: &mut PageBuilder) {
    let mut known: Vec<&str> = Vec::new();
    for hook in hooks {
        if known.contains(&hook.payload()) {
            continue;
        }
        known.push(hook.payload());
        let title = format_english(hook.payload());
        page.add_heading(2, &format_anchor(hook.payload()), &title);
        let same = hooks.iter().filter(|other| other.payload() == hook.payload());
        let names: Vec<String> = same.map(|other| format!("{} {}", other.id(), format_code(other.name))).collect();
        page.add_paragraph(&names.join(", "));
        let schema_node = Node::resolve(document, hook.schema());
        page.add_paragraph(&format_english(schema_node.get_text("description")));
        page.add_table(&title, &schema::MEMBER_COLUMNS, &schema::member_rows(document, hook.schema(), page));
    }
}

fn format_anchor(payload: &str) -> String {
    payload.replace(|character: char| !character.is_ascii_alphanumeric(), "-")
}
