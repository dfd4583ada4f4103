//! Edits a site's contract manually: operations and fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{
    AssumptionError, Contract, Field, FieldKind, Limits, Operation, OperationKind, Parameter, ParameterPlace,
    Provenance, ProvenanceLevel, RowSchema,
    form::{BatchForm, CodeName, Paging, ValueForm},
    overlay::{
        AssumptionOverlay, FieldOverlay, OperationOverlay, Overlay, PagingOverlay, ParameterOverlay, ShapeOverlay,
    },
};
use takt_core::{Code, Problem};
use takt_openapi::comparison::FieldPlace;

use super::{site_contracts::Contracts, value_type::ValueType};

/// The source of a version that was edited manually.
const MANUAL_SOURCE: &str = "hand";
const GET: &str = "GET";

/// A manual edit of an operation. Settings that are `None` stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct OperationEdit {
    pub operation: String,
    pub method: Option<String>,
    /// Relative to the base address, with `{name}` for path parameters.
    pub path: Option<String>,
    /// The dotted path of the list: the rows of a response, or the sent items. Empty if the body is the list.
    pub list: Option<String>,
    /// Whether the filters and pages of a read are sent in the body. By default, a change of the method decides: `GET`
    /// sends them in the query, other methods in the body.
    pub asks_in_body: Option<bool>,
    /// The new paging, or the statement that there is none.
    pub paging: Option<PagingOverlay>,
    /// The form of a batch response.
    pub batch: Option<BatchForm>,
    pub fields: Vec<FieldEdit>,
}

/// A manual edit of a field or parameter. Settings that are `None` stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldEdit {
    pub place: FieldPlace,
    /// Takt's name, after the name of its parent: `rawMaterials.code`.
    pub path: String,
    /// The field's name at the site.
    #[serde(default)]
    pub wire: Option<String>,
    #[serde(default)]
    pub value_type: Option<ValueType>,
    #[serde(default)]
    pub required: Option<bool>,
    /// The names that the user sees, each with the code that is sent. An empty list removes the codes.
    #[serde(default)]
    pub codes: Option<Vec<CodeName>>,
    /// True if the site has no such field.
    #[serde(default)]
    pub gone: bool,
    /// True if the site has a field that the contract doesn't list.
    #[serde(default)]
    pub added: bool,
}

impl FieldEdit {
    /// Creates an edit without any settings.
    #[must_use]
    pub fn new(place: FieldPlace, path: &str) -> Self {
        let path = path.to_owned();
        Self { place, path, wire: None, value_type: None, required: None, codes: None, gone: false, added: false }
    }
}

impl Contracts {
    /// Stores edits of operations as a new version of the contract, and returns the version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, the contract has no such operation, or the operation has no such
    ///   field.
    /// - [`Code::InvalidInput`]: a path, method, name or type is invalid.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub fn edit(&self, site: &str, edits: &[OperationEdit]) -> Result<u32, Problem> {
        let edited = edits_to_overlay(&*self.sites.contract(site)?, edits)?;
        self.sites.set_overlay(site, &self.sites.overlay(site)?.merge(&edited), MANUAL_SOURCE, &self.person)
    }
}

/// A manual value of an assumption about the whole service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AssumptionEdit {
    /// The assumption's ID, for example `event-delivery`.
    pub id: String,
    /// The complete value, in the form of the previous one.
    pub value: Value,
}

impl Contracts {
    /// Stores changed assumptions as a new version of the contract, and returns the version's number.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or the contract has no such assumption with a value.
    /// - [`Code::InvalidInput`]: a value is invalid for the assumption. The details contain the reason.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read or written.
    pub fn replace_assumptions(&self, site: &str, edits: &[AssumptionEdit]) -> Result<u32, Problem> {
        let contract = self.sites.contract(site)?;
        let to_overlay = |edit: &AssumptionEdit| {
            contract.check_assumption(&edit.id, &edit.value).map_err(|error| match error {
                AssumptionError::Unknown(id) => unknown_problem(&id),
                error => invalid_problem(&edit.id).details(error),
            })?;
            Ok(AssumptionOverlay { id: edit.id.clone(), value: edit.value.clone(), provenance: manual_provenance() })
        };
        let assumptions = edits.iter().map(to_overlay).collect::<Result<_, Problem>>()?;
        let edited = Overlay { assumptions, ..Overlay::default() };
        self.sites.set_overlay(site, &self.sites.overlay(site)?.merge(&edited), MANUAL_SOURCE, &self.person)
    }
}

