//! The plant's addresses: the service, the identity provider, the control interface and the pages.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{StatusCode, Version, header},
    middleware::{Next, from_fn_with_state},
    response::Response,
    routing::get,
};

use crate::{
    Plant,
    answer::Answer,
    control, documentation,
    http_refusal::Refusals,
    plant::{CONTROL, IDENTITY},
    rate::NOBODY,
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
            .layer(from_fn_with_state(Arc::clone(self), with_host))
            .with_state(Arc::clone(self))
    }

    /// What is answered to requests that HTTP refuses: they count as ones without a token.
    pub(crate) fn refusals(self: &Arc<Self>) -> Refusals {
        let plant = Arc::downgrade(self);
        Refusals(Arc::new(move |status| {
            let mut answer = Answer::refused_by_http(status);
            if let Some(plant) = plant.upgrade() {
                answer.count(&plant.limiter.take(NOBODY, plant.now()));
            }
            answer
        }))
    }
}

async fn wrong_method() -> Response {
    Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.").plain()
}

/// HTTP/1.1 without a Host, or with several, is refused (RFC 9112, 3.2).
async fn with_host(State(plant): State<Arc<Plant>>, request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts == 1 || (hosts == 0 && request.version() < Version::HTTP_11) {
        return next.run(request).await;
    }
    let mut answer = Answer::bad_request("The request must carry one Host header.");
    answer.count(&plant.limiter.take(NOBODY, plant.now()));
    answer.plain()
}
