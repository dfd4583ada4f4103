//! The fields that columns can be matched with. They're an operation's item, flattened, with the data for checks.

use jiff::tz::TimeZone;
use takt_contract::{
    Field, FieldKind, Limits, Names, Operation, ProvenanceLevel, ReferenceCheck, RefersTo, Rule, form::ValueForm,
};
use takt_sheet::CellRef;

use crate::{
    cell_value::{Format, ReadValue, read},
    invisible_characters,
};
use takt_core::{Language, finding::FindingCode};

/// The members of a part that is a property.
const KEY_MEMBER: &str = "key";
const VALUE_MEMBER: &str = "value";
const NAME_MEMBER: &str = "name";

/// A field that one cell can fill.
#[derive(Debug, Clone)]
pub(crate) struct TargetField {
    /// For example `rawMaterials.code`.
    pub(crate) path: String,
    /// The list that the field belongs to, and its name within the list's members.
    pub(crate) part_of: Option<(String, String)>,
    pub(crate) kind: FieldKind,
    pub(crate) required: bool,
    pub(crate) limits: Limits,
    pub(crate) nullable: bool,
    pub(crate) key: bool,
    /// For a column that is one property, its list, key and name.
    pub(crate) property: Option<Property>,
    pub(crate) names: Names,
    pub(crate) list_names: Option<Names>,
    pub(crate) synonyms: Vec<String>,
    /// An example value, as typed into a cell.
    pub(crate) example: Option<String>,
    pub(crate) provenance: ProvenanceLevel,
    pub(crate) refers_to: Option<RefersTo>,
    /// True for keys, references and values of code lists. Services compare them character by character.
    pub(crate) is_code: bool,
    pub(crate) form: ValueForm,
}

/// A property that one column fills. It's a separate part of the item's list.
#[derive(Debug, Clone)]
pub(crate) struct Property {
    pub(crate) list: String,
    pub(crate) key: String,
    /// The column's heading. `None` if the contract's part has no name.
    pub(crate) name: Option<String>,
}

/// The data of an operation that is needed to match, read and check columns.
#[derive(Debug, Clone)]
pub(crate) struct TargetFields {
    pub(crate) operation: String,
    /// If the rows are members of another sheet's items, the list.
    pub(crate) list: Option<String>,
    pub(crate) fields: Vec<TargetField>,
    pub(crate) rules: Vec<Rule>,
    /// By the path of their field.
    pub(crate) reference_checks: Vec<(String, ReferenceCheck)>,
    pub(crate) key: Vec<String>,
    /// The time zone of local times if no site is known.
    pub(crate) time_zone: TimeZone,
}

/// Returns the key under which the mappings of a list's parts are remembered.
pub(crate) fn part_mapping_key(operation: &str, list: &str) -> String {
    format!("{operation}/{list}")
}

impl TargetFields {
    /// Creates the targets of an operation, or returns `None` if it takes no items.
    pub(crate) fn from_operation(operation: &Operation) -> Option<Self> {
        let shape = operation.request.as_ref()?;
        let keyed = operation.read_back.iter().flat_map(|back| &back.lists);
        let is_key =
            |list: &str, part: &str| part == KEY_MEMBER || keyed.clone().any(|one| one.list == list && one.key == part);
        let mut fields = Vec::new();
        for field in &shape.fields {
            match field.kind {
                FieldKind::List | FieldKind::Object => {
                    let parts = field.fields.iter();
                    fields.extend(
                        parts.map(|part| TargetField::from_list_field(field, part, is_key(&field.name, &part.name))),
                    );
                }
                _ => fields.push(TargetField::from_field(field, operation.key.contains(&field.name))),
            }
        }
        let flat = shape.fields_with_paths().into_iter();
        let reference_checks = flat
            .flat_map(|(path, field)| field.reference_checks.iter().map(move |check| (path.clone(), check.clone())));
        let (reference_checks, key) = (reference_checks.collect(), operation.key.clone());
        Some(Self {
            operation: operation.id.clone(),
            list: None,
            fields,
            rules: shape.rules.clone(),
            reference_checks,
            key,
            time_zone: operation.time_zone.clone(),
        })
    }

    /// Returns the key under which the mappings of the operation, or of its list, are remembered.
    pub(crate) fn mapping_key(&self) -> String {
        match &self.list {
            Some(list) => part_mapping_key(&self.operation, list),
            None => self.operation.clone(),
        }
    }

