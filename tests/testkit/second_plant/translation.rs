//! Translates one request to the practice plant, and its response back.

use serde_json::{Value, json};

use super::{
    Shared,
    member::Entity,
    operation::{Body, Kind, OPERATIONS, Operation},
    problem::{from_plant, invalid_response, problem, translate_member_name},
    tool::{calibrate, tools},
    value_format::{InvalidValue, date_time_for_plant, object_for_plant, object_from_plant},
};
use crate::connection::{Answer, Request};

const DEFAULT_PAGE_SIZE: i64 = 25;
const MAX_PAGE_SIZE: i64 = 50;
/// The maximum page size of the practice plant.
const PLANT_PAGE_SIZE: usize = 100;
/// Filter parameters, with the practice plant's names. The flag marks date-times, which must have an offset.
const FILTERS: [(&str, &str, bool); 4] =
    [("DateFrom", "from", true), ("DateTo", "to", true), ("OrderNumber", "code", false), ("ProcessNo", "Code", false)];
/// Response headers that are forwarded.
const FORWARDED_HEADERS: [&str; 5] =
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "www-authenticate"];

/// A response of the practice plant.
struct PlantResponse {
    status: u16,
    headers: reqwest::header::HeaderMap,
    body: Vec<u8>,
}

/// Answers a request. Returns `None` if the practice plant doesn't respond, so that the connection is closed.
pub(super) async fn answer(shared: &Shared, request: &Request) -> Option<Answer> {
    let of_path = OPERATIONS.iter().filter_map(|operation| Some((operation, operation.target(&request.path)?)));
    let of_path: Vec<_> = of_path.collect();
    let Some((operation, target)) = of_path.iter().find(|(operation, _)| operation.method == request.method) else {
        return Some(if of_path.is_empty() { Answer::empty(404) } else { problem(405, None, None) });
    };
    let sent = match plant_request(operation, request) {
        Ok(sent) => sent,
        Err(refusal) => return Some(invalid_response(&[refusal])),
    };
    let reply = shared.call(operation.plant.0, target, &sent.query, request, sent.body.as_ref()).await?;
    let Ok(body) = serde_json::from_slice::<Value>(&reply.body) else { return Some(reply.into_response()) };
    let forwarded = reply.forwarded_headers();
    let mut answer = match (reply.status, operation.kind) {
        (_, Kind::Graphql) => Answer::json(reply.status, &body),
        // The practice plant got an empty body. It returns 400 only if the user may write.
        (400, Kind::Calibrations) => store_calibrations(shared, &sent.items),
        (200 | 207, _) => match translate(shared, operation, request, (&reply, body, &sent)).await {
            Ok(answer) => answer?,
            Err(reason) => problem(500, Some(&reason), None),
        },
        (status, _) => from_plant(status, &body, operation.entity()),
    };
    answer.headers = forwarded;
    Some(answer)
}

/// A translated request to the practice plant.
#[derive(Default)]
struct PlantRequest {
    query: Vec<(String, String)>,
    body: Option<Value>,
    /// The items of the untranslated request.
    items: Vec<Value>,
    page: (i64, i64),
}

fn plant_request(operation: &Operation, request: &Request) -> Result<PlantRequest, InvalidValue> {
    let mut sent = PlantRequest::default();
    match operation.kind {
        Kind::Pages(_) => {
            sent.page = requested_page(request)?;
            sent.query = filter_query(request)?;
            sent.query.push(("page".to_owned(), (sent.page.0 + 1).to_string()));
            sent.query.push(("limit".to_owned(), sent.page.1.to_string()));
        }
        Kind::Tools => sent.page = requested_page(request)?,
        Kind::Rows(_) => sent.query.push(("limit".to_owned(), PLANT_PAGE_SIZE.to_string())),
        Kind::Processes => sent.query = filter_query(request)?,
        Kind::Import(entity, body) => sent.set_items(entity, body, request)?,
        Kind::DeleteLinks => sent.set_items(operation.entity(), Body::List, request)?,
        Kind::Graphql => sent.body = Some(parse_body(request)?),
        Kind::Calibrations => {
            sent.items = parse_items(Body::Items, &parse_body(request)?)?;
            sent.body = Some(json!({}));
        }
    }
    Ok(sent)
}

