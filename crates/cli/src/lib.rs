//! The command line: arguments, progress, tables and exit codes.

mod allocator;
pub mod args;
mod caution;
mod commands;
mod errors;
pub mod exit;
mod front;
mod help;
mod hide;
mod interrupt;
mod language;
mod markdown;
mod output;
mod pages;
mod progress;
mod same_file;
mod sentences;
mod telemetry;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use tenbin_plan::sentence;

use crate::args::{Cli, Command, ProtocolCommand};
use crate::exit::Exit;

/// Runs the program.
pub fn run() -> ExitCode {
    let arguments = match hide::arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            output::say_error(&sentence!(
                "no-hiding",
                "cannot take secrets out of the process title: {error}; give them in the \
                 environment or in files",
                error
            ));
            let given: Vec<OsString> = std::env::args_os().collect();
            return of_mistake(Exit::Internal, &given).into();
        }
    };
    let arguments = args::called_by_name(arguments);
    let command_line = match Cli::try_parse_from(&arguments) {
        Ok(command_line) => command_line,
        Err(error) => return explained(&args::with_tip(error), &arguments).into(),
    };
    language::choose(command_line.language);
    match command_line.command {
        // The exit code of the guard does not depend on the output.
        Command::Guard(guard) => tenbin_targets::guard::main(guard.arguments),
        command => {
            let is_bare = arguments.len() == 2 && is_http(&command);
            let exit = dispatch(command);
            if is_bare {
                say_usual_forms();
            }
            output::exit_after_output(exit).into()
        }
    }
}

/// Whether the command is `tenbin http`.
fn is_http(command: &Command) -> bool {
    matches!(command, Command::Protocol(it) if matches!(**it, ProtocolCommand::Http(_)))
}

/// Prints the usual forms of `tenbin http`, after the error of a command line without a server.
fn say_usual_forms() {
    let heading = sentence!(
        "usual-forms",
        "usual forms (`tenbin http -h` lists the frequent options):"
    );
    output::say(&sentences::said(&heading));
    for form in args::USUAL_FORMS {
        output::say(&format!("  {form}"));
    }
}

/// Prints clap's output: help on standard output, errors on standard error.
fn explained(error: &clap::Error, arguments: &[OsString]) -> Exit {
    use std::io::Write as _;

    language::choose_before_parsing(arguments);
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(exit) = commands::refuse_among(arguments)
    {
        return of_mistake(exit, arguments);
    }
    let is_help = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    let text = if is_help {
        help::page(arguments, language::language()).map(|page| page.to_string())
    } else {
        help::errors::arguments(error, language::language())
    };
    let printed = match text {
        Some(text) if error.use_stderr() => {
            output::say(text.trim_end());
            Ok(())
        }
        Some(text) => {
            output::print_text(&text);
            Ok(())
        }
        None => error.print().and_then(|()| std::io::stdout().flush()),
    };
    if error.use_stderr() {
        return of_mistake(Exit::Refused, arguments);
    }
    output::note_failure(printed);
    output::exit_after_output(Exit::Done)
}

/// The exit code of a mistake that ends the program before a command begins. `git bisect run` would
/// take it for a bad commit.
fn of_mistake(exit: Exit, arguments: &[OsString]) -> Exit {
    let is_flag = |it: &OsString| it.as_encoded_bytes().starts_with(b"--git-bisect");
    if arguments.iter().any(is_flag) {
        exit.for_git_bisect()
    } else {
        exit
    }
}

fn dispatch(command: Command) -> Exit {
    match command {
        Command::Quickstart(args) => commands::quickstart(&args),
        Command::Protocol(command) => {
            let args = command.args();
            commands::measure_after(args.draft(), args.output(), args.earlier())
        }
        Command::Warp(args) => commands::warp(&args),
        Command::Hsbench(args) => commands::hsbench(&args),
        Command::BlobstoreBench(args) => commands::blobstore_bench(&args),
        Command::Wrk(args) => commands::wrk(&args),
        Command::Wrk2(args) => commands::wrk2(&args),
        Command::Ab(args) => commands::ab(&args),
        Command::Search(command) => commands::search(&command),
        Command::RequestResponse(args) => commands::request_response(&args),
        Command::PublishSubscribe(args) => commands::publish_subscribe(&args),
        Command::ExtractSearchterms(args) => {
            commands::helper("drnbench-extract-searchterms", &args)
        }
        Command::GenerateSelectPatterns(args) => {
            commands::helper("drnbench-generate-select-patterns", &args)
        }
        Command::Grn2drn(args) => commands::helper("grn2drn", &args),
        Command::Grndump(args) => commands::helper("grndump", &args),
        Command::DroongaSend(args) => commands::helper("droonga-send", &args),
        Command::Init(args) => commands::init(&args),
        Command::Doctor(command) => commands::doctor(&command),
        Command::Run(args) => commands::measure(args.draft(), &args.output),
        Command::Gate(args) => commands::gate(&args),
        Command::Bisect(args) => commands::bisect(&args),
        Command::Plan(command) => match command.draft() {
            Some(draft) => commands::print_plan(draft),
            None => commands::print_schema(),
        },
        Command::Clean(args) => commands::clean(&args),
        Command::List(args) => commands::list(&args),
        Command::History(args) => commands::history(&args),
        Command::Ui(args) => commands::ui(&args),
        Command::Label(args) => commands::label(&args),
        Command::Note(args) => commands::note(&args),
        Command::Rm(args) => commands::rm(&args),
        Command::Prune(args) => commands::prune(&args),
        Command::Show(args) => commands::show(&args),
        Command::Chart(args) => commands::chart(&args),
        Command::Report(args) => commands::report(&args),
        Command::Import(args) => commands::import(&args),
        Command::Lint(args) => commands::lint_files(&args),
        Command::Compare(args) => commands::compare(&args),
        Command::Pack(args) => commands::pack(&args),
        Command::Verify(args) => commands::verify(&args),
        Command::Rerun(args) => commands::rerun(&args),
        Command::Explain(args) => commands::explain(&args),
        Command::Serve(command) => commands::serve(&command),
        Command::Observe(args) => commands::observe(&args),
        Command::Agent(args) => commands::agent(&args),
        Command::Agents(args) => commands::agents(&args),
        Command::Hub(args) => commands::hub(&args),
        Command::Completions(args) => commands::completions(&args),
        Command::Man(args) => commands::man(&args),
        Command::Guard(_) => Exit::Internal,
    }
}
