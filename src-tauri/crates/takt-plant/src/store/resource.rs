//! The tables of the store, with their names, operations and members.

/// A table of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Materials,
    Stock,
    WorkOrders,
    Alerts,
    LaborTimes,
    Inspections,
    InspectionProcesses,
    QualityChecks,
    ConsumedLots,
    OrderHistory,
    WorkStations,
}

impl Resource {
    pub(crate) const ALL: [Self; 11] = [
        Self::Materials,
        Self::Stock,
        Self::WorkOrders,
        Self::Alerts,
        Self::LaborTimes,
        Self::Inspections,
        Self::InspectionProcesses,
        Self::QualityChecks,
        Self::ConsumedLots,
        Self::OrderHistory,
        Self::WorkStations,
    ];

    /// Returns the table's name in the control interface.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Materials => "materials",
            Self::Stock => "stock",
            Self::WorkOrders => "work-orders",
            Self::Alerts => "alerts",
            Self::LaborTimes => "labor-times",
            Self::Inspections => "inspections",
            Self::InspectionProcesses => "inspection-processes",
            Self::QualityChecks => "quality-checks",
            Self::ConsumedLots => "consumed-lots",
            Self::OrderHistory => "order-history",
            Self::WorkStations => "work-stations",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|resource| resource.name() == name)
    }

    /// Returns the operation that defines all members of the rows. No read returns stock, so its sync does.
    pub(crate) fn row_operation(self) -> &'static str {
        match self {
            Self::Materials => "materials.list",
            Self::Stock => "stock.sync",
            Self::WorkOrders => "work-orders.details",
            Self::Alerts => "alerts.list",
            Self::LaborTimes => "labor-times.list",
            Self::Inspections => "inspections.list",
            Self::InspectionProcesses => "inspection-processes.list",
            Self::QualityChecks => "quality-checks.list",
            Self::ConsumedLots => "consumed-lots.list",
            Self::OrderHistory => "order-history.list",
            Self::WorkStations => "work-stations.list",
        }
    }

    /// Returns the sync whose items may contain lists.
    pub(super) fn sync_operation(self) -> Option<&'static str> {
        match self {
            Self::Materials => Some("materials.sync"),
            Self::WorkOrders => Some("work-orders.sync"),
            Self::Inspections => Some("inspections.sync"),
            _ => None,
        }
    }

    /// Returns the member that contains the code of the work order, by which lists can be filtered.
    pub(crate) fn order_member(self) -> Option<&'static str> {
        match self {
            Self::WorkOrders => Some("code"),
            Self::Inspections | Self::QualityChecks | Self::ConsumedLots | Self::OrderHistory => Some("workOrderCode"),
            Self::Materials
            | Self::Stock
            | Self::Alerts
            | Self::LaborTimes
            | Self::InspectionProcesses
            | Self::WorkStations => None,
        }
    }

    /// Returns the pairs of members that are the begin and end of a time span. For a single date, both are the same
    /// member.
    pub(crate) fn time_span_members(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::WorkOrders | Self::Inspections => &[("beginPlanned", "endPlanned"), ("beginReal", "endReal")],
            Self::Alerts => &[("opened", "closed")],
            Self::LaborTimes => &[("begin", "end")],
            Self::QualityChecks => &[("plannedDate", "plannedDate"), ("executedDate", "executedDate")],
            Self::OrderHistory => &[("date", "date")],
            Self::Materials | Self::Stock | Self::InspectionProcesses | Self::ConsumedLots | Self::WorkStations => &[],
        }
    }
}
