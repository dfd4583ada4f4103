//! Tests deletes of template-process links: the existing links, and the orders of their templates.

use serde_json::json;
use takt_engine::item::ExcelRow;
use takt_engine::{
    Canceller,
    cleanup::LinksToDelete,
    preview::{PreviewChoice, PreviewCounts, PreviewKind},
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE, format_as_typed};

const FIELDS: [&str; 3] = ["templateId", "processCode", "operationCode"];

#[tokio::test]
async fn links_that_are_gone_already_are_told() {
    let fixture = Fixture::new(Size::Small).await;
    let process = &fixture.template(1).await[0];
    let row = |template: &str, process: &str| vec![template.to_owned(), process.to_owned(), "010".to_owned()];
    let rows = [row("1", process), row("1", "NOWHERE"), row("999999", process)];
    let import = fixture.open("template-processes.delete", &FIELDS, &rows);
    let before = fixture.requests("templates.processes");
    let view = fixture.preview(import).await;
    assert_eq!(fixture.requests("templates.processes") - before, 2, "one for each template");
    let counts = PreviewCounts { changed: 1, not_linked: 2, ..PreviewCounts::default() };
    assert_eq!(view.counts, counts, "{view:?}");
    assert_eq!(fixture.rows(import, Some(PreviewKind::NotLinked)).len(), 2);
    assert_eq!(fixture.rows(import, None).len(), 3, "rows that aren't linked are among all rows");
    let gone = fixture.rows(import, Some(PreviewKind::Changed));
    assert_eq!(gone[0].row, ExcelRow::new(2));
    assert!(gone[0].fields.iter().all(|field| field.new.is_null()), "{gone:?}");
    let mut steps = fixture.engine.imports().prepare_items(import).unwrap();
    fixture.engine.previews().mark_items(import, SITE, &mut steps, PreviewChoice::default()).unwrap();
    let comparison = steps[0].set.items[0].comparison.as_ref().unwrap();
    let link = json!({ "templateId": 1, "processCode": process, "operationCode": "010" });
    assert_eq!(comparison.before, Some(link), "what was there, and nothing else");
    assert!(!comparison.neighbors.is_empty(), "rows beside it are kept apart from it");
}

#[tokio::test]
async fn links_that_an_import_deletes_are_listed_before_sending() {
    let fixture = Fixture::new(Size::Small).await;
    let (one, two) = (&fixture.template(1).await[0], &fixture.template(2).await[0]);
    let row = |template: &str, process: &str| vec![template.to_owned(), process.to_owned(), "010".to_owned()];
    let rows = [row("2", two), row("1", one), row("1", "NOWHERE"), row("999999", one), row("one", one)];
    let import = fixture.open("template-processes.delete", &FIELDS, &rows);
    let going = |choice| fixture.engine.templates().preview_import_links(SITE, import, choice).unwrap();
    let all = LinksToDelete { links: 4, templates: vec![1, 2, 999_999] };
    assert_eq!(going(None), Some(all.clone()), "a row with an error isn't sent");
    fixture.preview(import).await;
    let there = LinksToDelete { links: 2, templates: vec![1, 2] };
    assert_eq!(going(Some(PreviewChoice::default())), Some(there), "what is gone already stays");
    let same = PreviewChoice { send_same: true, ..PreviewChoice::default() };
    assert_eq!(going(Some(same)), Some(all));
    let materials = fixture.open("materials.sync", &["code", "description"], &[vec!["M-1".into(), "One".into()]]);
    assert_eq!(fixture.engine.templates().preview_import_links(SITE, materials, None).unwrap(), None);
}

#[tokio::test]
async fn orders_that_are_made_by_a_template_are_told() {
    let fixture = Fixture::new(Size::Small).await;
    let orders = fixture.list("work-orders.list").await;
    let template = orders.iter().find_map(|row| row["templateId"].as_i64()).unwrap();
    let made: Vec<String> = orders
        .iter()
        .filter(|row| row["templateId"] == json!(template))
        .map(|row| format!("{} · {}", format_as_typed(&row["code"]), format_as_typed(&row["operationCode"])))
        .collect();
    let affected =
        fixture.engine.templates().read_affected_orders(SITE, &[template], &Canceller::new(), |_| {}).await.unwrap();
    assert!(affected.complete && affected.total as usize == made.len(), "{affected:?}");
    let mut keys: Vec<String> = affected.orders.iter().map(|order| order.key.clone()).collect();
    keys.sort_by_key(|key| made.iter().position(|known| known == key));
    assert_eq!(keys, made);
    assert!(affected.orders.is_sorted_by_key(|order| order.stage), "running ones first: {affected:?}");
    let running = orders
        .iter()
        .filter(|row| row["templateId"] == json!(template) && row["beginReal"].is_string() && row["endReal"].is_null());
    assert_eq!(affected.running as usize, running.count());
    let none =
        fixture.engine.templates().read_affected_orders(SITE, &[999_999], &Canceller::new(), |_| {}).await.unwrap();
    assert_eq!((none.total, none.complete), (0, true));
}
