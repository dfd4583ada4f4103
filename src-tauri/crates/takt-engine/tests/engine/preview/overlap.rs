//! While a page is held against the items, the next one is on its way already, and no page is read that isn't needed.

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

use super::stage::{SITE, Stage, typed};

const LIST: &str = "work-orders.list";
const FIELDS: [&str; 4] = ["code", "operationCode", "materialCode", "requestedQuantity"];
const ROWS_PER_PAGE: usize = 100;
const LONGEST: Duration = Duration::from_secs(30);

/// Items of which one is shown for a row of the first page: it is held back until the second page is asked for.
struct PatientItems<'a> {
    stage: &'a Stage,
    bodies: Vec<Value>,
    has_first_page: &'a AtomicBool,
    /// The requests of before.
    before: usize,
    /// The requests that had been made since when an item was shown first.
    at_first: Mutex<Option<usize>>,
}

impl ReadBackItems for PatientItems<'_> {
    fn count(&self) -> usize {
        self.bodies.len()
    }

    fn with(&self, place: usize, look: &mut dyn FnMut(&Value)) {
        let mut at_first = self.at_first.lock().unwrap();
        if self.has_first_page.load(Ordering::SeqCst) && at_first.is_none() {
            let began = Instant::now();
            while self.requests() < 2 && began.elapsed() < LONGEST {
                thread::sleep(Duration::from_millis(2));
            }
            *at_first = Some(self.requests());
        }
        drop(at_first);
        look(&self.bodies[place]);
    }
}

impl PatientItems<'_> {
    fn requests(&self) -> usize {
        self.stage.requests(LIST) - self.before
    }
}

async fn stage_with_orders() -> (Stage, Vec<Value>, usize) {
    let stage = Stage::new(Size::Small).await;
    let material = typed(&stage.list("materials.list").await[0]["code"]);
    let more = |number: u32| vec![format!("XY-{number:04}"), "010".to_owned(), material.clone(), "5".to_owned()];
    stage.send("work-orders.sync", &FIELDS, &(0..300).map(more).collect::<Vec<_>>()).await;
    let held = stage.list(LIST).await;
    let pages = held.len().div_ceil(ROWS_PER_PAGE);
    assert!(pages > 3, "{} orders", held.len());
    (stage, held, pages)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_page_is_on_its_way_while_one_is_compared() {
    let (stage, held, pages) = stage_with_orders().await;
    let contract = stage.engine.sites().contract(SITE).unwrap();
    let client = stage.engine.sites().client(SITE).unwrap();
    let back = ReadBack::of(&contract, "work-orders.properties").unwrap();
    // The first means every operation of an order of the first page; that the others aren't there is known at the end.
    let mut bodies = vec![json!({ "workOrderCode": held[0]["code"], "key": "NO-SUCH-KEY" })];
    bodies.extend((0..150).map(|number| json!({ "workOrderCode": format!("NO-{number}"), "key": "NO-SUCH-KEY" })));
    let has_first_page = AtomicBool::new(false);
    let before = stage.requests(LIST);
    let at_first = Mutex::new(None);
    let items = PatientItems { stage: &stage, bodies, has_first_page: &has_first_page, before, at_first };
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

/// The first page may tell of all that is left, so nothing is asked for before it is known.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_is_asked_for_that_may_not_be_needed() {
    let (stage, held, _) = stage_with_orders().await;
    for count in [ROWS_PER_PAGE, ROWS_PER_PAGE + 1] {
        let before = stage.requests(LIST);
        let rows: Vec<Vec<String>> =
            held[..count].iter().map(|row| FIELDS.iter().map(|field| typed(&row[*field])).collect()).collect();
        let import = stage.open("work-orders.sync", &FIELDS, &rows);
        let view = stage.preview(import).await;
        let pages = count.div_ceil(ROWS_PER_PAGE);
        assert_eq!((view.counts.same as usize, view.steps[0].requests as usize), (count, pages));
        assert_eq!(stage.requests(LIST) - before, pages, "{count} orders");
    }
}
