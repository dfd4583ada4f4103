//! Tests in the product's own window with the system's web view: the main job, and features that a browser can't test.
//! These are the start, additional windows, isolation, open requests, rendering and screen readers.

mod hijacked_page;
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
mod windows;
