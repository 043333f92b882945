//! `siglum schemes`: what sketches there are.

use crate::args::SchemesArgs;
use crate::output::{Exit, Output};
use anyhow::Result;
use siglum::Scheme;
use siglum::sketch::Input;

pub(crate) fn run(args: &SchemesArgs, output: &mut Output) -> Result<Exit> {
    for scheme in Scheme::all() {
        let (name, input, summary) = (scheme.to_string(), input_word(scheme.input()), scheme.summary());
        if args.json {
            output.json(&serde_json::json!({ "scheme": name, "input": input, "summary": summary }))?;
        } else {
            output.line(&format!("{name:22} {input:9} {summary}"))?;
        }
    }
    Ok(Exit::Found)
}

fn input_word(input: Input) -> &'static str {
    match input {
        Input::Text => "text",
        Input::Pages => "pages",
        Input::Metadata => "metadata",
        Input::Bytes => "bytes",
        Input::Everything => "all",
    }
}
