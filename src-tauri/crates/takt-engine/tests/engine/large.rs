//! Reading from services that give too much, too little, or something else than they say.

mod claims;
mod drops;
mod server;
mod size;
