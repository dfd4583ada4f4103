//! Measures a page of a hundred orders: the plant against all peers, and against larger plants.

use crate::{
    error::BenchError,
    http::request_bytes,
    load::Cycle,
    orders::ORDERS_PATH,
    plant::{
        peers::{self, Peer},
        rounds::{Contender, RoundSettings, Score, run_rounds},
    },
    report::{Report, Table, format_number, format_optional},
    subject::{Plant, Subject},
};

/// The path of the first page. Every peer returns its rows.
const FIRST_PAGE: &str = "/api/v1/WorkOrders?page=1&limit=100";

fn contender<'a>(
    name: &str,
    subject: &'a Subject,
    paths: &[String],
    headers: &str,
    settings: RoundSettings,
) -> Contender<'a> {
    let requests: Vec<Vec<u8>> = paths.iter().map(|path| request_bytes("GET", path, headers, &[])).collect();
    let sources = Box::new(move || Cycle::sources(requests.clone(), settings.connections));
    Contender { name: name.to_owned(), subject, sources, responses_per_connection: None }
}

/// Measures the plant against a bare handler and the available mock servers.
pub(crate) fn compare_with_peers(
    plant: &Plant,
    with_peers: bool,
    settings: RoundSettings,
    report: &mut Report,
) -> Result<(), BenchError> {
    let page = plant.get(FIRST_PAGE)?;
    let bare = peers::start_bare(&page)?;
    let headers = plant.headers();
    let all: Vec<Peer> = if with_peers && install_peers() { start_peers(plant, &page, &headers)? } else { Vec::new() };
    let walk: Vec<String> = (1..=4).map(|page| format!("{ORDERS_PATH}?page={page}&limit=100")).collect();
    let mut contenders = vec![
        contender(&bare.name, &bare, &[ORDERS_PATH.to_owned()], "", settings),
        contender("**takt plant**, page 1", &plant.subject, &[FIRST_PAGE.to_owned()], &headers, settings),
        contender("takt plant, walking over its pages", &plant.subject, &walk, &headers, settings),
    ];
    for peer in &all {
        let list = [peer.list.to_owned()];
        contenders.push(contender(&peer.subject.name, &peer.subject, &list, &headers, settings));
    }
    let scores = run_rounds(&contenders, settings);
    drop(contenders);
    let subjects = [&bare, &plant.subject, &plant.subject].into_iter().chain(all.iter().map(|peer| &peer.subject));
    report.tables.push(score_table(&scores, &subjects.collect::<Vec<_>>()));
    let ours = &scores[1];
    let over =
        |name: &str| scores.iter().find(|score| score.name.starts_with(name)).and_then(|peer| ours.rate_ratio(peer));
    report.at_least("a page of 100 orders against the bare axum handler", 4.0, over("bare"), "times");
    report.at_least("against Prism", 8.0, over("Prism"), "times");
    report.at_least("against WireMock", 2.0, over("WireMock"), "times");
    report.at_most("resident memory of `small`, just started", 60.0, plant.subject.resident, "MB");
    Ok(())
}

fn install_peers() -> bool {
    let installed = peers::install();
    if let Err(error) = &installed {
        crate::console::print(&format!("! Prism, json-server and WireMock are not measured: {error}"));
    }
    installed.is_ok()
}

fn start_peers(plant: &Plant, page: &[u8], headers: &str) -> Result<Vec<Peer>, BenchError> {
    let document = plant.get("/openapi.json")?;
    let started = [
        peers::start_or_print("Prism", || peers::start_prism(&document, page, headers)),
        peers::start_or_print("json-server", || peers::start_json_server(page)),
        peers::start_or_print("WireMock", || peers::start_wiremock(page)),
    ];
    Ok(started.into_iter().flatten().collect())
}

