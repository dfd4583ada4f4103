//! Reads the specification as canonical statements.

use std::collections::BTreeSet;

use super::markdown::{Member, find_section, parse_first_table, parse_members, parse_tables};

/// The components for phrases in the specification.
const COMPONENTS: [(&str, &str); 9] = [
    ("time span object", "TimeSpan"),
    ("process of a template", "TemplateProcess"),
    ("template-process link", "TemplateProcessLink"),
    ("batch delete result item", "TemplateProcessLinkResult"),
    ("work order entry", "WorkOrderEntry"),
    ("raw material", "RawMaterial"),
    ("property", "Property"),
    ("production alert object", "ProductionAlert"),
    ("material supply", "MaterialSupply"),
];
/// The components that the specification describes in braces, by the member with the braces.
const NESTED: [(&str, &str); 2] =
    [("ProducedQuantityHistory", "ProducedQuantity"), ("ConsumedRawMaterials", "ConsumedRawMaterial")];

pub(crate) fn read_statements(text: &str) -> BTreeSet<String> {
    let mut specified = MarkdownStatements(BTreeSet::new());
    specified.read_areas(text);
    specified.read_resources(text);
    specified.read_specified_operations(text);
    specified.read_other_operations(text);
    specified.read_authentication(text);
    specified.read_events(text);
    specified.read_errors(text);
    specified.read_limits(text);
    specified.0
}

struct MarkdownStatements(BTreeSet<String>);

impl MarkdownStatements {
    fn add(&mut self, statement: String) {
        self.0.insert(statement);
    }

    fn read_areas(&mut self, text: &str) {
        for row in parse_first_table(text, "What the service does") {
            self.add(format!("area|{}|{}", row[0], row[1]));
        }
    }

    fn read_resources(&mut self, text: &str) {
        for (heading, component) in [
            ("Time span object", "TimeSpan"),
            ("Process of a template (item of `inspectionsProcesses`)", "TemplateProcess"),
            ("Template-process link (item in batch delete)", "TemplateProcessLink"),
            ("Work order entry (inside event payloads)", "WorkOrderEntry"),
            ("Common payload envelope", "Event"),
        ] {
            for row in parse_first_table(text, heading) {
                self.read_row(component, &row);
            }
        }
        let result = find_section(text, "Batch delete result item").join(" ");
        if let Some((_, plus)) = result.split_once("Same three fields as the link, plus ") {
            for row in parse_first_table(text, "Template-process link (item in batch delete)") {
                self.read_row("TemplateProcessLinkResult", &row);
            }
            self.read_sentence("TemplateProcessLinkResult", plus);
        }
        for line in find_section(text, "Work order entry (inside event payloads)") {
            if let Some(sentence) = line.strip_prefix("Raw material: ") {
                self.read_sentence("RawMaterial", sentence);
            } else if let Some(sentence) = line.strip_prefix("Property: ") {
                self.read_sentence("Property", sentence);
            }
        }
        self.read_sentence("ProductionAlert", &find_section(text, "Production alert (inside event payload)").join(" "));
        self.read_sentence("MaterialSupply", &find_section(text, "Material supply (inside event payload)").join(" "));
    }

    /// Reads a table row with names, their type, and a note.
    fn read_row(&mut self, component: &str, row: &[&str]) {
        let (phrase, exception) = row[1].split_once("; ").unwrap_or((row[1], ""));
        let (phrase, remark) = match phrase.split_once(" (") {
            Some((kind, remark)) if remark != "integer)" => (kind, Some(remark.trim_end_matches(')'))),
            _ => (phrase, None),
        };
        let note = row.get(2).copied().filter(|note| !note.is_empty() && *note != "see below").or(remark);
        for name in row[0].split(", ") {
            let null = if exception == format!("{name} may be null") { " or null" } else { "" };
            let member =
                Member { name: name.to_owned(), phrase: format!("{phrase}{null}"), note: note.map(str::to_owned) };
            self.read_member("field", component, &member);
        }
    }

    fn read_sentence(&mut self, component: &str, sentence: &str) {
        for member in parse_members(sentence) {
            self.read_member("field", component, &member);
        }
    }

    fn read_member(&mut self, kind: &str, owner: &str, member: &Member) {
        let name = &member.name;
        let braces = member.phrase.strip_prefix("array of {").and_then(|rest| rest.split_once('}'));
        let Some((inside, _)) = braces else {
            self.add(format!("{kind}|{owner}.{name}|{}", short_type(&member.phrase)));
            if let Some(note) = &member.note {
                self.add(format!("note|{owner}.{name}|{note}"));
            }
            return;
        };
        let nested = NESTED.iter().find(|(member, _)| member == name).map_or("?", |(_, component)| component);
        self.add(format!("{kind}|{owner}.{name}|[{nested}]"));
        for part in inside.replace('`', "").split(", ") {
            let (name, phrase) = part.split_once(' ').unwrap_or((part, ""));
            self.add(format!("field|{nested}.{name}|{}", short_type(phrase)));
        }
    }

    fn read_specified_operations(&mut self, text: &str) {
        for purpose in ["Get processes of a template", "Delete template-process links in batch"] {
            let number = if purpose.starts_with("Get") { 1 } else { 2 };
            for row in parse_first_table(text, &format!("{number}. {purpose}")) {
                let (item, value) = (row[0], row[1]);
                if let ("Response body", Some(list)) = (item, value.strip_prefix("object: ")) {
                    self.read_sentence("TemplateProcessLinkBatchAnswer", list);
                    self.add(format!("item|{purpose}|{item}|{{TemplateProcessLinkBatchAnswer}}"));
                } else {
                    self.add(format!("item|{purpose}|{item}|{}", item_value(value)));
                }
            }
        }
        if find_section(text, "3. GraphQL").join(" ").starts_with("`POST /graphql` exists (work order query)") {
            self.add("graphql|POST /graphql".to_owned());
        }
    }

