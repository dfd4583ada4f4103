//! The routes of the plant for the service, identity provider, control interface and pages.

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
    plant_urls::{CONTROL_PATH, IDENTITY_PATH},
    rate_limit::ANONYMOUS,
    server::RefusalBuilder,
    sign_in, translation,
};

impl Plant {
    /// Builds the routes of the service, identity provider, control interface and pages.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .merge(documentation::routes())
            .nest(IDENTITY_PATH, sign_in::router())
            .nest(CONTROL_PATH, control::router(self))
            .route("/.well-known/", get(sign_in::answer_not_found).fallback(sign_in::answer_not_found))
            .route("/.well-known/{*name}", get(sign_in::answer_well_known).fallback(sign_in::answer_not_found))
            .method_not_allowed_fallback(refuse_method)
            .fallback(translation::answer_request)
            .layer(from_fn_with_state(Arc::clone(self), require_host))
            .with_state(Arc::clone(self))
    }

    /// Returns a builder of responses to requests that aren't valid HTTP. They use the rate limit of requests without a
    /// token.
    pub(crate) fn refusal_builder(self: &Arc<Self>) -> RefusalBuilder {
        let plant = Arc::downgrade(self);
        RefusalBuilder(Arc::new(move |status| {
            let mut answer = Answer::for_invalid_http(status);
            if let Some(plant) = plant.upgrade() {
                answer.add_rate_limit(&plant.limiter.count_request(ANONYMOUS, plant.real_time()));
            }
            answer
        }))
    }
}

async fn refuse_method() -> Response {
    Answer::error(StatusCode::METHOD_NOT_ALLOWED, "The method is not allowed here.").into_plain_response()
}

/// Rejects HTTP/1.1 requests without exactly one `Host` header (RFC 9112, 3.2).
async fn require_host(State(plant): State<Arc<Plant>>, request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts == 1 || (hosts == 0 && request.version() < Version::HTTP_11) {
        return next.run(request).await;
    }
    let mut answer = Answer::bad_request("The request must carry one Host header.");
    answer.add_rate_limit(&plant.limiter.count_request(ANONYMOUS, plant.real_time()));
    answer.into_plain_response()
}
