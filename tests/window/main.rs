//! Tests of the window on the practice plant, used like by a planner. Tests that need the product's own window are in
//! `webview`. The others use the same pages and commands in Chromium, which starts faster and is similar to the engine
//! on Windows.
#![expect(clippy::unwrap_used, reason = "a test fails where it can't go on")]

mod action;
mod answers;
#[cfg(unix)]
mod approval;
mod areas;
mod bad_input;
mod cells;
mod connection;
mod contract;
mod decisions;
mod drafts;
mod event_selection;
mod events;
mod events_own_site;
mod first_start;
mod fix;
mod fix_all;
mod floor;
mod forwarding;
mod gantt_keys;
mod gantt_moves;
mod graphql;
mod guard;
mod help;
mod history;
mod import_site;
mod large;
mod large_answers;
mod looks;
mod many_events;
mod mapping;
mod opening;
mod own_site;
mod page_pictures;
mod pages;
mod pictures;
mod pictures_numbers;
mod pictures_print;
mod pictures_running;
mod pictures_tables;
mod plan;
mod plant;
mod preview;
mod product;
mod proxy;
mod reference_checks;
mod rehearsal;
mod screens;
mod second_plant;
mod sign_in;
mod site_file;
mod table;
mod tap;
#[cfg(unix)]
mod team;
mod templates;
mod update;
mod waits;
mod webview;