    fn read_other_operations(&mut self, text: &str) {
        for row in parse_first_table(text, "Other operations") {
            self.add(format!("operation|{}|{}|{}", row[0], row[1], row[2]));
        }
    }

    fn read_authentication(&mut self, text: &str) {
        let lines = find_section(text, "Authentication");
        for row in parse_tables(&lines).into_iter().next().unwrap_or_default() {
            let quoted = row[1].split(" (").next().unwrap_or_default().split('`').skip(1).step_by(2);
            match row[0] {
                "Scopes" => quoted.for_each(|scope| self.add(format!("auth|scope|{scope}"))),
                "Client credentials" => quoted.for_each(|value| self.add(format!("auth|credential|{value}"))),
                item => self.add(format!("auth|{item}|{}", row[1].replace('`', ""))),
            }
        }
        let flow = |number: &str| lines.iter().find(|line| line.starts_with(number)).copied().unwrap_or_default();
        let plain = flow("1.").replace('`', "").replace(" (the scopes above, space-separated)", "");
        let list = plain.split_once("query parameters: ").and_then(|(_, rest)| rest.split_once(". "));
        self.read_parameters("authorize", list.map_or("", |(list, _)| list));
        let plain = flow("2.").replace('`', "");
        let (front, list) =
            plain.split_once("; form fields: ").or_else(|| plain.split_once(", form fields: ")).unwrap_or_default();
        self.read_parameters("token", list.trim_end_matches('.'));
        self.add(format!("auth|token content|{}", front.split_once("Content-Type: ").map_or("", |(_, kind)| kind)));
        let header = flow("3.").split('`').nth(1).unwrap_or_default();
        self.add(format!("auth|header|{header}"));
    }

    /// Reads the parameters of a request. Values that depend on the site are omitted.
    fn read_parameters(&mut self, request: &str, list: &str) {
        for parameter in list.split(", ") {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = if value.starts_with('<') { "" } else { value };
            self.add(format!("auth|{request}|{name}|{value}"));
        }
    }

    fn read_events(&mut self, text: &str) {
        for row in parse_first_table(text, "Events") {
            self.add(format!("event|{}|{}|{}|{}", row[0], row[1], row[2], row[3]));
        }
    }

    fn read_errors(&mut self, text: &str) {
        let lines = find_section(text, "Errors");
        for row in parse_tables(&lines).into_iter().next().unwrap_or_default() {
            let (status, meaning) = (row[0], row[1]);
            self.add(format!("status|{status}|{meaning}"));
            let inside = row[2].strip_prefix("`{ ").and_then(|shape| shape.strip_suffix(" }`")).unwrap_or_default();
            for part in inside.replace("[string, ...]", "array of strings").split(", ").filter(|part| !part.is_empty())
            {
                let (name, phrase) = part.split_once(": ").unwrap_or((part, ""));
                self.add(format!("body|{status}.{name}|{}", short_type(phrase)));
            }
        }
        let standard = lines.iter().find_map(|line| line.strip_prefix("Standard error body (500): "));
        for member in parse_members(standard.unwrap_or_default()) {
            self.read_member("body", "500", &member);
        }
    }

    fn read_limits(&mut self, text: &str) {
        let mut tables = parse_tables(&find_section(text, "Limits")).into_iter();
        for row in tables.next().unwrap_or_default() {
            self.add(format!("header|{}|{}", row[0], row[1]));
        }
        for row in tables.next().unwrap_or_default() {
            self.add(format!("page|{}|{}|{}", row[0], row[1], row[2]));
        }
    }
}

/// Returns the short form of a type, for example `string`, `date-time?`, `[RawMaterial]`, `{TimeSpan}`. Unknown phrases
/// are returned unchanged.
fn short_type(phrase: &str) -> String {
    let bare = phrase.trim().strip_suffix(", or null").or_else(|| phrase.trim().strip_suffix(" or null"));
    if let Some(bare) = bare {
        return format!("{}?", short_type(bare));
    }
    let component = |words: &str| COMPONENTS.iter().find(|(name, _)| *name == words).map(|(_, component)| *component);
    match phrase.trim() {
        "number (integer)" => "integer".to_owned(),
        "(boolean)" => "boolean".to_owned(),
        "duration string" => "duration".to_owned(),
        "ISO 8601 date-time string" | "ISO 8601 date-time strings" => "date-time".to_owned(),
        "string, ISO 8601 date-time, or empty string" => "date-time or empty".to_owned(),
        "array of strings" => "[string]".to_owned(),
        words => match (words.strip_prefix("array of "), component(words)) {
            (Some(part), _) => format!("[{}]", component(part).unwrap_or(part)),
            (None, Some(component)) => format!("{{{component}}}"),
            (None, None) => words.to_owned(),
        },
    }
}

/// Returns the short form of a value in the table of a fully specified operation.
fn item_value(value: &str) -> String {
    let value = value.trim_end_matches(" (see Resources)").trim_end_matches(" (see Errors)");
    match value {
        "validation error body" => return "{ErrorsBody}".to_owned(),
        "internal error body" => return "{InternalErrorBody}".to_owned(),
        _ => {}
    }
    let object = value.trim_start_matches("JSON ").strip_prefix("object with ");
    match object.and_then(|member| member.split_once(": ")) {
        Some((name, phrase)) => format!("{} {}", name.trim_matches('`'), short_type(phrase)),
        None => value.replace(['`', '(', ')'], ""),
    }
}
