//! Writes the help as web pages, in a folder per language. Each page has a list of all pages, and a search that needs
//! no server.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use takt_contract::Contract;
use takt_core::{Code, Language, Problem, write_file};

use crate::{
    html::{PageLocation, render_html},
    page::{self, HelpGroup, HelpPage},
    words::HelpWords,
};

const STYLESHEET: &str = include_str!("website/style.css");
const SEARCH_SCRIPT: &str = include_str!("website/search.js");

/// Writes the pages of all languages, and returns the start page.
///
/// # Errors
///
/// [`Code::WriteFailed`]: a folder can't be created, or a file can't be written.
pub fn write_pages(folder: &Path, contract: &Contract, first: Language) -> Result<PathBuf, Problem> {
    create_folder(&folder.join("pictures"))?;
    for id in page::picture_ids() {
        let bytes = page::picture(id).unwrap_or_default();
        write_file(&folder.join(format!("pictures/{id}.png")), bytes)?;
    }
    write_file(&folder.join("style.css"), STYLESHEET.as_bytes())?;
    write_file(&folder.join("search.js"), SEARCH_SCRIPT.as_bytes())?;
    for language in Language::ALL {
        write_language(&folder.join(language_tag(language)), contract, language)?;
    }
    let start = folder.join("index.html");
    write_file(&start, redirect_page(&format!("{}/first-steps.html", language_tag(first))).as_bytes())?;
    Ok(start)
}

fn write_language(folder: &Path, contract: &Contract, language: Language) -> Result<(), Problem> {
    create_folder(folder)?;
    let words = HelpWords::load(language);
    let pages = page::pages(contract, language);
    for page in &pages {
        write_file(&folder.join(format!("{}.html", page.id)), web_page(page, &pages, &words, language).as_bytes())?;
    }
    let entries: Vec<_> =
        pages.iter().map(|page| json!({ "id": page.id, "title": page.title, "text": page.text })).collect();
    let index = format!("window.helpPages = {};\n", json!(entries).to_string().replace("</", "<\\/"));
    write_file(&folder.join("pages.js"), index.as_bytes())?;
    write_file(&folder.join("index.html"), redirect_page("first-steps.html").as_bytes())
}

fn web_page(page: &HelpPage, pages: &[HelpPage], words: &HelpWords, language: Language) -> String {
    let mut list = String::new();
    for (group, key) in [
        (HelpGroup::Task, "group.task"),
        (HelpGroup::Screen, "group.screen"),
        (HelpGroup::Operation, "group.operation"),
    ] {
        let _ = write!(list, "<h2>{}</h2><ul>", words.text(key));
        for one in pages.iter().filter(|one| one.group == group) {
            let current = if one.id == page.id { " aria-current=\"page\"" } else { "" };
            let _ = write!(list, "<li><a href=\"{}.html\"{current}>{}</a></li>", one.id, escape_html(&one.title));
        }
        list.push_str("</ul>");
    }
    let languages: String = Language::ALL
        .into_iter()
        .map(|other| format!("<a href=\"../{0}/{1}.html\" hreflang=\"{0}\">{0}</a> ", language_tag(other), page.id))
        .collect();
    let (tag, title, search) = (language_tag(language), escape_html(&page.title), words.text("search"));
    let body = render_html(&page.text, PageLocation::Folder);
    format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title} · Takt</title>\n<link rel=\"stylesheet\" href=\"../style.css\">\n</head>\n<body>\n<nav>\n\
         <p class=\"brand\">Takt</p>\n<input type=\"search\" aria-label=\"{search}\" placeholder=\"{search}\">\n<div id=\"pages\">{list}</div>\n\
         <p class=\"languages\">{languages}</p>\n</nav>\n<main>\n{body}</main>\n<script src=\"pages.js\"></script>\n<script src=\"../search.js\"></script>\n\
         </body>\n</html>\n"
    )
}

fn redirect_page(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Takt</title>\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<a href=\"{address}\">Takt</a>\n"
    )
}

fn language_tag(language: Language) -> &'static str {
    match language {
        Language::En => "en",
        Language::De => "de",
        Language::Es => "es",
        Language::Pt => "pt",
    }
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn create_folder(folder: &Path) -> Result<(), Problem> {
    fs::create_dir_all(folder)
        .map_err(|cause| Problem::new(Code::WriteFailed).parameter("file", folder.display().to_string()).details(cause))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use takt_contract::Contract;
    use takt_core::Language;

    use super::write_pages;
    use crate::page::pages;

    #[test]
    fn every_page_of_every_language_is_written_and_links_to_files_that_exist() {
        let contract = Contract::builtin().expect("the built-in contract");
        let folder = tempfile::tempdir().expect("a folder");
        write_pages(folder.path(), &contract, Language::De).expect("web pages");
        for language in ["en", "de", "es", "pt"] {
            for page in pages(&contract, Language::En) {
                let file = folder.path().join(format!("{language}/{}.html", page.id));
                let text = fs::read_to_string(&file).expect("a page");
                for part in text.split("href=\"").chain(text.split("src=\"")).skip(1) {
                    let target = part.split('"').next().unwrap_or_default();
                    if target.ends_with(".html") || target.ends_with(".png") || target.ends_with(".js") {
                        assert!(file.with_file_name(target).exists(), "{} links to {target}", file.display());
                    }
                }
            }
        }
    }

    #[test]
    fn a_folder_that_can_not_be_made_is_said() {
        let contract = Contract::builtin().expect("the built-in contract");
        let file = tempfile::NamedTempFile::new().expect("a file");
        let problem =
            write_pages(&file.path().join("inside"), &contract, Language::En).expect_err("no folder inside a file");
        assert_eq!(problem.code, takt_core::Code::WriteFailed);
    }
}
