//! What a list is read for: the fields of its rows that the contract names anywhere, and the things that a sheet names.

use std::collections::BTreeSet;

use takt_contract::{Contract, ListRow, Operation, PropertyFields, Sense, Shape};

/// What is kept of a list's rows, whatever operation is being checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListRequirement {
    pub(crate) fields: BTreeSet<String>,
    /// Fields by which rows are looked up.
    pub(crate) keys: BTreeSet<String>,
    /// Of these properties only the locked ones are kept.
    pub locked: Option<PropertyFields>,
}

/// A list, or the things of which each must be asked for by itself, that a sheet's check needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceRequest {
    /// The operation that reads them.
    pub list: String,
    /// The parameter that narrows the list, or that names the single thing, and the values that the sheet has for it; absent
    /// where only the whole list will do.
    pub parameter_values: Option<(String, Vec<String>)>,
    /// True where there is no list, and each thing is asked for by itself.
    pub single: bool,
}

impl ListRequirement {
    pub(crate) fn of(contract: &Contract, list: &str) -> Self {
        let mut need = Self::default();
        for operation in contract.operations() {
            let Some(shape) = &operation.request else { continue };
            for (_, field) in shape.flat() {
                let named = field.refers_to.as_ref().filter(|refers_to| {
                    refers_to.list.as_deref() == Some(list) || refers_to.single.as_deref() == Some(list)
                });
                if let Some(refers_to) = named {
                    let others = refers_to.within.iter().map(|tie| tie.theirs.as_str());
                    need.key(others.chain([refers_to.field.as_str()]));
                }
                for sense in &field.sense {
                    need.sense(list, sense, shape);
                }
            }
        }
        need
    }

    /// Rows are looked up by the first; the others tell them apart.
    fn key<'a>(&mut self, mut names: impl Iterator<Item = &'a str>) {
        if let Some(first) = names.next() {
            self.keys.insert(first.to_owned());
            self.fields.insert(first.to_owned());
        }
        self.fields.extend(names.map(str::to_owned));
    }

    fn row(&mut self, row: &ListRow) {
        self.key(row.key.iter().map(|tie| tie.theirs.as_str()));
    }

    fn sense(&mut self, list: &str, sense: &Sense, shape: &Shape) {
        match sense {
            Sense::NotBelow { row, fields, .. } if row.list == list => {
                self.row(row);
                self.fields.extend(fields.iter().cloned());
            }
            Sense::NotLocked { row, properties, .. } if row.list == list => {
                self.row(row);
                self.fields.insert(properties.list.clone());
                self.locked = Some(properties.clone());
            }
            Sense::InShifts { station, intervals, .. } if stations(shape, station) == Some(list) => {
                self.fields.insert(intervals.split('.').next().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }
}

/// The list of the things that a field of the item names.
pub(crate) fn stations<'a>(shape: &'a Shape, field: &str) -> Option<&'a str> {
    let found = shape.flat().into_iter().find(|(path, _)| path == field)?.1;
    found.refers_to.as_ref()?.list.as_deref()
}

/// The parameter by which a read can be narrowed to the rows of one value of this field.
pub fn narrowing<'a>(operation: &'a Operation, field: &str) -> Option<&'a str> {
    let mut parameters = operation.parameters.iter();
    let found = parameters.find(|parameter| parameter.narrows.as_deref() == Some(field))?;
    Some(&found.name)
}
