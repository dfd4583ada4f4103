//! Parameters and pages.

use serde::de::DeserializeOwned;
use takt_contract::{
    Field, Limits, Operation, OperationKind, Parameter, ParameterPlace,
    form::{CountPlace, Paging, ValueForm},
    overlay::{OperationOverlay, PagingOverlay, ParameterOverlay},
};

use super::{
    marks,
    proposer::{NoteKind, Proposer, document_node},
    shape::camel,
};
use crate::{
    document::{DocumentOperation, DocumentPlace},
    matching::{
        MemberName,
        body::answer,
        match_names,
        read_parameters::{self, ReadParameter},
    },
    members::{likeliest, names},
    schema::{Schema, SchemaKind},
    value,
    words::split,
};

/// Proposed parameters of an operation.
const MAX_PARAMETERS: usize = 60;
/// The limit for rows per page. A greater number means something else.
const MAX_ROWS: u64 = 100_000;

impl Proposer<'_> {
    /// Proposes the paging of a read, or none.
    pub(super) fn paging(&mut self, id: &str, documented: &DocumentOperation) -> PagingOverlay {
        if let Some(paging) = marks::read::<Option<Paging>>(document_node(self.document, documented), "x-takt-paging") {
            return PagingOverlay { paging };
        }
        let asked = read_parameters::parameters(self.document, documented);
        let (page, limit, counts_rows) = page_parameters(&asked);
        let Some(page) = page else { return PagingOverlay { paging: None } };
        let rows = limit.map_or(0, |limit| rows(&limit.schema, &limit.description));
        let mut paging = Paging {
            page: page.name.clone(),
            limit: limit.map(|limit| limit.name.clone()),
            first: if counts_rows { 0 } else { first(page) },
            rows,
            counts_rows,
            in_body: page.place.is_none(),
            ..Paging::default()
        };
        self.counts(documented, &mut paging);
        if rows == 0 {
            self.note(id, "", NoteKind::UnknownPageSize);
        }
        PagingOverlay { paging: Some(paging) }
    }

    /// Finds the counts of rows and pages: a header, or a member next to the list.
    fn counts(&self, documented: &DocumentOperation, paging: &mut Paging) {
        let headers = documented.answers.iter().filter(|answer| answer.is_success()).flat_map(|answer| &answer.headers);
        let headers: Vec<&String> = headers.collect();
        let members = answer(self.document, documented).map(|body| self.numbers(&body)).unwrap_or_default();
        let count = |names: &[String]| {
            let header = likeliest(names, headers.iter().map(|name| (name.as_str(), *name)));
            let member = || {
                let paths_by_name = members.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path));
                likeliest(names, paths_by_name)
            };
            header.cloned().map(CountPlace::Header).or_else(|| member().cloned().map(CountPlace::Member))
        };
        paging.total = count(&names().total);
        paging.pages = count(&names().pages);
        paging.current = count(&names().current);
    }

    /// Returns the dotted paths of a body's numbers, two levels deep.
    pub(super) fn numbers(&self, body: &Schema<'_>) -> Vec<String> {
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
    pub(super) fn parameters(
        &mut self,
        contract_operation: &Operation,
        documented: &DocumentOperation,
        overlay: &OperationOverlay,
    ) -> Vec<ParameterOverlay> {
        let paging = overlay.paging.as_ref().and_then(|paging| paging.paging.as_ref());
        let pages = |name: &str| paging.is_some_and(|paging| paging.asks_with(name));
        let in_header =
            |one: &ReadParameter<'_>| matches!(one.place, Some(DocumentPlace::Header | DocumentPlace::Cookie));
        let mut asked = read_parameters::parameters(self.document, documented);
        if contract_operation.kind != OperationKind::Read {
            asked.retain(|one| one.place.is_some());
        }
        for parameter in asked.iter().filter(|parameter| parameter.required && in_header(parameter)) {
            self.note(&contract_operation.id, &parameter.name, NoteKind::RequiredHeader);
        }
        let asked_parameters: Vec<&ReadParameter<'_>> =
            asked.iter().filter(|one| !in_header(one) && !pages(&one.name)).take(MAX_PARAMETERS).collect();
        let fields: Vec<Field> = contract_operation.parameters.iter().map(field).collect();
        let members: Vec<MemberName> = asked_parameters.iter().map(|parameter| member_name(parameter)).collect();
        let path = overlay.path.clone().unwrap_or_default();
        let matches = match_names(&members, &fields, [&contract_operation.id, &path]);
        let mut parameters = Vec::new();
        for parameter in asked_parameters {
            let known = matches.iter().find(|one| one.member.as_deref() == Some(parameter.name.as_str()));
            let known = known.and_then(|one| contract_operation.parameters.iter().find(|own| own.name == one.field));
            parameters.push(self.parameter(contract_operation, known, parameter, overlay));
        }
        parameters
    }

    fn parameter(
        &mut self,
        contract_operation: &Operation,
        known: Option<&Parameter>,
        asked: &ReadParameter<'_>,
        overlay: &OperationOverlay,
    ) -> ParameterOverlay {
        let schema = &asked.schema;
        let value = marks::read_value(schema)
            .or_else(|| value::value(self.document, asked.last_name(), schema, known.map(|known| known.kind)));
        let new_name = || marked(asked, "x-takt-field").unwrap_or_else(|| camel(asked.last_name()));
        let name = known.map_or_else(new_name, |known| known.name.clone());
        if let Some(doubt) = value.as_ref().and_then(|value| value.doubt) {
            self.note(&contract_operation.id, &name, NoteKind::Value(doubt));
        }
        if known.is_none() && asked.required {
            self.note(&contract_operation.id, &name, NoteKind::RequiredParameter);
        }
        let place = match asked.place {
            Some(DocumentPlace::Path) => ParameterPlace::Path,
            Some(_) => ParameterPlace::Query,
            None => ParameterPlace::Body,
        };
        ParameterOverlay {
            wire: (asked.name != name).then(|| asked.name.clone()),
            place: Some(place),
            kind: value.as_ref().map(|value| value.kind),
            form: value.map(|value| value.form),
            required: Some(marked(asked, "x-takt-required").unwrap_or(asked.required)),
            names: known.is_none().then(|| {
                marked(asked, "x-takt-names").unwrap_or_else(|| super::shape::names_of(asked.last_name(), None))
            }),
            provenance: overlay.provenance.clone(),
            name,
        }
    }
}

