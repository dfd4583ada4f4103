//! The routes of the plant: service, identity provider, control interface and pages.

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
    rate::ANONYMOUS,
    sign_in, translation,
};

impl Plant {
    /// Builds the router of service, identity provider, control interface and pages.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .merge(documentation::routes())
            .nest(IDENTITY, sign_in::router())
            .nest(CONTROL, control::router(self))
            .route("/.well-known/", get(sign_in::not_found).fallback(sign_in::not_found))
            .route("/.well-known/{*name}", get(sign_in::well_known).fallback(sign_in::not_found))
            .method_not_allowed_fallback(wrong_method)
            .fallback(translation::serve)
            .layer(from_fn_with_state(Arc::clone(self), with_host))
            .with_state(Arc::clone(self))
    }

    /// Returns the responses to requests that HTTP refuses. They count as requests without a token.
    pub(crate) fn refusals(self: &Arc<Self>) -> Refusals {
        let plant = Arc::downgrade(self);
        Refusals(Arc::new(move |status| {
            let mut answer = Answer::refused_by_http(status);
            if let Some(plant) = plant.upgrade() {
                answer.add_rate_limit(&plant.limiter.count_request(ANONYMOUS, plant.now()));
            }
            answer
        }))
    }
}

async fn wrong_method() -> Response {
    Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.").into_plain_response()
}

/// Refuses HTTP/1.1 without a Host header or with several (RFC 9112, 3.2).
async fn with_host(State(plant): State<Arc<Plant>>, request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts == 1 || (hosts == 0 && request.version() < Version::HTTP_11) {
        return next.run(request).await;
    }
    let mut answer = Answer::bad_request("The request must carry one Host header.");
    answer.add_rate_limit(&plant.limiter.count_request(ANONYMOUS, plant.now()));
    answer.into_plain_response()
}
