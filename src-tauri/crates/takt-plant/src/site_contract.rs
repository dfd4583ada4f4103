//! A site's contract, with its routes for built-in operations and its additional members of rows.
//!
//! Requests and responses are translated in `translation`.

use axum::http::Method;
use jiff::tz::TimeZone;
use takt_contract::{
    Assumption, Contract, Field, Operation,
    form::ErrorForm,
    overlay::{AssumptionOverlay, FieldOverlay, OperationOverlay, Overlay, ShapeOverlay},
};

const SENT_LISTS: &str = "sent-lists";

/// An operation of the site, with the built-in operation that it corresponds to.
#[derive(Debug)]
pub(crate) struct SiteRoute {
    pub(crate) site: Operation,
    pub(crate) builtin: Operation,
    method: Method,
    segments: Vec<String>,
}

/// The routes of a site's contract, with the error forms of both contracts.
#[derive(Debug)]
pub(crate) struct SiteContract {
    routes: Vec<SiteRoute>,
    pub(crate) errors: ErrorForm,
    pub(crate) builtin_errors: ErrorForm,
    pub(crate) zone: TimeZone,
}

impl SiteContract {
    pub(crate) fn new(builtin: &Contract, site: &Contract, zone: &TimeZone) -> Self {
        let route = |operation: &Operation| {
            Some(SiteRoute {
                builtin: builtin.operation(&operation.id)?.clone(),
                method: operation.method.parse().ok()?,
                segments: operation.path.split('/').map(str::to_owned).collect(),
                site: operation.clone(),
            })
        };
        Self {
            routes: site.operations().iter().filter_map(route).collect(),
            errors: site.error_form().clone(),
            builtin_errors: builtin.error_form().clone(),
            zone: zone.clone(),
        }
    }

    /// Returns the route with this address. Also returns the values of the path's parameters, by their names on the
    /// wire.
    pub(crate) fn find_route(&self, method: &Method, path: &str) -> Option<(&SiteRoute, Vec<(&str, String)>)> {
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.routes.iter().find_map(|route| {
            let values = if route.method == *method { route.match_path(path) } else { None };
            values.map(|values| (route, values))
        })
    }
}

impl SiteRoute {
    fn match_path(&self, path: &str) -> Option<Vec<(&str, String)>> {
        let mut values = Vec::new();
        let mut pieces = path.split('/');
        for segment in &self.segments {
            let piece = pieces.next()?;
            match segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) if !piece.is_empty() => values.push((name, piece.to_owned())),
                None if segment == piece => {}
                Some(_) | None => return None,
            }
        }
        pieces.next().is_none().then_some(values)
    }
}

/// Extends the built-in contract by the site's additional members, nulls and list effects.
pub(crate) fn extend_contract(builtin: &Contract, site: &Contract) -> Contract {
    let change = |operation: &Operation| {
        let (own, of_site) = (operation.answer.as_ref()?, site.operation(&operation.id)?.answer.as_ref()?);
        let fields = extend_fields(&own.fields, &of_site.fields);
        let answer = Some(ShapeOverlay { fields, ..ShapeOverlay::default() });
        Some(OperationOverlay { answer, ..OperationOverlay::new(&operation.id, operation.provenance.clone()) })
    };
    let operations = builtin.operations().iter().filter_map(change).collect();
    let of_rows = |assumption: &&Assumption| assumption.id == SENT_LISTS;
    let assumptions = site.assumptions().iter().filter(of_rows).filter_map(|assumption| {
        let (id, provenance) = (assumption.id.clone(), assumption.provenance.clone());
        Some(AssumptionOverlay { id, value: assumption.value.clone()?, provenance })
    });
    let assumptions = assumptions.collect();
    builtin.with_overlay(&Overlay { operations, assumptions, ..Overlay::default() }, &TimeZone::UTC)
}

fn extend_fields(own: &[Field], of_site: &[Field]) -> Vec<FieldOverlay> {
    let change = |field: &Field| {
        let known = own.iter().find(|known| known.name == field.name);
        FieldOverlay {
            kind: if known.is_some() { None } else { Some(field.kind) },
            required: Some(known.is_some_and(|known| known.required) && field.required),
            nullable: Some(known.is_none_or(|known| known.nullable) || field.nullable),
            fields: extend_fields(known.map(|known| known.fields.as_slice()).unwrap_or_default(), &field.fields),
            ..FieldOverlay::new(&field.name, field.provenance.clone())
        }
    };
    of_site.iter().map(change).collect()
}
