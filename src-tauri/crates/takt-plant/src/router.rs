//! The plant's addresses: the service, the identity provider, the control interface and the pages.

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{StatusCode, Version, header},
    middleware::{Next, from_fn},
    response::Response,
    routing::get,
};

use crate::{
    Plant,
    answer::Answer,
    control, documentation,
    plant::{CONTROL, IDENTITY},
    sign_in, translation,
};

impl Plant {
    /// The service, the identity provider, the control interface and the pages.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .merge(documentation::routes())
            .nest(IDENTITY, sign_in::router())
            .nest(CONTROL, control::router(self))
            .route("/.well-known/", get(sign_in::nowhere).fallback(sign_in::nowhere))
            .route("/.well-known/{*name}", get(sign_in::well_known).fallback(sign_in::nowhere))
            .method_not_allowed_fallback(wrong_method)
            .fallback(translation::serve)
            .layer(from_fn(with_host))
            .with_state(Arc::clone(self))
    }
}

async fn wrong_method() -> Response {
    Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.").plain()
}

/// HTTP/1.1 without a Host, or with several, is refused (RFC 9112, 3.2).
async fn with_host(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts == 1 || (hosts == 0 && request.version() < Version::HTTP_11) {
        return next.run(request).await;
    }
    Answer::bad_request("The request must carry one Host header.").plain()
}
