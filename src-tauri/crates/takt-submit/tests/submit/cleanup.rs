//! Tests that templates are read in ranges within the rate limit, with their facets and the stored data.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use takt_engine::item::ExcelRow;

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Code,
    cleanup::{CleanupLink, FacetKind, IdList, Link, TemplateFacet, TemplateSet, TemplatesView, parse_template_ids},
    import::ItemSet,
    item::{Item, RowId},
    submission::SubmissionRequest,
};
use takt_sheet::{Limits, Workbook};
use takt_test_support::{
    plant_fixture::{Fixture, PRACTICE, control, open, set_practice},
    setup::sign_in,
};

const TEMPLATES: u32 = 24;

async fn read_templates(fixture: &Fixture, ids: &str) -> (TemplateSet, TemplatesView) {
    let set = fixture.engine.templates().create_set(PRACTICE, &parse_template_ids(ids).unwrap());
    fixture.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap();
    let view = fixture.engine.templates().view(&set).unwrap();
    (set, view)
}

fn find_facet(view: &TemplatesView, kind: FacetKind) -> &TemplateFacet {
    view.facets.iter().find(|facet| facet.kind == kind).unwrap()
}

/// Returns template and process of a facet's links.
fn facet_links(view: &TemplatesView, kind: FacetKind) -> BTreeSet<(i64, String)> {
    let bit = 1 << view.facets.iter().position(|facet| facet.kind == kind).unwrap();
    let of_it = (0..view.links.facets.len()).filter(|link| view.links.facets[*link] & bit != 0);
    of_it.map(|link| link_key(view, link)).collect()
}

fn link_key(view: &TemplatesView, link: usize) -> (i64, String) {
    let (template, process) = (view.links.template[link] as usize, view.links.process[link] as usize);
    (view.templates[template].id, view.processes[process].code.clone())
}

async fn sync_items(fixture: &Fixture, operation: &str, bodies: Vec<Value>) {
    let row = |row| vec![RowId { sheet: String::new(), row }];
    let items =
        (1..).zip(bodies).map(|(number, body)| Item { rows: row(ExcelRow::new(number)), body, ..Item::default() });
    let request = SubmissionRequest {
        site: PRACTICE.to_owned(),
        steps: vec![ItemSet { operation: operation.to_owned(), items: items.collect(), ..ItemSet::default() }.into()],
        ..SubmissionRequest::default()
    };
    let id = fixture.engine.submissions().submit(request).await.unwrap().id.first();
    let done =
        tokio::time::timeout(Duration::from_secs(30), fixture.engine.submissions().wait(id)).await.unwrap().unwrap();
    assert_eq!(done.submissions[0].counts.accepted, done.submissions[0].total, "{done:?}");
}

#[tokio::test]
async fn a_range_shows_what_the_plant_holds_and_sums_up_what_it_doesnt() {
    let fixture = Fixture::signed_in().await;
    let (_, view) = read_templates(&fixture, "1-200, 305").await;
    assert_eq!((view.progress.requested, view.progress.settled, view.progress.existing), (201, 201, TEMPLATES));
    assert_eq!((view.absent.count, view.absent.text.as_str()), (177, "25-200, 305"));
    assert!(view.unread.is_empty() && view.left.count == 0);
    let plant_links: BTreeSet<(i64, String)> = read_plant_state(&fixture, "template-processes")
        .await
        .iter()
        .map(|link| (link["templateId"].as_i64().unwrap(), link["processCode"].as_str().unwrap().to_owned()))
        .collect();
    let shown: BTreeSet<_> = (0..view.links.template.len()).map(|link| link_key(&view, link)).collect();
    assert_eq!(shown, plant_links);
    let seconds: BTreeMap<String, f64> = read_plant_state(&fixture, "inspection-processes")
        .await
        .iter()
        .map(|row| {
            (row["code"].as_str().unwrap().to_owned(), row["predictedLaborTime"]["totalSeconds"].as_f64().unwrap())
        })
        .collect();
    for template in &view.templates {
        let of_it: Vec<f64> =
            plant_links.iter().filter(|(id, _)| *id == template.id).map(|(_, code)| seconds[code]).collect();
        assert_eq!(template.processes as usize, of_it.len());
        assert!((template.labor_seconds - of_it.iter().sum::<f64>()).abs() < 0.001, "{template:?}");
    }
    for process in &view.processes {
        let templates = plant_links.iter().filter(|(_, code)| *code == process.code).count();
        assert_eq!((process.templates as usize, process.listed), (templates, Some(true)), "{process:?}");
    }
    let remembered = fixture.engine.templates().remembered_ids(PRACTICE).unwrap();
    assert_eq!(remembered.text, "1-24");
    fixture.engine.templates().forget_ids(PRACTICE).unwrap();
    assert_eq!(fixture.engine.templates().remembered_ids(PRACTICE).unwrap().count, 0);
}