    pub(crate) fn index(&self, path: &str) -> Option<usize> {
        self.fields.iter().position(|target| target.path == path)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&TargetField> {
        self.fields.iter().find(|target| target.path == path)
    }

    /// Returns true if the path is a field, or names a property that a column can fill.
    pub(crate) fn accepts(&self, path: &str) -> bool {
        self.index(path).is_some() || self.property_target(path, "").is_some()
    }

    /// Makes `properties[KEY]` a field that a column can fill. Other paths are ignored.
    pub(crate) fn add_property(&mut self, path: &str, heading: &str) {
        if self.index(path).is_some() {
            return;
        }
        if let Some(target) = self.property_target(path, heading) {
            self.fields.push(target);
        }
    }

    /// Returns the list whose parts are keys with values, if the operation has one.
    pub(crate) fn property_list(&self) -> Option<&str> {
        let lists = self.fields.iter().filter_map(|target| target.part_of.as_ref());
        let mut keyed = lists.filter(|(_, name)| name == KEY_MEMBER).map(|(list, _)| list.as_str());
        keyed.find(|list| self.index(&format!("{list}.{VALUE_MEMBER}")).is_some())
    }

    fn property_target(&self, path: &str, heading: &str) -> Option<TargetField> {
        let (list, key) = path.strip_suffix(']')?.split_once('[')?;
        let field = |name: &str| self.get(&format!("{list}.{name}"));
        let (of_key, of_value) = (field(KEY_MEMBER)?, field(VALUE_MEMBER)?);
        let longest = of_key.limits.max_length.map_or(usize::MAX, |most| most as usize);
        if key.trim().is_empty() || key.chars().count() > longest {
            return None;
        }
        let name = field(NAME_MEMBER).map(|_| if heading.is_empty() { key } else { heading }.to_owned());
        let shown = key.to_owned();
        Some(TargetField {
            path: path.to_owned(),
            part_of: None,
            key: false,
            required: false,
            property: Some(Property { list: list.to_owned(), key: key.to_owned(), name }),
            names: Names { en: shown.clone(), de: shown.clone(), es: shown.clone(), pt: shown },
            synonyms: Vec::new(),
            ..of_value.clone()
        })
    }
}

impl TargetField {
    fn from_field(field: &Field, key: bool) -> Self {
        let of_list = !field.limits.values.is_empty() || matches!(field.form, ValueForm::Codes { .. });
        Self {
            path: field.name.clone(),
            part_of: None,
            kind: field.kind,
            required: field.required,
            limits: field.limits.clone(),
            nullable: field.nullable,
            key,
            property: None,
            names: field.names.clone(),
            list_names: None,
            synonyms: field.synonyms.iter().chain(&field.wire).cloned().collect(),
            example: field.example.clone(),
            provenance: field.provenance.level,
            refers_to: field.refers_to.clone(),
            is_code: field.kind == FieldKind::Text && (key || field.refers_to.is_some() || of_list),
            form: field.form.clone(),
        }
    }

    /// Creates a field of a list. `is_key` is true if the field identifies the list's parts.
    fn from_list_field(list: &Field, part: &Field, is_key: bool) -> Self {
        Self {
            path: format!("{}.{}", list.name, part.name),
            part_of: Some((list.name.clone(), part.name.clone())),
            key: false,
            list_names: Some(list.names.clone()),
            ..Self::from_field(part, is_key)
        }
    }

    /// Reads a cell that isn't empty. Returns `None` for a text of spaces only, which is treated as empty.
    pub(crate) fn read<'r>(&self, cell: CellRef<'r>, format: Format) -> Option<Result<ReadValue<'r>, FindingCode>> {
        match read(cell, self.kind, format) {
            Ok(ReadValue::Text(text)) => {
                let text = if self.is_code { invisible_characters::trim_blank_cow(text) } else { text };
                (!text.is_empty()).then_some(Ok(ReadValue::Text(text)))
            }
            other => Some(other),
        }
    }

    /// Trims a text in the same way as [`Self::read`].
    pub(crate) fn trim<'t>(&self, text: &'t str) -> &'t str {
        if self.is_code { invisible_characters::trim_blank(text) } else { text.trim() }
    }

    /// Returns the field's name. For a field of a list, the list's name comes first.
    pub(crate) fn name(&self, language: Language) -> String {
        let own = language.localized_name(&self.names);
        self.list_names
            .as_ref()
            .map_or_else(|| own.to_owned(), |list| format!("{}: {own}", language.localized_name(list)))
    }
}
