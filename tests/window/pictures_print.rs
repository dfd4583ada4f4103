//! Printed charts. The printed page must show the chart like the screen, and nothing else.

use serde_json::{Value, json};
use takt_tests::{CHANGE_TIMEOUT, Engine, TestApp, results_folder};

use crate::pictures::open_chart;

/// Returns the sizes of the printed and the shown chart, and how many of a thousand points differ. Sliders aren't
/// printed.
const COMPARE_IMAGES: &str = "const paper = document.querySelector('[data-testid=\"picture-paper\"] img');
    const shown = document.querySelector('[data-testid=\"picture-gantt\"] canvas');
    if (!paper?.src.startsWith('data:image/png;base64,iVBORw0KGgo') || !paper.complete || !paper.naturalWidth) return null;
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--takt-ground').trim();
    const points = [paper, shown].map((image) => {
        const board = document.createElement('canvas');
        board.width = shown.clientWidth;
        board.height = shown.clientHeight;
        const pen = board.getContext('2d', { willReadFrequently: true });
        pen.fillStyle = ground;
        pen.fillRect(0, 0, board.width, board.height);
        pen.drawImage(image, 0, 0, board.width, board.height);
        return pen.getImageData(0, 0, board.width - 40, board.height - 40).data;
    });
    let differ = 0;
    for (let at = 0; at < points[0].length; at += 4) {
        if ([0, 1, 2].some((part) => Math.abs(points[0][at + part] - points[1][at + part]) > 70)) differ += 1;
    }
    return [paper.naturalWidth, paper.naturalHeight, shown.clientWidth, shown.clientHeight, (4000 * differ) / points[0].length];";

/// Applies the style rules for printing to the screen.
const APPLY_PRINT_RULES: &str = "const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
        .filter((rule) => rule instanceof CSSMediaRule && rule.media.mediaText === 'print')
        .flatMap((rule) => [...rule.cssRules].map((one) => one.cssText));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules.join('\\n'));
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return rules.length;";

/// Returns the visible elements of the body, and the elements at points of the window.
const VISIBLE_ELEMENTS: &str = "const shown = [...document.body.children].filter((one) => one.checkVisibility()).map((one) => one.dataset.testid ?? one.id);
    const found = new Set();
    for (let x = 10; x < innerWidth; x += 50) {
        for (let y = 10; y < innerHeight; y += 50) {
            found.add(document.elementFromPoint(x, y)?.closest('body > *')?.dataset.testid ?? null);
        }
    }
    const { left, top, right, bottom } = document.querySelector('[data-testid=\"picture-paper\"] img').getBoundingClientRect();
    const fits = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && right - left > innerWidth / 2;
    return [shown, [...found].filter((one) => one !== null), fits, document.documentElement.scrollHeight <= innerHeight];";

#[tokio::test]
#[ignore = "long: pictures"]
async fn paper_holds_what_the_screen_shows() {
    let app = TestApp::open(Engine::Chromium).await;
    app.click("nav-browse").await;
    app.sign_in().await;
    open_chart(&app, "work-orders.details", true).await;
    app.wait_for_element("picture-gantt").await;
    app.window.wait_until_still().await;
    let complete = print_and_compare(&app).await;
    app.wait_until_gone("picture-paper").await;
    for _ in 0..3 {
        app.click("picture-zoomIn").await;
        app.window.wait_until_still().await;
    }
    let near = print_and_compare(&app).await;
    assert_ne!(complete, near, "what is in sight is printed");

    dispatch_event(&app, "beforeprint").await;
    app.window.wait_until("paper", CHANGE_TIMEOUT, COMPARE_IMAGES).await;
    assert!(app.window.script(APPLY_PRINT_RULES, vec![]).await.as_u64().unwrap() > 1);
    let seen = app.window.script(VISIBLE_ELEMENTS, vec![]).await;
    app.window.screenshot(&results_folder("window").join("pictures-paper.png")).await;
    assert_eq!(seen, json!([["picture-paper"], ["picture-paper"], true, true]));
    app.window.script("document.adoptedStyleSheets = []", vec![]).await;
    dispatch_event(&app, "afterprint").await;
    app.wait_until_gone("picture-paper").await;
    app.wait_for_element("picture-gantt").await;
    app.window.close().await;
}

/// Prints once, and compares the PNG with the shown chart. It must have twice the size.
async fn print_and_compare(app: &TestApp) -> Value {
    dispatch_event(app, "beforeprint").await;
    let compared = app.window.wait_until("paper", CHANGE_TIMEOUT, COMPARE_IMAGES).await;
    let [width, height, shown_width, shown_height, differ] = serde_json::from_value::<[f64; 5]>(compared).unwrap();
    assert_eq!((width, height), (shown_width * 2.0, shown_height * 2.0));
    assert!(differ < 20.0, "{differ} of 1,000 points differ");
    let png = "return document.querySelector('[data-testid=\"picture-paper\"] img').src";
    let png = app.window.script(png, vec![]).await;
    dispatch_event(app, "afterprint").await;
    png
}

/// Dispatches one of the events that the browser sends before and after printing.
async fn dispatch_event(app: &TestApp, event: &str) {
    app.window.script("window.dispatchEvent(new Event(arguments[0]))", vec![json!(event)]).await;
}