#[tokio::test]
async fn facets_find_the_plants_anomalies() {
    let fixture = Fixture::signed_in().await;
    let (_, before) = read_templates(&fixture, "1-24").await;
    for kind in [FacetKind::NoTime, FacetKind::Twice, FacetKind::Unlisted, FacetKind::Empty] {
        assert_eq!((find_facet(&before, kind).count, find_facet(&before, kind).links), (0, 0), "{kind:?}");
    }
    assert!(!before.facets.iter().any(|facet| facet.kind == FacetKind::Unused), "the orders weren't read");
    let [one, other] = [&before.processes[0].code, &before.processes[1].code];
    let without = json!({ "code": one, "description": "Same thing", "predictedLaborTime": "00:00:00",
        "predictedMachineTime": "00:00:00" });
    let alike = json!({ "code": other, "description": " same  THING ", "predictedLaborTime": "00:10:00" });
    let orphan = json!({ "code": "IP-ZZ", "description": "Nobody's" });
    sync_items(&fixture, "inspection-processes.sync", vec![without, alike, orphan]).await;
    let (_, view) = read_templates(&fixture, "1-24").await;
    let of = |codes: &[&String]| -> BTreeSet<(i64, String)> {
        (0..view.links.template.len())
            .map(|link| link_key(&view, link))
            .filter(|(_, code)| codes.contains(&code))
            .collect()
    };
    assert_eq!(facet_links(&view, FacetKind::NoTime), of(&[one]));
    assert_eq!(find_facet(&view, FacetKind::NoTime).count as usize, of(&[one]).len());
    assert!(facet_links(&view, FacetKind::Alike).is_superset(&of(&[one, other])));
    let unheld = find_facet(&view, FacetKind::Unheld);
    assert!(unheld.names.contains(&"IP-ZZ Nobody's".to_owned()), "{unheld:?}");
    assert_eq!((unheld.count, unheld.links), (find_facet(&before, FacetKind::Unheld).count + 1, 0));
}

