//! The members of the second plant's data, with the practice plant's names for them. They are written by hand and must
//! not be derived from Takt's contract.

use super::form::Form::{self, Enumeration, IsoDuration, List, Minutes, Moment, Object, Same, Weekday};

/// A member of this plant with its format, and the practice plant's name for it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) site: &'static str,
    pub(super) plant: &'static str,
    pub(super) form: Form,
}

/// The members of one kind of object.
pub(super) type Entity = &'static [Member];

const fn member(site: &'static str, plant: &'static str, form: Form) -> Member {
    Member { site, plant, form }
}

const fn same(site: &'static str, plant: &'static str) -> Member {
    member(site, plant, Same)
}

const ORDER_TYPES: Form = Enumeration(&[(1, "Production"), (2, "Rework"), (3, "Prototype")]);
const ALARM_CATEGORIES: Form = Enumeration(&[
    (10, "Material"),
    (20, "Maintenance"),
    (30, "Quality"),
    (40, "Safety"),
    (50, "Tooling"),
    (60, "Help"),
]);
const HISTORY_KINDS: Form = Enumeration(&[(0, "planning"), (1, "runtime")]);

const ATTRIBUTES: Form =
    List(&[same("Attribute", "key"), same("Value", "value"), same("DisplayName", "name"), same("Locked", "isLocked")]);

const COMPONENTS: Form = List(&[
    same("ArticleNumber", "code"),
    same("Description", "description"),
    same("Position", "sequence"),
    same("Quantity", "quantity"),
    same("Unit", "uoM"),
    same("ConsumedQuantity", "quantityConsumed"),
    member(
        "Consumptions",
        "consumedRawMaterials",
        List(&[same("Quantity", "quantity"), same("LotNumber", "serialNumber")]),
    ),
]);

const BOOKINGS: Form = List(&[
    same("Id", "id"),
    member("BookedAt", "date", Moment),
    same("Yield", "producedGoodQuantity"),
    same("Scrap", "producedBadQuantity"),
]);

pub(super) const ARTICLE: Entity = &[
    same("ArticleNumber", "code"),
    same("Description", "description"),
    same("Unit", "uoM"),
    same("ProductGroup", "family"),
    same("ArticleType", "type"),
    same("Active", "isActive"),
    member("Attributes", "properties", ATTRIBUTES),
];

/// A production order with all details. The practice plant's list without details omits some members.
pub(super) const PRODUCTION_ORDER: Entity = &[
    same("Id", "id"),
    same("OrderNumber", "code"),
    same("OperationNo", "operationCode"),
    same("ArticleNumber", "materialCode"),
    member("OrderType", "type", ORDER_TYPES),
    same("Cluster", "workOrderGrouper"),
    same("CustomerName", "customer"),
    member("DueDate", "promiseDate", Moment),
    same("WorkCenter", "workStationCode"),
    same("TemplateId", "templateId"),
    same("Status", "statusDescription"),
    same("StatusDetail", "statusAdditionalDescription"),
    same("StatusRemark", "statusNote"),
    same("TargetQuantity", "requestedQuantity"),
    same("Yield", "producedGoodQuantity"),
    same("Scrap", "producedBadQuantity"),
    member("PlannedStart", "beginPlanned", Moment),
    member("PlannedEnd", "endPlanned", Moment),
    member("ActualStart", "beginReal", Moment),
    member("ActualEnd", "endReal", Moment),
    member("PlannedLaborTime", "laborPredictedTime", IsoDuration),
    member("PlannedMachineTime", "machinePredictedTime", IsoDuration),
    same("Remarks", "note"),
    member("Components", "rawMaterials", COMPONENTS),
    member("Attributes", "properties", ATTRIBUTES),
    member("LaborTimeVA", "laborValueAddedTime", IsoDuration),
    member("LaborTimeNVA", "laborNonValueAddedTime", IsoDuration),
    member("MachineTimeVA", "machineValueAddedTime", IsoDuration),
    member("MachineTimeNVA", "machineNonValueAddedTime", IsoDuration),
    member("Bookings", "producedQuantityHistory", BOOKINGS),
];

pub(super) const ORDER_ATTRIBUTE: Entity = &[
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("Attribute", "key"),
    same("Value", "value"),
    same("DisplayName", "name"),
    same("Locked", "isLocked"),
];

pub(super) const INVENTORY: Entity = &[
    same("ArticleNumber", "materialCode"),
    same("QuantityOnHand", "quantity"),
    same("Unit", "uoM"),
    same("Warehouse", "warehouse"),
    same("Bin", "location"),
    same("LotNumber", "serialNumber"),
    member("CountedAt", "date", Moment),
];

