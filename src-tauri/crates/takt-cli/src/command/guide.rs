//! `takt guide`: lists, searches and prints the help pages, and writes them as web pages.

use serde_json::json;
use takt_help::{HelpPage, page, search, website};

use super::operations::contract_at;
use crate::{
    arguments::GuideArguments,
    console::Console,
    exit_codes::{ExitStatus, Failure},
    session,
};

pub(super) fn run(arguments: &GuideArguments, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    let contract = contract_at(&engine, site)?;
    let language = console.texts.language;
    if let Some(folder) = &arguments.save {
        let start = website::write_pages(folder, &contract, language)?;
        console.print_text("guide.saved", &[("file", start.display().to_string())]);
        return Ok(ExitStatus::Done);
    }
    let pages = page::pages(&contract, language);
    if let Some(words) = &arguments.find {
        let found = search::search_pages(&pages, words);
        for one in &found {
            if arguments.json {
                console.print_json(&json!(one));
            } else {
                console.print_line(&format!("{}  {}\n    {}", one.page, one.title, one.line));
            }
        }
        if found.is_empty() {
            console.print_remark("guide.nothing", &[("words", words.clone())]);
            return Ok(ExitStatus::Usage);
        }
        return Ok(ExitStatus::Done);
    }
    let Some(id) = &arguments.page else {
        list_pages(&pages, arguments.json, console);
        return Ok(ExitStatus::Done);
    };
    let Some(page) = pages.iter().find(|page| page.id == *id) else {
        console.print_remark("guide.unknown", &[("page", id.clone())]);
        return Ok(ExitStatus::Usage);
    };
    if arguments.json {
        console.print_json(&json!(page));
    } else {
        // A terminal can't show pictures.
        let lines: Vec<&str> = page.text.lines().filter(|line| !line.starts_with("![")).collect();
        console.print_line(&lines.join("\n"));
    }
    Ok(ExitStatus::Done)
}

fn list_pages(pages: &[HelpPage], as_json: bool, console: &Console) {
    if as_json {
        for page in pages {
            console.print_json(&json!({ "id": page.id, "group": page.group, "title": page.title }));
        }
        return;
    }
    console.print_table(&pages.iter().map(|page| vec![page.id.clone(), page.title.clone()]).collect::<Vec<_>>());
}
