//! Reads as few pages as possible, with retries. While a page is compared to the items, the next one is requested.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use takt_browse::read_back::{ReadBack, ReadBackItems, ReadBackObserver, ServiceItem};
use takt_engine::{Canceller, preview::PreviewKind};
use takt_plant::{Fault, Size};

use super::fixture::{Fixture, SITE, cells, format_as_typed};

const LIST: &str = "work-orders.list";
const FIELDS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];
const ROWS_PER_PAGE: usize = 100;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Items that match a row of the first page. The first one waits until the second page is requested.
struct WaitingItems<'a> {
    fixture: &'a Fixture,
    bodies: Vec<Value>,
    has_first_page: &'a AtomicBool,
    /// The number of requests before the read-back.
    before: usize,
    /// The number of requests when an item was shown first.
    requests_at_first_item: Mutex<Option<usize>>,
}

impl ReadBackItems for WaitingItems<'_> {
    fn count(&self) -> usize {
        self.bodies.len()
    }

    fn with_body(&self, position: usize, visit: &mut dyn FnMut(&Value)) {
        let mut requests_at_first_item = self.requests_at_first_item.lock().unwrap();
        if self.has_first_page.load(Ordering::SeqCst) && requests_at_first_item.is_none() {
            let began = Instant::now();
            while self.requests() < 2 && began.elapsed() < TIMEOUT {
                thread::sleep(Duration::from_millis(2));
            }
            *requests_at_first_item = Some(self.requests());
        }
        drop(requests_at_first_item);
        visit(&self.bodies[position]);
    }
}

impl WaitingItems<'_> {
    fn requests(&self) -> usize {
        self.fixture.requests(LIST) - self.before
    }
}