#[tokio::test]
async fn templates_that_orders_use_are_known_once_the_orders_were_read() {
    let fixture = Fixture::signed_in().await;
    assert_eq!(fixture.engine.templates().template_use(PRACTICE).unwrap(), None);
    let mut progress_count = 0;
    let found = fixture
        .engine
        .templates()
        .read_template_use(PRACTICE, &Canceller::new(), |progress| progress_count = progress.rows)
        .await
        .unwrap();
    let orders = read_plant_state(&fixture, "work-orders").await;
    let mut by_template: BTreeMap<i64, u32> = BTreeMap::new();
    orders.iter().filter_map(|row| row["templateId"].as_i64()).for_each(|id| *by_template.entry(id).or_default() += 1);
    assert!(found.complete && progress_count as usize == orders.len());
    assert_eq!((found.orders, found.templates.count as usize), (by_template.values().sum(), by_template.len()));
    assert_eq!(parse_template_ids(&found.templates.text).unwrap(), by_template.keys().copied().collect::<Vec<_>>());
    assert_eq!(fixture.engine.templates().template_use(PRACTICE).unwrap(), Some(found));
    let codes: BTreeSet<&str> = orders
        .iter()
        .filter(|row| row["templateId"].is_i64())
        .filter_map(|row| row["operationCode"].as_str())
        .collect();
    let suggested = fixture.engine.templates().operation_codes(PRACTICE).unwrap();
    assert_eq!(suggested, codes.into_iter().collect::<Vec<_>>());
    let (_, view) = read_templates(&fixture, "1-24").await;
    for template in &view.templates {
        assert_eq!(template.orders, Some(by_template.get(&template.id).copied().unwrap_or_default()));
    }
    let unused = view.templates.iter().filter(|template| template.orders == Some(0)).count();
    assert_eq!(find_facet(&view, FacetKind::Unused).count as usize, unused);
    let stopped = Canceller::new();
    stopped.cancel();
    let part = fixture.engine.templates().read_template_use(PRACTICE, &stopped, |_| {}).await.unwrap();
    assert!(!part.complete);
    let (_, view) = read_templates(&fixture, "1-3").await;
    assert!(!view.facets.iter().any(|facet| facet.kind == FacetKind::Unused), "not all orders are known");
}

#[tokio::test]
async fn templates_are_saved_as_a_matrix_and_a_list_of_links() {
    let fixture = Fixture::signed_in().await;
    let (set, view) = read_templates(&fixture, "1-5").await;
    let path = fixture.home.path().join("templates.xlsx");
    fixture.engine.templates().save_matrix(&set, &path).unwrap();
    let limits = Limits::default();
    let workbook = Workbook::open(&path, &limits).unwrap();
    let read = |sheet: &str| -> Vec<Vec<String>> {
        let sheet = workbook.read(sheet, &limits, &|| false).unwrap();
        sheet
            .rows
            .iter()
            .map(|row| {
                (0..sheet.columns)
                    .map(|column| row.cell(column).map_or(String::new(), |cell| cell.shown().into_owned()))
                    .collect()
            })
            .collect()
    };
    let matrix = read("Matrix");
    assert_eq!(matrix[0][0], "templateId");
    assert_eq!(matrix[0][1..], view.processes.iter().map(|process| process.code.clone()).collect::<Vec<_>>());
    assert_eq!(matrix.len(), view.templates.len() + 1);
    for (line, template) in matrix[1..].iter().zip(&view.templates) {
        let count: u32 = line[1..].iter().filter_map(|cell| cell.parse::<u32>().ok()).sum();
        assert_eq!((line[0].as_str(), count), (template.id.to_string().as_str(), template.processes));
    }
    let links = read("template-processes.delete");
    assert_eq!(links[0][..3], ["templateId", "processCode", "description"]);
    let keys: BTreeSet<(i64, String)> =
        links[1..].iter().map(|row| (row[0].parse().unwrap(), row[1].clone())).collect();
    assert_eq!(keys, (0..view.links.template.len()).map(|link| link_key(&view, link)).collect());
}

#[tokio::test]
async fn a_stopped_reading_keeps_what_came_and_goes_on_from_there() {
    let fixture = Fixture::signed_in().await;
    fixture.suffer("latency=30");
    let set = fixture.engine.templates().create_set(PRACTICE, &parse_template_ids("1-60").unwrap());
    let canceller = Canceller::new();
    let stop = canceller.clone();
    let read = fixture.engine.templates().read(&set, &canceller, move |progress| {
        if progress.settled >= 10 {
            stop.cancel();
        }
    });
    tokio::time::timeout(Duration::from_secs(30), read).await.unwrap().unwrap();
    let view = fixture.engine.templates().view(&set).unwrap();
    assert!((10..20).contains(&view.progress.settled), "{:?}", view.progress);
    assert_eq!(view.left.count, 60 - view.progress.settled);
    let asked = request_count(&fixture);
    fixture.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap();
    let view = fixture.engine.templates().view(&set).unwrap();
    assert_eq!((view.progress.settled, view.absent.text.as_str(), view.left.count), (60, "25-60", 0));
    assert!(request_count(&fixture) - asked <= 50, "what had come isn't read again");
}

