//! One page per operation, written from the contract in force: what its columns or rows hold, by which filters it is read, which rules hold.

use takt_contract::{Contract, Field, FieldKind, Operation, OperationKind, Parameter, ProvenanceLevel, Rule, Shape};
use takt_core::Language;

use crate::words::HelpWords;

/// The assumption about items that are sent twice.
const REPEAT: &str = "repeat";
/// Texts where it is known, where it is assumed, and where an item that comes again does more.
const UPDATES: [&str; 3] = ["opening.updates", "opening.updates-assumed", "opening.repeats"];
const KEY: [&str; 3] = ["key", "key.assumed", "key.repeats"];

/// The page of an operation as Markdown.
pub(crate) fn operation_text(contract: &Contract, operation: &Operation, language: Language) -> String {
    let words = HelpWords::load(language);
    let page = OperationText { contract, operation, language, words: &words };
    let parts = [page.opening(), page.sent(), page.rules(), page.filters(), page.shown(), page.technical()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n") + "\n"
}

struct OperationText<'a> {
    contract: &'a Contract,
    operation: &'a Operation,
    language: Language,
    words: &'a HelpWords,
}

impl OperationText<'_> {
    fn opening(&self) -> String {
        let Self { operation, language, words, .. } = self;
        let title = format!("# {}", cell(language.named(&operation.names)));
        let sentence = words.text(match operation.kind {
            OperationKind::Read | OperationKind::Query => "opening.read",
            OperationKind::Sync => "opening.sync",
            OperationKind::Delete => "opening.delete",
        });
        let sends = operation.kind == OperationKind::Sync;
        let also = sends.then(|| words.text(self.by_repetition(UPDATES))).map(|also| format!(" {also}"));
        format!("{title}\n\n{sentence}{}", also.unwrap_or_default())
    }

    /// The text of a sync by what becomes of an item that comes again, and by who says so.
    fn by_repetition(&self, [specified, assumed, repeats]: [&'static str; 3]) -> &'static str {
        let said = self.contract.assumptions().iter().find(|assumption| assumption.id == REPEAT);
        match said.map(|assumption| assumption.provenance.level) {
            _ if !self.operation.is_repeatable => repeats,
            Some(ProvenanceLevel::Assumed) => assumed,
            Some(_) | None => specified,
        }
    }

    fn sent(&self) -> String {
        let Some(shape) = &self.operation.request else { return String::new() };
        let mut text = format!("## {}\n\n{}", self.words.text("columns"), self.field_table(shape, true));
        let key: Vec<String> =
            self.operation.key.iter().map(|path| format!("**{}**", self.named(shape, path))).collect();
        if !key.is_empty() {
            let is_delete = self.operation.kind == OperationKind::Delete;
            let sentence = if is_delete { "keyOfDelete" } else { self.by_repetition(KEY) };
            text += &format!("\n\n{}", self.words.filled(sentence, &[("fields", &key.join(", "))]));
        }
        text
    }

    fn rules(&self) -> String {
        let Some(shape) = self.operation.request.as_ref().filter(|shape| !shape.rules.is_empty()) else {
            return String::new();
        };
        let lines = shape.rules.iter().map(|rule| {
            let Rule::Before { first, second, .. } = rule;
            let places = [("first", self.named(shape, first)), ("second", self.named(shape, second))];
            format!(
                "- {}",
                self.words.filled("rule.before", &places.each_ref().map(|(name, value)| (*name, value.as_str())))
            )
        });
        format!("## {}\n\n{}", self.words.text("rules"), lines.collect::<Vec<_>>().join("\n"))
    }

    fn filters(&self) -> String {
        if self.operation.parameters.is_empty() {
            return String::new();
        }
        let head = self.head(&["filter", "holds", "required"]);
        let row = |one: &Parameter| {
            let name = cell(self.language.named(&one.names));
            format!("| {name} | {} | {} |", self.kind(one.kind), self.yes(one.required))
        };
        let rows: Vec<String> = self.operation.parameters.iter().map(row).collect();
        format!("## {}\n\n{head}\n{}", self.words.text("filters"), rows.join("\n"))
    }

    fn shown(&self) -> String {
        let Some(shape) = self.operation.answer.as_ref().filter(|_| self.operation.kind == OperationKind::Read) else {
            return String::new();
        };
        format!("## {}\n\n{}", self.words.text("shown"), self.field_table(shape, false))
    }

    /// For who connects another program: names on the wire, and who says so.
    fn technical(&self) -> String {
        let operation = self.operation;
        let mut lines = vec![
            format!("- `{} {}`", operation.method, operation.path),
            format!("- `{}`", operation.id),
            format!("- {}", self.says(operation.provenance.level)),
        ];
        if operation.batch_size > 0 {
            lines.push(format!("- {}", self.words.filled("batch", &[("count", &operation.batch_size.to_string())])));
        }
        let shape = operation.request.as_ref().or(operation.answer.as_ref());
        let fields = shape.map(Shape::flat).unwrap_or_default();
        let mut text = format!("## {}\n\n{}", self.words.text("technical"), lines.join("\n"));
        if !fields.is_empty() {
            let rows: Vec<String> = fields
                .iter()
                .map(|(path, field)| {
                    let wire = field.wire.as_deref().unwrap_or(path);
                    format!(
                        "| {} | `{}` | {} |",
                        cell(self.language.named(&field.names)),
                        wire.replace('|', "\\|"),
                        self.says(field.provenance.level)
                    )
                })
                .collect();
            text += &format!("\n\n{}\n{}", self.head(&["field", "member", "source"]), rows.join("\n"));
        }
        text
    }

    fn field_table(&self, shape: &Shape, sent: bool) -> String {
        let head =
            if sent { self.head(&["field", "holds", "required", "example"]) } else { self.head(&["field", "holds"]) };
        let rows: Vec<String> = shape
            .flat()
            .into_iter()
            // A list itself holds nothing; its parts follow it.
            .filter(|(_, field)| !matches!(field.kind, FieldKind::List | FieldKind::Object))
            .map(|(path, field)| {
                let name = self.named(shape, &path);
                let holds = self.holds(field);
                if !sent {
                    return format!("| {name} | {holds} |");
                }
                let example = field.example.as_deref().map_or_else(String::new, |value| format!("`{}`", cell(value)));
                format!("| {name} | {holds} | {} | {example} |", self.yes(field.required))
            })
            .collect();
        format!("{head}\n{}", rows.join("\n"))
    }

    fn head(&self, keys: &[&str]) -> String {
        let names: Vec<&str> = keys.iter().map(|key| self.words.text(key)).collect();
        format!("| {} |\n|{}", names.join(" | "), "---|".repeat(keys.len()))
    }

    /// What a cell may hold: the kind, the bounds, the allowed values, and the list that must know it.
    fn holds(&self, field: &Field) -> String {
        let limits = &field.limits;
        let mut said = vec![self.kind(field.kind).to_owned()];
        let mut bound = |key: &str, value: String| said.push(self.words.filled(key, &[("value", &value)]));
        if let Some(minimum) = limits.minimum {
            bound("limit.minimum", minimum.to_string());
        }
        if let Some(minimum) = limits.exclusive_minimum {
            bound("limit.above", minimum.to_string());
        }
        if let Some(maximum) = limits.maximum {
            bound("limit.maximum", maximum.to_string());
        }
        if let Some(length) = limits.max_length {
            bound("limit.length", length.to_string());
        }
        if !limits.values.is_empty() {
            bound("limit.values", limits.values.iter().map(|value| cell(value)).collect::<Vec<_>>().join(", "));
        }
        let list = field.refers_to.as_ref().and_then(|refers| refers.list.as_deref());
        if let Some(list) = list.and_then(|id| self.contract.operation(id)) {
            bound("limit.refers", cell(self.language.named(&list.names)));
        }
        said.join("; ")
    }

    fn kind(&self, kind: FieldKind) -> &str {
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

    fn says(&self, level: ProvenanceLevel) -> &str {
        self.words.text(match level {
            ProvenanceLevel::Specified => "source.specified",
            ProvenanceLevel::Assumed => "source.assumed",
            ProvenanceLevel::Observed => "source.observed",
            ProvenanceLevel::Site => "source.site",
        })
    }

    fn yes(&self, required: bool) -> &str {
        if required { self.words.text("yes") } else { "" }
    }

    /// The field's name behind those of what carries it: `Raw materials: Code`.
    fn named(&self, shape: &Shape, path: &str) -> String {
        let mut fields = &shape.fields;
        let mut names = Vec::new();
        for part in path.split('.') {
            let Some(field) = fields.iter().find(|field| field.name == part) else { return cell(path) };
            names.push(cell(self.language.named(&field.names)));
            fields = &field.fields;
        }
        names.join(": ")
    }
}

/// A site's own words can't break a table or become markup.
fn cell(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '|' | '<' | '[' | ']' | '*' | '_' | '`' | '\\' | '&' | '#' => shown.extend(['\\', letter]),
            '\r' | '\n' => shown.push(' '),
            other => shown.push(other),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use takt_contract::{Contract, OperationKind};
    use takt_core::Language;

    use super::{cell, operation_text};

    #[test]
    fn every_field_that_can_be_sent_stands_on_its_page_in_every_language() {
        let contract = Contract::builtin().expect("the built-in contract");
        for language in Language::ALL {
            for operation in contract.operations().iter().filter(|operation| operation.kind == OperationKind::Sync) {
                let text = operation_text(&contract, operation, language);
                let shape = operation.request.as_ref().expect("what is sent");
                for (_, field) in shape.flat() {
                    let name = language.named(&field.names);
                    assert!(text.contains(&cell(name)), "{name} of {} in {language:?}:\n{text}", operation.id);
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
        assert_eq!(cell("a|b<script>\n[x](y)"), "a\\|b\\<script> \\[x\\](y)");
    }
}
