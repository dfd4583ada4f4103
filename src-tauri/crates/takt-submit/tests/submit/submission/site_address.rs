//! Submissions to a site belong to the site's address at that time. At another address, they are never continued,
//! resolved, retried or undone.

use std::sync::Arc;

use takt_engine::{
    Code, Engine, Problem,
    sites::{Site, SiteKind},
    submission::{
        ClaimChoice, Decision, PlanView, Relation, SendOptions, SubmissionId, SubmissionOrigin, SubmissionRequest,
        SubmissionState,
    },
};
use takt_plant::RunningPlant;
use takt_test_support::setup::{engine_config, site_of_plant};

use super::support::{
    EngineFixture, counts, engine_fixture, good_material, item, material, parse_faults, plant, request, wait_for_end,
    wait_for_view, with_options,
};

const WORKS: &str = "works";

fn site(plant: &RunningPlant) -> Site {
    Site { time_zone: "UTC".to_owned(), ..site_of_plant(WORKS, SiteKind::Test, plant) }
}

fn sign_in(engine: &Arc<Engine>, plant: &RunningPlant) {
    let tokens = plant.issue_tokens("planner").unwrap();
    engine.sites().adopt_tokens(WORKS, &tokens.access_token, None, Some(tokens.expires_in)).unwrap();
}

fn assert_address_changed<T>(result: Result<T, Problem>, what: &str, (before, now): (&str, &str)) {
    let Err(problem) = result else { panic!("{what}: it went on") };
    assert_eq!(problem.code, Code::AddressChanged, "{what}: {problem:?}");
    for address in [before, now] {
        assert!(problem.message.contains(address), "{what}: {}", problem.message);
    }
}

/// Sends a trial run with these faults, so that pending rows remain.
async fn send_trial(engine: &Arc<Engine>, plant: &RunningPlant, faults: &[&str]) -> SubmissionId {
    plant.plant().set_faults(parse_faults(faults), 1);
    let items = (1..=40).map(material).collect();
    let wanted = SubmissionRequest {
        site: WORKS.to_owned(),
        ..with_options(
            request("materials.sync", items, 10),
            SendOptions { leave_unconfirmed: true, trial: Some(30), ..SendOptions::default() },
        )
    };
    let id = engine.submissions().submit(wanted).await.unwrap().id.first();
    let counts = wait_for_end(engine, id).await.counts;
    assert!(
        counts.pending > 0 && (counts.accepted > 0 && counts.rejected > 0) != (counts.unconfirmed > 0),
        "{counts:?}"
    );
    plant.plant().set_faults(Vec::new(), 1);
    id
}

#[tokio::test]
async fn nothing_goes_to_another_plant_of_the_same_name() {
    let (old, new) = (plant(&[]).await, plant(&[]).await);
    let EngineFixture { engine, home: _home } = engine_fixture(&old, "planner");
    engine.save_site(site(&old), None).unwrap();
    sign_in(&engine, &old);
    let trial = send_trial(&engine, &old, &[]).await;
    let unconfirmed = send_trial(&engine, &old, &["apply-then-drop:1"]).await;

    // Changed, and removed and added again: in both cases the site has another address.
    for again in [false, true] {
        if again {
            engine.remove_site(WORKS).unwrap();
        }
        engine.save_site(site(&new), None).unwrap();
        sign_in(&engine, &new);
        let both = (old.base_url.as_str(), new.base_url.as_str());
        assert_address_changed(engine.submissions().resume(trial, None).await, "resume", both);
        assert_address_changed(
            engine.submissions().resume(unconfirmed, None).await,
            "resume what is unconfirmed",
            both,
        );
        assert_address_changed(engine.submissions().read_back_unconfirmed(unconfirmed, None).await, "find out", both);
        assert_address_changed(
            engine.submissions().decide(unconfirmed, &[], Decision::Arrived, None, ClaimChoice::Refuse).await,
            "decide",
            both,
        );
        assert_address_changed(
            engine.submissions().send_unconfirmed(unconfirmed, None, ClaimChoice::Refuse).await,
            "send again",
            both,
        );
        assert_address_changed(engine.submissions().create_retry(trial), "retry", both);
        assert_address_changed(engine.submissions().preview_undo(trial).await, "what an undo would do", both);
        assert_address_changed(engine.submissions().undo(trial, None, ClaimChoice::Refuse).await, "undo", both);
        let follows = Some(SubmissionOrigin { submission: trial, relation: Relation::Retry });
        let fixed = SubmissionRequest {
            site: WORKS.to_owned(),
            ..with_options(
                request("materials.sync", vec![good_material(10)], 1),
                SendOptions { follows, ..SendOptions::default() },
            )
        };
        assert_address_changed(engine.submissions().submit(fixed).await, "fixed rows", both);
    }
    assert!(new.log().iter().all(|entry| entry.operation.as_deref() != Some("materials.sync")), "{:?}", new.log());

    // New submissions can be sent there, and old ones continue at the old address.
    let fresh = SubmissionRequest { site: WORKS.to_owned(), ..request("materials.sync", vec![good_material(1)], 1) };
    let fresh = engine.submissions().submit(fresh).await.unwrap().id.first();
    assert_eq!(wait_for_end(&engine, fresh).await.counts.accepted, 1);
    let mut back = site(&old);
    back.base_url.push('/');
    engine.save_site(back, None).unwrap();
    sign_in(&engine, &old);
    for id in [trial, unconfirmed] {
        engine.submissions().resume(id, None).await.unwrap();
        let view = wait_for_end(&engine, id).await;
        assert_eq!((view.counts.pending, view.counts.unconfirmed), (0, 0), "{view:?}");
    }
}

