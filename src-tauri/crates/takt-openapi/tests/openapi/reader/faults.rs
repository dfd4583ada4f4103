//! Wrong documents are refused with line and reason.

use takt_openapi::{Document, DocumentError, StructureFault};

fn read_error(text: &str) -> DocumentError {
    Document::read(text.as_bytes()).unwrap_err()
}

/// Returns line, pointer and fault of a wrong structure.
fn structure_fault(text: &str) -> (u64, String, StructureFault) {
    match read_error(text) {
        DocumentError::Structure { line, pointer, fault, .. } => (line, pointer, fault),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_document() {
    assert_eq!(Document::read(&[0x50, 0x4b, 3, 4, 0xff]).unwrap_err(), DocumentError::NotText);
    assert_eq!(Document::read(&[0xff, 0xfe, 0x00]).unwrap_err(), DocumentError::NotText);
    assert!(matches!(Document::read(&vec![b' '; 40_000_000]), Err(DocumentError::TooLarge { .. })));
    for text in ["", "  \n", "<!DOCTYPE html><html></html>", "{}", "[1, 2]", "hello: 1", "null"] {
        assert_eq!(read_error(text), DocumentError::NotOpenApi, "{text:?}");
    }
}

#[test]
fn other_versions() {
    assert_eq!(read_error(r#"{"swagger":"2.0","paths":{}}"#), DocumentError::Swagger2);
    assert_eq!(read_error("swagger: 2.0\npaths: {}"), DocumentError::Swagger2);
    for version in ["4.0.0", "3.2.0", "2.0", "3.10"] {
        let expected = DocumentError::OtherVersion { version: version.to_owned() };
        assert_eq!(read_error(&format!("openapi: '{version}'")), expected);
    }
    for version in ["3.0", "3.1", "'3.0.4'", "3.1.1"] {
        assert!(Document::read(format!("openapi: {version}\n").as_bytes()).is_ok(), "{version}");
    }
}

#[test]
fn syntax_has_its_line() {
    let DocumentError::Syntax { line, column, .. } = read_error("{\n \"openapi\": \"3.0.0\",\n \"paths\": {,}\n}")
    else {
        panic!("it is no JSON")
    };
    assert_eq!((line, column), (3, 12));
    let DocumentError::Syntax { line, .. } = read_error("openapi: 3.0.0\npaths:\n  /a: [1\n  /b: {}\n") else {
        panic!("it is no YAML")
    };
    assert!((3..=5).contains(&line), "{line}");
}

#[test]
fn structure_has_its_line_in_json() {
    let text = "{\n \"openapi\": \"3.0.0\",\n \"paths\": {\n  \"/a/{b}\": {\n   \"get\": {\n    \"parameters\": [\n     {\"name\": \"b\", \"in\": \"path\"},\n     {\"name\": 7, \"in\": \"query\"}\n]}}}}";
    let pointer = "/paths/~1a~1{b}/get/parameters/1/name".to_owned();
    assert_eq!(structure_fault(text), (8, pointer, StructureFault::NotText));
}

#[test]
fn structure_has_its_line_in_yaml() {
    let text = "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      responses:\n        '200':\n          content:\n            application/json:\n              schema:\n                $ref: '#/components/schemas/Gone'\n";
    let pointer = "/paths/~1a/get/responses/200/content/application~1json/schema/$ref".to_owned();
    let gone = StructureFault::DanglingReference("#/components/schemas/Gone".to_owned());
    assert_eq!(structure_fault(text), (10, pointer, gone));
}

#[test]
fn each_part_is_judged() {
    let with = |part: &str| structure_fault(&format!("{{\"openapi\":\"3.0.0\",\n{part}}}")).2;
    assert_eq!(with(r#""paths":[]"#), StructureFault::NotAnObject);
    assert_eq!(with(r#""paths":{"/a":7}"#), StructureFault::NotAnObject);
    assert_eq!(with(r#""paths":{"/a":{"get":[]}}"#), StructureFault::NotAnObject);
    assert_eq!(with(r#""paths":{"/a":{"parameters":{}}}"#), StructureFault::NotAList);
    assert_eq!(with(r#""paths":{"/a":{"parameters":[{"name":"a"}]}}"#), StructureFault::Missing("in".to_owned()));
    assert_eq!(with(r#""components":{"schemas":{"A":"B"}}"#), StructureFault::NotASchema);
    assert_eq!(with(r#""components":{"schemas":{"A":{"properties":[]}}}"#), StructureFault::NotAnObject);
    assert_eq!(with(r#""components":{"schemas":{"A":{"items":[]}}}"#), StructureFault::NotASchema);
    assert_eq!(with(r#""components":{"schemas":{"A":{"allOf":{}}}}"#), StructureFault::NotAList);
    assert_eq!(with(r#""components":{"schemas":{"A":{"type":7}}}"#), StructureFault::NotText);
    let circle = r##""paths":{"/a":{"parameters":[{"$ref":"#/x/a"}],"get":{}}},"x":{"a":{"$ref":"#/x/b"},"b":{"$ref":"#/x/a"}}"##;
    assert!(matches!(with(circle), StructureFault::EndlessReference(_)));
}
