//! Open requests. A second start and the command line pass files and links to the running window.

use serde_json::json;
use takt_tests::{CHANGE_TIMEOUT, CommandOutput, Engine, Program, TestApp, results_folder, sample_path};

#[tokio::test]
async fn a_workbook_and_links_are_opened_in_the_window_that_runs() {
    let app = TestApp::open(Engine::WebView).await;
    // A double click on a file starts the program with the file's path.
    let orders = sample_path("work-orders.sync.xlsx");
    assert!(start_again(&app, &[orders.to_str().unwrap()]).await, "the second start is the window's");
    app.wait_for_element("step-check").await;
    let file = "return document.querySelector('[data-testid=\"import-leave\"]') !== null
        && document.body.textContent.includes('work-orders.sync.xlsx')";
    app.window.wait_until("the workbook", CHANGE_TIMEOUT, file).await;

    // An order's link opens the order.
    let orders = app.control("state/work-orders").await;
    let code = orders["data"][0]["code"].as_str().unwrap().to_owned();
    let link = app.invoke("order_link", json!({ "code": code })).await;
    assert_eq!(link, format!("takt://order?code={code}&site=practice"));
    assert_eq!(run_open(&app, &[link.as_str().unwrap()]).code, Some(0));
    app.sign_in().await;
    app.wait_for_element("order-operations").await;
    app.wait_for_element("copy-link").await;
    app.window.screenshot(&results_folder("window").join("order-link.png")).await;

    // An invalid link is reported in the terminal. A link to unknown data is reported in the window.
    let refused = run_open(&app, &["takt://order"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("Takt can't open the link “takt://order”."), "{}", refused.err);
    assert_eq!(run_open(&app, &["missing.xlsx"]).code, Some(2));
    for (link, words) in [
        ("takt://submission?number=7", "Submission 7 isn't in this history."),
        ("takt://order?code=WO-1&site=elsewhere", "This installation of Takt has no site “elsewhere”."),
    ] {
        assert_eq!(run_open(&app, &[link]).code, Some(0));
        app.window
            .wait_until(
                words,
                CHANGE_TIMEOUT,
                &format!("return document.body.textContent.includes('{}')", words.replace('\'', "\\'")),
            )
            .await;
    }
    app.window.close().await;
}

/// Starts the window's program again in the same home. Returns whether its exit code was 0.
async fn start_again(app: &TestApp, arguments: &[&str]) -> bool {
    let mut command = app.takt.program("takt-desktop");
    // The second process must not open a window, so it needs no display.
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").args(arguments);
    let program = Program::start("takt-desktop", command);
    let ended = tokio::task::spawn_blocking(move || {
        let mut program = program;
        program.wait(CHANGE_TIMEOUT)
    });
    ended.await.unwrap().success()
}

fn run_open(app: &TestApp, targets: &[&str]) -> CommandOutput {
    app.takt.run(&[&["open"], targets].concat())
}
