//! Maps methods and paths of the contract to operations and their actions.

pub(crate) mod items;
pub(crate) mod limited_json;
pub(crate) mod parameters;

use axum::http::Method;
use takt_contract::{Contract, Operation};

use crate::{
    PlantError,
    store::{Resource, SyncOperation, View},
};

use items::{ItemCheck, stripped_schemas};
use parameters::ParameterChecks;

/// The action that performs an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    List(Resource, View),
    Sync(SyncOperation),
    TemplateProcesses,
    DeleteLinks,
    GraphQl,
}

impl Action {
    pub(crate) fn is_write(self) -> bool {
        matches!(self, Self::Sync(_) | Self::DeleteLinks)
    }

    /// Returns whether the operation uses the body. Other bodies are read and discarded, even if they are large.
    pub(crate) fn has_body(self) -> bool {
        self.is_write() || matches!(self, Self::GraphQl)
    }
}

const ACTIONS: [(&str, Action); 25] = [
    ("templates.processes", Action::TemplateProcesses),
    ("template-processes.delete", Action::DeleteLinks),
    ("graphql", Action::GraphQl),
    ("materials.list", Action::List(Resource::Materials, View::Full)),
    ("materials.sync", Action::Sync(SyncOperation::Materials)),
    ("work-orders.list", Action::List(Resource::WorkOrders, View::Brief)),
    ("work-orders.details", Action::List(Resource::WorkOrders, View::Full)),
    ("work-orders.sync", Action::Sync(SyncOperation::Orders)),
    ("work-orders.execution", Action::Sync(SyncOperation::OrderExecution)),
    ("work-orders.properties", Action::Sync(SyncOperation::OrderProperties)),
    ("work-orders.planning-dates", Action::Sync(SyncOperation::OrderDates)),
    ("stock.sync", Action::Sync(SyncOperation::Stock)),
    ("alerts.list", Action::List(Resource::Alerts, View::Full)),
    ("labor-times.list", Action::List(Resource::LaborTimes, View::Full)),
    ("inspections.list", Action::List(Resource::Inspections, View::Full)),
    ("inspections.sync", Action::Sync(SyncOperation::Inspections)),
    ("inspections.execution", Action::Sync(SyncOperation::InspectionExecution)),
    ("inspections.properties", Action::Sync(SyncOperation::InspectionProperties)),
    ("inspection-processes.list", Action::List(Resource::InspectionProcesses, View::Full)),
    ("inspection-processes.sync", Action::Sync(SyncOperation::InspectionProcesses)),
    ("quality-checks.list", Action::List(Resource::QualityChecks, View::Full)),
    ("consumed-lots.list", Action::List(Resource::ConsumedLots, View::Full)),
    ("consumed-lots.sync", Action::Sync(SyncOperation::Lots)),
    ("order-history.list", Action::List(Resource::OrderHistory, View::Full)),
    ("work-stations.list", Action::List(Resource::WorkStations, View::Full)),
];

pub(crate) fn find_action(id: &str) -> Option<Action> {
    ACTIONS.iter().find(|(known, _)| *known == id).map(|(_, action)| *action)
}

/// Returns the lists that return full rows, each with the list that returns only some members, if there is one.
pub fn copied_lists() -> Vec<(&'static str, Option<&'static str>)> {
    let lists = |view: View| {
        ACTIONS.iter().filter_map(move |(id, action)| match action {
            Action::List(resource, known) if *known == view => Some((*resource, *id)),
            _ => None,
        })
    };
    let shorter = |resource| lists(View::Brief).find(|(known, _)| *known == resource).map(|(_, id)| id);
    lists(View::Full).map(|(resource, id)| (id, shorter(resource))).collect()
}

/// An operation with the data for answering it.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) operation: Operation,
    pub(crate) action: Action,
    /// The validation of items. Set for syncs and batch deletes.
    pub(crate) check: Option<ItemCheck>,
    pub(crate) parameters: ParameterChecks,
    method: Method,
    segments: Vec<String>,
}

/// The result of looking up an address.
pub(crate) enum RouteMatch<'a> {
    Route(&'a Route, Vec<String>),
    /// The address exists, but only with these methods.
    OtherMethod(String),
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Interface(Vec<Route>);

impl Interface {
    /// Creates the routes. `site` is the site's contract, whose required fields are checked, too.
    pub(crate) fn new(
        contract: &Contract,
        site: Option<&Contract>,
        zone: &jiff::tz::TimeZone,
    ) -> Result<Self, PlantError> {
        let schemas = stripped_schemas(contract.document());
        let route = |(id, action): &(&str, Action)| {
            let missing = || PlantError::Operation((*id).to_owned());
            let operation = contract.operation(id).ok_or_else(missing)?.clone();
            let of_site = site.and_then(|site| site.operation(id)?.request.as_ref());
            let check = match &operation.request {
                Some(shape) => Some(ItemCheck::new(&schemas, shape, &operation.key, zone)?.with_site(of_site)),
                None if action.is_write() => return Err(missing()),
                None => None,
            };
            let method = operation.method.parse().map_err(|_| missing())?;
            let segments = operation.path.split('/').map(str::to_owned).collect();
            let parameters =
                ParameterChecks::from_operation(contract.document(), &operation.path, &operation.method, zone)?;
            Ok(Route { operation, action: *action, check, parameters, method, segments })
        };
        ACTIONS.iter().map(route).collect::<Result<_, PlantError>>().map(Self)
    }

    pub(crate) fn find_route(&self, method: &Method, path: &str) -> RouteMatch<'_> {
        // The server answers `HEAD` like `GET` and omits the body.
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let mut allowed = Vec::new();
        for route in &self.0 {
            let Some(values) = match_path(&route.segments, path) else { continue };
            if route.method == *method {
                return RouteMatch::Route(route, values);
            }
            allowed.push(route.method.as_str());
        }
        if allowed.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethod(allowed.join(", ")) }
    }
}

/// Returns the values of the path's parameters if the path matches the pattern.
fn match_path(pattern: &[String], path: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut pieces = path.split('/');
    for segment in pattern {
        let piece = pieces.next()?;
        if segment.starts_with('{') {
            values.push(piece.to_owned());
        } else if segment != piece {
            return None;
        }
    }
    pieces.next().is_none().then_some(values)
}
