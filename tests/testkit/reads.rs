//! What can be read of a service, for tests that look at all of it.

/// The one read whose path names what is asked for: a template.
pub const OF_TEMPLATE: &str = "templates.processes";

/// Each read operation with the plant's own name for what it shows.
pub const READS: [(&str, &str); 12] = [
    (OF_TEMPLATE, "inspection-processes"),
    ("materials.list", "materials"),
    ("work-orders.list", "work-orders"),
    ("work-orders.details", "work-orders"),
    ("alerts.list", "alerts"),
    ("labor-times.list", "labor-times"),
    ("inspections.list", "inspections"),
    ("inspection-processes.list", "inspection-processes"),
    ("quality-checks.list", "quality-checks"),
    ("consumed-lots.list", "consumed-lots"),
    ("order-history.list", "order-history"),
    ("work-stations.list", "work-stations"),
];
