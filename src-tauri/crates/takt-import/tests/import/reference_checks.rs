//! Checks of rows against a plant's data: findings, their age, and the number of reads.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use takt_engine::item::ExcelRow;

use jiff::{SignedDuration, Timestamp, ToSpan, civil::DateTime, tz::TimeZone};
use takt_engine::{
    Canceller, Engine, EngineConfig,
    import::{Finding, Fix, ImportView, PredecessorValues, UncheckedReason},
    item::{FindingCode, Severity},
    submission::SubmissionRequest,
};
use takt_test_support::{
    plant_fixture::{Fixture, PRACTICE, set_practice},
    setup::{engine_config, sign_in},
};

const ORDERS: &str = "work-orders.sync";
const DATES: &str = "work-orders.planning-dates";

/// A plant, and an engine whose clock the test moves.
struct PlantFixture {
    fixture: Fixture,
    engine: Arc<Engine>,
    clock_offset: Arc<AtomicI64>,
}

impl PlantFixture {
    async fn new() -> Self {
        let fixture = Fixture::new().await;
        let clock_offset = Arc::new(AtomicI64::new(0));
        let engine = open_engine(&fixture, &clock_offset);
        sign_in(&engine, &fixture.plant, PRACTICE, "planner");
        Self { fixture, engine, clock_offset }
    }

    fn advance_clock(&self, minutes: i64) {
        self.clock_offset.fetch_add(minutes * 60, Ordering::SeqCst);
    }

