//! Reading from services that give too much, too little, or something else than they say. A process of its own, so that its
//! memory can be measured.
#![expect(clippy::unwrap_used, reason = "what a test can't do without fails it")]

mod claims;
mod drops;
mod server;
mod size;
