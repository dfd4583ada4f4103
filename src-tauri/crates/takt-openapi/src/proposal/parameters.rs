//! Proposes the parameters and the paging of operations.

use serde::de::DeserializeOwned;
use takt_contract::{
    Field, Limits, Operation, OperationKind, Parameter, ParameterPlace,
    form::{CountPlace, Paging, ValueForm},
    overlay::{OperationOverlay, PagingOverlay, ParameterOverlay},
};

use super::{
    proposer::{NoteKind, Proposer, document_node, read_mark, read_marked_value},
    shape::{camel_case, display_names},
};
use crate::{
    document::{DocumentOperation, ParameterLocation},
    matching::{
        MemberName, match_names,
        read_parameters::{self, ReadParameter},
    },
    member_names::{find_likeliest, names},
    schema::{Schema, SchemaKind},
    value,
    words::split_words,
};

/// The maximum number of proposed parameters of an operation.
const MAX_PARAMETERS: usize = 60;
/// The maximum number of rows per page. A greater number has another meaning.
const MAX_ROWS_PER_PAGE: u64 = 100_000;

impl Proposer<'_> {
    /// Proposes the paging of a read, or none.
    pub(super) fn propose_paging(&mut self, id: &str, documented: &DocumentOperation) -> PagingOverlay {
        if let Some(paging) = read_mark::<Option<Paging>>(document_node(self.document, documented), "x-takt-paging") {
            return PagingOverlay { paging };
        }
        let asked = read_parameters::read_parameters(self.document, documented);
        let (page, limit, counts_rows) = find_page_parameters(&asked);
        let Some(page) = page else { return PagingOverlay { paging: None } };
        let rows = limit.map_or(0, |limit| max_rows_per_page(&limit.schema, &limit.description));
        let mut paging = Paging {
            page: page.name.clone(),
            limit: limit.map(|limit| limit.name.clone()),
            first: if counts_rows { 0 } else { first_page_number(page) },
            rows,
            counts_rows,
            in_body: page.place.is_none(),
            ..Paging::default()
        };
        self.find_counts(documented, &mut paging);
        if rows == 0 {
            self.add_note(id, "", NoteKind::UnknownPageSize);
        }
        PagingOverlay { paging: Some(paging) }
    }

    /// Finds the counts of rows and pages: a header, or a member next to the list.
    fn find_counts(&self, documented: &DocumentOperation, paging: &mut Paging) {
        let headers =
            documented.responses.iter().filter(|answer| answer.is_success()).flat_map(|answer| &answer.headers);
        let headers: Vec<&String> = headers.collect();
        let members = self.document.response_body(documented).map(|body| self.number_paths(&body)).unwrap_or_default();
        let count = |names: &[String]| {
            let header = find_likeliest(names, headers.iter().map(|name| (name.as_str(), *name)));
            let member = || {
                let paths_by_name = members.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path));
                find_likeliest(names, paths_by_name)
            };
            header.cloned().map(CountPlace::Header).or_else(|| member().cloned().map(CountPlace::Member))
        };
        paging.total = count(&names().total);
        paging.pages = count(&names().pages);
        paging.current = count(&names().current);
    }

    /// Returns the dotted paths of a body's numbers, two levels deep.
    pub(super) fn number_paths(&self, body: &Schema<'_>) -> Vec<String> {
        let mut paths = Vec::new();
        for member in body.members.iter().take(100) {
            let inner = self.document.resolve(&member.node);
            match inner.kind {
                Some(SchemaKind::Integer | SchemaKind::Number) => paths.push(member.name.to_owned()),
                Some(SchemaKind::Object) => {
                    for part in inner.members.iter().take(100) {
                        let kind = self.document.resolve(&part.node).kind;
                        if matches!(kind, Some(SchemaKind::Integer | SchemaKind::Number)) {
                            paths.push(format!("{}.{}", member.name, part.name));
                        }
                    }
                }
                _ => {}
            }
        }
        paths
    }

    /// Proposes every parameter in path, query and body that isn't about pages.
    pub(super) fn propose_parameters(
        &mut self,
        contract_operation: &Operation,
        documented: &DocumentOperation,
        overlay: &OperationOverlay,
    ) -> Vec<ParameterOverlay> {
        let paging = overlay.paging.as_ref().and_then(|paging| paging.paging.as_ref());
        let pages = |name: &str| paging.is_some_and(|paging| paging.is_paging_parameter(name));
        let in_header =
            |one: &ReadParameter<'_>| matches!(one.place, Some(ParameterLocation::Header | ParameterLocation::Cookie));
        let mut asked = read_parameters::read_parameters(self.document, documented);
        if contract_operation.kind != OperationKind::Read {
            asked.retain(|one| one.place.is_some());
        }
        for parameter in asked.iter().filter(|parameter| parameter.required && in_header(parameter)) {
            self.add_note(&contract_operation.id, &parameter.name, NoteKind::RequiredHeader);
        }
        let asked_parameters: Vec<&ReadParameter<'_>> =
            asked.iter().filter(|one| !in_header(one) && !pages(&one.name)).take(MAX_PARAMETERS).collect();
        let fields: Vec<Field> = contract_operation.parameters.iter().map(parameter_field).collect();
        let members: Vec<MemberName> = asked_parameters.iter().map(|parameter| member_name(parameter)).collect();
        let path = overlay.path.clone().unwrap_or_default();
        let matches = match_names(&members, &fields, [&contract_operation.id, &path]);
        let mut parameters = Vec::new();
        for parameter in asked_parameters {
            let known = matches.iter().find(|one| one.member.as_deref() == Some(parameter.name.as_str()));
            let known = known.and_then(|one| contract_operation.parameters.iter().find(|own| own.name == one.field));
            parameters.push(self.propose_parameter(contract_operation, known, parameter, overlay));
        }
        parameters
    }

    fn propose_parameter(
        &mut self,
        contract_operation: &Operation,
        known: Option<&Parameter>,
        asked: &ReadParameter<'_>,
        overlay: &OperationOverlay,
    ) -> ParameterOverlay {
        let schema = &asked.schema;
        let value = read_marked_value(schema)
            .or_else(|| value::infer_value(self.document, asked.last_name(), schema, known.map(|known| known.kind)));
        let new_name = || read_parameter_mark(asked, "x-takt-field").unwrap_or_else(|| camel_case(asked.last_name()));
        let name = known.map_or_else(new_name, |known| known.name.clone());
        if let Some(doubt) = value.as_ref().and_then(|value| value.doubt) {
            self.add_note(&contract_operation.id, &name, NoteKind::Value(doubt));
        }
        if known.is_none() && asked.required {
            self.add_note(&contract_operation.id, &name, NoteKind::RequiredParameter);
        }
        let place = match asked.place {
            Some(ParameterLocation::Path) => ParameterPlace::Path,
            Some(_) => ParameterPlace::Query,
            None => ParameterPlace::Body,
        };
        ParameterOverlay {
            wire: (asked.name != name).then(|| asked.name.clone()),
            place: Some(place),
            kind: value.as_ref().map(|value| value.kind),
            form: value.map(|value| value.form),
            required: Some(read_parameter_mark(asked, "x-takt-required").unwrap_or(asked.required)),
            names: known.is_none().then(|| {
                read_parameter_mark(asked, "x-takt-names").unwrap_or_else(|| display_names(asked.last_name(), None))
            }),
            provenance: overlay.provenance.clone(),
            name,
        }
    }
}

