//! While a page is compared to the items, the next one is already requested, and no unneeded page is read.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use takt_browse::read_back::{ReadBack, ReadBackItems, ReadBackObserver, ServiceItem};
use takt_engine::Canceller;
use takt_plant::Size;

use super::stage::{Fixture, SITE, typed};

const LIST: &str = "work-orders.list";
const FIELDS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];
const ROWS_PER_PAGE: usize = 100;
const LONGEST: Duration = Duration::from_secs(30);

/// Items that match a row of the first page. The first one waits until the second page is requested.
struct PatientItems<'a> {
    fixture: &'a Fixture,
    bodies: Vec<Value>,
    has_first_page: &'a AtomicBool,
    /// The number of requests before.
    before: usize,
    /// The number of requests when an item was shown first.
    at_first: Mutex<Option<usize>>,
}

impl ReadBackItems for PatientItems<'_> {
    fn count(&self) -> usize {
        self.bodies.len()
    }

    fn with(&self, position: usize, look: &mut dyn FnMut(&Value)) {
        let mut at_first = self.at_first.lock().unwrap();
        if self.has_first_page.load(Ordering::SeqCst) && at_first.is_none() {
            let began = Instant::now();
            while self.requests() < 2 && began.elapsed() < LONGEST {
                thread::sleep(Duration::from_millis(2));
            }
            *at_first = Some(self.requests());
        }
        drop(at_first);
        look(&self.bodies[position]);
    }
}

impl PatientItems<'_> {
    fn requests(&self) -> usize {
        self.fixture.requests(LIST) - self.before
    }
}

async fn fixture_with_orders() -> (Fixture, Vec<Value>, usize) {
    let fixture = Fixture::new(Size::Small).await;
    let material = typed(&fixture.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    fixture.send("work-orders.sync", &FIELDS, &(0..300).map(more).collect::<Vec<_>>()).await;
    let stored = fixture.list(LIST).await;
    let pages = stored.len().div_ceil(ROWS_PER_PAGE);
    assert!(pages > 3, "{} orders", stored.len());
    (fixture, stored, pages)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_page_is_on_its_way_while_one_is_compared() {
    let (fixture, stored, pages) = fixture_with_orders().await;
    let contract = fixture.engine.sites().contract(SITE).unwrap();
    let client = fixture.engine.sites().client(SITE).unwrap();
    let back = ReadBack::of(&contract, "work-orders.properties").unwrap();
    // The first item matches every operation of an order on the first page. That the others are absent is known at the
    // end.
    let mut bodies = vec![json!({ "workOrderCode": stored[0]["code"], "key": "NO-SUCH-KEY" })];
    bodies.extend((0..150).map(|number| json!({ "workOrderCode": format!("NO-{number}"), "key": "NO-SUCH-KEY" })));
    let has_first_page = AtomicBool::new(false);
    let before = fixture.requests(LIST);
    let at_first = Mutex::new(None);
    let items = PatientItems { fixture: &fixture, bodies, has_first_page: &has_first_page, before, at_first };
    let (mut told, mut requests) = (0, 0);
    let mut observer = ReadBackObserver {
        on_item: &mut |_, result| told += usize::from(result.item == ServiceItem::Absent),
        on_progress: &mut |progress| {
            requests = progress.requests;
            has_first_page.store(true, Ordering::SeqCst);
        },
    };
    back.each(&client, &items, &Canceller::new(), &mut observer).await.unwrap();
    assert_eq!(*items.at_first.lock().unwrap(), Some(2), "the second page was asked for, and no third");
    assert_eq!((told, requests as usize, items.requests()), (151, pages, pages));
}

/// The first page may settle all items, so the second one isn't requested before it was compared.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_is_asked_for_that_may_not_be_needed() {
    let (fixture, stored, _) = fixture_with_orders().await;
    for count in [ROWS_PER_PAGE, ROWS_PER_PAGE + 1] {
        let before = fixture.requests(LIST);
        let rows: Vec<Vec<String>> =
            stored[..count].iter().map(|row| FIELDS.iter().map(|field| typed(&row[*field])).collect()).collect();
        let import = fixture.open("work-orders.sync", &FIELDS, &rows);
        let view = fixture.preview(import).await;
        let pages = count.div_ceil(ROWS_PER_PAGE);
        assert_eq!((view.counts.same as usize, view.steps[0].requests as usize), (count, pages));
        assert_eq!(fixture.requests(LIST) - before, pages, "{count} orders");
    }
}
