//! Generates valid, invalid and hostile requests for an operation.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use takt_contract::{Operation, OperationKind, ParameterPlace};

use super::{
    generated_values::{ValueGenerator, ValuePools, damage_value, nested_array, odd_text, odd_value, to_json_text},
    raw_http::RawRequest,
};

#[derive(Debug)]
pub(super) struct AccessTokens {
    pub(super) planner: String,
    pub(super) viewer: String,
    pub(super) expired: String,
    /// A valid token of another plant.
    pub(super) foreign: String,
}

/// A request and its allowed statuses.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) description: &'static str,
    pub(super) request: RawRequest,
    /// The allowed statuses. Empty means all statuses in the contract.
    pub(super) allowed_statuses: &'static [u16],
}

/// The data for generating requests.
#[derive(Debug)]
pub(super) struct CaseGenerator<'a> {
    pub(super) document: &'a Value,
    pub(super) known: &'a ValuePools,
    pub(super) tokens: &'a AccessTokens,
}

const UNAUTHORIZED: &[u16] = &[401];
const BAD_REQUEST: &[u16] = &[400];

impl CaseGenerator<'_> {
    /// Returns a random request for an operation.
    pub(super) fn random_case(&self, operation: &Operation, random: &mut ChaCha8Rng) -> Case {
        let mut case = Case {
            description: "as it should be",
            request: self.valid_request(operation, random),
            allowed_statuses: &[],
        };
        let has_body = operation.kind != OperationKind::Read;
        match random.random_range(0..100) {
            0..35 => {}
            35..70 if has_body => self.damage_items(&mut case, operation, random),
            70..80 if has_body => self.damage_body(&mut case, operation, random),
            80..86 if has_body => damage_headers(&mut case, random),
            86..90 => self.replace_token(&mut case, operation, random),
            90..95 => replace_address(&mut case, random),
            _ => replace_query(&mut case, random),
        }
        case.request.chunked = has_body && random.random_bool(0.1);
        case
    }

    /// Returns a valid request.
    fn valid_request(&self, operation: &Operation, random: &mut ChaCha8Rng) -> RawRequest {
        let mut target = operation.path.clone();
        let mut pairs = Vec::new();
        for parameter in &operation.parameters {
            let value = self.value_generator(operation, random).value(&json!({ "type": "string" }), &parameter.name);
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
            match parameter.place {
                ParameterPlace::Path => target = target.replace(&format!("{{{}}}", parameter.name), &value),
                ParameterPlace::Query if random.random_bool(0.3) => pairs.push(format!("{}={value}", parameter.name)),
                ParameterPlace::Query | ParameterPlace::Body => {}
            }
        }
        if operation.paged && random.random_bool(0.6) {
            pairs.push(format!("page={}&limit={}", random.random_range(1..9), random.random_range(1..101)));
        }
        if !pairs.is_empty() {
            target = format!("{target}?{}", pairs.join("&"));
        }
        let mut headers = vec![("authorization".to_owned(), format!("Bearer {}", self.tokens.planner))];
        let mut body = Vec::new();
        if operation.kind != OperationKind::Read {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
            body = to_json_text(&self.valid_body(operation, random)).into_bytes();
        }
        RawRequest { method: operation.method.clone(), target, headers, body, chunked: false }
    }

    fn value_generator<'b>(&'b self, operation: &'b Operation, random: &'b mut ChaCha8Rng) -> ValueGenerator<'b> {
        ValueGenerator { document: self.document, known: self.known, area: &operation.area, random }
    }

    /// Returns a body that conforms to the operation's schema. A batch has at least one item.
    fn valid_body(&self, operation: &Operation, random: &mut ChaCha8Rng) -> Value {
        let at = &self.document["paths"][&operation.path][operation.method.to_lowercase()];
        let schema = &at["requestBody"]["content"]["application/json"]["schema"];
        let mut generator = self.value_generator(operation, random);
        let mut body = generator.value(schema, "");
        let items = &schema["properties"]["items"]["items"];
        if operation.request.is_some() && body["items"].as_array().is_none_or(Vec::is_empty) {
            body["items"] = json!([generator.value(items, "")]);
        }
        while operation.request.is_some() && generator.random.random_bool(0.5) {
            let item = generator.value(items, "");
            body["items"].as_array_mut().into_iter().for_each(|items| items.push(item.clone()));
        }
        body
    }

    fn damage_items(&self, case: &mut Case, operation: &Operation, random: &mut ChaCha8Rng) {
        case.description = "spoiled items";
        let mut body = self.valid_body(operation, random);
        for _ in 0..random.random_range(1..4) {
            match body.get_mut("items").and_then(Value::as_array_mut) {
                Some(items) => {
                    let at = random.random_range(0..items.len());
                    damage_value(&mut items[at], random);
                }
                None => damage_value(&mut body, random),
            }
        }
        case.request.body = to_json_text(&body).into_bytes();
    }

    fn damage_body(&self, case: &mut Case, operation: &Operation, random: &mut ChaCha8Rng) {
        case.description = "a spoiled body";
        let good = to_json_text(&self.valid_body(operation, random));
        let half = good.len() / 2;
        let (body, right) = match random.random_range(0..16) {
            0 => (Vec::new(), BAD_REQUEST),
            1 => (good.encode_utf16().flat_map(u16::to_le_bytes).collect(), BAD_REQUEST),
            2 => (good.encode_utf16().flat_map(u16::to_be_bytes).collect(), BAD_REQUEST),
            3 => ([b"\xef\xbb\xbf", good.as_bytes()].concat(), BAD_REQUEST),
            4 => (good.as_bytes()[..good.len() - 1].to_vec(), BAD_REQUEST),
            5 => (format!("{good}\0").into_bytes(), BAD_REQUEST),
            6 => (format!("{good}{good}").into_bytes(), BAD_REQUEST),
            7 => ([&good.as_bytes()[..half], b"\xe4", &good.as_bytes()[half..]].concat(), BAD_REQUEST),
            8 => (b"{\"items\":[{\"code\":\"\xf0\x9f\"}],\"query\":\"\xf0\x9f\"}".to_vec(), BAD_REQUEST),
            9 => (format!("{{\"items\":[{}]}}", nested_array_text(10_000)).into_bytes(), BAD_REQUEST),
            10 => ("{\"items\":".repeat(10_000).into_bytes(), BAD_REQUEST),
            11 => (good.replacen('{', "{\"items\":null,\"query\":null,\"more\":1,", 1).into_bytes(), &[][..]),
            12 => (json!({ "items": odd_value(random), "query": odd_value(random) }).to_string().into_bytes(), &[][..]),
            13 => (to_json_text(&odd_value(random)).into_bytes(), &[][..]),
            14 => (json!({ "items": [], "query": "" }).to_string().into_bytes(), &[200, 412][..]),
            _ => (json!({ "items": [nested_array(100)], "query": nested_array(60) }).to_string().into_bytes(), &[][..]),
        };
        (case.request.body, case.allowed_statuses) = (body, right);
    }

    fn replace_token(&self, case: &mut Case, operation: &Operation, random: &mut ChaCha8Rng) {
        let tokens = self.tokens;
        let bearer = |token: &str| Some(format!("Bearer {token}"));
        let writes = matches!(operation.kind, OperationKind::Sync | OperationKind::Delete);
        case.description = "another token";
        let (value, right) = match random.random_range(0..9) {
            0 => (None, UNAUTHORIZED),
            1 => (bearer("forged"), UNAUTHORIZED),
            2 => (bearer(&tokens.expired), UNAUTHORIZED),
            3 => (bearer(&tokens.foreign), UNAUTHORIZED),
            4 => (Some(format!("Basic {}", tokens.planner)), UNAUTHORIZED),
            5 => (bearer(&tokens.planner.to_uppercase()), UNAUTHORIZED),
            6 => (bearer(&"x".repeat(5000)), UNAUTHORIZED),
            7 => (Some(tokens.planner.clone()), UNAUTHORIZED),
            _ => (bearer(&tokens.viewer), if writes { &[403][..] } else { &[][..] }),
        };
        case.allowed_statuses = right;
        case.request.headers.retain(|(name, _)| name != "authorization");
        case.request.headers.extend(value.map(|value| ("authorization".to_owned(), value)));
    }
}