/// Converts edits to an overlay of the contract in force.
pub(super) fn edits_to_overlay(contract: &Contract, edits: &[OperationEdit]) -> Result<Overlay, Problem> {
    let to_overlay = |edit: &OperationEdit| {
        let known = contract.operation(&edit.operation).ok_or_else(|| unknown_problem(&edit.operation))?;
        operation_to_overlay(known, edit)
    };
    Ok(Overlay { operations: edits.iter().map(to_overlay).collect::<Result<_, _>>()?, ..Overlay::default() })
}

fn operation_to_overlay(known: &Operation, edit: &OperationEdit) -> Result<OperationOverlay, Problem> {
    let is_moved = edit.method.is_some() || edit.path.is_some();
    let provenance = if is_moved { manual_provenance() } else { known.provenance.clone() };
    let mut overlay = OperationOverlay::new(&known.id, provenance);
    if let Some(method) = &edit.method {
        overlay.method = Some(parse_method(method)?);
    }
    let is_sync = matches!(known.kind, OperationKind::Sync | OperationKind::Delete);
    if edit.paging.is_some() && known.kind != OperationKind::Read || edit.batch.is_some() && !is_sync {
        return Err(invalid_problem(&known.id));
    }
    overlay.paging = edit.paging.clone();
    overlay.batch.clone_from(&edit.batch);
    overlay.parameters = parameters_to_overlays(known, edit)?;
    if let Some(path) = &edit.path {
        overlay.path = Some(parse_path(known, path, &mut overlay.parameters)?);
    }
    send_as_body_parameter(known, edit, &mut overlay);
    overlay.request =
        shape_to_overlay(known.request.as_ref(), FieldPlace::Request, edit, edit.list.as_ref().filter(|_| is_sync))?;
    overlay.answer =
        shape_to_overlay(known.answer.as_ref(), FieldPlace::Answer, edit, edit.list.as_ref().filter(|_| !is_sync))?;
    Ok(overlay)
}

/// Moves filters and pages of a read to the body or the query.
fn send_as_body_parameter(known: &Operation, edit: &OperationEdit, overlay: &mut OperationOverlay) {
    let is_read = known.kind == OperationKind::Read;
    let moved = overlay.method.as_ref().filter(|method| **method != known.method).map(|method| method != GET);
    let Some(in_body) = edit.asks_in_body.or(moved).filter(|_| is_read) else { return };
    let place = if in_body { ParameterPlace::Body } else { ParameterPlace::Query };
    let mut parameters =
        overlay.parameters.take().unwrap_or_else(|| known.parameters.iter().map(parameter_to_overlay).collect());
    let in_path =
        |name: &str| known.parameters.iter().any(|own| own.name == *name && own.place == ParameterPlace::Path);
    parameters.iter_mut().filter(|one| !in_path(&one.name)).for_each(|one| one.place = Some(place));
    overlay.parameters = Some(parameters);
    let paging = match overlay.paging.take() {
        Some(set) => set.paging,
        None => known.paged.then(|| known.paging.clone()),
    };
    overlay.paging = Some(PagingOverlay { paging: paging.map(|paging| Paging { in_body, ..paging }) });
}

fn parse_method(text: &str) -> Result<String, Problem> {
    let method = text.trim().to_uppercase();
    let is_known = ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str());
    if is_known { Ok(method) } else { Err(invalid_problem(text)) }
}

/// Checks a path below the base address. If its only path parameter has a new name, the parameter is renamed.
fn parse_path(
    known: &Operation,
    text: &str,
    parameters: &mut Option<Vec<ParameterOverlay>>,
) -> Result<String, Problem> {
    let path = text.trim();
    let leaves_base = path.split('/').any(|step| matches!(step, "." | ".."));
    if !path.starts_with('/') || path.starts_with("//") || leaves_base || path.contains(['?', '#', ' ', '\\']) {
        return Err(invalid_problem(text));
    }
    let named: Vec<&str> =
        path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect();
    let mut set = parameters.take().unwrap_or_else(|| known.parameters.iter().map(parameter_to_overlay).collect());
    let in_path = |one: &ParameterOverlay| {
        known.parameters.iter().any(|own| own.name == one.name && own.place == ParameterPlace::Path)
    };
    let mut path_parameters: Vec<&mut ParameterOverlay> = set.iter_mut().filter(|one| in_path(one)).collect();
    if let ([name], [only]) = (named.as_slice(), path_parameters.as_mut_slice()) {
        only.wire = Some((*name).to_owned());
    }
    let is_complete = path_parameters.len() == named.len()
        && path_parameters.iter().all(|one| named.contains(&one.wire.as_deref().unwrap_or(&one.name)));
    if !is_complete {
        return Err(invalid_problem(text));
    }
    if !set.is_empty() {
        *parameters = Some(set);
    }
    Ok(path.to_owned())
}

