//! Tests that an import has one site for checks, previews and sending.

use takt_engine::{
    Canceller, Code, Problem,
    contract::FieldPlace,
    contracts::{FieldEdit, OperationEdit},
    import::{FixedBy, ImportId, ImportView},
    preview::PreviewChoice,
    sites::{Site, SiteKind},
};
use takt_plant::Size;

use super::fixture::{Fixture, SITE};

const WORKS: &str = "works";

async fn fixture_with_works() -> Fixture {
    let fixture = Fixture::new(Size::Small).await;
    let sites = fixture.engine.sites().list().unwrap();
    let practice = sites.into_iter().find(|one| one.site.name == SITE).unwrap().site;
    let works = Site { name: WORKS.to_owned(), kind: SiteKind::Production, ..practice };
    fixture.engine.save_site(works, Some("a secret".to_owned())).unwrap();
    fixture
}

fn open_materials(fixture: &Fixture) -> ImportId {
    fixture.open("materials.sync", &["code", "description"], &[vec!["NEW-1".to_owned(), "new".to_owned()]])
}

fn expect_obstacle<T: std::fmt::Debug>(result: Result<T, Problem>) -> String {
    result.unwrap_err().parameters["obstacle"].clone()
}

#[tokio::test]
async fn previews_of_one_site_are_not_sent_to_another() {
    let fixture = fixture_with_works().await;
    let import = open_materials(&fixture);
    fixture.engine.import_sites().choose_site(import, SITE).unwrap();
    let preview = fixture.preview(import).await;
    assert_eq!((preview.site.as_str(), preview.stale), (SITE, false));
    let choice = Some(PreviewChoice::default());
    let refused = fixture.engine.previews().import_items(import, WORKS, choice).unwrap_err();
    assert_eq!((refused.parameters["site"].as_str(), refused.parameters["other"].as_str()), (SITE, WORKS));
    assert_eq!(
        expect_obstacle(fixture.engine.previews().import_items(import, WORKS, None)),
        "other-site",
        "also without a preview"
    );
    assert_eq!(
        expect_obstacle(
            fixture.engine.import_sites().check_against_site(WORKS, import, false, &Canceller::new()).await
        ),
        "other-site"
    );
    assert_eq!(
        expect_obstacle(fixture.engine.previews().compare(WORKS, import, &Canceller::new(), |_| {}).await),
        "other-site"
    );
    assert_eq!(expect_obstacle(fixture.engine.templates().preview_import_links(WORKS, import, None)), "other-site");
    let items = fixture.engine.previews().import_items(import, SITE, choice).unwrap();
    assert_eq!(items.site, SITE);
}

#[tokio::test]
async fn another_site_begins_anew() {
    let fixture = fixture_with_works().await;
    let import = open_materials(&fixture);
    fixture.engine.import_sites().check_against_site(SITE, import, false, &Canceller::new()).await.unwrap();
    fixture.preview(import).await;
    let view = fixture.engine.import_sites().choose_site(import, WORKS).unwrap();
    assert_eq!(view.destination.unwrap().site, WORKS);
    assert_eq!(view.reference_checks.site, None, "what the first site holds says nothing about this one");
    assert!(fixture.engine.previews().view(import).unwrap().stale);
    let choice = Some(PreviewChoice::default());
    assert_eq!(expect_obstacle(fixture.engine.previews().import_items(import, WORKS, choice)), "preview-stale");
    assert_eq!(fixture.engine.previews().import_items(import, WORKS, None).unwrap().site, WORKS);
    assert_eq!(fixture.engine.import_sites().site_or_chosen(import).unwrap(), WORKS);
}

#[tokio::test]
async fn a_sample_stays_with_practice() {
    let fixture = fixture_with_works().await;
    let folder = fixture.engine.home().samples();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("materials.csv"), "code;description\nNEW-1;new\n").unwrap();
    let open = || fixture.engine.imports().open(&folder.join("materials.csv")).unwrap().id;
    let import = open();
    assert_eq!(expect_obstacle(fixture.engine.previews().import_items(import, WORKS, None)), "sample-elsewhere");
    let view = fixture.engine.import_sites().choose_site(import, SITE).unwrap();
    assert_eq!(view.destination.unwrap().fixed, Some(FixedBy::Sample));
    assert_eq!(expect_obstacle(fixture.engine.import_sites().choose_site(import, WORKS)), "sample-elsewhere");
    assert_eq!(
        expect_obstacle(
            fixture.engine.import_sites().check_against_site(WORKS, open(), false, &Canceller::new()).await
        ),
        "sample-elsewhere"
    );
}

/// The built-in contract would check and build rows by other rules than those of the site.
#[tokio::test]
async fn rows_are_checked_by_the_contract_of_their_site_as_it_is_now() {
    let fixture = fixture_with_works().await;
    let import = open_materials(&fixture);
    let view = fixture.engine.imports().view(import).unwrap();
    let optional = view.fields.iter().find(|field| !field.required).unwrap().path.clone();
    let require = |required: bool| {
        let field = FieldEdit { required: Some(required), ..FieldEdit::new(FieldPlace::Request, &optional) };
        let edit =
            OperationEdit { operation: "materials.sync".to_owned(), fields: vec![field], ..OperationEdit::default() };
        fixture.engine.contracts().edit(WORKS, &[edit]).unwrap();
    };
    let is_required = |view: &ImportView| view.fields.iter().any(|field| field.path == optional && field.required);
    require(true);

    // Sites that can't be read are no reason for another contract.
    let file = rusqlite::Connection::open(fixture.home.path().join("journal.sqlite")).unwrap();
    let body: String = file.query_row("SELECT body FROM site", [], |row| row.get(0)).unwrap();
    file.execute("UPDATE site SET body = '{}'", []).unwrap();
    assert_eq!(fixture.engine.import_sites().choose_site(import, WORKS).unwrap_err().code, Code::JournalFailed);
    assert_eq!(fixture.engine.imports().view(import).unwrap().destination.map(|own| own.site), None);
    file.execute("UPDATE site SET body = ?1", [body]).unwrap();

    let view = fixture.engine.import_sites().choose_site(import, WORKS).unwrap();
    assert!(is_required(&view));
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (1, 0));

    // The contract is edited while the file is open.
    require(false);
    fixture.engine.import_sites().require_site(import, WORKS).unwrap();
    let view = fixture.engine.imports().view(import).unwrap();
    assert!(!is_required(&view));
    assert_eq!((view.counts.error_rows, view.counts.ready_rows), (0, 1));
}
