//! drnbench's helper tools, with their original command lines.

use std::io::Write as _;
use std::path::PathBuf;

use tenbin_compat::drnbench::{
    Convert, Dump, ExtractTerms, GeneratePatterns, Helper, Job, Parsed, Send,
};
use tenbin_corpus::droonga::{Address, Completion, Converter, SendOptions, send};
use tenbin_corpus::grndump::{Database, Wanted, grndump};
use tenbin_corpus::load::open;
use tenbin_corpus::{Error, patterns};
use tenbin_http::{Client, Login};
use tenbin_plan::sentence;

use super::load::throughput_line;
use super::{convert, fail, stop, terms};
use crate::args::{ForeignArgs, foreign_world};
use crate::commands::other_tools::shared::{help, refuse, tell};
use crate::exit::Exit;
use crate::output;

/// Runs the command line of the helper with this name.
pub(crate) fn helper(name: &str, args: &ForeignArgs) -> Exit {
    let Some(helper) = Helper::named(name) else {
        output::say_error(&sentence!("no-helper", "there is no helper {name}", name));
        return Exit::Internal;
    };
    match helper.parse(&args.arguments, &foreign_world()) {
        Ok(Parsed::Help(asked)) => help(&asked),
        Ok(Parsed::Work(job, notes)) => {
            tell(&notes);
            work(*job).unwrap_or_else(|error| fail(&error))
        }
        Err(mistakes) => refuse(&mistakes),
    }
}

fn work(job: Job) -> Result<Exit, Error> {
    match job {
        Job::ExtractTerms(job) => extract(&job),
        Job::GeneratePatterns(job) => generate(&job),
        Job::Convert(job) => convert(job),
        Job::Send(job) => deliver(&job),
        Job::Dump(job) => dump(job),
    }
}

/// Prints the extracted terms. Duplicates are kept, as in the original tool.
fn extract(job: &ExtractTerms) -> Result<Exit, Error> {
    let column = usize::try_from(job.column).unwrap_or(usize::MAX);
    terms::print(&terms::extracted(&job.files, column)?, job.escape);
    Ok(Exit::Done)
}

fn generate(job: &GeneratePatterns) -> Result<Exit, Error> {
    let terms = terms::terms_in(&job.files)?;
    let text = patterns::drnbench(&job.base_params, &terms, &job.hosts);
    output::print_text(&text);
    Ok(Exit::Done)
}

fn convert(job: Convert) -> Result<Exit, Error> {
    let mut converter = Converter::new(job.dataset);
    converter.id_prefix = job.id_prefix;
    converter.date = job.date;
    converter.reply_to = job.reply_to;
    convert::messages(&job.files, converter, job.output.as_deref())
}

fn dump(job: Dump) -> Result<Exit, Error> {
    const NAME: &str = super::STANDARD_OUTPUT;
    let is_url = job.database.contains("://");
    let database = if is_url {
        Database::Server(Box::new(Client::new(&job.database, &Login::default())?))
    } else {
        Database::Files(job.database)
    };
    let wanted = Wanted {
        plugins: job.plugins,
        schema: job.schema,
        indexes: job.indexes,
        records: job.records,
        only: job.only,
        exclude: job.exclude,
        by_key: job.by_key,
        max_records: job.max_records,
    };
    let mut out = output::stream();
    grndump(&database, &wanted, NAME, &mut out)?;
    super::written(out.flush(), NAME)?;
    Ok(Exit::Done)
}

fn deliver(job: &Send) -> Result<Exit, Error> {
    let servers = job.servers.iter();
    let servers = servers.map(|text| Address::parse(text, job.port, &job.tag));
    let manner = SendOptions {
        servers: servers.collect::<Result<_, _>>().map_err(Error::refused)?,
        rate: job.rate,
        completion: job
            .completion
            .clone()
            .map(|(dataset, target_role)| Completion {
                dataset,
                target_role,
            }),
        validate: job.validate,
    };
    let standard = vec![PathBuf::from("-")];
    let files = if job.files.is_empty() {
        &standard
    } else {
        &job.files
    };
    let inputs = files.iter().map(|file| open(file));
    let stop = stop()?;
    let sent = send(
        inputs.collect::<Result<_, _>>()?,
        &manner,
        &|| stop.is_asked(),
        &mut |throughput| {
            if job.report_throughput {
                output::print_text(format!("{}\n", throughput_line(throughput)));
            }
        },
    )?;
    if job.report_throughput {
        let line = throughput_line(sent.throughput());
        output::print_text(format!("{line}, {} messages in all\n", sent.messages));
    }
    if sent.stopped {
        output::say_error(&sentence!(
            "helper-interrupted",
            "interrupted: {messages} messages were sent, those after them were not",
            messages = sent.messages
        ));
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}