fn nested_array_text(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

fn damage_headers(case: &mut Case, random: &mut ChaCha8Rng) {
    case.description = "other headers";
    let kinds = [
        "",
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "*/*",
        ";",
        "ä",
    ];
    let headers = &mut case.request.headers;
    match random.random_range(0..4) {
        0 => {
            headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
            case.allowed_statuses = BAD_REQUEST;
        }
        1 => headers.push(("accept".to_owned(), "image/png".to_owned())),
        2 => {
            headers.retain(|(name, _)| name != "content-type");
            case.allowed_statuses = BAD_REQUEST;
        }
        _ => {
            headers.retain(|(name, _)| name != "content-type");
            headers.push(("content-type".to_owned(), kinds.choose(random).copied().unwrap_or_default().to_owned()));
            case.allowed_statuses = BAD_REQUEST;
        }
    }
}

fn replace_address(case: &mut Case, random: &mut ChaCha8Rng) {
    case.description = "another address or method";
    let path = case.request.path().to_owned();
    case.allowed_statuses = &[404, 405];
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];
    if random.random_bool(0.3) {
        case.allowed_statuses = &[];
        case.request.method = methods.choose(random).copied().unwrap_or_default().to_owned();
        return;
    }
    case.request.target = match random.random_range(0..10) {
        0 => format!("{path}/"),
        1 => format!("/{path}"),
        2 => path.replacen("/api", "/api/.", 1) + "/..",
        3 => format!("/%2e{path}").replace("//", "/%2F"),
        4 => format!("{path}%00"),
        5 => format!("{path}/{}", "x".repeat(20_000)),
        6 => format!("{path}/..%2f..%2fetc%2fpasswd"),
        7 => format!("/{}", path.to_lowercase().replacen('/', "", 1) + "x"),
        8 => "/%ff%fe%zz".to_owned(),
        _ => path.replacen("v1", "v2", 1) + "/x",
    };
}

