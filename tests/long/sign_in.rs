//! Sign-ins to an external identity provider. It requires PKCE, compares redirect addresses byte for byte, and rotates
//! refresh tokens. If a refresh token is used twice, it ends the sign-in.

mod by_hand;
mod connection;
mod peer;
mod renewal;
mod way_back;
