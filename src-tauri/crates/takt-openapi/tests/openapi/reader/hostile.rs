//! Documents that demand memory or time are refused, or read within limits.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use takt_openapi::{Document, DocumentError};

/// The time limit in a debug build.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

fn read_in_time(text: &str) -> Result<Document, DocumentError> {
    let begin = Instant::now();
    let read = Document::read(text.as_bytes());
    assert!(begin.elapsed() < READ_TIMEOUT, "{:?}", begin.elapsed());
    read
}

#[test]
fn aliases_of_aliases_are_refused() {
    let mut text = "openapi: 3.0.0\nx0: &a0 [l, l, l, l, l, l, l, l, l, l]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        writeln!(text, "x{level}: &a{level} [{}]", before.trim_end_matches(", ")).unwrap();
    }
    let refused = read_in_time(&text).err();
    assert!(matches!(refused, Some(DocumentError::TooComplex { .. })), "{refused:?}");
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        assert!(read_in_time(&format!("{{\"openapi\":\"3.0.0\",\"x\":{deep}}}")).is_err());
        assert!(read_in_time(&format!("openapi: 3.0.0\nx: {deep}\n")).is_err());
    }
    let indented: String = (0..5_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(read_in_time(&format!("openapi: 3.0.0\nx:\n{indented}")).is_err());
}

#[test]
fn schemas_that_contain_themselves_are_read() {
    let text = r##"{"openapi":"3.0.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":
        {"schema":{"$ref":"#/components/schemas/A"}}}}}}}},"components":{"schemas":{
        "A":{"allOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}],"properties":{"a":{"$ref":"#/components/schemas/A"}}},
        "B":{"oneOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}],"properties":{"b":{"type":"string"}}}}}}"##;
    let document = read_in_time(text).unwrap();
    let schema = super::response_schema(&document, "/a");
    assert_eq!(super::format_members(&document, &schema), ["a: Object", "b: Text"]);
}

#[test]
fn parts_that_multiply_are_bounded() {
    let mut schemas = String::new();
    for level in 0..100 {
        let part = format!(r##"{{"allOf":[{{"$ref":"#/components/schemas/S{}"}}]}}"##, level + 1);
        write!(schemas, r#""S{level}":{{"allOf":[{part},{part},{part},{part}]}},"#).unwrap();
    }
    schemas.push_str(r#""S100":{"properties":{"a":{}}}"#);
    let text = format!(
        r##"{{"openapi":"3.0.0","paths":{{"/a":{{"get":{{"responses":{{"200":{{"content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/S0"}}}}}}}}}}}}}}}},"components":{{"schemas":{{{schemas}}}}}}}"##
    );
    let document = read_in_time(&text).unwrap();
    let begin = Instant::now();
    super::response_schema(&document, "/a");
    assert!(begin.elapsed() < READ_TIMEOUT);
}

#[test]
fn a_million_references() {
    let chain: Vec<String> =
        (0..200_000).map(|index| format!(r##""S{index}":{{"$ref":"#/components/schemas/S{}"}}"##, index + 1)).collect();
    let chain = format!(r#"{{"openapi":"3.0.0","components":{{"schemas":{{{},"S200000":{{}}}}}}}}"#, chain.join(","));
    assert!(read_in_time(&chain).is_ok());
    let list = [r##"{"$ref":"#/components/schemas/A"}"##; 800_000].join(",");
    let list = format!(r#"{{"openapi":"3.0.0","components":{{"schemas":{{"A":{{}},"B":{{"allOf":[{list}]}}}}}}}}"#);
    assert!(read_in_time(&list).is_ok());
}

#[test]
fn too_many_operations_are_refused() {
    let paths: Vec<String> = (0..20_000).map(|index| format!(r#""/p{index}":{{"get":{{}}}}"#)).collect();
    let text = format!(r#"{{"openapi":"3.0.0","paths":{{{}}}}}"#, paths.join(","));
    assert!(matches!(read_in_time(&text), Err(DocumentError::TooComplex { .. })));
    let shared: Vec<String> = (0..4_000).map(|index| format!(r##""/p{index}":{{"$ref":"#/x/item"}}"##)).collect();
    let parameter = r#"{"name":"a","in":"query"}"#;
    let parameters = [parameter; 1_000].join(",");
    let text = format!(
        r#"{{"openapi":"3.0.0","paths":{{{}}},"x":{{"item":{{"parameters":[{parameters}],"get":{{}}}}}}}}"#,
        shared.join(",")
    );
    assert!(matches!(read_in_time(&text), Err(DocumentError::TooComplex { .. })));
}