async fn fixture_with_orders() -> (Fixture, Vec<Value>, usize) {
    let fixture = Fixture::new(Size::Small).await;
    let material = format_as_typed(&fixture.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    fixture.send("work-orders.sync", &FIELDS, &(0..300).map(more).collect::<Vec<_>>()).await;
    let stored = fixture.list(LIST).await;
    let pages = stored.len().div_ceil(ROWS_PER_PAGE);
    assert!(pages > 3, "{} orders", stored.len());
    (fixture, stored, pages)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_page_is_requested_while_one_is_compared() {
    let (fixture, stored, pages) = fixture_with_orders().await;
    let contract = fixture.engine.sites().contract(SITE).unwrap();
    let client = fixture.engine.sites().client(SITE).unwrap();
    let read_back = ReadBack::for_operation(&contract, "work-orders.properties").unwrap();
    // The first item matches every operation of an order on the first page. The others are known to be absent only at
    // the end.
    let mut bodies = vec![json!({ "workOrderCode": stored[0]["code"], "key": "NO-SUCH-KEY" })];
    bodies.extend((0..150).map(|number| json!({ "workOrderCode": format!("NO-{number}"), "key": "NO-SUCH-KEY" })));
    let has_first_page = AtomicBool::new(false);
    let before = fixture.requests(LIST);
    let requests_at_first_item = Mutex::new(None);
    let items =
        WaitingItems { fixture: &fixture, bodies, has_first_page: &has_first_page, before, requests_at_first_item };
    let (mut absent, mut requests) = (0, 0);
    let mut observer = ReadBackObserver {
        on_item: &mut |_, result| absent += usize::from(result.item == ServiceItem::Absent),
        on_progress: &mut |progress| {
            requests = progress.requests;
            has_first_page.store(true, Ordering::SeqCst);
        },
    };
    read_back.read_each(&client, &items, &Canceller::new(), &mut observer).await.unwrap();
    assert_eq!(*items.requests_at_first_item.lock().unwrap(), Some(2), "the second page was asked for, and no third");
    assert_eq!((absent, requests as usize, items.requests()), (151, pages, pages));
}

/// The first page may settle all items, so the second one isn't requested before it was compared.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_is_asked_for_that_may_not_be_needed() {
    let (fixture, stored, _) = fixture_with_orders().await;
    for count in [ROWS_PER_PAGE, ROWS_PER_PAGE + 1] {
        let before = fixture.requests(LIST);
        let rows: Vec<Vec<String>> = stored[..count]
            .iter()
            .map(|row| FIELDS.iter().map(|field| format_as_typed(&row[*field])).collect())
            .collect();
        let import = fixture.open("work-orders.sync", &FIELDS, &rows);
        let view = fixture.preview(import).await;
        let pages = count.div_ceil(ROWS_PER_PAGE);
        assert_eq!((view.counts.same as usize, view.steps[0].requests as usize), (count, pages));
        assert_eq!(fixture.requests(LIST) - before, pages, "{count} orders");
    }
}

#[tokio::test]
async fn few_are_asked_for_by_code_and_many_page_by_page() {
    let fixture = Fixture::new(Size::Small).await;
    let material = format_as_typed(&fixture.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    fixture.send("work-orders.sync", &FIELDS, &(0..600).map(more).collect::<Vec<_>>()).await;
    let stored = fixture.list(LIST).await;
    let pages = stored.len().div_ceil(100);
    assert!(pages > 6, "there are {} orders", stored.len());
    let mut codes: Vec<String> = stored.iter().map(|row| format_as_typed(&row["code"])).collect();
    codes.dedup();
    let of_first = |count: usize| -> Vec<Vec<String>> {
        let wanted = &codes[codes.len() - count..];
        let rows = stored.iter().filter(|row| wanted.contains(&format_as_typed(&row["code"])));
        rows.map(|row| cells(row, &FIELDS)).collect()
    };
    // The number of orders in the file, and of requests. Orders are read by code, by code after the first page of the
    // list, or with the complete list.
    for (orders, expected) in [(1, 1), (2, 2), (4, 5), (codes.len(), pages)] {
        let before = fixture.requests(LIST);
        let rows = of_first(orders);
        let import = fixture.open("work-orders.sync", &FIELDS, &rows);
        let view = fixture.preview(import).await;
        assert_eq!(fixture.requests(LIST) - before, expected, "{orders} orders");
        assert_eq!((view.steps[0].requests as usize, view.counts.same as usize), (expected, rows.len()));
    }
}

#[tokio::test]
async fn reading_ends_where_everything_was_found() {
    let fixture = Fixture::new(Size::Small).await;
    let stored = fixture.list("materials.list").await;
    assert!(stored.len() > 100, "{}", stored.len());
    let rows: Vec<Vec<String>> = stored[..20].iter().map(|row| cells(row, &["code", "description"])).collect();
    let before = fixture.requests("materials.list");
    let import = fixture.open("materials.sync", &["code", "description"], &rows);
    assert_eq!(fixture.preview(import).await.counts.same, 20);
    assert_eq!(fixture.requests("materials.list") - before, 1, "the first page has them all");
}

/// Inspections are listed by order, and may have moved to another order. Missing ones are searched in the whole list.
#[tokio::test]
async fn inspections_moved_to_another_order_are_found() {
    let fixture = Fixture::new(Size::Small).await;
    let fields = ["code", "workOrderCode", "operationCode", "processCode"];
    let stored = fixture.list("inspections.list").await;
    let mut row = cells(&stored[0], &fields);
    let other = stored.iter().find(|other| other["workOrderCode"] != stored[0]["workOrderCode"]).unwrap();
    row[1] = format_as_typed(&other["workOrderCode"]);
    let import = fixture.open("inspections.sync", &fields, &[row]);
    let view = fixture.preview(import).await;
    assert_eq!((view.counts.changed, view.counts.new), (1, 0), "{view:?}");
    let changed = fixture.rows(import, Some(PreviewKind::Changed));
    assert_eq!(changed[0].fields[0].field, "workOrderCode");
}

#[tokio::test]
async fn a_limit_is_waited_for() {
    let fixture = Fixture::new(Size::Small).await;
    let rows: Vec<Vec<String>> =
        fixture.list("materials.list").await[..3].iter().map(|row| cells(row, &["code", "description"])).collect();
    let import = fixture.open("materials.sync", &["code", "description"], &rows);
    fixture.plant.plant().set_faults(vec![Fault::parse("limit-429-s:1").unwrap()], 1);
    let plant = Arc::clone(fixture.plant.plant());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        plant.set_faults(Vec::new(), 1);
    });
    assert_eq!(fixture.preview(import).await.counts.same, 3);
}
