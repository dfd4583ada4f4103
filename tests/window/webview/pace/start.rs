//! Measures the time until the window can be used, and the memory of the idle window. An empty window of the same kind
//! is the reference.

use std::time::Duration;

use serde_json::{Value, json};
use takt_tests::{Browser, CHANGE_TIMEOUT, Takt, Window, memory_of_home, start_of_program};

use super::ROUNDS;

const PRODUCT: &str = "takt-desktop";
const EMPTY_WINDOW: &str = "empty_window";
/// The time after which a start has finished its background work.
const SETTLE_TIME: Duration = Duration::from_secs(8);
const USABLE: &str = "const mark = performance.getEntriesByName('usable')[0];
    return mark ? [performance.timeOrigin, performance.timeOrigin + mark.startTime] : null";

#[derive(Debug, Default)]
struct Starts {
    /// The times in milliseconds until the page starts loading.
    page: Vec<f64>,
    /// The times in milliseconds until the window can be used.
    usable: Vec<f64>,
    /// The memory of the idle window in megabytes.
    idle: Vec<u64>,
}

#[tokio::test]
#[ignore = "a measurement: cargo xtask bench browse"]
async fn the_window_starts_as_an_empty_one() {
    let (ours_home, empty_home) = (Takt::new(), Takt::new());
    // The first start creates the home, so it isn't measured.
    let (mut ours, mut empty) = (Starts::default(), Starts::default());
    for round in 0..=ROUNDS {
        for (takt, program, starts) in [(&ours_home, PRODUCT, &mut ours), (&empty_home, EMPTY_WINDOW, &mut empty)] {
            let (page, usable, idle) = measure_start(takt, program).await;
            if round > 0 {
                starts.page.push(page);
                starts.usable.push(usable);
                starts.idle.push(idle);
            }
        }
    }
    println!("\n{}", json!({ "pace": "start", "measured": { "ours": to_json(&ours), "empty": to_json(&empty) } }));
}

async fn measure_start(takt: &Takt, program: &str) -> (f64, f64, u64) {
    let browser = Browser::new();
    let command = browser.command().to_string_lossy().into_owned();
    let path = if program == PRODUCT { program.to_owned() } else { format!("examples/{program}") };
    let window = Window::open_program(&path, takt, &[("BROWSER", command.as_str()), ("LANG", "en_US.UTF-8")]).await;
    let times = window.wait_until("a page that can be used", CHANGE_TIMEOUT, USABLE).await;
    let started = start_of_program(takt.home(), program).unwrap();
    tokio::time::sleep(SETTLE_TIME).await;
    let idle = memory_of_home(takt.home());
    window.close().await;
    let [page, usable] = [0, 1].map(|at: usize| times[at].as_f64().unwrap() - started);
    (page, usable, idle)
}

fn to_json(starts: &Starts) -> Value {
    json!({ "page": starts.page, "usable": starts.usable, "idle": starts.idle })
}