#[tokio::test]
async fn a_failing_template_doesnt_hide_the_others_and_429s_are_waited_for() {
    let fixture = Fixture::signed_in().await;
    // Reads are retried. With this many failures, some templates remain unread anyway.
    fixture.suffer("error-500:0.9");
    let (set, view) = read_templates(&fixture, "1-20").await;
    let failed = view.unread.iter().map(|unread| unread.ids.count).sum::<u32>();
    assert!((1..20).contains(&failed) && view.progress.existing == 20 - failed, "{view:?}");
    fixture.suffer("limit-429-s:0.2");
    fixture.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap();
    let view = fixture.engine.templates().view(&set).unwrap();
    assert_eq!((view.progress.existing, view.unread.len()), (20, 0));
}

#[tokio::test]
async fn problems_of_the_whole_site_end_reading() {
    let fixture = Fixture::new().await;
    let set = fixture.engine.templates().create_set(PRACTICE, &[1, 2]);
    let problem = fixture.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap_err();
    assert_eq!(problem.code, Code::SignInNeeded);
    assert_eq!(fixture.engine.templates().view(&set).unwrap().left.text, "1, 2");
    sign_in(&fixture.engine, &fixture.plant, PRACTICE, "planner");
    fixture.engine.templates().read(&set, &Canceller::new(), |_| {}).await.unwrap();
    assert_eq!(fixture.engine.templates().view(&set).unwrap().progress.existing, 2);
}

#[tokio::test]
async fn lists_are_kept_per_site_over_a_restart() {
    let fixture = Fixture::signed_in().await;
    let link = |process: &str| {
        CleanupLink::from(Link { template_id: 3, process_code: process.to_owned(), operation_code: "010".to_owned() })
    };
    let stored =
        fixture.engine.templates().store_links(PRACTICE, vec![link("IP-02"), link("IP-01"), link("IP-02")]).unwrap();
    assert_eq!(stored, [link("IP-02"), link("IP-01")]);
    let list = |name: &str, ids: &str| IdList { name: name.to_owned(), ids: ids.to_owned() };
    fixture.engine.templates().store_id_list(PRACTICE, &list("night", "1-3, 9")).unwrap();
    fixture.engine.templates().store_id_list(PRACTICE, &list("gone", "4")).unwrap();
    fixture.engine.templates().store_id_list(PRACTICE, &list("gone", "")).unwrap();
    assert_eq!(
        fixture.engine.templates().store_id_list(PRACTICE, &list("x", "4-1")).unwrap_err().code,
        Code::InvalidInput
    );
    let Fixture { engine, plant, home, vault } = fixture;
    drop(engine);
    let engine = open(&home, &vault);
    set_practice(&engine, &plant);
    assert_eq!(engine.templates().links(PRACTICE).unwrap(), [link("IP-02"), link("IP-01")]);
    assert_eq!(engine.templates().links("elsewhere").unwrap(), []);
    assert_eq!(engine.templates().id_lists(PRACTICE).unwrap(), [list("night", "1-3, 9")]);
    let file = home.path().join("list.xlsx");
    engine.templates().save_links(PRACTICE, &file).unwrap();
    let view = engine.imports().open(&file).unwrap();
    let view = engine.imports().choose_operation(view.id, "template-processes.delete").unwrap();
    assert_eq!((view.counts.ready_rows, view.counts.error_rows), (2, 0), "the list can be opened to be sent");
}

async fn read_plant_state(fixture: &Fixture, resource: &str) -> Vec<Value> {
    let state = control(fixture, &format!("state/{resource}")).await;
    state["data"].as_array().unwrap().clone()
}

/// Returns the number of template reads that reached the plant.
fn request_count(fixture: &Fixture) -> usize {
    let log = fixture.plant.log();
    log.iter().filter(|entry| entry.operation.as_deref() == Some("templates.processes")).count()
}
