//! A site's own contract at the plant's edge: requests that follow it become requests of the built-in contract, and answers go
//! the other way. Everything inside has the built-in names.
//!
//! Leaves to [`request`] and [`answer`] how each of them is translated, and to takt-contract how names and values are.

mod answer;
mod request;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::Uri,
    response::Response,
};

use crate::{Plant, api, log_entry::AskedAddress};

use answer::AnswerTranslation;
use request::TranslatedRequest;

/// Where nothing is.
const UNKNOWN_PATH: &str = "/-";

/// Answers any request under the base URL, by the contract that the plant follows.
pub(crate) async fn serve(State(plant): State<Arc<Plant>>, mut request: Request) -> Response {
    let Some(contract) = &plant.site_contract else { return api::serve(State(plant), request).await };
    let asked = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
    let found = contract.find(request.method(), request.uri().path());
    let Some((route, values)) = found else {
        *request.uri_mut() = Uri::from_static(UNKNOWN_PATH);
        request.extensions_mut().insert(AskedAddress(asked));
        let response = api::serve(State(Arc::clone(&plant)), request).await;
        return AnswerTranslation { contract, route: None, page: None, items: &[] }.answer(response).await;
    };
    let (headers, extensions) = (request.headers().clone(), request.extensions().clone());
    let mut inside = match route.inside(&values, request).await {
        Ok(inside) => inside,
        Err(refused) => {
            let mut request = route.refused(refused);
            *request.headers_mut() = headers;
            request.extensions_mut().extend(extensions);
            TranslatedRequest { request, page: None, items: Vec::new() }
        }
    };
    inside.request.extensions_mut().insert(AskedAddress(asked));
    let response = api::serve(State(Arc::clone(&plant)), inside.request).await;
    AnswerTranslation { contract, route: Some(route), page: inside.page, items: &inside.items }.answer(response).await
}
