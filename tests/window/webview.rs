//! Journeys in the product's own window, the system's web view: the main job, and what a browser can't show: start, windows, isolation of the pages,
//! what other programs open, drawing, screen readers.

mod keys;
mod main_job;
mod memory;
mod open_requests;
mod own_pages;
mod pace;
mod recovery;
mod rendering;
#[cfg(target_os = "linux")]
mod screen_reader;
mod taken_over;
mod windows;