fn read_parameter_mark<T: DeserializeOwned>(parameter: &ReadParameter<'_>, name: &str) -> Option<T> {
    T::deserialize(parameter.mark(name)?).ok()
}

fn member_name(parameter: &ReadParameter<'_>) -> MemberName {
    MemberName {
        name: parameter.name.clone(),
        kind: value::kind_from_schema(&parameter.schema),
        mark: read_parameter_mark(parameter, "x-takt-field"),
    }
}

/// The parameters for the page and the rows per page, and whether the first one is an offset in rows.
type PageParameters<'a> = (Option<&'a ReadParameter<'a>>, Option<&'a ReadParameter<'a>>, bool);

/// Finds the parameters for the page and the rows per page.
fn find_page_parameters<'a>(asked: &'a [ReadParameter<'a>]) -> PageParameters<'a> {
    let can_page = |one: &&ReadParameter<'_>| matches!(one.place, None | Some(ParameterLocation::Query));
    let by_name = || asked.iter().filter(can_page).map(|one| (one.last_name(), one));
    let limit = find_likeliest(&names().limit, by_name());
    let page = find_likeliest(&names().page, by_name());
    // A single `from` or `start` begins a range of dates.
    let offset = find_likeliest(&names().offset, by_name()).filter(|_| limit.is_some());
    (page.or(offset), limit, page.is_none() && offset.is_some())
}

fn first_page_number(page: &ReadParameter<'_>) -> u32 {
    let schema = &page.schema;
    let zero = |value: Option<f64>| value.map(|value| value <= 0.0);
    let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_f64);
    let described = split_words(&page.description).iter().any(|word| names().zero.contains(word));
    let starts_at_zero =
        zero(number(schema.default)).or_else(|| zero(schema.minimum)).or_else(|| zero(number(schema.example)));
    u32::from(!(described || starts_at_zero.unwrap_or(false)))
}

/// Returns the maximum number of rows per page, from a bound, the greatest number in the description, or the default.
fn max_rows_per_page(schema: &Schema<'_>, description: &str) -> u32 {
    let bound = schema.maximum.map(|most| format!("{most:.0}")).and_then(|most| most.parse::<u64>().ok());
    let described = split_words(description).iter().filter_map(|word| word.parse::<u64>().ok()).max();
    let default = schema.default.and_then(serde_json::Value::as_u64);
    let known = [bound, described, default].into_iter().flatten().find(|rows| (1..=MAX_ROWS_PER_PAGE).contains(rows));
    known.and_then(|rows| u32::try_from(rows).ok()).unwrap_or(0)
}

/// Returns a parameter as a field, for the comparison of names.
fn parameter_field(parameter: &Parameter) -> Field {
    Field {
        name: parameter.name.clone(),
        wire: None,
        form: ValueForm::AsIs,
        kind: parameter.kind,
        required: parameter.required,
        nullable: false,
        names: parameter.names.clone(),
        synonyms: Vec::new(),
        limits: Limits::default(),
        labels: Default::default(),
        example: None,
        provenance: parameter.provenance.clone(),
        assumed: Default::default(),
        refers_to: None,
        reference_checks: Vec::new(),
        fields: Vec::new(),
    }
}