impl PlantRequest {
    fn set_items(&mut self, entity: Entity, body: Body, request: &Request) -> Result<(), InvalidValue> {
        self.items = parse_items(body, &parse_body(request)?)?;
        let path = if body == Body::Items { "$.Items" } else { "$" };
        let translated = self.items.iter().enumerate();
        let translated = translated.map(|(index, item)| object_for_plant(entity, item, &format!("{path}[{index}]")));
        self.body = Some(json!({ "items": translated.collect::<Result<Vec<_>, _>>()? }));
        Ok(())
    }
}

fn parse_body(request: &Request) -> Result<Value, InvalidValue> {
    serde_json::from_slice(&request.body).map_err(|error| InvalidValue::new("$", error.to_string()))
}

fn parse_items(body: Body, value: &Value) -> Result<Vec<Value>, InvalidValue> {
    let list = match body {
        Body::List => value.as_array(),
        Body::Items => match value.as_object().and_then(|members| members.keys().find(|name| *name != "Items")) {
            Some(unknown) => {
                let reason = format!("The JSON property '{unknown}' could not be mapped to any .NET member.");
                return Err(InvalidValue::new(&format!("$.{unknown}"), reason));
            }
            None => value["Items"].as_array(),
        },
    };
    list.cloned().ok_or_else(|| InvalidValue::new("$", "The JSON value could not be converted to a list of items."))
}

fn requested_page(request: &Request) -> Result<(i64, i64), InvalidValue> {
    let number = |name: &str, default: i64, least: i64, most: i64| {
        let Some(text) = request.parameter(name) else { return Ok(default) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| InvalidValue::new(name, format!("The field {name} must be between {least} and {most}.")))
    };
    Ok((number("PageIndex", 0, 0, i64::from(i32::MAX))?, number("PageSize", DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE)?))
}

fn filter_query(request: &Request) -> Result<Vec<(String, String)>, InvalidValue> {
    let mut query = Vec::new();
    for (name, plant, is_moment) in FILTERS {
        let Some(value) = request.parameter(name) else { continue };
        if is_moment {
            date_time_for_plant(&json!(value), name)?;
        }
        query.push((plant.to_owned(), value.to_owned()));
    }
    Ok(query)
}

async fn translate(
    shared: &Shared,
    operation: &Operation,
    request: &Request,
    (reply, mut body, sent): (&PlantResponse, Value, &PlantRequest),
) -> Result<Option<Answer>, String> {
    let rows = |value: &Value, entity: Entity| {
        let rows = value.as_array().ok_or_else(|| format!("no list: {value}"))?;
        rows.iter().map(|row| object_from_plant(entity, row, &shared.zone)).collect::<Result<Vec<_>, String>>()
    };
    let answered = match operation.kind {
        Kind::Pages(entity) => {
            let total = reply.count("x-pagination-total").ok_or("the practice plant counts no rows")?;
            page_body(&rows(&body["data"], entity)?, total, sent.page)
        }
        Kind::Rows(entity) => {
            let pages = reply.count("x-pagination-pages").unwrap_or(1);
            let mut all = rows(&body["data"], entity)?;
            for page in 2..=pages {
                let query = [sent.query.clone(), vec![("page".to_owned(), page.to_string())]].concat();
                let Some(next) = shared.call("GET", operation.plant.1, &query, request, None).await else {
                    return Ok(None);
                };
                let next: Value = serde_json::from_slice(&next.body).map_err(|error| error.to_string())?;
                all.extend(rows(&next["data"], entity)?);
            }
            json!(all)
        }
        Kind::Processes => json!({ "Data": rows(&body["inspectionsProcesses"], operation.entity())? }),
        Kind::Import(entity, _) => import_response(&body, entity, sent),
        Kind::DeleteLinks => deletion_response(body["results"].take(), operation.entity()),
        Kind::Tools => {
            let (all, (index, size)) = (tools(&shared.zone), sent.page);
            let page_rows = all.iter().skip(usize::try_from(index * size).unwrap_or(usize::MAX));
            let page_rows = page_rows.take(usize::try_from(size).unwrap_or_default()).cloned().collect::<Vec<_>>();
            page_body(&page_rows, i64::try_from(all.len()).unwrap_or_default(), sent.page)
        }
        Kind::Graphql | Kind::Calibrations => body,
    };
    Ok(Some(Answer::json(200, &answered)))
}

