//! The journal on real files: what survives, what is refused, and what always adds up.

mod concurrency;
mod crash;
mod keeping;
mod size;
mod states;
mod support;
