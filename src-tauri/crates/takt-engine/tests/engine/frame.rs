//! Tests of the engine's basics on the practice plant over loopback: sites, sign-in, reading, templates, texts.

mod arrange;
mod browse;
mod cleanup;
mod deleted;
mod graphql;
mod picture;
mod picture_numbers;
mod policy;
mod responder;
mod check;
#[cfg(unix)]
mod shared_views;
mod sites;
mod stage;
mod update;
mod words;
