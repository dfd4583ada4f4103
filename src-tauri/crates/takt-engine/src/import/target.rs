//! The fields that a column can be matched with: an operation's item, flattened, with what the checks need to know.

use std::collections::BTreeMap;

use takt_contract::{Field, FieldKind, Limits, Names, Operation, ProvenanceLevel, Rule};

use super::FieldView;

/// A field that one cell can fill.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// For example `rawMaterials.code`.
    pub(super) path: String,
    /// The list that it is a part of, and its name within that part.
    pub(super) part_of: Option<(String, String)>,
    pub(super) kind: FieldKind,
    pub(super) required: bool,
    pub(super) limits: Limits,
    pub(super) key: bool,
    pub(super) names: Names,
    pub(super) list_names: Option<Names>,
    pub(super) synonyms: Vec<String>,
    provenance: ProvenanceLevel,
}

/// Everything that checks need of an operation.
#[derive(Debug, Clone)]
pub(super) struct Targets {
    pub(super) operation: String,
    pub(super) fields: Vec<Target>,
    pub(super) rules: Vec<Rule>,
    pub(super) key: Vec<String>,
}

impl Targets {
    /// Absent for operations that take no items.
    pub(super) fn of(operation: &Operation) -> Option<Self> {
        let shape = operation.request.as_ref()?;
        let mut fields = Vec::new();
        for field in &shape.fields {
            match field.kind {
                FieldKind::List | FieldKind::Object => {
                    fields.extend(field.fields.iter().map(|part| Target::part(field, part)));
                }
                _ => fields.push(Target::plain(field, operation.key.contains(&field.name))),
            }
        }
        let key = operation.key.clone();
        Some(Self { operation: operation.id.clone(), fields, rules: shape.rules.clone(), key })
    }

    pub(super) fn index(&self, path: &str) -> Option<usize> {
        self.fields.iter().position(|target| target.path == path)
    }

    pub(super) fn views(&self) -> Vec<FieldView> {
        self.fields.iter().map(Target::view).collect()
    }
}

impl Target {
    fn plain(field: &Field, key: bool) -> Self {
        Self {
            path: field.name.clone(),
            part_of: None,
            kind: field.kind,
            required: field.required,
            limits: field.limits.clone(),
            key,
            names: field.names.clone(),
            list_names: None,
            synonyms: field.synonyms.clone(),
            provenance: field.provenance.level,
        }
    }

    fn part(list: &Field, part: &Field) -> Self {
        Self {
            path: format!("{}.{}", list.name, part.name),
            part_of: Some((list.name.clone(), part.name.clone())),
            key: false,
            list_names: Some(list.names.clone()),
            ..Self::plain(part, false)
        }
    }

    fn view(&self) -> FieldView {
        let full = |list: fn(&Names) -> &String, own: &String| match &self.list_names {
            Some(names) => format!("{}: {own}", list(names)),
            None => own.clone(),
        };
        let names = BTreeMap::from([
            ("en".to_owned(), full(|names| &names.en, &self.names.en)),
            ("de".to_owned(), full(|names| &names.de, &self.names.de)),
            ("es".to_owned(), full(|names| &names.es, &self.names.es)),
            ("pt".to_owned(), full(|names| &names.pt, &self.names.pt)),
        ]);
        FieldView {
            path: self.path.clone(),
            kind: kind_name(self.kind).to_owned(),
            required: self.required && self.part_of.is_none(),
            provenance: match self.provenance {
                ProvenanceLevel::Specified => "specified",
                ProvenanceLevel::Assumed => "assumed",
                ProvenanceLevel::Site => "site",
            }
            .to_owned(),
            names,
            key: self.key,
        }
    }
}

/// As the contract writes it.
fn kind_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Integer => "integer",
        FieldKind::Number => "number",
        FieldKind::Boolean => "boolean",
        FieldKind::DateTime => "date-time",
        FieldKind::Duration => "duration",
        FieldKind::TimeSpan => "time-span",
        FieldKind::List => "list",
        FieldKind::Object => "object",
    }
}
