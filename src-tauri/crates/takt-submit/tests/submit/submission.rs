//! Tests of submissions to the practice plant over loopback. Every row's result is compared to the plant's log.

mod absence;
mod address;
mod answers;
mod control;
mod evidence_model;
mod faults;
mod fixes;
mod guard;
mod history;
mod kinds;
mod limits;
mod plan;
mod preview_proof;
mod report;
mod resolve;
mod restart;
mod sent_lists;
mod service;
mod support;
mod together;
mod totals;
mod two_processes;
mod undo;
