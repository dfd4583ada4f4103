//! `GET /log` returns requests with their applied items, ordered by number. `?after=NUMBER`, `?limit=N` and
//! `?operation=ID` filter them. `GET /overview` returns a summary of the plant.

use std::sync::Arc;

use axum::{
    Router,
    extract::{RawQuery, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
    routing::get,
};

use crate::{
    Plant,
    answer::{Answer, to_response},
    form::Parameters,
    log::{LogQuery, stream_body},
};

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/log", get(get_log)).route("/overview", get(get_overview))
}

async fn get_log(State(plant): State<Arc<Plant>>, RawQuery(query): RawQuery) -> Response {
    let wanted = match parse_query(&query.unwrap_or_default()) {
        Ok(wanted) => wanted,
        Err(answer) => return to_response(Err(answer)),
    };
    match stream_body(&plant.log, wanted) {
        Ok(body) => {
            let mut response = Response::new(body);
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(error) => Answer::log_internal_error(plant.new_log_id(), &error).into_plain_response(),
    }
}

fn parse_query(query: &str) -> Result<LogQuery, Answer> {
    let parameters = Parameters::parse(query.as_bytes());
    let number_parameter = |name: &str| {
        let rule = || Answer::bad_request(format!("{name} must be a whole number from 0."));
        parameters.get(name).map(|text| text.parse::<u64>().map_err(|_| rule())).transpose()
    };
    Ok(LogQuery {
        after: number_parameter("after")?.unwrap_or_default(),
        limit: number_parameter("limit")?,
        operation: parameters.get_nonempty("operation").map(str::to_owned),
    })
}

async fn get_overview(State(plant): State<Arc<Plant>>) -> Response {
    let overview = serde_json::to_vec(&plant.overview()).unwrap_or_default();
    Answer::json(StatusCode::OK, overview).into_plain_response()
}
