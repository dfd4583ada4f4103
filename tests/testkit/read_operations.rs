//! The read operations of a service, for tests that check all of them.

/// The only read operation with a parameter in its path, the template's ID.
pub const TEMPLATE_PROCESSES: &str = "templates.processes";

/// The read operations, each with the plant's name of its resource.
pub const READ_OPERATIONS: [(&str, &str); 12] = [
    (TEMPLATE_PROCESSES, "inspection-processes"),
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