fn replace_query(case: &mut Case, random: &mut ChaCha8Rng) {
    case.description = "another query";
    const QUERIES: [&str; 24] = [
        "limit=101",
        "limit=0",
        "limit=-1",
        "limit=ten",
        "limit=1.0",
        "limit=",
        "page=0",
        "page=-0",
        "page=18446744073709551615",
        "page=18446744073709551616",
        "page=1&page=1",
        "limit=1&limit=2",
        "%zz=%",
        "&&&=&",
        "unknown=1&Unknown=2",
        "page=%31",
        "from=2026-12-01&to=2026-11-01",
        "from=2026-11-20T10:00:00%2B05:30",
        "from=2026-11-20T10:00:00[Mars/Olympus]",
        "to=2026-02-30",
        "from=&to=",
        "from=9999-12-31&to=9999-12-31T23:59:59Z",
        "code=%00&Code=%00",
        "code=%ff%fe&Code=%c3%28",
    ];
    let query = match random.random_range(0..30) {
        at @ 0..24 => QUERIES[at].to_owned(),
        24 => format!("code={}&Code={}", "x".repeat(201), "y".repeat(201)),
        25 => "a=b&".repeat(2000),
        _ => {
            let pair = |random: &mut ChaCha8Rng| -> String {
                let name = ["page", "limit", "from", "to", "code", "Code"].choose(random).copied().unwrap_or_default();
                let value: String = url::form_urlencoded::byte_serialize(odd_text(random).as_bytes()).collect();
                format!("{name}={value}")
            };
            format!("{}&{}", pair(random), pair(random))
        }
    };
    let path = case.request.path().to_owned();
    case.request.target = format!("{path}?{query}");
}