fn score_table(scores: &[Score], subjects: &[&Subject]) -> Table {
    let columns = [
        "server",
        "requests/s",
        "takt/this",
        "p50 / p99 ms",
        "CPU µs/request",
        "kB",
        "first answer",
        "MB idle / loaded",
    ];
    let mut table =
        Table::new("A page of 100 orders: token, limit and log in the plant; nothing of that elsewhere", &columns);
    for (score, subject) in scores.iter().zip(subjects) {
        let (p50, p99) = score.latency();
        let failed = if score.failures > 0 { format!(" ({} failed)", score.failures) } else { String::new() };
        table.add_row([
            score.name.clone(),
            format!("{}{failed}", format_optional(score.per_second())),
            format_optional(scores.get(1).and_then(|ours| ours.rate_ratio(score))),
            format!("{} / {}", format_optional(p50), format_optional(p99)),
            format_optional(score.cost()),
            (score.bytes_per_response() / 1000).to_string(),
            format!("{} s", format_number(subject.first_response.as_secs_f64())),
            format!("{} / {}", format_optional(subject.resident), format_optional(subject.resident_now())),
        ]);
    }
    table
}

/// Measures the cost of a page by the number of rows.
pub(crate) fn compare_sizes(
    small: &Plant,
    others: &[Plant],
    settings: RoundSettings,
    report: &mut Report,
) -> Result<(), BenchError> {
    let columns = ["what is asked", "plant", "requests/s", "CPU µs/request", "cost against small", "kB"];
    let mut table = Table::new("The cost of a page by the size of the plant", &columns);
    let mut worst: Option<f64> = None;
    for (what, path) in QUERIES {
        let mut contenders = Vec::new();
        for plant in [small].into_iter().chain(others) {
            let path = path.replace("{middle}", &middle_page(plant, path)?.to_string());
            let path = path.replace("{last}", &full_page_count(plant, &path)?.to_string());
            contenders.push(contender(&plant.subject.name, &plant.subject, &[path], &plant.headers(), settings));
        }
        let scores = run_rounds(&contenders, settings);
        for score in &scores {
            // If the system reports processor time, that is the cost. Otherwise the ratio of rates is used.
            let costs = scores[0].cost().zip(score.cost()).filter(|(small, _)| *small > 0.0);
            let ratio = costs.map(|(small, this)| this / small).or_else(|| scores[0].rate_ratio(score));
            if score.name == "large" {
                worst = worst.into_iter().chain(ratio).reduce(f64::max);
            }
            table.add_row([
                what.to_owned(),
                score.name.clone(),
                format_optional(score.per_second()),
                format_optional(score.cost()),
                format_optional(ratio),
                (score.bytes_per_response() / 1000).to_string(),
            ]);
        }
    }
    report.tables.push(table);
    report.at_most("the cost of a page of `large` against `small`, at worst", 1.3, worst, "times");
    Ok(())
}

/// The measured requests by name. Only full pages are compared, so `{last}` is the last full page.
const QUERIES: [(&str, &str); 7] = [
    ("materials, first page", "/api/v1/Materials?limit=100"),
    ("materials, middle page", "/api/v1/Materials?limit=100&page={middle}"),
    ("materials, last page", "/api/v1/Materials?limit=100&page={last}"),
    ("orders, first page", "/api/v1/WorkOrders?limit=100"),
    ("orders, last full page", "/api/v1/WorkOrders?limit=100&page={last}"),
    ("orders of a window, first page", "/api/v1/WorkOrders?limit=100&from=2000-01-01&to=2100-01-01"),
    ("orders of one code", "/api/v1/WorkOrders?limit=100&code=WO-260003"),
];

/// Returns the number of full pages.
fn full_page_count(plant: &Plant, path: &str) -> Result<usize, BenchError> {
    let list = path.split('?').next().unwrap_or(path);
    Ok((plant.row_count(&format!("{list}?limit=1"))? / 100).max(1))
}

fn middle_page(plant: &Plant, path: &str) -> Result<usize, BenchError> {
    Ok(full_page_count(plant, path)?.div_ceil(2))
}
