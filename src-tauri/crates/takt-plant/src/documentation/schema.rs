//! Prepares the document's schemas for readers. References are resolved, parts are merged, and each member becomes a
//! table row.

use serde_json::{Map, Value, json};

use super::page_builder::{PageBuilder, format_code, format_english, format_node_mark};

/// The maximum number of references in a chain.
const MAX_CHAIN_LENGTH: usize = 16;
/// The maximum number of nested objects and lists. Deeper members aren't shown.
pub(super) const MAX_DEPTH: usize = 8;
const MAX_ROWS: usize = 500;

/// A schema with its references and branches merged.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) members: Map<String, Value>,
    pub(super) nullable: bool,
    /// The name of the component schema that was referred to.
    pub(super) component: Option<String>,
}

impl Node {
    /// Resolves references, merges `allOf`, and uses the first branch of `anyOf` or `oneOf` that isn't null.
    pub(super) fn resolve(document: &Value, schema: &Value) -> Self {
        Self::resolve_within(document, schema, MAX_CHAIN_LENGTH)
    }

    fn resolve_within(document: &Value, schema: &Value, left: usize) -> Self {
        let mut members = schema.as_object().cloned().unwrap_or_default();
        let Some(left) = left.checked_sub(1) else { return Self { members, ..Self::default() } };
        let mut base = Self::default();
        if let Some(Value::String(at)) = members.shift_remove("$ref") {
            let target = at.strip_prefix('#').and_then(|at| document.pointer(at)).unwrap_or(&Value::Null);
            base = Self::resolve_within(document, target, left);
            base.component = at.rsplit('/').next().map(str::to_owned);
        }
        if let Some(Value::Array(parts)) = members.shift_remove("allOf") {
            for part in &parts {
                base.overlay(Self::resolve_within(document, part, left));
            }
        }
        for name in ["anyOf", "oneOf"] {
            let Some(Value::Array(branches)) = members.shift_remove(name) else { continue };
            let is_null = |branch: &&Value| branch["type"] == "null";
            let nullable = branches.iter().any(|branch| is_null(&branch));
            if let Some(branch) = branches.iter().find(|branch| !is_null(branch)) {
                base.overlay(Self::resolve_within(document, branch, left));
                base.nullable |= nullable;
            }
        }
        base.overlay(Self { members, ..Self::default() }.with_plain_type());
        base
    }

    /// Converts a type such as `["string", "null"]` to a nullable string.
    fn with_plain_type(mut self) -> Self {
        if let Some(Value::Array(types)) = self.members.get("type") {
            self.nullable = types.iter().any(|name| name == "null");
            let plain = types.iter().find(|name| *name != "null").cloned().unwrap_or_default();
            self.members.insert("type".to_owned(), plain);
        }
        self
    }

    /// Merges another node into this one. Its members take precedence.
    fn overlay(&mut self, over: Self) {
        if over.members.contains_key("type") {
            self.nullable = over.nullable;
        }
        self.component = self.component.take().or(over.component);
        for (name, value) in over.members {
            let merged = match (name.as_str(), self.members.shift_remove(&name), value) {
                ("properties", Some(Value::Object(mut known)), Value::Object(more)) => {
                    for (name, property) in more {
                        let both = known.get(&name).map(|known| json!({ "allOf": [known, property] }));
                        known.insert(name, both.unwrap_or(property));
                    }
                    Value::Object(known)
                }
                ("required", Some(Value::Array(known)), Value::Array(more)) => known.into_iter().chain(more).collect(),
                (_, _, value) => value,
            };
            self.members.insert(name, merged);
        }
    }

    pub(super) fn get_text(&self, name: &str) -> &str {
        self.members.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the name and schema of each allowed member, and whether it is required.
    pub(super) fn properties(&self) -> Vec<(&str, &Value, bool)> {
        let required = self.members.get("required").and_then(Value::as_array);
        let barred = self.members.get("not").and_then(|not| not["required"].as_array());
        let within =
            |list: Option<&Vec<Value>>, name: &str| list.is_some_and(|list| list.iter().any(|one| one == name));
        let properties = self.members.get("properties").and_then(Value::as_object).into_iter().flatten();
        let allowed = properties.filter(|(name, _)| !within(barred, name));
        allowed.map(|(name, schema)| (name.as_str(), schema, within(required, name))).collect()
    }

    /// Returns whether the members are those of a time span, as the contract's reader does.
    pub(super) fn is_time_span(&self) -> bool {
        let has = |name| self.members.get("properties").is_some_and(|properties| properties.get(name).is_some());
        has("ticks") && has("totalSeconds")
    }

    /// Returns the type of the values in the page's language.
    pub(super) fn type_text(&self, page: &PageBuilder) -> String {
        page.html_text(self.type_key())
    }

    /// Returns the key of the text for the type.
    fn type_key(&self) -> &'static str {
        match (self.get_text("type"), self.get_text("format")) {
            ("string", "date-time" | "iso-date-time") => "type.date_time",
            ("string", "duration-hms") => "type.duration",
            ("integer", _) => "type.integer",
            ("number", _) => "type.number",
            ("boolean", _) => "type.boolean",
            ("array", _) => "type.list",
            ("object", _) if self.is_time_span() => "type.time_span",
            ("object", _) => "type.object",
            _ => "type.text",
        }
    }
}

