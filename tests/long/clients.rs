//! API clients in TypeScript, Python and Go, generated from the contract document. They are compiled and used on a
//! plant. The generators don't know Takt, so the clients find errors in the document.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use takt_tests::{Plant, repository};

/// A generated client and its plant. Its folder is below the folder with its language's packages.
struct GeneratedClient {
    folder: PathBuf,
    plant: Plant,
    token: String,
}

impl GeneratedClient {
    /// Starts a plant and creates an empty folder with its document.
    async fn new(language: &str) -> Self {
        let plant = Plant::start(&[]);
        let folder = repository().join("tests/long/clients/generated").join(language);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
        let document = reqwest::get(format!("{}/openapi.json", plant.member("base_url"))).await.unwrap();
        fs::write(folder.join("openapi.json"), document.text().await.unwrap()).unwrap();
        let token = plant.token("planner").await;
        Self { folder, plant, token }
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Runs a program in the client's folder, and returns its output. Panics if it fails.
    fn run(&self, program: impl AsRef<Path>, arguments: &[&str]) -> String {
        let program = program.as_ref();
        let target = repository().join("target/clients");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder);
        command.env("BASE_URL", self.plant.member("base_url")).env("TOKEN", &self.token);
        command.env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local").env("GOPROXY", "off");
        command.env("GOCACHE", target.join("go-build")).env("GOPATH", target.join("go"));
        let missing = "`cargo xtask setup` installs what the tests need";
        let ran = command.output().unwrap_or_else(|error| panic!("{}: {error}: {missing}", program.display()));
        let result = String::from_utf8_lossy(&ran.stderr);
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{} {arguments:?}: {printed}{result}", program.display());
        printed
    }

    /// Compares the client's output, and the order that it sent, with the plant's data.
    async fn check(&self, printed: &str, prefix: &str) {
        let result: Value = serde_json::from_str(printed.trim()).unwrap();
        let orders = self.plant.state("work-orders").await;
        let sent = orders.iter().find(|order| order["code"] == format!("{prefix}-1")).unwrap();
        assert_eq!(sent["beginPlanned"], "2036-01-01T06:00:00", "a time without an offset stays as it was sent");
        let dated = |order: &&Value| ["beginPlanned", "beginReal"].iter().any(|name| order[*name].is_string());
        let seeded: Vec<&Value> = orders.iter().filter(|order| order["code"] != sent["code"]).filter(dated).collect();
        assert_eq!(result["orders"], json!(seeded.len()), "every order of the plant was read");
        let begin = result["begin"].as_str().unwrap();
        assert!(seeded.iter().any(|order| order["beginPlanned"] == begin) && !begin.ends_with('Z'), "{begin}");
        assert_eq!((&result["accepted"], &result["refused"]), (&json!(1), &json!([format!("{prefix}-2")])));
        assert_eq!((&result["missing"], &result["said"]), (&json!(412), &json!(["There is no template 99."])));
    }
}

/// Returns the path of a program in the Python environment that `cargo xtask setup` creates.
fn python_program(name: &str) -> PathBuf {
    let folder = repository().join("target/clients/python");
    let programs = if cfg!(windows) { folder.join("Scripts") } else { folder.join("bin") };
    programs.join(if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() })
}

fn read_source(name: &str) -> String {
    fs::read_to_string(repository().join("tests/long/clients").join(name)).unwrap()
}

#[tokio::test]
async fn a_typescript_client_compiles_and_works() {
    let client = GeneratedClient::new("typescript").await;
    client.write("use.ts", &read_source("use.ts"));
    let tool = |path: &str| format!("../../node_modules/{path}");
    client.run("node", &[&tool("openapi-typescript/bin/cli.js"), "openapi.json", "-o", "api.d.ts"]);
    let options = ["--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext"];
    let mut arguments = vec![tool("typescript/bin/tsc"), "use.ts".to_owned()];
    arguments.extend(options.map(str::to_owned));
    client.run("node", &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let printed = client.run("node", &["use.js"]);
    client.check(&printed, "TS").await;
}

#[tokio::test]
async fn a_python_client_is_generated_whole_and_works() {
    let client = GeneratedClient::new("python").await;
    client.write("use.py", &read_source("use.py"));
    client.write("settings.yml", "post_hooks: []\n");
    let arguments = ["generate", "--path", "openapi.json", "--output-path", "plant_client", "--overwrite"];
    let more = ["--meta", "none", "--config", "settings.yml", "--fail-on-warning"];
    client.run(python_program("openapi-python-client"), &[&arguments[..], &more[..]].concat());
    let printed = client.run(python_program("python"), &["use.py"]);
    client.check(&printed, "PY").await;
}

/// Replaces the generated client's only external module. The test passes its token as a header instead.
const NO_OAUTH: &str = "package oauth2\n\nimport \"net/http\"\n\ntype Token struct{}\n\n\
                        func (*Token) SetAuthHeader(*http.Request) {}\n\n\
                        type TokenSource interface{ Token() (*Token, error) }\n";

#[tokio::test]
async fn a_go_client_compiles_and_works() {
    let client = GeneratedClient::new("go").await;
    let parts = "apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false";
    let arguments = ["generate", "-i", "openapi.json", "-g", "go", "-o", ".", "--global-property", parts];
    client.run(python_program("openapi-generator-cli"), &arguments);
    client.write("use/main.go", &read_source("use.go"));
    client.write("oauth2/oauth2.go", NO_OAUTH);
    client.write("oauth2/go.mod", "module golang.org/x/oauth2\n\ngo 1.23\n");
    let modules =
        "module client\n\ngo 1.23\n\nrequire golang.org/x/oauth2 v0.0.0\n\nreplace golang.org/x/oauth2 => ./oauth2\n";
    client.write("go.mod", modules);
    client.run(python_program("go"), &["build", "./..."]);
    let printed = client.run(python_program("go"), &["run", "./use"]);
    client.check(&printed, "GO").await;
}
