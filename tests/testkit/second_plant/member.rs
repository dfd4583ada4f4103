//! The members of the second plant's data, with the practice plant's names for them. They are written by hand and must
//! not be derived from Takt's contract.

use super::value_format::ValueFormat::{
    self, DateTime, Enumeration, IsoDuration, List, Minutes, Object, Same, Weekday,
};

/// A member of this plant with its format, and the practice plant's name for it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) site: &'static str,
    pub(super) plant: &'static str,
    pub(super) value_format: ValueFormat,
}

/// The members of one kind of object.
pub(super) type Entity = &'static [Member];

const fn member(site: &'static str, plant: &'static str, value_format: ValueFormat) -> Member {
    Member { site, plant, value_format }
}

const fn unconverted_member(site: &'static str, plant: &'static str) -> Member {
    member(site, plant, Same)
}

const ORDER_TYPES: ValueFormat = Enumeration(&[(1, "Production"), (2, "Rework"), (3, "Prototype")]);
const ALARM_CATEGORIES: ValueFormat = Enumeration(&[
    (10, "Material"),
    (20, "Maintenance"),
    (30, "Quality"),
    (40, "Safety"),
    (50, "Tooling"),
    (60, "Help"),
]);
const HISTORY_KINDS: ValueFormat = Enumeration(&[(0, "planning"), (1, "runtime")]);

const ATTRIBUTES: ValueFormat = List(&[
    unconverted_member("Attribute", "key"),
    unconverted_member("Value", "value"),
    unconverted_member("DisplayName", "name"),
    unconverted_member("Locked", "isLocked"),
]);

const COMPONENTS: ValueFormat = List(&[
    unconverted_member("ArticleNumber", "code"),
    unconverted_member("Description", "description"),
    unconverted_member("Position", "sequence"),
    unconverted_member("Quantity", "quantity"),
    unconverted_member("Unit", "uoM"),
    unconverted_member("ConsumedQuantity", "quantityConsumed"),
    member(
        "Consumptions",
        "consumedRawMaterials",
        List(&[unconverted_member("Quantity", "quantity"), unconverted_member("LotNumber", "serialNumber")]),
    ),
]);

const BOOKINGS: ValueFormat = List(&[
    unconverted_member("Id", "id"),
    member("BookedAt", "date", DateTime),
    unconverted_member("Yield", "producedGoodQuantity"),
    unconverted_member("Scrap", "producedBadQuantity"),
]);

pub(super) const ARTICLE: Entity = &[
    unconverted_member("ArticleNumber", "code"),
    unconverted_member("Description", "description"),
    unconverted_member("Unit", "uoM"),
    unconverted_member("ProductGroup", "family"),
    unconverted_member("ArticleType", "type"),
    unconverted_member("Active", "isActive"),
    member("Attributes", "properties", ATTRIBUTES),
];