fn marked<T: DeserializeOwned>(parameter: &ReadParameter<'_>, name: &str) -> Option<T> {
    T::deserialize(parameter.mark(name)?).ok()
}

fn member_name(parameter: &ReadParameter<'_>) -> MemberName {
    MemberName {
        name: parameter.name.clone(),
        kind: value::kind(&parameter.schema),
        mark: marked(parameter, "x-takt-field"),
    }
}

/// The parameters for the page and the rows per page, and whether the first one counts rows.
type PageParameters<'a> = (Option<&'a ReadParameter<'a>>, Option<&'a ReadParameter<'a>>, bool);

/// Finds the parameters for the page and the rows per page.
fn page_parameters<'a>(asked: &'a [ReadParameter<'a>]) -> PageParameters<'a> {
    let can_page = |one: &&ReadParameter<'_>| matches!(one.place, None | Some(DocumentPlace::Query));
    let by_name = || asked.iter().filter(can_page).map(|one| (one.last_name(), one));
    let limit = likeliest(&names().limit, by_name());
    let page = likeliest(&names().page, by_name());
    // A single `from` or `start` begins a range of dates.
    let offset = likeliest(&names().offset, by_name()).filter(|_| limit.is_some());
    (page.or(offset), limit, page.is_none() && offset.is_some())
}

fn first(page: &ReadParameter<'_>) -> u32 {
    let schema = &page.schema;
    let zero = |value: Option<f64>| value.map(|value| value <= 0.0);
    let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_f64);
    let described = split(&page.description).iter().any(|word| names().zero.contains(word));
    let starts_at_zero =
        zero(number(schema.default)).or_else(|| zero(schema.minimum)).or_else(|| zero(number(schema.example)));
    u32::from(!(described || starts_at_zero.unwrap_or(false)))
}

/// Returns the maximum rows of a page: a bound, the greatest number in the description, or the default.
fn rows(schema: &Schema<'_>, description: &str) -> u32 {
    let bound = schema.maximum.map(|most| format!("{most:.0}")).and_then(|most| most.parse::<u64>().ok());
    let described = split(description).iter().filter_map(|word| word.parse::<u64>().ok()).max();
    let default = schema.default.and_then(serde_json::Value::as_u64);
    let known = [bound, described, default].into_iter().flatten().find(|rows| (1..=MAX_ROWS).contains(rows));
    known.and_then(|rows| u32::try_from(rows).ok()).unwrap_or(0)
}

/// Returns a parameter as a field, for the comparison of names.
fn field(parameter: &Parameter) -> Field {
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
