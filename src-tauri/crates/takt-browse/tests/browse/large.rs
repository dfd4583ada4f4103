//! Tests of services that return too much, too little, or other counts than they announced.

mod interrupted_reads;
mod page_counts;
mod server;
mod size;
