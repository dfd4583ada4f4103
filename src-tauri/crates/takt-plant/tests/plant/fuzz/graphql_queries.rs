//! Generates GraphQL queries from the schema's introspection. Valid queries must succeed, and damaged ones must return
//! GraphQL errors.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::generated_values::odd_text;

/// Generates queries for the types in an introspection.
#[derive(Debug)]
pub(super) struct QueryGenerator<'a> {
    pub(super) types: &'a [Value],
    pub(super) random: &'a mut ChaCha8Rng,
}

impl QueryGenerator<'_> {
    /// Returns the body of a valid query.
    pub(super) fn valid_query(&mut self) -> Value {
        let selection = self.selection("Query", 0);
        match self.random.random_range(0..4) {
            0 => {
                json!({ "query": format!("query Named {{ {selection} }} query Other {{ __typename }}"), "operationName": "Named" })
            }
            1 => json!({ "query": format!("{{ ...Part }} fragment Part on Query {{ {selection} }}"), "variables": {} }),
            2 => json!({
                "query": format!("query($yes: Boolean!) {{ {selection} more: workOrders(limit: 1) @include(if: $yes) {{ total }} }}"),
                "variables": { "yes": self.random.random_bool(0.5) }
            }),
            _ => json!({ "query": format!("{{ {selection} }}"), "variables": null, "operationName": null }),
        }
    }

    /// Returns the body of a damaged query.
    pub(super) fn damaged_query(&mut self) -> Value {
        let good = self.selection("Query", 0);
        let odd = json!(odd_text(self.random)).to_string();
        let many: String = (0..1000).map(|index| format!("a{index}: workOrders {{ total }} ")).collect();
        let query = match self.random.random_range(0..18) {
            0 => good.replacen('}', "", 1),
            1 => format!("{{ {good} }} }}"),
            2 => format!("{{ {many} }}"),
            3 => format!("{{ {} }}", "workOrders { items { ".repeat(40)),
            4 => format!("{{ workOrders(limit: {}) {{ total }} }}", ["101", "0", "-1", "1e400", "99999999999999999999", "1.5", "[1]", "{a: 1}", "ENUM", odd.as_str()].choose(self.random).copied().unwrap_or_default()),
            5 => format!("{{ workOrders(code: {odd}, from: {odd}, to: {odd}) {{ total }} }}"),
            6 => format!("{{ workOrders(unknown: {odd}) {{ total }} }}"),
            7 => "{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }".to_owned(),
            8 => "{ ...A } fragment A on Nothing { x }".to_owned(),
            9 => "{ ...Nowhere }".to_owned(),
            10 => format!("query($a: String, $a: Int) {{ workOrders(code: $a) {{ total }} {good} }}"),
            11 => "mutation { workOrders { total } }".to_owned(),
            12 => "subscription { workOrders { total } }".to_owned(),
            13 => "{ __type(name: \"Nothing\") { name } __schema { types { name fields { name args { name defaultValue } } } } }".to_owned(),
            14 => format!("{{ workOrders @skip(if: {odd}) {{ total }} }}"),
            15 => "{ workOrders { total { x } } workOrder(code: \"a\") }".to_owned(),
            16 => odd_text(self.random),
            _ => "query($code: Int!, $list: [String!]!) { workOrders(code: $code, customer: $list) { total } }".to_owned(),
        };
        let variables = [
            json!(null),
            json!({ "code": "x", "list": 1 }),
            json!({ "code": 1e300, "list": [null] }),
            json!({ "a": {} }),
        ];
        let names = [json!(null), json!("Nobody"), json!("")];
        let of = |random: &mut ChaCha8Rng, pool: &[Value]| pool.choose(random).cloned().unwrap_or_default();
        json!({ "query": query, "variables": of(self.random, &variables), "operationName": of(self.random, &names) })
    }

    /// Returns a selection of fields of a type, each with a unique alias.
    fn selection(&mut self, name: &str, depth: usize) -> String {
        let fields = self.types.iter().find(|known| known["name"] == name).and_then(|known| known["fields"].as_array());
        let fields: Vec<Value> = fields.cloned().unwrap_or_default();
        let mut text = "__typename".to_owned();
        for index in 0..self.random.random_range(1..4) {
            let Some(field) = fields.choose(self.random) else { break };
            let of = innermost_type(&field["type"]);
            let inside = match of["kind"].as_str() {
                Some("OBJECT") if depth > 6 => continue,
                Some("OBJECT") => {
                    format!(" {{ {} }}", self.selection(of["name"].as_str().unwrap_or_default(), depth + 1))
                }
                _ => String::new(),
            };
            let arguments = self.arguments(&field["args"]);
            text.push_str(&format!(" f{index}: {}{arguments}{inside}", field["name"].as_str().unwrap_or_default()));
        }
        text
    }

    fn arguments(&mut self, arguments: &Value) -> String {
        let mut given = Vec::new();
        for argument in arguments.as_array().into_iter().flatten() {
            let needed = argument["type"]["kind"] == "NON_NULL";
            if !needed && self.random.random_bool(0.7) {
                continue;
            }
            let name = argument["name"].as_str().unwrap_or_default();
            let value = match (name, innermost_type(&argument["type"])["name"].as_str()) {
                ("from", _) => json!("2026-11-01"),
                ("to", _) => json!("2026-12-01T10:00:00Z"),
                (_, Some("Int")) => json!(self.random.random_range(1..40)),
                ("code", _) => json!(format!("WO-26{:04}", self.random.random_range(1..40))),
                // Short enough for a filter.
                _ => json!(odd_text(self.random).chars().take(100).filter(|one| !one.is_control()).collect::<String>()),
            };
            given.push(format!("{name}: {value}"));
        }
        if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) }
    }
}

/// Returns the innermost type, without list and non-null wrappers.
fn innermost_type(of: &Value) -> &Value {
    let mut of = of;
    while of["ofType"].is_object() {
        of = &of["ofType"];
    }
    of
}

/// Returns a query for all members of the work orders on a page.
pub(super) fn all_members_query(types: &[Value], page: u64) -> Value {
    let query = format!("{{ workOrders(page: {page}) {{ pages items {{ {} }} }} }}", members(types, "WorkOrder"));
    json!({ "query": query })
}

fn members(types: &[Value], name: &str) -> String {
    let fields = types.iter().find(|known| known["name"] == name).and_then(|known| known["fields"].as_array());
    let member = |field: &Value| {
        let of = innermost_type(&field["type"]);
        let inside = if of["kind"] == "OBJECT" {
            format!(" {{ {} }}", members(types, of["name"].as_str().unwrap_or_default()))
        } else {
            String::new()
        };
        format!("{}{inside} ", field["name"].as_str().unwrap_or_default())
    };
    fields.into_iter().flatten().map(member).collect()
}