/// A production order with all details. The practice plant's list without details omits some members.
pub(super) const PRODUCTION_ORDER: Entity = &[
    unconverted_member("Id", "id"),
    unconverted_member("OrderNumber", "code"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("ArticleNumber", "materialCode"),
    member("OrderType", "type", ORDER_TYPES),
    unconverted_member("Cluster", "workOrderGrouper"),
    unconverted_member("CustomerName", "customer"),
    member("DueDate", "promiseDate", DateTime),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("TemplateId", "templateId"),
    unconverted_member("Status", "statusDescription"),
    unconverted_member("StatusDetail", "statusAdditionalDescription"),
    unconverted_member("StatusRemark", "statusNote"),
    unconverted_member("TargetQuantity", "requestedQuantity"),
    unconverted_member("Yield", "producedGoodQuantity"),
    unconverted_member("Scrap", "producedBadQuantity"),
    member("PlannedStart", "beginPlanned", DateTime),
    member("PlannedEnd", "endPlanned", DateTime),
    member("ActualStart", "beginReal", DateTime),
    member("ActualEnd", "endReal", DateTime),
    member("PlannedLaborTime", "laborPredictedTime", IsoDuration),
    member("PlannedMachineTime", "machinePredictedTime", IsoDuration),
    unconverted_member("Remarks", "note"),
    member("Components", "rawMaterials", COMPONENTS),
    member("Attributes", "properties", ATTRIBUTES),
    member("LaborTimeVA", "laborValueAddedTime", IsoDuration),
    member("LaborTimeNVA", "laborNonValueAddedTime", IsoDuration),
    member("MachineTimeVA", "machineValueAddedTime", IsoDuration),
    member("MachineTimeNVA", "machineNonValueAddedTime", IsoDuration),
    member("Bookings", "producedQuantityHistory", BOOKINGS),
];

pub(super) const ORDER_ATTRIBUTE: Entity = &[
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("Attribute", "key"),
    unconverted_member("Value", "value"),
    unconverted_member("DisplayName", "name"),
    unconverted_member("Locked", "isLocked"),
];

pub(super) const INVENTORY: Entity = &[
    unconverted_member("ArticleNumber", "materialCode"),
    unconverted_member("QuantityOnHand", "quantity"),
    unconverted_member("Unit", "uoM"),
    unconverted_member("Warehouse", "warehouse"),
    unconverted_member("Bin", "location"),
    unconverted_member("LotNumber", "serialNumber"),
    member("CountedAt", "date", DateTime),
];

pub(super) const ALARM: Entity = &[
    unconverted_member("Id", "id"),
    member("Category", "type", ALARM_CATEGORIES),
    unconverted_member("State", "status"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("WorkCenterName", "workStation"),
    member("RaisedAt", "opened", DateTime),
    member("AcknowledgedAt", "acknowledged", DateTime),
    member("ClosedAt", "closed", DateTime),
    unconverted_member("Remarks", "note"),
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("BadgeNumber", "employeeBadge"),
];

pub(super) const TIME_ENTRY: Entity = &[
    unconverted_member("BadgeNumber", "employeeBadge"),
    unconverted_member("EmployeeName", "employeeName"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("WorkCenterName", "workStation"),
    member("ClockIn", "begin", DateTime),
    member("ClockOut", "end", DateTime),
    member("DurationMinutes", "duration", Minutes),
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("ArticleNumber", "materialCode"),
];

pub(super) const INSPECTION_ORDER: Entity = &[
    unconverted_member("InspectionNumber", "code"),
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("ProcessNo", "processCode"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("Status", "statusDescription"),
    unconverted_member("SampleSize", "quantity"),
    unconverted_member("PassedQuantity", "producedGoodQuantity"),
    unconverted_member("FailedQuantity", "producedBadQuantity"),
    member("PlannedStart", "beginPlanned", DateTime),
    member("PlannedEnd", "endPlanned", DateTime),
    member("ActualStart", "beginReal", DateTime),
    member("ActualEnd", "endReal", DateTime),
    unconverted_member("Remarks", "note"),
    member("Attributes", "properties", ATTRIBUTES),
];

pub(super) const PROCESS: Entity = &[
    unconverted_member("ProcessNo", "code"),
    unconverted_member("Description", "description"),
    member("LaborMinutes", "predictedLaborTime", Minutes),
    member("MachineMinutes", "predictedMachineTime", Minutes),
    unconverted_member("IsInspection", "isQualityInspection"),
];

pub(super) const QUALITY_CHECK: Entity = &[
    unconverted_member("CheckNumber", "code"),
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("Description", "description"),
    unconverted_member("Status", "status"),
    member("PlannedAt", "plannedDate", DateTime),
    member("ExecutedAt", "executedDate", DateTime),
    unconverted_member("Result", "result"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("BadgeNumber", "employeeBadge"),
    unconverted_member("Remarks", "note"),
];

pub(super) const CONSUMPTION: Entity = &[
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    unconverted_member("ArticleNumber", "materialCode"),
    unconverted_member("Description", "description"),
    unconverted_member("LotNumber", "serialNumber"),
    unconverted_member("Quantity", "quantity"),
    unconverted_member("Unit", "uoM"),
    member("ConsumedAt", "date", DateTime),
];

pub(super) const HISTORY_ENTRY: Entity = &[
    unconverted_member("OrderNumber", "workOrderCode"),
    unconverted_member("OperationNo", "operationCode"),
    member("Kind", "kind", HISTORY_KINDS),
    member("Timestamp", "date", DateTime),
    unconverted_member("EventName", "event"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("Status", "statusDescription"),
    member("PlannedStart", "beginPlanned", DateTime),
    member("PlannedEnd", "endPlanned", DateTime),
    member("Duration", "duration", IsoDuration),
    unconverted_member("Yield", "producedGoodQuantity"),
    unconverted_member("Scrap", "producedBadQuantity"),
    unconverted_member("BadgeNumber", "employeeBadge"),
    unconverted_member("ChangedBy", "userTrigger"),
    unconverted_member("Remarks", "note"),
];

pub(super) const WORK_CENTER: Entity = &[
    unconverted_member("WorkCenter", "code"),
    unconverted_member("Name", "description"),
    unconverted_member("Active", "isActive"),
    member(
        "Department",
        "area",
        Object(&[unconverted_member("Code", "code"), unconverted_member("Name", "description")]),
    ),
    member("Shifts", "shifts", SHIFTS),
    member("Downtimes", "programmedStoppages", DOWNTIMES),
];

const SHIFTS: ValueFormat = List(&[
    unconverted_member("Code", "code"),
    unconverted_member("Name", "description"),
    member(
        "Intervals",
        "intervals",
        List(&[
            member("DayOfWeek", "weekday", Weekday),
            unconverted_member("From", "begin"),
            unconverted_member("To", "end"),
        ]),
    ),
]);

const DOWNTIMES: ValueFormat = List(&[
    unconverted_member("Reason", "description"),
    unconverted_member("Status", "status"),
    unconverted_member("Department", "areaCode"),
    unconverted_member("WorkCenter", "workStationCode"),
    unconverted_member("BadgeNumber", "employeeBadge"),
    unconverted_member("TemplateId", "templateId"),
    member("From", "begin", DateTime),
    member("To", "end", DateTime),
]);

pub(super) const TEMPLATE_LINK: Entity = &[
    unconverted_member("TemplateId", "templateId"),
    unconverted_member("ProcessNo", "processCode"),
    unconverted_member("OperationNo", "operationCode"),
];
