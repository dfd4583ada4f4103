//! The words for invented rows.

/// The name, the area's code and the area of each work station.
pub(crate) const STATIONS: [(&str, &str, &str); 12] = [
    ("Saw Kasto 1", "SAW", "Sawing"),
    ("Saw Kasto 2", "SAW", "Sawing"),
    ("Lathe CTX 310", "TURN", "Turning"),
    ("Lathe CTX 510", "TURN", "Turning"),
    ("Lathe Index G200", "TURN", "Turning"),
    ("Mill DMU 50", "MILL", "Milling"),
    ("Mill DMU 80", "MILL", "Milling"),
    ("Gear hobber LC 180", "GEAR", "Gear cutting"),
    ("Grinder S33", "GRIND", "Grinding"),
    ("Hardening furnace 2", "HEAT", "Heat treatment"),
    ("Assembly bench A", "ASSY", "Assembly"),
    ("Measuring room", "QA", "Quality"),
];

/// The badge and name of each operator.
pub(crate) const EMPLOYEES: [(&str, &str); 16] = [
    ("E-101", "Anna Berger"),
    ("E-102", "João Ferreira"),
    ("E-103", "Marta Ruiz"),
    ("E-104", "Peter Novak"),
    ("E-105", "Ayşe Yılmaz"),
    ("E-106", "Luca Conti"),
    ("E-107", "Sofia Almeida"),
    ("E-108", "Jonas Keller"),
    ("E-109", "Inés Navarro"),
    ("E-110", "Tomasz Zieliński"),
    ("E-111", "Claire Dubois"),
    ("E-112", "Miguel Santos"),
    ("E-113", "Katrin Vogel"),
    ("E-114", "David O'Neill"),
    ("E-115", "Elena García"),
    ("E-116", "Søren Dahl"),
];

pub(crate) const CUSTOMERS: [&str; 12] = [
    "Nordwind Antriebe GmbH",
    "Metalúrgica Ibérica S.A.",
    "Hallberg Pumps AB",
    "Tecnofuso Lda",
    "Kerr & Sons Ltd",
    "Rhein Getriebebau KG",
    "Atlántica Motores",
    "Müller Förderanlagen",
    "Oceanic Winches",
    "Alpin Seilbahnen AG",
    "Quinta Máquinas Agrícolas",
    "",
];

pub(crate) const MATERIAL_GRADES: [&str; 6] = ["C45", "42CrMo4", "16MnCr5", "S355", "X5CrNi18-10", "EN AW-6082"];
pub(crate) const BEARINGS: [&str; 6] = ["6203-2RS", "6204-2RS", "6205-2RS", "6306-ZZ", "NU 206", "7205-B"];
pub(crate) const WAREHOUSES: [&str; 3] = ["MAIN", "SHOP", "EXT"];
pub(crate) const ORDER_TYPES: [&str; 3] = ["Production", "Rework", "Prototype"];

/// The name of each process, and whether it is an inspection.
pub(crate) const PROCESSES: [(&str, bool); 20] = [
    ("Saw to length", false),
    ("Face and centre", false),
    ("Rough turning", false),
    ("Finish turning", false),
    ("Mill keyway", false),
    ("Drill and tap", false),
    ("Hob gear teeth", false),
    ("Deburr", false),
    ("Case harden", false),
    ("Cylindrical grinding", false),
    ("Wash and dry", false),
    ("Press bearing", false),
    ("Assemble housing", false),
    ("Mark serial number", false),
    ("Pack", false),
    ("Check diameters", true),
    ("Check hardness", true),
    ("Check run-out", true),
    ("Check surface roughness", true),
    ("Final inspection", true),
];

/// Notes as operators write them, some with markup. The script in the last one must never run.
pub(crate) const OPERATOR_NOTES: [&str; 8] = [
    "Deliver with the drawing.",
    "<b>Deburr</b> all edges",
    "Customer wants <i>no</i> oil on the parts.",
    "Clamp softly:<br>thin wall",
    "First part to the measuring room.",
    "Material from stock & charge certificate 3.1",
    "",
    "Check with <a href=\"https://example.invalid/drawing\">drawing</a> <script>alert(1)</script>",
];

pub(crate) const ALERTS: [(&str, &str); 6] = [
    ("Material", "Bar stock <b>missing</b> at the machine"),
    ("Maintenance", "Coolant pressure low"),
    ("Quality", "Diameter drifts, <em>tool worn</em>"),
    ("Safety", "Door switch fails now and then"),
    ("Tooling", "Insert broken, need replacement<br>CNMG 120408"),
    ("Help", "Second person needed for clamping"),
];

pub(crate) const PAUSE_REASONS: [&str; 4] = ["Waiting for material", "Tool change", "Break", "Waiting for quality"];
pub(crate) const QUALITY_CHECKS: [&str; 6] =
    ["First part", "Diameter 40 h6", "Surface Ra 0.8", "Thread M12", "Visual check", "Hardness 58 HRC"];
pub(crate) const STOPPAGE_REASONS: [&str; 4] =
    ["Weekly cleaning", "Preventive maintenance", "Shift meeting", "Calibration"];