    fn write(&self, name: &str, text: &str) -> std::path::PathBuf {
        let path = self.fixture.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn open(&self, operation: &str, text: &str) -> ImportView {
        let view = self.engine.imports().open(&self.write("file.csv", text)).unwrap();
        self.engine.imports().choose_operation(view.id, operation).unwrap()
    }

    async fn check_against_plant(&self, view: &ImportView) -> ImportView {
        let view =
            self.engine.import_sites().check_against_site(PRACTICE, view.id, false, &Canceller::new()).await.unwrap();
        assert_eq!(view.reference_checks.problem, None);
        view
    }

    /// Returns the findings of these checks as `B4 code`.
    fn finding_texts(&self, view: &ImportView) -> Vec<String> {
        let cell = |finding: &Finding| format!("{}{}", finding.column.clone().unwrap_or_default(), finding.row);
        let name = |finding: &Finding| serde_json::to_value(finding.code).unwrap().as_str().unwrap().to_owned();
        self.findings(view).iter().map(|finding| format!("{} {}", cell(finding), name(finding))).collect()
    }

    fn findings(&self, view: &ImportView) -> Vec<Finding> {
        self.engine.imports().findings(view.id).unwrap()
    }

    /// Returns the plant's requests since the last call.
    fn new_requests(&self, seen: &mut usize) -> Vec<String> {
        let log = self.fixture.plant.log();
        let new = log[*seen..].iter().map(|entry| entry.operation.clone().unwrap_or_default()).collect();
        *seen = log.len();
        new
    }
}

fn open_engine(fixture: &Fixture, clock_offset: &Arc<AtomicI64>) -> Arc<Engine> {
    let clock_offset = Arc::clone(clock_offset);
    let clock = move || Timestamp::now() + SignedDuration::from_secs(clock_offset.load(Ordering::SeqCst));
    let config =
        EngineConfig { clock: Arc::new(clock), vault: fixture.vault.clone(), ..engine_config(fixture.home.path()) };
    let engine = Engine::open(config).unwrap();
    set_practice(&engine, &fixture.plant);
    engine
}

/// Returns a time on the first weekday after this many days, in the plant's local time.
fn workday(days: i64, time: &str) -> String {
    let mut day = Timestamp::now().to_zoned_datetime(TimeZone::UTC).date().checked_add(days.days()).unwrap();
    while day.weekday().to_monday_one_offset() > 5 {
        day = day.tomorrow().unwrap();
    }
    format!("{day} {time}")
}

#[tokio::test]
async fn every_kind_of_nonsense_is_found_at_its_cell() {
    let plant_fixture = PlantFixture::new().await;
    let client = &plant_fixture.engine;
    let orders = client
        .browse()
        .fetch_page(
            PRACTICE,
            &serde_json::from_value(serde_json::json!({"operation": "work-orders.list",
        "parameters": {}}))
            .unwrap(),
            1,
            100,
        )
        .await
        .unwrap()
        .rows;
    let done = orders.iter().find(|row| row["producedGoodQuantity"].as_f64().unwrap() > 2.0).unwrap();
    let (code, operation) = (done["code"].as_str().unwrap(), done["operationCode"].as_str().unwrap());
    let (good, night) = (workday(20, "10:00"), workday(20, "23:30"));
    let end = workday(24, "12:00");
    let text = format!(
        "code;operationCode;materialCode;requestedQuantity;workStationCode;templateId;promiseDate;beginPlanned;endPlanned\n\
         N-1;010;MAT-1001;5;WS-02;1;{end};{good};{end}\n\
         N-2;010;mat1001;5;WS-02;1;{end};{good};{end}\n\
         N-3;010;MAT-1001;5;WS-77;1;{end};{good};{end}\n\
         N-4;010;MAT-1001;5;WS-02;7777;{end};{good};{end}\n\
         N-5;010;MAT-1001;5;WS-02;1;2020-01-31;{good};{end}\n\
         N-6;010;MAT-1001;5;WS-02;1;{end};{night};{end}\n\
         {code};{operation};MAT-1001;1;WS-02;1;{end};{good};{end}\n"
    );
    let before = plant_fixture.open(ORDERS, &text);
    assert_eq!(plant_fixture.finding_texts(&before), ["G6 in-the-past"], "the clock alone tells this");
    let reasons: Vec<_> =
        before.reference_checks.unchecked.iter().map(|one| (one.field.as_str(), one.reason)).collect();
    let not_loaded = UncheckedReason::NotLoaded;
    assert_eq!(
        reasons,
        [
            ("materialCode", not_loaded),
            ("workStationCode", not_loaded),
            ("templateId", not_loaded),
            ("requestedQuantity", not_loaded),
            ("beginPlanned", not_loaded)
        ]
    );
    assert!(before.reference_checks.needed && before.reference_checks.site.is_none());

    let view = plant_fixture.check_against_plant(&before).await;
    assert_eq!(
        plant_fixture.finding_texts(&view),
        [
            "C3 unknown-code",
            "E4 unknown-code",
            "F5 unknown-code",
            "G6 in-the-past",
            "H7 outside-shifts",
            "D8 below-produced"
        ]
    );
    assert_eq!((view.reference_checks.site.as_deref(), view.reference_checks.unchecked.len()), (Some(PRACTICE), 0));
    let findings = plant_fixture.findings(&view);
    let severities: Vec<Severity> = findings.iter().map(|finding| finding.severity).collect();
    let (error, warning) = (Severity::Error, Severity::Warning);
    assert_eq!(severities, [error, error, error, warning, warning, warning]);
    assert_eq!(findings[0].parameters["near"], "MAT-1001");
    assert_eq!(findings[1].parameters.get("near"), None, "WS-77 is another station's number, and no slip");
    assert_eq!(findings[4].parameters["hours"], "06:00–14:00, 14:00–22:00");
    assert_eq!(findings[5].parameters["limit"], done["producedGoodQuantity"].as_f64().unwrap().to_string());

    let help = plant_fixture.engine.imports().cell_help(view.id, 3, 2, &|_, _| Vec::new()).unwrap();
    assert_eq!(help.suggestions[0], "MAT-1001");
    let fix = Fix::Replace { column: 2, from: "mat1001".to_owned(), to: help.suggestions[0].clone() };
    let view = plant_fixture.engine.imports().fix(view.id, &fix).unwrap();
    assert_eq!(plant_fixture.finding_texts(&view)[0], "E4 unknown-code", "a fix is checked again");
    let fix = Fix::Set { row: ExcelRow::new(2), column: 2, text: "MAT-9".to_owned() };
    let view = plant_fixture.engine.imports().fix(view.id, &fix).unwrap();
    assert_eq!(plant_fixture.finding_texts(&view)[0], "C2 unknown-code");
    assert_eq!(
        plant_fixture.finding_texts(&plant_fixture.engine.imports().undo(view.id).unwrap())[0],
        "E4 unknown-code"
    );
}

#[tokio::test]
async fn an_operation_is_looked_for_among_those_of_its_order_and_a_lock_beside_its_value() {
    let plant_fixture = PlantFixture::new().await;
    let rows = plant_fixture.fixture.plant.log().len();
    let query = serde_json::from_value(serde_json::json!({"operation": "work-orders.list", "parameters": {}})).unwrap();
    let orders = plant_fixture.engine.browse().fetch_page(PRACTICE, &query, 1, 100).await.unwrap().rows;
    let locked = |row: &&serde_json::Value| {
        row["properties"].as_array().unwrap().iter().any(|property| property["isLocked"] == true)
    };
    let order = orders.iter().find(locked).unwrap();
    let property = order["properties"].as_array().unwrap().iter().find(|one| one["isLocked"] == true).unwrap();
    let (code, operation) = (order["code"].as_str().unwrap(), order["operationCode"].as_str().unwrap());
    let (key, value) = (property["key"].as_str().unwrap(), property["value"].as_str().unwrap());
    let text = format!(
        "workOrderCode;operationCode;key;value;isLocked\n\
         {code};{operation};{key};other;\n\
         {code};{operation};{key};{value};\n\
         {code};;{key};other;true\n\
         {code};{operation};{key};other again;false\n\
         {code};{operation};OWN;other;\n\
         {code};777;OWN;1;\n\
         WO-0;010;OWN;1;\n"
    );
    let view = plant_fixture.check_against_plant(&plant_fixture.open("work-orders.properties", &text)).await;
    let found = plant_fixture.finding_texts(&view);
    let own: Vec<&String> = found.iter().filter(|found| !found.contains("duplicate")).collect();
    assert_eq!(
        own,
        ["C2 locked-property", "C4 locked-property", "B7 unknown-code", "A8 unknown-code"],
        "{rows} {found:?}"
    );
}

/// A check that ends while rows are being recorded must not refuse them unless it changes which rows are sent.
#[tokio::test]
async fn a_check_changes_the_revision_only_with_the_items_to_send() {
    let plant_fixture = PlantFixture::new().await;
    let imports = plant_fixture.engine.imports();
    let sound = plant_fixture.open("stock.sync", "materialCode;quantity\nMAT-1001;5\n");
    let before = imports.revision(sound.id);
    let view = plant_fixture.check_against_plant(&sound).await;
    assert_eq!((plant_fixture.finding_texts(&view), imports.revision(sound.id)), (Vec::new(), before));

    let faulty = plant_fixture.open("stock.sync", "materialCode;quantity\nMAT-1001;5\nNEW-1;5\n");
    let before = imports.revision(faulty.id);
    let view = plant_fixture.check_against_plant(&faulty).await;
    assert_eq!(plant_fixture.finding_texts(&view), ["A3 unknown-code"]);
    assert_eq!(view.counts.ready_rows, 1);
    assert!(imports.revision(faulty.id) > before, "one row less is sent");
    let before = imports.revision(faulty.id);
    plant_fixture.check_against_plant(&faulty).await;
    assert_eq!(imports.revision(faulty.id), before, "the second check found the same");
}

#[tokio::test]
async fn what_is_known_is_not_asked_again_until_it_is_old_or_was_changed() {
    let plant_fixture = PlantFixture::new().await;
    let view = plant_fixture.open("stock.sync", "materialCode;quantity\nMAT-1001;5\nNEW-1;5\n");
    let mut seen = 0;
    plant_fixture.new_requests(&mut seen);
    let view = plant_fixture.check_against_plant(&view).await;
    assert_eq!(plant_fixture.finding_texts(&view), ["A3 unknown-code"]);
    assert_eq!(plant_fixture.new_requests(&mut seen), ["materials.list"; 2], "200 materials are two pages");
    plant_fixture.check_against_plant(&view).await;
    assert_eq!(plant_fixture.new_requests(&mut seen), [""; 0]);
    plant_fixture.engine.import_sites().check_against_site(PRACTICE, view.id, true, &Canceller::new()).await.unwrap();
    assert_eq!(plant_fixture.new_requests(&mut seen).len(), 2, "asked again by hand");

    let made = plant_fixture.open("materials.sync", "code;description\nNEW-1;New\n");
    let items = plant_fixture.engine.imports().prepare_items(made.id).unwrap();
    let sent = SubmissionRequest { site: PRACTICE.to_owned(), steps: items, ..SubmissionRequest::default() };
    let sent = plant_fixture.engine.submissions().submit(sent).await.unwrap();
    assert_eq!(
        plant_fixture.engine.submissions().wait(sent.id.first()).await.unwrap().submissions[0].counts.accepted,
        1
    );
    plant_fixture.new_requests(&mut seen);
    let view = plant_fixture.check_against_plant(&view).await;
    assert_eq!(plant_fixture.new_requests(&mut seen).len(), 3, "201 materials are three pages");
    assert_eq!(plant_fixture.finding_texts(&view), [""; 0]);
}

#[tokio::test]
async fn old_knowledge_warns_and_very_old_knowledge_says_nothing() {
    let plant_fixture = PlantFixture::new().await;
    let view = plant_fixture.open("stock.sync", "materialCode;quantity\nMAT-1001;5\nNEW-1;5\n");
    let severity = |view: &ImportView| plant_fixture.findings(view).first().map(|finding| finding.severity);
    assert_eq!(severity(&plant_fixture.check_against_plant(&view).await), Some(Severity::Error));
    plant_fixture.advance_clock(20);
    let stored = || plant_fixture.engine.import_sites().check_against_stored_data(PRACTICE, view.id).unwrap();
    assert_eq!(severity(&stored()), Some(Severity::Warning));
    plant_fixture.advance_clock(13 * 60);
    let old = stored();
    assert_eq!((severity(&old), old.reference_checks.unchecked[0].reason), (None, UncheckedReason::Stale));
    assert!(old.reference_checks.unchecked[0].at.is_some());
}

#[tokio::test]
async fn what_earlier_sheets_make_is_known() {
    let plant_fixture = PlantFixture::new().await;
    let begin = workday(20, "10:00").replace(' ', "T");
    let end = workday(20, "12:00").replace(' ', "T");
    let text = format!(
        "code;operationCode;beginPlanned;endPlanned\nNEW-1;010;{begin};{end}\nNEW-1;020;{begin};{end}\nNEW-2;010;{begin};{end}\n"
    );
    let view = plant_fixture.check_against_plant(&plant_fixture.open(DATES, &text)).await;
    assert_eq!(plant_fixture.finding_texts(&view), ["A2 unknown-code", "A3 unknown-code", "A4 unknown-code"]);
    let mut made = PredecessorValues::default();
    let key = ["code".to_owned(), "operationCode".to_owned()];
    made.add_item_values(ORDERS, &key, std::iter::once(vec![Some("NEW-1".to_owned()), Some("010".to_owned())]));
    let view = plant_fixture.engine.import_sites().set_predecessors(view.id, made).unwrap();
    assert_eq!(plant_fixture.finding_texts(&view), ["B3 unknown-code", "A4 unknown-code"]);
}

#[tokio::test]
async fn a_long_list_is_only_asked_for_what_the_sheet_names() {
    let plant_fixture = PlantFixture::new().await;
    let begin: DateTime = workday(20, "10:00").replace(' ', "T").parse().unwrap();
    let text = format!("code;operationCode;beginPlanned;endPlanned\nWO-260300;010;{begin};{}\n", begin + 1.hour());
    let mut seen = 0;
    let view = plant_fixture.open(DATES, &text);
    plant_fixture.new_requests(&mut seen);
    let view = plant_fixture.check_against_plant(&view).await;
    assert_eq!(plant_fixture.finding_texts(&view), [""; 0]);
    let asked = plant_fixture.new_requests(&mut seen);
    assert_eq!(asked, ["work-orders.list"; 2], "the first page tells how many there are");
    let text = text.replace("WO-260300", "WO-9");
    let other = plant_fixture.check_against_plant(&plant_fixture.open(DATES, &text)).await;
    assert_eq!(plant_fixture.finding_texts(&other), ["A2 unknown-code"]);
    assert_eq!(plant_fixture.new_requests(&mut seen).len(), 2, "the other code wasn't asked for");
}

#[tokio::test]
async fn what_a_site_of_ones_own_held_outlives_the_program_but_not_the_site() {
    let plant_fixture = PlantFixture::new().await;
    plant_fixture.engine.save_site(plant_fixture.fixture.site("north"), None).unwrap();
    sign_in(&plant_fixture.engine, &plant_fixture.fixture.plant, "north", "planner");
    let text = "materialCode;quantity\nMAT-1001;5\nNEW-1;5\n";
    let view = plant_fixture.open("stock.sync", text);
    let view = plant_fixture
        .engine
        .import_sites()
        .check_against_site("north", view.id, false, &Canceller::new())
        .await
        .unwrap();
    assert_eq!((plant_fixture.finding_texts(&view).len(), view.reference_checks.site.as_deref()), (1, Some("north")));

    let later = PlantFixture {
        engine: open_engine(&plant_fixture.fixture, &plant_fixture.clock_offset),
        fixture: plant_fixture.fixture,
        clock_offset: plant_fixture.clock_offset,
    };
    let view = later.open("stock.sync", text);
    let view = later.engine.import_sites().check_against_stored_data("north", view.id).unwrap();
    assert_eq!(later.findings(&view)[0].code, FindingCode::UnknownCode);
    let moved = takt_engine::sites::Site { base_url: "http://127.0.0.1:9".to_owned(), ..later.fixture.site("north") };
    later.engine.save_site(moved, None).unwrap();
    let view = later.engine.import_sites().check_against_stored_data("north", view.id).unwrap();
    assert_eq!(
        (later.finding_texts(&view).len(), view.reference_checks.unchecked[0].reason),
        (0, UncheckedReason::NotLoaded)
    );
    let view =
        later.engine.import_sites().check_against_site("north", view.id, false, &Canceller::new()).await.unwrap();
    assert!(view.reference_checks.problem.is_some(), "nobody is signed in there any more");
}

#[tokio::test]
async fn keys_that_the_platform_keeps_for_itself_stop_their_row() {
    let plant_fixture = PlantFixture::new().await;
    let site =
        takt_engine::sites::Site { reserved_prefix: Some(" sys_ ".to_owned()), ..plant_fixture.fixture.site("north") };
    plant_fixture.engine.save_site(site, None).unwrap();
    let text = "code;description;properties[sys_COLOR];properties[COLOR]\nM-1;A;red;red\nM-2;B;;red\n";
    let view = plant_fixture.open("materials.sync", text);
    assert_eq!(plant_fixture.finding_texts(&view), [""; 0], "nothing is reserved before a site says so");
    let view = plant_fixture.engine.import_sites().check_against_stored_data("north", view.id).unwrap();
    assert_eq!(plant_fixture.finding_texts(&view), ["C2 reserved-key"]);
    let finding = &plant_fixture.findings(&view)[0];
    assert_eq!((finding.severity, finding.parameters["key"].as_str()), (Severity::Error, "sys_COLOR"));
    let text = "workOrderCode;key;value\nWO-1;sys_A;1\nWO-1;OWN;1\n";
    let view = plant_fixture.open("work-orders.properties", text);
    let view = plant_fixture.engine.import_sites().check_against_stored_data("north", view.id).unwrap();
    assert_eq!(plant_fixture.finding_texts(&view), ["B2 reserved-key"]);
}

/// Samples have the dates of the day on which they are opened. Users' changes to them stay.
#[tokio::test]
async fn no_row_of_a_sample_is_in_the_past() {
    let plant_fixture = PlantFixture::new().await;
    let on = |moment: &str| {
        let moment: Timestamp = moment.parse().unwrap();
        plant_fixture.engine.sites().practice().set_clock(Arc::new(move || moment));
    };
    on("2027-03-15T10:00:00Z");
    let past = |texts: Vec<String>| texts.into_iter().filter(|text| text.ends_with(" in-the-past")).count();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/data/samples");
    let mut planned = 0;
    for operation in [ORDERS, DATES, "inspections.sync", "work-orders.execution", "inspections.execution"] {
        let original = folder.join(format!("{operation}.xlsx"));
        let view = plant_fixture.check_against_plant(&plant_fixture.engine.imports().open(&original).unwrap()).await;
        planned += past(plant_fixture.finding_texts(&view));
        let bytes = std::fs::read(&original).unwrap();
        let path = plant_fixture.engine.import_sites().write_sample(&format!("{operation}.xlsx"), &bytes).unwrap();
        let view = plant_fixture.check_against_plant(&plant_fixture.engine.imports().open(&path).unwrap()).await;
        assert_eq!(view.operation.as_deref(), Some(operation));
        assert_eq!(past(plant_fixture.finding_texts(&view)), 0, "{operation}");
    }
    assert!(planned > 100, "{planned}");

    let bytes = std::fs::read(folder.join(format!("{ORDERS}.xlsx"))).unwrap();
    let put = || plant_fixture.engine.import_sites().write_sample("orders.xlsx", &bytes).unwrap();
    let first = std::fs::read(put()).unwrap();
    on("2027-03-20T10:00:00Z");
    assert!(std::fs::read(put()).unwrap() == first, "of the same week");
    on("2027-03-22T10:00:00Z");
    let second = std::fs::read(put()).unwrap();
    assert!(second != first);
    let changed = [&second[..], b" "].concat();
    std::fs::write(put(), &changed).unwrap();
    on("2027-04-05T10:00:00Z");
    assert!(std::fs::read(put()).unwrap() == changed);
}
