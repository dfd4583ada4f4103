//! Cleaning up template-process links.

mod view;

pub use view::*;
