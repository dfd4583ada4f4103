//! Tests of submissions to the practice plant over loopback. Every row's result is compared to the plant's log.

mod change_kinds;
mod concurrency;
mod evidence_model;
mod fake_service;
mod faults;
mod foreign_responses;
mod history;
mod pause_and_resume;
mod plan;
mod preview_proof;
mod production_guard;
mod proof_of_absence;
mod rate_limits;
mod read_back;
mod restart;
mod result_workbook;
mod sent_lists;
mod site_address;
mod support;
mod trial_and_retry;
mod two_processes;
mod unconfirmed_totals;
mod undo;