fn page_body(rows: &[Value], total: i64, (index, size): (i64, i64)) -> Value {
    let pages = (total + size - 1) / size;
    let page = json!({ "Items": rows, "PageIndex": index, "PageSize": size, "TotalCount": total, "TotalPages": pages });
    json!({ "Data": page })
}

/// Returns the response of an import: only failures, each with the item's index, key and reasons.
fn import_response(body: &Value, entity: Entity, sent: &PlantRequest) -> Value {
    let results = body["results"].as_array().cloned().unwrap_or_default();
    let mut unmatched: Vec<usize> = (0..sent.items.len()).collect();
    let mut failures = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let key = key_of(result, entity);
        let has_key = |item: &usize| key.iter().all(|(name, value)| &sent.items[*item][name] == value);
        let at = unmatched.iter().position(has_key).or_else(|| unmatched.iter().position(|item| *item == index));
        let item = at.map_or(index, |at| unmatched.remove(at));
        if result["success"] == true {
            continue;
        }
        let texts = result["errors"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let texts: Vec<_> = texts.map(|text| translate_member_name(text, entity)).collect();
        let mut failure = json!({ "Index": item });
        failure.as_object_mut().into_iter().for_each(|failure| failure.extend(key.clone()));
        failure["Messages"] = json!(texts);
        failures.push(failure);
    }
    let (total, succeeded, failed) = (&body["totalItems"], &body["successCount"], &body["errorCount"]);
    json!({ "Total": total, "Succeeded": succeeded, "Failed": failed, "Failures": failures })
}

fn deletion_response(results: Value, entity: Entity) -> Value {
    let Value::Array(results) = results else { return Value::Null };
    let entry = |result: &Value| {
        let success = result["success"] == true;
        let mut entry = Value::Object(key_of(result, entity));
        entry["Status"] = json!(if success { "Deleted" } else { "NotDeleted" });
        entry["Reason"] = if success { Value::Null } else { json!("The link does not exist or is in use.") };
        entry
    };
    let count = results.iter().filter(|result| result["success"] == true).count();
    let entries: Vec<_> = results.iter().map(entry).collect();
    json!({ "Requested": entries.len(), "Deleted": count, "Results": entries })
}

fn key_of(result: &Value, entity: Entity) -> serde_json::Map<String, Value> {
    let members = entity.iter().filter_map(|member| Some((member.site.to_owned(), result.get(member.plant)?.clone())));
    members.collect()
}

fn store_calibrations(shared: &Shared, items: &[Value]) -> Answer {
    let outcome = calibrate(&mut shared.calibrations.lock().expect("nobody panics"), items);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(refusal) => return invalid_response(&[refusal]),
    };
    let failure = |(index, result): (usize, &Result<(), String>)| {
        let reason = result.as_ref().err()?;
        Some(json!({ "Index": index, "ToolNumber": items[index]["ToolNumber"], "Messages": [reason] }))
    };
    let failures: Vec<_> = outcome.iter().enumerate().filter_map(failure).collect();
    let (total, failed) = (items.len(), failures.len());
    Answer::json(200, &json!({ "Total": total, "Succeeded": total - failed, "Failed": failed, "Failures": failures }))
}

impl PlantResponse {
    fn forwarded_headers(&self) -> Vec<(String, String)> {
        let value = |name: &str| Some((name.to_owned(), self.headers.get(name)?.to_str().ok()?.to_owned()));
        FORWARDED_HEADERS.iter().filter_map(|name| value(name)).collect()
    }

    fn count(&self, header: &str) -> Option<i64> {
        self.headers.get(header)?.to_str().ok()?.parse().ok()
    }

    fn into_response(self) -> Answer {
        let kind = self.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
        Answer { status: self.status, kind, headers: self.forwarded_headers(), body: self.body }
    }
}

impl Shared {
    async fn call(
        &self,
        method: &str,
        target: &str,
        query: &[(String, String)],
        request: &Request,
        body: Option<&Value>,
    ) -> Option<PlantResponse> {
        let method = method.parse().expect("a method is a token");
        let address = format!("{}{target}", self.plant);
        let mut asked = self.client.request(method, address).header("authorization", &request.authorization);
        if !query.is_empty() {
            asked = asked.query(query);
        }
        if let Some(body) = body {
            asked = asked.json(body);
        }
        let answer = asked.send().await.ok()?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Some(PlantResponse { status, headers, body: answer.bytes().await.ok()?.to_vec() })
    }
}
