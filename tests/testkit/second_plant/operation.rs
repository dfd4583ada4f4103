//! The second plant's operations, and the practice plant's operations that execute them.

use super::member::{
    ALARM, ARTICLE, CONSUMPTION, Entity, HISTORY_ENTRY, INSPECTION_ORDER, INVENTORY, ORDER_ATTRIBUTE, PROCESS,
    PRODUCTION_ORDER, QUALITY_CHECK, TEMPLATE_LINK, TIME_ENTRY, WORK_CENTER,
};

/// An operation. Its path may contain a parameter in braces, which is forwarded.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// The method and path on the practice plant.
    pub(super) plant: (&'static str, &'static str),
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A list with pages.
    Pages(Entity),
    /// A list without pages.
    Rows(Entity),
    /// A template's processes, without pages.
    Processes,
    /// An import. Its response lists only failures.
    Import(Entity, Body),
    /// The deletion of links. Its response lists every link.
    DeleteLinks,
    /// GraphQL, which is forwarded unchanged.
    Graphql,
    /// Tools, which exist only on this plant. So do calibrations.
    Tools,
    Calibrations,
}

/// The position of the list of items in a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// An object whose `Items` is the list.
    Items,
    /// The list.
    List,
}

const fn get(path: &'static str, plant: &'static str, kind: Kind) -> Operation {
    Operation { method: "GET", path, plant: ("GET", plant), kind }
}

const fn import(
    method: &'static str,
    path: &'static str,
    plant: &'static str,
    entity: Entity,
    body: Body,
) -> Operation {
    Operation { method, path, plant: ("POST", plant), kind: Kind::Import(entity, body) }
}

/// A request with which the practice plant checks the token for a read. [`WRITE_TOKEN_CHECK`] is for writes.
pub(super) const READ_TOKEN_CHECK: (&str, &str) = ("GET", "/api/v1/WorkStations?limit=1");
pub(super) const WRITE_TOKEN_CHECK: (&str, &str) = ("POST", "/api/v1/Materials/batch");

pub(super) const OPERATIONS: [Operation; 27] = [
    get("/mes/v2/articles", "/api/v1/Materials", Kind::Pages(ARTICLE)),
    import("POST", "/mes/v2/articles/import", "/api/v1/Materials/batch", ARTICLE, Body::Items),
    get("/mes/v2/production-orders", "/api/v1/WorkOrders", Kind::Pages(PRODUCTION_ORDER)),
    import("PUT", "/mes/v2/production-orders", "/api/v1/WorkOrders/batch", PRODUCTION_ORDER, Body::Items),
    get("/mes/v2/production-orders/details", "/api/v1/WorkOrders/ProductionDetails", Kind::Pages(PRODUCTION_ORDER)),
    get("/mes/v2/production-orders/history", "/api/v1/WorkOrderHistory", Kind::Pages(HISTORY_ENTRY)),
    import(
        "PUT",
        "/mes/v2/production-orders/progress",
        "/api/v1/WorkOrders/CurrentExecution/batch",
        PRODUCTION_ORDER,
        Body::List,
    ),
    import(
        "PUT",
        "/mes/v2/production-orders/attributes",
        "/api/v1/WorkOrders/Properties/batch",
        ORDER_ATTRIBUTE,
        Body::List,
    ),
    import(
        "POST",
        "/mes/v2/production-orders/reschedule",
        "/api/v1/WorkOrders/PlanningDates/batch",
        PRODUCTION_ORDER,
        Body::Items,
    ),
    import("POST", "/mes/v2/inventory/import", "/api/v1/MaterialInventories/batch", INVENTORY, Body::Items),
    get("/mes/v2/alarms", "/api/v1/ProductionAlerts", Kind::Pages(ALARM)),
    get("/mes/v2/time-tracking/entries", "/api/v1/EmployeeHours", Kind::Pages(TIME_ENTRY)),
    get("/mes/v2/inspection-orders", "/api/v1/Inspections", Kind::Pages(INSPECTION_ORDER)),
    import("POST", "/mes/v2/inspection-orders/import", "/api/v1/Inspections/batch", INSPECTION_ORDER, Body::Items),
    import(
        "PUT",
        "/mes/v2/inspection-orders/progress",
        "/api/v1/Inspections/CurrentExecution/batch",
        INSPECTION_ORDER,
        Body::List,
    ),
    import(
        "PUT",
        "/mes/v2/inspection-orders/attributes",
        "/api/v1/Inspections/Properties/batch",
        ORDER_ATTRIBUTE,
        Body::List,
    ),
    get("/mes/v2/processes", "/api/v1/InspectionProcesses", Kind::Pages(PROCESS)),
    import("POST", "/mes/v2/processes/import", "/api/v1/InspectionProcesses/batch", PROCESS, Body::Items),
    get("/mes/v2/quality-checks", "/api/v1/QualityChecks", Kind::Pages(QUALITY_CHECK)),
    get("/mes/v2/consumptions", "/api/v1/ConsumedLots", Kind::Pages(CONSUMPTION)),
    import("POST", "/mes/v2/consumptions/import", "/api/v1/ConsumedLots/batch", CONSUMPTION, Body::Items),
    get("/mes/v2/work-centers", "/api/v1/WorkStations", Kind::Rows(WORK_CENTER)),
    get(
        "/mes/v2/process-templates/{templateId}/processes",
        "/api/v1/ProcessExecutionTemplates/{templateId}/Processes",
        Kind::Processes,
    ),
    Operation {
        method: "POST",
        path: "/mes/v2/process-templates/links/bulk-delete",
        plant: ("DELETE", "/api/v1/ProcessExecutionTemplateProcesses/batch"),
        kind: Kind::DeleteLinks,
    },
    Operation { method: "POST", path: "/graphql", plant: ("POST", "/graphql"), kind: Kind::Graphql },
    Operation { method: "GET", path: "/mes/v2/tools", plant: READ_TOKEN_CHECK, kind: Kind::Tools },
    Operation { method: "POST", path: "/mes/v2/tool-calibrations", plant: WRITE_TOKEN_CHECK, kind: Kind::Calibrations },
];

impl Operation {
    /// Returns the practice plant's path if `path` matches this operation.
    pub(super) fn target(&self, path: &str) -> Option<String> {
        let Some((before, after)) = self.path.split_once("{templateId}") else {
            return (self.path == path).then(|| self.plant.1.to_owned());
        };
        let value = path.strip_prefix(before)?.strip_suffix(after)?;
        (!value.is_empty() && !value.contains('/')).then(|| self.plant.1.replace("{templateId}", value))
    }

    /// Returns the members of the operation's rows. Empty for operations without translated rows.
    pub(super) fn entity(&self) -> Entity {
        match self.kind {
            Kind::Pages(entity) | Kind::Rows(entity) | Kind::Import(entity, _) => entity,
            Kind::Processes => PROCESS,
            Kind::DeleteLinks => TEMPLATE_LINK,
            Kind::Graphql | Kind::Tools | Kind::Calibrations => &[],
        }
    }
}