pub(super) const ALARM: Entity = &[
    same("Id", "id"),
    member("Category", "type", ALARM_CATEGORIES),
    same("State", "status"),
    same("WorkCenter", "workStationCode"),
    same("WorkCenterName", "workStation"),
    member("RaisedAt", "opened", Moment),
    member("AcknowledgedAt", "acknowledged", Moment),
    member("ClosedAt", "closed", Moment),
    same("Remarks", "note"),
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("BadgeNumber", "employeeBadge"),
];

pub(super) const TIME_ENTRY: Entity = &[
    same("BadgeNumber", "employeeBadge"),
    same("EmployeeName", "employeeName"),
    same("WorkCenter", "workStationCode"),
    same("WorkCenterName", "workStation"),
    member("ClockIn", "begin", Moment),
    member("ClockOut", "end", Moment),
    member("DurationMinutes", "duration", Minutes),
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("ArticleNumber", "materialCode"),
];

pub(super) const INSPECTION_ORDER: Entity = &[
    same("InspectionNumber", "code"),
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("ProcessNo", "processCode"),
    same("WorkCenter", "workStationCode"),
    same("Status", "statusDescription"),
    same("SampleSize", "quantity"),
    same("PassedQuantity", "producedGoodQuantity"),
    same("FailedQuantity", "producedBadQuantity"),
    member("PlannedStart", "beginPlanned", Moment),
    member("PlannedEnd", "endPlanned", Moment),
    member("ActualStart", "beginReal", Moment),
    member("ActualEnd", "endReal", Moment),
    same("Remarks", "note"),
    member("Attributes", "properties", ATTRIBUTES),
];

pub(super) const PROCESS: Entity = &[
    same("ProcessNo", "code"),
    same("Description", "description"),
    member("LaborMinutes", "predictedLaborTime", Minutes),
    member("MachineMinutes", "predictedMachineTime", Minutes),
    same("IsInspection", "isQualityInspection"),
];

pub(super) const QUALITY_CHECK: Entity = &[
    same("CheckNumber", "code"),
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("Description", "description"),
    same("Status", "status"),
    member("PlannedAt", "plannedDate", Moment),
    member("ExecutedAt", "executedDate", Moment),
    same("Result", "result"),
    same("WorkCenter", "workStationCode"),
    same("BadgeNumber", "employeeBadge"),
    same("Remarks", "note"),
];

pub(super) const CONSUMPTION: Entity = &[
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    same("ArticleNumber", "materialCode"),
    same("Description", "description"),
    same("LotNumber", "serialNumber"),
    same("Quantity", "quantity"),
    same("Unit", "uoM"),
    member("ConsumedAt", "date", Moment),
];

pub(super) const HISTORY_ENTRY: Entity = &[
    same("OrderNumber", "workOrderCode"),
    same("OperationNo", "operationCode"),
    member("Kind", "kind", HISTORY_KINDS),
    member("Timestamp", "date", Moment),
    same("EventName", "event"),
    same("WorkCenter", "workStationCode"),
    same("Status", "statusDescription"),
    member("PlannedStart", "beginPlanned", Moment),
    member("PlannedEnd", "endPlanned", Moment),
    member("Duration", "duration", IsoDuration),
    same("Yield", "producedGoodQuantity"),
    same("Scrap", "producedBadQuantity"),
    same("BadgeNumber", "employeeBadge"),
    same("ChangedBy", "userTrigger"),
    same("Remarks", "note"),
];

pub(super) const WORK_CENTER: Entity = &[
    same("WorkCenter", "code"),
    same("Name", "description"),
    same("Active", "isActive"),
    member("Department", "area", Object(&[same("Code", "code"), same("Name", "description")])),
    member("Shifts", "shifts", SHIFTS),
    member("Downtimes", "programmedStoppages", DOWNTIMES),
];

const SHIFTS: Form = List(&[
    same("Code", "code"),
    same("Name", "description"),
    member(
        "Intervals",
        "intervals",
        List(&[member("DayOfWeek", "weekday", Weekday), same("From", "begin"), same("To", "end")]),
    ),
]);

const DOWNTIMES: Form = List(&[
    same("Reason", "description"),
    same("Status", "status"),
    same("Department", "areaCode"),
    same("WorkCenter", "workStationCode"),
    same("BadgeNumber", "employeeBadge"),
    same("TemplateId", "templateId"),
    member("From", "begin", Moment),
    member("To", "end", Moment),
]);

pub(super) const TEMPLATE_LINK: Entity =
    &[same("TemplateId", "templateId"), same("ProcessNo", "processCode"), same("OperationNo", "operationCode")];
