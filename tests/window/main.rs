//! The real window on the practice plant, driven as a planner uses it.
#![expect(clippy::unwrap_used, reason = "a test fails where it can't go on")]

mod action;
mod areas;
mod bad_input;
mod decisions;
mod desk;
mod graphql;
mod guard;
mod history;
mod large;
mod main_job;
mod mapping;
mod memory;
mod mend;
mod mend_all;
mod opening;
mod own_pages;
mod pace;
mod pages;
mod pictures;
mod pictures_hands;
mod pictures_move;
mod pictures_numbers;
mod pictures_print;
mod pictures_running;
mod pictures_tables;
mod plan;
mod plant;
mod preview;
mod recovery;
mod screens;
mod sense;
mod sign_in;
mod table;
mod tap;
mod templates;
