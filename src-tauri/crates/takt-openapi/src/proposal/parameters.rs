//! Parameters and pages.

use serde::de::DeserializeOwned;
use takt_contract::{
    Field, Limits, Operation, OperationKind, Parameter, ParameterPlace,
    form::{CountPlace, Paging, ValueForm},
    overlay::{OperationOverlay, PagingOverlay, ParameterOverlay},
};

use super::{NoteKind, Proposer, document_node, marks, shape::camel};
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

/// Parameters of an operation that are proposed.
const MAX_PARAMETERS: usize = 60;
/// More rows than this on a page is a number of something else.
const MAX_ROWS: u64 = 100_000;

impl Proposer<'_> {
    /// How pages are asked for, or that there are none.
    pub(super) fn paging(&mut self, id: &str, theirs: &DocumentOperation) -> PagingOverlay {
        if let Some(paging) = marks::of::<Option<Paging>>(document_node(self.document, theirs), "x-takt-paging") {
            return PagingOverlay { paging };
        }
        let asked = read_parameters::parameters(self.document, theirs);
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
        self.counts(theirs, &mut paging);
        if rows == 0 {
            self.note(id, "", NoteKind::UnknownPageSize);
        }
        PagingOverlay { paging: Some(paging) }
    }

    /// Where the answer says how much there is: a header, or a member beside the list.
    fn counts(&self, theirs: &DocumentOperation, paging: &mut Paging) {
        let headers = theirs.answers.iter().filter(|answer| answer.is_success()).flat_map(|answer| &answer.headers);
        let headers: Vec<&String> = headers.collect();
        let members = answer(self.document, theirs).map(|body| self.numbers(&body)).unwrap_or_default();
        let count = |names: &[String]| {
            let header = likeliest(names, headers.iter().map(|name| (name.as_str(), *name)));
            let member = || {
                let named = members.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path));
                likeliest(names, named)
            };
            header.cloned().map(CountPlace::Header).or_else(|| member().cloned().map(CountPlace::Member))
        };
        paging.total = count(&names().total);
        paging.pages = count(&names().pages);
        paging.current = count(&names().current);
    }

    /// The dotted paths of a body's whole numbers, two levels deep.
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

    /// Every parameter in path and query that isn't about pages.
    pub(super) fn parameters(
        &mut self,
        ours: &Operation,
        theirs: &DocumentOperation,
        overlay: &OperationOverlay,
    ) -> Vec<ParameterOverlay> {
        let paging = overlay.paging.as_ref().and_then(|paging| paging.paging.as_ref());
        let pages = |name: &str| paging.is_some_and(|paging| paging.asks_with(name));
        let in_header =
            |one: &ReadParameter<'_>| matches!(one.place, Some(DocumentPlace::Header | DocumentPlace::Cookie));
        let mut asked = read_parameters::parameters(self.document, theirs);
        if ours.kind != OperationKind::Read {
            asked.retain(|one| one.place.is_some());
        }
        for parameter in asked.iter().filter(|parameter| parameter.required && in_header(parameter)) {
            self.note(&ours.id, &parameter.name, NoteKind::RequiredHeader);
        }
        let theirs: Vec<&ReadParameter<'_>> =
            asked.iter().filter(|one| !in_header(one) && !pages(&one.name)).take(MAX_PARAMETERS).collect();
        let fields: Vec<Field> = ours.parameters.iter().map(field).collect();
        let members: Vec<MemberName> = theirs.iter().map(|parameter| member_name(parameter)).collect();
        let path = overlay.path.clone().unwrap_or_default();
        let matches = match_names(&members, &fields, [&ours.id, &path]);
        let mut parameters = Vec::new();
        for parameter in theirs {
            let known = matches.iter().find(|one| one.member.as_deref() == Some(parameter.name.as_str()));
            let known = known.and_then(|one| ours.parameters.iter().find(|own| own.name == one.field));
            parameters.push(self.parameter(ours, known, parameter, overlay));
        }
        parameters
    }

    fn parameter(
        &mut self,
        ours: &Operation,
        known: Option<&Parameter>,
        theirs: &ReadParameter<'_>,
        overlay: &OperationOverlay,
    ) -> ParameterOverlay {
        let schema = &theirs.schema;
        let value = marks::value(schema)
            .or_else(|| value::value(self.document, theirs.last_name(), schema, known.map(|known| known.kind)));
        let new_name = || marked(theirs, "x-takt-field").unwrap_or_else(|| camel(theirs.last_name()));
        let name = known.map_or_else(new_name, |known| known.name.clone());
        if let Some(doubt) = value.as_ref().and_then(|value| value.doubt) {
            self.note(&ours.id, &name, NoteKind::Value(doubt));
        }
        if known.is_none() && theirs.required {
            self.note(&ours.id, &name, NoteKind::RequiredParameter);
        }
        let place = match theirs.place {
            Some(DocumentPlace::Path) => ParameterPlace::Path,
            Some(_) => ParameterPlace::Query,
            None => ParameterPlace::Body,
        };
        ParameterOverlay {
            wire: (theirs.name != name).then(|| theirs.name.clone()),
            place: Some(place),
            kind: value.as_ref().map(|value| value.kind),
            form: value.map(|value| value.form),
            required: Some(marked(theirs, "x-takt-required").unwrap_or(theirs.required)),
            names: known.is_none().then(|| {
                marked(theirs, "x-takt-names").unwrap_or_else(|| super::shape::names_of(theirs.last_name(), None))
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

/// What asks for page and rows per page.
type PageParameters<'a> = (Option<&'a ReadParameter<'a>>, Option<&'a ReadParameter<'a>>, bool);

/// The parameters for page and rows per page, and whether the first counts rows.
fn page_parameters<'a>(asked: &'a [ReadParameter<'a>]) -> PageParameters<'a> {
    let places = |one: &&ReadParameter<'_>| matches!(one.place, None | Some(DocumentPlace::Query));
    let named = || asked.iter().filter(places).map(|one| (one.last_name(), one));
    let limit = likeliest(&names().limit, named());
    let page = likeliest(&names().page, named());
    // A single `from` or `start` is the begin of a span of time.
    let offset = likeliest(&names().offset, named()).filter(|_| limit.is_some());
    (page.or(offset), limit, page.is_none() && offset.is_some())
}

fn first(page: &ReadParameter<'_>) -> u32 {
    let schema = &page.schema;
    let zero = |value: Option<f64>| value.map(|value| value <= 0.0);
    let number = |value: Option<&serde_json::Value>| value.and_then(serde_json::Value::as_f64);
    let described = split(&page.description).iter().any(|word| names().zero.contains(word));
    let said = zero(number(schema.default)).or_else(|| zero(schema.minimum)).or_else(|| zero(number(schema.example)));
    u32::from(!(described || said.unwrap_or(false)))
}

/// The most rows of a page: a bound, the greatest number of the description, or the default.
fn rows(schema: &Schema<'_>, description: &str) -> u32 {
    let bound = schema.maximum.map(|most| format!("{most:.0}")).and_then(|most| most.parse::<u64>().ok());
    let described = split(description).iter().filter_map(|word| word.parse::<u64>().ok()).max();
    let default = schema.default.and_then(serde_json::Value::as_u64);
    let known = [bound, described, default].into_iter().flatten().find(|rows| (1..=MAX_ROWS).contains(rows));
    known.and_then(|rows| u32::try_from(rows).ok()).unwrap_or(0)
}

/// A parameter in the form in which names are compared.
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
        sense: Vec::new(),
        fields: Vec::new(),
    }
}
