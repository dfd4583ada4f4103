//! Translates between a site's contract and the built-in one: requests on the way in, responses on the way out.
//! Everything inside uses the built-in names.
//!
//! Leaves requests to [`request`], responses to [`answer`], and names and values to takt-contract.

mod answer;
mod request;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::Uri,
    response::Response,
};

use crate::{Plant, api, log_entry::OriginalAddress};

use answer::AnswerTranslation;
use request::TranslatedRequest;

/// A path without an operation.
const UNKNOWN_PATH: &str = "/-";

/// Answers a request under the base URL, by the contract that the plant follows.
pub(crate) async fn serve(State(plant): State<Arc<Plant>>, mut request: Request) -> Response {
    let Some(contract) = &plant.site_contract else { return api::serve(State(plant), request).await };
    let original_address = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
    let route_match = contract.find(request.method(), request.uri().path());
    let Some((route, values)) = route_match else {
        *request.uri_mut() = Uri::from_static(UNKNOWN_PATH);
        request.extensions_mut().insert(OriginalAddress(original_address));
        let response = api::serve(State(Arc::clone(&plant)), request).await;
        return AnswerTranslation { contract, route: None, page: None, items: &[] }.answer(response).await;
    };
    let (headers, extensions) = (request.headers().clone(), request.extensions().clone());
    let mut translated = match route.translate(&values, request).await {
        Ok(translated) => translated,
        Err(refused) => {
            let mut request = route.refused_request(refused);
            *request.headers_mut() = headers;
            request.extensions_mut().extend(extensions);
            TranslatedRequest { request, page: None, items: Vec::new() }
        }
    };
    translated.request.extensions_mut().insert(OriginalAddress(original_address));
    let response = api::serve(State(Arc::clone(&plant)), translated.request).await;
    AnswerTranslation { contract, route: Some(route), page: translated.page, items: &translated.items }
        .answer(response)
        .await
}
