//! Tests of services that return too much, too little, or something else than announced.

mod claims;
mod drops;
mod server;
mod size;