/// Converts an unchanged parameter. An overlay's list of parameters is always complete, so it needs them too.
fn parameter_to_overlay(known: &Parameter) -> ParameterOverlay {
    ParameterOverlay {
        name: known.name.clone(),
        wire: known.wire.clone(),
        place: None,
        kind: None,
        form: None,
        required: None,
        names: None,
        provenance: known.provenance.clone(),
    }
}

fn parameters_to_overlays(known: &Operation, edit: &OperationEdit) -> Result<Option<Vec<ParameterOverlay>>, Problem> {
    let edits: Vec<&FieldEdit> = edit.fields.iter().filter(|one| one.place == FieldPlace::Parameter).collect();
    if edits.is_empty() {
        return Ok(None);
    }
    let mut parameters: Vec<ParameterOverlay> = known.parameters.iter().map(parameter_to_overlay).collect();
    for edit in edits {
        if edit.added {
            parameters.push(create_parameter(known, edit)?);
        }
        let parameter =
            parameters.iter_mut().find(|one| one.name == edit.path).ok_or_else(|| unknown_problem(&edit.path))?;
        parameter.provenance = manual_provenance();
        parameter.required = edit.required;
        if let Some(wire) = &edit.wire {
            parameter.wire = Some(parse_member_name(wire)?);
        }
        let own = known.parameters.iter().find(|own| own.name == edit.path);
        let value = parse_value_edit(edit, own.map_or(&ValueForm::AsIs, |own| &own.form));
        (parameter.kind, parameter.form) = (value.kind, value.form);
    }
    let is_gone =
        |name: &str| edit.fields.iter().any(|one| one.gone && one.place == FieldPlace::Parameter && one.path == *name);
    parameters.retain(|one| !is_gone(&one.name));
    Ok(Some(parameters))
}

/// Creates a filter that the contract doesn't list. It's sent in the body if other parameters are.
fn create_parameter(known: &Operation, edit: &FieldEdit) -> Result<ParameterOverlay, Problem> {
    check_new_name(&edit.path, known.parameters.iter().map(|own| own.name.as_str()))?;
    let in_body = known.parameters.iter().any(|own| own.place == ParameterPlace::Body) || known.paging.in_body;
    let place = if in_body { ParameterPlace::Body } else { ParameterPlace::Query };
    Ok(ParameterOverlay {
        name: edit.path.clone(),
        wire: None,
        place: Some(place),
        kind: None,
        form: None,
        required: None,
        names: None,
        provenance: manual_provenance(),
    })
}

/// Checks that a name is valid and unused.
fn check_new_name<'a>(name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
    let is_valid = parse_member_name(name)? == name && !name.contains('.') && taken.all(|other| other != name);
    if is_valid { Ok(()) } else { Err(invalid_problem(name)) }
}

fn shape_to_overlay(
    known: Option<&RowSchema>,
    place: FieldPlace,
    edit: &OperationEdit,
    list: Option<&String>,
) -> Result<Option<ShapeOverlay>, Problem> {
    let edits: Vec<&FieldEdit> = edit.fields.iter().filter(|one| one.place == place).collect();
    if edits.is_empty() && list.is_none() {
        return Ok(None);
    }
    let known = known.ok_or_else(|| unknown_problem(&edit.operation))?;
    let mut fields = Vec::new();
    for edit in edits {
        let steps: Vec<&str> = edit.path.split('.').collect();
        set_field(&mut fields, &known.fields, &steps, edit)?;
    }
    let member = match list {
        Some(list) => Some(parse_dotted_path(list)?),
        None => None,
    };
    Ok(Some(ShapeOverlay { member, fields, ..ShapeOverlay::default() }))
}

