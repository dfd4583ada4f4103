//! Signing in to an identity provider that isn't ours: PKCE demanded, addresses compared byte for byte, refresh tokens that
//! rotate, and a sign-in that ends as a whole when one of them is used twice.

mod by_hand;
mod connection;
mod peer;
mod renewal;
mod way_back;
