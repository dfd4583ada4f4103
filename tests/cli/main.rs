//! Tests of the product's command line: the real program, a real plant, documented exit codes and JSON.
#![expect(clippy::unwrap_used, reason = "what a test can't do without fails it")]

mod answers;
#[cfg(unix)]
mod approval;
mod bad_input;
mod contract;
mod decisions;
mod deletes;
mod document;
mod earlier;
mod events;
mod faults;
mod floor;
mod forward;
mod graphql;
mod guard;
mod guide;
mod help_pages;
mod history;
#[cfg(unix)]
mod integrator;
mod json;
mod learning;
mod list;
#[cfg(unix)]
mod list_memory;
mod listen;
mod lists;
mod main_job;
mod merged_cells;
mod network;
mod order;
mod own_contract;
mod plan;
mod plant_kill;
mod preview;
mod programs;
mod reference_checks;
mod rehearsal;
mod renewal;
mod second_plant;
mod site;
mod site_check;
mod storage;
mod support;
#[cfg(unix)]
mod team;
#[cfg(unix)]
mod team_events;
#[cfg(unix)]
mod team_stall;
#[cfg(unix)]
mod team_tls;
mod templates;
#[cfg(target_os = "linux")]
mod terminal;
mod text_files;
mod transcript;
mod update;
mod vault;
mod watch;
#[cfg(windows)]
mod windows;
mod written_workbooks;
