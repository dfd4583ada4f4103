//! Sign-ins to an external identity provider. It requires PKCE, compares redirect addresses byte for byte, and rotates
//! refresh tokens. If a refresh token is used twice, it ends the sign-in.

mod connection;
mod pasted_redirect;
mod provider;
mod redirect_address;
mod renewal;
