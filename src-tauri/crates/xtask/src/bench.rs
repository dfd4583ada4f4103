//! `cargo xtask bench NAME`: what the project claims about speed and memory, measured on this machine and held against its goals.
//!
//! Owns the measuring. Everything that is compared is measured in one run, in turns, so that a busy machine is busy for all.
//! The measuring program is compiled with the feature `bench` and optimised; what everybody compiles stays small.

#[cfg(feature = "bench")]
mod bare;
#[cfg(feature = "bench")]
mod batches;
#[cfg(feature = "bench")]
mod browse;
#[cfg(feature = "bench")]
mod contract;
#[cfg(feature = "bench")]
mod endurance;
#[cfg(feature = "bench")]
mod http;
#[cfg(feature = "bench")]
mod import;
#[cfg(feature = "bench")]
mod inbox;
#[cfg(feature = "bench")]
mod load;
#[cfg(feature = "bench")]
mod machine;
#[cfg(feature = "bench")]
mod option;
#[cfg(feature = "bench")]
mod pages;
#[cfg(feature = "bench")]
mod peers;
#[cfg(feature = "bench")]
mod plant;
#[cfg(feature = "bench")]
mod reads_beside_writes;
#[cfg(feature = "bench")]
mod report;
#[cfg(feature = "bench")]
mod rounds;
#[cfg(feature = "bench")]
mod subject;
#[cfg(feature = "bench")]
mod submit;
#[cfg(feature = "bench")]
mod team;
#[cfg(feature = "bench")]
mod timing;

use crate::{console::print, error::XtaskError};

/// Each with what it measures and its options.
const BENCHES: [(&str, &str); 7] = [
    (
        "plant",
        "the practice plant against a bare axum handler, Prism, json-server and WireMock
        --quick        under a minute, without what must be fetched or grows slowly
        --minutes N    how long the plant is kept at full load to see its memory (1)
        --no-peers     without Prism, json-server and WireMock",
    ),
    (
        "import",
        "a large workbook from the file to checked rows, against calamine, the csv crate, SheetJS and openpyxl
        --quick        20,000 rows, without what must be fetched
        --rows N       how many rows (1,000,000)
        --rounds N     how often each is measured (5)
        --seed N       from which the rows are made (1)
        --no-peers     without SheetJS and openpyxl
        --no-window    without the window, whose everyday build may take long",
    ),
    (
        "submit",
        "a submission to the practice plant, every request written down, against a bare reqwest loop; a limit; many rows
        --quick        under a minute
        --items N      how many orders are sent for the rate (100,000)
        --many N       how many rows are sent for the memory (1,000,000)
        --rounds N     how often each is measured (5)",
    ),
    (
        "browse",
        "the window: its start against an empty one, a page's first rows against plain HTTP, scrolling against AG Grid alone, a Gantt against ECharts alone
        --quick        a tenth of the rows, a fifth of the orders
        --rows N       how many rows are scrolled over (100,000)
        --orders N     how many orders the Gantt shows (10,000)",
    ),
    (
        "inbox",
        "events received and kept against a bare handler that appends to a file; many of them found again
        --quick        20,000 events
        --events N     how many events are searched through (1,000,000)
        --rounds N     how often each is measured (5)",
    ),
    (
        "contract",
        "a site's OpenAPI document of many lines, read and matched, against merely parsing it as JSON and as YAML
        --lines N      how many lines it has (50,000)
        --rounds N     how often each is measured (5)",
    ),
    (
        "team",
        "a team's PostgreSQL against a file of one's own; many desks at once; what another desk sends, seen and taken over
        --quick        about a minute
        --items N      how many orders are sent for the rate (100,000)
        --rounds N     how often the rate and a takeover are measured (5)
        --desks N      how many desks send at once (50)
        --requests N   how many requests each of them makes (20)",
    ),
];

pub(crate) fn run(arguments: &[String]) -> Result<(), XtaskError> {
    let Some((name, options)) = arguments.split_first() else {
        for (name, purpose) in BENCHES {
            print(&format!("{name}   {purpose}"));
        }
        return Ok(());
    };
    start(name, options)
}

#[cfg(feature = "bench")]
fn start(name: &str, options: &[String]) -> Result<(), XtaskError> {
    match name {
        "plant" => plant::run(options),
        "import" => import::run(options),
        "submit" => submit::run(options),
        "browse" => browse::run(options),
        "inbox" => inbox::run(options),
        "contract" => contract::run(options),
        "team" => team::run(options),
        bare::NAME => bare::serve(options),
        contract::PARSE => contract::parse(options),
        hidden if import::HIDDEN.contains(&hidden) => import::act(hidden, options),
        hidden if inbox::HIDDEN.contains(&hidden) => inbox::act(hidden, options),
        hidden if submit::HIDDEN.contains(&hidden) => submit::act(hidden, options),
        other => Err(XtaskError::Bench(other.to_owned())),
    }
}

/// Compiles what is measured and what measures, both optimised.
#[cfg(not(feature = "bench"))]
fn start(name: &str, options: &[String]) -> Result<(), XtaskError> {
    use crate::process::{cargo, show};
    if BENCHES.iter().all(|(known, _)| *known != name) {
        return Err(XtaskError::Bench(name.to_owned()));
    }
    crate::setup::prepare(crate::setup::Purpose::CommandLine)?;
    crate::console::timed("building takt, optimised (several minutes the first time)", || {
        show(cargo(["build", "--release", "--package", "takt-cli"]))
    })?;
    let measuring = ["run", "--quiet", "--release", "--package", "xtask", "--features", "bench", "--", "bench", name];
    let mut command = cargo(measuring);
    command.args(options);
    show(command)
}
