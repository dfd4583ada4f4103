//! Determines the data to read: the fields of a list that the contract uses, and the values that a sheet uses.

use std::collections::BTreeSet;

use takt_contract::{Contract, ListRow, Operation, PropertyFields, ReferenceCheck, RowSchema};

/// The fields of a list's rows to store, for checks of all operations.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListRequirement {
    pub(crate) fields: BTreeSet<String>,
    /// The fields by which rows are looked up.
    pub(crate) keys: BTreeSet<String>,
    /// The properties of which only locked ones are stored.
    pub locked: Option<PropertyFields>,
}

/// A list, or single things without a list, that a sheet's check needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRequest {
    /// The operation that reads the list or the things.
    pub list: String,
    /// The parameter that narrows the list or names the single thing, and the sheet's values for it. `None` if the
    /// whole list is needed.
    pub parameter_values: Option<(String, Vec<String>)>,
    /// True if there is no list, so that each thing is requested separately.
    pub single: bool,
}

impl ListRequirement {
    pub(crate) fn for_list(contract: &Contract, list: &str) -> Self {
        let mut requirement = Self::default();
        for operation in contract.operations() {
            let Some(shape) = &operation.request else { continue };
            for (_, field) in shape.fields_with_paths() {
                let reference = field.refers_to.as_ref().filter(|refers_to| {
                    refers_to.list.as_deref() == Some(list) || refers_to.single.as_deref() == Some(list)
                });
                if let Some(refers_to) = reference {
                    let others = refers_to.within.iter().map(|pair| pair.theirs.as_str());
                    requirement.add_key(others.chain([refers_to.field.as_str()]));
                }
                for check in &field.reference_checks {
                    requirement.add_check(list, check, shape);
                }
            }
        }
        requirement
    }

    /// Adds key fields. Rows are looked up by the first field, and the others distinguish them.
    fn add_key<'a>(&mut self, mut names: impl Iterator<Item = &'a str>) {
        if let Some(first) = names.next() {
            self.keys.insert(first.to_owned());
            self.fields.insert(first.to_owned());
        }
        self.fields.extend(names.map(str::to_owned));
    }

    fn add_row_key(&mut self, row: &ListRow) {
        self.add_key(row.key.iter().map(|pair| pair.theirs.as_str()));
    }

    fn add_check(&mut self, list: &str, check: &ReferenceCheck, shape: &RowSchema) {
        match check {
            ReferenceCheck::NotBelow { row, fields, .. } if row.list == list => {
                self.add_row_key(row);
                self.fields.extend(fields.iter().cloned());
            }
            ReferenceCheck::NotLocked { row, properties, .. } if row.list == list => {
                self.add_row_key(row);
                self.fields.insert(properties.list.clone());
                self.locked = Some(properties.clone());
            }
            ReferenceCheck::InShifts { station, intervals, .. } if referenced_list(shape, station) == Some(list) => {
                self.fields.insert(intervals.split('.').next().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }
}

/// Returns the list that a field of the item refers to.
pub(crate) fn referenced_list<'a>(shape: &'a RowSchema, field_path: &str) -> Option<&'a str> {
    let field = shape.fields_with_paths().into_iter().find(|(path, _)| path == field_path)?.1;
    field.refers_to.as_ref()?.list.as_deref()
}

/// Returns the parameter that narrows a read to rows with one value of this field.
pub fn narrowing_parameter<'a>(operation: &'a Operation, field: &str) -> Option<&'a str> {
    let mut parameters = operation.parameters.iter();
    let parameter = parameters.find(|parameter| parameter.narrows.as_deref() == Some(field))?;
    Some(&parameter.name)
}
