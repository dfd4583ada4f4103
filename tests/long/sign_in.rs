//! Sign-ins to a foreign identity provider. It requires PKCE, compares redirect addresses byte for byte, rotates
//! refresh tokens, and ends the sign-in if a refresh token is used twice.

mod by_hand;
mod connection;
mod peer;
mod renewal;
mod way_back;
