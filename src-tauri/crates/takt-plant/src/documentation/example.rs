//! Builds examples from the document's schemas. They contain codes that exist in the plant, so that they can be sent.

use serde_json::{Map, Value, json};

use super::schema::{MAX_DEPTH, Node};
use crate::{
    plant::Plant,
    store::{Resource, Store, to_time_span},
};

const SAMPLE_BEGIN: &str = "2026-11-20T08:00:00";
const SAMPLE_END: &str = "2026-11-20T16:30:00";
const SAMPLE_DURATION: &str = "01:30:00";
/// Sample values for patterns. The first one that matches a pattern is used.
const PATTERN_SAMPLES: [&str; 5] = ["06:00:00", "06:00", "2026-11-20", "1", SAMPLE_BEGIN];
const SAMPLE_TICKS: i64 = 54_000_000_000;

/// Component schemas, with the resource and the member from whose first row an example is taken.
const KNOWN_CODES: [(&str, Resource, &str); 9] = [
    ("WorkOrderCode", Resource::WorkOrders, "code"),
    ("OperationCode", Resource::WorkOrders, "operationCode"),
    ("MaterialOwnCode", Resource::Materials, "code"),
    ("MaterialCode", Resource::Materials, "code"),
    ("ConsumedMaterialCode", Resource::Materials, "code"),
    ("WorkStationCode", Resource::WorkStations, "code"),
    ("InspectionCode", Resource::Inspections, "code"),
    ("ProcessCode", Resource::InspectionProcesses, "code"),
    ("ProcessOwnCode", Resource::InspectionProcesses, "code"),
];
const TEMPLATE_COMPONENT: &str = "TemplateId";

/// Builds examples for the plant's current rows.
#[derive(Debug)]
pub(super) struct Examples<'a> {
    document: &'a Value,
    known_values: Vec<(&'static str, Value)>,
}

impl<'a> Examples<'a> {
    pub(super) fn new(plant: &'a Plant) -> Self {
        let store = plant.store.read();
        let known_values = KNOWN_CODES
            .iter()
            .filter_map(|(name, resource, member)| Some((*name, first_value(&store, *resource, member)?)));
        let mut known_values: Vec<_> = known_values.collect();
        known_values.extend(store.links().next().map(|link| (TEMPLATE_COMPONENT, json!(link.template_id))));
        Self { document: plant.contract.document(), known_values }
    }

    /// Returns a value that conforms to the schema, with all allowed members.
    pub(super) fn example_for(&self, schema: &Value) -> Value {
        self.build_value(&Node::resolve(self.document, schema), "", 0)
    }

    fn build_value(&self, node: &Node, member: &str, depth: usize) -> Value {
        if let Some(fixed) = node.members.get("const").or_else(|| node.members.get("enum")?.get(0)) {
            return fixed.clone();
        }
        if let Some((_, value)) = self.known_values.iter().find(|(name, _)| Some(*name) == node.component.as_deref()) {
            return value.clone();
        }
        let bound = |name: &str| node.members.get(name).and_then(Value::as_f64);
        match node.get_text("type") {
            "array" if node.nullable || depth >= MAX_DEPTH => empty_value(node),
            "array" => {
                let part = Node::resolve(self.document, node.members.get("items").unwrap_or(&Value::Null));
                json!([self.build_value(&part, member, depth + 1)])
            }
            "object" if node.is_time_span() => to_time_span(SAMPLE_TICKS),
            "object" if node.nullable || depth >= MAX_DEPTH => empty_value(node),
            "object" => self.build_object(node, depth),
            "integer" => json!(bound("minimum").map_or(1, |least| if least > 1.0 { least as i64 } else { 1 })),
            "number" => json!(10),
            "boolean" => json!(member != "isLocked"),
            _ => match node.get_text("format") {
                "date-time" | "iso-date-time" => json!(SAMPLE_BEGIN),
                "duration-hms" => json!(SAMPLE_DURATION),
                _ => json!(
                    find_pattern_sample(node.get_text("pattern"))
                        .map_or_else(|| self.describe_member(node, member), str::to_owned)
                ),
            },
        }
    }

    fn build_object(&self, node: &Node, depth: usize) -> Value {
        let mut members = Map::new();
        for (name, schema, _) in node.properties() {
            members.insert(name.to_owned(), self.build_value(&Node::resolve(self.document, schema), name, depth + 1));
        }
        for rule in node.members.get("x-takt-rules").and_then(Value::as_array).into_iter().flatten() {
            if let Some(later) = rule["second"].as_str().and_then(|name| members.get_mut(name)) {
                *later = json!(SAMPLE_END);
            }
        }
        Value::Object(members)
    }

    /// Returns a sample text for a member, which is its English name.
    fn describe_member(&self, node: &Node, member: &str) -> String {
        let name = node.members.get("x-takt-names").and_then(|names| names["en"].as_str());
        name.unwrap_or(if member.is_empty() { "…" } else { member }).to_owned()
    }
}

/// Returns the first of [`PATTERN_SAMPLES`] that matches a pattern. None if the pattern is empty or no sample matches.
fn find_pattern_sample(pattern: &str) -> Option<&'static str> {
    let fits = |shape: &&str| jsonschema::is_valid(&json!({ "pattern": pattern }), &json!(shape));
    PATTERN_SAMPLES.into_iter().find(|shape| !pattern.is_empty() && fits(shape))
}

fn empty_value(node: &Node) -> Value {
    match (node.nullable, node.get_text("type")) {
        (true, _) => Value::Null,
        (false, "array") => json!([]),
        (false, _) => json!({}),
    }
}

fn first_value(store: &Store, resource: Resource, member: &str) -> Option<Value> {
    let row = store.table(resource).row_text_at(0)?;
    let row: Value = serde_json::from_str(row).ok()?;
    row.get(member).filter(|value| value.is_string()).cloned()
}
