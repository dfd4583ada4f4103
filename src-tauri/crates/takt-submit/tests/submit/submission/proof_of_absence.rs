//! Missing items must be proven missing. A status or an empty list alone proves nothing about items that were seen.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use takt_engine::{
    Canceller,
    cleanup::parse_template_ids,
    item::RowResult,
    preview::{PreviewChoice, PreviewCounts, PreviewFilter, PreviewKind, PreviewView},
    submission::{SubmissionRequest, SubmissionState, SubmissionView},
};

use super::{
    fake_service::{Service, ServiceAnswer},
    support::{EngineFixture, SITE, engine_fixture, plant, rows, wait_for_end},
};

const LINK: &str = "templateId;processCode;operationCode\n6;P-1;010\n";
const PROCESSES: &str = r#"{"inspectionsProcesses":[{"code":"P-1"},{"code":"P-2"},{"code":"P-3"}]}"#;
const NOT_FOUND_BODY: &str = r#"{"error":"there is no such template"}"#;

/// The current response of the list of a template's processes, and whether deletes arrive.
#[derive(Default)]
struct Fault {
    list: AtomicUsize,
    deletes_lost: AtomicUsize,
}

const COMPLETE_LIST: usize = 0;
const LISTS: [(&str, &str); 8] = [
    ("200 OK", PROCESSES),
    ("404 Not Found", NOT_FOUND_BODY),
    ("412 Precondition Failed", r#"{"errors":["unknown template"]}"#),
    ("404 Not Found", r#"{"message":"no"}"#),
    ("412 Precondition Failed", r#"{"message":"no"}"#),
    ("200 OK", r#"{"error":"maintenance"}"#),
    ("200 OK", r#"{"inspectionsProcesses":[]}"#),
    ("200 OK", r#"{"inspectionsProcesses":[{"code":"P-2"},{"code":"P-3"}]}"#),
];
const EMPTY_LIST: usize = 6;
const LIST_WITHOUT_LINK: usize = 7;
const MAINTENANCE_PAGE: usize = 5;
/// Statuses that mean "not found", in the contract's form.
const ABSENT_LISTS: [usize; 2] = [1, 2];
/// The same statuses in another form.
const INCONCLUSIVE_LISTS: [usize; 2] = [3, 4];

impl Fault {
    fn set(&self, list: usize) {
        self.list.store(list, Ordering::SeqCst);
    }

    fn answer(&self, request: &str) -> ServiceAnswer {
        if request.starts_with("GET") && request.contains("/Processes") {
            let (status, body) = LISTS[self.list.load(Ordering::SeqCst)];
            return (status, String::new(), body.as_bytes().to_vec());
        }
        if request.starts_with("DELETE") {
            let list = self.deletes_lost.load(Ordering::SeqCst);
            self.set(list);
            return ("", String::new(), Vec::new());
        }
        ("200 OK", String::new(), br#"{"data":[]}"#.to_vec())
    }
}

struct Fixture {
    takt: EngineFixture,
    service: Service,
    fault: Arc<Fault>,
}

impl Fixture {
    async fn new() -> Self {
        let plant = plant(&[]).await;
        let fixture = engine_fixture(&plant, "planner");
        let fault = Arc::new(Fault::default());
        let answering = Arc::clone(&fault);
        let service = Service::start(move |request| answering.answer(request)).await;
        service.set_as_site(&fixture);
        Self { takt: fixture, service, fault }
    }

    fn open(&self) -> takt_engine::import::ImportId {
        let path = self.takt.home.path().join("file.csv");
        std::fs::write(&path, LINK).unwrap();
        let imports = self.takt.engine.imports();
        let mut view = imports.open(&path).unwrap();
        view = imports.choose_operation(view.id, "template-processes.delete").unwrap();
        for (column, heading) in (0..).zip(LINK.lines().next().unwrap().split(';')) {
            view = imports.match_column(view.id, column, Some(heading)).unwrap();
        }
        view.id
    }

    async fn preview(&self) -> PreviewView {
        self.takt.engine.previews().compare(SITE, self.open(), &Canceller::new(), |_| {}).await.unwrap()
    }

    async fn send(&self, preview: &PreviewView, choice: Option<PreviewChoice>) -> SubmissionView {
        let items = self.takt.engine.previews().import_items(preview.import, SITE, choice).unwrap();
        let id = self.takt.engine.submissions().submit(SubmissionRequest::from(items)).await.unwrap().id.first();
        wait_for_end(&self.takt.engine, id).await
    }

    fn row(&self, view: &SubmissionView) -> (RowResult, String) {
        let row = rows(&self.takt.engine, view.id, None).remove(0);
        (row.result, row.reasons.join(" "))
    }
}

fn unknown_counts() -> PreviewCounts {
    PreviewCounts { unknown: 1, ..PreviewCounts::default() }
}

#[tokio::test]
async fn a_status_proves_nothing_about_a_template_that_was_seen() {
    let unseen = Fixture::new().await;
    for list in INCONCLUSIVE_LISTS {
        unseen.fault.set(list);
        let preview = unseen.preview().await;
        assert_eq!(preview.counts, unknown_counts(), "never seen: {:?}", LISTS[list]);
        assert!(preview.steps[0].problem.is_some(), "{preview:?}");
    }
    for list in ABSENT_LISTS {
        unseen.fault.set(list);
        let not_linked = PreviewCounts { not_linked: 1, ..PreviewCounts::default() };
        assert_eq!(unseen.preview().await.counts, not_linked, "never seen: {:?}", LISTS[list]);
    }
    let fixture = Fixture::new().await;
    assert_eq!(fixture.preview().await.counts.changed, 1);
    for list in ABSENT_LISTS.into_iter().chain(INCONCLUSIVE_LISTS) {
        fixture.fault.set(list);
        let preview = fixture.preview().await;
        assert_eq!(preview.counts, unknown_counts(), "{:?}", LISTS[list]);
        let row =
            &fixture.takt.engine.previews().rows(preview.import, 0, &PreviewFilter::default(), 0, 9).unwrap().rows[0];
        assert_eq!(row.kind, PreviewKind::Unknown);
        let status = &LISTS[list].0[..3];
        assert!(row.reason.as_ref().is_some_and(|reason| reason.contains(status)), "{row:?}");
    }
}

#[tokio::test]
async fn templates_without_proof_of_absence_are_requested_again() {
    for list in INCONCLUSIVE_LISTS.into_iter().chain(ABSENT_LISTS) {
        let fixture = Fixture::new().await;
        let import = fixture.open();
        let sites = fixture.takt.engine.import_sites();
        fixture.fault.set(list);
        let view = sites.check_against_site(SITE, import, false, &Canceller::new()).await.unwrap();
        let is_proven = ABSENT_LISTS.contains(&list);
        assert_eq!(view.totals.error_rows, u32::from(is_proven), "{:?}: {view:?}", LISTS[list]);
        fixture.fault.set(COMPLETE_LIST);
        let before = fixture.service.count("GET /api/v1/ProcessExecutionTemplates");
        let view = sites.check_against_site(SITE, import, false, &Canceller::new()).await.unwrap();
        let asked = fixture.service.count("GET /api/v1/ProcessExecutionTemplates") - before;
        assert_eq!((view.totals.error_rows, asked), (0, 1), "{:?}: asked for again", LISTS[list]);
    }
    let fixture = Fixture::new().await;
    let import = fixture.open();
    let sites = fixture.takt.engine.import_sites();
    // A known template isn't requested again for a while.
    drop(sites.check_against_site(SITE, import, false, &Canceller::new()).await.unwrap());
    let before = fixture.service.count("GET /api/v1/ProcessExecutionTemplates");
    drop(sites.check_against_site(SITE, import, false, &Canceller::new()).await.unwrap());
    assert_eq!(fixture.service.count("GET /api/v1/ProcessExecutionTemplates"), before);
    // Earlier reads have shown it.
    fixture.fault.set(ABSENT_LISTS[0]);
    let view = sites.check_against_site(SITE, import, true, &Canceller::new()).await.unwrap();
    assert_eq!(view.totals.error_rows, 0, "{view:?}");
}

#[tokio::test]
async fn templates_that_were_read_arent_called_missing() {
    let fixture = Fixture::new().await;
    let templates = fixture.takt.engine.templates();
    let read = async |ids: &str| {
        let set = templates.create_set(SITE, &parse_template_ids(ids).unwrap());
        drop(templates.read(&set, &Canceller::new(), |_| {}).await);
        templates.view(&set).unwrap()
    };
    assert_eq!(read("5, 6").await.templates.len(), 2);
    fixture.fault.set(ABSENT_LISTS[0]);
    let view = read("5, 6, 999").await;
    assert_eq!((view.absent.text.as_str(), view.unread[0].ids.text.as_str()), ("999", "5, 6"));
    fixture.fault.set(INCONCLUSIVE_LISTS[0]);
    let view = read("5, 6, 999").await;
    assert_eq!((view.absent.count, view.unread[0].ids.text.as_str()), (0, "5, 6, 999"));
}

#[tokio::test]
async fn a_list_that_lost_other_rows_too_doesnt_prove_a_delete() {
    for (list, expected) in [(EMPTY_LIST, RowResult::Unconfirmed), (LIST_WITHOUT_LINK, RowResult::Accepted)] {
        for with_preview in [true, false] {
            let fixture = Fixture::new().await;
            fixture.fault.deletes_lost.store(list, Ordering::SeqCst);
            let preview = fixture.preview().await;
            let view = fixture.send(&preview, with_preview.then(PreviewChoice::default)).await;
            let (result, reasons) = fixture.row(&view);
            assert_eq!(result, expected, "{:?}: {reasons}", LISTS[list]);
            assert_eq!(reasons.contains("other rows"), expected == RowResult::Unconfirmed, "{reasons}");
            if result == RowResult::Unconfirmed {
                // A later read doesn't settle it either, but a truthful list does.
                fixture.takt.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
                let again = wait_for_end(&fixture.takt.engine, view.id).await;
                assert_eq!(fixture.row(&again).0, RowResult::Unconfirmed);
                fixture.fault.set(LIST_WITHOUT_LINK);
                fixture.takt.engine.submissions().read_back_unconfirmed(view.id, None).await.unwrap();
                let again = wait_for_end(&fixture.takt.engine, view.id).await;
                assert_eq!(fixture.row(&again).0, RowResult::Accepted);
            }
        }
    }
}

#[tokio::test]
async fn a_delete_that_couldnt_be_compared_isnt_sent() {
    let fixture = Fixture::new().await;
    fixture.fault.set(MAINTENANCE_PAGE);
    let preview = fixture.preview().await;
    assert_eq!(preview.counts, unknown_counts());
    let view = fixture.send(&preview, Some(PreviewChoice::default())).await;
    let (result, reasons) = fixture.row(&view);
    assert_eq!(result, RowResult::Skipped, "{reasons}");
    assert!(reasons.contains("couldn't compare"), "{reasons}");
    // Without a preview, it is read before it is sent.
    let view = fixture.send(&fixture.preview().await, None).await;
    assert_eq!((view.state, view.counts.pending), (SubmissionState::Interrupted, 1), "{view:?}");
    assert!(view.problem.is_some());
    assert_eq!(fixture.service.count("DELETE"), 0, "nothing was sent");
    let asked = PreviewChoice { send_unchecked: true, ..PreviewChoice::default() };
    fixture.send(&fixture.preview().await, Some(asked)).await;
    assert!(fixture.service.count("DELETE") > 0, "a person asked for it");
}