/// The text keys of the columns in a table of members.
pub(super) const MEMBER_COLUMNS: [&str; 6] =
    ["field.member", "field.type", "field.required", "field.rules", "field.name", "field.source"];

/// Returns a table row for each member. Nested members follow their parent.
pub(super) fn member_rows(document: &Value, schema: &Value, page: &PageBuilder) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    collect_rows(document, &Node::resolve(document, schema), "", 0, page, &mut rows);
    rows
}

fn collect_rows(
    document: &Value,
    node: &Node,
    prefix: &str,
    depth: usize,
    page: &PageBuilder,
    rows: &mut Vec<Vec<String>>,
) {
    if depth > MAX_DEPTH {
        return;
    }
    if node.get_text("type") == "array" {
        let part = Node::resolve(document, node.members.get("items").unwrap_or(&Value::Null));
        return collect_rows(document, &part, &format!("{prefix}[]"), depth, page, rows);
    }
    for (name, schema, required) in node.properties() {
        if rows.len() >= MAX_ROWS {
            return;
        }
        let member = Node::resolve(document, schema);
        let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        rows.push(member_row(&path, depth, &member, required, page));
        if !member.is_time_span() {
            collect_rows(document, &member, &path, depth + 1, page, rows);
        }
    }
}

fn member_row(path: &str, depth: usize, member: &Node, required: bool, page: &PageBuilder) -> Vec<String> {
    let mut kind = member.type_text(page);
    if member.nullable {
        kind = format!("{kind} {}", page.html_text("type.or_null"));
    }
    let node_value = Value::Object(member.members.clone());
    let name = page.name_of(&node_value);
    let description = format_english(member.get_text("description"));
    let description = if name.is_empty() || description.is_empty() {
        format!("{name}{description}")
    } else {
        format!("{name}<br>{description}")
    };
    vec![
        format!("<span class=\"in{}\">{}</span>", depth.min(3), format_code(path)),
        kind,
        page.html_text(if required { "field.yes" } else { "field.no" }),
        describe_rules(member, page),
        description,
        format_node_mark(page, &node_value, false),
    ]
}

/// Describes the rules for a value in the page's language.
pub(super) fn describe_rules(node: &Node, page: &PageBuilder) -> String {
    const BOUNDS: [(&str, &str); 5] = [
        ("exclusiveMinimum", "rule.above"),
        ("minimum", "rule.least"),
        ("maximum", "rule.most"),
        ("maxLength", "rule.longest"),
        ("const", "rule.always"),
    ];
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // Bounds at the end of the 64-bit range only reflect the number's format, so readers don't need them.
    let is_informative = |value: &&Value| value.as_f64().is_none_or(|bound| bound.abs() < 9_223_372_036_854_775_807.0);
    let bound = |(name, key): &(&str, &str)| {
        Some(page.html_text_with(key, &plain(node.members.get(*name).filter(is_informative)?)))
    };
    let mut rules: Vec<String> = BOUNDS.iter().filter_map(bound).collect();
    if node.members.get("minLength").and_then(Value::as_u64).is_some_and(|least| least > 0) {
        rules.push(page.html_text("rule.filled"));
    }
    if let Some(values) = node.members.get("enum").and_then(Value::as_array) {
        rules.push(page.html_text_with("rule.one_of", &values.iter().map(plain).collect::<Vec<_>>().join(", ")));
    }
    match (node.get_text("format"), node.get_text("pattern")) {
        ("duration-hms", _) => rules.push(page.html_text("rule.duration")),
        ("iso-date-time", _) | (_, "") => {}
        (_, pattern) => rules.push(format!("{} {}", page.html_text("rule.pattern"), format_code(pattern))),
    }
    if let Some(default_value) = node.members.get("default") {
        rules.push(page.html_text_with("rule.usual", &plain(default_value)));
    }
    rules.join(", ")
}