#[tokio::test]
async fn another_sign_in_is_another_place_too() {
    let (old, new) = (plant(&[]).await, plant(&[]).await);
    let EngineFixture { engine, home: _home } = engine_fixture(&old, "planner");
    engine.save_site(site(&old), None).unwrap();
    sign_in(&engine, &old);
    let id = send_trial(&engine, &old, &[]).await;
    engine.save_site(Site { auth_url: new.auth_url.clone(), ..site(&old) }, None).unwrap();
    sign_in(&engine, &old);
    assert_address_changed(engine.submissions().resume(id, None).await, "resume", (&old.auth_url, &new.auth_url));
}

#[tokio::test]
async fn a_plan_stays_where_it_began() {
    let (old, new) = (plant(&[]).await, plant(&[]).await);
    let EngineFixture { engine, home: _home } = engine_fixture(&old, "planner");
    engine.save_site(site(&old), None).unwrap();
    // No user is signed in, so everything stays pending.
    let step = |operation: &str, row: u32| takt_engine::import::StepItems {
        set: takt_engine::import::ItemSet {
            operation: operation.to_owned(),
            file: "plan.xlsx".to_owned(),
            hash: "00".to_owned(),
            sheet: operation.to_owned(),
            items: vec![item(row, "A", serde_json::json!({ "code": "A", "description": "Bolt" }))],
            mapping: None,
        },
        waits: Vec::new(),
    };
    let steps = vec![step("materials.sync", 1), step("inspection-processes.sync", 2)];
    let wanted = SubmissionRequest { site: WORKS.to_owned(), steps, ..SubmissionRequest::default() };
    let plan = engine.submissions().submit(wanted).await.unwrap().id.first();
    engine.submissions().wait(plan).await.unwrap();
    engine.save_site(site(&new), None).unwrap();
    sign_in(&engine, &new);
    assert_address_changed(
        engine.submissions().resume(plan, None).await,
        "resume plan",
        (&old.base_url, &new.base_url),
    );
    assert_eq!(new.log().len(), 0);
}

/// The site's address is changed while the first step runs. The second step shows the problem, also after a restart.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_later_step_never_goes_to_another_address_and_says_why() {
    let (old, new) = (plant(&["latency=20"]).await, plant(&[]).await);
    let EngineFixture { engine, home } = engine_fixture(&old, "planner");
    engine.save_site(site(&old), None).unwrap();
    sign_in(&engine, &old);
    let mut wanted = SubmissionRequest {
        site: WORKS.to_owned(),
        ..request("materials.sync", (1..=60).map(good_material).collect(), 1)
    };
    wanted.steps.push(request("inspection-processes.sync", vec![good_material(61)], 1).steps.remove(0));
    let plan = engine.submissions().submit(wanted).await.unwrap();
    let (first, second) = (plan.submissions[0].id, plan.submissions[1].id);
    wait_for_view(&engine, first, |view| view.counts.accepted > 0).await;
    engine.save_site(site(&new), None).unwrap();
    let plan = engine.submissions().wait(first).await.unwrap();
    assert_eq!(plan.submissions[0].counts, counts(0, 60, 0, 0));
    drop(engine);
    let engine = Engine::open(engine_config(home.path())).unwrap();
    for view in [&plan.submissions[1], &engine.submissions().view(second).unwrap()] {
        assert_eq!((view.state, view.counts.pending), (SubmissionState::Interrupted, 1));
        assert_eq!(view.problem.as_ref().map(|problem| problem.code), Some(Code::AddressChanged));
    }
    assert_eq!(new.log().len(), 0);
}