/// Sets a field, or a part of it. The parent of a part stays unchanged.
fn set_field(fields: &mut Vec<FieldOverlay>, known: &[Field], steps: &[&str], edit: &FieldEdit) -> Result<(), Problem> {
    let [name, rest @ ..] = steps else { return Err(unknown_problem(&edit.path)) };
    let own = known.iter().find(|own| own.name == *name);
    if edit.added && rest.is_empty() {
        check_new_name(
            name,
            known.iter().map(|own| own.name.as_str()).chain(fields.iter().map(|field| field.name.as_str())),
        )?;
        let kind = Some(FieldKind::Text);
        fields.push(FieldOverlay { kind, ..FieldOverlay::new(name, manual_provenance()) });
    }
    if own.is_none() && !(edit.added && rest.is_empty()) {
        return Err(unknown_problem(&edit.path));
    }
    let at = match fields.iter().position(|field| field.name == *name) {
        Some(at) => at,
        None => {
            let provenance = own.map_or_else(manual_provenance, |own| own.provenance.clone());
            fields.push(FieldOverlay::new(name, provenance));
            fields.len() - 1
        }
    };
    let Some(field) = fields.get_mut(at) else { return Err(unknown_problem(&edit.path)) };
    if !rest.is_empty() {
        let parts = own.map_or(&[][..], |own| &own.fields);
        return set_field(&mut field.fields, parts, rest, edit);
    }
    field.provenance = manual_provenance();
    field.gone = edit.gone;
    field.required = edit.required;
    if let Some(wire) = &edit.wire {
        field.wire = Some(parse_member_name(wire)?);
    }
    let value = parse_value_edit(edit, own.map_or(&ValueForm::AsIs, |own| &own.form));
    (field.kind, field.form) = (value.kind.or(field.kind.filter(|_| edit.added)), value.form);
    let limits = own.map(|own| own.limits.clone()).unwrap_or_default();
    field.limits = value.values.map(|values| Limits { values, ..limits });
    Ok(())
}

/// The value type that an edit sets.
#[derive(Default)]
struct EditedValue {
    kind: Option<FieldKind>,
    form: Option<ValueForm>,
    /// The names of the codes.
    values: Option<Vec<String>>,
}

fn parse_value_edit(edit: &FieldEdit, form: &ValueForm) -> EditedValue {
    let typed = edit.value_type.map(ValueType::kind_and_form);
    let (kind, mut set) = typed.map_or((None, None), |(kind, form)| (Some(kind), Some(form)));
    let had_codes = matches!(form, ValueForm::Codes { .. });
    match &edit.codes {
        Some(codes) if codes.is_empty() => {
            let form = set.or(had_codes.then_some(ValueForm::AsIs));
            return EditedValue { kind, form, values: Some(Vec::new()) };
        }
        Some(codes) => {
            let values = codes.iter().map(|code| code.name.clone()).collect();
            let kind = Some(FieldKind::Text);
            return EditedValue { kind, form: Some(ValueForm::Codes { codes: codes.clone() }), values: Some(values) };
        }
        None => {}
    }
    // A field with codes has the type text. Choosing that type doesn't remove the codes.
    if had_codes && edit.value_type == Some(ValueType::Text) {
        set = None;
    }
    EditedValue { kind, form: set, values: None }
}

/// Checks a member's name at the site.
fn parse_member_name(text: &str) -> Result<String, Problem> {
    let name = text.trim();
    let is_valid = !name.is_empty() && name.len() <= 200 && !name.chars().any(char::is_control);
    if is_valid { Ok(name.to_owned()) } else { Err(invalid_problem(text)) }
}

/// Checks a dotted path, which may be empty.
fn parse_dotted_path(text: &str) -> Result<String, Problem> {
    let path = text.trim();
    let is_valid = path.is_empty() || path.split('.').all(|step| !step.is_empty());
    if is_valid { Ok(path.to_owned()) } else { Err(invalid_problem(text)) }
}

fn manual_provenance() -> Provenance {
    Provenance { level: ProvenanceLevel::Site, source: "set by hand".to_owned() }
}

fn unknown_problem(what: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what)
}

fn invalid_problem(what: &str) -> Problem {
    Problem::new(Code::InvalidInput).parameter("what", what)
}

#[cfg(test)]
mod tests;
