//! Generates a page per operation from the contract in force: the fields of its columns or rows, its filters and its
//! rules.

use takt_contract::{
    Contract, Field, FieldKind, Operation, OperationKind, Parameter, ProvenanceLevel, RowSchema, Rule,
};
use takt_core::Language;

use crate::words::HelpWords;

/// The ID of the assumption about items that are sent twice.
const REPEAT_ASSUMPTION: &str = "repeat";
/// Keys of the texts about repeated items: for specified behavior, for assumed behavior, and for items that are
/// created again.
const UPDATE_TEXTS: [&str; 3] = ["opening.updates", "opening.updates-assumed", "opening.repeats"];
const KEY_TEXTS: [&str; 3] = ["key", "key.assumed", "key.repeats"];

/// Returns the page of an operation as Markdown.
pub(crate) fn operation_text(contract: &Contract, operation: &Operation, language: Language) -> String {
    let words = HelpWords::load(language);
    let page = OperationText { contract, operation, language, words: &words };
    let parts = [
        page.opening_section(),
        page.columns_section(),
        page.rules_section(),
        page.filters_section(),
        page.result_section(),
        page.technical_section(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n") + "\n"
}

struct OperationText<'a> {
    contract: &'a Contract,
    operation: &'a Operation,
    language: Language,
    words: &'a HelpWords,
}

impl OperationText<'_> {
    fn opening_section(&self) -> String {
        let Self { operation, language, words, .. } = self;
        let title = format!("# {}", escape_cell(language.localized_name(&operation.names)));
        let sentence = words.text(match operation.kind {
            OperationKind::Read | OperationKind::Query => "opening.read",
            OperationKind::Sync => "opening.sync",
            OperationKind::Delete => "opening.delete",
        });
        let is_sync = operation.kind == OperationKind::Sync;
        let also = is_sync.then(|| format!(" {}", words.text(self.repetition_text(UPDATE_TEXTS))));
        format!("{title}\n\n{sentence}{}", also.unwrap_or_default())
    }

    /// Chooses the text of a sync by the effect of a repeated item and by its provenance.
    fn repetition_text(&self, [specified, assumed, repeats]: [&'static str; 3]) -> &'static str {
        let repeat_assumption =
            self.contract.assumptions().iter().find(|assumption| assumption.id == REPEAT_ASSUMPTION);
        match repeat_assumption.map(|assumption| assumption.provenance.level) {
            _ if !self.operation.is_repeatable => repeats,
            Some(ProvenanceLevel::Assumed) => assumed,
            Some(_) | None => specified,
        }
    }

    fn columns_section(&self) -> String {
        let Some(shape) = &self.operation.request else { return String::new() };
        let mut text = format!("## {}\n\n{}", self.words.text("columns"), self.field_table(shape, true));
        let key: Vec<String> =
            self.operation.key.iter().map(|path| format!("**{}**", self.field_name(shape, path))).collect();
        if !key.is_empty() {
            let is_delete = self.operation.kind == OperationKind::Delete;
            let sentence = if is_delete { "keyOfDelete" } else { self.repetition_text(KEY_TEXTS) };
            text += &format!("\n\n{}", self.words.fill_placeholders(sentence, &[("fields", &key.join(", "))]));
        }
        text
    }

    fn rules_section(&self) -> String {
        let Some(shape) = self.operation.request.as_ref().filter(|shape| !shape.rules.is_empty()) else {
            return String::new();
        };
        let lines = shape.rules.iter().map(|rule| {
            let Rule::Before { first, second, .. } = rule;
            let placeholders = [("first", self.field_name(shape, first)), ("second", self.field_name(shape, second))];
            format!(
                "- {}",
                self.words.fill_placeholders(
                    "rule.before",
                    &placeholders.each_ref().map(|(name, value)| (*name, value.as_str()))
                )
            )
        });
        format!("## {}\n\n{}", self.words.text("rules"), lines.collect::<Vec<_>>().join("\n"))
    }

    fn filters_section(&self) -> String {
        if self.operation.parameters.is_empty() {
            return String::new();
        }
        let head = self.table_header(&["filter", "holds", "required"]);
        let row = |one: &Parameter| {
            let name = escape_cell(self.language.localized_name(&one.names));
            format!("| {name} | {} | {} |", self.kind_name(one.kind), self.required_text(one.required))
        };
        let rows: Vec<String> = self.operation.parameters.iter().map(row).collect();
        format!("## {}\n\n{head}\n{}", self.words.text("filters"), rows.join("\n"))
    }

    fn result_section(&self) -> String {
        let Some(shape) = self.operation.answer.as_ref().filter(|_| self.operation.kind == OperationKind::Read) else {
            return String::new();
        };
        format!("## {}\n\n{}", self.words.text("shown"), self.field_table(shape, false))
    }

    /// Returns the section for integrators: names in requests, with their provenance.
    fn technical_section(&self) -> String {
        let operation = self.operation;
        let mut lines = vec![
            format!("- `{} {}`", operation.method, operation.path),
            format!("- `{}`", operation.id),
            format!("- {}", self.provenance_text(operation.provenance.level)),
        ];
        if operation.batch_size > 0 {
            lines.push(format!(
                "- {}",
                self.words.fill_placeholders("batch", &[("count", &operation.batch_size.to_string())])
            ));
        }
        let shape = operation.request.as_ref().or(operation.answer.as_ref());
        let fields = shape.map(RowSchema::fields_with_paths).unwrap_or_default();
        let mut text = format!("## {}\n\n{}", self.words.text("technical"), lines.join("\n"));
        if !fields.is_empty() {
            let rows: Vec<String> = fields
                .iter()
                .map(|(path, field)| {
                    let wire = field.wire.as_deref().unwrap_or(path);
                    format!(
                        "| {} | `{}` | {} |",
                        escape_cell(self.language.localized_name(&field.names)),
                        wire.replace('|', "\\|"),
                        self.provenance_text(field.provenance.level)
                    )
                })
                .collect();
            text += &format!("\n\n{}\n{}", self.table_header(&["field", "member", "source"]), rows.join("\n"));
        }
        text
    }

    fn field_table(&self, shape: &RowSchema, sent: bool) -> String {
        let head = if sent {
            self.table_header(&["field", "holds", "required", "example"])
        } else {
            self.table_header(&["field", "holds"])
        };
        let rows: Vec<String> = shape
            .fields_with_paths()
            .into_iter()
            // A list has no value. Its parts follow it.
            .filter(|(_, field)| !matches!(field.kind, FieldKind::List | FieldKind::Object))
            .map(|(path, field)| {
                let name = self.field_name(shape, &path);
                let holds = self.describe_values(field);
                if !sent {
                    return format!("| {name} | {holds} |");
                }
                let example =
                    field.example.as_deref().map_or_else(String::new, |value| format!("`{}`", escape_cell(value)));
                format!("| {name} | {holds} | {} | {example} |", self.required_text(field.required))
            })
            .collect();
        format!("{head}\n{}", rows.join("\n"))
    }

    fn table_header(&self, keys: &[&str]) -> String {
        let names: Vec<&str> = keys.iter().map(|key| self.words.text(key)).collect();
        format!("| {} |\n|{}", names.join(" | "), "---|".repeat(keys.len()))
    }

    /// Describes the values of a field: the kind, the limits, the allowed values, and the list it refers to.
    fn describe_values(&self, field: &Field) -> String {
        let limits = &field.limits;
        let mut parts = vec![self.kind_name(field.kind).to_owned()];
        let mut add_limit =
            |key: &str, value: String| parts.push(self.words.fill_placeholders(key, &[("value", &value)]));
        if let Some(minimum) = limits.minimum {
            add_limit("limit.minimum", minimum.to_string());
        }
        if let Some(minimum) = limits.exclusive_minimum {
            add_limit("limit.above", minimum.to_string());
        }
        if let Some(maximum) = limits.maximum {
            add_limit("limit.maximum", maximum.to_string());
        }
        if let Some(length) = limits.max_length {
            add_limit("limit.length", length.to_string());
        }
        if !limits.values.is_empty() {
            add_limit(
                "limit.values",
                limits.values.iter().map(|value| escape_cell(value)).collect::<Vec<_>>().join(", "),
            );
        }
        let list = field.refers_to.as_ref().and_then(|refers| refers.list.as_deref());
        if let Some(list) = list.and_then(|id| self.contract.operation(id)) {
            add_limit("limit.refers", escape_cell(self.language.localized_name(&list.names)));
        }
        parts.join("; ")
    }

    fn kind_name(&self, kind: FieldKind) -> &str {
        self.words.text(match kind {
            FieldKind::Text => "kind.text",
            FieldKind::Integer => "kind.integer",
            FieldKind::Number => "kind.number",
            FieldKind::Boolean => "kind.boolean",
            FieldKind::DateTime => "kind.date-time",
            FieldKind::Duration | FieldKind::TimeSpan => "kind.duration",
            FieldKind::List => "kind.list",
            FieldKind::Object => "kind.object",
        })
    }

    fn provenance_text(&self, level: ProvenanceLevel) -> &str {
        self.words.text(match level {
            ProvenanceLevel::Specified => "source.specified",
            ProvenanceLevel::Assumed => "source.assumed",
            ProvenanceLevel::Observed => "source.observed",
            ProvenanceLevel::Site => "source.site",
        })
    }

    fn required_text(&self, required: bool) -> &str {
        if required { self.words.text("yes") } else { "" }
    }

    /// Returns the field's name after its parents' names: `Raw materials: Code`.
    fn field_name(&self, shape: &RowSchema, path: &str) -> String {
        let mut fields = &shape.fields;
        let mut names = Vec::new();
        for part in path.split('.') {
            let Some(field) = fields.iter().find(|field| field.name == part) else { return escape_cell(path) };
            names.push(escape_cell(self.language.localized_name(&field.names)));
            fields = &field.fields;
        }
        names.join(": ")
    }
}

/// Escapes a site's text, so that it can't break a table or become markup.
fn escape_cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '|' | '<' | '[' | ']' | '*' | '_' | '`' | '\\' | '&' | '#' => escaped.extend(['\\', letter]),
            '\r' | '\n' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use takt_contract::{Contract, OperationKind};
    use takt_core::Language;

    use super::{escape_cell, operation_text};

    #[test]
    fn every_field_that_can_be_sent_stands_on_its_page_in_every_language() {
        let contract = Contract::builtin().expect("the built-in contract");
        for language in Language::ALL {
            for operation in contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
                let text = operation_text(&contract, operation, language);
                let shape = operation.request.as_ref().expect("what is sent");
                for (_, field) in shape.fields_with_paths() {
                    let name = language.localized_name(&field.names);
                    assert!(text.contains(&escape_cell(name)), "{name} of {} in {language:?}:\n{text}", operation.id);
                }
                assert!(!text.contains("{{") && !text.contains("limit."), "unfilled in {}:\n{text}", operation.id);
            }
        }
    }

    #[test]
    fn an_assumption_is_not_told_as_a_fact() {
        let contract = Contract::builtin().expect("the built-in contract");
        let text = |contract: &Contract, id: &str| {
            operation_text(contract, contract.operation(id).expect("it is there"), Language::En)
        };
        let sync = text(&contract, "stock.sync");
        assert!(
            sync.contains("Takt assumes that the service creates") && sync.contains("limit isn't specified"),
            "{sync}"
        );
        assert!(!text(&contract, "template-processes.delete").contains("updates"));
        let provenance = takt_contract::Provenance { level: super::ProvenanceLevel::Site, source: "hand".to_owned() };
        let value = serde_json::json!({ "*": true, "stock.sync": false });
        let change = takt_contract::overlay::AssumptionOverlay { id: "repeat".to_owned(), value, provenance };
        let overlay = takt_contract::overlay::Overlay { assumptions: vec![change], ..Default::default() };
        let site = contract.with_overlay(&overlay, &jiff::tz::TimeZone::UTC);
        assert!(text(&site, "stock.sync").contains("can create it twice"));
        assert!(text(&site, "materials.sync").contains("what exists already is updated"));
    }

    #[test]
    fn a_name_can_not_become_markup() {
        assert_eq!(escape_cell("a|b<script>\n[x](y)"), "a\\|b\\<script> \\[x\\](y)");
    }
}