#[tokio::test]
async fn the_practice_plant_may_begin_anew() {
    let first = plant(&["apply-then-drop:1"]).await;
    let EngineFixture { engine, home } = engine_fixture(&first, "planner");
    let items = (1..=4).map(good_material).collect();
    let wanted = with_options(
        request("materials.sync", items, 2),
        SendOptions { leave_unconfirmed: true, trial: Some(2), ..SendOptions::default() },
    );
    let id = engine.submissions().submit(wanted).await.unwrap().id.first();
    wait_for_end(&engine, id).await;
    drop(engine);
    let second = plant(&[]).await;
    let engine = super::support::engine(&home, &second, "planner");
    engine.submissions().resume(id, None).await.unwrap();
    assert_eq!(wait_for_end(&engine, id).await.counts.accepted, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_never_send_the_same_file_at_once() {
    let plant = plant(&["latency=20"]).await;
    let EngineFixture { engine: window, home } = engine_fixture(&plant, "planner");
    window.save_site(site(&plant), None).unwrap();
    sign_in(&window, &plant);
    let command_line = Engine::open(engine_config(home.path())).unwrap();
    sign_in(&command_line, &plant);
    let wanted = || SubmissionRequest {
        site: WORKS.to_owned(),
        ..request("materials.sync", (1..=100).map(good_material).collect(), 2)
    };
    let is_refused = |result: Result<_, Problem>| {
        let problem = result.map(|_: PlanView| ()).unwrap_err();
        assert_eq!(problem.parameters["obstacle"], "file-being-sent", "{problem:?}");
        assert!(problem.message.contains("file.xlsx") && problem.message.contains(WORKS), "{}", problem.message);
    };

    let first = window.submissions().submit(wanted()).await.unwrap().id.first();
    wait_for_view(&window, first, |view| view.counts.accepted > 0).await;
    is_refused(command_line.submissions().submit(wanted()).await);
    window.submissions().pause(first).unwrap();
    wait_for_end(&window, first).await;
    let second = command_line.submissions().submit(wanted()).await.unwrap().id.first();
    is_refused(window.submissions().resume(first, None).await);
    assert_eq!(wait_for_end(&command_line, second).await.counts, counts(0, 100, 0, 0));
    window.submissions().resume(first, None).await.unwrap();
    assert_eq!(wait_for_end(&window, first).await.counts, counts(0, 100, 0, 0));
}

/// A practice plant that was reset has none of the rows. A read-back would find them missing, and they would be sent
/// again.
#[tokio::test]
async fn what_went_to_a_practice_plant_isnt_continued_after_its_reset() {
    let plant = plant(&[]).await;
    let fixture = engine_fixture(&plant, "planner");
    let (engine, submissions) = (&fixture.engine, fixture.engine.submissions());
    let state = Arc::clone(plant.plant());
    engine.sites().practice().set_state_id_source(Arc::new(move || state.state_id()));
    let trial = SendOptions { trial: Some(30), ..SendOptions::default() };
    let wanted = with_options(request("materials.sync", (1..=40).map(material).collect(), 10), trial);
    let id = submissions.submit(wanted).await.unwrap().id.first();
    let before = wait_for_end(engine, id).await;
    assert_eq!((before.counts, before.plant_gone), (counts(10, 27, 3, 0), false));

    plant.plant().reset().unwrap();
    assert!(submissions.view(id).unwrap().plant_gone && submissions.list().unwrap()[0].plant_gone);
    for (what, problem) in [
        ("resume", submissions.resume(id, None).await.unwrap_err()),
        ("check", submissions.read_back_unconfirmed(id, None).await.unwrap_err()),
        ("undo", submissions.preview_undo(id).await.unwrap_err()),
        ("retry", submissions.create_retry(id).unwrap_err()),
    ] {
        assert_eq!(problem.parameters["obstacle"], "plant-gone", "{what}");
    }
    assert_eq!(submissions.view(id).unwrap().counts, before.counts);
    // A new submission belongs to the new rows.
    let again = submissions.submit(request("materials.sync", vec![good_material(1)], 10)).await.unwrap().id.first();
    assert!(!wait_for_end(engine, again).await.plant_gone);
    submissions.preview_undo(again).await.unwrap();
}
