//! Reading from services that give too much, too little, or something else than they say. A process of its own, so that its
//! memory can be measured.

mod claims;
mod drops;
mod server;
mod size;
