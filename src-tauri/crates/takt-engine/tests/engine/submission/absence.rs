//! What is missing at a service is proven, or it isn't known: a status or an empty list alone proves nothing about what was seen.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use takt_engine::{
    Canceller,
    cleanup::parse_template_ids,
    item::RowResult,
    preview::{PreviewChoice, PreviewCounts, PreviewKind, PreviewView},
    submission::{SubmissionRequest, SubmissionState, SubmissionView},
};

use super::{
    service::{Service, ServiceAnswer},
    support::{Console, SITE, console, ended, plant, rows},
};

const LINK: &str = "templateId;processCode;operationCode\n6;P-1;010\n";
const PROCESSES: &str = r#"{"inspectionsProcesses":[{"code":"P-1"},{"code":"P-2"},{"code":"P-3"}]}"#;
const ABSENT: &str = r#"{"error":"there is no such template"}"#;

/// What the list of a template's processes answers now, and whether deletes arrive.
#[derive(Default)]
struct Fault {
    list: AtomicUsize,
    deletes_lost: AtomicUsize,
}

const GOOD: usize = 0;
const LISTS: [(&str, &str); 8] = [
    ("200 OK", PROCESSES),
    ("404 Not Found", ABSENT),
    ("412 Precondition Failed", r#"{"errors":["unknown template"]}"#),
    ("404 Not Found", r#"{"message":"no"}"#),
    ("412 Precondition Failed", r#"{"message":"no"}"#),
    ("200 OK", r#"{"error":"maintenance"}"#),
    ("200 OK", r#"{"inspectionsProcesses":[]}"#),
    ("200 OK", r#"{"inspectionsProcesses":[{"code":"P-2"},{"code":"P-3"}]}"#),
];
const EMPTY: usize = 6;
const WITHOUT_LINK: usize = 7;
const MAINTENANCE: usize = 5;
/// Statuses that say that a template doesn't exist, in the contract's form.
const SAYS_ABSENT: [usize; 2] = [1, 2];
/// The same statuses in another form.
const SAYS_NOTHING: [usize; 2] = [3, 4];

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

struct Stage {
    console: Console,
    service: Service,
    fault: Arc<Fault>,
}

impl Stage {
    async fn new() -> Self {
        let plant = plant(&[]).await;
        let console = console(&plant, "planner");
        let fault = Arc::new(Fault::default());
        let answering = Arc::clone(&fault);
        let service = Service::start(move |request| answering.answer(request)).await;
        service.serves(&console);
        Self { console, service, fault }
    }

    fn open(&self) -> takt_engine::import::ImportId {
        let path = self.console.home.path().join("file.csv");
        std::fs::write(&path, LINK).unwrap();
        let imports = self.console.engine.imports();
        let mut view = imports.open(&path).unwrap();
        view = imports.choose_operation(view.id, "template-processes.delete").unwrap();
        for (column, heading) in (0..).zip(LINK.lines().next().unwrap().split(';')) {
            view = imports.match_column(view.id, column, Some(heading)).unwrap();
        }
        view.id
    }

    async fn preview(&self) -> PreviewView {
        self.console.engine.previews().take(SITE, self.open(), &Canceller::new(), |_| {}).await.unwrap()
    }

    async fn send(&self, preview: &PreviewView, choice: Option<PreviewChoice>) -> SubmissionView {
        let items = self.console.engine.previews().items_for(preview.import, SITE, choice).unwrap();
        let id = self.console.engine.submissions().submit(SubmissionRequest::from(items)).await.unwrap().id.first();
        ended(&self.console.engine, id).await
    }

    fn row(&self, view: &SubmissionView) -> (RowResult, String) {
        let row = rows(&self.console.engine, view.id, None).remove(0);
        (row.result, row.reasons.join(" "))
    }
}

fn unknown() -> PreviewCounts {
    PreviewCounts { unknown: 1, ..PreviewCounts::default() }
}

#[tokio::test]
async fn a_status_proves_nothing_about_a_template_that_was_seen() {
    let unseen = Stage::new().await;
    for list in SAYS_NOTHING {
        unseen.fault.set(list);
        let preview = unseen.preview().await;
        assert_eq!(preview.counts, unknown(), "never seen: {:?}", LISTS[list]);
        assert!(preview.steps[0].problem.is_some(), "{preview:?}");
    }
    for list in SAYS_ABSENT {
        unseen.fault.set(list);
        let not_linked = PreviewCounts { not_linked: 1, ..PreviewCounts::default() };
        assert_eq!(unseen.preview().await.counts, not_linked, "never seen: {:?}", LISTS[list]);
    }
    let stage = Stage::new().await;
    assert_eq!(stage.preview().await.counts.changed, 1);
    for list in SAYS_ABSENT.into_iter().chain(SAYS_NOTHING) {
        stage.fault.set(list);
        let preview = stage.preview().await;
        assert_eq!(preview.counts, unknown(), "{:?}", LISTS[list]);
        let row = &stage.console.engine.previews().rows(preview.import, 0, None, (0, 9)).unwrap().rows[0];
        assert_eq!(row.kind, PreviewKind::Unknown);
        let status = &LISTS[list].0[..3];
        assert!(row.reason.as_ref().is_some_and(|reason| reason.contains(status)), "{row:?}");
    }
}

#[tokio::test]
async fn what_isnt_proven_to_be_unknown_is_asked_for_again() {
    for list in SAYS_NOTHING.into_iter().chain(SAYS_ABSENT) {
        let stage = Stage::new().await;
        let import = stage.open();
        let sites = stage.console.engine.import_sites();
        stage.fault.set(list);
        let view = sites.check_against(SITE, import, false, &Canceller::new()).await.unwrap();
        let is_proven = SAYS_ABSENT.contains(&list);
        assert_eq!(view.totals.error_rows, u32::from(is_proven), "{:?}: {view:?}", LISTS[list]);
        stage.fault.set(GOOD);
        let before = stage.service.count("GET /api/v1/ProcessExecutionTemplates");
        let view = sites.check_against(SITE, import, false, &Canceller::new()).await.unwrap();
        let asked = stage.service.count("GET /api/v1/ProcessExecutionTemplates") - before;
        assert_eq!((view.totals.error_rows, asked), (0, 1), "{:?}: asked for again", LISTS[list]);
    }
    let stage = Stage::new().await;
    let import = stage.open();
    let sites = stage.console.engine.import_sites();
    // What is there is known for a while, and isn't asked for again.
    drop(sites.check_against(SITE, import, false, &Canceller::new()).await.unwrap());
    let before = stage.service.count("GET /api/v1/ProcessExecutionTemplates");
    drop(sites.check_against(SITE, import, false, &Canceller::new()).await.unwrap());
    assert_eq!(stage.service.count("GET /api/v1/ProcessExecutionTemplates"), before);
    // And it was seen.
    stage.fault.set(SAYS_ABSENT[0]);
    let view = sites.check_against(SITE, import, true, &Canceller::new()).await.unwrap();
    assert_eq!(view.totals.error_rows, 0, "{view:?}");
}

#[tokio::test]
async fn templates_that_were_read_arent_called_missing() {
    let stage = Stage::new().await;
    let templates = stage.console.engine.templates();
    let read = async |ids: &str| {
        let set = templates.set(SITE, &parse_template_ids(ids).unwrap());
        drop(templates.read(&set, &Canceller::new(), |_| {}).await);
        templates.view(&set).unwrap()
    };
    assert_eq!(read("5, 6").await.templates.len(), 2);
    stage.fault.set(SAYS_ABSENT[0]);
    let view = read("5, 6, 999").await;
    assert_eq!((view.absent.text.as_str(), view.unread[0].ids.text.as_str()), ("999", "5, 6"));
    stage.fault.set(SAYS_NOTHING[0]);
    let view = read("5, 6, 999").await;
    assert_eq!((view.absent.count, view.unread[0].ids.text.as_str()), (0, "5, 6, 999"));
}

#[tokio::test]
async fn a_list_that_lost_other_rows_too_doesnt_prove_a_delete() {
    for (list, expected) in [(EMPTY, RowResult::Unconfirmed), (WITHOUT_LINK, RowResult::Accepted)] {
        for with_preview in [true, false] {
            let stage = Stage::new().await;
            stage.fault.deletes_lost.store(list, Ordering::SeqCst);
            let preview = stage.preview().await;
            let view = stage.send(&preview, with_preview.then(PreviewChoice::default)).await;
            let (result, reasons) = stage.row(&view);
            assert_eq!(result, expected, "{:?}: {reasons}", LISTS[list]);
            assert_eq!(reasons.contains("other rows"), expected == RowResult::Unconfirmed, "{reasons}");
            if result == RowResult::Unconfirmed {
                // Nor does it later, and a truthful list settles it.
                stage.console.engine.submissions().find_out(view.id, None).await.unwrap();
                let again = ended(&stage.console.engine, view.id).await;
                assert_eq!(stage.row(&again).0, RowResult::Unconfirmed);
                stage.fault.set(WITHOUT_LINK);
                stage.console.engine.submissions().find_out(view.id, None).await.unwrap();
                let again = ended(&stage.console.engine, view.id).await;
                assert_eq!(stage.row(&again).0, RowResult::Accepted);
            }
        }
    }
}

#[tokio::test]
async fn a_delete_that_couldnt_be_compared_isnt_sent() {
    let stage = Stage::new().await;
    stage.fault.set(MAINTENANCE);
    let preview = stage.preview().await;
    assert_eq!(preview.counts, unknown());
    let view = stage.send(&preview, Some(PreviewChoice::default())).await;
    let (result, reasons) = stage.row(&view);
    assert_eq!(result, RowResult::Skipped, "{reasons}");
    assert!(reasons.contains("couldn't compare"), "{reasons}");
    // Without a preview it is looked at before it is sent.
    let view = stage.send(&stage.preview().await, None).await;
    assert_eq!((view.state, view.counts.pending), (SubmissionState::Interrupted, 1), "{view:?}");
    assert!(view.problem.is_some());
    assert_eq!(stage.service.count("DELETE"), 0, "nothing was sent");
    let asked = PreviewChoice { send_unchecked: true, ..PreviewChoice::default() };
    stage.send(&stage.preview().await, Some(asked)).await;
    assert!(stage.service.count("DELETE") > 0, "a person asked for it");
}
